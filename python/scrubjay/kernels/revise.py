"""Revise: retroactive contextual integration (RCI), what new evidence does to the memories that it reaches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.memory import MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY
from scrubjay.protocols import Array


def rci_gate(
    what: Array,
    vector: Array,
    *,
    theta: float,
    among: Array | None = None,
    codes: tuple[Array, Array, Array] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Which rows new evidence reaches, and how strongly: the affinity gate alone, nothing is changed.

    rho = row . vector, clamped to [-1, 1]; rho <= theta: not reached; else a = (rho - theta) / (1 - theta).

    Args:
        what: (n, d) float32, unit rows; read in place where rows are contiguous.
        vector: (d,) float32, the evidence, of unit norm, finite.
        theta: the threshold, in [-1, 1).
        among: (n,) bool (NumPy or Arrow, null as false): rows that may be reached; None: all.
        codes: from `scrubjay.kernels.codes`, of the rows of `what`: the same result, an eighth of the reading.

    Returns:
        The rows reached, ascending, int64; their affinities in (0, 1], float32. The product runs in one fixed order:
        the same rows and bits on every CPU. A row with NaN is not reached.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: sizes that do not fit, a vector that is not finite, theta out of range.

    Source: "Caching for the Future", section 3.5, step 1.

    >>> import numpy as np
    >>> what = np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    >>> rows, affinities = rci_gate(what, np.array([1, 0], np.float32), theta=0.6)
    >>> rows.tolist(), affinities.round(2).tolist()
    ([0, 1], [1.0, 0.5])
    """
    return _core.rci_gate(what, vector, theta=theta, among=among, codes=codes, threads=threads)


def rci(
    what: Array,
    value: Array,
    pi: Array,
    tau: Array,
    vector: Array,
    *,
    theta: float,
    value_step: float,
    pi_step: float,
    tau_step: float,
    what_step: float,
    pi_floor: float = MIN_PERISHABILITY,
    tau_low: float = MIN_HORIZON,
    tau_high: float = MAX_HORIZON,
    among: Array | None = None,
    codes: tuple[Array, Array, Array] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """Gate and change in one pass over memory. `what`, `value`, `pi` and `tau` are changed in place.

    With affinity a of a row (see `rci_gate`)::

        V   <- max(0, V + a value_step)
        pi  <- clip(pi + a pi_step, min(pi, pi_floor), 1)
        tau <- clip(tau max(0.1, 1 + a tau_step), tau_low, tau_high)
        w   <- L2(w + a what_step (vector - w))

    Args:
        what: (n, d) float32, unit rows. Like the next three: writable, C-contiguous, never converted.
        value, pi, tau: (n,) float32; V >= 0, pi in (0, 1], tau in seconds.
        vector: (d,) float32, the evidence, of unit norm, finite; not part of `what`.
        theta, among: as in `rci_gate`.
        value_step, pi_step, tau_step: learning rate times delta, finite.
        what_step: learning rate of the vector, in [0, 1].
        pi_floor, tau_low, tau_high: bounds; tau in seconds.
        codes: from `scrubjay.kernels.codes`, of the rows of `what`, writable and C-contiguous: the same result, an
            eighth of the reading. They follow the rows: those of rows that moved are made anew, in place.

    Returns:
        The rows reached (int64, ascending), their affinities (float32), and those of the rows whose vector was kept
        because the sum was shorter than 1e-6 or not finite. The same bits on every CPU and with any number of threads;
        `rci_apply` of rows and affinities gives them again.

    Raises:
        ArgumentTypeError: an array is not writable, contiguous and of that dtype.
        ArgumentError: sizes that do not fit, parameters out of range, arrays that share memory. Nothing was changed.

    Bounds: |V' - V| <= |value_step| + 1 ulp, |pi' - pi| <= |pi_step| + 1 ulp, tau' in [tau_low, tau_high].
    Source: "Caching for the Future", eqs. 9-12 (0.1 as in eq. 11; eq. 17 prints 1).

    >>> import numpy as np
    >>> what = np.array([[1, 0], [0, 1]], np.float32)
    >>> value, pi, tau = (np.full(2, x, np.float32) for x in (1, 0.5, 1000))
    >>> vector = np.array([0.8, 0.6], np.float32)
    >>> rows, affinities, kept = rci(
    ...     what, value, pi, tau, vector, theta=0.6, value_step=-0.5, pi_step=0.25, tau_step=0.0, what_step=0.2
    ... )
    >>> rows.tolist(), affinities.round(2).tolist(), value.tolist(), pi.tolist()
    ([0], [0.5], [0.75, 1.0], [0.625, 0.5])
    """
    return _core.rci(
        what,
        value,
        pi,
        tau,
        vector,
        theta=theta,
        value_step=value_step,
        pi_step=pi_step,
        tau_step=tau_step,
        what_step=what_step,
        pi_floor=pi_floor,
        tau_low=tau_low,
        tau_high=tau_high,
        among=among,
        codes=codes,
        threads=threads,
    )


def rci_apply(
    what: Array,
    value: Array,
    pi: Array,
    tau: Array,
    vector: Array,
    rows: Array,
    affinities: Array,
    *,
    value_step: float,
    pi_step: float,
    tau_step: float,
    what_step: float,
    pi_floor: float = MIN_PERISHABILITY,
    tau_low: float = MIN_HORIZON,
    tau_high: float = MAX_HORIZON,
    codes: tuple[Array, Array, Array] | None = None,
) -> NDArray[np.int64]:
    """The change of `rci` for given rows and affinities, as a log recorded them. Columns are changed in place.

    Args:
        rows: (m,) int64, row numbers in [0, n), applied in this order; a row may come again.
        affinities: (m,) float32, in [0, 1].
        codes: as in `rci`: they follow the rows.
        what, value, pi, tau, vector, ...: as in `rci`.

    Returns:
        The rows whose vector was kept, int64.

    Raises:
        ArgumentTypeError, ArgumentError: as in `rci`; or a row or affinity out of range. Nothing was changed.

    Source: "Caching for the Future", eqs. 9-12.

    >>> import numpy as np
    >>> what = np.array([[1, 0]], np.float32)
    >>> value, pi, tau = (np.full(1, x, np.float32) for x in (1, 0.5, 1000))
    >>> vector, rows, a = np.array([0, 1], np.float32), np.array([0]), np.array([1], np.float32)
    >>> kept = rci_apply(
    ...     what, value, pi, tau, vector, rows, a, value_step=0.0, pi_step=0.0, tau_step=0.5, what_step=0.5
    ... )
    >>> tau.tolist(), what.astype(float).round(4).tolist(), kept.tolist()
    ([1500.0], [[0.7071, 0.7071]], [])
    """
    return _core.rci_apply(
        what,
        value,
        pi,
        tau,
        vector,
        rows,
        affinities,
        value_step=value_step,
        pi_step=pi_step,
        tau_step=tau_step,
        what_step=what_step,
        pi_floor=pi_floor,
        tau_low=tau_low,
        tau_high=tau_high,
        codes=codes,
    )
