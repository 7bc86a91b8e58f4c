"""Belief: Beta evidence of whether a memory has been useful."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array

Out = NDArray[Any] | None


def beta_update(
    a: Array,
    b: Array,
    signal: Array,
    weight: Array | float,
    *,
    keep: float = 1.0,
    out: tuple[Out, Out] | None = None,
    moments: tuple[Out, Out, Out] | None = None,
    threads: int = 0,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """New evidence: a' = keep a + s w, b' = keep b + (1 - s) w.

    Args:
        a, b: (n,) float32 or float64 (both the same), counts of evidence, >= 0.
        signal: (n,) of that dtype, s in [0, 1]: 1 was useful, 0 was not.
        weight: (n,) of that dtype, or one number, w >= 0 and finite.
        keep: in (0, 1]: below 1 old evidence is forgotten.
        out: two arrays for a' and b' (either may be None); may be a and b themselves.
        moments: three arrays to fill with the mean, variance and bonus of the new evidence (see `beta_moments`); a
            None is not computed.

    Returns:
        a' and b'. No weight and keep = 1 change nothing, bit for bit. Error at most 2 ulp.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: lengths that differ, or a signal, weight or keep out of range. Nothing was written.

    Source: the Beta evidence of three-channel memory, section 6.

    >>> import numpy as np
    >>> a, b = beta_update(np.array([0.5]), np.array([0.5]), np.array([1.0]), 2.0)
    >>> a.tolist(), b.tolist()
    ([2.5], [0.5])
    """
    return _core.beta_update(a, b, signal, weight, keep=keep, out=out, moments=moments, threads=threads)


def beta_moments(
    a: Array, b: Array, *, out: tuple[Out, Out, Out] | None = None, threads: int = 0
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """What the evidence says: its mean (the usefulness), its variance, and the bonus of exploring, sqrt(variance).

    Args:
        a, b: (n,) float32 or float64 (both the same), >= 0.
        out: three arrays to fill; a None is not computed.

    Returns:
        mean = a / (a + b), variance = a b / ((a + b)^2 (a + b + 1)), bonus. Without evidence (a = b = 0): 1/2, 1/4,
        1/2. Error at most 4 ulp; NaN gives NaN.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: lengths that differ.

    Source: the Beta distribution; three-channel memory, section 6.

    >>> import numpy as np
    >>> mean, variance, bonus = beta_moments(np.array([3.0]), np.array([1.0]))
    >>> mean.tolist(), variance.tolist()
    ([0.75], [0.0375])
    """
    return _core.beta_moments(a, b, out=out, threads=threads)
