"""The whole graph as compressed rows, kept beside the slots: what a hop over every memory runs on.

The base is built at once; rows that changed since are the delta, computed from the slots, and once there are many of
them the base is built anew.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.graph.edges import neighbours
from scrubjay.kernels.graph import Graph
from scrubjay.sets import union

MERGE_SHARE: Final = 0.05
"""The delta is merged once it holds so large a share of all rows (chosen)."""
MERGE_ROWS: Final = 64
"""... and more than so many."""
_CHUNK: Final = 1 << 15


class Csr:
    """Not safe for threads by itself: the caller holds a lock, and the gate."""

    def __init__(self) -> None:
        self._base: Graph | None = None
        self._generation = -1
        self._changes = -1
        self._delta = np.empty(0, np.int64)

    @property
    def delta(self) -> int:
        """Rows that changed since the base was built."""
        return len(self._delta)

    def update(self, columns: Columns) -> None:
        """Take in what changed since the last call."""
        links, n = columns.links, len(columns)
        if self._changes == links.changes and self._generation == columns.generation and self._base is not None:
            return
        touched = links.take_touched()
        fresh = self._base is None or self._generation != columns.generation or touched is None
        if not fresh and touched is not None and self._base is not None:
            rows = union(self._delta, touched)
            self._delta = rows[rows < n]
            most = max(MERGE_ROWS, MERGE_SHARE * n)
            fresh = len(self._delta) > most or n > self._base.nodes + most
        if fresh:
            self._base, self._delta = build(columns), np.empty(0, np.int64)
        self._generation, self._changes = columns.generation, links.changes

    def hop(self, columns: Columns, brings: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n,) float32: sum of e times what each neighbour `brings` (n,), 0 for rows that should bring nothing."""
        self.update(columns)
        assert self._base is not None
        known = self._base.nodes
        out = np.zeros(len(columns), np.float32)
        out[:known] = self._base.hop(np.ascontiguousarray(brings[:known]))
        late = union(self._delta, np.arange(known, len(columns)))
        for start in range(0, len(late), _CHUNK):
            rows = late[start : start + _CHUNK]
            edges = neighbours(columns.links, rows, columns.live(), columns.key)
            out[rows] = np.bincount(edges.at, edges.weights * brings[edges.rows], len(rows))
        return out


def build(columns: Columns) -> Graph:
    """All edges between living rows."""
    alive, n = columns.live(), len(columns)
    sources, targets, weights = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for start in range(0, n, _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, n))
        edges = neighbours(columns.links, rows, alive, columns.key)
        sources.append(edges.at + start)
        targets.append(edges.rows)
        weights.append(edges.weights)
    return Graph.from_edges(
        np.concatenate(sources), np.concatenate(targets), np.concatenate(weights).astype(np.float32), n
    )
