"""Memories as columns: growable, 64-byte aligned buffers that NumPy, Arrow and the kernels read without a copy.

A row is a memory ("Caching for the Future", section 3.1), in the order of its key, so that a key is found by binary
search. A deleted row stays, without its LIVE flag, until `compact` squeezes it out; keys never change, row numbers do
only there. `scrubjay.fold` is the only writer.

>>> columns = Columns(dim=2)
>>> len(columns), columns.seq
(0, 0)
>>> columns.what.shape, columns.contexts.shape
((0, 2), (0, 2))
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrubjay.codes import Codes, RowCodes
from scrubjay.events import Configured, Session
from scrubjay.links import Links
from scrubjay.matrix import Matrix, Rows, Segment, aligned, sealed
from scrubjay.memory import LABELS, Opinion, Origin, Perishability
from scrubjay.passages import Passages, Table
from scrubjay.sets import distinct

LIVE: Final = 1
"""Flag: not deleted."""
CURRENT: Final = 2
"""Flag: not superseded by another memory."""
PINNED: Final = 4
"""Flag: the user pinned it."""
SENSITIVE: Final = 8
"""Flag: it belongs to a sensitive class."""
DEGRADED: Final = 16
"""Flag: its perishability is a fallback's."""
ARCHIVED: Final = 32
"""Flag: consolidation put it aside; no search sees it until it is restored."""
CONDENSED: Final = 64
"""Flag: a summary or abstract of other memories."""
KEYED: Final = 128
"""Flag: it was added under a key of the caller's, which its first event tells."""
VISIBLE: Final = LIVE | ARCHIVED | CONDENSED
"""A row whose flags, masked by this, equal LIVE is one that a search may see."""

ORIGINS: Final = tuple(Origin)
"""What the codes of column `origin` mean."""

_TURNS: Final = 4096
ROOM: Final = 256 << 20
"""Bytes of new vectors that a store whose vectors are mapped takes into memory beyond what is mapped (chosen)."""
WASTE_ROWS: Final = 1024
WASTE_SHARE: Final = 0.25
"""Deleted rows are squeezed out when there are more than WASTE_ROWS and more than WASTE_SHARE of all rows."""


class Field(NamedTuple):
    """One scalar column: `columns.<name>` is a view of shape (n,)."""

    name: str
    dtype: type[np.generic]
    unit: str
    doc: str


FIELDS: Final = (
    Field("key", np.int64, "1", "row key, positive, rising"),
    Field("when", np.float64, "s since 1970 UTC", "the time that the memory is about"),
    Field("created", np.float64, "s since 1970 UTC", "when it was learned"),
    Field("updated", np.float64, "s since 1970 UTC", "when it last changed"),
    Field("context", np.int32, "1", "row of `contexts`, -1 for none"),
    Field("space", np.int32, "1", "number of the namespace"),
    Field("evidence", np.int32, "1", "how often it was added"),
    Field("thread", np.int64, "1", "digest of the conversation that it is a turn of, 0 for none"),
    Field("superseded_by", np.int64, "1", "key of the memory that took its place, 0 for none"),
    Field("importance", np.float32, "1", "rated importance in [0, 1]"),
    Field("a", np.float64, "1", "evidence of use, > 0"),
    Field("b", np.float64, "1", "evidence against, > 0"),
    Field("stability", np.float64, "d", "age at which retrievability is 0.9, > 0"),
    Field("difficulty", np.float64, "1", "in [1, 10]"),
    Field("reviewed", np.float64, "s of the store's clock", "when it was last used, rated or learned"),
    Field("part_of", np.int64, "1", "key of the summary or abstract that it is a part of, 0 for none"),
    Field("spent", np.float32, "1", "affinity that integrations have used of its budget"),
    Field("spent_at", np.float64, "s since 1970 UTC", "when that count began"),
    Field("value", np.float32, "1", "base value V >= 0"),
    Field("pi", np.float32, "1", "perishability in (0, 1]"),
    Field("tau", np.float32, "s", "horizon"),
    Field("shape", np.float32, "1", "Weibull shape > 0"),
    Field("until", np.float64, "s since 1970 UTC", "when it is over by its own words, infinity for no end"),
    Field("edge", np.float32, "s", "how long before that it may be over"),
    Field("label", np.int8, "1", "index into LABELS"),
    Field("origin", np.int8, "1", "index into ORIGINS"),
    Field("layer", np.int8, "1", "Layer"),
    Field("tier", np.int8, "1", "Tier"),
    Field("said_label", np.int8, "1", "what a language model said, index into LABELS, -1 for nothing"),
    Field("said_pi", np.float32, "1", "what it said of pi, 0 for nothing"),
    Field("said_tau", np.float32, "s", "what it said of tau, 0 for nothing"),
    Field("flags", np.uint8, "bits", "LIVE, CURRENT, PINNED, SENSITIVE, DEGRADED, ARCHIVED, CONDENSED, KEYED"),
)
"""The scalar columns; beside them there is `what`, float32 (n, dim)."""


