"""Retrievability: how available a memory is, and what an outcome does to its stability and difficulty.

    R = (1 + F t / S)^C      the power law of forgetting; S, the stability, is the age at which R is 0.9

Three laws by name: "fsrs-6" (the default) and "fsrs-5" in their canonical form, "survey" in the simplified one
(`scrubjay.dynamics.survey`, where the differences are listed). An event either has a grade (1 Again, 2 Hard, 3 Good,
4 Easy) or a signal s in [0, 1]. A signal stands for a real grade: the thresholds (0, 1/3, 2/3, 1) are the grades 1 to
4, and the new stability and difficulty lie on the straight line between those of the two neighbouring grades, taken
before their bounds are. So a signal of 0 is a lapse, stability never falls as the signal rises, and nothing jumps.

Elapsed time is real-valued and in days, of whichever clock the store keeps (wall days, or active hours / 24); below
`same_day` the rule for reviews on the same day holds. py-fsrs floors it to whole days: do so first to get its
numbers.

Source: FSRS-6 and FSRS-5 (open-spaced-repetition); three-channel memory, section 5.2. The mapping of signals is
chosen here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.dynamics import survey
from scrubjay.dynamics.survey import Survey
from scrubjay.errors import ArgumentError, shown
from scrubjay.protocols import Array

FSRS_6: Final = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)
"""The 21 default weights of FSRS-6."""
FSRS_5: Final = (
    *(0.40255, 1.18385, 3.173, 15.69105, 7.1949, 0.5345, 1.4604, 0.0046, 1.54575, 0.1192),
    *(1.01925, 1.9395, 0.11, 0.29605, 2.2698, 0.2315, 2.9898, 0.51655, 0.6621),
)
"""The 19 default weights of FSRS-5."""
LEARNED: Final = (1.0, 5.0)
"""Stability (24 hours, in days) and difficulty of a memory that was learnt and not graded."""
DAY: Final = 86400.0


class Fsrs(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the canonical law: FSRS-6 with 21 weights, FSRS-5 with 19.

    >>> Fsrs(wanted=0.8).wanted
    0.8
    >>> Fsrs(weights=FSRS_6[:20])
    Traceback (most recent call last):
        ...
    scrubjay.errors.ArgumentError: weights must be 21 numbers (FSRS-6) or 19 (FSRS-5), got 20
    """

    weights: tuple[float, ...] = FSRS_6
    """Each within the published range of its place."""
    wanted: float = 0.9
    """Retrievability at which the interval ends, in [0.01, 0.999]."""
    thresholds: tuple[float, float, float, float] = (0.0, 1 / 3, 2 / 3, 1.0)
    """Signals of Again, Hard, Good and Easy, strictly rising (chosen)."""
    same_day: float = 1.0
    """Less than so many days since the last event is the same day."""
    most: float = float("inf")
    """Cap of stability, in days, >= 1."""
    longest: float = 36500.0
    """Cap of the interval, in days."""

    def __post_init__(self) -> None:
        _native(self)


Law: TypeAlias = Fsrs | Survey


@lru_cache(maxsize=64)
def _native(law: Fsrs) -> kernels.FsrsLaw:
    return kernels.FsrsLaw(
        law.weights,
        thresholds=law.thresholds,
        wanted=law.wanted,
        same_day=law.same_day,
        most=law.most,
        longest=law.longest,
    )


DEFAULT: Final = Fsrs()
LAWS: Final[Mapping[str, Law]] = MappingProxyType(
    {"fsrs-6": DEFAULT, "fsrs-5": Fsrs(weights=FSRS_5), "survey": Survey()}
)
"""The laws by name, with their default parameters."""


def _canonical(law: Law, verb: str) -> kernels.FsrsLaw:
    if isinstance(law, Survey):
        raise ArgumentError(f"{verb} is of FSRS alone, the survey's form has none: use one of 'fsrs-6', 'fsrs-5'")
    return _native(law)


def named(name: str) -> Law:
    """The law of a name.

    Raises:
        ArgumentError: no such law; the message lists them.

    >>> named("fsrs-5").weights[0]
    0.40255
    """
    if name not in LAWS:
        raise ArgumentError(f"law must be one of {', '.join(LAWS)}, got {shown(name)}")
    return LAWS[name]


def elapsed(last: Array, now: float, *, day: float = DAY) -> NDArray[np.float64]:
    """Days since the last event: max(0, now - last) / day, with last and now in seconds.

    >>> import numpy as np
    >>> elapsed(np.array([0.0, 172800.0, 1e9]), 259200.0).tolist()
    [3.0, 1.0, 0.0]
    """
    return np.maximum(0.0, now - np.asarray(last, np.float64)) / day


def retrievability(stability: Array, days: Array, law: Law = DEFAULT) -> NDArray[Any]:
    """R of every memory so many days after its last event.

    Args:
        stability: (n,) float64 or float32, days, > 0 (0: never reviewed, R = 0).
        days: (n,) of the same dtype.
        law: the parameters.

    Returns:
        (n,) in [0, 1]; 0.9 where days is the stability (survey: 0.8165).

    Raises:
        ArgumentError: columns of different lengths.

    >>> import numpy as np
    >>> retrievability(np.full(3, 10.0), np.array([0.0, 10.0, 100.0])).round(4).tolist()
    [1.0, 0.9, 0.6928]
    """
    if isinstance(law, Survey):
        return survey.retrievability(stability, days)
    return kernels.fsrs_retrievability(_native(law), stability, days)


