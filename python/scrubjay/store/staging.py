"""Vectors of another embedder that wait for their store: a file beside the log, filled in committed batches.

A vector is found by the digest of its text, and only for the same store and the same pair of embedders: anything else
that lies there is of an attempt that was given up, and is removed. What does not match its checksum is not found.
The file is locked while it is in use, so that there is one re-embedding of a store at a time.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from types import TracebackType
from typing import Final

import apsw
import msgspec

from scrubjay.errors import StoreError, StoreLockedError
from scrubjay.store.connect import connect, fetch, translated
from scrubjay.store.meta import StoreMeta

NAME: Final = "reembed.sqlite"
"""The file's name in the store's folder."""
_UNUSABLE: Final = (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, apsw.SchemaChangeError)
_BUSY: Final = (apsw.BusyError, apsw.LockedError)


def text_key(text: str) -> bytes:
    """Digest of a text, 16 bytes.

    >>> len(text_key("tea")), text_key("tea") == text_key("Tea")
    (16, False)
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Staged:
    """An open file of vectors. `open_staged` makes one; `close` or a with block keeps it, `remove` ends it."""

    def __init__(self, connection: apsw.Connection, folder: str) -> None:
        self._db = connection
        self._folder = folder

    def __enter__(self) -> Staged:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._empty():
            # what was refused at once leaves no file
            self.remove()
        self.close()

    def _empty(self) -> bool:
        try:
            return not fetch(self._db, "SELECT 1 FROM vectors LIMIT 1")
        except apsw.Error:
            return False

    def close(self) -> None:
        """Release the file; what was put in stays. May be called again."""
        self._db.close()

    def remove(self) -> None:
        """Release the file and delete it; what cannot be deleted is left to the next re-embedding."""
        self.close()
        with suppress(StoreError):
            discard(self._folder)

    def put(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep vectors by digest; they are durable when this returns."""
        with translated(self._folder):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.cursor().executemany(
                    "INSERT OR REPLACE INTO vectors (digest, vector, crc) VALUES (?, ?, ?)",
                    ((digest, vector, zlib.crc32(vector, zlib.crc32(digest))) for digest, vector in vectors.items()),
                )
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def take(self, digests: Iterable[bytes], length: int) -> dict[bytes, bytes]:
        """The vectors of those digests that are there, sound and of `length` bytes."""
        out: dict[bytes, bytes] = {}
        with translated(self._folder):
            cursor = self._db.cursor()
            for digest in digests:
                for vector, crc in cursor.execute("SELECT vector, crc FROM vectors WHERE digest = ?", (digest,)):
                    sound = type(vector) is bytes and len(vector) == length
                    if sound and zlib.crc32(vector, zlib.crc32(digest)) == crc:
                        out[digest] = vector
        return out


def open_staged(folder: str, before: StoreMeta, embedder: str, dim: int, *, timeout: float) -> Staged:
    """The vectors of this store that were made by `embedder` so far.

    Raises StoreLockedError where another re-embedding holds the file for longer than `timeout` seconds.
    """
    purpose = msgspec.msgpack.encode([before.uuid, before.embedder, before.dim, embedder, dim])
    for last in (False, True):
        connection = None
        try:
            connection = connect(os.path.join(folder, NAME), durability="full", timeout=timeout)
            _ready(connection, purpose)
            return Staged(connection, folder)
        except BaseException as error:
            if connection is not None:
                with suppress(apsw.Error):
                    connection.close()
            if isinstance(error, _BUSY):
                raise StoreLockedError(
                    f"store {folder!r}: another re-embedding of it is running; wait for it, then try again"
                ) from error
            if not isinstance(error, _UNUSABLE) or last:
                with translated(folder):
                    raise
        # it can be made again from the texts
        discard(folder)
    raise AssertionError("unreachable")


def discard_done(folder: str, meta: StoreMeta) -> None:
    """Delete the file where it is of a re-embedding that is done: its vectors are the store's."""
    file = os.path.join(folder, NAME)
    if not os.path.exists(file):
        return
    connection = None
    try:
        connection = connect(file, durability="full", timeout=0.0)
        ((purpose,),) = fetch(connection, "SELECT body FROM purpose")
        done = msgspec.msgpack.decode(purpose)[3:] == [meta.embedder, meta.dim]
    except (apsw.Error, ValueError, TypeError, msgspec.MsgspecError):
        # in use, or of no use: whoever opens it next decides
        return
    finally:
        if connection is not None:
            connection.close()
    if done:
        with suppress(StoreError):
            discard(folder)


def _ready(connection: apsw.Connection, purpose: bytes) -> None:
    """Lock the file for this connection, and empty it where it is of another purpose."""
    connection.pragma("locking_mode", "EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        connection.execute("CREATE TABLE IF NOT EXISTS purpose (body BLOB NOT NULL)")
        if fetch(connection, "SELECT body FROM purpose") != [(purpose,)]:
            connection.execute("DELETE FROM purpose")
            connection.execute("DROP TABLE IF EXISTS vectors")
            connection.execute("INSERT INTO purpose (body) VALUES (?)", (purpose,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors"
            " (digest BLOB PRIMARY KEY, vector BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID"
        )
        fetch(connection, "SELECT vector, crc FROM vectors LIMIT 1")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def discard(folder: str) -> None:
    """Delete the file, where it is there."""
    for name in _files(folder):
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"store {folder!r}: {name!r} cannot be deleted: {error.strerror}") from error


def _files(folder: str) -> Sequence[str]:
    return [os.path.join(folder, NAME + end) for end in ("", "-journal", "-wal", "-shm")]
