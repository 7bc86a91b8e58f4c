"""Evidence: how useful a memory has proved, as a Beta distribution over its usefulness.

    an outcome s in [0, 1] of weight w:   a <- keep a + s w,   b <- keep b + (1 - s) w
    usefulness a / (a + b),   variance a b / ((a + b)^2 (a + b + 1)),   exploration sqrt(variance)

Everything is additive: a rating (consolidation, rescoring) is an outcome like any other, and takes nothing of the
earlier ones away; with keep = 1 the order of outcomes does not matter. keep below 1 forgets old evidence, outcome by
outcome.

Source: three-channel memory, sections 5.3 and 6.5. Chosen here: the caps on what a peer may bring.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.errors import ArgumentError
from scrubjay.protocols import Array


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the law.

    >>> Evidence(keep=0.0)
    Traceback (most recent call last):
        ...
    scrubjay.errors.ArgumentError: keep must be in (0, 1], got 0.0
    """

    initial: float = 1.0
    """w_init: a new memory has half of it for and half against it, > 0."""
    keep: float = 1.0
    """What an outcome leaves of the evidence before it, in (0, 1]."""
    most_imported: float = 100.0
    """Evidence that one import may add, after trust, > 0 (chosen)."""

    def __post_init__(self) -> None:
        for name in ("initial", "most_imported"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ArgumentError(f"{name} must be finite and > 0, got {getattr(self, name)}")
        if not 0 < self.keep <= 1:
            raise ArgumentError(f"keep must be in (0, 1], got {self.keep}")


DEFAULT = Evidence()


def learned(rows: int, law: Evidence = DEFAULT) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evidence (a, b) of new memories: w_init / 2 each.

    >>> a, b = learned(2)
    >>> a.tolist(), b.tolist()
    ([0.5, 0.5], [0.5, 0.5])
    """
    if rows < 0:
        raise ArgumentError(f"rows must be >= 0, got {rows}")
    return np.full(rows, law.initial / 2), np.full(rows, law.initial / 2)


def observed(
    a: Array,
    b: Array,
    signal: Array,
    weight: Array | float = 1.0,
    law: Evidence = DEFAULT,
    *,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Evidence after one outcome, or one rating, of every row.

    Args:
        a, b: (n,) float32 or float64, >= 0.
        signal: (n,) of the same dtype, in [0, 1].
        weight: (n,) of the same dtype, or one number; finite, >= 0.
        law: the parameters.
        out: arrays for the new a and b; may be a and b themselves.

    Returns:
        The new a and b.

    Raises:
        ArgumentError: a signal or weight out of range, by row, before anything is written.

    >>> import numpy as np
    >>> a, b = observed(*learned(1), np.array([1.0]), 2.0)
    >>> a.tolist(), b.tolist()
    ([2.5], [0.5])
    """
    return kernels.beta_update(a, b, signal, weight, keep=law.keep, out=out)


def imported(
    a: Array, b: Array, other_a: Array, other_b: Array, trust: float, law: Evidence = DEFAULT
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evidence after a peer's view of the same memories: a + f a_other, b + f b_other with trust f.

    Args:
        a, b: (n,) float64, >= 0.
        other_a, other_b: (n,) float64, finite and >= 0.
        trust: f in [0, 1].
        law: the parameters; what f (a_other + b_other) has above `most_imported` is scaled away, the peer's mean kept.

    Returns:
        The new a and b, float64.

    Raises:
        ArgumentError: trust out of range, or evidence of the peer that is not finite or negative, by row.

    >>> import numpy as np
    >>> a, b = imported(*learned(1), np.array([3e6]), np.array([1e6]), 0.5)
    >>> a.tolist(), b.tolist()
    ([75.5], [25.5])
    """
    if not 0 <= trust <= 1:
        raise ArgumentError(f"trust must be in [0, 1], got {trust}")
    others = [np.asarray(x, np.float64) for x in (other_a, other_b)]
    for name, values in zip(("other_a", "other_b"), others, strict=True):
        bad = ~(np.isfinite(values) & (values >= 0))
        if bad.any():
            row = int(np.argmax(bad))
            raise ArgumentError(f"{name}[{row}] is {values[row]:g}: it must be finite and at least 0")
    share = np.maximum(others[0] / law.most_imported + others[1] / law.most_imported, 1e-300)
    scale = np.minimum(trust, 1 / share)
    return np.asarray(a, np.float64) + scale * others[0], np.asarray(b, np.float64) + scale * others[1]


def usefulness(a: Array, b: Array) -> NDArray[Any]:
    """The mean a / (a + b) in [0, 1]; 1/2 without any evidence.

    >>> import numpy as np
    >>> usefulness(np.array([3.0, 0.0]), np.array([1.0, 0.0])).tolist()
    [0.75, 0.5]
    """
    return _moment(a, b, 0)


def variance(a: Array, b: Array) -> NDArray[Any]:
    """The variance a b / ((a + b)^2 (a + b + 1)) in [0, 1/4].

    >>> import numpy as np
    >>> variance(np.array([3.0]), np.array([1.0])).tolist()
    [0.0375]
    """
    return _moment(a, b, 1)


def exploration(a: Array, b: Array) -> NDArray[Any]:
    """The bonus sqrt(variance) in [0, 1/2]: what is little known is worth a try.

    >>> import numpy as np
    >>> exploration(np.array([0.5, 50.0]), np.array([0.5, 50.0])).round(3).tolist()
    [0.354, 0.05]
    """
    return _moment(a, b, 2)


def _moment(a: Array, b: Array, which: int) -> NDArray[Any]:
    like = np.asarray(a)
    wanted: NDArray[Any] = np.empty(like.shape, like.dtype)
    places: list[NDArray[Any] | None] = [None, None, None]
    places[which] = wanted
    kernels.beta_moments(a, b, out=(places[0], places[1], places[2]))
    return wanted
