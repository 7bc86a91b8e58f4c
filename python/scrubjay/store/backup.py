"""A copy of a live store's log: all that a store needs, since whatever else lies in its folder is derived from it.

The copy is of one moment: it is made through SQLite's backup inside one view, while others write on. It is made in a
folder of another name beside its own, synced, and renamed: a copy that was begun and not ended is not taken for one.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import Final

import apsw
import msgspec

from scrubjay.errors import ArgumentError, StoreError, StoreFullError, shown
from scrubjay.store.connect import as_ours, checked_path, no_room, sync_folder
from scrubjay.store.log import EventLog
from scrubjay.store.opening import MEMORY, log_file
from scrubjay.store.whole import NO_ROOM

PAGES: Final = 4096
"""Pages that are copied at a time; between two of them the call can be interrupted."""


class Backup(msgspec.Struct, frozen=True):
    """What a backup is of."""

    path: str
    """Its folder."""
    seq: int
    """The last event in it; 0 for none."""
    size: int
    """Bytes."""


def backup(log: EventLog, path: str | os.PathLike[str]) -> Backup:
    """Copy the log into the new folder `path`, which is then a store of its own.

    ArgumentError: something is there already, or it lies in the store's own folder. StoreError: it cannot be written;
    nothing is left of it then.
    """
    folder = checked_path(path)
    if folder == MEMORY:
        raise ArgumentError(f"path {shown(folder)}: a backup is a folder; name a new one")
    folder = os.path.abspath(folder)
    _must_be_new(folder)
    _must_lie_outside(folder, log)
    above, name = os.path.split(folder)
    part = os.path.join(above, f".{name[:200]}.{os.urandom(8).hex()}.part")
    try:
        os.makedirs(above, exist_ok=True)
        os.mkdir(part)
        with log.read() as view:
            seq = view.seq
            _copy(view._db, log_file(part), log.path)
        _like(log, part)
        _sync(log_file(part))
        sync_folder(part)
        size = os.path.getsize(log_file(part))
        # a folder is never renamed over one that holds something
        _must_be_new(folder)
        os.rename(part, folder)
        sync_folder(above)
    except OSError as error:
        if isinstance(error, FileExistsError) or os.path.lexists(folder):
            raise ArgumentError(f"path {shown(folder, 200)} exists: name a new folder for the backup") from error
        kind = StoreFullError if error.errno in NO_ROOM else StoreError
        raise kind(f"path {shown(folder, 200)}: the backup cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Backup(folder, seq, size)


def _must_be_new(folder: str) -> None:
    if os.path.lexists(folder):
        raise ArgumentError(f"path {shown(folder, 200)} exists: name a new folder for the backup")


def _must_lie_outside(folder: str, log: EventLog) -> None:
    """A purge must reach all that lies in a store's folder, and what looks like derived files there is dropped."""
    if log.in_memory:
        return
    above = os.path.realpath(folder)
    while True:
        with suppress(OSError):
            if os.path.samefile(above, log.path):
                raise ArgumentError(
                    f"path {shown(folder, 200)} lies in the folder of the store itself: name one outside of it"
                )
        above, below = os.path.dirname(above), above
        if above == below:
            return


def _copy(source: apsw.Connection, file: str, store: str) -> None:
    target = apsw.Connection(file)
    try:
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(PAGES)
    except apsw.FullError as error:
        raise StoreFullError(f"path {shown(os.path.dirname(file), 200)}: the disk is full; nothing is left") from error
    except (apsw.IOError, apsw.CantOpenError) as error:
        kind = StoreFullError if no_room(error, target) else StoreError
        raise kind(f"path {shown(os.path.dirname(file), 200)}: the backup cannot be written: {error}") from error
    except apsw.Error as error:
        raise as_ours(error, store) from error
    finally:
        target.close()


def _like(log: EventLog, part: str) -> None:
    """Who may read the store may read its backup, and nobody else."""
    if not log.in_memory:
        with suppress(OSError):
            os.chmod(log_file(part), os.stat(log_file(log.path)).st_mode & 0o777)
            os.chmod(part, os.stat(log.path).st_mode & 0o777)


def _sync(file: str) -> None:
    handle = os.open(file, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
