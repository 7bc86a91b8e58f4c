"""The three channels of a memory as one law: importance, Beta evidence, and stability with difficulty.

An outcome of signal s and weight w at time t of the store's clock does to a memory:

    a <- keep a + s w        b <- keep b + (1 - s) w        t_last <- max(t_last, t)
    (S, D) <- (S, D) + min(1, w) ((S', D') - (S, D)),   (S', D') by FSRS with the R of that time

so that an outcome of weight 1 or more is a whole review and a weak one a part of it. A rating r of weight w sets the
importance to r and is evidence like any other: it takes nothing of the earlier one away. Evidence is counted in units
of 2^-24. Sums of such numbers are exact, so with keep = 1 neither the order of outcomes nor gathering many into one
changes a bit.

Sources: three-channel memory, sections 5.2, 5.3 and 6.5. Chosen here: the unit, and the part that a weak outcome has.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.dynamics import retrievability, survey
from scrubjay.dynamics.evidence import Evidence
from scrubjay.dynamics.retrievability import DAY, FSRS_5, FSRS_6, Fsrs, Law
from scrubjay.dynamics.survey import Survey
from scrubjay.errors import ArgumentError, shown
from scrubjay.events import Configured

UNIT: Final = 2.0**-24
"""Evidence is a whole multiple of it."""
MOST_WEIGHT: Final = 1e6
"""Largest weight of one outcome or rating."""
INITIAL: Final = 0.5
"""Evidence for, and evidence against, a new memory: w_init / 2."""
IMPORTANCE: Final = 0.5
"""Importance of a memory that nobody has rated."""
SURVEY_WEIGHTS: Final = ("a", "b", "c", "e", "f", "g", "h", "k")
"""What the weights of a `Configured` event are, in order, where its law is the survey's."""


class Channels(NamedTuple):
    """What a memory's channels are, as columns of float64."""

    a: NDArray[np.float64]
    b: NDArray[np.float64]
    stability: NDArray[np.float64]
    """Days."""
    difficulty: NDArray[np.float64]
    reviewed: NDArray[np.float64]
    """Seconds of the store's clock."""


@lru_cache(maxsize=64)
def law_of(settings: Configured) -> Law:
    """The law of retrievability that a store is set to.

    Raises:
        ArgumentError: an unknown law, or parameters out of its ranges.

    >>> law_of(Configured(at=0.0)).weights == FSRS_6
    True
    """
    weights = settings.weights
    if settings.law == "survey":
        if weights and len(weights) != len(SURVEY_WEIGHTS):
            raise ArgumentError(f"weights: the survey's law has {len(SURVEY_WEIGHTS)} of them, got {len(weights)}")
        return Survey(most=settings.most, **dict(zip(SURVEY_WEIGHTS, weights, strict=False)))
    if settings.law not in retrievability.LAWS:
        raise ArgumentError(f"law must be one of {', '.join(retrievability.LAWS)}, got {shown(settings.law)}")
    wanted = FSRS_6 if settings.law == "fsrs-6" else FSRS_5
    if weights and len(weights) != len(wanted):
        raise ArgumentError(f"weights: {settings.law} has {len(wanted)} of them, got {len(weights)}")
    return Fsrs(
        weights=weights or wanted,
        wanted=settings.wanted,
        thresholds=settings.thresholds,
        same_day=settings.same_day,
        most=settings.most,
    )


@lru_cache(maxsize=64)
def evidence_of(settings: Configured) -> Evidence:
    """The law of evidence that a store is set to.

    >>> evidence_of(Configured(at=0.0, keep=0.5)).keep
    0.5
    """
    return Evidence(keep=settings.keep)


