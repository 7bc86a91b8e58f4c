"""One exact pass of the ranking kernel over the rows of a scope, or over each question's own candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.codes import CODED_ROWS, WIDEST
from scrubjay.columns import Columns
from scrubjay.dynamics.term import aged
from scrubjay.recall.channels import FIRST, channels_of, weighted
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.pool import WHEN, Question, moment_of
from scrubjay.recall.scope import Scope

TOGETHER: Final = 64
"""Questions whose candidates are copied at once (chosen)."""


def scan(
    columns: Columns, questions: Sequence[Question], k: int, scope: Scope, *, timeless: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], str]:
    """One exact pass of the kernel over all questions, which ask of one time: rows, scores, counts, the plan's name."""
    contexts = None
    if any(q.context is not None for q in questions) and len(columns.contexts):
        contexts = np.stack(
            [q.context if q.context is not None else np.zeros(columns.dim, np.float32) for q in questions]
        )
    terms: dict[str, Any] = {"utility": columns.value}
    if not timeless:
        value, when = aged(columns, questions[0].now)
        terms = {"value": value, "when": when, "pi": columns.pi, "tau": columns.tau, "shape": columns.shape}
        terms["now"] = np.array([q.now for q in questions])
    if scope.count >= CODED_ROWS and columns.dim <= WIDEST:
        terms["what_codes"] = columns.codes()
    weights = stacked([q.weights[: len(FACTORS)] for q in questions])
    terms |= weighted(columns, scope.rows, moment_of(questions[0]), weights)
    if contexts is not None:
        terms |= {"contexts": contexts, "where": columns.contexts, "where_index": columns.context}
    touched = None if columns.settled else np.zeros(len(columns), np.uint8)
    found = _core.rank(
        stacked([q.vector for q in questions]),
        columns.raw,
        weights,
        min(k, scope.count),
        live=scope.live,
        rows=scope.rows,
        touched=touched,
        plan=True,
        **terms,
    )
    if touched is not None:
        # with codes only the rows that were scored exactly were read, without them all of the scope
        coded = "what_codes" in terms and found[3].startswith(("sieve", "tile+codes"))
        columns.scanned(np.flatnonzero(touched) if coded else scope.rows)
    return found


def alike(
    columns: Columns, question: Question, vector: NDArray[np.float32], scope: Scope, count: int
) -> NDArray[np.int64]:
    """At most `count` rows of a scope, most like a unit vector (d,) first, by the time that a question asks about."""
    likeness = np.zeros(len(question.weights))
    likeness[0] = 1.0
    like = Question(vector=vector, context=None, weights=likeness, now=question.now, moment=question.moment)
    rows, _, counts, _ = scan(columns, [like], count, scope, timeless=True)
    found: NDArray[np.int64] = rows[0][: int(counts[0])]
    return found


def scan_each(
    columns: Columns, questions: Sequence[Question], k: int, each: Sequence[NDArray[np.int64]], *, timeless: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """One exact pass over the given rows of each question: what `scan` gives of them, at the cost of these rows alone.

    Rows that several questions have are copied for each, of `TOGETHER` questions at a time.
    """
    if len(each) > TOGETHER:
        parts = [
            scan_each(columns, questions[i : i + TOGETHER], k, each[i : i + TOGETHER], timeless=timeless)
            for i in range(0, len(each), TOGETHER)
        ]
        width = max(part[0].shape[1] for part in parts)
        return (
            np.concatenate([_widened(part[0], width, -1) for part in parts]),
            np.concatenate([_widened(part[1], width, -np.inf) for part in parts]),
            np.concatenate([part[2] for part in parts]),
        )
    rows = each[0] if len(each) == 1 else np.concatenate(each)
    weights = stacked([q.weights[: len(FACTORS)] for q in questions])
    terms: dict[str, Any] = {}
    if timeless:
        terms["utility"] = columns.value[rows]
    elif weights[:, WHEN].any():
        terms = {name: getattr(columns, name)[rows] for name in ("pi", "tau", "shape")}
        terms["value"], terms["when"] = aged(columns, questions[0].now, rows)
        terms["now"] = np.array([q.now for q in questions])
    if weights[:, FIRST:].any():
        terms |= channels_of(columns, rows, moment_of(questions[0]))
    if any(q.context is not None for q in questions) and len(columns.contexts):
        none = np.zeros(columns.dim, np.float32)
        terms["contexts"] = stacked([none if q.context is None else q.context for q in questions])
        terms["where"] = columns.where(rows)
    if len(each) > 1:
        terms["rows"] = np.arange(len(rows))
        terms["parts"] = np.cumsum([0, *map(len, each)])
    vectors = stacked([q.vector for q in questions])
    found, scores, counts = _core.rank(vectors, columns.vectors[rows], weights, max(1, min(k, len(rows))), **terms)
    return rows[found] if len(rows) else found, scores, counts


def _widened(some: NDArray[Any], width: int, empty: float) -> NDArray[Any]:
    return np.pad(some, ((0, 0), (0, width - some.shape[1])), constant_values=empty)


def stacked(some: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Stacked; one is not copied."""
    return some[0][None] if len(some) == 1 else np.stack(some)
