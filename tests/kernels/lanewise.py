"""What the tests of elementwise kernels share: sizes around the lane width, memory off the alignment, bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scrubjay import isa

SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1000]


def bits(array: NDArray[np.floating]) -> bytes:
    """The bytes of an array, every NaN alike."""
    return np.where(np.isnan(array), array.dtype.type(np.nan), array).tobytes()


def unaligned(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The same values, one value past a 64-byte boundary: aligned to their own size and to nothing more."""
    raw = np.zeros(array.nbytes + 128, np.uint8)
    start = -raw.ctypes.data % 64 + array.itemsize
    out = raw[start : start + array.nbytes].view(array.dtype)
    out[:] = array
    return out


def on_each_isa(run: Callable[[], tuple[NDArray[np.floating], ...]]) -> dict[str, tuple[bytes, ...]]:
    """The bits of what `run` returns, by instruction set."""
    seen = {}
    for name in isa.available():
        with isa.using(name):
            seen[name] = tuple(bits(out) for out in run())
    return seen
