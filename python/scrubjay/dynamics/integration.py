"""Retroactive contextual integration (RCI): how new evidence changes the memories that it touches.

A memory of affinity a in (0, 1] to the evidence (0 at or below the threshold theta, 1 for the same direction) moves
by

    V   <- max(0, V + eta_V a dV)                        at most eta_V |dV|
    pi  <- clip(pi + eta_pi a dpi, floor, 1)             at most eta_pi |dpi|
    tau <- clip(tau max(0.1, 1 + eta_tau a dtau), tau_low, tau_high)
    w   <- L2(w + eta_w a (w_n - w))

What holds of the last line (Proposition 1, iv, corrected): before renormalising, the step with a held fixed is a
contraction towards w_n with factor exactly 1 - eta_w a. Renormalising does not keep that: over the whole sphere the
map has the sharp Lipschitz constant (1 - l) / |1 - 2 l| with l = eta_w a, which is above 1. The real step, where a
depends on w, even spreads neighbours apart at the gate, by up to 1 + eta_w (1 + theta). What does hold: the distance
of a memory to w_n never grows, the order of memories along an arc to w_n is kept, repeated steps converge to w_n, in
the end at the rate 1 - eta_w, and below the gate nothing moves.

Source: "Caching for the Future", section 3.5, eqs. 9-12; the numbers that it leaves open are chosen here.
"""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay import kernels
from scrubjay.errors import ArgumentError, ArgumentTypeError
from scrubjay.memory import MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY
from scrubjay.protocols import Array


