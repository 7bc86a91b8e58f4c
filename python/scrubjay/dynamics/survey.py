"""The simplified FSRS of the survey of agent memory, by its own letters.

    R  = (1 + .5 t / S)^-.5
    success  S (1 + e^a (11 - D) S^b (e^(c (1 - R)) - 1))
    lapse    min(S, D^g S^h (1 - R)^e e^(f (1 - s)))
    S' = (1 - s) lapse + s success,    D' = D + (10 - D) d / 9 within [1, 10],  d = -2 k (s - .5)

It differs from the canonical law (`scrubjay.dynamics.retrievability`): at t = S its R is .8165 and not .9, against
its own definition of S; it has no grades, no first review and no rule for the same day; a lapse right after a review
(R = 1) takes S to its floor. Chosen here, since the survey prints letters only and uses c and d twice: a, b, c and
the exponents g, h of the lapse are those of FSRS-5, e is small, f <= 0 so that a worse signal never leaves more, the
lapse never exceeds S, and a signal between 0 and 1 mixes both branches in a straight line, so that S' never falls as
the signal rises and never jumps. All in float64 by functions with the same bits on every CPU.

Source: survey of persistent agent memory, sections 2.2 and 5.2.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.errors import ArgumentError
from scrubjay.protocols import Array

FLOOR = 0.001
"""Smallest stability, in days."""


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the simplified law.

    >>> Survey(f=0.5)
    Traceback (most recent call last):
        ...
    scrubjay.errors.ArgumentError: f must be in [-10, 0], got 0.5
    """

    a: float = 1.54575
    """Success: log of the gain."""
    b: float = -0.1192
    """Success: exponent of S, <= 0."""
    c: float = 1.01925
    """Success: rate in 1 - R, >= 0."""
    e: float = 0.1
    """Lapse: exponent of 1 - R, >= 0."""
    f: float = -0.25
    """Lapse: rate in 1 - s, <= 0."""
    g: float = -0.11
    """Lapse: exponent of D, <= 0."""
    h: float = 0.29605
    """Lapse: exponent of S, in [0, 1]."""
    k: float = 1.4604
    """How fast the difficulty moves, >= 0."""
    most: float = float("inf")
    """Cap of stability, in days."""

    def __post_init__(self) -> None:
        ranges = {"a": (-10, 10), "b": (-2, 0), "c": (0, 10), "e": (0, 10), "f": (-10, 0), "g": (-10, 0), "h": (0, 1)}
        for name, (low, high) in (ranges | {"k": (0, 10)}).items():
            if not low <= getattr(self, name) <= high:
                raise ArgumentError(f"{name} must be in [{low}, {high}], got {getattr(self, name)}")
        if not self.most >= 1:
            raise ArgumentError(f"most must be at least 1 day, got {self.most}")


def _columns(*arrays: Array) -> list[NDArray[np.float64]]:
    return [np.ascontiguousarray(array, np.float64) for array in arrays]


def retrievability(stability: Array, elapsed: Array) -> NDArray[np.float64]:
    """R = (1 + .5 t / S)^-.5; elapsed in the unit of stability, below 0 as 0.

    >>> import numpy as np
    >>> retrievability(np.array([10.0]), np.array([10.0])).round(4).tolist()
    [0.8165]
    """
    s, t = _columns(stability, elapsed)
    return 1 / np.sqrt(1 + 0.5 * np.maximum(t, 0) / s)


def age(stability: Array, wanted: float) -> NDArray[np.float64]:
    """Age at which R has fallen to `wanted`, in (0, 1]: 2 S (1 / wanted^2 - 1), in the unit of stability.

    >>> import numpy as np
    >>> age(np.array([10.0]), 0.9).round(3).tolist()
    [4.691]
    """
    (s,) = _columns(stability)
    return 2 * s * (1 / (wanted * wanted) - 1)


def outcome(
    stability: Array, difficulty: Array, elapsed: Array, signal: Array, law: Survey
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stability and difficulty after an outcome.

    Args:
        stability: (n,), days, > 0.
        difficulty: (n,) in [1, 10].
        elapsed: (n,), days since the last event, below 0 as 0.
        signal: (n,) in [0, 1].
        law: the parameters.

    Returns:
        The new stability and difficulty, float64.

    Raises:
        ArgumentError: a value out of its range, by row.

    >>> import numpy as np
    >>> ten, five = np.full(3, 10.0), np.full(3, 5.0)
    >>> s, d = outcome(ten, five, ten, np.array([0.0, 0.5, 1.0]), Survey())
    >>> s.round(3).tolist(), d.round(3).tolist()
    ([1.089, 27.616, 53.998], [5.811, 5.0, 4.189])
    """
    s, d, t, x = _columns(stability, difficulty, elapsed, signal)
    checks = {"stability": (s, 0, False), "difficulty": (d, 1, True), "signal": (x, 0, True)}
    ceilings = {"stability": np.inf, "difficulty": 10, "signal": 1}
    for name, (values, low, closed) in checks.items():
        bad = ~((values >= low if closed else values > low) & (values <= ceilings[name]) & np.isfinite(values))
        if bad.any():
            row = int(np.argmax(bad))
            raise ArgumentError(f"{name}[{row}] is {values[row]:g}: it is out of the range of the law")
    if not np.isfinite(t).all():
        raise ArgumentError(f"elapsed[{int(np.argmin(np.isfinite(t)))}] is not finite")
    lost = 1 - retrievability(s, t)
    n = len(s)
    gain = np.full(n, law.a) + law.b * kernels.log(s)
    success = s * (1 + kernels.exp(gain) * (11 - d) * (kernels.exp(law.c * lost) - 1))
    power = kernels.power(d, np.full(n, law.g)) * kernels.power(s, np.full(n, law.h))
    lapse = np.minimum(s, power * kernels.power(lost, np.full(n, law.e)) * kernels.exp(law.f * (1 - x)))
    moved = d + (10 - d) * (-2 * law.k * (x - 0.5)) / 9
    return np.clip((1 - x) * lapse + x * success, FLOOR, law.most), np.clip(moved, 1, 10)
