"""Stores with a flipped bit or a lost end, and whether that is noticed."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.errors import ScrubjayError
from scrubjay.events import Forgotten, Reinforced, Updated
from scrubjay.store import EventLog, snapshot, verify
from tests.store.helpers import DIM, context, digest, learned, open_log, space, unit

MEMORIES = 80
BATCH = 20
PATIENCE = 2000
"""Seconds after which a child that still tries its batch hangs."""


def in_children(seeds: range, one: Callable[[int], str | None], *, room: int | None = None) -> None:
    """Try each seed, a batch in a child, so that a crash is one finding and not the end; fails with what was wrong.

    `room`: bytes of address space that a child may take beyond what is mapped.
    """
    problems = []
    for first in range(seeds.start, seeds.stop, BATCH):
        batch = range(first, min(first + BATCH, seeds.stop))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(read)
                signal.alarm(PATIENCE)
                if room is not None:
                    resource.setrlimit(resource.RLIMIT_AS, (_mapped() + room, resource.RLIM_INFINITY))
                for seed in batch:
                    try:
                        found = one(seed)
                    except BaseException as error:  # noqa: BLE001 - told to the test, whatever it is
                        found = f"seed {seed}: {type(error).__name__}: {error}"
                    os.write(write, (json.dumps([seed, found]) + "\n").encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            answers = [json.loads(line) for line in pipe]
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        problems += [found for _, found in answers if found is not None]
        if len(answers) < len(batch):
            problems.append(f"seed {first + len(answers)}: the process ended with {status}")
    assert problems == []


def _mapped() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def build(path: Path) -> None:
    """A closed store with every kind of event, every table, and a snapshot that is a little behind."""
    with open_log(path) as log:
        columns = Columns(DIM)
        with log.write() as tx:
            tx.append([space(0), space(1, ("v", "w")), context(0), context(1, "second")])
            tx.append(
                [learned(i, f"memory {i} " + "é" * (i % 40), context=i % 3 - 1, metadata={"i": i}) for i in _keys()]
            )
        with log.write() as tx:
            tx.append([Updated(at=1.0, key=i, text=f"new {i}", dedupe=digest(f"new {i}")) for i in range(1, 20)])
            tx.append([Reinforced(at=2.0, key=i) for i in range(10, 30)])
            tx.append([Forgotten(at=3.0, keys=[5, 50])])
        fold.catch_up(columns, log)
        snapshot.save(log, columns)
        with log.write() as tx:
            tx.append([Updated(at=4.0, key=7, vector=unit(777).tobytes())])


def _keys() -> range:
    return range(1, MEMORIES + 1)


class Answers(msgspec.Struct):
    """All that a store says."""

    columns: str
    rows: dict[int, Any]
    found: list[Any]
    histories: dict[int, Any]
    damaged: list[int]


def ask(log: EventLog) -> tuple[Answers, bool]:
    """Everything by every way of reading; True when something said that it is not well."""
    columns, status = snapshot.load(log)
    fold.catch_up(columns, log)
    told = not status.good or bool(columns.damaged)
    answers = Answers(columns.digest(), {}, [], {}, columns.damaged)
    with log.read() as view:
        for ask_for in (
            lambda: answers.rows.update(view.rows(list(_keys()))),
            lambda: answers.found.append(view.keys_of([learned(i).id for i in _keys()])),
            lambda: answers.found.append(view.forgotten([learned(i).id for i in _keys()])),
            lambda: answers.found.append(view.spaces()),
            lambda: answers.found.append(view.find_contexts(["context 0", "second"])),
            lambda: answers.found.append(view.find_dedupe(0, [digest(f"new {i}") for i in range(1, 20)])),
            *(lambda i=i: answers.histories.__setitem__(i, view.history(i)) for i in _keys()),
        ):
            try:
                ask_for()
            except ScrubjayError:
                told = True
    return answers, told


def hurt(path: Path, draw: random.Random, file: str) -> str:
    """Damage one file; says how."""
    name = path / file
    size = name.stat().st_size
    how = draw.choice(["bit", "bit", "byte", "burst", "cut", "zeros"])
    at = draw.randrange(size)
    with open(name, "r+b") as opened:
        if how == "cut":
            opened.truncate(at)
            return f"cut at {at} of {size}"
        opened.seek(at)
        old = opened.read({"burst": 64, "zeros": 512}.get(how, 1))
        new = bytearray(old)
        if how == "bit":
            new[0] ^= 1 << draw.randrange(8)
        elif how == "byte":
            new[0] = (new[0] + draw.randrange(1, 256)) % 256
        elif how == "burst":
            new = bytearray(draw.randbytes(len(old)))
        else:
            new = bytearray(len(old))
        opened.seek(at)
        opened.write(new)
        return f"{how} at {at} of {size}"


def files(path: Path) -> list[str]:
    """The files of a store, the log most often, since it is the largest and matters most."""
    parts = sorted(str(Path("snapshot") / n) for n in os.listdir(path / "snapshot"))
    return ["log.sqlite"] * (3 * len(parts)) + parts


def one(whole: Path, scratch: Path, truth: Answers, seed: int) -> str | None:
    """Damage a copy of the store and read it; what was wrong with its behaviour, None when nothing was."""
    draw = random.Random(seed)
    path = scratch / "hurt"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(whole, path)
    file = draw.choice(files(path))
    case = f"seed {seed}, {file}, {hurt(path, draw, file)}"
    told, answers = False, None
    try:
        with open_log(path) as log:
            answers, told = ask(log)
    except ScrubjayError:
        told = True
    report = verify.verify_path(path, fold.catch_up)
    if answers is not None and answers != truth and not told and report.ok:
        return f"{case}: answers are wrong, and nobody says so"
    if file != "log.sqlite" and (answers is None or answers != truth):
        return f"{case}: a damaged cache changes answers"
    if answers is not None and answers.damaged and not report.damaged:
        return f"{case}: verify misses the damaged events"
    if not report.ok:
        verify.verify_path(path, fold.catch_up, repair=True)
        again = verify.verify_path(path, fold.catch_up)
        truth_hurt = {"event-damaged", "file-damaged", "unreadable", "damaged"}
        if not again.ok:
            derived_only = not {f.what for f in report.findings} & truth_hurt
            return f"{case}: repair left {again}" if derived_only else None
        with open_log(path) as log:
            if ask(log)[0] != truth:
                return f"{case}: repaired, but not to what it was"
    return None
