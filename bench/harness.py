"""How a benchmark is run: results are compared first, then all sides take turns, and ratios are what counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, NamedTuple

import limits

SAMPLE = 2e-3
"""A sample lasts at least so many seconds; a shorter call is repeated."""

MEMORY_SIZED = 1 << 27
"""Bytes that no cache holds."""

Call = Callable[[], Any]


@dataclass(frozen=True)
class Target:
    """A figure to reach: `of` a peer's name ("at least `least` times as fast") or "limit" (a share of it) or "ns"."""

    of: str
    least: float = 0.0
    most: float = 0.0


@dataclass
class Row:
    """One line of the report. Times are medians in seconds; a ratio is the median over rounds of peer / ours."""

    family: str
    work: str
    n: int
    threads: int
    seconds: float
    ratios: dict[str, float] = field(default_factory=dict)
    limit: str = ""
    share: float = 0.0
    ns_per_item: float = 0.0
    targets: list[dict[str, Any]] = field(default_factory=list)
    met: bool | None = None

    def line(self) -> str:
        """The row as one line of text."""
        ratios = ", ".join(f"{ratio:.1f} x {peer}" for peer, ratio in self.ratios.items())
        share = f", {100 * self.share:.0f} % of {self.limit}" if self.limit else ""
        met = {None: "", True: " (met)", False: " (MISSED)"}[self.met]
        time = f"{self.seconds * 1e3:9.3f} ms"
        return f"{self.family:11} {self.work:40} n={self.n:<8} x{self.threads} {time}{share}  {ratios}{met}"

    def judge(self, targets: tuple[Target, ...]) -> None:
        """Fills `targets` with what was reached, and `met`."""
        for t in targets:
            got = self.share if t.of == "limit" else self.ns_per_item if t.of == "ns" else self.ratios[t.of]
            ok = got >= t.least and (t.most == 0.0 or got <= t.most)
            self.targets.append({**asdict(t), "reached": got, "met": ok})
        if targets:
            self.met = all(t["met"] for t in self.targets)


class Sample(NamedTuple):
    """Seconds a call: by the wall's clock, and of the calling thread's own time."""

    wall: float
    own: float


def _repeats(call: Call) -> int:
    start = time.thread_time(), time.perf_counter()
    call()
    once = max(time.thread_time() - start[0], 1e-7)
    # without own time the work is done by other threads
    once = once if once > 1e-5 else max(time.perf_counter() - start[1], 1e-7)
    return max(1, min(100_000, int(SAMPLE / once)))


def _sample(call: Call, repeats: int) -> Sample:
    wall, own = time.perf_counter(), time.thread_time()
    for _ in range(repeats):
        call()
    return Sample((time.perf_counter() - wall) / repeats, (time.thread_time() - own) / repeats)


def interleaved(calls: Mapping[str, Call], rounds: int = 9) -> dict[str, list[Sample]]:
    """Samples by name: in each round every side runs once, so that a slow minute slows them all."""
    repeats = {name: (_repeats(call), _repeats(call))[1] for name, call in calls.items()}
    times: dict[str, list[Sample]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(_sample(call, repeats[name]))
    return times


def compare(
    family: str,
    work: str,
    ours: Call,
    peers: Mapping[str, Call] | None = None,
    *,
    n: int,
    equal: Callable[[Any, Any], None] | None = None,
    bytes_read: float = 0.0,
    multiply_adds: float = 0.0,
    kind: str = "float32",
    threads: int = 1,
    items: int = 0,
    targets: tuple[Target, ...] = (),
    rounds: int = 9,
    alone: bool = False,
) -> Row:
    """Runs `ours` against `peers` and against the machine's limit.

    Args:
        equal: called as equal(ours(), peer()) for each peer before anything is timed; raises where they differ.
        bytes_read: what the work must at least read: the row then holds the share of the read limit (where no cache
            can hold it).
        multiply_adds: what it must at least compute (of `kind`): the share of the instruction peak instead.
        items: rows, edges or reviews, for nanoseconds an item; by default n.
        alone: every side runs in the calling thread alone: its own time is measured, which other work on the machine
            does not lengthen.
    """
    peers = dict(peers or {})
    bytes_read = bytes_read if bytes_read >= MEMORY_SIZED else 0.0
    if equal is not None:
        for peer in peers.values():
            equal(ours(), peer())
    calls: dict[str, Call] = {"ours": ours, **peers}
    rates: list[float] = []
    if bytes_read or multiply_adds:
        probe = (lambda: limits.read(threads)) if bytes_read else (lambda: limits.peak(kind, threads))
        calls["probe"] = lambda: rates.append(probe())
    samples = interleaved(calls, rounds)
    times = {name: [s.own if alone else s.wall for s in taken] for name, taken in samples.items()}
    # what one thread does is held against a limit that this thread reached, both by its own time
    busy = [s.own if threads == 1 else s.wall for s in samples["ours"]]
    row = Row(family, work, n, threads, median(times["ours"]))
    row.ns_per_item = row.seconds * 1e9 / max(1, items or n)
    row.ratios = {p: median(b / a for a, b in zip(times["ours"], times[p], strict=True)) for p in peers}
    if rates:
        row.limit = "read" if bytes_read else f"{kind} peak"
        row.share = median((bytes_read or multiply_adds) / t / r for t, r in zip(busy, rates[-rounds:], strict=True))
    row.judge(targets)
    return row
