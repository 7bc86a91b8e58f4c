"""FSRS: reviews of whole columns by a law of spaced repetition (versions 5 and 6)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from scrubjay import _core
from scrubjay._core import FsrsLaw
from scrubjay.protocols import Array

Out = NDArray[Any] | None

__all__ = ["FsrsLaw", "fsrs_interval", "fsrs_retrievability", "fsrs_review", "fsrs_signal"]


def fsrs_review(
    law: FsrsLaw,
    stability: Array,
    difficulty: Array,
    elapsed: Array,
    grade: Array,
    *,
    interval: bool = False,
    out: tuple[Out, ...] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], ...]:
    """One review of every row: new stability and difficulty, by a grade.

    Args:
        law: weights and limits, checked once (see `FsrsLaw` in the example).
        stability: (n,) float32 or float64, days, >= 0; 0: this is the first review.
        difficulty: (n,) of that dtype, in [1, 10]; not read at the first review.
        elapsed: (n,) of that dtype, days since the last review, any fraction; below 0 counts as 0.
        grade: (n,) integers: 1 Again, 2 Hard, 3 Good, 4 Easy.
        interval: compute the next interval too, in whole days.
        out: arrays for the results, in their order; may be stability and difficulty themselves.

    Returns:
        Stability, difficulty, and the interval if asked for. Relative error 1e-13 (float64), 1e-5 (float32).

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: lengths that differ, or a state or grade out of range, by row. Nothing was written.

    Source: FSRS-6 and FSRS-5 (open-spaced-repetition), their canonical form.

    >>> import numpy as np
    >>> w = [.212, 1.2931, 2.3065, 8.2956, 6.4133, .8334, 3.0194, .001, 1.8722, .1666, .796, 1.4835, .0614, .2629]
    >>> w += [1.6483, .6014, 1.8729, .5425, .0912, .0658, .1542]
    >>> law = FsrsLaw(w, thresholds=[0, .25, .6, 1], wanted=.9, same_day=1.0, most=36500.0, longest=36500.0)
    >>> s, d, days = fsrs_review(law, np.zeros(1), np.ones(1), np.zeros(1), np.array([3]), interval=True)
    >>> s.tolist(), d.round(8).tolist(), days.tolist()
    ([2.3065], [2.11810397], [2.0])
    """
    return _core.fsrs_review(law, stability, difficulty, elapsed, grade, interval=interval, out=out, threads=threads)


def fsrs_signal(
    law: FsrsLaw,
    stability: Array,
    difficulty: Array,
    elapsed: Array,
    signal: Array,
    *,
    interval: bool = False,
    out: tuple[Out, ...] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], ...]:
    """One review of every row by a continuous outcome: between the law's thresholds the grades blend in straight lines.

    Args:
        signal: (n,) of the dtype of stability, between the first and the last of the law's thresholds.
        law, stability, difficulty, elapsed, interval, out: as in `fsrs_review`.

    Returns:
        As `fsrs_review`; at a threshold the same as for that grade. Stability never falls as the signal rises.

    Raises:
        ArgumentTypeError, ArgumentError: as in `fsrs_review`.

    Source: FSRS-6 and FSRS-5; the mapping of a signal to grades is chosen here.

    >>> import numpy as np
    >>> w = [.212, 1.2931, 2.3065, 8.2956, 6.4133, .8334, 3.0194, .001, 1.8722, .1666, .796, 1.4835, .0614, .2629]
    >>> w += [1.6483, .6014, 1.8729, .5425, .0912, .0658, .1542]
    >>> law = FsrsLaw(w, thresholds=[0, .25, .6, 1], wanted=.9, same_day=1.0, most=36500.0, longest=36500.0)
    >>> s, d = fsrs_signal(law, np.zeros(3), np.ones(3), np.zeros(3), np.array([0.6, 0.8, 1.0]))
    >>> s.round(5).tolist()
    [2.3065, 5.30105, 8.2956]
    """
    return _core.fsrs_signal(law, stability, difficulty, elapsed, signal, interval=interval, out=out, threads=threads)


def fsrs_interval(law: FsrsLaw, stability: Array, *, out: Out = None, threads: int = 0) -> NDArray[Any]:
    """Days until the retrievability has fallen to the one that the law wants.

    Args:
        law: as in `fsrs_review`.
        stability: (n,) float32 or float64, days, > 0.
        out: where to put the result; may be stability itself.

    Returns:
        (n,) whole days in [1, law's longest], of the dtype of stability.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: an `out` of another length.

    Source: FSRS, the interval.

    >>> import numpy as np
    >>> w = [.212, 1.2931, 2.3065, 8.2956, 6.4133, .8334, 3.0194, .001, 1.8722, .1666, .796, 1.4835, .0614, .2629]
    >>> w += [1.6483, .6014, 1.8729, .5425, .0912, .0658, .1542]
    >>> law = FsrsLaw(w, thresholds=[0, .25, .6, 1], wanted=.9, same_day=1.0, most=36500.0, longest=36500.0)
    >>> fsrs_interval(law, np.array([0.2, 13.8, 132.2])).tolist()
    [1.0, 14.0, 132.0]
    """
    return _core.fsrs_interval(law, stability, out=out, threads=threads)


def fsrs_retrievability(
    law: FsrsLaw, stability: Array, elapsed: Array, *, out: Out = None, threads: int = 0
) -> NDArray[Any]:
    """How likely a memory can be recalled after some days: (1 + factor t / S)^curve.

    Args:
        law: as in `fsrs_review`; gives factor and curve.
        stability: (n,) float32 or float64, days, > 0; 0: never reviewed.
        elapsed: (n,) of that dtype, days; below 0 counts as 0.
        out: where to put the result; may be an input.

    Returns:
        (n,) in [0, 1] of the dtype of stability; 0.9 where elapsed is the stability.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: lengths that differ.

    Source: FSRS, the forgetting curve.

    >>> import numpy as np
    >>> w = [.212, 1.2931, 2.3065, 8.2956, 6.4133, .8334, 3.0194, .001, 1.8722, .1666, .796, 1.4835, .0614, .2629]
    >>> w += [1.6483, .6014, 1.8729, .5425, .0912, .0658, .1542]
    >>> law = FsrsLaw(w, thresholds=[0, .25, .6, 1], wanted=.9, same_day=1.0, most=36500.0, longest=36500.0)
    >>> fsrs_retrievability(law, np.array([5.0, 5.0]), np.array([0.0, 5.0])).round(9).tolist()
    [1.0, 0.9]
    """
    return _core.fsrs_retrievability(law, stability, elapsed, out=out, threads=threads)
