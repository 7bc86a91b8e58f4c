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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final

import apsw

from scrubjay.errors import (
    ArgumentError,
    CorruptionError,
    StoreClosedError,
    StoreError,
    StoreForkedError,
    StoreFullError,
    StoreReadOnlyError,
    shown,
)
from scrubjay.events import Batch, Recorded
from scrubjay.store import forks
from scrubjay.store.ballast import Ballast
from scrubjay.store.connect import Durability, checked_path, connect, fetch, must_be_there, translated, unkept
from scrubjay.store.meta import StoreMeta, Unchanged
from scrubjay.store.opening import MEMORY, Seen, log_file, open_store, seen
from scrubjay.store.projection import Row
from scrubjay.store.schema import ANEW, DERIVED_TABLES, SNAPSHOT_NAME
from scrubjay.store.stamps import Stamps
from scrubjay.store.view import Transaction, View, last_seq
from scrubjay.store.wal import lost_commits
from scrubjay.store.writer import Writer

IDLE_READERS: Final = 4


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
        frozen: Seen | None,
    ) -> None:
        self.path = path
        """The folder, or ":memory:"."""
        self.meta = meta
        """What the store is."""
        self.durability: Durability = durability
        self.read_only = read_only
        self.loss = None if self.in_memory or frozen is not None else lost_commits(log_file(path), connection)
        """What a damaged write-ahead file has lost, in words; None when nothing hints at it."""
        self.distrusted: set[str] = set()
        """Snapshot files that this handle found damaged: it replaces them."""
        self.broken: set[str] = set()
        """Segment files in which this handle found a damaged block: it does not open them again."""
        self.ballast = Ballast(None if self.in_memory or read_only else path)
        """Room that a deletion may have on a full disk."""
        self.stamps = Stamps()
        """When its events were recorded."""
        self._suspect = False
        self._unchanged = Unchanged(meta, path)
        self._timeout = timeout
        self._pid = os.getpid()
        self._closed = False
        file = None if path == MEMORY or read_only else log_file(path)
        self._writer = Writer(
            connection,
            path,
            meta,
            grouped=path != MEMORY,
            again=self._connect,
            file=file,
            timeout=timeout,
            ours=self._ours,
        )
        # these share the one connection: nothing else could see a log in memory, or open a frozen file as SQLite wants
        self._single = path == MEMORY or frozen is not None
        self._frozen = frozen
        """How the log's file looked that SQLite takes as immutable: another look says that it was written."""
        self._pool = threading.Condition()
        self._idle: list[apsw.Connection] = []
        self._lent: dict[object, int] = {}
        """The threads that read, by their loans."""
        self._parked = False
        forks.watch(self)

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

        An existing store must have been made with the embedder and dim that are given: EmbedderMismatchError or
        DimensionError otherwise, before anything is written. `clock` is recorded at creation. `durability="full"`:
        what was acknowledged survives a power cut; "normal": it survives the end of the process. `timeout`: seconds to
        wait for another process's lock before StoreLockedError. StoreFormatError: there is no store, it is another
        program's, or of a newer format. StoreReadOnlyError: the folder cannot be written.
        """
        folder = checked_path(path)
        # the process may change its working folder
        folder = folder if folder == MEMORY else os.path.abspath(folder)
        if not isinstance(durability, str) or durability not in ("full", "normal"):
            raise ArgumentError(f"durability must be 'full' or 'normal', got {shown(durability)}")
        if dim is not None and not 1 <= dim <= 65536:
            raise ArgumentError(f"dim must be in [1, 65536], got {shown(dim)}")
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout >= 0.0:
            raise ArgumentError(f"timeout must be seconds >= 0, got {shown(timeout)}")
        wanted = None
        if embedder is not None and dim is not None:
            wanted = StoreMeta(uuid=os.urandom(16).hex(), embedder=embedder, dim=dim, clock=clock)
        connection, meta, frozen = open_store(
            folder,
            wanted=wanted,
            embedder=embedder,
            dim=dim,
            durability=durability,
            timeout=timeout,
            read_only=read_only,
        )
        return cls(folder, connection, meta, durability=durability, timeout=timeout, read_only=read_only, frozen=frozen)

    def close(self) -> None:
        """End the handle: its files are released. May be called again, and from another thread."""
        if self._closed or os.getpid() != self._pid:
            return
        if self.has_turn:
            raise StoreError("close() inside a write block: let it end first")
        with self._writer.turn:
            if self._closed:
                return
            self._closed = True
            self._drain()
            empty = not self.read_only and self._writer.memoryless()
            self._writer.shut()
        if empty:
            self.ballast.drop()

    def __enter__(self) -> EventLog:
        self.must_be_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
    def has_turn(self) -> bool:
        """True inside a block of this thread that every other one waits for."""
        return self._writer.owner == threading.get_ident()

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.meta.dim

    @property
    def snapshot_folder(self) -> str | None:
        """Where snapshots of this log lie; None in memory."""
        return None if self.in_memory else os.path.join(self.path, SNAPSHOT_NAME)

    def must_be_open(self) -> None:
        """Raise StoreClosedError or StoreForkedError where this handle can no longer be used."""
        self._usable_here()
        if self._closed:
            raise StoreClosedError(f"store {self.path!r} is closed: open it again")

    def _usable_here(self) -> None:
        if not self._ours():
            raise StoreForkedError(f"store {self.path!r} was opened before fork(): open it again in the child process")

    def _usable(self) -> None:
        self.must_be_open()
        if self.has_turn:
            raise StoreError("inside a block of the log use what the block gives, not the log")

    def _connect(self, *, read_only: bool | None = None) -> apsw.Connection:
        only = self.read_only if read_only is None else read_only
        with translated(self.path):
            return connect(log_file(self.path), durability=self.durability, timeout=self._timeout, read_only=only)

    def _drain(self) -> None:
        with self._pool:
            for connection in self._idle:
                connection.close()
            self._idle.clear()

    # -- fork

    def _park(self, patience: float) -> bool:
        writer = self._writer
        if self._single or self._closed or os.getpid() != self._pid or writer.owner == threading.get_ident():
            return False
        if not writer.turn.acquire(timeout=patience):
            return False
        with self._pool:
            self._parked = True
            if threading.get_ident() not in self._lent.values():
                self._pool.wait_for(lambda: not self._lent, timeout=patience)
        if not self._closed:
            self._drain()
            writer.park()
        return True

    def _unpark(self) -> None:
        with self._pool:
            self._parked = False
            self._pool.notify_all()
        self._writer.turn.release()

    def _inherited(self) -> list[apsw.Connection]:
        return [*self._writer.inherited, *self._idle]

    def _ours(self) -> bool:
        """False in a child of fork(): what was begun in the parent must not be ended here."""
        return os.getpid() == self._pid

    # -- reading

    @contextmanager
    def read(self) -> Iterator[View]:
        """A consistent view of what is committed now."""
        self._usable()
        if self._single:
            with self._writer.turn:
                self._writer.owner = threading.get_ident()
                try:
                    with self._viewing(self._writer.connection) as view:
                        yield view
                finally:
                    self._writer.owner = None
            return
        with self._borrowed() as connection, self._viewing(connection) as view:
            yield view

    @contextmanager
    def _viewing(self, connection: apsw.Connection) -> Iterator[View]:
        self._check_frozen()
        try:
            with translated(self.path):
                must_be_there(connection, self.path)
                connection.execute("BEGIN")
                self._unchanged.check(connection)
                view = View(connection, self.path, self.dim, last_seq(connection))
            try:
                yield view
            finally:
                view._end()
            self._check_frozen()
        finally:
            if self._ours() and connection.in_transaction:
                connection.execute("ROLLBACK")

    def _check_frozen(self) -> None:
        if self._frozen is not None and seen(self.path) != self._frozen:
            raise StoreReadOnlyError(
                f"store {self.path!r} is or was written by another user or process, and this handle reads it without "
                "the files that see that: open it again"
            )

    @contextmanager
    def _borrowed(self) -> Iterator[apsw.Connection]:
        """A connection to read by, which goes back when the block ends; a thread may be interrupted anywhere."""
        loan, connection = object(), None
        try:
            with self._pool:
                self._pool.wait_for(lambda: not self._parked)
                # a close() in between must not leave a connection behind
                if self._closed:
                    raise StoreClosedError(f"store {self.path!r} is closed: open it again")
                self._lent[loan] = threading.get_ident()
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = self._connect(read_only=True)
            yield connection
        finally:
            self._lent.pop(loan, None)
            if connection is not None and not self._ours():
                forks.leak(connection)
            else:
                self._given_back(connection)

    def _given_back(self, connection: apsw.Connection | None) -> None:
        with self._pool:
            if connection is not None:
                full = self._closed or self._parked or len(self._idle) >= IDLE_READERS
                if full or connection.in_transaction:
                    connection.close()
                else:
                    self._idle.append(connection)
            self._pool.notify_all()

    @property
    def seq(self) -> int:
        """Sequence number of the last committed event, also another process's; 0 for none."""
        if self._single:
            with self.read() as view:
                return view.seq
        self._usable()
        with self._borrowed() as connection, translated(self.path):
            must_be_there(connection, self.path)
            return last_seq(connection)

    @property
    def last_key(self) -> int:
        """The highest key that was ever given to a memory, 0 for none."""
        with self.read() as view:
            return view.last_key()

    @property
    def epoch(self) -> int:
        """See `View.epoch`."""
        with self.read() as view:
            return view.epoch()

    def tail(self, after: int = 0, upto: int | None = None) -> Iterator[Batch]:
        """The events of (after, upto] in batches; damaged ones are listed in their batch instead."""
        end = upto
        while end is None or after < end:
            with self.read() as view:
                end = view.seq if end is None else min(end, view.seq)
                if after >= end:
                    return
                batch = view.batch(after, end)
            self._suspect = self._suspect or bool(batch.damaged)
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
    def write(self, *, mending: bool = False) -> Iterator[Transaction]:
        """A transaction: read what it depends on, append, and when the block ends without an error it is committed.

        Raises StoreLockedError when another process holds the lock for longer than the timeout. Threads that wait for
        their turn may share one commit, and so one fsync; each returns only after it. CorruptionError: `tail` has met
        damaged events, and it is the file's pages that are malformed: nothing is put on them, unless it is `mending`.
        """
        self._usable()
        if self.read_only:
            raise StoreReadOnlyError(f"store {self.path!r} was opened with read_only=True: open it for writing")
        writer = self._writer
        try:
            with writer.block() as (group, tx):
                if self._suspect and not mending:
                    self._check_pages(tx)
                yield tx
            self._usable_here()
            if tx.failed:
                raise StoreError("an append in this block failed, so nothing of the block was kept")
            writer.wait(group)
        except BaseException as error:
            if self._ours():
                writer.flush()
            if isinstance(error, StoreFullError):
                raise unkept(error) from error.__cause__
            raise
        self.ballast.keep()

    def make_room(self) -> None:
        """Let the next write begin with giving back what the write-ahead file holds."""
        self._writer.found_full = True

    def _check_pages(self, tx: Transaction) -> None:
        """One look at every page, once: single events may be damaged on sound pages, and are left out."""
        try:
            found = [str(row[0]) for row in fetch(tx._db, "PRAGMA quick_check")]
        except apsw.CorruptError as error:
            found = [str(error)]
        bad = [line for line in found if line != "ok" and not any(table in line for table in DERIVED_TABLES)]
        if bad:
            raise CorruptionError(
                f"store {self.path!r}: pages of log.sqlite are damaged ({bad[0]:.200}), and nothing is written onto "
                f"them: {ANEW}"
            )
        self._suspect = False

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the write lock against every thread and process, without appending."""
        with self.write(mending=True):
            yield
