"""Strength: three copies of a memory that fade, and grow, at their own pace (ZenBrain's triple copy).

    fast    S0 e^(-t / 4 h)
    medium  .8 S0 e^(-t / 14 d)
    deep    S0 tanh(t / 7 d)        or, as printed, S0 ln(1 + t / 7 d), which grows without bound
    S = max(fast, medium, deep)

The tanh is the default: it is the reading that gives the source's own table of retention (S / S0 at 1 h ... 30 d),
and it keeps S in [0, S0].

Source: ZenBrain, appendix B.8, eqs. 10-12, and its table of retention.
"""

from __future__ import annotations

from math import isfinite
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.errors import ArgumentError, shown
from scrubjay.protocols import Array

HOUR = 3600.0
DAY = 86400.0


class TripleCopy(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the law; times in seconds.

    >>> TripleCopy(deep_form="cubic")
    Traceback (most recent call last):
        ...
    scrubjay.errors.ArgumentError: deep_form must be 'tanh' or 'log', got 'cubic'
    """

    fast: float = 4 * HOUR
    """Time constant of the fast copy, > 0."""
    medium: float = 14 * DAY
    """Time constant of the medium copy, > 0."""
    medium_share: float = 0.8
    """Where the medium copy starts, as a share of S0, in [0, 1]."""
    deep: float = 7 * DAY
    """Time constant of the deep copy, > 0."""
    deep_form: Literal["tanh", "log"] = "tanh"
    """How the deep copy grows."""

    def __post_init__(self) -> None:
        for name in ("fast", "medium", "deep"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ArgumentError(f"{name} must be finite seconds > 0, got {getattr(self, name)}")
        if not 0 <= self.medium_share <= 1:
            raise ArgumentError(f"medium_share must be in [0, 1], got {self.medium_share}")
        if self.deep_form not in ("tanh", "log"):
            raise ArgumentError(f"deep_form must be 'tanh' or 'log', got {shown(self.deep_form)}")


DEFAULT = TripleCopy()


class Copies(NamedTuple):
    """Strengths of the three copies, (n,) float64 each."""

    fast: NDArray[np.float64]
    medium: NDArray[np.float64]
    deep: NDArray[np.float64]


def copies(age: Array, initial: Array | float = 1.0, law: TripleCopy = DEFAULT) -> Copies:
    """The three copies of every memory at an age, the same bits on every CPU.

    Args:
        age: (n,) seconds; below 0 counts as 0.
        initial: S0, (n,) or one number, >= 0.
        law: the parameters.

    Returns:
        fast, medium and deep strength.

    Raises:
        ArgumentError: an initial strength that is negative, or an age that is NaN.

    >>> import numpy as np
    >>> [round(float(copy[0]), 3) for copy in copies(np.array([86400.0]))]
    [0.002, 0.745, 0.142]
    """
    t, start = np.maximum(np.asarray(age, np.float64), 0), np.asarray(initial, np.float64)
    if np.isnan(t).any():
        raise ArgumentError(f"age[{int(np.argmax(np.isnan(t)))}] is nan: it must be seconds")
    if not (start >= 0).all():
        raise ArgumentError("initial must be >= 0")
    if law.deep_form == "tanh":
        falling = kernels.exp(-2 * t / law.deep)
        deep = (1 - falling) / (1 + falling)
    else:
        deep = kernels.log(1 + t / law.deep)
    medium = law.medium_share * kernels.exp(-t / law.medium)
    return Copies(start * kernels.exp(-t / law.fast), start * medium, start * deep)


def strength(age: Array, initial: Array | float = 1.0, law: TripleCopy = DEFAULT) -> NDArray[np.float64]:
    """The strongest of the three copies; arguments as in `copies`.

    >>> import numpy as np
    >>> day = 86400.0
    >>> strength(np.array([0, 1 / 24, 1, 7, 30]) * day).round(3).tolist()
    [1.0, 0.798, 0.745, 0.762, 1.0]
    """
    three = copies(age, initial, law)
    return np.maximum(np.maximum(three.fast, three.medium), three.deep)
