"""Who is compared with whom: of a pool of candidates those alone that can be among the first.

Competition only takes away. What a memory scores before anybody has competed with it is therefore a bound of what it
will score, and one that does not come first by its bound need not be compared with hundreds of others to see that it
does not come first.

>>> asked = []
>>> lost = np.zeros(4)
>>> def taken(some):
...     asked.extend(some.tolist())
...     return np.where(some == 0, 1.0, 0.0)
>>> scores = contest(1, np.arange(4), lost, taken, lambda due: np.array([4.0, 3.0, 2.0, 1.0]) * (1 - lost))
>>> int(scores.argmax()), asked
(1, [0, 1, 2])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Edges(NamedTuple):
    """Which of n memories has something from which: the score of `at` (e,) depends on what `of` (e,) has lost."""

    at: Places
    of: Places


NO_EDGES = Edges(np.empty(0, np.intp), np.empty(0, np.intp))


def contest(
    k: int,
    rows: NDArray[np.int64],
    lost: Floats,
    taken: Callable[[Places], Floats],
    total: Callable[[Bools], Floats],
    *,
    compared: Bools | None = None,
    edges: Edges = NO_EDGES,
) -> Floats:
    """Scores of `rows` (n,), of which those of the first k are what they score in the end, all others at most that.

    Args:
        lost: (n,) what each has lost before; what it loses to others is filled in for all that are compared.
        taken: what some of them, by their places, lose to the others.
        total: the scores as of `lost`; those of memories that are yet `due` (n,) may be bounds.
        compared: (n,) False for those that nobody is to be compared with, which are none of the first k.
    """
    n = len(rows)
    takes_part = np.ones(n, bool) if compared is None else compared
    due, count = takes_part.copy(), k
    while True:
        scores = total(due)
        waits = due | (np.bincount(edges.at, due[edges.of], n) > 0)
        order = np.lexsort((rows, np.where(takes_part, -scores, np.inf)))
        if not waits[order[:k]].any():
            return scores
        chosen = np.zeros(n, bool)
        chosen[order[waits[order]][:count]] = True
        chosen[edges.of[chosen[edges.at]]] = True
        some = np.flatnonzero(chosen & due)
        lost[some] = np.maximum(lost[some], taken(some))
        due[some] = False
        # who has lost makes room for many: the next are looked at by twice as many
        count *= 2
