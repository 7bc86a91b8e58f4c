"""What can be read of a store in one consistent state, and what a writer may add to it."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError, CorruptionError, StoreError, StoreFormatError
from scrubjay.events import AnyEvent, Batch, Learned, Recorded, touched
from scrubjay.store import lexical, marks, projection
from scrubjay.store.connect import fetch, translated
from scrubjay.store.guard import check, check_references
from scrubjay.store.meta import read_meta
from scrubjay.store.projection import Row

BATCH_EVENTS: Final = 4096
BATCH_BYTES: Final = 16 << 20
"""A batch of the tail ends at whichever comes first."""

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(AnyEvent).decode


class _Stamp(msgspec.Struct):
    at: float


_stamp: Final = msgspec.msgpack.Decoder(_Stamp).decode


_crc32, _number = zlib.crc32, struct.Struct("<q").pack


def event_crc(seq: int, body: bytes) -> int:
    """CRC-32 over the sequence number (8 bytes, little-endian) and the event's bytes."""
    return _crc32(body, _crc32(_number(seq)))


def read_event(seq: int, body: Any, crc: Any) -> AnyEvent | None:
    """The stored event, None when its bytes do not match their checksum.

    Raises StoreFormatError for bytes that are sound and yet no event that this version knows.
    """
    if type(body) is not bytes or event_crc(seq, body) != crc:
        return None
    try:
        return _decode(body)
    except msgspec.DecodeError as error:
        raise StoreFormatError(
            f"event {seq} is of a kind that this version of scrubjay does not know ({error}): install a newer one"
        ) from error


def last_seq(connection: apsw.Connection) -> int:
    """Sequence number of the last event, 0 for none.

    Numbers have no gaps, so one that does not follow the one before it was read from a damaged page.
    """
    found = [seq for (seq,) in fetch(connection, "SELECT seq FROM events ORDER BY seq DESC LIMIT 2")]
    last, before, *_ = (*found, 0, 0)
    if found and not last == before + 1 > 0:
        raise apsw.CorruptError(f"event {last} follows event {before}")
    return int(last)


