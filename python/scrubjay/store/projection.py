"""Tables derived from the events, in the transaction that appends them; a rebuild runs the same functions.

`DERIVE` is a table {event type: function of (connection, [(seq, event), ...])}. Every row of `memories` has a CRC, so
that a flipped bit is an error and not a different text.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, Final, NamedTuple

import apsw
import msgspec
from msgspec import UNSET

from scrubjay.errors import ArgumentError, CorruptionError
from scrubjay.events import (
    AnyEvent,
    Batch,
    Condensed,
    Configured,
    ContextSeen,
    Fitted,
    Forgotten,
    Integrated,
    Learned,
    Linked,
    NamespaceSeen,
    Outcome,
    Outcomes,
    PeerMerged,
    Pruned,
    Purged,
    Rated,
    Reinforced,
    Relabelled,
    Related,
    Rescored,
    Restored,
    Session,
    Summarised,
    TaxonomySet,
    Undone,
    Unlinked,
    Updated,
    Void,
    touched,
)
from scrubjay.store import lexical, marks
from scrubjay.store.connect import fetch
from scrubjay.store.schema import DERIVED, DERIVED_TABLES, LEXICAL, MARKS

_pack: Final = msgspec.msgpack.Encoder().encode
_unpack: Final = msgspec.msgpack.Decoder().decode
_labels: Final = msgspec.msgpack.Decoder(tuple[str, ...]).decode

Run = Sequence[tuple[int, Any]]


class Row(NamedTuple):
    """What the projection holds of a living memory: all of a MemoryUnit that is not in the columns."""

    key: int
    id: bytes
    space: int
    dedupe: bytes | None
    context: int
    """Number of the context, -1 for none; its text is `context_text`."""
    text: str
    metadata: dict[str, Any]
    sensitive: str | None
    context_text: str | None = None


def derive(connection: apsw.Connection, events: Sequence[tuple[int, AnyEvent]]) -> None:
    """Bring the derived tables from the state before `events` to the state behind them."""
    telling = [pair for pair in events if DERIVE[type(pair[1])] is not _nothing]
    for kind, run in groupby(telling, lambda pair: type(pair[1])):
        DERIVE[kind](connection, list(run))
    connection.cursor().executemany(
        "INSERT INTO event_keys (key, seq) VALUES (?, ?)",
        ((key, seq) for seq, event in events for key in touched(event)),
    )


def create(connection: apsw.Connection) -> None:
    """Create the derived tables, empty."""
    for statement in DERIVED:
        connection.execute(statement)


def upgrade(connection: apsw.Connection) -> None:
    """Make the tables that a store of an earlier version lacks, within the caller's transaction."""
    worded, marked = lexical.present(connection), marks.present(connection)
    for statement in (*(() if worded else LEXICAL), *(() if marked else MARKS)):
        connection.execute(statement)
    last = -1
    while found := fetch(connection, _SEALED + "WHERE key > ? ORDER BY key LIMIT 1024", (last,)):
        if not worded:
            lexical.insert(connection, ((row[0], row[2], row[5], _unpack(row[6])) for row in found))
        if not marked:
            marks.insert(connection, ((row[0], row[2], _unpack(row[6])) for row in found))
        last = found[-1][0]


def complete(connection: apsw.Connection) -> bool:
    """False for a store of an earlier version that lacks derived tables."""
    return lexical.present(connection) and marks.present(connection)


def fill(connection: apsw.Connection, batches: Iterable[Batch]) -> None:
    """Derive everything from the whole log."""
    for batch in batches:
        derive(connection, list(zip(batch.seqs, batch.events, strict=True)))


def rebuild(connection: apsw.Connection, batches: Iterable[Batch], *, keep_for: set[int]) -> None:
    """Derive the tables anew, within the caller's transaction.

    `keep_for` are damaged events: what the old tables still know of their memories is kept, where it is sound.
    """
    kept = rescued(connection, keep_for)
    for table in DERIVED_TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    create(connection)
    fill(connection, batches)
    put_back(connection, kept)


class Rescued(NamedTuple):
    """What derived tables know of memories whose events are damaged."""

    memories: list[Any]
    forgotten: list[Any]
    links: list[Any]


