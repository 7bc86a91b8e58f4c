"""The event log: one SQLite file that is the only truth, with the tables derived from it.

Threads may share a handle: writers queue for one connection and share an fsync where they meet, each read takes a
connection of its own and sees a consistent state. Several processes may open one folder. No handle crosses fork().

>>> from scrubjay.events import NamespaceSeen
>>> with EventLog.open(":memory:", embedder="toy", dim=2) as log:
...     with log.write() as tx:
...         _ = tx.append([NamespaceSeen(at=0.0, space=tx.next_space, labels=("team", "a"))])
...     log.seq, log.spaces()
(1, {('team', 'a'): 0})
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import apsw
import msgspec

from scrubjay.errors import (
    ArgumentError,
    CorruptionError,
    DimensionError,
    EmbedderMismatchError,
    StoreClosedError,
    StoreError,
    StoreForkedError,
    StoreFormatError,
    StoreReadOnlyError,
)
from scrubjay.events import Batch, Recorded
from scrubjay.store import projection
from scrubjay.store.connect import Durability, as_ours, cannot_open, checked_path, connect, fetch, translated
from scrubjay.store.projection import Row
from scrubjay.store.schema import APPLICATION_ID, FORMAT, LOG_NAME, PAGE_SIZE, SNAPSHOT_NAME, TRUTH
from scrubjay.store.view import Transaction, View

MEMORY: Final = ":memory:"
IDLE_READERS: Final = 4
GROUP_SIZE: Final = 64
GROUP_SECONDS: Final = 0.01
"""An open group commit ends when it has GROUP_SIZE members or is this old, and when nobody waits."""


class StoreMeta(msgspec.Struct, frozen=True, kw_only=True):
    """What a store is, recorded when it is created."""

    uuid: str
    embedder: str
    """Name of the embedder that made its vectors."""
    dim: int
    clock: str = "wall"
    """Kind of the clock that its times come from."""
    epoch: int = 0
    """Rises when events are rewritten (purge, new embedder): state folded before it is void."""


class _Group:
    """Transactions of several threads that share one commit."""

    def __init__(self) -> None:
        self.members = 0
        self.began = time.monotonic()
        self.done = threading.Event()
        self.error: StoreError | None = None


class EventLog:
    """A handle on a store's log. `EventLog.open` makes one; `close` or a with block ends it."""

    def __init__(
        self,
        path: str,
        connection: apsw.Connection,
        meta: StoreMeta,
        *,
        durability: Durability,
        timeout: float,
        read_only: bool,
    ) -> None:
        self.path = path
        self.meta = meta
        self.durability: Durability = durability
        self.read_only = read_only
        self._timeout = timeout
        self._pid = os.getpid()
        self._closed = False
        self._writer: apsw.Connection | None = connection
        self._turn = threading.Lock()
        self._owner: int | None = None
        self._waiting = 0
        self._group: _Group | None = None
        self._pool_lock = threading.Lock()
        self._idle: list[apsw.Connection] = []

    # -- opening and closing

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        embedder: str | None = None,
        dim: int | None = None,
        clock: str = "wall",
        durability: Durability = "full",
        read_only: bool = False,
        timeout: float = 30.0,
    ) -> EventLog:
        """Open the log in folder `path` (or ":memory:"); one is created when `embedder` and `dim` are given.

        With `embedder` and `dim`, an existing store must have been made with the same: EmbedderMismatchError or
        DimensionError otherwise, before anything is written. `durability="full"` means that what was acknowledged
        survives a power cut; "normal" that it survives the end of the process. `timeout` is how many seconds to wait
        for another process's lock.
        """
        folder = checked_path(path)
        if durability not in ("full", "normal"):
            raise ArgumentError(f"durability must be 'full' or 'normal', got {durability!r}")
        if dim is not None and not 1 <= dim <= 65536:
            raise ArgumentError(f"dim must be in [1, 65536], got {dim!r}")
        wanted = (
            None
            if embedder is None or dim is None
            else StoreMeta(uuid=os.urandom(16).hex(), embedder=embedder, dim=dim, clock=clock)
        )
        if folder == MEMORY:
            target = MEMORY
        else:
            target = _prepared(folder, create=wanted is not None and not read_only)
        try:
            connection = connect(target, durability=durability, timeout=timeout, read_only=read_only)
        except apsw.CantOpenError as error:
            raise cannot_open(folder) from error
        try:
            with translated(folder):
                meta = _entered(connection, folder, wanted, read_only)
            _matching(meta, embedder, dim, folder)
        except BaseException:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
            raise
        return cls(folder, connection, meta, durability=durability, timeout=timeout, read_only=read_only)

    def close(self) -> None:
        """End the handle: its files are released. May be called again, and from another thread."""
        if self._closed or os.getpid() != self._pid:
            return
        with self._turn:
            if self._closed:
                return
            self._closed = True
            with self._pool_lock:
                for connection in self._idle:
                    connection.close()
                self._idle.clear()
            if self._writer is not None:
                with translated(self.path):
                    self._writer.close()
                self._writer = None

    def __enter__(self) -> EventLog:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "read-only" if self.read_only else "open"
        return f"<EventLog {self.path!r} {state}>"

    def __reduce__(self) -> Any:
        raise TypeError("an EventLog cannot be pickled: open the store again where it is needed")

    @property
    def in_memory(self) -> bool:
        """True for a log without files."""
        return self.path == MEMORY

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._closed

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.meta.dim

    @property
    def snapshot_folder(self) -> str | None:
        """Where snapshots of this log lie; None in memory."""
        return None if self.in_memory else os.path.join(self.path, SNAPSHOT_NAME)

    def _usable(self) -> None:
        if os.getpid() != self._pid:
            raise StoreForkedError(f"store {self.path!r} was opened before fork(): open it again in the child process")
        if self._closed:
            raise StoreClosedError(f"store {self.path!r} is closed: open it again")
        if self._owner == threading.get_ident():
            raise StoreError("inside a write block use its transaction, not the log")

    # -- reading

    @contextmanager
    def read(self) -> Iterator[View]:
        """A consistent view of what is committed now."""
        self._usable()
        if self.in_memory:
            with self._turn:
                self._usable()
                connection = self._writer
                assert connection is not None
                held = View(connection, self.path, self.dim, _last_seq(connection))
                try:
                    yield held
                finally:
                    held._end()
            return
        connection = self._borrow()
        view: View | None = None
        try:
            with translated(self.path):
                connection.execute("BEGIN")
                view = View(connection, self.path, self.dim, _last_seq(connection))
            yield view
        finally:
            if view is not None:
                view._end()
            self._give_back(connection)

    def _borrow(self) -> apsw.Connection:
        with self._pool_lock:
            if self._idle:
                return self._idle.pop()
        with translated(self.path):
            return connect(_file(self.path), durability=self.durability, timeout=self._timeout, read_only=True)

    def _give_back(self, connection: apsw.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._pool_lock:
            if not self._closed and len(self._idle) < IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    @property
    def seq(self) -> int:
        """Sequence number of the last committed event, also another process's; 0 for none."""
        with self.read() as view:
            return view.seq

    def tail(self, after: int = 0, upto: int | None = None) -> Iterator[Batch]:
        """The events of (after, upto] in batches; damaged ones are listed in their batch instead."""
        end = upto
        while True:
            with self.read() as view:
                end = view.seq if end is None else min(end, view.seq)
                if after >= end:
                    return
                batch = view.batch(after, end)
            yield batch
            after = batch.upto

    def history(self, key: int) -> list[Recorded]:
        """See `View.history`."""
        with self.read() as view:
            return view.history(key)

    def rows(self, keys: Sequence[int]) -> dict[int, Row]:
        """See `View.rows`."""
        with self.read() as view:
            return view.rows(keys)

    def spaces(self) -> dict[tuple[str, ...], int]:
        """See `View.spaces`."""
        with self.read() as view:
            return view.spaces()

    # -- writing

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction: read what it depends on, append, and when the block ends without an error it is committed.

        Raises StoreLockedError when another process holds the lock for longer than the timeout. Threads that wait for
        their turn may share one commit, and so one fsync; each returns only after it.
        """
        self._usable()
        if self.read_only:
            raise StoreReadOnlyError(f"store {self.path!r} was opened with read_only=True: open it for writing")
        group, tx = self._enter()
        try:
            yield tx
        except BaseException:
            self._leave(group, tx, keep=False)
            raise
        self._leave(group, tx, keep=True)
        while not group.done.wait(0.05):
            # whoever was to commit never came (it was interrupted while it waited for its turn)
            if self._turn.acquire(blocking=False):
                try:
                    if self._group is group:
                        self._commit(group)
                finally:
                    self._turn.release()
        if group.error is not None:
            raise group.error

    def _enter(self) -> tuple[_Group, Transaction]:
        with self._pool_lock:
            self._waiting += 1
        try:
            self._turn.acquire()
        finally:
            with self._pool_lock:
                self._waiting -= 1
        try:
            self._usable()
            db = self._writer
            assert db is not None
            with translated(self.path):
                if self._group is None:
                    db.execute("BEGIN IMMEDIATE")
                    self._group = _Group()
                else:
                    db.execute("SAVEPOINT member")
                tx = Transaction(db, self.path, self.dim, _last_seq(db))
            self._owner = threading.get_ident()
            return self._group, tx
        except BaseException:
            self._turn.release()
            raise

    def _leave(self, group: _Group, tx: Transaction, *, keep: bool) -> None:
        db = self._writer
        assert db is not None
        tx._end()
        try:
            if not db.in_transaction:
                # SQLite gave the whole transaction up, as it does when the disk is full
                self._finish(group, StoreError(f"store {self.path!r}: the transaction was rolled back by an error"))
                keep = False
            elif not keep:
                if group.members:
                    db.execute("ROLLBACK TO member; RELEASE member")
                else:
                    db.execute("ROLLBACK")
                    self._finish(group, None)
            else:
                if group.members:
                    db.execute("RELEASE member")
                group.members += 1
            if self._group is group and self._commit_now(group):
                self._commit(group)
        finally:
            self._owner = None
            self._turn.release()

    def _commit_now(self, group: _Group) -> bool:
        return (
            self.in_memory
            or self._waiting == 0
            or group.members >= GROUP_SIZE
            or time.monotonic() - group.began >= GROUP_SECONDS
        )

    def _commit(self, group: _Group) -> None:
        db = self._writer
        assert db is not None
        try:
            db.execute("COMMIT")
        except apsw.Error as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            self._finish(group, as_ours(error, self.path))
        else:
            self._finish(group, None)

    def _finish(self, group: _Group, error: StoreError | None) -> None:
        group.error = error
        self._group = None
        group.done.set()


# -- opening


def _file(folder: str) -> str:
    return os.path.join(folder, LOG_NAME)


def _prepared(folder: str, *, create: bool) -> str:
    """The log's file name, after the folder was made or found to be a store."""
    file = _file(folder)
    if os.path.isdir(folder):
        if not os.path.lexists(file):
            if os.path.exists(os.path.join(folder, SNAPSHOT_NAME)):
                raise StoreFormatError(
                    f"store {folder!r}: {LOG_NAME} is gone but a snapshot is there; restore the log from a backup, "
                    "or remove the folder to start anew"
                )
            if not create:
                raise StoreFormatError(f"store {folder!r}: there is no {LOG_NAME} in it")
        return file
    if os.path.lexists(folder):
        raise StoreFormatError(f"store {folder!r} is not a folder: a store is one")
    if not create:
        raise StoreFormatError(f"store {folder!r} does not exist")
    try:
        os.makedirs(folder, exist_ok=True)
    except PermissionError as error:
        raise StoreReadOnlyError(f"store {folder!r} cannot be created: permission denied") from error
    except OSError as error:
        raise StoreError(f"store {folder!r} cannot be created: {error.strerror}") from error
    return file


def _entered(connection: apsw.Connection, folder: str, wanted: StoreMeta | None, read_only: bool) -> StoreMeta:
    """The store's meta record; a new file is made a store of `wanted`. Refuses foreign and newer files unwritten."""
    application, version = connection.pragma("application_id"), connection.pragma("user_version")
    if application == 0 and version == 0 and not fetch(connection, "SELECT 1 FROM sqlite_schema LIMIT 1"):
        if wanted is None or read_only:
            raise StoreFormatError(f"store {folder!r}: {LOG_NAME} is empty")
        _create(connection, wanted)
        application, version = connection.pragma("application_id"), connection.pragma("user_version")
    if application != APPLICATION_ID:
        raise StoreFormatError(f"store {folder!r}: {LOG_NAME} is an SQLite file of another program")
    if version > FORMAT:
        raise StoreFormatError(
            f"store {folder!r} has format {version}, this version of scrubjay knows up to {FORMAT}: install a newer one"
        )
    return read_meta(connection, folder)


def _create(connection: apsw.Connection, meta: StoreMeta) -> None:
    connection.pragma("page_size", PAGE_SIZE)
    connection.pragma("journal_mode", "WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # another process may have been first
        if connection.pragma("application_id") == 0:
            for statement in TRUTH:
                connection.execute(statement)
            projection.create(connection)
            write_meta(connection, meta)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", FORMAT)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def write_meta(connection: apsw.Connection, meta: StoreMeta) -> None:
    """Store the meta record, within the caller's transaction."""
    body = msgspec.msgpack.encode(meta)
    connection.execute(
        "INSERT INTO meta (name, body, crc) VALUES ('store', ?1, ?2)"
        " ON CONFLICT (name) DO UPDATE SET body = ?1, crc = ?2",
        (body, zlib.crc32(body)),
    )


def read_meta(connection: apsw.Connection, folder: str) -> StoreMeta:
    """The meta record; CorruptionError when its bytes do not match their checksum."""
    found = fetch(connection, "SELECT body, crc FROM meta WHERE name = 'store'")
    if not found or not isinstance(found[0][0], bytes) or zlib.crc32(found[0][0]) != found[0][1]:
        raise CorruptionError(
            f"store {folder!r}: its meta record is damaged or missing; restore log.sqlite from a backup"
        )
    return msgspec.msgpack.decode(found[0][0], type=StoreMeta)


def _matching(meta: StoreMeta, embedder: str | None, dim: int | None, folder: str) -> None:
    if dim is not None and dim != meta.dim:
        raise DimensionError(
            f"store {folder!r} holds vectors of {meta.dim} numbers by {meta.embedder!r}, the embedder "
            f"{embedder or 'given'!r} makes {dim}: open it with the embedder it was made with, or re-embed it"
        )
    if embedder is not None and embedder != meta.embedder:
        raise EmbedderMismatchError(
            f"store {folder!r} was made with the embedder {meta.embedder!r}, not {embedder!r}: open it with that one, "
            "or re-embed it"
        )


def _last_seq(connection: apsw.Connection) -> int:
    ((seq,),) = fetch(connection, "SELECT max(seq) FROM events")
    return int(seq or 0)
