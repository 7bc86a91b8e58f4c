"""When events were recorded, where a clock that was set contradicts the order of the log: the order decides.

A reading is what the clock said of a run of events. The fewest readings are disbelieved that let the others rise with
the log; of as many, the later ones. What has a disbelieved one was recorded just behind the believed one before it.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scrubjay.store.view import View

SKEW: Final = 300.0
"""Seconds by which the clocks of writers may differ without a word; who waits for a turn has looked before."""


def believed(at: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which readings, in the order of the log, are believed: a longest run of them that never falls.

    >>> believed(np.array([1.0, 2.0, 9.0, 3.0, 4.0])).tolist(), believed(np.array([5.0, 1.0])).tolist()
    ([True, True, False, True, True], [True, False])
    """
    out = np.ones(len(at), np.bool_)
    if not len(at) or (np.diff(at) >= 0.0).all():
        return out
    # patience from the end, so that of runs of one length that with the earlier readings is taken
    low: list[float] = []
    last: list[int] = []
    before = np.empty(len(at), np.int64)
    for i in range(len(at) - 1, -1, -1):
        place = bisect_right(low, -float(at[i]))
        before[i] = last[place - 1] if place else -1
        low[place : place + 1], last[place : place + 1] = [-float(at[i])], [i]
    out[:] = False
    i = last[-1]
    while i >= 0:
        out[i], i = True, int(before[i])
    return out


class Stamps:
    """The readings of one log, read once and then only what is new; several threads may ask."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._seen = (-1, 0)
        self._at = np.empty(0)
        self._last = np.empty(0, np.int64)
        self._known: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int] | None = None

    def until(self, view: View, at: float) -> tuple[int, int]:
        """(the last event that was recorded at or before a time, 0 for none; events that the clock tells wrong).

        Of the latter those count that are off by more than `SKEW`, in the whole log.
        """
        with self._turn:
            stamps, ends, reach, wrong = self._read(view)
        place = int(np.searchsorted(stamps, at, "right")) - 1
        if place < 0:
            return 0, wrong
        return int(reach[place] if stamps[place] < at else ends[place]), wrong

    def _read(self, view: View) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]:
        seen = (view.epoch(), view.seq)
        if self._seen[0] != seen[0] or self._seen[1] > seen[1]:
            self._at, self._last, self._known = np.empty(0), np.empty(0, np.int64), None
            self._seen = (seen[0], 0)
        if self._known is None or self._seen != seen:
            seqs, at = view.stamps(self._seen[1])
            at, seqs = np.concatenate([self._at, at]), np.concatenate([self._last, seqs])
            ends = np.append(at[1:] != at[:-1], True)[: len(at)]
            sizes = np.diff(seqs[ends], prepend=0)
            self._at, self._last, self._seen = at[ends], seqs[ends], seen
            self._known = _told(self._at, self._last, sizes)
        return self._known


def _told(
    at: NDArray[np.float64], last: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]:
    """Believed readings, the last event of each, that of what lies behind it before the next, how many are wrong."""
    right = np.flatnonzero(believed(at))
    if len(right) == len(at):
        return at, last, last, 0
    reach = last[np.append(right[1:] - 1, len(at) - 1)]
    wrong = np.setdiff1d(np.arange(len(at)), right)
    place = np.searchsorted(right, wrong)
    below = np.where(place > 0, at[right[place - 1]], -np.inf)
    above = np.where(place < len(right), at[right[np.minimum(place, len(right) - 1)]], np.inf)
    off = np.maximum(below - at[wrong], at[wrong] - above)
    return at[right], last[right], reach, int(sizes[wrong[off > SKEW]].sum())
