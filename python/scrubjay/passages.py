"""The passages of long memories: a vector and a span of characters for each, beside the columns.

A memory's passages lie side by side, in the order of its text; those of different memories in the order in which they
were learned or changed. They are found by the memory's key, so that no move of rows touches them. `scrubjay.fold` is
the only writer.

>>> passages = Passages(dim=2)
>>> passages.put(7, np.array([[0, 9], [10, 20]]), np.eye(2, dtype=np.float32))
>>> passages.of(7)[0].tolist(), len(passages)
([[0, 9], [10, 20]], 2)
>>> passages.drop([7])
>>> len(passages)
0
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

WASTE: Final = 1024
"""Passages of memories that are gone are squeezed out when they are more than this and more than a quarter of all."""


class Table(NamedTuple):
    """Which memories have passages, by rising key; memory i has `size[i]` passages from `first[i]` on."""

    key: NDArray[np.int64]
    first: NDArray[np.int64]
    size: NDArray[np.int64]


class Passages:
    """Growable; `version` rises with every change."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.version = 0
        self._n = 0
        self._dead = 0
        self._what: NDArray[np.float32] = np.empty((0, dim), np.float32)
        self._span: NDArray[np.int32] = np.empty((0, 2), np.int32)
        self._groups: dict[int, tuple[int, int]] = {}
        self._table: tuple[int, Table] | None = None

    def __len__(self) -> int:
        """Number of passages."""
        return self._n - self._dead

    @property
    def what(self) -> NDArray[np.float32]:
        """(P, dim) float32: unit rows, also of passages that are gone; `table` says whose they are."""
        return self._what[: self._n]

    @property
    def span(self) -> NDArray[np.int32]:
        """(P, 2) int32: where each begins and ends in its text, in characters."""
        return self._span[: self._n]

    @property
    def nbytes(self) -> int:
        """Bytes held, slack included."""
        return int(self._what.nbytes + self._span.nbytes)

    def table(self) -> Table:
        """The memories that have passages."""
        held = self._table
        if held is None or held[0] != self.version:
            n = len(self._groups)
            key = np.fromiter(self._groups, np.int64, n)
            at = np.array(list(self._groups.values()), np.int64).reshape(n, 2)
            order = np.argsort(key, kind="stable")
            held = (self.version, Table(key[order], at[order, 0], at[order, 1]))
            self._table = held
        return held[1]

    def of(self, key: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Spans (k, 2) and vectors (k, dim) of one memory's passages."""
        first, count = self._groups.get(key, (0, 0))
        return self._span[first : first + count], self._what[first : first + count]

    def put(self, key: int, span: NDArray[Any], what: NDArray[np.float32]) -> None:
        """These are a memory's passages now, in the place of those it had."""
        self.drop([key])
        count = len(what)
        if not count:
            return
        self._reserve(self._n + count)
        self._what[self._n : self._n + count] = what
        self._span[self._n : self._n + count] = span
        self._groups[key] = (self._n, count)
        self._n += count
        self.version += 1

    def drop(self, keys: Iterable[int]) -> None:
        """Those memories have no passages any more."""
        if not self._groups:
            return
        gone = [self._groups.pop(key) for key in keys if key in self._groups]
        if not gone:
            return
        self._dead += sum(count for _, count in gone)
        self.version += 1
        if self._dead > WASTE and self._dead > self._n // 4:
            self._squeeze()

    def _squeeze(self) -> None:
        what, span, groups, n = self._what, self._span, self._groups, 0
        size = self._n - self._dead
        self._what, self._span = np.empty((size, self.dim), np.float32), np.empty((size, 2), np.int32)
        self._groups = {}
        for key, (first, count) in sorted(groups.items()):
            self._what[n : n + count] = what[first : first + count]
            self._span[n : n + count] = span[first : first + count]
            self._groups[key] = (n, count)
            n += count
        self._n, self._dead = n, 0
        self.version += 1

    def _reserve(self, n: int) -> None:
        if n <= len(self._what):
            return
        capacity = max(n, len(self._what) + len(self._what) // 2, 64)
        what, span = np.empty((capacity, self.dim), np.float32), np.empty((capacity, 2), np.int32)
        what[: self._n], span[: self._n] = self._what[: self._n], self._span[: self._n]
        self._what, self._span = what, span

    def batches(
        self, most: int = 1 << 15
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]]:
        """All passages by rising key, in batches of about `most`: (key of each, spans, vectors)."""
        table = self.table()
        start = 0
        while start < len(table.key):
            total = np.cumsum(table.size[start : start + most])
            stop = start + max(1, int(np.searchsorted(total, most, side="right")))
            at = places(table.first[start:stop], table.size[start:stop])
            yield np.repeat(table.key[start:stop], table.size[start:stop]), self._span[at], self._what[at]
            start = stop

    def digest(self) -> bytes:
        """SHA-256 over keys, spans and vectors; b"" where there are none."""
        if not len(self):
            return b""
        h = hashlib.sha256()
        for part in self.batches():
            for array in part:
                h.update(np.ascontiguousarray(array).view(np.uint8).data)
        return h.digest()


def places(first: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers first[i], ..., first[i] + count[i] - 1 of every i, one behind the other.

    >>> places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(count)
    out: NDArray[np.int64] = np.repeat(first - (ends - count), count)
    out += np.arange(len(out), dtype=np.int64)
    return out


def packed(span: Sequence[tuple[int, int]], what: NDArray[np.float32]) -> tuple[bytes, bytes]:
    """Spans and vectors as the bytes of an event."""
    return np.asarray(span, "<i4").reshape(-1, 2).tobytes(), what.astype("<f4").tobytes()


def unpacked(spans: bytes, vectors: bytes, dim: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The reverse of `packed`. Raises ValueError where the two do not fit."""
    span = np.frombuffer(spans, "<i4").reshape(-1, 2)
    what = np.frombuffer(vectors, "<f4").reshape(-1, dim)
    if len(span) != len(what):
        raise ValueError(f"{len(span)} spans for {len(what)} vectors")
    return span, what
