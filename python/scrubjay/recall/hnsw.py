"""An index of the rows' directions that finds probable nearest rows for any weights of what and where.

A row lies in the index as [B (what - m) / R, G B where, rest], all of one length, in 8 bits a number, where B are the
directions along which the store's own vectors lie about their middle m (`scrubjay.recall.axes`); a question with the
weights a and b asks with [a R B e, (b / G) B c, 0], and the product of the two is a cos(e, what) + b cos(c, where),
less a e m, which is the same for all rows, and but for what lies outside of B: one graph serves every pair of weights.
G < 1 lets the graph's edges follow the texts more than the contexts. While no memory has a context, the vector is that
of what alone. The graph is HNSW (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
hierarchical navigable small world graphs", 2016), made by usearch.

What is found is probable, not certain: whoever asks says so. The index is made from the rows and never holds anything
that they do not; entries ("slots") of rows that have gone or moved stay until it is made anew, and are left out of what
is found. Slots are numbered as they are made, so that no key is ever entered twice.

>>> import numpy as np
>>> from scrubjay.columns import Columns, FIELDS
>>> columns = Columns(dim=2)
>>> given = {f.name: 1 for f in FIELDS} | {"key": np.arange(1, 4), "context": -1}
>>> columns.append(given, np.eye(3, 2, dtype=np.float32))
>>> index = HnswIndex(2, wide=False)
>>> index.enter(index.entries(columns, np.arange(2)))
>>> asked = np.array([[0.0, 1.0]], np.float32)
>>> found = index.near(columns, index.questions(asked, None), 1)[0]
>>> found.rows.tolist(), round(found.last + index.common(asked[0]), 1)
([1], 1.0)
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import LIVE, Columns
from scrubjay.recall.axes import Axes, learn, sample
from scrubjay.recall.witnesses import MOST, SEEN, SHARE, Witnesses, spread

CONNECTIVITY: Final = 16
"""Edges of a slot in each layer, twice as many in the lowest (measured: .99 recall in less time than with 16)."""
BREADTH: Final = 128
"""Slots that are looked at when one is entered (chosen)."""
SEARCHED: Final = 64
"""Fewest slots that a search looks at; `breadth` of an index can be more."""
WIDEST: Final = 1024
"""Most slots that a search is made to look at."""
CONTEXT: Final = 0.5
"""G: the length of the where part beside a what part of 1 (chosen)."""
STORAGE: Final = "i8"
"""How usearch keeps vectors: numbers of 8 bits, which are made here (`scrubjay.recall.axes`)."""
STRANGE: Final = 1.25, 0.02
"""An index is made anew where what lies outside of its directions is more than so many times what it was when it was
made, and so much more (chosen)."""
BLOCK: Final = 4096
"""Rows whose digests are made at a time."""
MOST_LOST: Final = 2.0
"""More than any `lost`."""
_NO_ROWS: Final = np.empty(0, np.int64)
_TINY: Final = np.finfo(np.float32).tiny


class Near(NamedTuple):
    """What the index found for one question."""

    rows: NDArray[np.int64]
    """Living rows, the most similar first."""
    last: float
    """Similarity of the last slot that was looked up, less `HnswIndex.common`: other slots have less, as far as the
    graph knows; -inf: there are no others."""
    missed: float = -np.inf
    """Similarity of the nearest witness that the graph should have found and did not; it is the last of `rows`."""


class Entries(NamedTuple):
    """Rows as they are entered: copies, so that nobody waits for the graph."""

    keys: NDArray[np.int64]
    digests: NDArray[np.uint64]
    vectors: NDArray[np.int8]
    upto: int
    lost: float = 0.0
    """Squared length that lies outside of the index's directions, all rows together."""
    rows: NDArray[np.int64] | None = None
    """Where they lay in the columns."""


