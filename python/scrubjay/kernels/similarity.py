"""Similarity: rows against a query, rows against a packed matrix."""

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


def pack(matrix: Array) -> NDArray[np.float32]:
    """A matrix in the order in which `product` reads it.

    Args:
        matrix: (k, n) float32, k >= 1.

    Returns:
        (ceil(n / 16), 16 k) float32: a row is a panel, 16 columns side by side; the last is filled with zeros.

    Raises:
        ArgumentTypeError: another dtype or number of axes.

    Source: the usual layout of a blocked matrix product; chosen.

    >>> import numpy as np
    >>> pack(np.ones((3, 20), np.float32)).shape
    (2, 48)
    """
    values, _ = _core.view(matrix, "float32", 2)
    rows, columns = values.shape
    panels = np.zeros((-(-columns // 16), rows, 16), dtype=np.float32)
    for start in range(0, columns, 16):
        part = values[:, start : start + 16]
        panels[start // 16, :, : part.shape[1]] = part
    return panels.reshape(len(panels), -1)


def product(rows: Array, panels: Array, *, threads: int = 0) -> NDArray[np.float32]:
    """The matrix product of `rows` and a matrix that was packed by `pack`.

    Unlike a BLAS's, a row's result depends neither on how many rows there are, nor on the instruction set, nor on the
    threads.

    Args:
        rows: (m, k) float32; rows may stand apart or overlap (windows over a sequence) and are read in place.
        panels: (p, 16 k) float32, from `pack`.
        threads: how many may share the work; 0: as SCRUBJAY_THREADS says, or every CPU.

    Returns:
        (m, 16 p) float32. Error at most (k + 1) 2^-24 |row| |column|. NaN or infinity in a row stays in its own result.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: `panels` is of a matrix with another number of rows.

    Source: the projections of an encoder (eq. 14's Enc); the blocking is chosen.

    >>> import numpy as np
    >>> matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> product(np.array([[1, 10]], np.float32), pack(matrix))[:, :3].tolist()
    [[30.0, 41.0, 52.0]]
    """
    return _core.product(rows, panels, threads=threads)


def binding(
    what: Array,
    where: Array,
    when: Array,
    tau: Array,
    *,
    period: float = 10.0,
    out: NDArray[np.float32] | None = None,
    threads: int = 0,
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
    return _core.binding(what, where, when, tau, period=period, out=out, threads=threads)
