"""Witnesses: rows of an index that every question is compared with, so that the graph cannot miss a whole group unseen.

A graph is walked from one place along edges. Groups of vectors that are much alike have edges among themselves and few
to others, and a walk may never reach the group that a question lies in. Witnesses lie spread over the groups: they are
drawn in `ROUNDS` rounds, each row with a chance in proportion to its squared distance to the nearest that was drawn
(Bahmani et al., "Scalable k-means++", 2012), so that a group which has none is drawn from before others are again. A
witness that is nearer to a question than what the graph found, and that the graph did not find, proves a miss.

>>> rows = np.repeat(np.eye(40, dtype=np.float32), 30, axis=0)
>>> len(np.unique(spread(rows, 64) // 30))
40
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST: Final = 1024
"""Most witnesses (measured: comparing a question with them takes a small part of a search)."""
SHARE: Final = 8
"""Slots for each witness, where that gives fewer."""
SEEN: Final = 1 << 13
"""Most slots that witnesses are drawn from."""
ROUNDS: Final = 8
_SEED: Final = 7


class Witnesses(NamedTuple):
    """Slots, and what is kept of them as float32 for the product with questions."""

    slots: NDArray[np.int64]
    vectors: NDArray[np.float32]


def spread(vectors: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """At most `most` of n rows, ascending, spread over their groups; the same rows give the same."""
    n = len(vectors)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(_SEED)
    drawn = rng.choice(n, max(1, most // ROUNDS), replace=False)
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    apart = np.full(n, np.inf)
    fresh = drawn
    while True:
        products = vectors @ vectors[fresh].T
        apart = np.minimum(apart, (lengths[:, None] + lengths[fresh] - 2.0 * products).min(axis=1))
        # what rounding leaves of a distance of 0 draws nobody
        apart[apart <= 1e-5 * lengths] = 0.0
        apart[drawn] = 0.0
        count = min(max(1, most // ROUNDS), most - len(drawn), int(np.count_nonzero(apart)))
        if not count:
            return np.sort(drawn)
        fresh = rng.choice(n, count, replace=False, p=apart / apart.sum())
        drawn = np.concatenate([drawn, fresh])