class Integration(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of the law; all are chosen (the source's table of them is lost).

    >>> Integration(theta=1.0)
    Traceback (most recent call last):
        ...
    scrubjay.errors.ArgumentError: theta must be in [-1, 1), got 1.0
    """

    theta: float = 0.60
    """Cosine at or below which evidence does not reach a memory, in [-1, 1)."""
    value_rate: float = 0.5
    """eta_V, in [0, 1]."""
    pi_rate: float = 0.5
    """eta_pi, in [0, 1]."""
    tau_rate: float = 0.5
    """eta_tau, in [0, 1]."""
    what_rate: float = 0.2
    """eta_w, in [0, 1]."""
    value_limit: float = 1.0
    """Largest |dV|."""
    pi_limit: float = 0.5
    """Largest |dpi|."""
    tau_least: float = -0.9
    """Smallest dtau, in (-inf, 0]."""
    tau_most: float = 1.0
    """Largest dtau, >= 0."""
    pi_floor: float = MIN_PERISHABILITY
    """What pi is not lowered below, so that it stays in its domain (0, 1]."""
    tau_low: float = MIN_HORIZON
    """Smallest horizon, in seconds."""
    tau_high: float = MAX_HORIZON
    """Largest horizon, in seconds."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if isinstance(value := getattr(self, name), bool) or not isinstance(value, Real):
                raise ArgumentTypeError(f"{name}: expected a number, got {type(value).__name__}")
        if not -1 <= self.theta < 1:
            raise ArgumentError(f"theta must be in [-1, 1), got {self.theta}")
        for name in ("value_rate", "pi_rate", "tau_rate", "what_rate"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be in [0, 1], got {getattr(self, name)}")
        for name in ("value_limit", "pi_limit", "tau_most"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ArgumentError(f"{name} must be finite and >= 0, got {getattr(self, name)}")
        if not (isfinite(self.tau_least) and self.tau_least <= 0):
            raise ArgumentError(f"tau_least must be finite and <= 0, got {self.tau_least}")
        if not 0 < self.pi_floor <= 1:
            raise ArgumentError(f"pi_floor must be in (0, 1], got {self.pi_floor}")
        if not (0 < self.tau_low <= self.tau_high and isfinite(self.tau_high)):
            raise ArgumentError(f"0 < tau_low <= tau_high must hold, got {self.tau_low} and {self.tau_high}")


class Deltas(msgspec.Struct, frozen=True, kw_only=True):
    """What the evidence says of every memory that it reaches, before rate and affinity."""

    value: float = 0.0
    """dV: added to the base value."""
    pi: float = 0.0
    """dpi: added to the perishability."""
    tau: float = 0.0
    """dtau: relative change of the horizon; 0.2 is 20 % longer."""

    def bounded(self, law: Integration) -> Deltas:
        """These deltas clipped to the law's limits.

        Raises:
            ArgumentError: a delta is NaN or infinite: there is no clip that all machines agree on.

        >>> Deltas(value=-7.0, pi=0.1, tau=9.0).bounded(Integration())
        Deltas(value=-1.0, pi=0.1, tau=1.0)
        """
        for name in ("value", "pi", "tau"):
            if not isfinite(getattr(self, name)):
                raise ArgumentError(f"the delta of {name} must be finite, got {getattr(self, name)}")
        return Deltas(
            value=min(max(self.value, -law.value_limit), law.value_limit),
            pi=min(max(self.pi, -law.pi_limit), law.pi_limit),
            tau=min(max(self.tau, law.tau_least), law.tau_most),
        )


class Reached(NamedTuple):
    """The memories that evidence reached."""

    rows: NDArray[np.int64]
    """Ascending."""
    affinities: NDArray[np.float32]
    """In (0, 1], one a row."""
    kept: NDArray[np.int64]
    """Rows of which everything moved but the vector, because its sum with the evidence had no direction."""


def gate(
    what: Array,
    vector: Array,
    law: Integration,
    *,
    among: Array | None = None,
    codes: tuple[Array, Array, Array] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows that the evidence reaches, ascending, and their affinities; nothing is changed.

    Args:
        what: (n, d) float32, unit rows.
        vector: (d,) float32, the evidence, unit.
        among: (n,) bool: rows that may be reached (a namespace, without what is pinned); None: all.
        codes: of the rows of `what` (`scrubjay.kernels.codes`): the same result sooner.

    >>> import numpy as np
    >>> rows, affinities = gate(np.eye(2, dtype=np.float32), np.array([1, 0], np.float32), Integration())
    >>> rows.tolist(), affinities.tolist()
    ([0], [1.0])
    """
    return kernels.rci_gate(what, vector, theta=law.theta, among=among, codes=codes, threads=threads)


def integrate(
    what: Array,
    value: Array,
    pi: Array,
    tau: Array,
    vector: Array,
    deltas: Deltas,
    law: Integration,
    *,
    among: Array | None = None,
    threads: int = 0,
) -> Reached:
    """Integrate one piece of evidence; `what`, `value`, `pi` and `tau` are changed in place, in one pass.

    Args:
        what: (n, d) float32, unit rows. Like the next three: writable and C-contiguous.
        value, pi, tau: (n,) float32; tau in seconds.
        vector: (d,) float32, the evidence, unit.
        deltas: clipped to the law's limits first.
        among: as in `gate`.

    Raises:
        ArgumentError: a delta is not finite, sizes do not fit, or arrays share memory. Nothing was changed.

    >>> import numpy as np
    >>> what = np.eye(2, dtype=np.float32)
    >>> value, pi, tau = (np.full(2, x, np.float32) for x in (1.0, 0.5, 1000.0))
    >>> integrate(what, value, pi, tau, np.array([1, 0], np.float32), Deltas(tau=-0.5), Integration()).rows.tolist()
    [0]
    >>> tau.tolist()
    [750.0, 1000.0]
    """
    return Reached(
        *kernels.rci(
            what,
            value,
            pi,
            tau,
            vector,
            theta=law.theta,
            among=among,
            threads=threads,
            codes=None,
            **_steps(deltas, law),
        )
    )


def replay(
    what: Array,
    value: Array,
    pi: Array,
    tau: Array,
    vector: Array,
    deltas: Deltas,
    law: Integration,
    rows: Array,
    affinities: Array,
) -> NDArray[np.int64]:
    """Do again what `integrate` did, from the rows and affinities that it returned: the same bits on every CPU.

    Returns:
        The rows whose vector was kept.

    >>> import numpy as np
    >>> what = np.eye(2, dtype=np.float32)
    >>> value, pi, tau = (np.full(2, x, np.float32) for x in (1.0, 0.5, 1000.0))
    >>> vector, rows, affinities = np.array([1, 0], np.float32), np.array([1]), np.array([0.5], np.float32)
    >>> replay(what, value, pi, tau, vector, Deltas(value=-1.0), Integration(), rows, affinities).tolist()
    []
    >>> value.tolist()
    [1.0, 0.75]
    """
    return kernels.rci_apply(what, value, pi, tau, vector, rows, affinities, codes=None, **_steps(deltas, law))


def _steps(deltas: Deltas, law: Integration) -> dict[str, float]:
    """Rates times bounded deltas, and the bounds of the state, as the kernel takes them."""
    bounded = deltas.bounded(law)
    return {
        "value_step": law.value_rate * bounded.value,
        "pi_step": law.pi_rate * bounded.pi,
        "tau_step": law.tau_rate * bounded.tau,
        "what_step": law.what_rate,
        "pi_floor": law.pi_floor,
        "tau_low": law.tau_low,
        "tau_high": law.tau_high,
    }
