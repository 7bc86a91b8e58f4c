"""Retention: how a memory fades with interactions that do not use it (Oblivion's decayer).

    R = exp(-n / S),    S = (U + F + eps) T

n interactions since the last use, U a worth in [0, 1] that each use raises by a share of what is missing, F how often
it was used (of at most `most_uses`), T a temperature: the higher, the slower everything fades. Below `least` a memory
is not accessible; it is not deleted, and a use brings it back to R = 1. Time plays no part.

Source: Oblivion, the retention of its decayer; the equation is lost in the text and was recovered. Its constants are
chosen here where it leaves them open.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.errors import ArgumentError
from scrubjay.protocols import Array


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the law (chosen).

    >>> Retention(temperature=0.0)
    Traceback (most recent call last):
        ...
    scrubjay.errors.ArgumentError: temperature must be in (0, 1e6], got 0.0
    """

    start: float = 0.5
    """Worth U of a new memory, in [0, 1]."""
    gain: float = 0.3
    """Share of 1 - U that a use adds, in [0, 1]."""
    most_uses: float = 10.0
    """Uses after which F is full, >= 1."""
    eps: float = 0.1
    """Keeps S above 0, in (0, 1]."""
    temperature: float = 10.0
    """T, interactions."""
    least: float = 0.1
    """Retention from which on a memory is accessible, in [0, 1]."""

    def __post_init__(self) -> None:
        for name in ("start", "gain", "least"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be in [0, 1], got {getattr(self, name)}")
        if not 0 < self.eps <= 1:
            raise ArgumentError(f"eps must be in (0, 1], got {self.eps}")
        if not 0 < self.temperature <= 1e6:
            raise ArgumentError(f"temperature must be in (0, 1e6], got {self.temperature}")
        if not 1 <= self.most_uses <= 1e6:
            raise ArgumentError(f"most_uses must be in [1, 1e6], got {self.most_uses}")


DEFAULT = Retention()


class Usage(NamedTuple):
    """State of every memory, (n,) float64 each."""

    idle: NDArray[np.float64]
    """Interactions since the last use."""
    worth: NDArray[np.float64]
    """U, in [0, 1]."""
    uses: NDArray[np.float64]
    """How often it was used."""


def learned(rows: int, law: Retention = DEFAULT) -> Usage:
    """State of new memories.

    >>> learned(1)
    Usage(idle=array([0.]), worth=array([0.5]), uses=array([0.]))
    """
    if rows < 0:
        raise ArgumentError(f"rows must be >= 0, got {rows}")
    return Usage(np.zeros(rows), np.full(rows, law.start), np.zeros(rows))


def interacted(state: Usage, used: Array, law: Retention = DEFAULT) -> Usage:
    """State after one interaction: what was used is reinforced, for everything else only n grows.

    Args:
        state: before.
        used: (n,) bool.
        law: the parameters.

    Returns:
        The new state; the old one is left as it is.

    Raises:
        ArgumentError: used has another length.

    >>> import numpy as np
    >>> after = interacted(learned(2), np.array([True, False]))
    >>> after.idle.tolist(), after.worth.tolist(), after.uses.tolist()
    ([0.0, 1.0], [0.65, 0.5], [1.0, 0.0])
    """
    hit = np.asarray(used, bool)
    if hit.shape != state.idle.shape:
        raise ArgumentError(f"used has {hit.size} values but there are {state.idle.size} memories")
    return Usage(
        np.where(hit, 0.0, state.idle + 1),
        np.where(hit, state.worth + law.gain * (1 - state.worth), state.worth),
        np.where(hit, state.uses + 1, state.uses),
    )


def retention(state: Usage, law: Retention = DEFAULT) -> NDArray[np.float64]:
    """R of every memory, in (0, 1]: 1 right after a use, the same bits on every CPU.

    >>> import numpy as np
    >>> retention(Usage(np.array([0.0, 6.0]), np.full(2, 0.5), np.zeros(2))).round(4).tolist()
    [1.0, 0.3679]
    """
    often = np.minimum(state.uses, law.most_uses) / law.most_uses
    return kernels.exp(-(np.asarray(state.idle, np.float64) / ((state.worth + often + law.eps) * law.temperature)))


def accessible(state: Usage, law: Retention = DEFAULT) -> NDArray[np.bool_]:
    """Which memories have a retention of at least `least`.

    >>> import numpy as np
    >>> accessible(Usage(np.array([13.0, 14.0]), np.full(2, 0.5), np.zeros(2))).tolist()
    [True, False]
    """
    return retention(state, law) >= law.least
