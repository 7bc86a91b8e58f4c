"""Newer statements of the same slot that a question itself does not bring up.

Competitors are looked for among the memories that are nearest to the query. Where a slot has more statements than that,
as a status that is reported each hour has, the one that holds may be none of them. So each hit that others of the pool
compete with has its own later rivals looked up: those nearest to it, and the newest of those that are about as near to
it as the competitors that are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.recall.scope import Scope
from scrubjay.sets import distinct, union, without
from scrubjay.slots.competition import FLOOR

ROUNDS: Final = 3
"""Times that one hit is looked up (chosen)."""
ROOM: Final = 128
"""Most rivals that are added to one question's candidates (chosen)."""
SHARE: Final = 64
"""Most rivals that one round adds (chosen)."""
RECENT: Final = 4096
"""Latest rows among which the newest that are near are looked for; beyond them only the nearest are (chosen)."""
_DEEP: Final = RECENT + 1024
"""Latest rows that are looked at: more than `RECENT`, and all that can have been compared."""
_FEW: Final = 3
"""Of fewer than one in so many of them the vectors are read anew (chosen)."""
MARGIN: Final = 0.15
"""Cosine by which a statement in other words may lie below the known competitors (chosen)."""
GATE: Final = 0.45
"""Least cosine of a rival (chosen)."""
NOTED: Final = 5
"""First hits of which it is told that two contradict each other and neither is known to be newer (chosen)."""
HOLDS: Final = 0.5
"""A memory that has lost less than this is shown as holding (chosen)."""

Rows = NDArray[np.int64]
Nearest = Callable[[NDArray[np.float32], Rows, int], Rows]
"""A unit vector, rising rows and a number to the nearest of those rows."""


class Crowd(NamedTuple):
    """The hits that hold although others of the pool state the same slot."""

    rows: Rows
    like: NDArray[np.float64]
    """The least cosine of each with those."""


def crowd_of(
    hits: Rows, lost: NDArray[np.float64], rivals: Rows, same: NDArray[np.float32], vectors: NDArray[np.float32]
) -> Crowd:
    """Of `hits` (k,), which have lost (k,), those in a crowd; `same` (m, m) is of `rivals` (m,), `vectors` (m, d)."""
    order = np.argsort(rivals)
    at = order[np.minimum(np.searchsorted(rivals[order], hits), len(rivals) - 1)]
    compete = same[at] >= FLOOR
    held = np.flatnonzero((rivals[at] == hits) & compete.any(axis=1) & (lost < HOLDS))
    like = [float((vectors[compete[i]] @ vectors[at[i]]).min()) for i in held.tolist()]
    return Crowd(hits[held], np.array(like, np.float64))


CONTRADICTS: Final = 0.9
"""Least competition of a pair that a note names (chosen)."""


def undated(
    hits: Rows,
    rivals: Rows,
    same: NDArray[np.float32],
    when: NDArray[np.float64],
    sure: NDArray[np.float64],
) -> tuple[tuple[int, int], ...]:
    """Pairs of `hits` that state one slot in two ways and are about the same time.

    `same` (m, m), `when` (m,) and `sure` (m,), what their own ends have left of them, are of `rivals` (m,). The same
    words again are one statement.
    """
    order = np.argsort(rivals)
    at = order[np.minimum(np.searchsorted(rivals[order], hits), len(rivals) - 1)]
    at = at[(rivals[at] == hits) & np.isfinite(when[at]) & (sure[at] > 0.0)]
    between = same[np.ix_(at, at)]
    apart = (between >= CONTRADICTS) & (between < 1.0) & (when[at][:, None] == when[at])
    return tuple((int(rivals[at[i]]), int(rivals[at[j]])) for i, j in zip(*np.nonzero(np.triu(apart, 1)), strict=True))


