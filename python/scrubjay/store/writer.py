"""The writing side of a log: one connection, turns for threads, and one commit for those who meet (group commit).

A thread whose block has ended while others wait leaves the transaction open to the next one and sleeps until it is
committed. The last one, or one of a full or old group, commits for all. Nobody returns before the commit.

Those whom a commit has released come back one after another: the first would find nobody waiting, and pay for a commit
of its own. So a group that is smaller than the last one was stays open for as long as a commit takes, at most PATIENCE
seconds. A thread that is alone never waits, but for the few blocks after others have left.

A thread may be interrupted anywhere, as by KeyboardInterrupt. Whoever has the turn next, itself before all, takes back
what it had begun and ends what it had committed (`_mend`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import apsw

from scrubjay.errors import StoreClosedError, StoreError, StoreFullError
from scrubjay.store import room
from scrubjay.store.connect import as_ours, fetch, must_be_there, no_room, translated, unkept
from scrubjay.store.meta import StoreMeta, Unchanged
from scrubjay.store.view import Transaction, last_seq, read_event

GROUP_SIZE: Final = 64
GROUP_SECONDS: Final = 0.04
"""A group ends when it has GROUP_SIZE members or is GROUP_SECONDS old, or nobody waits or is expected (chosen)."""
PATIENCE: Final = 0.01
"""Seconds, at most, for which those are waited for who are expected (chosen)."""


class Group:
    """Transactions of several threads that share one commit."""

    def __init__(self) -> None:
        self.members = 0
        self.seq = 0
        """The last event that they have appended."""
        self.committing = False
        self.last: int | None = None
        """The thread that left last: it commits when nobody else comes."""
        self.began = self.left = time.monotonic()
        self.done = threading.Event()
        self.error: StoreError | None = None


class Writer:
    """Owns the writing connection. In a `block` a member writes; `wait` returns when that is durable."""

    def __init__(
        self,
        connection: apsw.Connection,
        path: str,
        meta: StoreMeta,
        *,
        grouped: bool,
        again: Callable[[], apsw.Connection],
        file: str | None = None,
        timeout: float = 30.0,
        ours: Callable[[], bool] = lambda: True,
    ) -> None:
        self._db: apsw.Connection | None = connection
        self._again = again
        self._closed = False
        self.turn = threading.Lock()
        self.owner: int | None = None
        self._path = path
        self._file, self._timeout = file, timeout
        self.found_full = False
        """A write found no room: the next one begins with making some."""
        self._dim = meta.dim
        self._unchanged = Unchanged(meta, path)
        self._grouped = grouped
        self._waiting: set[int] = set()
        """Threads that will have the turn."""
        self._ours = ours
        self._inside = False
        """A member has begun what it has not kept yet."""
        self._group: Group | None = None
        self._known: int | None = None
        """The last event that is known to be of a kind that this version reads; None before the first write."""
        self._expected = 1
        """Members that a group will probably have."""
        self._cost = 0.0
        """Seconds that a commit takes, about."""

    @property
    def connection(self) -> apsw.Connection:
        """The connection, opened again when it was parked. Only for who has the turn."""
        if self._closed:
            raise StoreClosedError(f"store {self._path!r} is closed: open it again")
        if self._db is None:
            self._db = self._again()
        return self._db

    @property
    def inherited(self) -> list[apsw.Connection]:
        """What a child of fork() has got of it."""
        return [] if self._db is None else [self._db]

    def park(self) -> None:
        """Commit what is open and close the connection until it is needed again. Only for who has the turn."""
        self._commit()
        if self._db is not None:
            # the file is not left for good: no checkpoint now
            self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._db.close()
            self._db = None

    def memoryless(self) -> bool:
        """True when the store is known to hold no memory. Only for who has the turn."""
        if self._db is None or self._group is not None:
            return False
        try:
            return not fetch(self._db, "SELECT 1 FROM memories LIMIT 1")
        except apsw.Error:
            return False

    def shut(self) -> None:
        """Commit what is open and close for good. Only for who has the turn."""
        self._commit()
        self._closed = True
        if self._db is not None:
            if self._file is not None and not room.fits(self._db, self._file):
                # a move that cannot end would take the last room
                self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            with translated(self._path):
                self._db.close()
            self._db = None

    @contextmanager
    def block(self) -> Iterator[tuple[Group, Transaction]]:
        """Wait for the turn and begin a transaction, or join the open one. When the block ends what it appended is
        kept, or where it raised taken back, and committed unless another member is to follow.
        """
        me = threading.get_ident()
        try:
            self._waiting.add(me)
            with self.turn:
                self._waiting.discard(me)
                try:
                    group, tx = self._begin()
                    self.owner = me
                    try:
                        yield group, tx
                    finally:
                        self.owner = None
                        tx._end()
                    if self._ours() and not tx.failed:
                        self._keep(group, tx)
                except BaseException as error:
                    self.found_full |= isinstance(error, StoreFullError)
                    self._settle(error)
                    raise
                self._settle()
        finally:
            self._waiting.discard(me)

    def _begin(self) -> tuple[Group, Transaction]:
        db = self.connection
        with translated(self._path, db):
            self._mend()
            group = self._group
            self._inside = True
            if group is None:
                if self._file is not None and (self.found_full or room.short(self._file)):
                    room.give_back(db, self._file, self._timeout)
                    self.found_full = False
                must_be_there(db, self._path)
                db.execute("BEGIN IMMEDIATE")
                group = self._group = Group()
                self._unchanged.check(db)
                self._must_know(db)
            else:
                db.execute("SAVEPOINT member")
            return group, Transaction(db, self._path, self._dim, last_seq(db))

    def _must_know(self, db: apsw.Connection) -> None:
        """Raise StoreFormatError where another process has written events of a newer version: what was appended to them
        would be kept, and yet could not be folded here. Within a transaction."""
        last = last_seq(db)
        since = last - 1 if self._known is None else self._known
        for seq, body, crc in db.execute("SELECT seq, body, crc FROM events WHERE seq > ? AND seq <= ?", (since, last)):
            read_event(seq, body, crc)
        self._known = last

    def _keep(self, group: Group, tx: Transaction) -> None:
        """Count the member in turn to its group."""
        if self.connection.in_transaction:
            if group.members:
                self.connection.execute("RELEASE member")
            group.members, group.seq = group.members + 1, tx.seq
            self._inside = False
            group.last, group.left = threading.get_ident(), time.monotonic()

    def _settle(self, error: BaseException | None = None) -> None:
        """Take back what was not kept, and commit the open group if it is time."""
        if self._ours():
            self._mend(error)
            if self._group is not None and self._time(self._group):
                self._commit()

    def _mend(self, error: BaseException | None = None) -> None:
        """Take back what a member has begun and not kept, wherever it was when it failed or was interrupted.

        A group of which nothing is left ends with it: SQLite gives a transaction up where a disk is full, and a commit
        may have been made before its thread was interrupted. Only for who has the turn.
        """
        db, group = self._db, self._group
        if db is None:
            return
        began, self._inside = self._inside, False
        try:
            if not db.in_transaction:
                if group is not None:
                    self._lost(group, error)
            elif group is None or not group.members:
                db.execute("ROLLBACK")
                if group is not None:
                    self._finish(group, None)
            elif began:
                # its savepoint may not have been there yet, or not any more
                with suppress(apsw.SQLError):
                    db.execute("ROLLBACK TO member; RELEASE member")
        except apsw.Error as failed:
            if group is not None:
                self._abandon(group, as_ours(failed, self._path, self._db))

    def _lost(self, group: Group, error: BaseException | None = None) -> None:
        """End a group whose transaction is no more: it was committed, or SQLite has given it up."""
        if group.committing and last_seq(self.connection) >= group.seq:
            self._finish(group, None)
            return
        kind = StoreFullError if isinstance(error, StoreFullError) else StoreError
        self._finish(group, kind(f"store {self._path!r}: the transaction was rolled back by an error"))

    def wait(self, group: Group) -> None:
        """Return when the group is committed; raise what went wrong."""
        while not group.done.wait(self._until(group)):
            # who was expected did not come
            with self.turn:
                if self._group is group and self._time(group):
                    self._commit()
        if group.error is not None:
            raise group.error

    def flush(self) -> None:
        """Commit what is open: of those who would, one was interrupted, and other processes wait."""
        with self.turn:
            if not self._closed:
                self._mend()
                self._commit()

    def _until(self, group: Group) -> float:
        """Seconds after which a member should look whether the group is still open."""
        if group.last != threading.get_ident():
            return 0.05
        return max(0.0005, group.left + self._patience - time.monotonic())

    @property
    def _patience(self) -> float:
        return min(PATIENCE, self._cost)

    def _commit(self) -> None:
        group = self._group
        if group is None or not group.members:
            return
        began = time.monotonic()
        group.committing = True
        try:
            self.connection.execute("COMMIT")
        except apsw.Error as error:
            self.found_full |= no_room(error, self._db)
            self._abandon(group, as_ours(error, self._path, self._db))
        else:
            self._cost = (self._cost + time.monotonic() - began) / 2
            self._expected = max(group.members, self._expected // 2)
            self._known = group.seq
            self._finish(group, None)
            if self._file is not None:
                room.pay(self.connection, self._file)

    def _time(self, group: Group) -> bool:
        now = time.monotonic()
        if not self._grouped or group.members >= GROUP_SIZE or now - group.began >= GROUP_SECONDS:
            return True
        return not self._waiting and (group.members >= self._expected or now - group.left >= self._patience)

    def _abandon(self, group: Group, error: StoreError) -> None:
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except apsw.Error:
            # a failed rollback leaves the transaction to the journal, which undoes it at the next open
            pass
        self._finish(group, unkept(error))

    def _finish(self, group: Group, error: StoreError | None) -> None:
        group.error = error
        # who was interrupted in set() may have left the event's own lock behind
        if not group.done.is_set():
            group.done.set()
        self._group = None
