"""What a purge needs of SQLite: the intent that survives a crash, tables and files without what was purged.

An intent is a record beside the store's own. It is written in the transaction that takes the memories out of sight, and
removed when no file holds a byte of them any more: whoever finds one goes on with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Final

import apsw
import msgspec

from scrubjay.errors import CorruptionError, StoreError
from scrubjay.store import lexical, marks, projection
from scrubjay.store.connect import connect, fetch, translated
from scrubjay.store.log import EventLog
from scrubjay.store.opening import log_file
from scrubjay.store.view import Transaction, View

NAME: Final = "purge"
"""Name of the record in the table `meta`."""
PATIENCE: Final = 5.0
"""Most seconds to wait for those who look into the log's old pages; then the file is left to the next open."""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be purged."""

    keys: list[int] = []
    spaces: dict[int, int] = {}
    """Namespaces whose every memory goes, each with the highest key that counts."""
    rewritten: bool = False
    """True when the log holds nothing of it any more, and only files may."""

    def joined(self, keys: Iterable[int], spaces: Mapping[int, int]) -> Intent:
        """This and more."""
        merged = self.spaces | {space: max(key, self.spaces.get(space, 0)) for space, key in spaces.items()}
        return Intent(keys=sorted({*self.keys, *keys}), spaces=merged)


def read_intent(view: View) -> Intent | None:
    """What is still to be purged, None for nothing."""
    with view.database() as db:
        found = fetch(db, "SELECT body, crc FROM meta WHERE name = ?", (NAME,))
    if not found:
        return None
    body, crc = found[0]
    if not isinstance(body, bytes) or zlib.crc32(body) != crc:
        raise CorruptionError(f"store {view._path!r}: the record of an unfinished purge is damaged: purge again")
    return msgspec.msgpack.decode(body, type=Intent)


def write_intent(tx: Transaction, intent: Intent | None) -> None:
    """Put the record in the place of the one that is there; None removes it."""
    with tx.database() as db:
        db.execute("DELETE FROM meta WHERE name = ?", (NAME,))
        if intent is not None:
            body = msgspec.msgpack.encode(intent)
            db.execute("INSERT INTO meta (name, body, crc) VALUES (?, ?, ?)", (NAME, body, zlib.crc32(body)))


def nameless(number: int) -> str:
    """The text of a purged context or label; no user's text has a NUL in it.

    >>> nameless(3)
    '\\x003'
    """
    return f"\0{number}"


def is_nameless(text: str) -> bool:
    """True for what `nameless` gives.

    >>> is_nameless(nameless(3)), is_nameless("3")
    (True, False)
    """
    return text.startswith("\0")


def expel(tx: Transaction, keys: Iterable[int], contexts: Iterable[int], spaces: Iterable[int]) -> None:
    """Take memories out of the derived tables, and the names of contexts and namespaces with them."""
    with tx.database() as db:
        rows = [(key,) for key in keys]
        cursor = db.cursor()
        cursor.executemany("DELETE FROM memories WHERE key = ?", rows)
        lexical.delete(db, rows)
        marks.delete(db, rows)
        projection.rename(db, {n: nameless(n) for n in contexts}, {n: (nameless(n),) for n in spaces})
        # FTS5's secure-delete leaves words in the index of its segments: they are made anew from what is left
        if lexical.present(db):
            db.execute("INSERT INTO lexical (lexical) VALUES ('rebuild')")


def forgotten_rows(tx: Transaction, keys: set[int]) -> dict[int, tuple[bytes, int]]:
    """(id, namespace number) of each of the deleted memories that has one. One pass: they are by id."""
    with tx.database() as db:
        found = db.execute("SELECT id, key, space FROM forgotten")
        return {key: (id, space) for id, key, space in found if key in keys} if keys else {}


def linked(tx: Transaction, keys: Iterable[int]) -> set[int]:
    """Numbers of the events that are about one of the memories."""
    with tx.database() as db:
        cursor = db.cursor()
        sql = "SELECT seq FROM event_keys WHERE key = ?"
        return {seq for key in keys for (seq,) in cursor.execute(sql, (key,))}


def scour(log: EventLog) -> list[str]:
    """Write the log's file anew, without free pages and write-ahead file; returns what could not be done, in words."""
    if log.in_memory:
        return []
    try:
        with translated(log.path):
            db = connect(log_file(log.path), durability="full", timeout=min(PATIENCE, log._timeout))
            try:
                # a copy of the whole file need not fit into memory
                db.pragma("temp_store", "FILE")
                db.execute("VACUUM")
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            finally:
                db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                db.close()
    except StoreError as error:
        return [f"log.sqlite may still hold it: {error}"]
    return []
