"""Many readers or one writer: searches run side by side, a fold runs alone.

One order of locks holds everywhere: the gate first, then the log's turn. Who has the gate may read or write the log;
who is inside a block of the log (`EventLog.write`, `exclusive`, and `read` in memory) must not ask for the gate. What
a transaction needs of the columns is looked at before it, together with the event as of which (`Columns.seq`), and the
transaction checks whether others came between.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scrubjay.errors import StoreError


class Gate:
    """A readers-writer lock; a waiting writer holds new readers back, so that it is never starved.

    Not re-entrant. A thread that holds it for reading must not ask for writing. `late` says whether this thread has the
    log's turn, which comes behind the gate: it is refused then, as it might wait for ever. `sound` is
    called when somebody has read: it raises where what was read cannot be trusted.
    """

    def __init__(self, late: Callable[[], bool] = lambda: False, sound: Callable[[], None] = lambda: None) -> None:
        self._late = late
        self._sound = sound
        self._turn = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waiting = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold for reading."""
        self._in_order()
        with self._turn:
            while self._writing or self._waiting:
                self._turn.wait()
            self._readers += 1
        try:
            try:
                yield
            except Exception:
                # what a lost file has led to is no news beside the loss
                self._sound()
                raise
            self._sound()
        finally:
            with self._turn:
                self._readers -= 1
                if not self._readers:
                    self._turn.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold alone."""
        self._in_order()
        with self._turn:
            self._waiting += 1
            try:
                while self._writing or self._readers:
                    self._turn.wait()
            finally:
                self._waiting -= 1
            self._writing = True
        try:
            yield
        finally:
            with self._turn:
                self._writing = False
                self._turn.notify_all()

    def _in_order(self) -> None:
        if self._late():
            raise StoreError("inside a block of the log the columns cannot be had: look at them before it")
