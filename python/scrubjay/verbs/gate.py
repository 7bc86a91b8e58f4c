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
from typing import Final

from scrubjay.errors import StoreError

LOOK: Final = 1.0
"""Seconds after which who waits looks again: who had to wake it may have been interrupted."""


class Gate:
    """A readers-writer lock; a waiting writer holds new readers back, so that it is never starved.

    Not re-entrant. A thread that holds it for reading must not ask for writing. `late` says whether this thread has the
    log's turn, which comes behind the gate: it is refused then, as it might wait for ever. `sound` is
    called when somebody has read: it raises where what was read cannot be trusted. A thread may be interrupted
    anywhere: who holds it or waits is in a set, and leaves that first of all when its block ends.
    """

    def __init__(self, late: Callable[[], bool] = lambda: False, sound: Callable[[], None] = lambda: None) -> None:
        self._late = late
        self._sound = sound
        self._turn = threading.Condition()
        self._readers: set[object] = set()
        self._waiting: set[object] = set()
        self._writing: object = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold for reading."""
        self._in_order()
        me = object()
        try:
            with self._turn:
                while self._writing or self._waiting:
                    self._turn.wait(LOOK)
                self._readers.add(me)
            try:
                yield
            except Exception:
                # what a lost file has led to is no news beside the loss
                self._sound()
                raise
            self._sound()
        finally:
            self._readers.discard(me)
            self._notify()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold alone."""
        self._in_order()
        me = object()
        try:
            with self._turn:
                self._waiting.add(me)
                while self._writing or self._readers:
                    self._turn.wait(LOOK)
                self._writing = me
                self._waiting.discard(me)
            yield
        finally:
            if self._writing is me:
                self._writing = None
            self._waiting.discard(me)
            self._notify()

    def _notify(self) -> None:
        with self._turn:
            self._turn.notify_all()

    def _in_order(self) -> None:
        if self._late():
            raise StoreError("inside a block of the log the columns cannot be had: look at them before it")
