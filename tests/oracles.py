"""Each kernel in a few lines of plain NumPy float64: what the native code must agree with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def dot(rows: F64, query: F64) -> F64:
    return rows.astype(np.float64) @ query.astype(np.float64)


def utility(value: F64, pi: F64, tau: F64, when: F64, now: float) -> F64:
    age = np.maximum(0.0, now - when)
    return value.astype(np.float64) * np.exp(-pi.astype(np.float64) * age / tau.astype(np.float64))
