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
