"""From a path to a connection on a store: made when it is new, refused unwritten when it is foreign or newer."""

from __future__ import annotations

import os
import random
import shutil
import time
from contextlib import suppress
from typing import Final, TypeAlias
from urllib.parse import quote

import apsw

from scrubjay.errors import (
    ArgumentError,
    CorruptionError,
    StoreError,
    StoreFormatError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from scrubjay.store import projection
from scrubjay.store.ballast import spare
from scrubjay.store.beside import foreign, left_behind
from scrubjay.store.connect import Durability, as_ours, cannot_open, connect, fetch, sync_folder
from scrubjay.store.meta import StoreMeta, match, read_meta, write_meta
from scrubjay.store.schema import APPLICATION_ID, FORMAT, LOG_NAME, PAGE_SIZE, TRUTH
from scrubjay.store.wal import lost_commits

MEMORY: Final = ":memory:"
ROOM: Final = 1 << 18
"""Bytes that must be free where a folder is made for a new store; it takes less (chosen)."""

Seen: TypeAlias = tuple[int, ...]
"""(inode, bytes, time of the last write) of a log and of its write-ahead file; zeros where there is none."""


def log_file(folder: str) -> str:
    """Name of the log in a store's folder."""
    return os.path.join(folder, LOG_NAME)


def open_store(
    folder: str,
    *,
    wanted: StoreMeta | None,
    embedder: str | None,
    dim: int | None,
    durability: Durability,
    timeout: float,
    read_only: bool,
) -> tuple[apsw.Connection, StoreMeta, Seen | None]:
    """(connection, meta, frozen). A missing store is created as `wanted`. `frozen`: how the files looked, where SQLite
    takes them as immutable (see `_frozen`).
    """
    until, freed, quiet = time.monotonic() + timeout, False, False
    while True:
        try:
            return _opened(folder, wanted, embedder, dim, durability, timeout, read_only, quiet)
        except StoreLockedError:
            # a file that others are turning into a store may be refused without asking the busy handler
            if time.monotonic() >= until:
                raise
            time.sleep(random.uniform(0.001, 0.02))
        except StoreFullError:
            # for the files that SQLite needs beside the log; whoever reads what nobody writes can do without them
            if read_only and not quiet and folder != MEMORY and _unwritten(folder):
                quiet = True
                continue
            if freed or folder == MEMORY or read_only or not spare(folder):
                raise
            freed = True


def _opened(
    folder: str,
    wanted: StoreMeta | None,
    embedder: str | None,
    dim: int | None,
    durability: Durability,
    timeout: float,
    read_only: bool,
    quiet: bool,
) -> tuple[apsw.Connection, StoreMeta, Seen | None]:
    if folder == MEMORY and read_only:
        raise ArgumentError("read_only: a store in memory begins empty, so there is nothing to read; give a folder")
    target = MEMORY if folder == MEMORY else _prepared(folder, create=wanted is not None and not read_only)
    frozen = quiet or (read_only and folder != MEMORY and _frozen(folder))
    looked = seen(folder) if frozen else None
    connection = None
    try:
        if frozen:
            target = f"file:{quote(os.path.abspath(target))}?immutable=1"
        connection = connect(target, durability=durability, timeout=timeout, read_only=read_only, uri=frozen)
        meta = _entered(connection, folder, wanted, read_only)
        match(meta, embedder, dim, folder)
        if not read_only and folder != MEMORY and not os.access(folder, os.W_OK):
            raise cannot_open(folder)
        return connection, meta, looked
    except BaseException as error:
        if connection is not None:
            # a file that is refused must stay as it is
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
        if isinstance(error, apsw.Error):
            raise as_ours(error, folder) from error
        raise


def _frozen(folder: str) -> bool:
    """True when nobody can be writing: the folder is not writable for us and no WAL files lie in it.

    SQLite needs those files even for reading, and cannot make them there; it may then take the log as immutable.
    """
    file = log_file(folder)
    return not os.access(folder, os.W_OK) and not any(os.path.exists(file + end) for end in ("-wal", "-shm"))


def seen(folder: str) -> Seen:
    """How a store's log and its write-ahead file look: SQLite's locks do not tell a frozen handle that they changed.

    >>> seen("/a/folder/that/is/not/there")
    (0, 0, 0, 0, 0, 0)
    """
    told = []
    for end in ("", "-wal"):
        try:
            of = os.stat(log_file(folder) + end)
            told += [of.st_ino, of.st_size, of.st_mtime_ns]
        except OSError:
            told += [0, 0, 0]
    return tuple(told)


def _unwritten(folder: str) -> bool:
    """True when all that was written is in the log's file itself: no write-ahead file holds anything."""
    return _size(log_file(folder) + "-wal") == 0


def _prepared(folder: str, *, create: bool) -> str:
    """The log's file name, after the folder was made or found to be a store."""
    file = log_file(folder)
    # what comes later is looked at first, since another process may be creating the store
    changes, left = _size(file + "-wal"), left_behind(folder)
    if os.path.isdir(folder):
        if _size(file) == 0 < changes:
            # SQLite would take the file as new and remove the rest
            raise CorruptionError(
                f"store {folder!r}: {LOG_NAME} is lost, but changes to it lie beside it; restore it from a backup, or "
                "remove the folder to start anew"
            )
        if left and os.path.lexists(file) and _size(file) == 0:
            raise CorruptionError(_emptied(folder, left))
        if not os.path.lexists(file):
            if not os.access(folder, os.R_OK | os.X_OK):
                raise StoreReadOnlyError(f"store {folder!r} cannot be read: permission denied")
            if left:
                raise StoreFormatError(
                    f"store {folder!r}: {LOG_NAME} is gone but {left} of it is there; restore the log from a backup, "
                    "or remove the folder to start anew"
                )
            if not create:
                raise StoreFormatError(f"store {folder!r}: there is no {LOG_NAME} in it")
            if held := foreign(folder):
                raise StoreFormatError(
                    f"store {folder!r}: the folder is no store and holds other things ({held!r}); a store has a folder "
                    "of its own: name a new or an empty one"
                )
            _sync_above(folder, folder)
        return file
    if not create and not os.path.lexists(folder):
        raise StoreFormatError(f"store {folder!r} does not exist")
    above = _held(folder)
    disk = shutil.disk_usage(above)
    if not disk.total:
        # such as /proc
        raise StoreReadOnlyError(f"store {folder!r} cannot be created: the file system there keeps no files")
    if disk.free < ROOM:
        raise StoreFullError(
            f"store {folder!r}: the disk is full: a new store takes {ROOM >> 10} KiB; nothing was made"
        )
    try:
        os.makedirs(folder, exist_ok=True)
        _sync_above(folder, above)
    except FileExistsError as error:
        raise StoreFormatError(f"store {folder!r} is not a folder: a store is one") from error
    except PermissionError as error:
        raise StoreReadOnlyError(f"store {folder!r} cannot be created: permission denied") from error
    except OSError as error:
        raise StoreError(f"store {folder!r} cannot be created: {error.strerror}") from error
    except RecursionError as error:
        raise StoreError(f"store {folder!r} cannot be created: too many folders above it are missing") from error
    return file


def _held(folder: str) -> str:
    """The deepest folder above `folder` that is there."""
    above = os.path.dirname(os.path.abspath(folder))
    while not os.path.isdir(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    return above


def _sync_above(folder: str, upto: str) -> None:
    """Make the names of a store's folder, and of those made above it up to `upto`, survive a power cut."""
    above, last = os.path.abspath(folder), os.path.abspath(upto)
    while True:
        above = os.path.dirname(above)
        # a folder that cannot be read cannot be synced
        with suppress(OSError):
            sync_folder(above)
        if len(above) <= len(last):
            return


def _emptied(folder: str, left: str) -> str:
    return (
        f"store {folder!r}: {LOG_NAME} is empty but {left} of it is there; restore the log from a backup, or remove "
        "the folder to start anew"
    )


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0


def _entered(connection: apsw.Connection, folder: str, wanted: StoreMeta | None, read_only: bool) -> StoreMeta:
    # looked at first: another process may be creating the store
    left = None if folder == MEMORY else left_behind(folder)
    application, version, tables = _header(connection)
    if application == 0 and version == 0 and not tables:
        if left:
            raise CorruptionError(_emptied(folder, left))
        loss = None if folder == MEMORY else lost_commits(log_file(folder), connection)
        if loss is not None:
            raise CorruptionError(f"store {folder!r}: {loss}; restore a backup, or remove the folder to start anew")
        if wanted is None or read_only:
            raise StoreFormatError(f"store {folder!r}: {LOG_NAME} is empty; a store is made by opening it for writing")
        create(connection, wanted)
        application, version, _ = _header(connection)
    if application != APPLICATION_ID:
        raise StoreFormatError(f"store {folder!r}: {LOG_NAME} is an SQLite file of another program")
    if not 1 <= version <= FORMAT:
        raise StoreFormatError(
            f"store {folder!r} has format {version}, this version of scrubjay knows up to {FORMAT}: install a newer one"
        )
    if not read_only and not projection.complete(connection):
        _upgrade(connection)
    return read_meta(connection, folder)


def _upgrade(connection: apsw.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # another process may have been first
        if not projection.complete(connection):
            projection.upgrade(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _header(connection: apsw.Connection) -> tuple[int, int, int]:
    """(application id, format, number of tables), all of one moment: another process may be creating the store."""
    within = connection.in_transaction
    if not within:
        connection.execute("BEGIN")
    try:
        return (
            fetch(connection, "PRAGMA application_id")[0][0],
            fetch(connection, "PRAGMA user_version")[0][0],
            fetch(connection, "SELECT count(*) FROM sqlite_schema")[0][0],
        )
    finally:
        if not within and connection.in_transaction:
            connection.execute("COMMIT")


def create(connection: apsw.Connection, meta: StoreMeta) -> None:
    """Make the tables of a new store."""
    connection.pragma("page_size", PAGE_SIZE)
    connection.pragma("journal_mode", "WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # another process may have been first
        if _header(connection)[0] == 0:
            for statement in TRUTH:
                connection.execute(statement)
            projection.create(connection)
            write_meta(connection, meta)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", FORMAT)
        connection.execute("COMMIT")
        # what the file is should be readable from it alone, also when its WAL is lost; another may be doing it
        with suppress(apsw.BusyError):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
