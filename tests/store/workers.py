"""What other processes do in the tests of this folder. Everything here is started by name, from a warm server."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Iterable
from typing import Any

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.events import Forgotten, Reinforced
from scrubjay.store import EventLog, snapshot
from tests.store.helpers import DIM, context, learned, open_log, space

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.store.workers"])


def run(*jobs: tuple[Any, ...], timeout: float = 120.0) -> list[Any]:
    """Run (function, *args) each in a process; their results in order. A job that raises fails the test."""
    results = PROCESSES.SimpleQueue()
    started = [PROCESSES.Process(target=_job, args=(results, i, *job)) for i, job in enumerate(jobs)]
    for process in started:
        process.start()
    deadline = time.monotonic() + timeout
    out: dict[int, Any] = {}
    while len(out) < len(jobs):
        if not results.empty():
            i, good, value = results.get()
            assert good, value
            out[i] = value
        elif time.monotonic() > deadline:
            for process in started:
                process.kill()
            raise AssertionError(f"no answer within {timeout} s")
        else:
            time.sleep(0.01)
    for process in started:
        process.join(60)
    return [out[i] for i in range(len(jobs))]


def _job(results: Any, i: int, function: Any, *args: Any) -> None:
    try:
        results.put((i, True, function(*args)))
    except BaseException as error:  # noqa: BLE001 - told to the test, whatever it is
        results.put((i, False, f"{function.__name__}: {type(error).__name__}: {error}"))


def write_one_by_one(path: str, name: str, n: int) -> list[int]:
    """`n` transactions of one memory each; the keys that were acknowledged."""
    keys = []
    with open_log(path) as log:
        for i in range(n):
            with log.write() as tx:
                key = tx.next_key
                tx.append([learned(key, f"{name} {i}")])
            keys.append(key)
    return keys


def follow(path: str, rows: int) -> int:
    """Fold the growing log until it has `rows` memories; each look must be consistent. Number of looks."""
    columns, looks = Columns(DIM), 0
    with open_log(path, read_only=True) as log:
        while len(columns) < rows:
            with log.read() as view:
                seq = view.seq
                count = view._db.execute("SELECT count(*) FROM memories").get
                spaces = len(view.spaces())
            fold.catch_up(columns, log, upto=seq)
            assert columns.seq == seq
            assert len(columns) == count == seq - spaces, (len(columns), count, seq)
            looks += 1
            time.sleep(0.002)
    return looks


def import_until_killed(path: str, acknowledged: str, seed: int) -> None:
    """Transactions of random size for ever; each is told in a file of its own once it is acknowledged."""
    draw = random.Random(seed)
    told = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open_log(path) as log:
        columns, status = snapshot.load(log)
        at = status.seq
        fold.catch_up(columns, log)
        while True:
            with log.write() as tx:
                events = list(transaction(draw, tx.next_key, tx.next_context, tx.next_space))
                batch = tx.append(events)
            os.write(told, f"{batch.upto}\n".encode())
            fold.apply(columns, batch)
            if columns.seq - at > 50:
                at = snapshot.save(log, columns).seq


def until_longer(file: str, patience: float = 120.0) -> None:
    """Wait until `file` has grown, as one does that a process of its own writes to."""
    deadline, before = time.monotonic() + patience, _size(file)
    while _size(file) <= before:
        assert time.monotonic() < deadline, f"nothing was written within {patience} s"
        time.sleep(0.002)


def _size(file: str) -> int:
    return os.path.getsize(file) if os.path.exists(file) else 0


def transaction(draw: random.Random, key: int, number: int, spaces: int) -> Iterable[Any]:
    """Events whose content follows from their numbers, so that a reader can check them."""
    if not spaces:
        yield space()
    if draw.random() < 0.3:
        yield context(number)
    n = draw.choice([1, 1, 1, 2, 20, 300])
    for i in range(n):
        yield learned(key + i)
    if draw.random() < 0.3:
        yield Reinforced(at=0.0, key=key)
    if n > 2 and draw.random() < 0.5:
        yield Forgotten(at=0.0, keys=[key + 1])


def hold_the_lock(path: str, seconds: float, ready: str) -> None:
    """Keep a write transaction open."""
    with open_log(path) as log, log.write() as tx:
        tx.append([learned(tx.next_key, "held")])
        with open(ready, "w"):
            pass
        time.sleep(seconds)


def save_snapshots(path: str, n: int) -> list[str]:
    """Write, fold, and save a snapshot, `n` times; the outcomes."""
    outcomes = []
    with open_log(path, durability="normal") as log:
        columns = Columns(DIM)
        for _ in range(n):
            with log.write() as tx:
                tx.append([learned(tx.next_key, f"{os.getpid()} {tx.next_key}")])
            fold.catch_up(columns, log)
            outcomes.append(snapshot.save(log, columns).outcome)
            loaded, status = snapshot.load(log)
            assert status.outcome == "loaded", status
            assert loaded.seq >= columns.seq
    return outcomes


def use_opened_elsewhere(path: str) -> int:
    """A spawned process opens the store of its parent."""
    with EventLog.open(path) as log:
        return log.seq
