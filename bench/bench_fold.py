"""Folding outcomes: events from the log into evidence, stability and difficulty, against reading and decoding alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bench_store import SPACE, learned
from harness import Row, Target
from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.events import AnyEvent, Forgotten, Linked, Outcome, Reinforced, Updated
from scrubjay.store import EventLog

DIM = 16


def lived(events: int, memories: int) -> EventLog:
    """A log in memory: so many memories, then so many outcomes of them."""
    log = EventLog.open(":memory:", embedder="bench", dim=DIM)
    rng = np.random.default_rng(0)
    with log.write() as tx:
        tx.append([SPACE, *learned(memories, dim=DIM)])
    keys, signals = rng.integers(1, memories + 1, events).tolist(), rng.uniform(0, 1, events).round(3).tolist()
    for start in range(0, events, 20_000):
        some: list[AnyEvent] = [
            Outcome(at=1.7e9 + 60.0 * i, keys=[keys[i]], signal=signals[i], source="user")
            for i in range(start, min(start + 20_000, events))
        ]
        with log.write() as tx:
            tx.append(some)
    return log


def mixed(events: int) -> EventLog:
    """A log in memory of every common kind: a third of it learns, the rest changes what is there; some is forgotten."""
    log = EventLog.open(":memory:", embedder="bench", dim=DIM)
    rng = np.random.default_rng(1)
    with log.write() as tx:
        tx.append([SPACE])
    there: list[int] = []
    while log.seq < events:
        with log.write() as tx:
            first, n = tx.next_key, min(3000, events - tx.seq)
            tx.append(learned(n, first, dim=DIM))
        there += range(first, first + n)
        some: list[AnyEvent] = []
        for kind in rng.choice(5, min(6000, events - log.seq), p=[0.7, 0.12, 0.1, 0.05, 0.03]).tolist():
            place = int(rng.integers(1, len(there)))
            key = there[place]
            if kind == 0:
                some.append(Outcome(at=1.7e9, keys=[key], signal=float(rng.random()), source="user"))
            elif kind == 1:
                some.append(Reinforced(at=1.7e9, key=key))
            elif kind == 2:
                some.append(Updated(at=1.7e9, key=key, value=float(rng.random())))
            elif kind == 3:
                some.append(Linked(at=1.7e9, keys=sorted([there[place - 1], key]), weight=0.5, kind="bench"))
            else:
                there[place] = there[-1]
                there.pop()
                some.append(Forgotten(at=1.7e9, keys=[key]))
        with log.write() as tx:
            tx.append(some)
    return log


def read(log: EventLog) -> int:
    return sum(len(batch.events) for batch in log.tail())


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_rebuild_of_all_kinds(versus: Callable[..., Row], largest: int, n: int) -> None:
    """A million events in sixty seconds: 60 us each, of the calling thread's own time."""
    if n > largest:
        pytest.skip(f"--largest is below {n}")
    with mixed(n) as log:
        versus(
            "fold",
            "events of all kinds",
            lambda: fold.rebuild(log).seq,
            {"reading and decoding": lambda: read(log)},
            n=n,
            equal=lambda seq, events: np.testing.assert_equal(seq, events),
            targets=(Target("ns", most=60_000),),
            rounds=1,
            alone=True,
        )


@pytest.mark.parametrize("memories", [100, 100_000])
@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_outcomes(versus: Callable[..., Row], largest: int, n: int, memories: int) -> None:
    """A million events in ten seconds: 10 us each, of the calling thread's own time."""
    if n > largest:
        pytest.skip(f"--largest is below {n}")
    with lived(n, min(memories, n // 10)) as log:
        found: list[Columns] = []

        def ours() -> int:
            found[:] = [fold.rebuild(log)]
            return found[0].seq

        versus(
            "fold",
            f"outcomes of {min(memories, n // 10)} memories",
            ours,
            {"reading and decoding": lambda: read(log)},
            n=n,
            equal=lambda seq, events: np.testing.assert_equal(seq, events),
            targets=(Target("ns", most=10_000),),
            rounds=1,
            alone=True,
        )
        total = found[0].a.sum() + found[0].b.sum()
        np.testing.assert_allclose(total, min(memories, n // 10) + n, rtol=1e-12)
