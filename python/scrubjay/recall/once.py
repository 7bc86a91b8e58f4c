"""What is asked of rows again in each round of one question, found once for each row.

>>> asked = []
>>> def squares(rows):
...     asked.extend(rows.tolist())
...     return (rows * rows,)
>>> once = Once(squares)
>>> once(np.array([3, 1]))[0].tolist(), once(np.array([2, 3, 3]))[0].tolist(), asked
([9, 1], [4, 9, 9], [1, 3, 2])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrubjay.sets import without

Rows = NDArray[np.int64]
Parts = tuple[NDArray[Any], ...]


class Once:
    """A function of rows (k,) to arrays of k rows each, of which each depends on its own row alone."""

    def __init__(self, make: Callable[[Rows], Parts]) -> None:
        self._make = make
        self._rows: Rows = np.empty(0, np.int64)
        self._found: Parts = ()

    def __call__(self, rows: Rows) -> Parts:
        """The function's parts for some rows."""
        new = without(rows, self._rows)
        if len(new) or not self._found:
            fresh, every = self._make(new), np.concatenate([self._rows, new])
            order = np.argsort(every)
            self._rows = every[order]
            held = self._found or tuple(part[:0] for part in fresh)
            self._found = tuple(np.concatenate([one, other])[order] for one, other in zip(held, fresh, strict=True))
        at = np.searchsorted(self._rows, rows)
        return tuple(part[at] for part in self._found)
