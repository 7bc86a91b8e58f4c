"""Namespaces as a tree of labels: which numbers lie below a prefix.

Labels are compared whole and one by one, so ("use",) is no prefix of ("users",).

>>> tree = SpaceTree()
>>> tree.add([(0, ("use",)), (1, ("users", "ada")), (2, ("use", "x"))])
>>> tree.below(("use",)).tolist(), tree.below(()).tolist(), tree.labels[1]
([0, 2], [0, 1, 2], ('users', 'ada'))
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class SpaceTree:
    """Grows with the store; numbers are dense but where an event is damaged. The caller holds a lock."""

    def __init__(self) -> None:
        self.labels: dict[int, tuple[str, ...]] = {}
        self.next = 0
        """The first number that it has not seen."""
        self._below: dict[tuple[str, ...], list[int]] = {}

    def add(self, found: Iterable[tuple[int, tuple[str, ...]]]) -> None:
        """Take in namespaces, by rising number."""
        for number, labels in found:
            if number < self.next:
                continue
            self.labels[number] = labels
            self.next = number + 1
            for depth in range(len(labels) + 1):
                self._below.setdefault(labels[:depth], []).append(number)

    def below(self, labels: tuple[str, ...]) -> NDArray[np.int64]:
        """Numbers of a namespace and of all below it, rising."""
        return np.array(self._below.get(labels, ()), np.int64)
