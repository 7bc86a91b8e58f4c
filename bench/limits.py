"""What this machine can do at most: read bandwidth and multiply-adds a second, at 1 and 2 threads.

`python bench/limits.py` prints them. A benchmark measures the one it is held against in the same rounds as itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from statistics import median

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core

READ_BYTES = 1 << 28
PEAK_ROUNDS = 4_000_000
KINDS = ("float32", "bfloat16", "int8")


@cache
def _memory() -> NDArray[np.float32]:
    return np.ones(READ_BYTES // 4, np.float32)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def _together(work: Callable[[int], object], threads: int) -> float:
    if threads == 1:  # this thread's own time: what else the machine does is no part of its limit
        start = time.thread_time()
        work(0)
        return time.thread_time() - start
    start = time.perf_counter()
    list(_pool(threads).map(work, range(threads)))
    return time.perf_counter() - start


def read(threads: int = 1) -> float:
    """Bytes read a second, from memory that no cache holds."""
    parts = np.array_split(_memory(), threads)
    return READ_BYTES / _together(lambda i: _core.probe_read(parts[i]), threads)


def peak(kind: str = "float32", threads: int = 1) -> float:
    """Multiply-adds a second of the widest instruction for `kind`; 0 where this CPU has none."""
    done = _core.probe_peak(kind, PEAK_ROUNDS)
    return threads * done / _together(lambda _: _core.probe_peak(kind, PEAK_ROUNDS), threads) if done else 0.0


def measured(rounds: int = 7) -> dict[str, float]:
    """Medians of all limits, in units of 1e9 a second, under names like "read x1" and "int8 x2"."""
    probes: dict[str, Callable[[], float]] = {}
    for threads in (1, 2):
        probes[f"read x{threads}"] = lambda threads=threads: read(threads)
        for kind in KINDS:
            probes[f"{kind} x{threads}"] = lambda kind=kind, threads=threads: peak(kind, threads)
    return {name: median(probe() for _ in range(rounds)) / 1e9 for name, probe in probes.items()}


if __name__ == "__main__":
    for name, value in measured().items():
        print(f"{name:12} {value:8.1f} {'GB/s' if name.startswith('read') else 'G multiply-adds/s'}")
