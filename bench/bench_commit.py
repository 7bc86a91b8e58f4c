"""Single adds at durability="full": how many a second, and how long one takes, from one thread, from 16, from 16 tasks.

    python bench/bench_commit.py [--adds 320] [--rounds 5] [--folder FOLDER] [--default] [--fsync-ms 4] [--events]

Adds of threads and tasks that meet are written together, with one wait for the disk. In each round every side adds so
many memories to a store, so that a slow minute slows them all; a ratio is the median over rounds of a side to the one
thread of its round. The embedder is a toy and no edges are made: what is measured is the way to the disk; `--default`
takes the default embedder, with edges. `--fsync-ms` makes each wait for the disk so much longer (Linux, with a C
compiler), as on a slower disk. `--events` appends to the log alone, without a store above it. The first line is what
the disk does: an append of 4 KiB and its fsync. FOLDER is where the store lies, by default the system's folder for
temporary files. It fails where a memory is missing at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import scrubjay
from bench_store import SPACE, learned
from scrubjay import Perishability
from scrubjay.store import EventLog

AT_ONCE = 16
TARGET, FAST = 8.0, 3.0
"""Least ratio where an fsync takes four milliseconds and more, and elsewhere."""
SHIM = "SCRUBJAY_SLOW_SYNC"
"""Variable that names the shim to a program that was begun again."""
STABLE = Perishability(label="factual", pi=0.1, tau=9 * 86400.0)


class Flat:
    """A vector that follows from the length of a text and its last letters."""

    name, dim = "bench-flat", 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        out = np.full((len(texts), self.dim), 0.1, np.float32)
        for row, text in zip(out, texts, strict=True):
            for letter in text[-8:].encode():
                row[letter % self.dim] += 1.0
        return out


Side = Callable[[int], list[float]]
"""Adds so many; the seconds that each took."""


def from_threads(add: Callable[[], object], threads: int, adds: int) -> list[float]:
    """So many adds by threads that begin together; the seconds that each took."""
    took: list[float] = []
    begin = threading.Barrier(threads + 1)

    def work() -> None:
        begin.wait()
        for _ in range(adds // threads):
            start = time.perf_counter()
            add()
            took.append(time.perf_counter() - start)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    begin.wait()
    for worker in workers:
        worker.join()
    return took


def disk(folder: Path, rounds: int = 50) -> float:
    """Seconds of an append of 4 KiB and its fsync."""
    took = []
    with open(folder / "probe", "wb", buffering=0) as file:
        for _ in range(rounds):
            start = time.perf_counter()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - start)
    return median(took)


def report(sides: dict[str, Side], adds: int, rounds: int) -> dict[str, float]:
    """Print a line for each side; the ratio of each to the first."""
    rates: dict[str, list[float]] = {name: [] for name in sides}
    times: dict[str, list[float]] = {name: [] for name in sides}
    for side in sides.values():
        side(AT_ONCE)
    for _ in range(rounds):
        for name, side in sides.items():
            start = time.perf_counter()
            took = side(adds)
            rates[name].append(len(took) / (time.perf_counter() - start))
            times[name] += took
    first = next(iter(sides))
    ratios = {}
    for name in sides:
        ratios[name] = median(rate / one for rate, one in zip(rates[name], rates[first], strict=True))
        p50, p99 = np.percentile(times[name], [50, 99]) * 1e3
        print(
            f"{name:12} {median(rates[name]):8.0f} adds/s  p50 {p50:7.2f} ms  p99 {p99:7.2f} ms  {ratios[name]:5.1f} x",
            flush=True,
        )
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adds", type=int, default=320)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--events", action="store_true", help="the log alone")
    parser.add_argument("--default", action="store_true", help="the default embedder, and edges")
    parser.add_argument("--fsync-ms", type=float, default=0.0, help="milliseconds that an fsync takes beside its own")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        if given.fsync_ms:
            slow(folder, given.fsync_ms)
        added = f", {given.fsync_ms:g} of them added" if given.fsync_ms else ""
        print(f"4 KiB and fsync: {disk(folder) * 1e3:.2f} ms{added}")
        if given.events:
            ratios = events(folder / "store", given.adds, given.rounds)
        else:
            ratios = store(folder / "store", given.adds, given.rounds, default=given.default)
    least = TARGET if given.fsync_ms >= 4 and not given.default else FAST
    told = "met" if ratios[f"{AT_ONCE} threads"] >= least else "missed"
    print(f"{AT_ONCE} threads to one: {ratios[f'{AT_ONCE} threads']:.1f} x, target {least:.0f} x: {told}")


def slow(folder: Path, milliseconds: float) -> None:
    """Make every fsync below a folder slower; begins the program again, with the C library's own calls watched."""
    library = os.environ.get(SHIM)
    if library is None:
        source = Path(__file__).resolve().parents[1] / "tests" / "store" / "shim.c"
        built = Path(tempfile.mkdtemp(prefix="scrubjay-shim-")) / "shim.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", built, source, "-ldl"], check=True)
        folder.rmdir()
        environment = os.environ | {SHIM: str(built), "LD_PRELOAD": str(built)}
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    shim = ctypes.CDLL(library)
    shim.shim_arm(os.fsencode(folder), ctypes.c_long(0), 0, 0)
    shim.shim_slow(ctypes.c_long(round(milliseconds * 1e3)))


def store(path: Path, adds: int, rounds: int, *, default: bool) -> dict[str, float]:
    """By the verbs of a store."""
    given: dict[str, Any] = {} if default else {"embedder": Flat(), "graph": False}
    with scrubjay.open(path, **given) as held:
        said = iter(f"note {i} of a day" for i in range(10**9))

        def add() -> None:
            held.add(next(said), perishability=STABLE)

        def tasks(adds: int) -> list[float]:
            async def all_of_them() -> list[float]:
                took: list[float] = []

                async def work(twin: scrubjay.AsyncMemoryStore) -> None:
                    for _ in range(adds // AT_ONCE):
                        start = time.perf_counter()
                        await twin.add(next(said), perishability=STABLE)
                        took.append(time.perf_counter() - start)

                async with scrubjay.aopen(path, **given) as twin:
                    await asyncio.gather(*(work(twin) for _ in range(AT_ONCE)))
                return took

            return asyncio.run(all_of_them())

        sides: dict[str, Side] = {
            "1 thread": lambda adds: from_threads(add, 1, adds),
            f"{AT_ONCE} threads": lambda adds: from_threads(add, AT_ONCE, adds),
            f"{AT_ONCE} tasks": tasks,
        }
        ratios = report(sides, adds, rounds)
        assert len(held) == len(sides) * (AT_ONCE + rounds * (adds // AT_ONCE * AT_ONCE)) + (adds % AT_ONCE) * rounds
    return ratios


def events(path: Path, adds: int, rounds: int) -> dict[str, float]:
    """By the log alone."""
    with EventLog.open(path, embedder="bench", dim=64) as log:
        with log.write() as tx:
            tx.append([SPACE])

        def add() -> None:
            with log.write() as tx:
                tx.append(learned(1, tx.next_key, dim=64))

        sides: dict[str, Side] = {
            "1 thread": lambda adds: from_threads(add, 1, adds),
            f"{AT_ONCE} threads": lambda adds: from_threads(add, AT_ONCE, adds),
        }
        ratios = report(sides, adds, rounds)
        assert log.seq == 1 + len(sides) * (AT_ONCE + rounds * (adds // AT_ONCE * AT_ONCE)) + (adds % AT_ONCE) * rounds
    return ratios


if __name__ == "__main__":
    main()
