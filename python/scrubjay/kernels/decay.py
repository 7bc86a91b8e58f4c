"""Decay: laws of time over columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array


def utility(value: Array, pi: Array, tau: Array, when: Array, now: float) -> NDArray[np.float32]:
    """What a memory is still worth: V exp(-pi age / tau), age = max(0, now - when).

    Args:
        value: (n,) float32, V >= 0.
        pi: (n,) float32, perishability in (0, 1].
        tau: (n,) float32, horizon in seconds, > 0.
        when: (n,) float64, seconds since the Unix epoch.
        now: seconds since the Unix epoch; a memory from later has age 0.

    Returns:
        (n,) float32 in [0, V]; NaN where an input of the row is NaN.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: the columns differ in length, or `now` is not finite.

    Source: "Caching for the Future", eq. 3.

    >>> import numpy as np
    >>> one = np.ones(1, np.float32)
    >>> round(float(utility(one, 0.5 * one, 3600 * one, np.zeros(1), 7200.0)[0]), 6)
    0.367879
    """
    return _core.utility(value, pi, tau, when, now)
