"""A file system that fails on demand: each write step of SQLite and of the snapshots is counted, one may go wrong."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from scrubjay.store import snapshot
from scrubjay.store.connect import sync_folder

KINDS = ("ENOSPC", "EIO", "short", "exit")
_BASE = apsw.vfs_names()[0]
_CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "short": errno.ENOSPC}


class Switch:
    """Counts write steps; the one numbered `at` fails, and with `lasting` all later ones too."""

    def __init__(self, at: int = 0, kind: str = "EIO", *, lasting: bool = False) -> None:
        self.at, self.kind, self.lasting = at, kind, lasting
        self.steps = 0
        self.syncs = 0
        self.tripped = False

    def trip(self) -> bool:
        self.steps += 1
        if self.steps == self.at or (self.lasting and self.tripped):
            if self.kind == "exit":
                os._exit(99)
            self.tripped = True
            return True
        return False

    def os_error(self) -> OSError:
        code = _CODES[self.kind]
        return OSError(code, os.strerror(code))


class _File(apsw.VFSFile):
    def __init__(self, switch: Switch, base: str, name: Any, flags: list[int]) -> None:
        self._switch = switch
        super().__init__(base, name, flags)

    def _fail(self) -> None:
        if self._switch.kind == "EIO":
            raise apsw.IOError("failing on demand")
        raise apsw.FullError("failing on demand")

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's names
        if self._switch.trip():
            if self._switch.kind == "short":
                super().xWrite(data[: len(data) // 2], offset)
            self._fail()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._switch.syncs += 1
        if self._switch.trip():
            self._fail()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        if self._switch.trip():
            self._fail()
        super().xTruncate(size)


class _System(apsw.VFS):
    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        super().__init__("failing", _BASE, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802
        return _File(self._switch, _BASE, name, flags)

    def xDelete(self, name: str, syncdir: bool) -> None:  # noqa: N802
        if self._switch.trip():
            raise apsw.IOError("failing on demand")
        super().xDelete(name, syncdir)


class _Os:
    """The module `os` as the snapshots see it, with steps that fail."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in ("fsync", "rename", "replace", "unlink", "makedirs"):
            return real

        def step(*args: Any, **kwargs: Any) -> Any:
            if self._switch.trip():
                raise self._switch.os_error()
            return real(*args, **kwargs)

        return step


@contextmanager
def failing(switch: Switch) -> Iterator[Switch]:
    """Within the block, SQLite and the snapshots write through the switch."""
    system = _System(switch)
    write = snapshot._HashingSink.write

    def step(self: Any, data: Any) -> int:
        if switch.trip():
            if switch.kind == "short":
                write(self, memoryview(data)[: len(data) // 2])
            raise switch.os_error()
        return write(self, data)

    def sync(folder: str) -> None:
        if switch.trip():
            raise switch.os_error()
        sync_folder(folder)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(snapshot, "os", _Os(switch))
            patch.setattr(snapshot, "sync_folder", sync)
            patch.setattr(snapshot._HashingSink, "write", step)
            yield switch
    finally:
        system.unregister()