class View:
    """The store as of event `seq`: nothing that is committed later is seen. Valid inside its `with` block only."""

    def __init__(self, connection: apsw.Connection, path: str, dim: int, seq: int) -> None:
        self._connection: apsw.Connection | None = connection
        self._path = path
        self._dim = dim
        self.seq = seq

    @property
    def _db(self) -> apsw.Connection:
        if self._connection is None:
            raise StoreError("this view of the store has ended: use it inside its with block")
        return self._connection

    def _end(self) -> None:
        self._connection = None

    @contextmanager
    def database(self) -> Iterator[apsw.Connection]:
        """The connection, for what other modules of the store ask of it: SQLite's errors inside the block are raised as
        this library's."""
        connection = self._db
        with translated(self._path, connection):
            yield connection

    def rows(self, keys: Sequence[int]) -> dict[int, Row]:
        """What the projection holds of each key that is a living memory."""
        with self.database() as db:
            return projection.rows_of(db, keys)

    def texts(self, keys: Sequence[int]) -> list[str]:
        """The text of each key, "" for one that is no living memory's."""
        found = self.rows(keys)
        return [found[key].text if key in found else "" for key in keys]

    def keys_of(self, ids: Sequence[bytes]) -> dict[bytes, int]:
        """Key of each id that is a living memory's."""
        with self.database() as db:
            return projection.keys_of_ids(db, ids)

    def ids_of(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Id of each key that is a living memory."""
        with self.database() as db:
            return projection.ids_of_keys(db, keys)

    def forgotten(self, ids: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
        """(key, namespace number) of each id that is a deleted memory's."""
        with self.database() as db:
            return projection.forgotten_ids(db, ids)

    def find_dedupe(self, space: int, digests: Iterable[bytes]) -> dict[bytes, int]:
        """Key of the living memory of each digest that the namespace has."""
        with self.database() as db:
            return projection.find_dedupe(db, space, digests)

    def find_contexts(self, texts: Iterable[str]) -> dict[str, int]:
        """Number of each context text that is known."""
        with self.database() as db:
            return projection.find_contexts(db, texts)

    def context_texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Text of each context number."""
        with self.database() as db:
            return projection.context_texts(db, numbers)

    def find_space(self, labels: tuple[str, ...]) -> int | None:
        """Number of a namespace, None when it was never written to."""
        with self.database() as db:
            return projection.find_space(db, labels)

    def spaces(self) -> dict[tuple[str, ...], int]:
        """Every namespace with its number."""
        with self.database() as db:
            return projection.spaces(db)

    def spaces_from(self, first: int) -> list[tuple[int, tuple[str, ...]]]:
        """Number and labels of the namespaces from number `first` on, in the order of the numbers."""
        with self.database() as db:
            return projection.spaces_from(db, first)

    def mentions(self, spaces: Sequence[int], text: str) -> lexical.Mentions | None:
        """Where the words of a text are mentioned; None where the store has no lexical index.

        Raises CorruptionError when the index is damaged.
        """
        with self.database() as db:
            if not lexical.present(db):
                return None
            return lexical.mentions(db, spaces, text)

    def touched_since(self, seq: int) -> set[int]:
        """Keys of the memories that an event after `seq` is about."""
        with self.database() as db:
            return {key for (key,) in fetch(db, "SELECT DISTINCT key FROM event_keys WHERE seq > ?", (seq,))}

    def events_of(self, space: int) -> int:
        """How many events are about the living memories of a namespace."""
        sql = "SELECT count(DISTINCT seq) FROM event_keys WHERE key IN (SELECT key FROM memories WHERE space = ?)"
        with self.database() as db:
            ((count,),) = fetch(db, sql, (space,))
        return int(count)

    def marked(self, spaces: Sequence[int], name: str, test: str, value: Any) -> NDArray[np.int64] | None:
        """Rising keys of the memories whose metadata pass a test (`marks.find`); None where nothing was marked yet."""
        with self.database() as db:
            if not marks.present(db):
                return None
            return marks.find(db, spaces, name, test, value)

    def history(self, key: int) -> list[Recorded]:
        """Every event about one memory, oldest first, also of a deleted one.

        Raises CorruptionError when one of them is damaged.
        """
        out: list[Recorded] = []
        with self.database() as db:
            found = db.execute(
                "SELECT k.seq, e.body, e.crc FROM event_keys k LEFT JOIN events e ON e.seq = k.seq"
                " WHERE k.key = ? ORDER BY k.seq",
                (key,),
            )
            for seq, body, crc in found:
                event = read_event(seq, body, crc) if type(seq) is int else None
                if event is None or key not in touched(event):
                    raise CorruptionError(
                        f"store {self._path!r}: event {seq} about memory {key} is damaged; run verify"
                    )
                out.append(Recorded(seq, event))
        return out

    def living(self) -> int:
        """How many memories are living."""
        with self.database() as db:
            ((count,),) = fetch(db, "SELECT count(*) FROM memories")
        return int(count)

    def learned(self, key: int) -> Learned | None:
        """The event that made a memory, also a deleted one; None where there is none that can be read."""
        with self.database() as db:
            for seq, body, crc in db.execute(
                "SELECT e.seq, e.body, e.crc FROM events e"
                " WHERE e.seq = (SELECT min(seq) FROM event_keys WHERE key = ?)",
                (key,),
            ):
                event = read_event(seq, body, crc)
                return event if isinstance(event, Learned) else None
        return None

    def since(self, keys: Sequence[int], after: int) -> list[tuple[int, AnyEvent]]:
        """(key, event) for every event behind `after` that is about one of the keys.

        Raises CorruptionError when one of them is damaged.
        """
        out: list[tuple[int, AnyEvent]] = []
        with self.database() as db:
            for key in keys:
                for seq, body, crc in db.execute(
                    "SELECT e.seq, e.body, e.crc FROM event_keys k JOIN events e ON e.seq = k.seq"
                    " WHERE k.key = ? AND k.seq > ?",
                    (key, after),
                ):
                    event = read_event(seq, body, crc)
                    if event is None:
                        raise CorruptionError(f"store {self._path!r}: event {seq} is damaged; run verify")
                    out.append((key, event))
        return out

    def last_key(self) -> int:
        """The highest key that was ever given to a memory, 0 for none."""
        with self.database() as db:
            return projection.next_numbers(db)[0] - 1

    def crc_at(self, seq: int) -> int | None:
        """Stored checksum of an event, None when there is none of that number."""
        with self.database() as db:
            found = fetch(db, "SELECT crc FROM events WHERE seq = ?", (seq,))
        return found[0][0] if found else None

    def stamps(self, after: int = 0) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(sequence numbers, `at`) of the events behind `after`; those of which it cannot be read are left out."""
        seqs, stamps = array("q"), array("d")
        with self.database() as db:
            for seq, body in db.execute("SELECT seq, body FROM events WHERE seq > ? AND seq <= ?", (after, self.seq)):
                with suppress(msgspec.DecodeError):
                    stamps.append(_stamp(body).at)
                    seqs.append(seq)
        return np.array(seqs, np.int64), np.array(stamps, np.float64)

    def epoch(self) -> int:
        """How often events were rewritten: state folded in another epoch is void."""
        with self.database() as db:
            return read_meta(db, self._path).epoch

    def batch(self, after: int, upto: int | None = None) -> Batch:
        """The next stretch of events behind `after`: at most BATCH_EVENTS, about BATCH_BYTES, not beyond `upto`."""
        end = self.seq if upto is None else min(upto, self.seq)
        end = min(end, after + BATCH_EVENTS)
        seqs: list[int] = []
        events: list[AnyEvent] = []
        damaged: list[int] = []
        size, last = 0, after
        for seq, body, crc in self._raw(after, end):
            damaged.extend(range(last + 1, seq))
            last = seq
            event = read_event(seq, body, crc)
            if event is None:
                damaged.append(seq)
                continue
            seqs.append(seq)
            events.append(event)
            size += len(body)
            if size >= BATCH_BYTES:
                end = seq
                break
        damaged.extend(range(last + 1, end + 1))
        return Batch(after=after, upto=max(end, after), seqs=seqs, events=events, damaged=damaged)

    def some(self, seqs: Iterable[int]) -> Iterator[tuple[int, AnyEvent | None]]:
        """Events of the given numbers, in that order; None for one that cannot be read."""
        for seq in seqs:
            found = next(iter(self._raw(seq - 1, seq)), None)
            yield seq, None if found is None else read_event(*found)

    def _raw(self, after: int, upto: int) -> Iterable[tuple[int, Any, Any]]:
        """(seq, body, crc) of the events in a range; what SQLite cannot read any more is left out."""
        last = after
        try:
            row: Any
            for row in self._db.execute(
                "SELECT seq, body, crc FROM events WHERE seq > ? AND seq <= ? ORDER BY seq", (after, upto)
            ):
                if not last < row[0] <= upto:
                    raise apsw.CorruptError("events out of order")
                yield row
                last = row[0]
            return
        except apsw.CorruptError:
            pass
        except apsw.Error:
            with self.database():
                raise
        # a page is damaged: ask for each event alone, so that only those on that page are lost
        for seq in range(last + 1, upto + 1):
            try:
                found = fetch(self._db, "SELECT seq, body, crc FROM events WHERE seq = ?", (seq,))
            except apsw.CorruptError:
                continue
            if found and found[0][0] == seq:
                yield found[0]


class Transaction(View):
    """A view that may append. Nothing of it is seen by others, or durable, before its `with` block has ended.

    `next_key`, `next_context` and `next_space` are the first unused numbers; they advance with what is appended.
    """

    def __init__(self, connection: apsw.Connection, path: str, dim: int, seq: int) -> None:
        super().__init__(connection, path, dim, seq)
        self.base = seq
        """The last event before this transaction's own."""
        self.failed = False
        self.next_key, self.next_context, self.next_space = projection.next_numbers(connection)
        self.first_key = self.next_key
        """The first key that this transaction may give to a memory."""

    def append(self, events: Sequence[AnyEvent]) -> Batch:
        """Append events and derive their rows; returns them as the batch that a fold takes.

        Raises ArgumentError or DimensionError, with nothing appended, for an event that must not be in a log.
        """
        if not events:
            return Batch(after=self.seq, upto=self.seq, seqs=[], events=[])
        if self.failed:
            raise StoreError("an append of this transaction has failed: let its block end")
        check(events, self._dim)
        with self.database() as db:
            numbers = check_references(
                events,
                (self.next_key, self.next_context, self.next_space),
                lambda keys: projection.living(db, keys),
            )
        first = self.seq + 1
        try:
            bodies = [_encode(event) for event in events]
            for body in bodies:
                # what cannot be read back, such as a number in the place of a text, must not get in
                _decode(body)
        except (msgspec.ValidationError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ArgumentError(f"event refused: it cannot be stored: {error}") from error
        seqs = list(range(first, first + len(events)))
        self.failed = True
        try:
            with self.database() as db:
                db.cursor().executemany(
                    "INSERT INTO events (seq, body, crc) VALUES (?, ?, ?)",
                    ((seq, body, event_crc(seq, body)) for seq, body in zip(seqs, bodies, strict=True)),
                )
                projection.derive(db, list(zip(seqs, events, strict=True)))
        except StoreError as error:
            if isinstance(error.__cause__, apsw.ConstraintError):
                raise projection.refuse_conflict(error.__cause__) from error
            raise
        self.failed = False
        self.seq = seqs[-1]
        self.next_key, self.next_context, self.next_space = numbers
        return Batch(after=first - 1, upto=self.seq, seqs=seqs, events=list(events))
