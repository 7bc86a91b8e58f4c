"""Turns know their neighbours: the memories of one conversation, in the order in which they were added.

A memory whose metadata names a "thread" is a turn of it (`scrubjay.memory.thread_of`); threads of different namespaces
are different. A turn's term is the share `thread` of what its better neighbour, the turn before or the turn after,
gets for its own words and meaning: an answer is often found beside the question that repeats the words of the query.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import LIVE, Columns
from scrubjay.recall.scope import Scope


class ThreadIndex:
    """Row numbers per thread over growing columns.

    Not safe for threads by itself: the caller holds the lock under which it folds.
    """

    def __init__(self) -> None:
        self._columns: Columns | None = None
        self._generation = -1
        self._n = 0
        self._chunks: dict[tuple[int, int], list[NDArray[np.int64]]] = {}

    def update(self, columns: Columns) -> bool:
        """Take in what the columns have gained; False where no memory is part of a thread."""
        if columns is not self._columns or columns.generation != self._generation:
            self._columns, self._generation, self._n, self._chunks = columns, columns.generation, 0, {}
        n = len(columns)
        if n > self._n:
            fresh = self._n + np.flatnonzero(columns.thread[self._n : n])
            space, thread = columns.space[fresh], columns.thread[fresh]
            order = np.lexsort((fresh, thread, space))
            fresh, space, thread = fresh[order], space[order], thread[order]
            starts = np.flatnonzero((np.diff(space) != 0) | (np.diff(thread) != 0)) + 1
            for part in np.split(fresh, starts):
                if len(part):
                    name = (int(columns.space[part[0]]), int(columns.thread[part[0]]))
                    self._chunks.setdefault(name, []).append(part.astype(np.int64))
            self._n = n
        return bool(self._chunks)

    def around(self, columns: Columns, scope: Scope, row: int, reach: int) -> NDArray[np.int64]:
        """Up to `reach` turns before and as many behind a living row of `scope`, and the row itself, in order."""
        turns = self._turns(columns, scope, int(columns.space[row]), int(columns.thread[row]))
        at = int(np.searchsorted(turns, row))
        if at >= len(turns) or turns[at] != row:
            return np.array([row])
        return turns[max(0, at - reach) : at + reach + 1]

    def neighbours(
        self, columns: Columns, scope: Scope, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """((k,), (k,)): the living turn of `scope` before and behind each living row of it, -1 where there is none."""
        before, after = np.full(len(rows), -1, np.int64), np.full(len(rows), -1, np.int64)
        if not len(rows):
            return before, after
        thread, space = columns.thread[rows], columns.space[rows]
        for name in {(s, t) for s, t in zip(space.tolist(), thread.tolist(), strict=True) if t}:
            mine = np.flatnonzero((space == name[0]) & (thread == name[1]))
            turns = self._turns(columns, scope, *name)
            at = np.searchsorted(turns, rows[mine])
            edge = np.concatenate([[-1], turns, [-1]])
            before[mine], after[mine] = edge[at], edge[np.minimum(at + 2, len(edge) - 1)]
        return before, after

    def _turns(self, columns: Columns, scope: Scope, space: int, thread: int) -> NDArray[np.int64]:
        chunks = self._chunks.get((space, thread))
        if not chunks:
            return np.empty(0, np.int64)
        if len(chunks) > 1:
            self._chunks[space, thread] = chunks = [np.concatenate(chunks)]
        turns = chunks[0][(columns.flags[chunks[0]] & LIVE) != 0]
        kept: NDArray[np.int64] = turns[scope.holds(turns)]
        return kept
