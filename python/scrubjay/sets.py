"""Sets of row numbers and keys: ascending arrays without repetitions, made by sorting.

`numpy.unique` hashes whole numbers from NumPy 2.3 on: that takes 3 to 8 times as long for the sizes here (measured,
1,000 to 100,000), and where the interpreter ends while a daemon thread is inside, it aborts the process.

>>> distinct(np.array([7, 3, 7])).tolist(), union(np.array([1, 5]), np.array([5, 2])).tolist()
([3, 7], [1, 2, 5])
>>> without(np.array([4, 2, 9, 2]), np.array([9])).tolist()
[2, 4]
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Whole = TypeVar("Whole", bound=np.integer)


def distinct(values: NDArray[Whole]) -> NDArray[Whole]:
    """The distinct ones of whole numbers, ascending; of any shape."""
    ordered = np.sort(values, axis=None)
    if len(ordered) < 2:
        return ordered
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def union(one: NDArray[Whole], other: NDArray[Whole]) -> NDArray[Whole]:
    """What is in either, ascending."""
    return distinct(np.concatenate([one, other]))


def without(one: NDArray[Whole], other: NDArray[Whole]) -> NDArray[Whole]:
    """What is in `one` and not in `other`, ascending."""
    kept = distinct(one)
    if not len(kept) or not len(other):
        return kept
    barred = np.sort(other, axis=None)
    at = np.minimum(np.searchsorted(barred, kept), len(barred) - 1)
    left: NDArray[Whole] = kept[barred[at] != kept]
    return left
