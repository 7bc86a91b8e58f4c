"""The shim of `shim.c`, built and in use: lives of a store in which one write step fails, or the power is cut."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).with_name("shim.c")
ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path) -> Path:
    """The shim as a shared object; skips the test where it cannot be built or loaded."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs Linux and a C compiler: write steps are watched by a shim around the C library")
    out = folder / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", out, SOURCE, "-ldl"], check=True)
    return out


class Told:
    """What came of a life."""

    def __init__(self, status: int, lines: list[str]) -> None:
        self.status = status
        self.acknowledged = max([0, *(int(line) for line in lines if line.isdigit())])
        self.errors = [line.split(" ", 2)[2] for line in lines if line.startswith("error ")]
        self.named = all(line.split(" ", 2)[1] == "True" for line in lines if line.startswith("error "))
        self.raised = [line for line in lines if line.startswith("raised ")]
        counts = [line.split()[1:] for line in lines if line.startswith("steps ")]
        self.steps, self.tripped = (int(counts[0][0]), counts[0][1] == "1") if counts else (0, False)


class Zygote:
    """The warm process."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process, self._folder = process, folder

    def live(
        self, life: str, path: Path, *, at: int = 0, kind: str = "none", lasting: bool = False, **more: Any
    ) -> Told:
        """One life in a child."""
        told = self._folder / "told"
        told.unlink(missing_ok=True)
        case: dict[str, Any] = {"life": life, "path": str(path), "at": at, "kind": kind, "lasting": lasting}
        case |= {"told": str(told), "watched": str(path.parent)} | more
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        return Told(status, told.read_text().splitlines())


@contextmanager
def zygote(folder: Path) -> Iterator[Zygote]:
    """A warm process under the shim, for the length of the block."""
    shim = build(folder)
    env = os.environ | {
        "LD_PRELOAD": os.pathsep.join(filter(None, [str(shim), os.environ.get("LD_PRELOAD", "")])),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests"), *(p for p in sys.path if p)]),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.zygote", str(shim)],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield Zygote(process, folder)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(120)


# -- power cuts

_RECORD = struct.Struct("<5q")
SECTOR = 512


class _File:
    """What is on the disk of a file, and the changes that were not synced."""

    def __init__(self, held: bytes = b"") -> None:
        self.held = bytearray(held)
        self.waiting: list[tuple[int, bytes | None]] = []

    def sync(self) -> None:
        for at, data in self.waiting:
            _change(self.held, at, data)
        self.waiting.clear()


def _change(held: bytearray, at: int, data: bytes | None) -> None:
    if data is None:
        held[:] = held[:at].ljust(at, b"\0")
    else:
        held.extend(bytes(max(0, at - len(held))))
        held[at : at + len(data)] = data


class Disk:
    """What a disk may hold after a power cut, played back from a journal of the shim.

    What was synced is there. Of what came since, any part may be: of a file's bytes each sector on its own; of a
    folder's names, what was made, renamed and removed in it since it was last synced, in order, up to some point.
    """

    def __init__(self, root: Path, before: Path, journal: Path) -> None:
        """`root` is the folder that was watched, `before` a copy of it from before the first record."""
        self._root, self._before = str(root), before
        self.records: list[tuple[str, int, int, str, bytes]] = []
        data, at = journal.read_bytes(), 0
        while at + _RECORD.size <= len(data):
            kind, inode, offset, name, size = _RECORD.unpack_from(data, at)
            at += _RECORD.size
            self.records.append(
                (chr(kind), inode, offset, data[at : at + name].decode(), data[at + name : at + name + size])
            )
            at += name + size

    def cut(self, end: int, draw: random.Random, to: Path) -> int:
        """Write to folder `to` what may be left when the power goes after `end` records; what was acknowledged."""
        now: dict[str, _File] = {}
        folders = {""}
        for path in sorted(self._before.rglob("*")):
            if path.is_dir():
                folders.add(str(path.relative_to(self._before)))
            else:
                now[str(path.relative_to(self._before))] = _File(path.read_bytes())
        there = dict(now)
        by_inode: dict[int, _File] = {}
        pending: list[tuple[str, str, str, _File | None]] = []
        acknowledged = 0

        def short(path: str) -> str:
            return "" if path == self._root else path[len(self._root) + 1 :]

        def settle(entries: list[tuple[str, str, str, _File | None]]) -> None:
            for kind, name, target, file in entries:
                if kind == "m":
                    folders.add(name)
                elif kind == "u":
                    there.pop(name, None)
                elif kind == "c" and file is not None:
                    there[name] = file
                elif kind == "r" and name in there:
                    there[target] = there.pop(name)

        for kind, inode, offset, path, data in self.records[:end]:
            name = short(path) if path else ""
            if kind == "k":
                acknowledged = max(acknowledged, inode)
            elif kind in "co":
                if kind == "c":
                    now[name] = _File()
                    pending.append(("c", name, "", now[name]))
                if name in now:
                    by_inode[inode] = now[name]
            elif kind == "u":
                now.pop(name, None)
                pending.append(("u", name, "", None))
            elif kind == "r":
                now[short(data.decode())] = now.pop(name)
                pending.append(("r", name, short(data.decode()), None))
            elif kind == "m":
                pending.append(("m", name, "", None))
            elif kind == "d":
                settle([e for e in pending if os.path.dirname(e[1]) == name])
                pending = [e for e in pending if os.path.dirname(e[1]) != name]
            elif inode in by_inode:
                file = by_inode[inode]
                if kind == "s":
                    file.sync()
                else:
                    file.waiting.append((offset, data if kind == "w" else None))
        settle(pending[: draw.choice([0, draw.randint(0, len(pending)), len(pending)])])
        mode = draw.choice(["none", "all", "first", "some"])
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir()
        for folder in sorted(folders - {""}):
            (to / folder).mkdir(parents=True, exist_ok=True)
        for name, file in there.items():
            if not name.endswith("-shm") and (to / name).parent.is_dir():
                (to / name).write_bytes(_left(file, mode, draw))
        return acknowledged


def _left(file: _File, mode: str, draw: random.Random) -> bytes:
    """A file's bytes after a cut: none, all, the first or any sectors of what waited."""
    held = bytearray(file.held)
    waiting = file.waiting if mode != "none" else []
    for at, data in waiting[: draw.randint(0, len(waiting))] if mode == "first" else waiting:
        if data is None or mode in ("all", "first"):
            if mode != "some" or draw.random() < 0.5:
                _change(held, at, data)
            continue
        for start in range(0, len(data), SECTOR):
            if draw.random() < 0.5:
                _change(held, at + start, data[start : start + SECTOR])
    return bytes(held)