def rescued(connection: apsw.Connection, damaged: set[int]) -> Rescued:
    """Rows that come from damaged events, as far as they are sound."""
    memories: list[Any] = []
    forgotten: list[Any] = []
    links: list[Any] = []
    if not damaged:
        return Rescued(memories, forgotten, links)
    try:
        links = [link for link in fetch(connection, "SELECT key, seq FROM event_keys") if link[1] in damaged]
        forgotten = fetch(connection, "SELECT id, key, space FROM forgotten")
    except apsw.CorruptError:
        pass
    for key in sorted({key for key, _ in links}):
        with suppress(apsw.CorruptError, UnicodeDecodeError):
            memories.extend(fetch(connection, _SEALED + "WHERE key = ?", (key,)))
    return Rescued([row for row in memories if zlib.crc32(_pack(tuple(row[:-1]))) == row[-1]], forgotten, links)


def put_back(connection: apsw.Connection, kept: Rescued) -> None:
    """Add to freshly derived tables what was rescued. What a damaged event deleted stays deleted."""
    cursor = connection.cursor()
    cursor.executemany(_INSERT.replace("INSERT", "INSERT OR REPLACE", 1), kept.memories)
    cursor.executemany("INSERT OR IGNORE INTO forgotten (id, key, space) VALUES (?, ?, ?)", kept.forgotten)
    cursor.executemany("DELETE FROM memories WHERE key = ?", ((key,) for _, key, _ in kept.forgotten))
    cursor.executemany("INSERT OR IGNORE INTO event_keys (key, seq) VALUES (?, ?)", kept.links)
    lexical.insert(connection, ((row[0], row[2], row[5], _unpack(row[6])) for row in kept.memories))
    lexical.delete(connection, [(key,) for _, key, _ in kept.forgotten])
    marks.insert(connection, ((row[0], row[2], _unpack(row[6])) for row in kept.memories))
    marks.delete(connection, [(key,) for _, key, _ in kept.forgotten])


# -- rules


def _seal(
    key: int,
    id: bytes,
    space: int,
    dedupe: bytes | None,
    context: int,
    text: str,
    metadata: bytes,
    sensitive: str | None,
) -> tuple[Any, ...]:
    row = (key, id, space, dedupe, context, text, metadata, sensitive)
    return (*row, zlib.crc32(_pack(row)))


def _numbered(number: int, content: str | bytes) -> tuple[int, str | bytes, int]:
    return number, content, zlib.crc32(_pack((number, content)))


def _sound(table: str, number: int, content: Any, crc: Any) -> Any:
    """The content of a row of `contexts` or `spaces`, after its checksum was found right."""
    if _numbered(number, content)[2] != crc:
        raise CorruptionError(f"row {number} of {table} does not match its checksum: run verify(repair=True)")
    return content


