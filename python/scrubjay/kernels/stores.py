"""Vectors in less room: bfloat16 and 8 bits to rank by, and codes that make the exact search of float32 rows faster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array


class Rows8(NamedTuple):
    """Rows of 8 bits a value: what `rank` takes as `what` or `where` beside float32 and bfloat16."""

    codes: NDArray[np.uint8]
    """(n, d rounded up to 64): u stands for scale (u - 128); 128 beyond d."""
    meta: NDArray[np.float32]
    """(2, n): the scale of each row, and an upper bound of its norm."""


class Codes(NamedTuple):
    """Codes of float32 rows: what `rank` takes as `what_codes` or `where_codes`; row i belongs to row i."""

    high: NDArray[np.uint8]
    """(n, h), h = half of d rounded up to 128: the upper four bits of each code."""
    low: NDArray[np.uint8]
    """(n, h): the lower four bits."""
    meta: NDArray[np.float32]
    """(4, n): scale; upper bounds of what all bits, and the upper four, leave out of the row; and of the norms."""


def to_bf16(rows: Array, *, threads: int = 0) -> NDArray[np.uint16]:
    """Rows as bfloat16: the nearest, ties to even.

    Args:
        rows: (n, d) float32.
        threads: how many may share the work; 0: as SCRUBJAY_THREADS says, or every CPU.

    Returns:
        (n, d) uint16, the upper half of a float32 each: half the room. A value is off by up to 2^-9 of itself.

    Raises:
        ArgumentTypeError: another dtype or number of axes.

    Source: IEEE 754 rounding to 8 significant bits.

    >>> import numpy as np
    >>> to_bf16(np.array([[1.0, 1.001]], np.float32)).tolist()
    [[16256, 16256]]
    """
    return _core.to_bf16(rows, threads=threads)


def quantize8(rows: Array, *, threads: int = 0) -> Rows8:
    """Rows as 8-bit codes with a scale each: a quarter of the room.

    `rank` treats what the codes stand for as the rows: it is exact for those, not for the rows that they were made of.

    Args:
        rows: (n, d) float32, finite and of magnitude up to 2^60; d up to 65,536.
        threads: how many may share the work; 0: as SCRUBJAY_THREADS says, or every CPU.

    Returns:
        `Rows8`. A value is off by up to half a scale, which is the row's largest magnitude / 127.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: a value is not finite or too large.

    Source: symmetric quantisation by row; chosen.

    >>> import numpy as np
    >>> codes, meta = quantize8(np.array([[0.5, -1.0, 0.0]], np.float32))
    >>> codes[0, :4].tolist(), ((codes[0, :3].astype(float) - 128) * meta[0]).round(2).tolist()
    ([192, 1, 128, 128], [0.5, -1.0, 0.0])
    """
    return Rows8(*_core.quantize8(rows, threads=threads))


def codes(rows: Array, *, threads: int = 0) -> Codes:
    """Codes of float32 rows, with which `rank` finds the same answer and reads an eighth of the bytes.

    With x a row, y what its codes stand for, q the query: |q.x - q.y| <= |q| |x - y|. The norm of x - y is kept with
    the codes, so every row whose upper bound reaches the k-th lower bound is known, and scored exactly. Rows are turned
    before they are coded (the randomized Hadamard transform; Ailon and Chazelle, 2009), and queries with them, so that
    a dimension of large values does not coarsen all others.

    Args:
        rows: (n, d) float32, d up to 32,768. Rows with NaN, infinity or magnitudes above 2^60 may be there: `rank`
            scores them without their codes.
        threads: how many may share the work; 0: as SCRUBJAY_THREADS says, or every CPU.

    Returns:
        `Codes`: d + 16 bytes a row, the same bits on every instruction set.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: rows are too wide.

    Source: the Cauchy-Schwarz inequality on the residual; chosen.

    >>> import numpy as np
    >>> rows = np.random.default_rng(0).standard_normal((8000, 32), dtype=np.float32)
    >>> from scrubjay.kernels import rank
    >>> weights = np.eye(1, 8)
    >>> found = rank(rows[:1], rows, weights, 3, what_codes=codes(rows))
    >>> found.plan, found.rows.tolist() == rank(rows[:1], rows, weights, 3).rows.tolist()
    ('sieve', True)
    """
    return Codes(*_core.codes(rows, threads=threads))
