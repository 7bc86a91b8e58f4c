"""The what-term of long memories: a memory is as near to a query as the nearest of its whole and its passages.

    what(m, q) = max(q . e_m, max over its passages p of q . e_p)

Every passage of the scope is compared with the query, so nothing is left to chance: a memory's score with its best
passage in the place of its whole is exact, and the best m of these join the candidates (`recall.pool`). Memories
without passages cost nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.columns import Columns
from scrubjay.passages import places
from scrubjay.recall.scope import Scope

CHUNK: Final = 1 << 14
"""Passages that are gathered at once where a scope holds few of those there are."""
SHARE: Final = 0.5
"""From this share of all passages on, reading all of them beats gathering (chosen)."""
SLACK: Final = 2.0**-24
"""Error of a product in float32, a number of the vectors."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """The passages of one scope beside one query."""

    rows: NDArray[np.int64]
    """Rows of the scope that have passages, ascending."""
    first: NDArray[np.int64]
    """Where each row's passages begin in `likeness` and `at`; one more than there are rows."""
    at: NDArray[np.int64]
    """Number of each passage in `Columns.passages`."""
    likeness: NDArray[np.float32]
    """q . e_p of each, in [-1, 1]."""
    best: NDArray[np.float64]
    """No passage of the row is nearer to the query."""

    def places_of(self, row: int) -> slice:
        """Where a row's passages lie in `likeness` and `at`; an empty slice where it has none."""
        i = int(np.searchsorted(self.rows, row))
        if i == len(self.rows) or self.rows[i] != row:
            return slice(0, 0)
        return slice(int(self.first[i]), int(self.first[i + 1]))

    def of(self, columns: Columns, rows: NDArray[np.int64], query: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k,) float64: likeness of each row's nearest passage in double precision, -inf where it has none."""
        out = np.full(len(rows), -np.inf)
        if not len(self.rows):
            return out
        i = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        mine = np.flatnonzero(self.rows[i] == rows)
        if not len(mine):
            return out
        i = i[mine]
        count = self.first[i + 1] - self.first[i]
        at = places(self.first[i], count)
        # which is the nearest is known but for rounding
        near = np.flatnonzero(self.likeness[at] >= np.repeat(self.best[i] - 2.0 * SLACK * columns.dim, count))
        exact = columns.passages.what[self.at[at[near]]].astype(np.float64) @ query
        np.maximum.at(out, np.repeat(mine, count)[near], exact)
        return out


def compare(columns: Columns, scope: Scope, queries: Sequence[NDArray[np.float32]]) -> list[Said] | None:
    """All passages of a scope beside each query; None where it has none."""
    passages = columns.passages
    if not len(passages):
        return None
    rows, first, count = columns.passage_rows()
    inside = np.flatnonzero(scope.holds(rows)) if len(rows) else rows
    if not len(inside):
        return None
    rows, first, count = rows[inside], first[inside], count[inside]
    at = places(first, count)
    starts = np.concatenate([[0], np.cumsum(count)])
    slack = SLACK * columns.dim
    out = []
    for likeness in _products(passages.what, at, queries):
        best = np.maximum.reduceat(likeness, starts[:-1]).astype(np.float64) + slack
        out.append(Said(rows=rows, first=starts, at=at, likeness=likeness, best=best))
    return out


def telling(
    text: str, spans: NDArray[np.int32], likeness: NDArray[np.float64], words: Sequence[str], share: float
) -> int:
    """Which passage of a text says it: the one that is nearest and has most of the words.

    `likeness` counts as it is, words by their rarity among the passages, `share` for all that any passage has. Words
    are looked for as parts of words, in folded case.

    >>> spans, alike = np.array([[0, 12], [13, 25]], np.int32), np.array([0.5, 0.4])
    >>> telling("Tea is green. Code is ZX-7.", spans, alike, ["zx"], 0.6), telling("", spans, alike, [], 0.6)
    (1, 0)
    """
    score = likeness.astype(np.float64)
    if words and share > 0.0:
        folded = [text[a:b].casefold() for a, b in spans.tolist()]
        has = np.array([[word in part for word in words] for part in folded], np.float64)
        found = has @ np.log1p(len(folded) / np.maximum(has.sum(axis=0), 1.0))
        if found.max() > 0.0:
            score = score + share * found / found.max()
    return int(np.argmax(score))


def _products(
    what: NDArray[np.float32], at: NDArray[np.int64], queries: Sequence[NDArray[np.float32]]
) -> list[NDArray[np.float32]]:
    """The product of some rows with each query."""
    if len(at) >= SHARE * len(what):
        return [np.asarray(_core.dot(what, query))[at] for query in queries]
    out = [np.empty(len(at), np.float32) for _ in queries]
    for start in range(0, len(at), CHUNK):
        part = what[at[start : start + CHUNK]]
        for i, query in enumerate(queries):
            out[i][start : start + CHUNK] = _core.dot(part, query)
    return out
