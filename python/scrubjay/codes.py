"""Codes of growing rows, kept up with them: with these an exact search reads an eighth of the bytes.

The codes of a row follow from the row alone, so they are never stored: they are made when a search first wants them,
then only for rows that were added or have moved.

>>> import numpy as np
>>> rows, codes = np.eye(3, dtype=np.float32), RowCodes()
>>> high, low, meta = codes.of(rows)
>>> high.shape, meta.shape
((3, 64), (4, 3))
"""

from __future__ import annotations

import threading
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.matrix import Matrix, Rows
from scrubjay.sets import distinct

CODED_ROWS: Final = 6144
"""From so many rows on codes are worth their room (measured: below, all rows stay in the cache)."""
WIDEST: Final = 32_768
"""Most values of a row that codes are made of."""

Codes = tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float32]]
"""high (n, h), low (n, h), meta (4, n), as `scrubjay.kernels.codes` makes them."""


class RowCodes:
    """Codes of the first rows of a matrix that grows, and of which rows move.

    `of` may be called by several threads at once while no row changes; everything else needs the writer's lock.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._n = 0
        self._moved: list[NDArray[np.int64]] = []
        self._high, self._low = Matrix(0, np.uint8), Matrix(0, np.uint8)
        self._meta: NDArray[np.float32] = np.empty((4, 0), np.float32)

    @classmethod
    def held(cls, high: Matrix, low: Matrix, meta: NDArray[np.float32], rows: int) -> RowCodes:
        """Codes of the first `rows` rows that were made before; `meta` is (4, rows)."""
        codes = cls()
        codes._high, codes._low, codes._meta, codes._n = high, low, meta, rows
        return codes

    def of(self, rows: NDArray[np.float32] | Rows) -> Codes:
        """The codes of `rows`, (n, d) float32: the matrix of the last call, longer, with rows moved as was told."""
        n = len(rows)
        with self._turn:
            if self._moved:
                moved = distinct(np.concatenate(self._moved))
                high, low, self._meta[:, moved] = _core.codes(rows[moved])
                self._high.writable(self._n, moved)[moved] = high
                self._low.writable(self._n, moved)[moved] = low
                self._moved = []
            if n > self._n or not self._high.width:
                high, low, meta = _core.codes(rows[self._n : n])
                if high.shape[1] != self._high.width:
                    self._high, self._low = Matrix(high.shape[1], np.uint8, n), Matrix(low.shape[1], np.uint8, n)
                self._high.put(self._n, high)
                self._low.put(self._n, low)
                self._room(n)
                self._meta[:, self._n : n] = meta
                self._n = n
            return self._high.all(n), self._low.all(n), self._meta[:, :n]

    def moved(self, rows: NDArray[np.int64]) -> None:
        """These rows have other values now."""
        known = np.asarray(rows, np.int64)
        known = known[known < self._n]
        if not len(known):
            return
        self._moved.append(known)
        if sum(map(len, self._moved)) > self._n:  # nobody has asked for long: begin anew when somebody does
            self._n, self._moved = 0, []
            self._high, self._low = Matrix(0, np.uint8), Matrix(0, np.uint8)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Only these rows are left, in this order, ascending. Codes given out before stay as they were."""
        stale = np.zeros(self._n, np.bool_)
        for moved in self._moved:
            stale[moved] = True
        kept = rows[rows < self._n]
        self._high.keep(kept)
        self._low.keep(kept)
        self._meta = self._meta[:, kept]
        self._n = len(kept)
        self._moved = [np.flatnonzero(stale[kept])] if stale[kept].any() else []

    @property
    def nbytes(self) -> int:
        """Bytes held in memory, slack included."""
        return self._high.nbytes + self._low.nbytes + self._meta.nbytes

    @property
    def matrices(self) -> tuple[Matrix, Matrix]:
        """Where the upper and the lower halves lie."""
        return self._high, self._low

    def _room(self, n: int) -> None:
        held = self._meta.shape[1]
        if n > held:
            meta = np.empty((4, n if self._n == 0 else max(n, held + held // 2)), np.float32)
            meta[:, : self._n] = self._meta[:, : self._n]
            self._meta = meta
