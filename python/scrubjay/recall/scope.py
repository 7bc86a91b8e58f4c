"""Which rows a search may see: the living rows of a namespace, or of one and all below it, that are not archived.

Every row belongs to exactly one namespace. The index keeps the row numbers per namespace and grows with the columns, so
a namespace of 100 memories costs the same beside a million others as alone.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import LIVE, VISIBLE, Columns
from scrubjay.sets import distinct

SCAN_SHARE: Final = 0.5
"""From this share of all rows on, a masked scan of everything beats gathering the rows (chosen)."""

_NO_ROWS: Final[NDArray[np.int64]] = np.empty(0, np.int64)
_NO_ROWS.flags.writeable = False


class Scope(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The rows that a search may see, as the ranking kernel takes them."""

    count: int
    """Number of rows to score."""
    rows: NDArray[np.int64] | None = None
    """Row numbers, ascending; None: all rows, less those that `live` excludes. Never None where `count` is 0."""
    live: NDArray[np.bool_] | None = None
    """(n,) bool, None: every row."""
    newest: float = 0.0
    """Newest `when` among the rows, seconds since the epoch; 0 where there are none."""

    def __post_init__(self) -> None:
        # who asks for the rows of no rows must not be told all of them
        if not self.count and self.rows is None:
            msgspec.structs.force_setattr(self, "rows", _NO_ROWS)

    def latest(self, columns: Columns, now: float) -> float | None:
        """The newest `when` that is not after `now`; None where every memory is later, or there is none.

        Questions at one time are answered from what the first has found; of other times the second sorts the rows.
        """
        if not self.count:
            return None
        if self.newest <= now:
            return self.newest
        kept = self.__dict__
        spans: tuple[float, float] = kept.get("_span", (math.inf, math.inf))
        if not spans[0] <= now < spans[1]:
            times = kept.get("_sorted")
            if times is None:
                times = columns.when[slice(None) if self.rows is None else self.rows]
                times = times if self.rows is not None or self.live is None else times[self.live]
                if "_span" in kept:
                    times = kept["_sorted"] = np.sort(times)
            if "_sorted" in kept:
                at = int(np.searchsorted(times, now, side="right"))
                low, high = times[at - 1] if at else -math.inf, times[at] if at < len(times) else math.inf
            else:
                past = times <= now
                low = times[past].max(initial=-math.inf)
                high = times[~past].min(initial=math.inf)
            spans = kept["_span"] = float(low), float(high)
        return spans[0] if spans[0] > -math.inf else None

    def listed(self, columns: Columns) -> NDArray[np.int64]:
        """(count,) the row numbers, ascending."""
        if self.rows is not None:
            return self.rows
        return np.arange(len(columns)) if self.live is None else np.flatnonzero(self.live)

    def holds(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(k,) bool: which of some living rows are inside."""
        if self.rows is not None:
            if not len(self.rows):
                return np.zeros(len(rows), np.bool_)
            at = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
            inside: NDArray[np.bool_] = self.rows[at] == rows
            return inside
        return np.ones(len(rows), np.bool_) if self.live is None else self.live[rows]


class ScopeIndex:
    """Row numbers per namespace over growing columns.

    Not safe for threads by itself: the caller holds the lock under which it folds.
    """

    def __init__(self) -> None:
        self._generation = -1
        self._n = 0
        self._chunks: dict[int, list[NDArray[np.int64]]] = {}
        self._scopes: dict[int, Scope] = {}
        self._trees: dict[tuple[str, ...], Scope] = {}
        self._seq = -1

    def scope(self, columns: Columns, space: int | None) -> Scope:
        """The living rows of namespace number `space`; of every namespace for None."""
        self._update(columns)
        known = self._scopes.get(-1 if space is None else space)
        if known is None:
            known = self._every(columns) if space is None else self._one(columns, space)
            self._scopes[-1 if space is None else space] = known
        return known

    def several(self, columns: Columns, name: tuple[str, ...], spaces: NDArray[np.int64]) -> Scope:
        """The living rows of the namespaces of those numbers, which are those below `name`."""
        self._update(columns)
        known = self._trees.get(name)
        if known is None:
            known = self._trees[name] = self._some(columns, spaces)
        return known

    def _update(self, columns: Columns) -> None:
        if columns.generation != self._generation:
            # other rows at the same event: compaction takes rows away without adding an event
            self._generation, self._n, self._chunks, self._seq = columns.generation, 0, {}, -1
        if columns.seq != self._seq:
            self._seq, self._scopes, self._trees = columns.seq, {}, {}
        n = len(columns)
        if n > self._n:
            fresh = columns.space[self._n : n]
            order = np.argsort(fresh, kind="stable")
            names, starts = np.unique(fresh[order], return_index=True)
            for name, part in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
                self._chunks.setdefault(name, []).append(part.astype(np.int64) + self._n)
            self._n = n

    def _one(self, columns: Columns, space: int) -> Scope:
        chunks = self._chunks.get(space)
        if not chunks:
            return Scope(count=0)
        if len(chunks) > 1:
            self._chunks[space] = chunks = [np.concatenate(chunks)]
        rows = chunks[0]
        if len(rows) >= SCAN_SHARE * len(columns):
            if len(rows) == len(columns):
                return self._every(columns)
            return _masked(columns, columns.visible() & (columns.space == space))
        rows = rows[(columns.flags[rows] & VISIBLE) == LIVE]
        return of_rows(columns, rows)

    def _some(self, columns: Columns, spaces: NDArray[np.int64]) -> Scope:
        chunks = [chunk for space in spaces.tolist() for chunk in self._chunks.get(space, ())]
        total = sum(map(len, chunks))
        if not total:
            return Scope(count=0)
        if total == len(columns):
            return self._every(columns)
        if total >= SCAN_SHARE * len(columns):
            inside = np.zeros(int(columns.space.max()) + 1, np.bool_)
            inside[spaces[spaces < len(inside)]] = True
            return _masked(columns, columns.visible() & inside[columns.space])
        rows = np.sort(np.concatenate(chunks))
        rows = rows[(columns.flags[rows] & VISIBLE) == LIVE]
        return of_rows(columns, rows)

    def _every(self, columns: Columns) -> Scope:
        seen = columns.visible()
        if not seen.all():
            return _masked(columns, seen)
        return Scope(count=len(columns), newest=float(columns.when.max()) if len(columns) else 0.0)


def of_rows(columns: Columns, rows: NDArray[np.int64]) -> Scope:
    """A scope of these living rows, ascending."""
    newest = float(columns.when[rows].max()) if len(rows) else 0.0
    return Scope(count=len(rows), rows=rows, newest=newest)


def _masked(columns: Columns, live: NDArray[np.bool_]) -> Scope:
    count = int(live.sum())
    newest = float(columns.when[live].max()) if count else 0.0
    return Scope(count=count, live=live, newest=newest)


def narrowed(columns: Columns, scope: Scope, keys: NDArray[np.int64]) -> Scope:
    """The scope, of the memories of these keys alone."""
    rows = columns.rows(keys)
    rows = distinct(rows[rows >= 0])
    rows = rows[scope.holds(rows)]
    return of_rows(columns, rows)
