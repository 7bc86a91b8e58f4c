"""Utility: what a memory is still worth at an age, and how likely it still holds.

    U(m, tq) = V exp(-(pi age / tau)^shape),    age = max(0, tq - t)

V is the base value, pi the perishability (1 ephemeral, towards 0 stable), tau the horizon in seconds. With V = 1 this
is the probability that the memory still holds; a shape other than 1 makes it a Weibull curve, as a trained head
predicts it. U lies in [0, V], never rises with age or pi and never falls with tau. The law has no parameters of its
own.

Source: "Caching for the Future", section 3.2, eq. 3; the shape is chosen here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.errors import ArgumentError
from scrubjay.protocols import Array

LN_2 = 0.6931471805599453


def _within(name: str, values: Array, low: float, high: float, open_low: bool = False) -> None:
    array = np.asarray(values)
    bad = ~((array > low if open_low else array >= low) & (array <= high))
    if bad.any():
        row = int(np.argmax(bad))
        span = f"{'(' if open_low else '['}{low:g}, {high:g}]"
        raise ArgumentError(f"{name}[{row}] is {array[row]:g}: it must be in {span}")


def utility(
    value: Array, pi: Array, tau: Array, when: Array, now: float, *, shape: Array | None = None
) -> NDArray[np.float32]:
    """U of every memory at time `now`; `scrubjay.kernels.utility` with its domain checked.

    Args:
        value: (n,) float32, V >= 0.
        pi: (n,) float32 in [0, 1].
        tau: (n,) float32, seconds, > 0.
        when: (n,) float64, seconds since the epoch.
        now: seconds since the epoch; what is from later has age 0.
        shape: (n,) float32, > 0; None: 1.

    Returns:
        (n,) float32 in [0, V], within 3 2^-24 V (8 2^-24 V with a shape).

    Raises:
        ArgumentError: a value outside of its domain, by row, or columns of different lengths.

    >>> import numpy as np
    >>> one = np.ones(2, np.float32)
    >>> utility(one, 0.9 * one, 7200 * one, np.array([0.0, 3600.0]), 7200.0).round(4).tolist()
    [0.4065..., 0.6376...]
    """
    most = float(np.finfo(np.float32).max)
    _within("value", value, 0, most)
    _within("pi", pi, 0, 1)
    _within("tau", tau, 0, most, open_low=True)
    if shape is not None:
        _within("shape", shape, 0, most, open_low=True)
    return kernels.utility(value, pi, tau, when, now, shape=shape)


def validity(pi: Array, tau: Array, age: Array, *, shape: Array | None = None) -> NDArray[np.float32]:
    """The probability that a fact of this perishability still holds at an age.

    Args:
        pi, tau, shape: as in `utility`.
        age: (n,) float64, seconds; below 0 counts as 0.

    Returns:
        (n,) float32 in [0, 1].

    Raises:
        ArgumentError: as in `utility`.

    >>> import numpy as np
    >>> day = 86400.0
    >>> pi, tau = np.full(2, 0.1, np.float32), np.full(2, 45 * day, np.float32)
    >>> validity(pi, tau, np.array([0.0, 90 * day])).round(3).tolist()
    [1.0, 0.819...]
    """
    ages = np.asarray(age, np.float64)
    return utility(np.ones(len(ages), np.float32), pi, tau, -ages, 0.0, shape=shape)


def half_life(pi: Array, tau: Array, *, shape: Array | None = None) -> NDArray[np.float64]:
    """The age at which half of the value is left: (tau / pi) (ln 2)^(1 / shape).

    Args:
        pi, tau, shape: as in `utility`.

    Returns:
        (n,) float64, seconds; infinite where pi is 0.

    Raises:
        ArgumentError: as in `utility`.

    >>> import numpy as np
    >>> half_life(np.array([0.5], np.float32), np.array([3600], np.float32)).round(1).tolist()
    [4990.7]
    """
    _within("pi", pi, 0, 1)
    _within("tau", tau, 0, np.inf, open_low=True)
    pis, taus = np.asarray(pi, np.float64), np.asarray(tau, np.float64)
    stretch = np.full(len(pis), LN_2)
    if shape is not None:
        _within("shape", shape, 0, np.inf, open_low=True)
        stretch = kernels.power(stretch, 1.0 / np.asarray(shape, np.float64))
    ages = np.full(len(pis), np.inf)
    np.divide(taus * stretch, pis, out=ages, where=pis > 0)
    return ages
