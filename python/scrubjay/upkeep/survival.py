"""What a store has seen of how long its memories hold: observations of their survival, some of them censored.

A memory's age runs from its `when`, the last time that somebody stated it.

- ended: something else has taken its place, by an integration (`superseded_by`) or because a newer memory states
  something else of the same subject and attribute; its age then is the observation.
- censored: it is the newest of a chain in which others were replaced, so an end would have been noticed; it holds at
  least until now. An old memory of which nobody has spoken again tells nothing: it is not observed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.sets import without

SAME: Final = 0.8
"""P(same slot) from which on a newer memory counts as a successor: doubtful ones would teach wrong ends (chosen)."""


class Observed(NamedTuple):
    """n observations."""

    row: NDArray[np.int64]
    """Which memory."""
    seconds: NDArray[np.float64]
    """Age, >= 0."""
    ended: NDArray[np.bool_]
    """True where it ended at that age, False where it was still holding then."""


def of_chains(row: ArrayLike, successor: ArrayLike, when: ArrayLike, now: float) -> Observed:
    """Observations from memories that were superseded for good.

    `row` (n,) and `successor` (n,) are rows of `when` (m,) seconds; a successor below 0 is gone, and with it the time
    of the end. The ends of the chains, successors that no row lists as superseded, are censored at `now`.

    >>> seen = of_chains([0, 1], [1, 2], [0.0, 10.0, 40.0], now=45.0)
    >>> seen.row.tolist(), seen.seconds.tolist(), seen.ended.tolist()
    ([0, 1, 2], [10.0, 30.0, 5.0], [True, True, False])
    """
    rows, by, times = np.asarray(row, np.int64), np.asarray(successor, np.int64), np.asarray(when, np.float64)
    rows, by = rows[by >= 0], by[by >= 0]
    last = without(by, rows)
    return _observed(
        np.concatenate([rows, last]),
        np.concatenate([times[by] - times[rows], now - times[last]]),
        np.concatenate([np.ones(rows.size, bool), np.zeros(last.size, bool)]),
    )


def of_rivals(same: ArrayLike, when: ArrayLike, now: float) -> tuple[float, bool] | None:
    """(seconds, ended) of memory 0 among m that may state the same slot; None where nothing is seen of it.

    `same` (m,) is P(same slot) with memory 0, exactly 1 where the words are the same; `when` (m,) seconds. Who says the
    same again has seen it hold; the first newer one that says something else has ended it. Without a newer one, an
    older one shows that the slot is kept up, and memory 0 holds until now.

    >>> of_rivals([0, 0.9, 0.2], [0.0, 50.0, 20.0], now=100.0), of_rivals([0, 0.9], [50.0, 0.0], now=100.0)
    ((50.0, True), (50.0, False))
    >>> of_rivals([0, 1.0], [0.0, 30.0], now=100.0), of_rivals([0, 0.1], [0.0, 30.0], now=100.0)
    ((30.0, False), None)
    """
    c, times = np.asarray(same, np.float64), np.asarray(when, np.float64)
    known = (times <= now) & (np.arange(c.size) > 0)
    other = known & (c >= SAME) & (c < 1.0)
    newer = other & (times > times[0])
    if newer.any():
        return float(times[newer].min() - times[0]), True
    if (other & (times < times[0])).any():
        return max(0.0, now - float(times[0])), False
    again = known & (c >= 1.0) & (times > times[0])
    return (float(times[again].max() - times[0]), False) if again.any() else None


def subjects(keys: Sequence[int], texts: Sequence[str], ties: Iterable[tuple[int, int]]) -> list[str]:
    """Of each memory a name that it shares with those of its subject: the first of their texts.

    `ties` are pairs of keys of which one took the other's place; memories with the same words are tied too, and what is
    tied to a third is tied.

    >>> subjects([1, 2, 3, 4], ["room 4", "room 5", "Ada", "room 5"], [(1, 2)])
    ['room 4', 'room 4', 'Ada', 'room 4']
    """
    up: dict[int | str, int | str] = {}

    def top(one: int | str) -> int | str:
        while (above := up.setdefault(one, one)) != one:
            up[one] = up[above]
            one = up[one]
        return one

    pairs: list[tuple[int, int | str]] = [*ties, *zip(keys, texts, strict=True)]
    for a, b in pairs:
        up[top(a)] = top(b)
    names: dict[int | str, str] = {}
    for text in texts:
        names[top(text)] = min(names.get(top(text), text), text)
    return [names[top(text)] for text in texts]


def _observed(row: NDArray[np.int64], seconds: NDArray[np.float64], ended: NDArray[np.bool_]) -> Observed:
    # an end before the memory itself, or a memory that is about the future, is no duration
    good = seconds >= 0.0
    return Observed(row[good], seconds[good], ended[good])
