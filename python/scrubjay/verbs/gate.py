"""Many readers or one writer: searches run side by side, a fold runs alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """A readers-writer lock; a waiting writer holds new readers back, so that it is never starved.

    Not re-entrant. A thread that holds it for reading must not ask for writing.
    """

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waiting = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold for reading."""
        with self._turn:
            while self._writing or self._waiting:
                self._turn.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._turn:
                self._readers -= 1
                if not self._readers:
                    self._turn.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold alone."""
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
