"""Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1): how far to move along each of
some gradients, in units of the step size.

>>> adam = Adam([np.zeros(2, np.float32)])
>>> adam.moves([np.float32([3.0, -0.5])])[0].round(3).tolist()
[1.0, -1.0]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Adam:
    """The running moments of the gradients of some arrays, with the printed rates .9 and .999 and 1e-8."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self._first = [np.zeros_like(array) for array in arrays]
        self._second = [np.zeros_like(array) for array in arrays]
        self.done = 0
        """Steps so far."""

    def moves(self, gradients: Sequence[Array]) -> list[Array]:
        """A step: a move for each array, to be subtracted times the step size."""
        self.done += 1
        one, two = np.float32(1 - 0.9**self.done), np.float32(1 - 0.999**self.done)
        out = []
        for first, second, gradient in zip(self._first, self._second, gradients, strict=True):
            first += np.float32(0.1) * (gradient - first)
            second += np.float32(0.001) * (gradient * gradient - second)
            out.append(first / one / (np.sqrt(second / two) + np.float32(1e-8)))
        return out
