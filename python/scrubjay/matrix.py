"""Rows of one width that grow in memory; the first of them may lie in a segment file that is mapped, not read.

A segment file (`scrubjay.store.segment` writes it) is never written again. Its bytes are checked by blocks against
checksums that were verified when it was opened, a block when one of its rows is first looked at. What is written to a
mapped row stays this process's own. A file that is shortened or written to all the same is noticed: a read beyond its
end gives zeros (no signal ends the process), and `Segment.lost` says so before an answer is given.

>>> matrix = Matrix(2, np.float32)
>>> matrix.put(0, np.eye(2, dtype=np.float32))
>>> matrix.all(2).tolist(), matrix.first(1)[:].tolist()
([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0]])
"""

from __future__ import annotations

import os
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from scrubjay import _core
from scrubjay.errors import SegmentError
from scrubjay.sets import distinct

ALIGNMENT: Final = 64
BLOCK: Final = 1 << 16
"""Bytes that share a checksum (chosen: a cold search of a million rows looks at some hundred scattered ones)."""
_SHARE: Final = 1 << 8
"""Blocks from which on several threads check."""
_THREADS: Final = 4

Int = NDArray[np.int64]


def aligned(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An uninitialised C-contiguous array whose first byte lies on a 64-byte boundary."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    raw = np.empty(size + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size].view(dtype).reshape(shape)


def sealed(view: NDArray[Any]) -> NDArray[Any]:
    """The view, not to be written through."""
    view.flags.writeable = False
    return view


def wrong_blocks(data: NDArray[np.uint8], sums: NDArray[np.uint32], blocks: Int) -> list[int]:
    """Which of some blocks of `data` do not have the CRC-32 that they should.

    >>> data = np.zeros(BLOCK + 5, np.uint8)
    >>> sums = np.array([zlib.crc32(data[:BLOCK]), 1], np.uint32)
    >>> wrong_blocks(data, sums, np.arange(2))
    [1]
    """

    def wrong(some: Int) -> list[int]:
        room = data.data
        return [b for b in some.tolist() if zlib.crc32(room[b * BLOCK : (b + 1) * BLOCK]) != sums[b]]

    workers = min(_THREADS, os.cpu_count() or 1)
    if len(blocks) < _SHARE or workers < 2:
        return wrong(blocks)
    with ThreadPoolExecutor(workers) as pool:
        return [b for part in pool.map(wrong, np.array_split(blocks, workers)) for b in part]


class Segment:
    """An open segment file, of which it is known whether it is still what was opened."""

    def __init__(self, file: int, name: str) -> None:
        self.name = name
        self._file = os.dup(file)
        self._lost = ""
        self.broken = False
        """A block was found that does not match its checksum."""
        self._regions: list[_core.Region] = []
        self._was = self._now()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; what is mapped stays until nobody looks at it any more."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def size(self) -> int:
        """Bytes of the file when it was opened."""
        return self._was[0]

    @property
    def lost(self) -> str:
        """Why what was read cannot be trusted, "" while it can. Costs a system call."""
        if not self._lost:
            if any(region.lost for region in self._regions):
                self._lost = "it was shortened, or could not be read"
            elif self._file >= 0 and self._now() != self._was:
                self._lost = "it was written to or shortened after it was opened"
        return self._lost

    def lose(self, reason: str) -> SegmentError:
        """From now on it is lost, and broken; returns what to raise."""
        self.broken = True
        self._lost = self._lost or reason
        return self.error()

    def error(self) -> SegmentError:
        """What a caller is told of a lost file."""
        return SegmentError(
            f"{self.name}: {self._lost}; no answer and no event rests on it. Call again: the store then goes on "
            "from its log"
        )

    def map(self, offset: int, size: int, capacity: int) -> _core.Region:
        """Bytes of the file as memory, with room behind them."""
        region = _core.Region(self._file, offset, size, capacity)
        self._regions.append(region)
        return region

    def unmapped(self, region: _core.Region) -> None:
        """A region that is no longer looked at."""
        self._regions = [one for one in self._regions if one is not region]

    def arm(self) -> None:
        """Before reading: see that a signal of a lost page would come to us."""
        _core.arm()

    def _now(self) -> tuple[int, int]:
        # of a file that another one has replaced, or that was removed, neither changes
        held = os.fstat(self._file)
        return held.st_size, held.st_mtime_ns


class _Part:
    """The rows of a matrix that lie in a segment file."""

    def __init__(self, segment: Segment, offset: int, size: int, sums: NDArray[np.uint32]) -> None:
        self.segment = segment
        self.offset, self.size, self.sums = offset, size, sums
        self.checked = np.zeros(len(sums), np.bool_)
        self.changed = np.zeros(len(sums), np.bool_)
        self.whole = not len(sums)
        self.region: _core.Region | None = None

    def map(self, capacity: int) -> NDArray[np.uint8]:
        """Its bytes anew, with room behind them; what was changed is not in them."""
        before = self.region
        self.region = self.segment.map(self.offset, self.size, capacity)
        if before is not None:
            self.segment.unmapped(before)
        return self.region.bytes()

    def blocks(self, first: Int, last: Int) -> Int:
        """Those not yet checked of the blocks that the bytes [first, last] of each of some rows lie in."""
        low, high = first // BLOCK, last // BLOCK
        reach = int((high - low).max(initial=0)) + 1
        wanted = distinct(np.minimum(low[:, None] + np.arange(reach), high[:, None]))
        todo: Int = wanted[~self.checked[wanted]]
        return todo

    def check(self, data: NDArray[np.uint8], blocks: Int) -> None:
        """Raise SegmentError unless the blocks are what was written."""
        wrong = wrong_blocks(data[: self.size], self.sums, blocks)
        if wrong:
            raise self.segment.lose(f"block {wrong[0]} of those at byte {self.offset} does not match its checksum")
        self.checked[blocks] = True
        self.whole = bool(self.checked.all())


class Matrix:
    """Rows of `width` values that grow; `put` and `writable` need the writer's lock, all else may run side by side.

    What was given out stays valid: growing and squeezing allocate anew.
    """

    def __init__(self, width: int, dtype: DTypeLike, capacity: int = 0) -> None:
        self.width, self.dtype = width, np.dtype(dtype)
        self._rows: NDArray[Any] = aligned((capacity, width), dtype)
        self._part: _Part | None = None

    @classmethod
    def mapped(
        cls,
        segment: Segment,
        offset: int,
        rows: int,
        width: int,
        dtype: DTypeLike,
        sums: NDArray[np.uint32],
        capacity: int,
    ) -> Matrix:
        """`rows` rows that lie at `offset` of a segment file whose blocks have these checksums."""
        matrix = cls(width, dtype)
        if rows:
            part = _Part(segment, offset, rows * matrix.stride, sums)
            matrix._rows = matrix._shaped(part.map(max(capacity, rows) * matrix.stride))
            matrix._part = part
        return matrix

    @property
    def stride(self) -> int:
        """Bytes of a row."""
        return self.width * self.dtype.itemsize

    @property
    def capacity(self) -> int:
        """Rows that there is room for."""
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory, slack included and mapped ones not."""
        return int(self._rows.nbytes) - self.mapped_bytes

    @property
    def mapped_bytes(self) -> int:
        """Bytes that are mapped from a file."""
        return 0 if self._part is None or self._part.region is None else self._part.region.size

    @property
    def resident_bytes(self) -> int:
        """How many of those lie in memory now."""
        return 0 if self._part is None or self._part.region is None else self._part.region.resident()

    @property
    def settled(self) -> bool:
        """True when all rows are in memory or checked."""
        return self._part is None or self._part.whole

    def first(self, n: int) -> Rows:
        """The first n rows, checked as they are looked at."""
        return Rows(self, n)

    def all(self, n: int) -> NDArray[Any]:
        """(n, width): the first n rows, all of them checked."""
        self.check()
        return self.unchecked(n)

    def unchecked(self, n: int) -> NDArray[Any]:
        """(n, width): the first n rows, for who calls `check` for what was read before an answer is given."""
        return sealed(self._rows[:n])

    def check(self, rows: Int | slice | None = None) -> None:
        """Raise SegmentError unless these rows, by default all, are what was written. A block is checked once."""
        part = self._part
        if part is None or part.whole:
            return
        held = part.size // self.stride
        if rows is None:
            blocks = np.flatnonzero(~part.checked)
        elif isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(held)
            one = np.array([start * self.stride]), np.array([stop * self.stride - 1])
            blocks = part.blocks(*one) if start < stop else np.empty(0, np.int64)
        else:
            at = np.arange(held)[rows] if isinstance(rows, slice) else np.asarray(rows, np.int64)
            at = at[at < held] * self.stride
            blocks = part.blocks(at, at + self.stride - 1)
        if len(blocks):
            part.segment.arm()
            part.check(self._bytes(), blocks)

    def put(self, first: int, values: NDArray[Any]) -> None:
        """Rows first, first + 1, .. behind those that are there."""
        self.reserve(first, first + len(values))
        self._rows[first : first + len(values)] = values

    def writable(self, n: int, rows: Int) -> NDArray[Any]:
        """(n, width): the first n rows, of which these may be written."""
        self.check(rows)
        part = self._part
        if part is not None and part.region is not None:
            at = rows[rows * self.stride < part.size] * self.stride
            if len(at):
                part.region.let_write()
                for edge in (at, at + self.stride - 1):
                    part.changed[edge // BLOCK] = True
                if self.stride > BLOCK:
                    part.changed[:] = True
        return self._rows[:n]

    def reserve(self, used: int, rows: int, *, least: int = 16) -> None:
        """Make room for so many rows, of which `used` are there; a half more than needed where that is a step."""
        if rows > self.capacity:
            self.grow(used, max(rows, self.capacity + self.capacity // 2, least))

    def grow(self, used: int, capacity: int) -> None:
        """Room for exactly so many rows, of which `used` are there."""
        part, before = self._part, self._rows
        if part is None:
            fresh = aligned((capacity, self.width), self.dtype)
            fresh[:used] = before[:used]
            self._rows = fresh
            return
        old = self._bytes()
        data = part.map(capacity * self.stride)
        changed = np.flatnonzero(part.changed)
        if len(changed) and part.region is not None:
            part.region.let_write()
        for at in (changed * BLOCK).tolist():
            end = min(at + BLOCK, part.size)
            data[at:end] = old[at:end]
        self._rows = self._shaped(data)
        held = part.size // self.stride
        self._rows[held:used] = before[held:used]

    def keep(self, rows: Int) -> None:
        """Only these rows are left, in this order, in memory."""
        self.check()
        fresh = aligned((len(rows), self.width), self.dtype)
        np.take(self._rows, rows, axis=0, out=fresh)
        self._rows, self._part = fresh, None

    def room(self, rows: int) -> memoryview:
        """The bytes of the first rows of a matrix in memory, to be filled."""
        return self._rows[:rows].reshape(-1).view(np.uint8).data

    def _bytes(self) -> NDArray[np.uint8]:
        data: NDArray[np.uint8] = self._rows.reshape(-1).view(np.uint8)
        return data

    def _shaped(self, data: NDArray[np.uint8]) -> NDArray[Any]:
        shaped: NDArray[Any] = data.view(self.dtype).reshape(-1, self.width)
        return shaped


class Rows:
    """The first rows of a `Matrix`: `rows[index]` is what NumPy would give, once its blocks were checked."""

    def __init__(self, matrix: Matrix, n: int) -> None:
        self._matrix, self._n = matrix, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        held = self._matrix.unchecked(self._n)
        if self._matrix.settled:
            settled: NDArray[Any] = held[rows]
            return settled
        if isinstance(rows, slice):
            self._matrix.check(slice(*rows.indices(self._n)))
        else:
            at = np.atleast_1d(rows)
            at = np.flatnonzero(at) if at.dtype == np.bool_ else at.astype(np.int64, copy=False)
            self._matrix.check(np.where(at < 0, at + self._n, at))
        found: NDArray[Any] = held[rows]
        return found
