"""An index of the rows' directions that finds probable nearest rows for any weights of what and where.

A row lies in the index as [B (what - m) / R, G B where, rest], all of one length, in 8 bits a number, where B are the
directions along which the store's own vectors lie about their middle m (`scrubjay.recall.axes`); a question with the
weights a and b asks with [a R B e, (b / G) B c, 0], and the product of the two is a cos(e, what) + b cos(c, where),
less a e m, which is the same for all rows, and but for what lies outside of B: one index serves every pair of weights.
G < 1 lets groups follow the texts more than the contexts. While no memory has a context, the vector is that of what
alone. Rows lie in lists about centres, and a question reads those near it (`scrubjay.recall.lists`).

What is found is probable, not certain: whoever asks says so. The index is made from the rows and never holds anything
that they do not; entries ("slots") of rows that have gone or moved stay until it is made anew, and are left out of what
is found.

>>> import numpy as np
>>> from scrubjay.columns import Columns, FIELDS
>>> columns = Columns(dim=2)
>>> given = {f.name: 1 for f in FIELDS} | {"key": np.arange(1, 4), "context": -1}
>>> columns.append(given, np.eye(3, 2, dtype=np.float32))
>>> index = NearIndex(2, wide=False)
>>> index.enter(index.entries(columns, np.arange(2)))
>>> asked = np.array([[0.0, 1.0]], np.float32)
>>> found = index.near(columns, index.questions(asked, None), 1)[0]
>>> found.rows.tolist(), round(found.last + index.common(asked[0]), 1)
([1], 1.0)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.columns import LIVE, Columns
from scrubjay.recall.axes import Axes, learn, sample
from scrubjay.recall.lists import Lists, arranged, empty, joined, nearest, width

REACH: Final = 0.44
"""Least reach of a search (`scrubjay.recall.lists`); `reach` of an index can be more."""
FURTHER: Final = 1.2
"""How many times as far a search is made to reach where it finds too little."""
CONTEXT: Final = 0.5
"""G: the length of the where part beside a what part of 1 (chosen)."""
STRANGE: Final = 1.25, 0.02
"""An index is made anew where what lies outside of its directions is more than so many times what it was when it was
made, and so much more (chosen)."""
BLOCK: Final = 4096
"""Rows whose digests are made at a time."""
MOST_LOST: Final = 2.0
"""More than any `lost`."""
_TINY: Final = np.finfo(np.float32).tiny
_LEAST: Final = np.float32(-127.0)
_MOST: Final = np.float32(127.0)


class Near(NamedTuple):
    """What the index found for one question."""

    rows: NDArray[np.int64]
    """Living rows, the most similar first."""
    last: float
    """Similarity of the last slot that was looked up, less `NearIndex.common`: other slots have less, as far as the
    lists that were read know; -inf: there are no others."""


class Entries(NamedTuple):
    """Rows as they are entered: copies, so that nobody waits for the index."""

    keys: NDArray[np.int64]
    digests: NDArray[np.uint64]
    vectors: NDArray[np.int8]
    upto: int
    lost: float = 0.0
    """Squared length that lies outside of the index's directions, all rows together."""
    rows: NDArray[np.int64] | None = None
    """Where they lay in the columns."""


class Slots(NamedTuple):
    """What is known of each slot; the first `lists.n` count. A search goes on with those that it began with."""

    lists: Lists
    keys: NDArray[np.int64]
    """Key of its memory, 0 where another slot has taken its place."""
    digests: NDArray[np.uint64]
    """Of what it was entered with; see `digests`."""
    places: NDArray[np.int64]
    """Where its row was seen last: the row there is asked for its key."""


