"""Opening SQLite the way a store needs it, and its errors as ours."""

from __future__ import annotations

import ctypes
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, TypeAlias

import apsw
import msgspec

from scrubjay.errors import (
    ArgumentError,
    CorruptionError,
    StoreError,
    StoreFormatError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    shown,
)
from scrubjay.store.schema import ANEW
from scrubjay.store.whole import NO_ROOM

Durability: TypeAlias = Literal["full", "normal"]

LONGEST_PATH: Final = 32767
"""Characters that the system with the longest paths takes."""
WAL_LIMIT: Final = 1 << 23
"""Bytes that a WAL keeps when it is begun anew; SQLite begins it anew from about as many on."""
_SYNCHRONOUS: Final = {"full": "FULL", "normal": "NORMAL"}
_BUSY = (apsw.BusyError, apsw.LockedError)
_NO_INDEX: Final = apsw.SQLITE_IOERR_SHMSIZE
_WRITES: Final = (apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_TRUNCATE)


def connect(
    target: str, *, durability: Durability, timeout: float, read_only: bool = False, uri: bool = False
) -> apsw.Connection:
    """A connection in the store's settings; it creates the file when it may write and there is none."""
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    if uri:
        flags |= apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(target, flags=flags)
    connection.set_busy_handler(patience(timeout))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    for name, value in (
        ("synchronous", _SYNCHRONOUS[durability]),
        ("secure_delete", "ON"),
        ("cell_size_check", "ON"),
        ("temp_store", "MEMORY"),
        ("cache_size", -16384),
        # what one large transaction took is given back when the WAL is begun anew
        ("journal_size_limit", WAL_LIMIT),
    ):
        connection.pragma(name, value)
    return connection


def patience(timeout: float) -> Callable[[int], bool]:
    """A busy handler that retries with jitter until `timeout` seconds have passed."""
    started = 0.0

    def handler(attempt: int) -> bool:
        nonlocal started
        now = time.monotonic()
        if attempt == 0:
            started = now
        if now - started >= timeout:
            return False
        # short at first, for a writer that is about to commit; capped, so that a waiter gets its turn soon
        time.sleep(random.uniform(0.0002, min(0.002 * (attempt + 1), 0.025)))
        return True

    return handler


def must_be_there(connection: apsw.Connection, path: str) -> None:
    """Raise StoreError where the file that a connection has open is no longer the one of its name.

    Whatever is written then would be lost with it, and what others write to the one in its place is not seen.
    """
    moved = ctypes.c_int(0)
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
    if moved.value:
        raise StoreError(
            f"store {path!r}: log.sqlite was deleted, moved or replaced while this handle had it open, and nothing is "
            "read from it or written to it: close it, and open the store again"
        )


def fetch(connection: apsw.Connection, sql: str, bindings: Sequence[Any] = ()) -> list[Any]:
    """All rows of a query."""
    return connection.execute(sql, bindings).fetchall()


@contextmanager
def translated(path: str, connection: apsw.Connection | None = None) -> Iterator[None]:
    """SQLite's errors inside the block, and bytes that are not what was stored, as errors of this library.

    `connection` knows what the system said of a write that failed.
    """
    try:
        yield
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        raise CorruptionError(
            f"store {path!r}: a derived table holds what was never written ({error}): run verify(repair=True)"
        ) from error
    except apsw.Error as error:
        raise as_ours(error, path, connection) from error


def no_room(error: apsw.Error, connection: apsw.Connection | None) -> bool:
    """True where a write through a connection failed for want of room: SQLite calls a quota and a limit on the size of
    files an input/output error."""
    if isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) == _NO_INDEX:
        # the second: no room for the index of the write-ahead file
        return True
    if connection is None or getattr(error, "extendedresult", 0) not in _WRITES:
        return False
    return connection.system_errno in NO_ROOM


def as_ours(error: apsw.Error, path: str, connection: apsw.Connection | None = None) -> StoreError:
    """What a user should read in place of `error`."""
    if isinstance(error, _BUSY):
        return StoreLockedError(f"store {path!r}: another process or thread held it past the timeout; try again")
    if isinstance(error, apsw.ReadOnlyError):
        return StoreReadOnlyError(
            f"store {path!r} cannot be written: open it with read_only=True to read it, or check the permissions "
            "of the folder and its files"
        )
    if isinstance(error, apsw.PermissionsError | apsw.AuthError):
        return StoreReadOnlyError(f"store {path!r}: permission denied; check the owner and mode of the folder")
    if isinstance(error, apsw.NotADBError):
        return StoreFormatError(f"store {path!r}: log.sqlite is not an SQLite file, or its header is damaged: {ANEW}")
    if isinstance(error, apsw.CorruptError):
        return CorruptionError(f"store {path!r}: log.sqlite is damaged ({error}): {ANEW}")
    if no_room(error, connection):
        return StoreFullError(f"store {path!r}: the disk is full: free some space and repeat")
    if isinstance(error, apsw.CantOpenError):
        return cannot_open(path)
    if isinstance(error, apsw.IOError):
        return StoreError(f"store {path!r}: input/output error ({error})")
    if isinstance(error, apsw.TooBigError):
        return StoreError(f"store {path!r}: a value is above SQLite's limit of one gigabyte")
    return StoreError(f"store {path!r}: {type(error).__name__}: {error}")


_UNKEPT: Final = "; nothing of this write was kept"


def unkept(error: StoreError) -> StoreError:
    """What a write that was taken back raises: only who took it back may say that nothing of it is there."""
    if not isinstance(error, StoreFullError) or str(error).endswith(_UNKEPT):
        return error
    return StoreFullError(f"{error}{_UNKEPT}")


def cannot_open(path: str) -> StoreError:
    """Why SQLite could not open the log: it needs to write beside it even for reading."""
    folder = os.path.abspath(path)
    if os.path.isdir(folder) and not os.access(folder, os.W_OK | os.X_OK):
        return StoreReadOnlyError(
            f"store {path!r}: the folder cannot be written, and SQLite's WAL needs files beside the log; open it with "
            "read_only=True to read it, make the folder writable, or copy the store to a place that is"
        )
    return StoreFormatError(f"store {path!r}: log.sqlite cannot be opened; check that the folder exists and is yours")


def checked_path(path: str | os.PathLike[str]) -> str:
    """The path as text, or ArgumentError for one that no file can have."""
    try:
        text = os.fspath(path)
    except TypeError as error:
        raise ArgumentError(
            f"path: expected a folder, as text or a path object, or ':memory:', got {type(path).__name__}"
        ) from error
    if not isinstance(text, str):
        text = os.fsdecode(text)
    if not text:
        raise ArgumentError("path: empty; give a folder, or ':memory:'")
    if len(text) > LONGEST_PATH:
        raise ArgumentError(f"path: {len(text)} characters; no system takes more than {LONGEST_PATH}")
    if "\0" in text:
        raise ArgumentError(f"path {shown(text, 200)} holds a NUL character, which no file name can")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"path {shown(text, 200)} is no UTF-8, and SQLite takes no other name") from None
    return text


def sync_folder(folder: str) -> None:
    """Make a folder's entries durable, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