def counted(
    signal: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evidence for and against that signals of some weights bring, in whole units; together they are the weight.

    >>> good, bad = counted(np.array([0.25]), np.array([2.0]))
    >>> good.tolist(), bad.tolist()
    ([0.5], [1.5])
    """
    whole = np.rint(weight / UNIT)
    good = np.rint(signal * whole)
    return good * UNIT, (whole - good) * UNIT


def experienced(
    channels: Channels,
    rows: NDArray[np.int64],
    signal: NDArray[np.float64],
    weight: NDArray[np.float64],
    moment: NDArray[np.float64],
    settings: Configured,
) -> None:
    """Outcomes of the given rows, in order; a row may come several times. The columns are changed in place.

    Args:
        channels: whole columns, writable.
        rows: (n,) which memory each outcome is about.
        signal: (n,) in [0, 1].
        weight: (n,) in (0, `MOST_WEIGHT`].
        moment: (n,) seconds of the store's clock.
        settings: the laws.

    >>> columns = Channels(*(np.array([x]) for x in (0.5, 0.5, 1.0, 5.0, 0.0)))
    >>> one = np.ones(1)
    >>> experienced(columns, np.array([0]), one, one, 86400 * one, Configured(at=0.0))
    >>> columns.a.tolist(), columns.stability.round(3).tolist(), columns.reviewed.tolist()
    ([1.5], [7.054], [86400.0])
    """
    good, bad = counted(signal, weight)
    if settings.keep == 1.0:
        np.add.at(channels.a, rows, good)
        np.add.at(channels.b, rows, bad)
    law = law_of(settings)
    for turn in turns(rows):
        at = rows[turn]
        if settings.keep != 1.0:
            channels.a[at] = settings.keep * channels.a[at] + good[turn]
            channels.b[at] = settings.keep * channels.b[at] + bad[turn]
        before_s, before_d, last, now = (
            channels.stability[at],
            channels.difficulty[at],
            channels.reviewed[at],
            moment[turn],
        )
        days = np.maximum(0.0, now - last) / DAY
        after_s, after_d = retrievability.outcome(before_s, before_d, days, signal[turn], law)
        part = weight[turn]
        weak = part < 1.0
        if weak.any():
            after_s = np.where(weak, before_s + part * (after_s - before_s), after_s)
            after_d = np.where(weak, before_d + part * (after_d - before_d), after_d)
        channels.stability[at] = after_s
        channels.difficulty[at] = after_d
        channels.reviewed[at] = np.maximum(last, now)


def turns(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Positions in turns, each with every row at most once, so that what happens to one row keeps its order.

    >>> [turn.tolist() for turn in turns(np.array([4, 7, 4, 4, 7]))]
    [[0, 1], [2, 4], [3]]
    """
    n = len(rows)
    order = np.argsort(rows, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], rows[order][1:] != rows[order][:-1]])) if n else order
    if len(starts) == n:
        return [np.arange(n)] if n else []
    lengths = np.diff(np.append(starts, n))
    nth = np.empty(n, np.int64)
    nth[order] = np.arange(n) - np.repeat(starts, lengths)
    by_turn = np.argsort(nth, kind="stable")
    return np.split(by_turn, np.cumsum(np.bincount(nth))[:-1])


def intervals(stability: NDArray[np.float64], law: Law) -> NDArray[np.float64]:
    """Whole days after the last event until R has fallen to the wanted one, at least 1; the survey's law wants .9.

    >>> intervals(np.array([13.8269]), law_of(Configured(at=0.0))).tolist()
    [14.0]
    >>> intervals(np.array([13.8269]), law_of(Configured(at=0.0, law="survey"))).tolist()
    [6.0]
    """
    if isinstance(law, Survey):
        return np.maximum(1.0, np.rint(survey.age(stability, 0.9)))
    days: NDArray[np.float64] = retrievability.interval(stability, law)
    return days


def channel_columns(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    stability: NDArray[np.float64],
    reviewed: NDArray[np.float64],
    now: float,
    settings: Configured,
) -> dict[str, NDArray[np.float32]]:
    """Usefulness, exploration and retrievability of memories at a time, as the ranking kernel takes them: float32.

    >>> half = np.array([0.5])
    >>> columns = channel_columns(half, half, half, np.zeros(1), 0.0, Configured(at=0.0))
    >>> {name: column.round(3).tolist() for name, column in columns.items()}
    {'usefulness': [0.5], 'exploration': [0.354...], 'retrievability': [1.0]}
    """
    n = len(a)
    mean, bonus = np.empty(n), np.empty(n)
    kernels.beta_moments(a, b, out=(mean, None, bonus))
    return {
        "usefulness": mean.astype(np.float32),
        "exploration": bonus.astype(np.float32),
        "retrievability": retrievability.at(stability.astype(np.float32), reviewed, now, law_of(settings)),
    }
