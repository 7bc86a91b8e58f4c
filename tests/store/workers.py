"""What other processes do in the tests of this folder. Everything here is started by name, from a warm server."""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Iterable
from typing import Any

import apsw

import scrubjay
from scrubjay import Perishability, fold
from scrubjay.columns import Columns
from scrubjay.events import Forgotten, Reinforced
from scrubjay.store import EventLog, snapshot
from tests.store.helpers import DIM, context, learned, open_log, space
from tests.toys import Clock, WordHash

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
    try:
        while len(out) < len(jobs):
            if not results.empty():
                i, good, value = results.get()
                assert good, value
                out[i] = value
            elif time.monotonic() > deadline:
                raise AssertionError(f"no answer within {timeout} s")
            else:
                time.sleep(0.01)
    except BaseException:
        # who still has something to say would wait for ever
        for process in started:
            process.kill()
        raise
    finally:
        for process in started:
            process.join()
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


STABLE = Perishability(label="factual", pi=0.1, tau=9 * 86400.0)
SHARED = 10
"""Each so many-th memory of `add_from_threads` is one that every thread adds."""


def add_from_threads(path: str, name: str, threads: int, seconds: float, least: int) -> list[tuple[str, str]]:
    """Add memories one by one from threads that share a handle, for so long and at least so many.

    (text, id) of each that was acknowledged.
    """
    told: list[tuple[str, str]] = []
    raised: list[BaseException] = []
    until = time.monotonic() + seconds

    def work(thread: int, store: scrubjay.MemoryStore) -> None:
        i = 0
        try:
            while time.monotonic() < until or len(told) < least:
                i += 1
                text = f"all say {i}" if i % SHARED == 0 else f"{name} {thread} says {i}"
                told.append((text, store.add(text, perishability=STABLE).id))
                if i % 100 == 0:
                    found = [hit.memory.text for hit in store.search(text, k=3)]
                    assert text in found, f"{text}: {found}"
        except BaseException as error:  # noqa: BLE001 - told to the test, whatever it is
            raised.append(error)

    embedder = WordHash(16)
    with scrubjay.open(path, embedder=embedder, clock=Clock(1.7e9), timeout=1e9, graph=False) as store:
        workers = [threading.Thread(target=work, args=(i, store)) for i in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    if raised:
        raise raised[0]
    return told


def write_in_a_race(path: str, name: str, seconds: float, opens: bool) -> list[int]:
    """Transactions of a few memories for so long; the keys that were acknowledged. `opens`: a handle for each few."""
    draw, keys = random.Random(name), []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with open_log(path, timeout=1e9) as log:
            while time.monotonic() < until:
                with log.write() as tx:
                    first, n = tx.next_key, draw.choice([1, 1, 1, 5, 200])
                    tx.append([learned(first + i) for i in range(n)])
                keys += range(first, first + n)
                if opens and draw.random() < 0.3:
                    break
    return keys


def checkpoint_in_a_race(path: str, seconds: float) -> int:
    """Checkpoints of every kind for so long; the number of those that moved something."""
    draw, moved = random.Random(3), 0
    until = time.monotonic() + seconds
    kinds = (
        apsw.SQLITE_CHECKPOINT_PASSIVE,
        apsw.SQLITE_CHECKPOINT_FULL,
        apsw.SQLITE_CHECKPOINT_RESTART,
        apsw.SQLITE_CHECKPOINT_TRUNCATE,
    )
    while time.monotonic() < until:
        db = apsw.Connection(os.path.join(path, "log.sqlite"))
        db.set_busy_timeout(draw.choice([0, 50]))
        # before its first look a connection does not know that there is a write-ahead file
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        for _ in range(draw.randint(1, 20)):
            try:
                moved += db.wal_checkpoint(mode=draw.choice(kinds))[1] > 0
            except apsw.BusyError:
                continue
            time.sleep(draw.choice([0.0, 0.01]))
        db.close()
    return moved


def read_in_a_race(path: str, seconds: float) -> int:
    """Views that stay open for a while, each of a store that is whole; their number."""
    draw, looks = random.Random(4), 0
    until = time.monotonic() + seconds
    columns = Columns(DIM)
    with open_log(path, read_only=True) as log:
        while time.monotonic() < until:
            with log.read() as view:
                seq = view.seq
                count = view._db.execute("SELECT count(*) FROM memories").get
                time.sleep(draw.choice([0.0, 0.0, 0.05]))
                assert view._db.execute("SELECT count(*) FROM memories").get == count
                assert view._db.execute("SELECT max(seq) FROM events").get == seq
            fold.catch_up(columns, log, upto=seq)
            assert (columns.seq, len(columns)) == (seq, count)
            looks += 1
    return looks
