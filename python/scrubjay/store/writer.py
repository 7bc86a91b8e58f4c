"""The writing side of a log: one connection, turns for threads, and one commit for those who meet (group commit).

A thread whose block has ended while others wait leaves the transaction open to the next one and sleeps until it is
committed. The last one, or one of a full or old group, commits for all. Nobody returns before the commit.

Those whom a commit has released come back one after another: the first would find nobody waiting, and pay for a commit
of its own. So a group that is smaller than the last one was stays open for as long as a commit takes, at most PATIENCE
seconds. A thread that is alone never waits, but for the few blocks after others have left.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

import apsw

from scrubjay.errors import StoreClosedError, StoreError, StoreFullError
from scrubjay.store import room
from scrubjay.store.connect import as_ours, fetch, translated, unkept
from scrubjay.store.meta import StoreMeta, Unchanged
from scrubjay.store.view import Transaction, last_seq

GROUP_SIZE: Final = 64
GROUP_SECONDS: Final = 0.04
"""A group ends when it has GROUP_SIZE members or is GROUP_SECONDS old, or nobody waits or is expected (chosen)."""
PATIENCE: Final = 0.01
"""Seconds, at most, for which those are waited for who are expected (chosen)."""


class Group:
    """Transactions of several threads that share one commit."""

    def __init__(self) -> None:
        self.members = 0
        self.last: int | None = None
        """The thread that left last: it commits when nobody else comes."""
        self.began = self.left = time.monotonic()
        self.done = threading.Event()
        self.error: StoreError | None = None


class Writer:
    """Owns the writing connection. `enter` and `leave` bracket a member's block; `wait` returns when it is durable."""

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
        self._waiting = 0
        self._count = threading.Lock()
        self._group: Group | None = None
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

    def enter(self) -> tuple[Group, Transaction]:
        """Wait for the turn, then begin a transaction or join the open one."""
        with self._count:
            self._waiting += 1
        try:
            self.turn.acquire()
        finally:
            with self._count:
                self._waiting -= 1
        group = self._group
        db = None
        try:
            db = self.connection
            with translated(self._path):
                if group is None:
                    if self._file is not None and (self.found_full or room.short(self._file)):
                        room.give_back(db, self._file, self._timeout)
                        self.found_full = False
                    db.execute("BEGIN IMMEDIATE")
                    group = self._group = Group()
                    self._unchanged.check(db)
                else:
                    db.execute("SAVEPOINT member")
                tx = Transaction(db, self._path, self._dim, last_seq(db))
        except BaseException:
            try:
                if group is not None and db is not None and db.in_transaction:
                    self._undo(group)
            finally:
                self._settle()
            raise
        self.owner = threading.get_ident()
        return group, tx

    def leave(self, group: Group, tx: Transaction, *, keep: bool, full: bool = False) -> None:
        """End the block: keep what it appended, or take it back. Commits unless another member is to follow.

        `full`: the block ended because there is no room; the others of the group are told so, too.
        """
        db = self.connection
        tx._end()
        self.owner = None
        try:
            if not db.in_transaction:
                # SQLite gave the whole transaction up, as it may when the disk is full
                kind = StoreFullError if full else StoreError
                self._finish(group, kind(f"store {self._path!r}: the transaction was rolled back by an error"))
            elif keep:
                if group.members:
                    db.execute("RELEASE member")
                group.members += 1
                group.last, group.left = threading.get_ident(), time.monotonic()
            else:
                self._undo(group)
        except apsw.Error as error:
            self._abandon(group, as_ours(error, self._path))
        finally:
            self._settle()

    def _undo(self, group: Group) -> None:
        """Take back what the member in turn has done."""
        if group.members:
            self.connection.execute("ROLLBACK TO member; RELEASE member")
        else:
            self.connection.execute("ROLLBACK")
            self._finish(group, None)

    def wait(self, group: Group) -> None:
        """Return when the group is committed; raise what went wrong."""
        try:
            while not group.done.wait(self._until(group)):
                # who was expected did not come
                if self.turn.acquire(blocking=False):
                    self._settle()
        except BaseException:
            # interrupted: there may be nobody left who commits, and other processes wait
            with self.turn:
                if self._group is group:
                    self._commit()
            raise
        if group.error is not None:
            raise group.error

    def _until(self, group: Group) -> float:
        """Seconds after which a member should look whether the group is still open."""
        if group.last != threading.get_ident():
            return 0.05
        return max(0.0005, group.left + self._patience - time.monotonic())

    @property
    def _patience(self) -> float:
        return min(PATIENCE, self._cost)

    def _settle(self) -> None:
        """Commit the open group if it is time, and give the turn away."""
        try:
            if self._group is not None and self._time(self._group):
                self._commit()
        finally:
            self.turn.release()

    def _commit(self) -> None:
        group = self._group
        if group is None or not group.members:
            return
        began = time.monotonic()
        try:
            self.connection.execute("COMMIT")
        except apsw.Error as error:
            self.found_full |= isinstance(error, apsw.FullError)
            self._abandon(group, as_ours(error, self._path))
        else:
            self._cost = (self._cost + time.monotonic() - began) / 2
            self._expected = max(group.members, self._expected // 2)
            self._finish(group, None)
            if self._file is not None:
                room.pay(self.connection, self._file)

    def _time(self, group: Group) -> bool:
        now = time.monotonic()
        if not self._grouped or group.members >= GROUP_SIZE or now - group.began >= GROUP_SECONDS:
            return True
        return self._waiting == 0 and (group.members >= self._expected or now - group.left >= self._patience)

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
        self._group = None
        group.done.set()
