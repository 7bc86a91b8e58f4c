"""Room on a disk that is nearly full: what the write-ahead file holds is given back before it takes the last of it.

SQLite moves the WAL's pages into the log when 8 MiB have come together, and needs room in the log for that: on a small
disk it would be full before. So where little is left in relation to the WAL, and after a write that found no room, the
pages are moved and the WAL is cut, unless a reader still needs it.

The log owes room for the pages that it does not have yet. That debt is paid while there is room, as a full disk cannot:
a move that begins and finds none takes the last of it, and the WAL stays. So none is begun that does not fit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

import apsw

from scrubjay.store.connect import patience

SMALL: Final = 1 << 18
"""Bytes of a WAL that are not worth it."""
SHARE: Final = 4
"""A disk is short of room where less than so many times the WAL is free (chosen: the log may grow by the WAL once)."""

DEBT: Final = 1 << 19
"""Bytes by which a log may be shorter than what it holds with its WAL (chosen: half of the ballast)."""
MARGIN: Final = 1 << 15
"""Bytes that a file system may take beside the pages (chosen)."""


def short(log_file: str) -> bool:
    """True where the WAL of a log should be given back for want of room."""
    try:
        held = os.stat(log_file + "-wal").st_size
        return held > SMALL and free(log_file) < SHARE * held
    except OSError:
        return False


def free(path: str) -> int:
    """Bytes that this user may still write where `path` lies; where the system does not say, more than any WAL has."""
    if not hasattr(os, "statvfs"):
        return 1 << 62
    told = os.statvfs(path)
    return told.f_bavail * told.f_frsize


def owed(connection: apsw.Connection, log_file: str) -> int:
    """Bytes by which the log must grow to take what the WAL holds."""
    try:
        pages, size = connection.pragma("page_count"), connection.pragma("page_size")
        return max(0, int(pages) * int(size) - os.stat(log_file).st_size)
    except (OSError, apsw.Error):
        return 0


def fits(connection: apsw.Connection, log_file: str) -> bool:
    """True where the pages of the WAL can be moved into the log: it finds the room to grow."""
    debt = owed(connection, log_file)
    return not debt or debt + MARGIN <= free(log_file)


def pay(connection: apsw.Connection, log_file: str) -> None:
    """Let the log grow while there is room, where it owes more than DEBT; waits for nobody."""
    debt = owed(connection, log_file)
    if debt > DEBT and debt + MARGIN <= free(log_file):
        with suppress(apsw.Error):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)


def give_back(connection: apsw.Connection, log_file: str, timeout: float) -> None:
    """Move the WAL's pages into the log and cut it; where others are at it, as much as can be had without waiting.

    Nothing is done where the log would not find the room to grow: what there is is left to the write.
    """
    if not fits(connection, log_file):
        return
    connection.set_busy_handler(None)
    try:
        # a write that finds no room says so itself
        with suppress(apsw.Error):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_handler(patience(timeout))
