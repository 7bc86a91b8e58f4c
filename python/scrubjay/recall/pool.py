"""Which rows a question examines closely, and what every other row can score at most.

The kernel gives the best rows by the factors that every row has, and `recall.passages` those that score more by one
of their passages: a row of neither list scores at most what the next of the two does. Terms that only some rows have
(`EXTRA`) are joined by the threshold rule of Fagin, Lotem and Naor ("Optimal aggregation algorithms for middleware",
2003): take the best m of either list and score their union exactly; a row of neither scores at most what the m-th rows
of both would together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.recall.answer_features import Query
from scrubjay.recall.channels import FIRST
from scrubjay.recall.channels import parts as channel_parts
from scrubjay.recall.factors import FACTORS, TERMS
from scrubjay.recall.lexical import NO_WORDS, Lexical
from scrubjay.recall.passages import SLACK, Said
from scrubjay.recall.scope import Scope
from scrubjay.sets import distinct, union

LEXICAL: Final = TERMS.index("lexical")
THREAD: Final = TERMS.index("thread")
ANSWER: Final = TERMS.index("answer")
WHEN: Final = FACTORS.index("when")

Neighbours = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]
"""Rows to the turns before and behind them, -1 for none."""
Utility = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""Rows to their when-term, before its weight."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One query as the stages take it."""

    vector: NDArray[np.float32]
    """(d,) unit, or zeros for a query without direction."""
    context: NDArray[np.float32] | None
    """(d,) unit; None: the where-term is 0."""
    weights: NDArray[np.float64]
    """In the order of TERMS, or of FACTORS alone: then the other terms have no weight."""
    now: float
    moment: float | None = None
    """`now` by the store's clock; None: the same."""
    lexical: Lexical = NO_WORDS
    passages: Said | None = None
    """Of the scope, beside the vector; None: it has none, or what has no weight."""
    neighbours: Neighbours | None = None
    """Of the turns of conversations in the scope; None: there are none."""
    unseen: float = -np.inf
    """No row of the scope that was not scanned scores more by FACTORS; -inf: all were scanned."""
    appointed: Callable[[str], bool] | None = None
    """Whether a text appoints a time, which stays the last one when it is over; None: none does."""
    asked: Query | None = None
    """What the first hits are asked to answer; None: nobody asks them."""


class Pool(NamedTuple):
    """The candidates of one question, by score descending, then row ascending."""

    rows: NDArray[np.int64]
    parts: NDArray[np.float64]
    """(m, len(TERMS)): each term's contribution, the when-term by the pool's utility."""
    scores: NDArray[np.float64]
    bound: float
    """No row of the scope that is not here scores more; -inf where there is none."""


def moment_of(question: Question) -> float:
    """The time that is asked about by the store's clock."""
    return question.now if question.moment is None else question.moment


def with_all_terms(question: Question) -> Question:
    """A question whose weights are of FACTORS alone asks for no other term."""
    if len(question.weights) == len(TERMS):
        return question
    weights = np.zeros(len(TERMS))
    weights[: len(question.weights)] = question.weights
    return msgspec.structs.replace(question, weights=weights)


