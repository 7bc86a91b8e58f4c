"""Questions against columns: the four-factor score, exactly, with every hit taken apart.

`scoring` names the law of the when-term:

- "paper": eq. 5 of "Caching for the Future" as printed: U = V exp(-(pi age / tau)^shape) for every memory by itself.
- "competitive": a memory loses its when-term to a newer memory about the same subject and attribute, and next to
  nothing to age alone (`scrubjay.recall.competition` has the formulas). The best `m` rows by the score with U = V are
  found exactly; since U can only be smaller, the list is exact once its k-th score reaches the next row's bound, and
  `m` is doubled until it does, up to LARGEST_POOL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.codes import CODED_ROWS, WIDEST
from scrubjay.columns import CURRENT, Columns
from scrubjay.recall.channels import FIRST, weighted
from scrubjay.recall.channels import parts as channel_parts
from scrubjay.recall.competition import SlotModel, supersession, when_term
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.scope import Scope

SCORINGS: Final = ("competitive", "paper")
WHEN: Final = FACTORS.index("when")
SKEW: Final = 60.0
"""Seconds by which a memory may be ahead of `now` and still count as known: clocks differ (chosen)."""
FIRST_POOL: Final = 32
"""Fewest candidates among which competitors are looked for (chosen)."""
LARGEST_POOL: Final = 256
"""Most memories among which competitors are looked for (chosen): a list that needs more says that it is not exact."""

Texts = Callable[[NDArray[np.int64]], Sequence[str]]
"""Rows to the texts of their memories."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One query as the kernel takes it."""

    vector: NDArray[np.float32]
    """(d,) unit, or zeros for a query without direction."""
    context: NDArray[np.float32] | None
    """(d,) unit; None: the where-term is 0."""
    weights: NDArray[np.float64]
    """(8,) in the order of FACTORS."""
    now: float
    moment: float | None = None
    """`now` by the store's clock; None: the same."""


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that answer one question, best first."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    contributions: NDArray[np.float64]
    """(k, 8) in the order of FACTORS; each row sums to its score."""
    valid: NDArray[np.float64]
    superseded: NDArray[np.float64]
    plan: str
    exact: bool


def rank(
    columns: Columns,
    questions: Sequence[Question],
    k: int,
    *,
    scope: Scope,
    scoring: str,
    texts: Texts,
    slots: SlotModel | None,
) -> list[Ranked]:
    """The k best rows of `scope` for each question, by score descending, then row ascending."""
    if not questions:
        return []
    if not scope.count:
        return [_nothing() for _ in questions]
    if scoring == "paper" or slots is None:
        rows, _, counts, plan = _scan(columns, questions, k, scope, timeless=False)
        return [
            _apart(columns, q, rows[i, :c], None, plan, True)
            for i, (q, c) in enumerate(zip(questions, counts.tolist(), strict=True))
        ]
    return _compete(columns, questions, k, scope, texts, slots)


def _scan(
    columns: Columns, questions: Sequence[Question], k: int, scope: Scope, *, timeless: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], str]:
    """One exact pass of the kernel over all questions: rows, scores, counts and the name of its plan."""
    contexts = None
    if any(q.context is not None for q in questions) and len(columns.contexts):
        contexts = np.stack(
            [q.context if q.context is not None else np.zeros(columns.dim, np.float32) for q in questions]
        )
    terms: dict[str, Any] = (
        {"utility": columns.value}
        if timeless
        else {
            "value": columns.value,
            "pi": columns.pi,
            "tau": columns.tau,
            "shape": columns.shape,
            "when": columns.when,
            "now": np.array([q.now for q in questions]),
        }
    )
    if scope.count >= CODED_ROWS and columns.dim <= WIDEST:
        terms["what_codes"] = columns.codes()
    weights = np.stack([q.weights for q in questions])
    terms |= weighted(columns, scope.rows, _moment(questions[0]), weights)
    if contexts is not None:
        terms |= {"contexts": contexts, "where": columns.contexts, "where_index": columns.context}
    return _core.rank(
        np.stack([q.vector for q in questions]),
        columns.what,
        weights,
        min(k, scope.count),
        live=scope.live,
        rows=scope.rows,
        plan=True,
        **terms,
    )


