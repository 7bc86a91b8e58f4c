"""A file of no use that is given up when the disk is full, so that memories can still be deleted.

A deletion writes before it frees: it is an event of the log. So a store that holds memories keeps `SIZE` bytes of its
disk in a file, on a small one a `SHARE` of what is free; a deletion that finds no room removes it and is tried once
more. It is made again by the first write that finds a good deal of room, and removed by the handle that leaves a store
without memories.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from scrubjay.errors import StoreFullError

NAME: Final = "ballast"
SIZE: Final = 1 << 20
"""Bytes. A deletion of a few hundred memories writes less (chosen)."""
SHARE: Final = 4
"""It takes at most one part in so many of the room that there would be without it (chosen)."""
LEAST: Final = 1 << 18
"""Bytes below which none is made (chosen)."""
SPARED: Final = 96 << 10
"""Bytes of it that opening a store on a full disk may take: SQLite's index of its write-ahead file, and a beginning."""
LONGEST_WAIT: Final = 1024
"""Most writes between two tries to make it."""

T = TypeVar("T")


class Ballast:
    """The ballast of one store; `folder` is None for a store in memory, which has none."""

    def __init__(self, folder: str | None) -> None:
        self._file = None if folder is None else os.path.join(folder, NAME)
        self._turn = threading.Lock()
        self._due = self._file is not None and _size(self._file) < SIZE
        self._wait = self._next = 0

    def keep(self) -> None:
        """Make it where it is missing and there is room; to be called after each write. Never raises OSError."""
        if not self._due or not self._turn.acquire(blocking=False):
            return
        try:
            if self._wait:
                self._wait -= 1
            elif self._made():
                self._due, self._next = False, 0
            else:
                self._next = min(max(1, 2 * self._next), LONGEST_WAIT)
                self._wait = self._next
        finally:
            self._turn.release()

    def _made(self) -> bool:
        file = str(self._file)
        try:
            held = _size(file)
            wanted = min(SIZE, (shutil.disk_usage(os.path.dirname(file)).free + held) // SHARE)
            if wanted < LEAST or wanted <= held:
                return False
            with open(file, "ab", buffering=0) as out:
                held = out.tell()
                try:
                    # random, as a file system that packs zeros would keep no room for them
                    while (missing := wanted - out.tell()) > 0:
                        out.write(os.urandom(missing))
                except OSError:
                    out.truncate(held)
                    return False
        except OSError:
            return False
        return wanted == SIZE

    @property
    def held(self) -> int:
        """Bytes that it has now."""
        return 0 if self._file is None else _size(self._file)

    def release(self) -> bool:
        """Give its room back; False when it was not there."""
        if self._file is None:
            return False
        with self._turn:
            try:
                os.unlink(self._file)
            except OSError:
                return False
            self._due, self._wait = True, 1
            return True

    def drop(self) -> None:
        """Remove it: nothing is left that could be deleted."""
        if self._file is not None:
            with suppress(OSError):
                os.unlink(self._file)

    def spent_on(self, deletion: Callable[[], T]) -> T:
        """What a deletion returns, which on a full disk is tried again with the room of the ballast."""
        try:
            return deletion()
        except StoreFullError as error:
            if not self.release():
                raise StoreFullError(f"{error} (the store has no ballast, which a deletion could take)") from error
        return deletion()


def spare(folder: str) -> bool:
    """Free a little of a store's ballast, for opening it on a full disk; False when there is none."""
    file = os.path.join(folder, NAME)
    held = _size(file)
    if not held:
        return False
    try:
        with open(file, "r+b", buffering=0) as cut:
            cut.truncate(max(0, held - SPARED))
    except OSError:
        return False
    return True


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0
