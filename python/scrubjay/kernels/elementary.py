"""Elementary functions with the same bits on every CPU: what laws that change state use in place of the C library's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array


def exp(x: Array, *, out: NDArray[Any] | None = None, threads: int = 0) -> NDArray[Any]:
    """e to the power of x.

    Args:
        x: (n,) float32 or float64, any value.
        out: where to put the result, (n,) of the dtype of x; may be x itself.

    Returns:
        (n,) of the dtype of x, within 1 ulp (float32) or 2 ulp (float64), never falling as x rises. NaN gives NaN.

    Raises:
        ArgumentTypeError: another dtype or number of axes, or an `out` that is not writable and contiguous.
        ArgumentError: `out` has another length, or shares memory with x shifted.

    Source: own polynomial after reduction by ln 2.

    >>> import numpy as np
    >>> exp(np.array([-np.inf, 0.0, 1.0])).round(6).tolist()
    [0.0, 1.0, 2.718282]
    """
    return _core.exp(x, out=out, threads=threads)


def log(x: Array, *, out: NDArray[Any] | None = None, threads: int = 0) -> NDArray[Any]:
    """The natural logarithm of x.

    Args:
        x: (n,) float32 or float64; >= 0.
        out: as in `exp`.

    Returns:
        (n,) of the dtype of x, within 1 ulp (float32) or 3 ulp (float64); -inf at 0, NaN below 0 and for NaN.

    Raises:
        ArgumentTypeError, ArgumentError: as in `exp`.

    Source: own polynomial after taking the exponent off.

    >>> import numpy as np
    >>> log(np.array([1.0, np.e])).round(9).tolist()
    [0.0, 1.0]
    """
    return _core.log(x, out=out, threads=threads)


def power(x: Array, y: Array, *, out: NDArray[np.float64] | None = None, threads: int = 0) -> NDArray[np.float64]:
    """x to the power of y.

    Args:
        x: (n,) float64, >= 0.
        y: (n,) float64, finite.
        out: as in `exp`; may be x or y.

    Returns:
        (n,) float64, within 2 ulp; 0^0 is 1. NaN gives NaN.

    Raises:
        ArgumentTypeError, ArgumentError: as in `exp`; x and y of different lengths.

    Source: exp(y log x) with the logarithm in two parts.

    >>> import numpy as np
    >>> power(np.array([2.0, 9.0]), np.array([10.0, 0.5])).round(9).tolist()
    [1024.0, 3.0]
    """
    return _core.power(x, y, out=out, threads=threads)