class NearIndex:
    """Some rows of columns by their directions; `wide` says whether it knows contexts.

    Searches wait for nobody; only one thread at a time enters, arranges or saves.
    """

    def __init__(self, dim: int, *, wide: bool, axes: Axes | None = None) -> None:
        self.dim = dim
        self.wide = wide
        self.drift = 0.0
        """How far a row may have moved from where it was entered."""
        self.last_key = 0
        """Highest key that was entered: rows of higher keys are not here."""
        self.reach = REACH
        """How far a search reaches, in [REACH, 1]."""
        self._lost = 0.0
        self.usual = MOST_LOST
        """`lost` when the index was made; MOST_LOST while it is not."""
        self.axes: Axes | None = None
        """The directions by which vectors are kept; None: nothing has been entered, and none were learned."""
        self._slots = Slots(empty(0), np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.int64))
        if axes is not None:
            self.take(axes)

    def take(self, axes: Axes) -> None:
        """Keep vectors by these directions; nothing has been entered yet."""
        self.axes = axes
        p = len(axes.basis)
        self._slots = self._slots._replace(lists=empty(width((2 * p if self.wide else p) + axes.rest)))

    def sample(self, columns: Columns) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Copies of some vectors, and of some contexts, for `learn`."""
        rows = np.flatnonzero(columns.live())
        some = columns.vectors[rows[sample(len(rows))]] if len(rows) else np.zeros((1, self.dim), np.float32)
        if not self.wide or not len(columns.contexts):
            return some, None
        return some, columns.contexts[sample(len(columns.contexts))]

    def __len__(self) -> int:
        """Slots, those of rows that are gone too."""
        return self._slots.lists.n

    @property
    def slots(self) -> Slots:
        """As they are now."""
        return self._slots

    @property
    def keys(self) -> NDArray[np.int64]:
        """(n,) key of each slot's memory, 0 where another slot has taken its place."""
        return self._slots.keys[: len(self)]

    @property
    def nbytes(self) -> int:
        """Bytes held, slack included."""
        lists, *others = self._slots
        basis = 0 if self.axes is None else self.axes.basis.nbytes
        return lists.nbytes + basis + sum(part.nbytes for part in others)

    @property
    def lost(self) -> float:
        """Share of the squared length of what was entered that lies outside of the index's directions."""
        return self._lost / max(1, len(self)) / (1.0 + CONTEXT**2 if self.wide else 1.0)

    @property
    def strange(self) -> bool:
        """True where the rows do not lie along the directions that were learned: others came than there were."""
        return self.lost > STRANGE[0] * self.usual + STRANGE[1]

    # -- entering

    def entries(self, columns: Columns, rows: NDArray[np.int64], upto: int = 0) -> Entries:
        """Rows as they are to be entered; `upto`: the highest key that is then known of."""
        if self.axes is None:
            self.take(learn(*self.sample(columns)))
        keys = columns.key[rows]
        vectors, lost = self._vectors(columns, rows)
        return Entries(keys, digests(columns, rows), vectors, max(upto, int(keys.max(initial=0))), lost, rows)

    def enter(self, entries: Entries) -> None:
        """Enter rows; one that was entered before has moved: its former slot counts no longer."""
        lists, keys, marks, places = self._slots
        first, k = lists.n, len(entries.keys)
        again = entries.keys[entries.keys <= self.last_key]
        former = np.flatnonzero(np.isin(keys[:first], again)) if len(again) else again
        lists = joined(lists, entries.vectors)
        if len(lists.codes) > len(keys):
            size = len(lists.codes)
            keys, marks, places = np.resize(keys, size), np.resize(marks, size), np.resize(places, size)
        keys[first : first + k] = entries.keys
        marks[first : first + k] = entries.digests
        places[first : first + k] = 0 if entries.rows is None else entries.rows
        self._slots = Slots(lists, keys, marks, places)
        keys[former] = 0
        self._lost += entries.lost
        self.last_key = max(self.last_key, entries.upto)

    @property
    def crowded(self) -> bool:
        """True where the lists are to be drawn anew."""
        return self._slots.lists.crowded

    def arrange(self, check: Callable[[], None] = lambda: None) -> None:
        """Draw the lists anew for the rows that there are. A search meanwhile reads them as they were, and they stay so
        where `check` raises, which is called each fraction of a second."""
        lists, keys, marks, places = self._slots
        n = lists.n
        made, order = arranged(lists, np.flatnonzero(keys[:n]), check)
        self._lost *= len(order) / max(1, n)
        self._slots = Slots(made, keys[order], marks[order], places[order])

    def _vectors(self, columns: Columns, rows: NDArray[np.int64]) -> tuple[NDArray[np.int8], float]:
        """Rows as they are kept, and the squared length that they have outside of the directions."""
        axes = self._axes
        p, rest = len(axes.basis), axes.rest
        n = (2 * p if self.wide else p) + rest
        out = np.zeros((len(rows), width(n)), np.float32)
        about = (columns.vectors[rows] - axes.centre) / np.float32(axes.radius)
        out[:, :p] = about @ axes.basis.T
        if self.wide:
            out[:, p : 2 * p] = CONTEXT * (columns.where(rows) @ axes.basis.T)
        # a memory without a context has one of its own, that no question asks for: all have one length
        outside = (1.0 + CONTEXT**2 if self.wide else 1.0) - np.einsum("ij,ij->i", out, out)
        outside = np.maximum(outside, 0.0)
        out[:, n - rest : n] = np.sqrt(outside / rest)[:, None]
        known = columns.context[rows] >= 0 if self.wide else True
        lost = outside if known is True else outside - np.where(known, 0.0, CONTEXT**2)
        # what is nearer to the middle than R has lost nothing by that, and what is further leaves the range
        lost = lost - np.abs(1.0 - np.einsum("ij,ij->i", about, about))
        return _in_bytes(out, axes.scale), float(np.maximum(lost, 0.0).sum())

    @property
    def _axes(self) -> Axes:
        assert self.axes is not None, "nothing was entered"
        return self.axes

    def moved(self, columns: Columns, rows: NDArray[np.int64], most: float) -> NDArray[np.int64]:
        """Those of some rows that lie further than `most` from where they were entered; the others raise `drift`."""
        here = columns.key[rows] <= self.last_key
        rows = rows[here]
        if not len(rows):
            return rows
        order = np.argsort(self.keys, kind="stable")
        at = np.searchsorted(self.keys[order], columns.key[rows])
        slots = order[np.minimum(at, len(order) - 1)]
        found = self.keys[slots] == columns.key[rows]
        far = np.full(len(rows), np.inf)
        if found.any():
            held = self._slots.lists.codes[slots[found]].astype(np.float64) - 128.0
            apart = held - self._vectors(columns, rows[found])[0]
            far[found] = np.linalg.norm(apart, axis=1) / self._axes.scale
        near = far <= most
        self._slots.digests[slots[found & near]] = digests(columns, rows[found & near])
        self.drift = max(self.drift, float(far[near].max(initial=0.0)))
        return rows[~near]

    def waste(self, columns: Columns) -> int:
        """Slots that stand for no living row."""
        known = int(np.searchsorted(columns.key, self.last_key, side="right"))
        return len(self) - int(np.count_nonzero(columns.live()[:known]))

    # -- looking

    def near(self, columns: Columns, questions: NDArray[np.float32], m: int, *, threads: int = 1) -> list[Near]:
        """For each of `questions`, as `questions` makes them, the m slots of the largest product, as far as the lists
        know."""
        slots = self._slots
        n = slots.lists.n
        if not n:
            return [Near(np.empty(0, np.int64), -np.inf) for _ in questions]
        scale = self._axes.scale
        sizes = np.sqrt(np.einsum("ij,ij->i", questions, questions))
        asked = _in_bytes(questions / np.maximum(sizes, _TINY)[:, None], scale)
        found = nearest(slots.lists, asked, min(m, n), self.reach, threads=threads)
        out = []
        for i, (size, count) in enumerate(zip(sizes.tolist(), found.counts.tolist(), strict=True)):
            last = size * float(found.products[i, count - 1]) / scale**2 if count < n else -np.inf
            rows = _rows(columns, slots, found.rows[i, :count])
            out.append(Near(rows[rows >= 0], last))
        return out

    def questions(self, what: NDArray[np.float32], where: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """What the index is asked with, from (q, d) vectors and contexts (None: none) under their weights."""
        axes = self.axes
        if axes is None:
            return np.zeros((len(what), 1), np.float32)
        p = len(axes.basis)
        out = np.zeros((len(what), self._slots.lists.codes.shape[1]), np.float32)
        # many at once have the same bits as one by one
        for mine, vector in zip(out, what, strict=True):
            mine[:p] = _core.dot(axes.basis, vector)
        out[:, :p] *= np.float32(axes.radius)
        if self.wide and where is not None:
            out[:, p : 2 * p] = (where / np.float32(CONTEXT)) @ axes.basis.T
        return out

    def common(self, what: NDArray[np.float32]) -> float:
        """What every row's similarity has beyond its product, of a question's vector (d,) under its weight."""
        return 0.0 if self.axes is None else float(what @ self.axes.centre)

    # -- keeping

    @classmethod
    def restored(
        cls,
        slots: Slots,
        *,
        dim: int,
        wide: bool,
        axes: Axes,
        last_key: int,
        drift: float,
        lost: float,
        usual: float,
        reach: float,
    ) -> NearIndex | None:
        """An index from what was kept of it; None where that is an index of another kind."""
        made = cls(dim, wide=wide, axes=axes)
        if slots.lists.codes.shape[1] != made._slots.lists.codes.shape[1] or axes.basis.shape[1] != dim:
            return None
        made._slots = slots
        made.drift, made.last_key, made.usual, made.reach = drift, last_key, usual, reach
        made._lost = lost * len(made) * (1.0 + CONTEXT**2 if wide else 1.0)
        return made

    def changed(self, columns: Columns, start: int, stop: int) -> NDArray[np.int64]:
        """Keys of the living rows of some slots that are not as they were entered."""
        keys = self.keys[start:stop]
        rows = columns.rows(keys)
        self._slots.places[start:stop][: len(rows)] = np.maximum(rows, 0)
        living = np.flatnonzero(rows >= 0)
        other = digests(columns, rows[living]) != self._slots.digests[start:stop][living]
        found: NDArray[np.int64] = keys[living[other]]
        return found


def _rows(columns: Columns, slots: Slots, found: NDArray[np.int64]) -> NDArray[np.int64]:
    """The living row of each slot, -1 where there is none. Most lie where they lay before."""
    n = len(columns)
    if not n:
        return found[:0]
    wanted = slots.keys[found]
    rows = np.minimum(slots.places[found], n - 1)
    here = (columns.key[rows] == wanted) & ((columns.flags[rows] & LIVE) != 0)
    if not here.all():
        rows[~here] = known = columns.rows(wanted[~here])
        slots.places[found[~here]] = np.maximum(known, 0)
    return rows


def _in_bytes(values: NDArray[np.float32], scale: float) -> NDArray[np.int8]:
    whole = np.rint(values * np.float32(scale))
    numbers: NDArray[np.int8] = np.minimum(np.maximum(whole, _LEAST), _MOST).astype(np.int8)
    return numbers


def digests(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """(k,) a digest of each row's vector and context number, which finds change, not forgery."""
    out = np.empty(len(rows), np.uint64)
    factors = _factors(columns.dim)
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        bits = columns.vectors[part].view(np.uint32).astype(np.uint64)
        bits += np.uint64(0x9E3779B9)
        bits ^= bits >> np.uint64(15)
        numbers = columns.context[part].astype(np.int64) + 2
        out[start : start + len(part)] = (bits * factors[:-1]).sum(axis=1) + numbers.astype(np.uint64) * factors[-1]
    return out


@lru_cache(maxsize=4)
def _factors(dim: int) -> NDArray[np.uint64]:
    """Odd numbers, one per value and one for the context; the same everywhere and for ever."""
    index = np.arange(1, dim + 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    index ^= index >> np.uint64(31)
    odd: NDArray[np.uint64] = index * np.uint64(0xBF58476D1CE4E5B9) | np.uint64(1)
    return odd
