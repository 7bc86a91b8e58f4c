"""Decay: laws of time over columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array


def utility(
    value: Array,
    pi: Array,
    tau: Array,
    when: Array,
    now: float,
    *,
    shape: Array | None = None,
    out: NDArray[np.float32] | None = None,
    threads: int = 0,
) -> NDArray[np.float32]:
    """What a memory is still worth: V exp(-(pi age / tau)^shape), age = max(0, now - when).

    Args:
        value: (n,) float32, V >= 0.
        pi: (n,) float32, perishability in [0, 1].
        tau: (n,) float32, horizon in seconds, > 0.
        when: (n,) float64, seconds since the Unix epoch.
        now: seconds since the Unix epoch, finite; a memory from later has age 0.
        shape: (n,) float32, > 0, the exponent of a Weibull curve; None: 1.
        out: where to put the result, (n,) float32; may be an input of the same row order.

    Returns:
        (n,) float32 in [0, V]; NaN where an input of the row is NaN. Error at most 3 2^-24 V (8 2^-24 V with a shape).

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: the columns differ in length, or `now` is not finite.

    Source: "Caching for the Future", eq. 3.

    >>> import numpy as np
    >>> one = np.ones(1, np.float32)
    >>> round(float(utility(one, 0.5 * one, 3600 * one, np.zeros(1), 7200.0)[0]), 6)
    0.367879
    """
    return _core.utility(value, pi, tau, when, now, shape=shape, out=out, threads=threads)


def retrievability(
    stability: Array,
    last: Array,
    now: float,
    *,
    curve: float,
    day: float = 86400.0,
    out: NDArray[np.float32] | None = None,
    threads: int = 0,
) -> NDArray[np.float32]:
    """How likely a memory can be recalled: (1 + factor age / S)^curve, with factor such that it is 0.9 at age S.

    Args:
        stability: (n,) float32, S > 0 in days; 0: never reviewed.
        last: (n,) float64, seconds since the Unix epoch, the last review.
        now: seconds since the Unix epoch, finite; a review from later has age 0.
        curve: the exponent, in [-10, -0.01]: -0.1542 in FSRS-6, -0.5 in FSRS-5.
        day: seconds in the unit of stability, in (0, 1e9].
        out: as in `utility`.

    Returns:
        (n,) float32 in [0, 1]; 1 at age 0, 0 where never reviewed, NaN where an input is NaN. Error at most 4e-7.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: the columns differ in length, or a parameter is out of range.

    Source: FSRS, the forgetting curve.

    >>> import numpy as np
    >>> ten_days = np.array([10.0], np.float32)
    >>> round(float(retrievability(ten_days, np.zeros(1), 864000.0, curve=-0.5)[0]), 6)
    0.9
    """
    return _core.retrievability(stability, last, now, curve=curve, day=day, out=out, threads=threads)