def at(stability: Array, last: Array, now: float, law: Law = DEFAULT, *, day: float = DAY) -> NDArray[np.float32]:
    """R of every memory at a time, as a column for ranking: float32, within 4e-7.

    Args:
        stability: (n,) float32, days.
        last: (n,) float64, seconds, the last event of each.
        now: seconds.
        law: the parameters.
        day: seconds in a day of the store's clock.

    Returns:
        (n,) float32 in [0, 1]; 0 where stability is 0.

    Raises:
        ArgumentError: columns of different lengths.

    >>> import numpy as np
    >>> at(np.array([1.0], np.float32), np.array([0.0]), 86400.0).round(6).tolist()
    [0.8999...]
    """
    if isinstance(law, Survey):
        # The kernel derives its factor, 19/81, from R(S) = .9; the survey's is 1/2.
        return kernels.retrievability(stability, last, now, curve=-0.5, day=day * (19 / 81) / 0.5)
    curve = -law.weights[20] if len(law.weights) == 21 else -0.5
    return kernels.retrievability(stability, last, now, curve=curve, day=day)


def review(
    stability: Array,
    difficulty: Array,
    days: Array,
    grade: Array,
    law: Law = DEFAULT,
    *,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Stability and difficulty after a review with a grade.

    Args:
        stability: (n,) float64 or float32, days; 0: this is the first review.
        difficulty: (n,) of that dtype, in [1, 10].
        days: (n,) of that dtype, since the last event.
        grade: (n,) integers: 1 Again, 2 Hard, 3 Good, 4 Easy.
        law: one of FSRS.
        out: arrays for the results; may be stability and difficulty themselves.

    Returns:
        The new stability and difficulty.

    Raises:
        ArgumentError: a value out of its range, by row, before anything is written; or the survey's law.

    >>> import numpy as np
    >>> s, d = review(np.zeros(2), np.zeros(2), np.zeros(2), np.array([3, 1]))
    >>> s.tolist(), d.round(4).tolist()
    ([2.3065, 0.212], [2.1181, 6.4133])
    """
    new = kernels.fsrs_review(_canonical(law, "a review by grade"), stability, difficulty, days, grade, out=out)
    return new[0], new[1]


def outcome(
    stability: Array,
    difficulty: Array,
    days: Array,
    signal: Array,
    law: Law = DEFAULT,
    *,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Stability and difficulty after an outcome, a signal in [0, 1].

    Args:
        stability, difficulty, days, out: as in `review`; the survey's law needs a stability > 0 and no `out`.
        signal: (n,) of the dtype of stability, between the first and the last threshold.
        law: any of the laws.

    Returns:
        The new stability and difficulty.

    Raises:
        ArgumentError: a value out of its range, by row, before anything is written.

    >>> import numpy as np
    >>> s, d = outcome(np.full(3, 10.0), np.full(3, 5.0), np.full(3, 10.0), np.array([0.0, 0.5, 1.0]))
    >>> s.round(2).tolist(), d.round(2).tolist()
    ([1.39, 27.64, 51.25], [8.34, 5.83, 3.31])
    """
    if isinstance(law, Survey):
        new = survey.outcome(stability, difficulty, days, signal, law)
        if out is not None:
            out[0][:], out[1][:] = new
            return out
        return new
    after = kernels.fsrs_signal(_native(law), stability, difficulty, days, signal, out=out)
    return after[0], after[1]


def interval(stability: Array, law: Law = DEFAULT) -> NDArray[Any]:
    """Whole days until R has fallen to the wanted one, at least 1.

    Args:
        stability: (n,) float64 or float32, days, > 0.
        law: one of FSRS.

    Returns:
        (n,) of the dtype of stability.

    Raises:
        ArgumentError: the survey's law, which wants no retrievability.

    >>> import numpy as np
    >>> interval(np.array([0.2, 13.8269, 132.168])).tolist()
    [1.0, 14.0, 132.0]
    """
    return kernels.fsrs_interval(_canonical(law, "an interval"), stability)


def imported(stability: Array, other: Array, trust: float, most: float = 36500.0) -> NDArray[np.float64]:
    """Stability after a peer's view: max(S, f S_other), where S_other counts at most `most` days.

    Args:
        stability, other: (n,) float64, days, finite and >= 0.
        trust: f in [0, 1].
        most: our own maximum, whatever the peer says; never lowers what we have.

    Returns:
        (n,) float64.

    Raises:
        ArgumentError: trust out of range, or a stability of the peer that is not finite or negative, by row.

    >>> import numpy as np
    >>> imported(np.array([5.0, 5.0]), np.array([8.0, 1e300]), 0.5).tolist()
    [5.0, 18250.0]
    """
    if not 0 <= trust <= 1:
        raise ArgumentError(f"trust must be in [0, 1], got {trust}")
    theirs = np.asarray(other, np.float64)
    bad = ~(np.isfinite(theirs) & (theirs >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ArgumentError(f"other[{row}] is {theirs[row]:g}: it must be finite and at least 0")
    return np.maximum(np.asarray(stability, np.float64), trust * np.minimum(theirs, most))
