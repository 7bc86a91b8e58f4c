"""What was found for pairs of texts, by numbers that the texts are told by: nothing of the texts themselves is kept.

Keys are 64 bits, those of texts by Python's own hash, whose seed nobody outside of the process knows: that two of a
million pairs had one, the chance is less than 1 in 10 million.

>>> known = KnownPairs(64)
>>> names = names_of(["I love tea.", "I hate tea.", "My bike is blue."])
>>> pairs = known.names(names[[0, 0]], names[[1, 2]])
>>> known.keep(pairs[:1], np.float32([0.75]))
>>> known.get(pairs).tolist()
[0.75, nan]
>>> known.get(known.names(names[[1]], names[[0]])).tolist()  # a pair has no order
[0.75]
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.remembered import forgettable

Names = NDArray[np.uint64]
ROOM: Final = 1 << 20
"""Pairs that are kept, 12 bytes each (chosen)."""
_WAYS: Final = 8
"""Places in which a pair may be kept: of those that share them the last stay."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def names_of(texts: Sequence[str], vectors: NDArray[np.float32] | None = None) -> Names:
    """(m,): a number for each text with its vector (m, d), the same in one process."""
    rows: Sequence[bytes] = [b""] * len(texts) if vectors is None else [row.tobytes() for row in vectors]
    each = [hash(pair) & 0xFFFFFFFFFFFFFFFF for pair in zip(texts, rows, strict=True)]
    return np.array(each, np.uint64)


class KnownPairs:
    """A number in [0, 1] for each of the last pairs of texts; threads may share it."""

    def __init__(self, room: int = ROOM) -> None:
        bits = max(1, (room // _WAYS - 1).bit_length())
        self._shift = np.uint64(64 - bits)
        self._keys = np.zeros((1 << bits, _WAYS), np.uint64)
        self._values = np.zeros(self._keys.shape, np.float32)
        self._next = np.zeros(len(self._keys), np.intp)
        self._lock = threading.Lock()
        forgettable(self)

    @staticmethod
    def names(one: Names, other: Names) -> Names:
        """(pairs,): a number for each pair of names, whichever comes first."""
        mixed = np.minimum(one, other) * _ODD[0] + np.maximum(one, other)
        mixed ^= mixed >> np.uint64(29)
        return np.asarray(mixed * _ODD[1] | np.uint64(1), np.uint64)  # 0 is an empty place

    def get(self, pairs: Names) -> NDArray[np.float32]:
        """(pairs,): what is kept of each, NaN for nothing."""
        at = pairs >> self._shift
        with self._lock:
            same = self._keys[at] == pairs[:, None]
            found = self._values[at, same.argmax(axis=1)]
        found[~same.any(axis=1)] = np.nan
        return np.asarray(found, np.float32)

    def keep(self, pairs: Names, values: NDArray[np.float32]) -> None:
        """Keep what was found for pairs; it takes the place of what was found first."""
        at = (pairs >> self._shift).astype(np.intp)
        order = np.argsort(at, kind="stable")
        ordered = at[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        each = np.diff(np.append(first, ordered.size))
        rank = np.arange(ordered.size) - np.repeat(first, each)
        fits = np.repeat(each, each) - rank <= _WAYS
        with self._lock:
            way = (self._next[ordered] + rank) % _WAYS
            self._next[ordered[first]] += each
            at, way, order = ordered[fits], way[fits], order[fits]
            self._keys[at, way], self._values[at, way] = pairs[order], values[order]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._keys[:] = 0
