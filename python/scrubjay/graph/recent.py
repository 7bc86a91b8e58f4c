"""Where neighbours of a new memory are looked for: a bounded number of rows, whatever the size of the store.

Three lists a namespace: its newest rows, the newest rows of each context, and the newest rows of each bucket of similar
vectors (signs of random projections, centred on what is stored). A namespace of up to `WINDOW` memories lies in the
first list whole, so that its neighbours are exact. Nothing here is state: edges are events once they are made.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.sets import distinct

WINDOW: Final = 1024
"""Newest rows of a namespace that every new memory is compared with (chosen)."""
MATES: Final = 32
"""Newest rows of its context (chosen)."""
BITS: Final = 12
TABLES: Final = 2
FLIPS: Final = 4
"""A memory looks into its bucket of each table, and into those that differ in one of its `FLIPS` least sure bits."""
BUCKET: Final = 32
"""Newest rows of a bucket (chosen)."""
_SAMPLE: Final = 4096


class Recent:
    """The lists over growing columns. Not safe for threads by itself: the caller holds a lock, and the gate."""

    def __init__(self) -> None:
        self._generation = -1
        self._n = 0
        self._built = 0
        self._newest: dict[int, list[int]] = {}
        self._counts: dict[int, int] = {}
        self._mates: dict[tuple[int, int], list[int]] = {}
        self._buckets: dict[int, list[int]] = {}
        self._planes: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self._middle: NDArray[np.float32] = np.empty(0, np.float32)

    def update(self, columns: Columns) -> None:
        """Take in the rows that came since the last call; everything again when rows moved or doubled."""
        n = len(columns)
        if columns.generation != self._generation or n > max(2 * self._built, WINDOW):
            self._begin(columns)
        if n > self._n:
            self._take(columns, self._n, n)
            self._n = n

    def window(self, space: int) -> NDArray[np.int64]:
        """The newest rows of a namespace, oldest first."""
        return np.array(self._newest.get(space, ())[-WINDOW:], np.int64)

    def whole(self, space: int) -> bool:
        """True when `window` holds every row of the namespace."""
        return self._counts.get(space, 0) <= WINDOW

    def mates(self, space: int, context: int) -> list[int]:
        """The newest rows of a context."""
        return self._mates.get((space, context), [])[-MATES:]

    def similar(self, space: int, vectors: NDArray[np.float32], *, wide: bool = True) -> list[NDArray[np.int64]]:
        """For each vector the newest rows of the buckets in which its like may lie; of its own alone unless `wide`."""
        if not len(self._middle):
            return [np.empty(0, np.int64)] * len(vectors)
        marks = (vectors - self._middle) @ self._planes
        out = []
        for mark in marks.reshape(-1, TABLES, BITS):
            rows: list[int] = []
            for table in range(TABLES):
                code = _codes(mark[table][None])[0]
                unsure = np.argpartition(np.abs(mark[table]), FLIPS)[:FLIPS].tolist() if wide else ()
                for probe in (int(code), *(int(code) ^ (1 << bit) for bit in unsure)):
                    rows += self._buckets.get(_name(space, table, probe), [])[-BUCKET:]
            out.append(distinct(np.array(rows, np.int64)))
        return out

    def _begin(self, columns: Columns) -> None:
        n = len(columns)
        self._generation, self._n, self._built = columns.generation, 0, n
        self._newest, self._counts, self._mates, self._buckets = {}, {}, {}, {}
        self._middle = np.empty(0, np.float32)
        if n > WINDOW:
            rng = np.random.default_rng(columns.dim)
            self._planes = rng.standard_normal((columns.dim, TABLES * BITS)).astype(np.float32)
            self._middle = columns.vectors[:: max(1, n // _SAMPLE)].mean(axis=0)

    def _take(self, columns: Columns, start: int, stop: int) -> None:
        space = columns.space[start:stop].astype(np.int64)
        rows = np.arange(start, stop)
        for name, part in _groups(space, rows):
            self._counts[name] = self._counts.get(name, 0) + int(part.size)
            _extend(self._newest, name, part, WINDOW)
        known = columns.context[start:stop] >= 0
        context = columns.context[start:stop][known].astype(np.int64)
        for name, part in _groups((space[known] << 32) | context, rows[known]):
            _extend(self._mates, (name >> 32, name & 0xFFFFFFFF), part, MATES)
        if not len(self._middle):
            return
        for at in range(start, stop, 1 << 15):
            end = min(at + (1 << 15), stop)
            marks = (columns.vectors[at:end] - self._middle) @ self._planes
            for table in range(TABLES):
                codes = _codes(marks[:, table * BITS : (table + 1) * BITS])
                names = (space[at - start : end - start] << 16) | (table << BITS) | codes
                for name, part in _groups(names, rows[at - start : end - start]):
                    _extend(self._buckets, name, part, BUCKET)


def _codes(marks: NDArray[Any]) -> NDArray[np.int64]:
    """(n,) the signs of (n, BITS) numbers as bits."""
    codes: NDArray[np.int64] = (marks > 0) @ (1 << np.arange(BITS, dtype=np.int64))
    return codes


def _name(space: int, table: int, code: int) -> int:
    return (space << 16) | (table << BITS) | code


def _groups(names: NDArray[np.int64], rows: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
    """(name, its rows ascending) of each name."""
    if not len(names):
        return []
    if len(names) == 1:
        return [(int(names[0]), rows)]
    order = np.argsort(names, kind="stable")
    unique, starts = np.unique(names[order], return_index=True)
    return list(zip(unique.tolist(), np.split(rows[order], starts[1:]), strict=True))


def _extend(lists: dict[Any, list[int]], name: Any, rows: NDArray[np.int64], most: int) -> None:
    held = lists.setdefault(name, [])
    held += rows[-most:].tolist()
    if len(held) > 2 * most:
        del held[:-most]
