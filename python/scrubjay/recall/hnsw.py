"""An index of the rows' directions that finds probable nearest rows for any weights of what and where.

A row lies in the index as the vector [what, G where, rest], all of one length; a question with the weights a and b asks
with [a e, (b / G) c, 0], and the product of the two is a cos(e, what) + b cos(c, where): one graph serves every pair of
weights. G < 1 lets the graph's edges follow the texts more than the contexts. While no memory has a context, the vector
is what alone. The graph is HNSW (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
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
>>> found = index.near(columns, np.array([[0.0, 1.0]], np.float32), 1)[0]
>>> found.rows.tolist(), round(found.last, 3)
([1], 1.0)
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns

CONNECTIVITY: Final = 32
"""Edges of a slot in each layer, twice as many in the lowest (measured: .99 recall in less time than with 16)."""
BREADTH: Final = 128
"""Slots that are looked at when one is entered (chosen)."""
SEARCHED: Final = 64
"""Fewest slots that a search looks at; `breadth` of an index can be more."""
WIDEST: Final = 1024
"""Most slots that a search is made to look at."""
CONTEXT: Final = 0.5
"""G: the length of the where part beside a what part of 1 (chosen)."""
STORAGE: Final = "bf16"
"""How usearch keeps vectors: 2 bytes a value (measured: 8 bits lose more than they save)."""
BLOCK: Final = 4096
"""Rows whose digests are made at a time."""
_TINY: Final = np.finfo(np.float32).tiny


class Near(NamedTuple):
    """What the index found for one question."""

    rows: NDArray[np.int64]
    """Living rows, the most similar first."""
    last: float
    """Similarity of the last slot that was looked up: other slots have less, as far as the graph knows; -inf: there
    are no others."""


class Entries(NamedTuple):
    """Rows as they are entered: copies, so that nobody waits for the graph."""

    keys: NDArray[np.int64]
    digests: NDArray[np.uint64]
    vectors: NDArray[np.float32]
    upto: int


class HnswIndex:
    """A graph over some rows of columns; `wide` says whether it knows contexts.

    Searches exclude one another and entering; only one thread at a time enters or saves.
    """

    def __init__(self, dim: int, *, wide: bool) -> None:
        self.dim = dim
        self.wide = wide
        self.drift = 0.0
        """How far a row may have moved from where it was entered."""
        self.last_key = 0
        """Highest key that was entered: rows of higher keys are not here."""
        self._turn = threading.Lock()
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._digests: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._n = 0
        self._graph = self._made()

    def _made(self) -> Any:
        # stores that need no candidates do not wait for it
        from usearch.index import Index

        return Index(
            ndim=2 * self.dim + 1 if self.wide else self.dim,
            metric="ip",
            dtype=STORAGE,
            connectivity=CONNECTIVITY,
            expansion_add=BREADTH,
            expansion_search=SEARCHED,
            enable_key_lookups=True,
        )

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
            return int(self._graph.memory_usage) + self._keys.nbytes + self._digests.nbytes

    @property
    def breadth(self) -> int:
        """How many slots a search looks at, at least."""
        return int(self._graph.expansion_search)

    @breadth.setter
    def breadth(self, slots: int) -> None:
        self._graph.expansion_search = slots

    # -- entering

    def entries(self, columns: Columns, rows: NDArray[np.int64], upto: int = 0) -> Entries:
        """Rows as they are to be entered; `upto`: the highest key that is then known of."""
        keys = columns.key[rows]
        return Entries(keys, digests(columns, rows), self._vectors(columns, rows), max(upto, int(keys.max(initial=0))))

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
        self._keys[first : first + k] = keys
        self._digests[first : first + k] = entries.digests
        for start in range(0, k, step):
            stop = min(start + step, k)
            with self._turn:
                slots = np.arange(first + start, first + stop, dtype=np.uint64)
                self._graph.add(slots, entries.vectors[start:stop], threads=threads)
                self._n = first + stop
        self._keys[former] = 0
        self.last_key = max(self.last_key, entries.upto)

    def _vectors(self, columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        what = columns.vectors[rows]
        if not self.wide:
            return what
        d = self.dim
        out = np.empty((len(rows), 2 * d + 1), np.float32)
        out[:, :d] = what
        out[:, d : 2 * d] = CONTEXT * columns.where(rows)
        # a memory without a context has one of its own, that no question asks for: all have one length
        out[:, 2 * d] = np.where(columns.context[rows] < 0, CONTEXT, 0.0)
        return out

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
            held = self._graph.get(slots[found].astype(np.uint64), dtype="f32")
        if found.any():
            there = np.asarray(held, np.float64).reshape(int(found.sum()), -1)
            far[found] = np.linalg.norm(there - self._vectors(columns, rows[found]), axis=1)
        near = far <= most
        self._digests[slots[found & near]] = digests(columns, rows[found & near])
        self.drift = max(self.drift, float(far[near].max(initial=0.0)))
        return rows[~near]

    def waste(self, columns: Columns) -> int:
        """Slots that stand for no living row."""
        known = int(np.searchsorted(columns.key, self.last_key, side="right"))
        return self._n - int(np.count_nonzero(columns.live()[:known]))

    # -- looking

    def near(self, columns: Columns, questions: NDArray[np.float32], m: int, *, threads: int = 1) -> list[Near]:
        """For each of (q, 2d + 1 or d) `questions` the m slots of the largest product, as far as the graph knows."""
        sizes = np.sqrt(np.einsum("ij,ij->i", questions, questions))
        asked = questions / np.maximum(sizes, _TINY)[:, None]
        n = self._n
        if not n:
            none = np.empty(0, np.int64)
            return [Near(none, -np.inf) for _ in questions]
        with self._turn:
            found = self._graph.search(asked, min(m, n), threads=threads)
        # usearch gives one row of results another shape
        slots, distances = (part.reshape(len(questions), -1) for part in (found.keys, found.distances))
        counts = [slots.shape[1]] if len(questions) == 1 else found.counts.tolist()
        keys = self._keys
        # a slot that there is not stands for no memory
        rows = columns.rows(keys[slots] if slots.size and slots.max() < len(keys) else _known(keys, slots))
        out = []
        for size, mine, far, count in zip(sizes.tolist(), rows, distances, counts, strict=True):
            last = -np.inf if count >= n else size * (1.0 - float(far[count - 1])) if count else 0.0
            mine = mine[:count]
            out.append(Near(mine[mine >= 0], last))
        return out

    def question(self, vector: NDArray[np.float32], what: float, context: Any, where: float) -> NDArray[np.float32]:
        """What the index is asked with: a unit vector and a unit context (or None) under their weights."""
        if not self.wide:
            return np.asarray(what * vector, np.float32)
        there = np.zeros(self.dim, np.float32) if context is None else context
        return np.concatenate([what * vector, (where / CONTEXT) * there, [0.0]]).astype(np.float32)

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
        keys: NDArray[np.int64],
        digests: NDArray[np.uint64],
        last_key: int,
        drift: float,
        breadth: int,
    ) -> HnswIndex | None:
        """An index from what was kept of it. The bytes must be those that `save` wrote: usearch trusts them blindly.

        None where they are an index of another kind.
        """
        made = cls(dim, wide=wide)
        made._graph.load(memoryview(graph.data))
        if len(made._graph) != len(keys) or made._graph.ndim != (2 * dim + 1 if wide else dim):
            return None
        made._graph.expansion_add = BREADTH
        made.breadth = breadth
        made._keys, made._digests, made._n = keys.copy(), digests.copy(), len(keys)
        made.drift, made.last_key = drift, last_key
        return made

    def changed(self, columns: Columns, start: int, stop: int) -> NDArray[np.int64]:
        """Keys of the living rows of some slots that are not as they were entered."""
        rows = columns.rows(self.keys[start:stop])
        living = np.flatnonzero(rows >= 0)
        other = digests(columns, rows[living]) != self.digests[start:stop][living]
        found: NDArray[np.int64] = self.keys[start:stop][living[other]]
        return found


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
