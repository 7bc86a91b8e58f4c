"""Room on a disk that is nearly full: what the write-ahead file holds is given back before it takes the last of it.

SQLite moves the WAL's pages into the log when 8 MiB have come together, and needs room in the log for that: on a small
disk it would be full before. So where little is left in relation to the WAL, and after a write that found no room, the
pages are moved and the WAL is cut, unless a reader still needs it.
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


def give_back(connection: apsw.Connection, timeout: float) -> None:
    """Move the WAL's pages into the log and cut it; where others are at it, as much as can be had without waiting."""
    connection.set_busy_handler(None)
    try:
        # a write that finds no room says so itself
        with suppress(apsw.Error):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.set_busy_handler(patience(timeout))
