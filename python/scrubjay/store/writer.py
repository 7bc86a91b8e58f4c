"""The writing side of a log: one connection, turns for threads, and one commit for those who meet (group commit).

A thread whose block has ended while others wait leaves the transaction open to the next one and sleeps until it is
committed. The last one, or one of a full or old group, commits for all. Nobody returns before the commit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

import apsw

from scrubjay.errors import StoreClosedError, StoreError, StoreFullError
from scrubjay.store import room
from scrubjay.store.connect import as_ours, fetch, translated
from scrubjay.store.meta import StoreMeta, Unchanged
from scrubjay.store.view import Transaction, last_seq

GROUP_SIZE: Final = 64
GROUP_SECONDS: Final = 0.01
"""A group ends when it has GROUP_SIZE members or is GROUP_SECONDS old, and when nobody waits."""


class Group:
    """Transactions of several threads that share one commit."""

    def __init__(self) -> None:
        self.members = 0
        self.began = time.monotonic()
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
                        room.give_back(db, self._timeout)
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
        while not group.done.wait(0.05):
            # whoever was to commit never came: it was interrupted while it waited for its turn
            if self.turn.acquire(blocking=False):
                self._settle()
        if group.error is not None:
            raise group.error

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
        try:
            self.connection.execute("COMMIT")
        except apsw.Error as error:
            self.found_full |= isinstance(error, apsw.FullError)
            self._abandon(group, as_ours(error, self._path))
        else:
            self._finish(group, None)

    def _time(self, group: Group) -> bool:
        return (
            not self._grouped
            or self._waiting == 0
            or group.members >= GROUP_SIZE
            or time.monotonic() - group.began >= GROUP_SECONDS
        )

    def _abandon(self, group: Group, error: StoreError) -> None:
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except apsw.Error:
            # a failed rollback leaves the transaction to the journal, which undoes it at the next open
            pass
        self._finish(group, error)

    def _finish(self, group: Group, error: StoreError | None) -> None:
        group.error = error
        self._group = None
        group.done.set()
