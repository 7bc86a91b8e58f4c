"""Handles and fork(): SQLite's locks do not survive it, so no connection may be inherited.

Before a fork each handle waits for its writer's turn and closes its connections; the parent opens them again at its
next use. The child inherits none, so it may open the same store anew; the old handle raises StoreForkedError there. A
connection that is in the middle of a block cannot be closed: the child keeps it open, untouched, until it ends.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Protocol

PATIENCE = 5.0
"""Seconds that a fork waits for a block of another thread."""


class Parkable(Protocol):
    """What a handle offers."""

    def _park(self, patience: float) -> bool:
        """Close the connections and keep everybody out; False when that cannot be done now."""
        ...

    def _unpark(self) -> None:
        """Let everybody in again."""
        ...

    def _inherited(self) -> list[Any]:
        """The connections that are still open."""
        ...


_lock = threading.Lock()
_watched: weakref.WeakSet[Any] = weakref.WeakSet()
_parked: list[Parkable] = []


def watch(handle: Parkable) -> None:
    """Look after a handle until it is gone."""
    with _lock:
        _watched.add(handle)


def watched() -> list[Any]:
    """The handles of this process that are not gone."""
    with _lock:
        return list(_watched)


def leak(thing: object) -> None:
    """Keep an object of the parent process alive for ever, so that nothing finalises it here."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _before() -> None:
    _lock.acquire()
    _parked.extend(handle for handle in list(_watched) if handle._park(PATIENCE))


def _in_parent() -> None:
    for handle in _parked:
        handle._unpark()
    _parked.clear()
    _lock.release()


def _in_child() -> None:
    for handle in list(_watched):
        for connection in handle._inherited():
            leak(connection)
    _parked.clear()
    _watched.clear()
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