_INSERT: Final = (
    "INSERT INTO memories (key, id, space, dedupe, context, text, metadata, sensitive, crc)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SEALED: Final = "SELECT key, id, space, dedupe, context, text, metadata, sensitive, crc FROM memories "
_SELECT: Final = (
    "SELECT m.key, m.id, m.space, m.dedupe, m.context, m.text, m.metadata, m.sensitive, m.crc, c.text, c.crc"
    " FROM memories m LEFT JOIN contexts c ON c.context = m.context WHERE m.key "
)
_SELECT_ONE: Final = _SELECT + "= ?"
_SELECT_MANY: Final = "".join((_SELECT, "IN (SELECT value FROM json_each(?))"))


def _learned(connection: apsw.Connection, run: Run) -> None:
    connection.cursor().executemany(
        _INSERT,
        (_seal(e.key, e.id, e.space, e.dedupe, e.context, e.text, _pack(e.metadata), e.sensitive) for _, e in run),
    )
    lexical.insert(connection, ((e.key, e.space, e.text, e.metadata) for _, e in run))
    marks.insert(connection, ((e.key, e.space, e.metadata) for _, e in run if e.metadata))


def _contexts(connection: apsw.Connection, run: Run) -> None:
    connection.cursor().executemany(
        "INSERT INTO contexts (context, text, crc) VALUES (?, ?, ?)", (_numbered(e.context, e.text) for _, e in run)
    )


def _namespaces(connection: apsw.Connection, run: Run) -> None:
    connection.cursor().executemany(
        "INSERT INTO spaces (space, labels, crc) VALUES (?, ?, ?)",
        (_numbered(e.space, _pack(e.labels)) for _, e in run),
    )


def _nothing(connection: apsw.Connection, run: Run) -> None:
    """The event changes columns only."""


def _updated(connection: apsw.Connection, run: Run) -> None:
    for _, e in run:
        row = row_of(connection, e.key)
        if row is None:
            continue
        metadata = row.metadata if e.metadata is UNSET else e.metadata
        connection.execute(
            "UPDATE memories SET (key, id, space, dedupe, context, text, metadata, sensitive, crc)"
            " = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE key = ?",
            (
                *_seal(
                    row.key,
                    row.id,
                    row.space,
                    row.dedupe if e.dedupe is UNSET else e.dedupe,
                    row.context if e.context is UNSET else e.context,
                    row.text if e.text is UNSET else e.text,
                    _pack(metadata),
                    row.sensitive if e.sensitive is UNSET else e.sensitive,
                ),
                e.key,
            ),
        )
        if e.text is not UNSET or e.metadata is not UNSET:
            text = row.text if e.text is UNSET else e.text
            lexical.insert(connection, [(row.key, row.space, text, metadata)])
            marks.insert(connection, [(row.key, row.space, metadata)])


def _forgotten(connection: apsw.Connection, run: Run) -> None:
    keys = [(key,) for _, e in run for key in e.keys]
    cursor = connection.cursor()
    cursor.executemany(
        "INSERT OR IGNORE INTO forgotten (id, key, space) SELECT id, key, space FROM memories WHERE key = ?", keys
    )
    cursor.executemany("DELETE FROM memories WHERE key = ?", keys)
    lexical.delete(connection, keys)
    marks.delete(connection, keys)


def _purged(connection: apsw.Connection, run: Run) -> None:
    ids = ((e.ids[16 * i : 16 * i + 16], key, e.spaces[i]) for _, e in run for i, key in enumerate(e.keys))
    connection.cursor().executemany("INSERT OR IGNORE INTO forgotten (id, key, space) VALUES (?, ?, ?)", ids)


DERIVE: Final[dict[type, Callable[[apsw.Connection, Run], None]]] = {
    ContextSeen: _contexts,
    NamespaceSeen: _namespaces,
    Learned: _learned,
    Reinforced: _nothing,
    Updated: _updated,
    Forgotten: _forgotten,
    Integrated: _nothing,
    Undone: _nothing,
    Outcome: _nothing,
    Rated: _nothing,
    Rescored: _nothing,
    Configured: _nothing,
    Session: _nothing,
    Related: _nothing,
    Linked: _nothing,
    Unlinked: _nothing,
    Pruned: _nothing,
    Restored: _nothing,
    TaxonomySet: _nothing,
    Fitted: _nothing,
    Relabelled: _nothing,
    Outcomes: _nothing,
    Summarised: _nothing,
    PeerMerged: _nothing,
    Condensed: _nothing,
    Void: _nothing,
    Purged: _purged,
}
"""Each event type with what it does to the tables: a new event needs one row here."""


def rename(connection: apsw.Connection, contexts: dict[int, str], spaces: dict[int, tuple[str, ...]]) -> None:
    """Give contexts and namespaces other names, by number."""
    cursor = connection.cursor()
    cursor.executemany(
        "UPDATE contexts SET text = ?2, crc = ?3 WHERE context = ?1", (_numbered(*named) for named in contexts.items())
    )
    cursor.executemany(
        "UPDATE spaces SET labels = ?2, crc = ?3 WHERE space = ?1",
        (_numbered(number, _pack(labels)) for number, labels in spaces.items()),
    )


# -- reading


def _row(values: Sequence[Any]) -> Row:
    *held, crc, context_text, context_crc = values
    if context_crc is not None:
        _sound("contexts", held[4], context_text, context_crc)
    if zlib.crc32(_pack(tuple(held))) != crc:
        raise CorruptionError(
            f"the derived row of memory {held[0]} does not match its checksum: run verify(repair=True)"
        )
    held[6] = _unpack(held[6])
    return Row._make((*held, context_text))


def row_of(connection: apsw.Connection, key: int) -> Row | None:
    """The row of one living memory."""
    found = fetch(connection, _SELECT_ONE, (key,))
    return _row(found[0]) if found else None


def rows_of(connection: apsw.Connection, keys: Sequence[int]) -> dict[int, Row]:
    """The rows of those keys that are living."""
    if len(keys) == 1:
        row = row_of(connection, int(keys[0]))
        return {} if row is None else {row.key: row}
    found = fetch(connection, _SELECT_MANY, (_json(keys),))
    return {values[0]: _row(values) for values in found}


def living(connection: apsw.Connection, keys: Sequence[int]) -> set[int]:
    """Those of the keys that are living memories."""
    found = fetch(connection, "SELECT key FROM memories WHERE key IN (SELECT value FROM json_each(?))", (_json(keys),))
    return {key for (key,) in found}


def ids_of_keys(connection: apsw.Connection, keys: Sequence[int]) -> dict[int, bytes]:
    """Id of each of the keys that is a living memory."""
    sql = "SELECT key, id FROM memories WHERE key IN (SELECT value FROM json_each(?))"
    return dict(fetch(connection, sql, (_json(keys),)))


def keys_of_ids(connection: apsw.Connection, ids: Sequence[bytes]) -> dict[bytes, int]:
    """Key of each id that is a living memory's."""
    return _lookup(connection, "SELECT id, key FROM memories WHERE id = ?", ids, 1)


def forgotten_ids(connection: apsw.Connection, ids: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
    """(key, space) of each id that is a deleted memory's."""
    out: dict[bytes, tuple[int, int]] = {}
    for id in ids:
        for found in fetch(connection, "SELECT key, space FROM forgotten WHERE id = ?", (id,)):
            out[id] = (found[0], found[1])
    return out


def find_dedupe(connection: apsw.Connection, space: int, digests: Iterable[bytes]) -> dict[bytes, int]:
    """Key of the living memory of each digest that a namespace has."""
    cursor = connection.cursor()
    out: dict[bytes, int] = {}
    for digest in digests:
        for (key,) in cursor.execute("SELECT key FROM memories WHERE space = ? AND dedupe = ?", (space, digest)):
            out[digest] = key
    return out


def find_contexts(connection: apsw.Connection, texts: Iterable[str]) -> dict[str, int]:
    """Number of each context text that is known."""
    cursor = connection.cursor()
    out: dict[str, int] = {}
    for text in texts:
        for (number,) in cursor.execute("SELECT context FROM contexts WHERE text = ?", (text,)):
            out[text] = number
    return out


def context_texts(connection: apsw.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Text of each context number."""
    sql = "SELECT context, text, crc FROM contexts WHERE context IN (SELECT value FROM json_each(?))"
    return {row[0]: _sound("contexts", *row) for row in fetch(connection, sql, (_json(numbers),))}


def spaces(connection: apsw.Connection) -> dict[tuple[str, ...], int]:
    """Every namespace and its number. Labels are compared whole, never as joined text or by pattern."""
    found = fetch(connection, "SELECT space, labels, crc FROM spaces ORDER BY space")
    return {_labels(_sound("spaces", *row)): row[0] for row in found}


def spaces_from(connection: apsw.Connection, first: int) -> list[tuple[int, tuple[str, ...]]]:
    """Number and labels of the namespaces from number `first` on."""
    found = fetch(connection, "SELECT space, labels, crc FROM spaces WHERE space >= ? ORDER BY space", (first,))
    return [(row[0], _labels(_sound("spaces", *row))) for row in found]


def find_space(connection: apsw.Connection, labels: tuple[str, ...]) -> int | None:
    """Number of a namespace, None when it has never been written to."""
    found = fetch(connection, "SELECT space FROM spaces WHERE labels = ?", (_pack(labels),))
    return found[0][0] if found else None


def next_numbers(connection: apsw.Connection) -> tuple[int, int, int]:
    """The first unused key, context number and namespace number."""
    ((key, context, space),) = fetch(
        connection,
        "SELECT (SELECT max(key) FROM event_keys), (SELECT max(context) FROM contexts),"
        " (SELECT max(space) FROM spaces)",
    )
    return (key or 0) + 1, 0 if context is None else context + 1, 0 if space is None else space + 1


def _json(numbers: Sequence[int]) -> str:
    return "[" + ",".join(str(int(n)) for n in numbers) + "]"


def _lookup(connection: apsw.Connection, sql: str, names: Iterable[Any], column: int) -> dict[Any, Any]:
    cursor = connection.cursor()
    return {values[0]: values[column] for name in names for values in cursor.execute(sql, (name,))}


def refuse_conflict(error: apsw.ConstraintError) -> ArgumentError:
    """A writer that broke a uniqueness rule: two living memories of one digest, an id or number used twice."""
    return ArgumentError(f"event refused: {error}; look the value up in the same transaction before appending")