class HnswIndex:
    """A graph over some rows of columns; `wide` says whether it knows contexts.

    Searches exclude one another and entering; only one thread at a time enters or saves.
    """

    def __init__(self, dim: int, *, wide: bool, axes: Axes | None = None) -> None:
        self.dim = dim
        self.wide = wide
        self.drift = 0.0
        """How far a row may have moved from where it was entered."""
        self.last_key = 0
        """Highest key that was entered: rows of higher keys are not here."""
        self._turn = threading.Lock()
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._digests: NDArray[np.uint64] = np.empty(0, np.uint64)
        # where each slot's row was seen last: the row there is asked for its key
        self._places: NDArray[np.int64] = np.empty(0, np.int64)
        self._n = 0
        self._lost = 0.0
        self.usual = MOST_LOST
        """`lost` when the index was made; MOST_LOST while it is not."""
        self._breadth = SEARCHED
        self.axes: Axes | None = None
        """The directions by which vectors are kept; None: nothing has been entered, and none were learned."""
        self._graph: Any = None
        self._witnesses: Witnesses | None = None
        if axes is not None:
            self.take(axes)

    def take(self, axes: Axes) -> None:
        """Keep vectors by these directions; nothing has been entered yet."""
        # stores that need no candidates do not wait for it
        from usearch.index import Index

        p = len(axes.basis)
        self.axes = axes
        self._graph = Index(
            ndim=(2 * p if self.wide else p) + axes.rest,
            metric="ip",
            dtype=STORAGE,
            connectivity=CONNECTIVITY,
            expansion_add=BREADTH,
            expansion_search=self._breadth,
            enable_key_lookups=True,
        )

    def sample(self, columns: Columns) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Copies of some vectors, and of some contexts, for `learn`."""
        rows = np.flatnonzero(columns.live())
        some = columns.vectors[rows[sample(len(rows))]] if len(rows) else np.zeros((1, self.dim), np.float32)
        if not self.wide or not len(columns.contexts):
            return some, None
        return some, columns.contexts[sample(len(columns.contexts))]

    def __len__(self) -> int:
        """Slots, those of rows that are gone too."""
        return self._n

    @property
    def keys(self) -> NDArray[np.int64]:
        """(n,) key of each slot's memory, 0 where another slot has taken its place."""
        return self._keys[: self._n]

    @property
    def digests(self) -> NDArray[np.uint64]:
        """(n,) digest of what each slot was entered with; see `digests`."""
        return self._digests[: self._n]

    @property
    def nbytes(self) -> int:
        """Bytes held, slack included."""
        with self._turn:
            graph = 0 if self._graph is None else int(self._graph.memory_usage)
            basis = 0 if self.axes is None else self.axes.basis.nbytes
            seen = 0 if self._witnesses is None else self._witnesses.vectors.nbytes
            return graph + basis + seen + self._keys.nbytes + self._digests.nbytes + self._places.nbytes

    @property
    def breadth(self) -> int:
        """How many slots a search looks at, at least."""
        return self._breadth

    @breadth.setter
    def breadth(self, slots: int) -> None:
        self._breadth = slots
        if self._graph is not None:
            self._graph.expansion_search = slots

    @property
    def lost(self) -> float:
        """Share of the squared length of what was entered that lies outside of the index's directions."""
        return self._lost / max(1, self._n) / (1.0 + CONTEXT**2 if self.wide else 1.0)

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

    def enter(self, entries: Entries, *, threads: int = 1, step: int = BLOCK) -> None:
        """Enter rows, `step` at a time; one that was entered before has moved: its former slot counts no longer.

        With one thread the graph depends on the rows and their order alone.
        """
        keys, first, k = entries.keys, self._n, len(entries.keys)
        again = keys[keys <= self.last_key]
        former = np.flatnonzero(np.isin(self.keys, again)) if len(again) else again
        if first + k > len(self._keys):
            size = max(first + k, len(self._keys) + len(self._keys) // 2)
            self._keys = np.concatenate([self._keys, np.zeros(size - len(self._keys), np.int64)])
            self._digests = np.concatenate([self._digests, np.zeros(size - len(self._digests), np.uint64)])
            self._places = np.concatenate([self._places, np.zeros(size - len(self._places), np.int64)])
        self._keys[first : first + k] = keys
        self._digests[first : first + k] = entries.digests
        self._places[first : first + k] = 0 if entries.rows is None else entries.rows
        for start in range(0, k, step):
            stop = min(start + step, k)
            with self._turn:
                slots = np.arange(first + start, first + stop, dtype=np.uint64)
                self._graph.add(slots, entries.vectors[start:stop], threads=threads)
                self._n = first + stop
        self._keys[former] = 0
        self._lost += entries.lost
        self.last_key = max(self.last_key, entries.upto)

    def _vectors(self, columns: Columns, rows: NDArray[np.int64]) -> tuple[NDArray[np.int8], float]:
        """Rows as they are kept, and the squared length that they have outside of the directions."""
        axes = self._axes
        p, rest = len(axes.basis), axes.rest
        out = np.zeros((len(rows), (2 * p if self.wide else p) + rest), np.float32)
        about = (columns.vectors[rows] - axes.centre) / np.float32(axes.radius)
        out[:, :p] = about @ axes.basis.T
        if self.wide:
            out[:, p : 2 * p] = CONTEXT * (columns.where(rows) @ axes.basis.T)
        # a memory without a context has one of its own, that no question asks for: all have one length
        outside = (1.0 + CONTEXT**2 if self.wide else 1.0) - np.einsum("ij,ij->i", out, out)
        outside = np.maximum(outside, 0.0)
        out[:, -rest:] = np.sqrt(outside / rest)[:, None]
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
        with self._turn:
            held = self._graph.get(slots[found].astype(np.uint64), dtype=STORAGE) if found.any() else ()
        if found.any():
            apart = np.asarray(held, np.float64).reshape(int(found.sum()), -1) - self._vectors(columns, rows[found])[0]
            far[found] = np.linalg.norm(apart, axis=1) / self._axes.scale
        near = far <= most
        self._digests[slots[found & near]] = digests(columns, rows[found & near])
        self.drift = max(self.drift, float(far[near].max(initial=0.0)))
        return rows[~near]

    def waste(self, columns: Columns) -> int:
        """Slots that stand for no living row."""
        known = int(np.searchsorted(columns.key, self.last_key, side="right"))
        return self._n - int(np.count_nonzero(columns.live()[:known]))

    def draw(self) -> None:
        """Draw the witnesses anew from the slots that there are now."""
        with self._turn:
            slots = np.flatnonzero(self.keys)
            slots = slots[np.linspace(0, len(slots) - 1, min(len(slots), SEEN)).astype(np.int64)]
            if not len(slots):
                return
            held = np.asarray(self._graph.get(slots.astype(np.uint64), dtype=STORAGE)).reshape(len(slots), -1)
        vectors = held.astype(np.float32)
        some = spread(vectors, min(MOST, -(-len(slots) // SHARE)))
        self._witnesses = Witnesses(slots[some], np.ascontiguousarray(vectors[some]))

    # -- looking

    def near(self, columns: Columns, questions: NDArray[np.float32], m: int, *, threads: int = 1) -> list[Near]:
        """For each of `questions`, as `questions` makes them, the m slots of the largest product, as far as the graph
        knows."""
        n = self._n
        if not n:
            none = np.empty(0, np.int64)
            return [Near(none, -np.inf) for _ in questions]
        scale = self._axes.scale
        sizes = np.sqrt(np.einsum("ij,ij->i", questions, questions))
        asked = _in_bytes(questions / np.maximum(sizes, _TINY)[:, None], scale)
        with self._turn:
            found = self._graph.search(asked, min(m, n), threads=threads)
        # usearch gives one row of results another shape
        slots, distances = (part.reshape(len(questions), -1) for part in (found.keys, found.distances))
        counts = [slots.shape[1]] if len(questions) == 1 else found.counts.tolist()
        rows = self._rows(columns, slots)
        out = []
        for i, (size, mine, far, count) in enumerate(zip(sizes.tolist(), rows, distances, counts, strict=True)):
            last = -np.inf if count >= n else size * (1.0 - float(far[count - 1])) / scale**2 if count else 0.0
            missed, more = -np.inf, _NO_ROWS
            if count < n and count and self._witnesses is not None:
                best, more = self._missed(columns, asked[i], slots[i, :count], 1.0 - float(far[count - 1]))
                missed = size * best / scale**2
            mine = mine[:count]
            mine = mine[mine >= 0]
            out.append(Near(np.concatenate([mine, more]) if len(more) else mine, last, missed))
        return out

    def _missed(
        self, columns: Columns, asked: NDArray[np.int8], found: NDArray[np.uint64], last: float
    ) -> tuple[float, NDArray[np.int64]]:
        """The product of the nearest living witness that was not found and is nearer than the last, and its row."""
        assert self._witnesses is not None
        slots, vectors = self._witnesses
        products = vectors @ asked.astype(np.float32)
        nearer = np.flatnonzero(products > last)
        nearer = nearer[~np.isin(slots[nearer], found.astype(np.int64))] if len(nearer) else nearer
        rows = columns.rows(self._keys[slots[nearer]]) if len(nearer) else nearer
        nearer, rows = nearer[rows >= 0], rows[rows >= 0]
        if not len(nearer):
            return -np.inf, rows
        best = int(products[nearer].argmax())
        return float(products[nearer[best]]), rows[best : best + 1]

    def _rows(self, columns: Columns, slots: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The living row of each slot, -1 where there is none. Most lie where they lay before."""
        keys, places, n = self._keys, self._places, len(columns)
        if not slots.size or not n or slots.max() >= min(len(keys), len(places)):
            # a slot that there is not stands for no memory
            return columns.rows(_known(keys, slots))
        wanted = keys[slots]
        rows = np.minimum(places[slots], n - 1)
        here = (columns.key[rows] == wanted) & ((columns.flags[rows] & LIVE) != 0)
        if not here.all():
            rows[~here] = found = columns.rows(wanted[~here])
            places[slots[~here]] = np.maximum(found, 0)
        return rows

    def questions(self, what: NDArray[np.float32], where: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """What the index is asked with, from (q, d) vectors and contexts (None: none) under their weights."""
        axes = self.axes
        if axes is None:
            return np.zeros((len(what), 1), np.float32)
        p = len(axes.basis)
        out = np.zeros((len(what), (2 * p if self.wide else p) + axes.rest), np.float32)
        out[:, :p] = (what * np.float32(axes.radius)) @ axes.basis.T
        if self.wide and where is not None:
            out[:, p : 2 * p] = (where / np.float32(CONTEXT)) @ axes.basis.T
        return out

    def common(self, what: NDArray[np.float32]) -> float:
        """What every row's similarity has beyond its product, of a question's vector (d,) under its weight."""
        return 0.0 if self.axes is None else float(what @ self.axes.centre)

    # -- keeping

    def save(self, path: str) -> None:
        """Write the graph into a file; nothing may be entered meanwhile."""
        self._graph.save(path)

    @classmethod
    def restored(
        cls,
        graph: NDArray[np.uint8],
        *,
        dim: int,
        wide: bool,
        axes: Axes,
        keys: NDArray[np.int64],
        digests: NDArray[np.uint64],
        last_key: int,
        drift: float,
        lost: float,
        usual: float,
        breadth: int,
    ) -> HnswIndex | None:
        """An index from what was kept of it. The bytes must be those that `save` wrote: usearch trusts them blindly.

        None where they are an index of another kind.
        """
        made = cls(dim, wide=wide, axes=axes)
        width = made._graph.ndim
        made._graph.load(memoryview(graph.data))
        if len(made._graph) != len(keys) or made._graph.ndim != width or axes.basis.shape[1] != dim:
            return None
        made._graph.expansion_add = BREADTH
        made.breadth = breadth
        made._keys, made._digests, made._n = keys.copy(), digests.copy(), len(keys)
        made._places = np.arange(len(keys))
        made.drift, made.last_key = drift, last_key
        made.usual = usual
        made._lost = lost * len(keys) * (1.0 + CONTEXT**2 if wide else 1.0)
        return made

    def changed(self, columns: Columns, start: int, stop: int) -> NDArray[np.int64]:
        """Keys of the living rows of some slots that are not as they were entered."""
        rows = columns.rows(self.keys[start:stop])
        self._places[start:stop] = np.maximum(rows, 0)
        living = np.flatnonzero(rows >= 0)
        other = digests(columns, rows[living]) != self.digests[start:stop][living]
        found: NDArray[np.int64] = self.keys[start:stop][living[other]]
        return found


def _in_bytes(values: NDArray[np.float32], scale: float) -> NDArray[np.int8]:
    numbers: NDArray[np.int8] = np.clip(np.rint(values * np.float32(scale)), -127, 127).astype(np.int8)
    return numbers


def _known(keys: NDArray[np.int64], slots: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Keys of slots, 0 for those that there are not."""
    return np.where(slots < len(keys), keys[np.minimum(slots, len(keys) - 1).astype(np.int64)], 0)


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