def contributions(
    columns: Columns, question: Question, rows: NDArray[np.int64], utility: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(k, len(TERMS)) float64: weight times value of every term for some rows; `utility` (k,) is their when-term."""
    parts = np.zeros((len(rows), len(TERMS)))
    w = question.weights
    vector = question.vector.astype(np.float64)
    what = columns.vectors[rows].astype(np.float64) @ vector
    if question.passages is not None:
        what = np.maximum(what, question.passages.of(columns, rows, vector))
    parts[:, 0] = w[0] * what
    if question.context is not None:
        parts[:, 1] = w[1] * (columns.where(rows).astype(np.float64) @ question.context.astype(np.float64))
    parts[:, WHEN] = w[WHEN] * utility
    if w[FIRST : len(FACTORS)].any():
        parts[:, FIRST : len(FACTORS)] = channel_parts(columns, rows, moment_of(question), w[: len(FACTORS)])
    if w[LEXICAL]:
        parts[:, LEXICAL] = w[LEXICAL] * question.lexical.of(rows)
    return parts


def _ahead(
    columns: Columns, question: Question, said: Said, utility: Utility, m: int
) -> tuple[NDArray[np.int64], float]:
    """The m rows that score most with their best passage in the place of their whole, and what the next one scores.

    Terms of EXTRA are left out, as the kernel leaves them out of its scores.
    """
    rows, w = said.rows, question.weights
    total = w[0] * said.best + w[WHEN] * utility(rows)
    if question.context is not None and w[1]:
        near = np.append(columns.contexts @ question.context, np.float32(0.0)).astype(np.float64)
        total += w[1] * (near[columns.context[rows]] + SLACK * columns.dim)
    total += channel_parts(columns, rows, moment_of(question), w[: len(FACTORS)]).sum(axis=1)
    if len(rows) <= m:
        return rows, -np.inf
    order = np.argpartition(-total, m)
    return rows[order[:m]], float(total[order[m]])


def gather(
    columns: Columns,
    question: Question,
    scope: Scope,
    best: NDArray[np.int64],
    scores: NDArray[np.float64],
    m: int,
    utility: Utility,
) -> Pool:
    """The best m rows of `scope`.

    `best` are the kernel's best rows and `scores` their scores without the terms of EXTRA, at least m of them or as
    many as the scope has.
    """
    if m < len(best):
        rest = float(scores[m])
    else:
        rest = -np.inf if len(best) >= scope.count else float(scores[-1])
    rest = max(rest, question.unseen)
    rows = best[:m]
    if question.passages is not None:
        more, next_best = _ahead(columns, question, question.passages, utility, m)
        rows = union(rows, more)
        if rest > -np.inf:
            rest = max(rest, next_best)
    words = question.lexical
    if question.weights[LEXICAL] > 0.0 and len(words.rows):
        rows = union(rows, words.rows[:m])
        if len(words.rows) > m:
            rest += question.weights[LEXICAL] * words.values[m]
    parts: NDArray[np.float64]
    if question.neighbours is None or not question.weights[THREAD] > 0.0:
        # without a weight nobody asks what age has left
        term = utility(rows) if question.weights[WHEN] else np.zeros(len(rows))
        parts = contributions(columns, question, rows, term)
    else:
        # a row that is not here has no neighbour among the rows so far, so its neighbours score no more than `rest`;
        # a where-term below 0 may hide as much of their likeness
        hidden = 0.0 if question.context is None else float(question.weights[1])
        rest += question.weights[THREAD] * max(0.0, rest + hidden) if rest > -np.inf else 0.0
        rows = _with(rows, question.neighbours(rows))
        parts = _beside(columns, question, rows, utility, question.neighbours)
    total = parts.sum(axis=1)
    order = np.lexsort((rows, -total))
    if len(order) > m:
        rest = max(rest, float(total[order[m]]))
        order = order[:m]
    return Pool(rows[order], parts[order], total[order], rest)


def joined(
    columns: Columns,
    question: Question,
    pool: Pool,
    m: int,
    rows: NDArray[np.int64],
    utility: NDArray[np.float64],
    bound: float,
) -> Pool:
    """The first m of a pool with `rows` before them, whose when-term is `utility`, for what they will take away."""
    first = np.flatnonzero(~np.isin(pool.rows[:m], rows))
    if not len(rows):
        return Pool(pool.rows[:m], pool.parts[:m], pool.scores[:m], bound)
    if question.neighbours is None or not question.weights[THREAD] > 0.0:
        parts = contributions(columns, question, rows, utility)
    else:
        term = dict(zip(rows.tolist(), utility.tolist(), strict=True))

        def known(some: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.array([term.get(row, 0.0) for row in some.tolist()])

        parts = _beside(columns, question, rows, known, question.neighbours)
    parts = np.concatenate([parts, pool.parts[first]])
    return Pool(np.concatenate([rows, pool.rows[first]]), parts, parts.sum(axis=1), bound)


def _with(rows: NDArray[np.int64], more: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.int64]:
    found = distinct(np.concatenate([rows, *more]))
    return found[found >= 0]


def _beside(
    columns: Columns, question: Question, rows: NDArray[np.int64], utility: Utility, neighbours: Neighbours
) -> NDArray[np.float64]:
    """Contributions of rising rows, the thread term too."""
    before, after = neighbours(rows)
    every = _with(rows, (before, after))
    parts = contributions(columns, question, every, utility(every))
    alike = np.append(np.maximum(0.0, parts[:, 0] + parts[:, LEXICAL]), 0.0)
    better = np.maximum(
        *(alike[np.where(beside < 0, len(every), np.searchsorted(every, beside))] for beside in (before, after))
    )
    mine = parts[np.searchsorted(every, rows)]
    mine[:, THREAD] = question.weights[THREAD] * better
    return mine
