"""Edges between memories as state: fixed slots per row for what the rule makes, a table by key for what a user links.

Three classes of edges are made by rule (`scrubjay.graph.edges`). A memory keeps its `WIDTH` strongest neighbours of
each class; an edge holds while both of its ends keep it, so that no degree exceeds `WIDTH` a class.
Strength is the class's value, then nearness in the order of keys, then the smaller key: a total order, so that the
edges kept do not depend on how the log is cut into batches. Edges by hand are kept beside them, without a cap.

>>> links = Links()
>>> keys = np.array([1, 2, 3])
>>> alive = np.ones(3, np.bool_)
>>> links.relate(np.array([0, 0]), np.array([1, 2]), np.array([0, 2]), np.float32([0.9, 0.5]), keys, alive)
>>> rows, classes, values = links.of_row(0, alive)
>>> rows.tolist(), [CLASSES[c] for c in classes], values.astype(float).round(2).tolist()
([1, 2], ['similarity', 'time'], [0.9, 0.5])
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.sets import distinct

CLASSES: Final = ("similarity", "context", "time")
"""Classes of edges that the rule makes, in the order of their slots."""
WIDTH: Final = 8
"""Most neighbours of a class that a memory keeps (chosen)."""
SLOTS: Final = WIDTH * len(CLASSES)
MOST_TOUCHED: Final = 1 << 18
"""Changed rows that are remembered for `take_touched`."""
_CHUNK: Final = 1 << 15

Int = NDArray[np.int64]


class Alive:
    """Which rows count, looked up where it is asked: (flags & mask) == wanted, without a pass over all flags."""

    def __init__(self, flags: NDArray[np.uint8], mask: int, wanted: int) -> None:
        self._flags, self._mask, self._wanted = flags, np.uint8(mask), np.uint8(wanted)

    def __getitem__(self, rows: Int) -> NDArray[np.bool_]:
        return np.asarray((self._flags[rows] & self._mask) == self._wanted, np.bool_)


class Links:
    """The edges of a store, by row number; `scrubjay.fold` is the only writer.

    `hand[a][b]` is (weight, kind) of an edge by hand between the memories of keys a and b, kept in both directions.
    """

    def __init__(self) -> None:
        self._near: NDArray[np.int32] = np.zeros((0, SLOTS), np.int32)  # row + 1, 0 for an empty slot
        self._value: NDArray[np.float32] = np.zeros((0, SLOTS), np.float32)
        self.hand: dict[int, dict[int, tuple[float, str]]] = {}
        self.changes = 0
        """Rises with every change: what is derived from the edges looks at it."""
        self._touched: list[Int] | None = None
        self._touches = 0
        self._heaviest = (-1, 0.0)

    @property
    def empty(self) -> bool:
        """True while there has been no edge at all."""
        return not len(self._near) and not self.hand

    @property
    def nbytes(self) -> int:
        """Bytes held by the slots."""
        return int(self._near.nbytes + self._value.nbytes)

    def take_touched(self) -> Int | None:
        """Rows whose edges by rule may have changed since the last call; None: too many to tell, or the first call."""
        held, self._touched, self._touches = self._touched, [], 0
        return None if held is None else distinct(np.concatenate([np.empty(0, np.int64), *held]))

    def _touch(self, *rows: Int) -> None:
        self.changes += 1
        if self._touched is not None:
            self._touched += rows
            self._touches += sum(len(part) for part in rows)
            if self._touches > MOST_TOUCHED:
                self._touched = None

    def _cover(self, rows: int) -> None:
        held = len(self._near)
        if rows <= held:
            return
        capacity = max(rows, held * 2 if held < 1 << 18 else held + held // 2, 64)
        for name in ("_near", "_value"):
            old = getattr(self, name)
            fresh = np.zeros((capacity, SLOTS), old.dtype)
            fresh[:held] = old
            setattr(self, name, fresh)

    # -- changing

    def relate(
        self,
        sources: Int,
        targets: Int,
        classes: NDArray[Any],
        values: NDArray[np.float32],
        keys: Int,
        alive: NDArray[np.bool_],
    ) -> None:
        """Offer edges between rows, in both directions; each row keeps its strongest of a class.

        `keys` (n,) are the keys of all rows and `alive` (n,) says which are not deleted: entries of deleted ones make
        room. Of several values for one pair and class the highest counts. Self loops are passed over.
        """
        keep = (sources >= 0) & (targets >= 0) & (sources != targets)
        keep[keep] &= alive[sources[keep]] & alive[targets[keep]]
        if not keep.any():
            return
        a, b, kinds, strength = sources[keep], targets[keep], classes[keep].astype(np.int64), values[keep]
        source, target = np.concatenate([a, b]), np.concatenate([b, a])
        rows, place = np.unique(source, return_inverse=True)
        self._cover(int(rows[-1]) + 1)
        held = self._near[rows].astype(np.int64) - 1
        at, slot = np.nonzero(held >= 0)
        old = held[at, slot]
        living = alive[old]
        at, slot, old = at[living], slot[living], old[living]
        place = np.concatenate([at, place])
        target = np.concatenate([old, target])
        kind = np.concatenate([slot // WIDTH, kinds, kinds])
        value = np.concatenate([self._value[rows[at], slot], strength, strength])
        apart = np.abs(keys[target] - keys[rows[place]])
        order = np.lexsort((keys[target], apart, -value, kind, place))
        place, target, kind, value = place[order], target[order], kind[order], value[order]
        group = place * len(CLASSES) + kind
        # the first of a pair is its strongest
        _, first = np.unique(group * np.int64(len(keys)) + target, return_index=True)
        first.sort()
        place, target, kind, value, group = place[first], target[first], kind[first], value[first], group[first]
        begin = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        rank = np.arange(len(group)) - np.repeat(begin, np.diff(np.r_[begin, len(group)]))
        fits = rank < WIDTH
        place, slot = place[fits], kind[fits] * WIDTH + rank[fits]
        near = np.zeros((len(rows), SLOTS), np.int32)
        weight = np.zeros((len(rows), SLOTS), np.float32)
        near[place, slot] = target[fits] + 1
        weight[place, slot] = value[fits]
        self._near[rows], self._value[rows] = near, weight
        # those that no longer fit lose an edge too
        self._touch(rows, target[~fits])

    def drop(self, row: int) -> None:
        """End every edge by rule of a row."""
        if row >= len(self._near):
            return
        self._touch(np.array([row]), self._near[row][self._near[row] > 0].astype(np.int64) - 1)
        for other in distinct(self._near[row]).tolist():
            if other:
                self._part(other - 1, row)
        self._near[row] = 0
        self._value[row] = 0

    def cut(self, a: int, b: int) -> None:
        """End the edges by rule between two rows."""
        self._touch(np.array([a, b]))
        for one, other in ((a, b), (b, a)):
            if one < len(self._near):
                self._part(one, other)

    def _part(self, row: int, other: int) -> None:
        gone = self._near[row] == other + 1
        self._near[row, gone] = 0
        self._value[row, gone] = 0

    def tie(self, a: int, b: int, weight: float, kind: str) -> None:
        """An edge by hand between two keys; a later one takes the place of an earlier."""
        self.changes += 1
        self._touched = None
        for one, other in ((a, b), (b, a)):
            self.hand.setdefault(one, {})[other] = (weight, kind)

    def untie(self, a: int, b: int) -> None:
        """End the edge by hand between two keys."""
        if b not in self.hand.get(a, ()):
            return
        self.changes += 1
        self._touched = None
        for one, other in ((a, b), (b, a)):
            held = self.hand.get(one)
            if held is not None:
                held.pop(other, None)
                if not held:
                    del self.hand[one]

    def forget(self, key: int) -> None:
        """End every edge by hand of a key."""
        for other in list(self.hand.get(key, ())):
            self.untie(key, other)

    def compact(self, keep: Int, rows: int) -> None:
        """Of `rows` rows those in `keep` become rows 0, 1, ..; entries of the others are cleared."""
        held = len(self._near)
        if not held:
            return
        moved = np.zeros(rows + 1, np.int32)
        moved[keep + 1] = np.arange(1, len(keep) + 1, dtype=np.int32)
        kept = keep[keep < held]
        near = moved[self._near[kept]]
        value = self._value[kept]
        value[near == 0] = 0
        self._near, self._value = near, value
        self.changes += 1
        self._touched = None

    # -- looking

    def near(self, rows: Int, alive: NDArray[np.bool_] | Alive) -> tuple[Int, NDArray[np.float32]]:
        """(k, SLOTS) row of each neighbour by rule, -1 for none, and the class's value of the edge.

        Slots [c WIDTH, (c + 1) WIDTH) are of class c. An edge is there only while both ends keep it.
        """
        other = np.full((len(rows), SLOTS), -1, np.int64)
        value = np.zeros((len(rows), SLOTS), np.float32)
        inside = np.flatnonzero(rows < len(self._near))
        if len(inside):
            mine = rows[inside]
            found = self._near[mine].astype(np.int64).reshape(-1, len(CLASSES), WIDTH)
            back = self._near.reshape(-1, WIDTH)
            at = np.maximum(found - 1, 0)
            known = (found > 0) & alive[at]
            one, of, slot = np.nonzero(known)
            known[one, of, slot] = _hold(back, at[one, of, slot] * len(CLASSES) + of, mine[one] + 1)
            other[inside] = np.where(known, at, -1).reshape(-1, SLOTS)
            value[inside] = np.where(known, self._value[mine].reshape(known.shape), 0).reshape(-1, SLOTS)
        return other, value

    def of_row(self, row: int, alive: NDArray[np.bool_]) -> tuple[Int, Int, NDArray[np.float32]]:
        """Neighbour rows by rule of one row, their classes and values."""
        other, value = self.near(np.array([row]), alive)
        slots = np.flatnonzero(other[0] >= 0)
        return other[0, slots], slots // WIDTH, value[0, slots]

    # -- keeping

    def packed(self, live: Int, start: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Slots of the living rows `live[start:stop]`, numbered among the living, without gaps: canonical."""
        rows = live[start:stop]
        near = np.zeros((len(rows), SLOTS), np.int32)
        value = np.zeros((len(rows), SLOTS), np.float32)
        inside = rows < len(self._near)
        held = self._near[rows[inside]].astype(np.int64) - 1
        at = np.searchsorted(live, held)
        known = (held >= 0) & (live[np.minimum(at, len(live) - 1)] == held)
        near[inside] = np.where(known, at + 1, 0)
        value[inside] = np.where(known, self._value[rows[inside]], 0)
        shape = (len(rows), len(CLASSES), WIDTH)
        order = np.argsort(near.reshape(shape) == 0, axis=-1, kind="stable")
        near = np.take_along_axis(near.reshape(shape), order, -1).reshape(len(rows), SLOTS)
        value = np.take_along_axis(value.reshape(shape), order, -1).reshape(len(rows), SLOTS)
        return near, value

    def restore(self, start: int, near: NDArray[np.int32], value: NDArray[np.float32]) -> None:
        """Put slots as `packed` gave them into rows `start`, ..: for a snapshot."""
        self._cover(start + len(near))
        self._near[start : start + len(near)] = near
        self._value[start : start + len(near)] = value

    def sound(self, rows: int) -> bool:
        """True when every slot names one of `rows` rows, every edge by hand two keys, and every weight is a number."""
        held = self._near[:rows]
        return bool(
            len(self._near) <= max(rows, 64) * 2
            and (held >= 0).all()
            and (held <= rows).all()
            and not self._near[rows:].any()
            and ((self._value >= 0) & (self._value <= 1)).all()
            and all(0.0 < weight <= 1.0 for edges in self.hand.values() for weight, _ in edges.values())
        )

    def heaviest(self) -> float:
        """The largest sum of weights by hand of any memory."""
        if self._heaviest[0] != self.changes:
            most = max((sum(w for w, _ in held.values()) for held in self.hand.values()), default=0.0)
            self._heaviest = (self.changes, most)
        return self._heaviest[1]

    def table(self) -> list[tuple[int, int, float, str]]:
        """Edges by hand, (a, b, weight, kind) with a < b, in order."""
        return sorted((a, b, *edge) for a, held in self.hand.items() for b, edge in held.items() if a < b)

    def digest(self, live: Int) -> bytes:
        """SHA-256 of the canonical form."""
        h = hashlib.sha256(repr(self.table()).encode())
        for start in range(0, len(live), _CHUNK):
            near, value = self.packed(live, start, start + _CHUNK)
            at, slot = np.nonzero(near)
            for part in (at + start, slot, near[at, slot], value[at, slot]):
                h.update(np.ascontiguousarray(part).view(np.uint8).data)
        return h.digest()


def _hold(slots: NDArray[np.int32], at: Int, wanted: Int) -> NDArray[np.bool_]:
    """(k,) bool: whether row at[i] of `slots` (n, WIDTH) holds wanted[i]."""
    equal = np.take(slots, at, axis=0) == wanted.astype(np.int32)[:, None]
    # the WIDTH bytes of a row are one number, above 0 where one is true: faster than any() along so short an axis
    return np.asarray(equal.view(f"u{WIDTH}").reshape(-1) != 0, np.bool_)
