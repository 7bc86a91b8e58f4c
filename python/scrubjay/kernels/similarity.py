"""Similarity: rows against a query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array


def dot(rows: Array, query: Array) -> NDArray[np.float32]:
    """The product of each row with a query: the cosine, where both are of unit norm.

    Args:
        rows: (n, d) float32; slices of columns and every n-th row are read in place.
        query: (d,) float32.

    Returns:
        (n,) float32. Error at most d 2^-24 sum |x y|. NaN or infinity in a row stays in its own result.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: `query` has another length than a row.

    Source: the similarity of "Caching for the Future", eq. 5.

    >>> import numpy as np
    >>> dot(np.eye(3, dtype=np.float32), np.array([1, 2, 3], np.float32)).tolist()
    [1.0, 2.0, 3.0]
    """
    return _core.dot(rows, query)


def binding(
    what: Array,
    where: Array,
    when: Array,
    tau: Array,
    *,
    period: float = 10.0,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """What, where and when bound into one vector a memory.

    h = L2(0.55 what + 0.35 where + 0.10 sigmoid(what * where)); then ln(when + 1) mod period is added to h[0] and
    ln(tau + 1) mod period to h[1].

    Args:
        what: (n, d) float32, d >= 2.
        where: (n, d) float32, of the same d (project one of the two otherwise).
        when: (n,) float64, seconds since the Unix epoch; below 0 counts as 0.
        tau: (n,) float64, horizon in seconds, >= 0.
        period: in (0, 1e6].
        out: where to put the result, (n, d) float32; no part of an input.

    Returns:
        (n, d) float32, no longer of unit norm: compare bindings by cosine. Error 1e-6 a component; a row with NaN
        spoils no other.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: shapes that do not fit, or `period` out of range.

    Source: "Caching for the Future", eq. 2; the period is chosen here.

    >>> import numpy as np
    >>> one = np.array([[1, 0, 0]], np.float32)
    >>> binding(one, one, np.zeros(1), np.zeros(1)).astype(float).round(4).tolist()
    [[0.9974, 0.0512, 0.0512]]
    """
    return _core.binding(what, where, when, tau, period=period, out=out)