class Search:
    """The look-ups of one question: which rows have come in, and of which hits there may be more."""

    def __init__(self, columns: Columns, scope: Scope, known: float, nearest: Nearest, *, room: int = ROOM) -> None:
        self._columns = columns
        self._scope = scope
        self._known = known
        self._nearest = nearest
        self._room = room
        self._tries: dict[int, int] = {}
        self._seen: tuple[Rows, NDArray[np.float64]] | None = None
        self._latest: dict[int, _Latest] = {}
        self.rows: Rows = np.empty(0, np.int64)
        """All that came in."""
        self.unsettled: Rows = np.empty(0, np.int64)
        """Of the hits of the last round those of which near later rows are left that nobody compared."""

    def more(self, hits: Rows, like: NDArray[np.float64], compared: Rows) -> bool:
        """Look up rivals of `hits`, each with the least cosine of its known competitors; True where some came in.

        `compared` are the rows that have been compared with the hits already.
        """
        # a mark for each row is quicker to look up than a list of rows
        known = np.zeros(len(self._columns), np.bool_)
        known[compared] = True
        room = min(self._room - len(self.rows), SHARE)
        half = max(1, room // (2 * max(1, len(hits))))
        left: list[int] = []
        found: list[Rows] = []
        for row, least in zip(hits.tolist(), like.tolist(), strict=True):
            tried = self._tries.get(row, 0)
            some = self._of(row, max(GATE, least - MARGIN), known, half)
            if not len(some):
                continue
            if tried >= ROUNDS or room < 2:
                left.append(row)
                continue
            self._tries[row] = tried + 1
            found.append(some)
        self.unsettled = np.asarray(left, np.int64)
        if not found:
            return False
        self.rows = union(self.rows, distinct(np.concatenate(found))[: self._room - len(self.rows)])
        return True

    def _begun(self) -> tuple[Rows, NDArray[np.float64]]:
        """The rows of the scope that have begun, rising, and their times."""
        if self._seen is None:
            columns, scope = self._columns, self._scope
            rows = scope.listed(columns)
            when = columns.when[rows]
            begun = when <= self._known
            self._seen = (rows, when) if begun.all() else (rows[begun], when[begun])
        return self._seen

    def _of(self, row: int, floor: float, compared: NDArray[np.bool_], half: int) -> Rows:
        """At most `half` newest and `half` nearest rivals of a row, later than it, that were not compared."""
        columns, space = self._columns, int(self._columns.space[row])
        latest = self._latest.get(space)
        if latest is None:
            latest = self._latest[space] = _Latest(columns, *self._begun(), space)
        when = columns.when[row]
        later = np.arange(np.searchsorted(latest.when, when), len(latest.rows))
        later = later[~compared[latest.rows[later]] & (latest.rows[later] != row)]
        newest = later[-RECENT:]
        rows, cosine = latest.rows[newest], latest.cosines(row, newest)
        if len(later) > RECENT:
            every, times = self._begun()
            every = every[(times >= when) & (columns.space[every] == space)]
            every = every[~compared[every] & (every != row)]
            vector = columns.vectors[np.array([row])][0]
            close = without(self._nearest(vector, every, half), rows)
            rows, cosine = np.concatenate([rows, close]), np.concatenate([cosine, columns.vectors[close] @ vector])
        rows, cosine = rows[cosine >= floor], cosine[cosine >= floor]
        by_age = rows[np.lexsort((-rows, -columns.when[rows]))[:half]]
        by_cosine = rows[np.lexsort((rows, -cosine))[:half]]
        return union(by_age, by_cosine)


class _Latest:
    """The latest of some rows of one namespace, at most `_DEEP`, by their time."""

    def __init__(self, columns: Columns, rows: Rows, when: NDArray[np.float64], space: int) -> None:
        inside = np.flatnonzero(columns.space[rows] == space)
        if len(inside) > _DEEP:
            inside = inside[np.argpartition(when[inside], -_DEEP)[-_DEEP:]]
        inside = inside[np.lexsort((rows[inside], when[inside]))]
        self.rows, self.when = rows[inside], when[inside]
        self._columns = columns
        self._vectors: NDArray[np.float32] | None = None
        self._cosines: dict[int, NDArray[np.float32]] = {}

    def cosines(self, row: int, some: NDArray[np.intp]) -> NDArray[np.float32]:
        """Of some of them, by their places, with a row."""
        columns, known = self._columns, self._cosines.get(row)
        if known is None:
            vector = columns.vectors[np.array([row])][0]
            if len(some) < len(self.rows) // _FEW:
                return np.asarray(columns.vectors[self.rows[some]] @ vector, np.float32)
            if self._vectors is None:
                first = int(self.rows[0])
                # rows that were written in the order of their times lie beside each other: nothing is copied
                beside = (np.diff(self.rows) == 1).all()
                self._vectors = columns.vectors[slice(first, first + len(self.rows)) if beside else self.rows]
            known = self._cosines[row] = self._vectors @ vector
        return known[some]