def short(x: float) -> float:
    """A float32 as the float64 of its shortest text, so that 0.1 comes back as 0.1.

    >>> short(np.float32(0.1))
    0.1
    """
    return float(str(np.float32(x)))


class Held(NamedTuple):
    """Vectors that lie where they are, in memory or in a segment file: what columns may begin with."""

    what: Matrix
    contexts: Matrix
    context_count: int
    codes: RowCodes
    segment: Segment | None


class Columns:
    """The state of a store: what the log folds to.

    Every attribute named in `FIELDS`, `what` (n, dim) and `contexts` (C, dim) is a read-only view of the rows so far. A
    view stays valid for its owner for ever: growth and compaction allocate new buffers and never write the old ones
    again. A view's rows do change in place while a fold runs: whoever scans and folds in several threads holds a lock.

    `links` holds the edges between memories, `passages` those of long ones, `taxonomy` {label: (pi, tau)} where a user
    changed what a label means, `head` the fitted perishability head's file (empty: the shipped one) and `head_seq` the
    event that holds it.
    `seq` is the last event folded in, `generation` rises when rows move, `damaged` lists the events that could not be
    read, `orphans` counts mentions of memories that are not there (0 unless the log is damaged), `settings` are the
    laws in force, `session` how the clock of active time stands.
    """

    def __init__(self, dim: int, *, capacity: int = 0, held: Held | None = None) -> None:
        self.dim = dim
        self.seq = 0
        self.generation = 0
        self.folding = False
        """A batch is being folded in. Where it stays so, that was interrupted, and the columns are void."""
        self.dead = 0
        self.damaged: list[int] = []
        self.orphans = 0
        self.settings = Configured(at=0.0)
        self.session = Session(at=0.0, active=0.0, running=False)
        self.links = Links()
        self.passages = Passages(dim)
        self.taxonomy: dict[str, tuple[float, float]] = {}
        self.head, self.head_seq = b"", 0
        self._n = 0
        self._scalars: dict[str, NDArray[Any]] = {f.name: aligned((capacity,), f.dtype) for f in FIELDS}
        if held is None:
            held = Held(Matrix(dim, np.float32, capacity), Matrix(dim, np.float32), 0, RowCodes(), None)
        self._what, self._contexts, self._c, self._codes, self._segment = held
        self._passage_rows: tuple[tuple[int, int], Table] | None = None
        self._turned: list[NDArray[np.int64]] | None = None
        self._views: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}

    def __len__(self) -> int:
        return self._n

    @property
    def live_count(self) -> int:
        """Number of memories that are not deleted."""
        return self._n - self.dead

    def __getattr__(self, name: str) -> NDArray[Any]:
        scalars = self.__dict__.get("_scalars", {})
        if name in scalars:
            buffer, n, held = scalars[name], self._n, self._views.get(name)
            if held is None or held[0] is not buffer or len(held[1]) != n:
                held = self._views[name] = buffer, sealed(buffer[:n])
            return held[1]
        raise AttributeError(f"Columns has no column {name!r}: there are what, contexts and {', '.join(scalars)}")

    @property
    def what(self) -> NDArray[np.float32]:
        """(n, dim) float32: unit rows, the embedding of each text. Mapped ones are all checked first: see `vectors`."""
        return self._what.all(self._n)

    @property
    def vectors(self) -> Rows:
        """The rows of `what`, `vectors[rows]`; where they are mapped, only what is looked at is read and checked."""
        return self._what.first(self._n)

    @property
    def contexts(self) -> NDArray[np.float32]:
        """(C, dim) float32: unit rows, the dictionary of distinct contexts."""
        return self._contexts.all(self._c)

    def codes(self) -> Codes:
        """8-bit codes of `what`, for `scrubjay.kernels.rank`: made at the first call, then kept up with the rows."""
        return self._codes.of(self.vectors)

    def passage_rows(self) -> Table:
        """`passages.table()` by rising row in the place of the key. Rows of deleted memories are not in it."""
        mark = (self.generation, self.passages.version)
        held = self._passage_rows
        if held is None or held[0] != mark:
            key, first, count = self.passages.table()
            held = self._passage_rows = (mark, Table(self.rows(key), first, count))
        return held[1]

    def live(self) -> NDArray[np.bool_]:
        """(n,) bool: False for deleted rows."""
        return (self._scalars["flags"][: self._n] & LIVE).astype(np.bool_)

    def visible(self, rows: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.bool_]:
        """(k,) bool: which of the rows a search may see: not deleted and not archived."""
        seen: NDArray[np.bool_] = (self._scalars["flags"][: self._n][rows] & VISIBLE) == LIVE
        return seen

    def where(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """(k, dim) float32, a copy: the context vector of each row, zeros where it has none."""
        numbers = self._scalars["context"][: self._n][rows]
        out = np.zeros((len(numbers), self.dim), np.float32)
        out[numbers >= 0] = self._contexts.first(self._c)[numbers[numbers >= 0]]
        return out

    # -- finding rows

    def rows(self, keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """(k,) int64: the row of each key, -1 for a key that is deleted or unknown. O(log n) each."""
        wanted = np.asarray(keys, np.int64)
        column = self._scalars["key"][: self._n]
        if not self._n:
            return np.full(wanted.shape, -1, np.int64)
        at = np.minimum(column.searchsorted(wanted), self._n - 1)
        lost = (column[at] != wanted) | ((self._scalars["flags"][at] & LIVE) == 0)
        at[lost] = -1
        return at

    def found(self, keys: Sequence[int]) -> NDArray[np.int64]:
        """`rows` for the fold: what is not there is counted in `orphans`."""
        rows = self.rows(keys)
        self.orphans += int((rows < 0).sum())
        return rows

    def row(self, key: int) -> int:
        """The row of one key, -1 when it is deleted or unknown."""
        column = self._scalars["key"][: self._n]
        at = int(column.searchsorted(key))
        if at < self._n and column[at] == key and self._scalars["flags"][at] & LIVE:
            return at
        return -1

    def perishability(self, row: int) -> Perishability:
        """A row's perishability as a value."""
        s = self._scalars
        return Perishability(
            label=LABELS[s["label"][row]],
            pi=short(s["pi"][row]),
            tau=short(s["tau"][row]),
            shape=short(s["shape"][row]),
            origin=ORIGINS[s["origin"][row]],
            degraded=bool(s["flags"][row] & DEGRADED),
            said=self.opinion(row),
        )

    def opinion(self, row: int) -> Opinion | None:
        """What a language model said of a row, None for nothing."""
        s = self._scalars
        if s["said_label"][row] < 0:
            return None
        return Opinion(label=LABELS[s["said_label"][row]], pi=short(s["said_pi"][row]), tau=short(s["said_tau"][row]))

    # -- for the fold

    def writable(self, name: str) -> NDArray[Any]:
        """A scalar column as the fold may write it, in place."""
        return self._scalars[name][: self._n]

    def movable(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The matrix `what` as the fold may write it, in place, in these rows and no others."""
        what = self._what.writable(self._n, rows)
        self._codes.moved(rows)
        self.turned(rows)
        return what

    def turned(self, rows: NDArray[np.int64]) -> None:
        """The what or the context of these rows changes."""
        if self._turned is None:
            return
        self._turned.append(self._scalars["key"][rows])
        if len(self._turned) > _TURNS:  # nobody has asked for long
            self._turned = [distinct(np.concatenate(self._turned))]

    def take_turned(self) -> NDArray[np.int64]:
        """Keys of the rows whose what or context changed since the last call; the first call begins to note them."""
        held, self._turned = self._turned, []
        return distinct(np.concatenate(held)) if held else np.empty(0, np.int64)

    def append(self, scalars: Mapping[str, Any], what: NDArray[np.float32] | int) -> None:
        """Append rows: one array, or one value for all, per name of `FIELDS`; keys above those that are there.

        `what` is a number of rows where their vectors lie in place: see `Held`.
        """
        first, k = self._n, what if isinstance(what, int) else len(what)
        self.reserve(first + k)
        for name, buffer in self._scalars.items():
            buffer[first : first + k] = scalars[name]
        if not isinstance(what, int):
            self._what.put(first, what)
        self._n = first + k

    def append_contexts(self, vectors: NDArray[np.float32]) -> None:
        """Append rows to the dictionary of contexts."""
        self._contexts.reserve(self._c, self._c + len(vectors))
        self._contexts.put(self._c, vectors)
        self._c += len(vectors)

    def forget(self, rows: NDArray[np.int64]) -> None:
        """Take the LIVE flag from rows that have it."""
        self._scalars["flags"][rows] &= np.uint8(~LIVE & 0xFF)
        self.dead += len(rows)

    @property
    def wasteful(self) -> bool:
        """True when it is time to `compact`."""
        return self._wide and not self.mapped_bytes

    @property
    def crowded(self) -> bool:
        """True when mapped rows would have to be squeezed, or most rows are in memory: time for a snapshot to map."""
        mapped = self._what.mapped_bytes
        return mapped > 0 and (self._wide or 4 * self.dim * self._n > 2 * mapped + ROOM)

    @property
    def _wide(self) -> bool:
        return self.dead > WASTE_ROWS and self.dead > WASTE_SHARE * self._n

    def compact(self) -> None:
        """Squeeze deleted rows out; keys stay, row numbers move. Old views keep the old buffers."""
        if not self.dead:
            return
        keep = np.flatnonzero(self.live())
        for name, buffer in self._scalars.items():
            fresh = aligned((len(keep),), buffer.dtype)
            np.take(buffer, keep, out=fresh)
            self._scalars[name] = fresh
        self._what.keep(keep)
        self._codes.keep(keep)
        self.links.compact(keep, self._n)
        self._n = len(keep)
        self._views = {}
        self.dead = 0
        self.generation += 1

    def reserve(self, rows: int) -> None:
        """Make room for so many rows; what is not used takes address space only."""
        capacity = min(self._what.capacity, len(self._scalars["key"]))
        if rows <= capacity:
            return
        # doubling while small, then half as much again: copies stay linear and the slack of a big store bounded
        capacity = max(rows, capacity * 2 if capacity < 1 << 18 else capacity + capacity // 2, 64)
        for name, buffer in self._scalars.items():
            fresh = aligned((capacity,), buffer.dtype)
            fresh[: self._n] = buffer[: self._n]
            self._scalars[name] = fresh
        self._views = {}
        self._what.grow(self._n, capacity)

    # -- as Arrow, and comparing

    def arrow(self) -> pa.RecordBatch:
        """All rows, deleted ones too (see `flags`), as one Arrow record batch that shares the buffers."""
        return record_batch(self.dim, {f.name: self._scalars[f.name][: self._n] for f in FIELDS}, self.what)

    def arrow_batches(self, rows_per_batch: int = 1 << 16) -> Iterable[pa.RecordBatch]:
        """The living rows in key order, in batches; shares the buffers where no row of a batch is deleted."""
        live = self.live() if self.dead else None
        for start in range(0, self._n, rows_per_batch):
            stop = min(start + rows_per_batch, self._n)
            pick: Any = slice(start, stop)
            if live is not None and not live[start:stop].all():
                pick = start + np.flatnonzero(live[start:stop])
            yield record_batch(self.dim, {f.name: self._scalars[f.name][pick] for f in FIELDS}, self.vectors[pick])

    def digest(self) -> str:
        """SHA-256 over dim, seq, the living rows, contexts, edges and taxonomy: equal digests are equal states."""
        h = hashlib.sha256(f"{self.dim} {self.seq} {self.live_count} {self._c}".encode())
        h.update(f"{self.settings} {self.session}".encode())
        keep = np.flatnonzero(self.live()) if self.dead else slice(0, self._n)
        for name, buffer in self._scalars.items():
            h.update(name.encode())
            h.update(np.ascontiguousarray(buffer[keep]).view(np.uint8).data)
        for batch in self.arrow_batches():
            h.update(batch.column("what").flatten().buffers()[1])
        h.update(self.contexts.reshape(-1).view(np.uint8).data)
        h.update(self.links.digest(np.flatnonzero(self.live())))
        h.update(repr(sorted(self.taxonomy.items())).encode())
        h.update(self.head)
        h.update(self.passages.digest())
        return h.hexdigest()

    @property
    def nbytes(self) -> int:
        """Bytes held in memory, slack included; what is mapped is not counted."""
        matrices = self._what.nbytes + self._contexts.nbytes + self._codes.nbytes + self.links.nbytes
        matrices += self.passages.nbytes
        return int(sum(b.nbytes for b in self._scalars.values()) + matrices)

    @property
    def mapped_bytes(self) -> int:
        """Bytes of the matrices that are mapped from a segment file, and so not held."""
        return sum(matrix.mapped_bytes for matrix in self._matrices)

    @property
    def resident_bytes(self) -> int:
        """How many of the mapped bytes lie in memory now; the system takes them back when it needs the room."""
        return sum(matrix.resident_bytes for matrix in self._matrices)

    @property
    def _matrices(self) -> tuple[Matrix, ...]:
        return (self._what, self._contexts, *self._codes.matrices)

    # -- mapped files

    @property
    def lost(self) -> str:
        """Why the columns cannot be trusted any more, "" while they can: for the mapped vectors, or half a fold."""
        if self.folding:
            return "a fold was interrupted"
        return "" if self._segment is None else self._segment.lost

    @property
    def broken(self) -> str:
        """Name of the mapped file, where a block of it was found damaged."""
        return self._segment.name if self._segment is not None and self._segment.broken else ""

    def must_hold(self) -> None:
        """Raise SegmentError if a mapped file was lost while it was read: called before an answer is given."""
        if self._segment is not None and self._segment.lost:
            raise self._segment.error()

    def scanned(self, rows: NDArray[np.int64] | None = None) -> None:
        """Check these rows of `what` (all for None), which a kernel has read of `raw`."""
        self._what.check(rows)

    @property
    def raw(self) -> NDArray[np.float32]:
        """`what` unchecked, for a kernel that tells which rows it reads; `scanned` must follow."""
        return self._what.unchecked(self._n)

    @property
    def settled(self) -> bool:
        """True when `what` needs no check any more."""
        return self._what.settled


def scalar_schema() -> pa.Schema:
    """The Arrow schema of the scalar columns; each field's metadata says its unit and meaning."""
    return pa.schema(
        [
            pa.field(f.name, pa.from_numpy_dtype(f.dtype), nullable=False, metadata={"unit": f.unit, "doc": f.doc})
            for f in FIELDS
        ]
    )


def schema(dim: int) -> pa.Schema:
    """The Arrow schema of the rows: `scalar_schema`, and `what`."""
    vector = pa.list_(pa.field("item", pa.float32(), nullable=False), dim)
    meta = {"unit": "unit norm", "doc": "embedding of the text"}
    return scalar_schema().append(pa.field("what", vector, nullable=False, metadata=meta))


def scalar_batch(scalars: Mapping[str, NDArray[Any]]) -> pa.RecordBatch:
    """Arrays as an Arrow record batch of `scalar_schema()`; shares their memory."""
    return pa.RecordBatch.from_arrays([flat(scalars[f.name]) for f in FIELDS], schema=scalar_schema())


def record_batch(dim: int, scalars: Mapping[str, NDArray[Any]], what: NDArray[np.float32]) -> pa.RecordBatch:
    """Arrays as an Arrow record batch of `schema(dim)`; shares their memory."""
    arrays = [flat(scalars[f.name]) for f in FIELDS]
    form = schema(dim)
    arrays.append(pa.FixedSizeListArray.from_arrays(flat(what), type=form.field("what").type))
    return pa.RecordBatch.from_arrays(arrays, schema=form)


def flat(array: NDArray[Any]) -> pa.Array:
    """Numbers of an array, one after the other, as an Arrow array; shares their memory.

    Unlike `pyarrow.array` it does not import pandas where that is installed.
    """
    values = np.ascontiguousarray(array).reshape(-1)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])