def _compete(
    columns: Columns, questions: Sequence[Question], k: int, scope: Scope, texts: Texts, slots: SlotModel
) -> list[Ranked]:
    done: list[Ranked | None] = [None] * len(questions)
    todo = list(range(len(questions)))
    pool = max(FIRST_POOL, 2 * k)
    while todo:
        rows, bounds, counts, plan = _scan(columns, [questions[i] for i in todo], pool, scope, timeless=True)
        left = []
        for at, i in enumerate(todo):
            count = int(counts[at])
            final = count < pool or count >= scope.count or pool >= max(LARGEST_POOL, k)
            answer = _settle(columns, questions[i], k, rows[at, :count], bounds[at, :count], texts, slots, plan)
            reached = len(answer.rows) < k or answer.scores[-1] >= bounds[at, count - 1]
            if final or reached:
                proved = count <= LARGEST_POOL and (reached or count >= scope.count)
                done[i] = answer if proved == answer.exact else msgspec.structs.replace(answer, exact=proved)
            else:
                left.append(i)
        todo, pool = left, 2 * pool
    return [answer for answer in done if answer is not None]


def _settle(
    columns: Columns,
    question: Question,
    k: int,
    rows: NDArray[np.int64],
    bounds: NDArray[np.float64],
    texts: Texts,
    slots: SlotModel,
    plan: str,
) -> Ranked:
    """The k best of `rows` once each has lost to its newer competitors among them."""
    if not len(rows):
        return _nothing()
    rivals = rows[:LARGEST_POOL]
    when = columns.when[rivals]
    same = slots.same_slot(texts(rivals), columns.what[rivals])
    known = question.now + SKEW
    # what is about a later time than the one asked about yields to whatever states the same thing by then
    past = np.where(when <= known, when, -np.inf)
    lost = _taken(columns, rows).astype(np.float64)
    lost[: len(rivals)] = np.maximum(lost[: len(rivals)], supersession(same, past, known))
    value = columns.value[rows].astype(np.float64)
    term = when_term(value, lost, validity(columns, rows, question.now))
    scores = bounds + question.weights[WHEN] * (term - value)
    order = np.lexsort((rows, -scores))[:k]
    return _apart(columns, question, rows[order], (term[order], lost[order]), plan, True)


def _apart(
    columns: Columns,
    question: Question,
    rows: NDArray[np.int64],
    competition: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    plan: str,
    exact: bool,
) -> Ranked:
    """Contributions and validity of the rows that are returned, in float64."""
    held = validity(columns, rows, question.now)
    what = columns.what[rows].astype(np.float64) @ question.vector.astype(np.float64)
    parts = np.zeros((len(rows), len(FACTORS)))
    parts[:, 0] = question.weights[0] * what
    if question.context is not None:
        parts[:, 1] = question.weights[1] * (
            columns.where(rows).astype(np.float64) @ question.context.astype(np.float64)
        )
    lost = _taken(columns, rows).astype(np.float64)
    if competition is None:
        term = columns.value[rows].astype(np.float64) * held
    else:
        term, lost = competition
    parts[:, WHEN] = question.weights[WHEN] * term
    parts[:, FIRST:] = channel_parts(columns, rows, _moment(question), question.weights)
    total = parts.sum(axis=1)
    order = np.lexsort((rows, -total))
    return Ranked(
        rows=rows[order],
        scores=total[order],
        contributions=parts[order],
        valid=(held * (1.0 - lost))[order],
        superseded=lost[order],
        plan=plan,
        exact=exact,
    )


def _moment(question: Question) -> float:
    return question.now if question.moment is None else question.moment


def _taken(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(k,): True for memories that an integration has superseded for good."""
    taken: NDArray[np.bool_] = (columns.flags[rows] & CURRENT) == 0
    return taken


def validity(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,) float64 in [0, 1]: U / V of eq. 3 for each row at `now`; an age below 0 counts as 0."""
    age = np.maximum(0.0, now - columns.when[rows])
    pace = columns.pi[rows].astype(np.float64) * age / columns.tau[rows].astype(np.float64)
    return np.exp(-(pace ** columns.shape[rows].astype(np.float64)))


def _nothing() -> Ranked:
    none = np.empty(0)
    return Ranked(
        rows=np.empty(0, np.int64),
        scores=none,
        contributions=np.empty((0, len(FACTORS))),
        valid=none,
        superseded=none,
        plan="empty",
        exact=True,
    )
