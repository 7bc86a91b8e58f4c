"""The store: appending, folding, opening from a snapshot, and commits shared by threads.

Peers are what nobody can be faster than with the same files: the bare SQLite inserts, the bare reads and hashes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from harness import Row, Target
from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.events import AnyEvent, Batch, Learned, NamespaceSeen, Reinforced, Updated
from scrubjay.memory import Perishability
from scrubjay.store import EventLog, IdSource, manifest, snapshot
from scrubjay.store.view import _encode

DIM = 512
PERISHABILITY = Perishability(label="factual", pi=0.1, tau=45 * 86400.0)
SPACE = NamespaceSeen(at=0.0, space=0, labels=("bench",))


def learned(n: int, first: int = 1, dim: int = DIM) -> list[AnyEvent]:
    """Events of `n` new memories with texts of about 130 characters."""
    rng = np.random.default_rng(first)
    what = rng.standard_normal((n, dim), dtype=np.float32)
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    ids = IdSource(lambda: 1.7e9).many(n)
    return [
        Learned(
            at=1.7e9,
            key=first + i,
            id=ids[i],
            space=0,
            text=f"note {first + i}: the review of the quarter has moved to another room, "
            + "and more was said " * (i % 7),
            dedupe=hashlib.blake2b(b"%d" % (first + i), digest_size=16).digest(),
            vector=what[i].tobytes(),
            when=1.7e9,
            perishability=PERISHABILITY,
        )
        for i in range(n)
    ]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp())
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def filled(folder: Path) -> Callable[[int], EventLog]:
    """An open log of n memories, with a snapshot."""
    made: dict[int, EventLog] = {}

    def get(n: int) -> EventLog:
        if n not in made:
            log = EventLog.open(folder / f"filled-{n}", embedder="bench", dim=DIM, durability="normal")
            for first in range(1, n + 1, 20_000):
                with log.write() as tx:
                    tx.append(([SPACE] if first == 1 else []) + learned(min(20_000, n + 1 - first), first))
            columns = fold.rebuild(log)
            assert snapshot.save(log, columns).outcome == "written"
            log.close()
            made[n] = EventLog.open(folder / f"filled-{n}")
        return made[n]

    return get


def test_append(versus: Callable[..., Row], folder: Path) -> None:
    n = 20_000
    events = learned(n)
    bodies = [_encode(e) for e in events]

    def ours() -> int:
        path = folder / "append"
        shutil.rmtree(path, ignore_errors=True)
        with EventLog.open(path, embedder="bench", dim=DIM, durability="normal") as log:
            with log.write() as tx:
                tx.append([SPACE, *events])
            return log.seq - 1

    def bare() -> int:
        path = folder / "bare"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        db = apsw.Connection(str(path / "db"))
        db.pragma("page_size", 8192)
        db.pragma("journal_mode", "WAL")
        db.pragma("synchronous", "NORMAL")
        db.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB)")
        with db:
            db.cursor().executemany("INSERT INTO events (body) VALUES (?)", ((body,) for body in bodies))
        count = int(db.execute("SELECT count(*) FROM events").get)
        db.close()
        return count

    versus(
        "store",
        "append learned events, 512-d",
        ours,
        {"bare inserts": bare},
        n=n,
        equal=_same,
        targets=(Target("ns", most=20_000),),
    )


@pytest.mark.parametrize("n", [10_000, 100_000])
def test_rebuild(versus: Callable[..., Row], filled: Callable[[int], EventLog], n: int) -> None:
    log = filled(n)

    def bare() -> int:
        with log.read() as view:
            return sum(1 for _ in view._db.execute("SELECT seq, body, crc FROM events ORDER BY seq")) - 1

    versus(
        "store",
        "fold the log into columns, 512-d",
        lambda: len(fold.rebuild(log)),
        {"bare reads": bare},
        n=n,
        equal=_same,
        targets=(Target("ns", most=10_000),),
    )


@pytest.mark.parametrize("n", [10_000, 100_000])
def test_open_from_snapshot(versus: Callable[..., Row], filled: Callable[[int], EventLog], n: int) -> None:
    log = filled(n)
    held = manifest.read_manifest(str(log.snapshot_folder))
    assert held is not None
    size = sum(file.size for file in held.files)

    def ours() -> int:
        with EventLog.open(log.path, read_only=True) as opened:
            columns, status = snapshot.load(opened)
            assert status.outcome == "loaded"
            fold.catch_up(columns, opened)
            return len(columns)

    def bare() -> int:
        for name in held.names:
            with open(os.path.join(str(log.snapshot_folder), name), "rb") as file:
                assert hashlib.sha256(file.read()).hexdigest()
        return n

    row = versus(
        "store",
        "open from a snapshot, a 100 MB",
        ours,
        {"bare read and hash": bare},
        n=n,
        equal=_same,
        items=max(1, size // 100_000_000),
        targets=(Target("ns", most=1e9),) if size > 100_000_000 else (),
    )
    assert row.seconds > 0
    per_memory = os.path.getsize(os.path.join(log.path, "log.sqlite")) / n
    assert per_memory < 4 * DIM + 1200, "bytes a memory in the log"


def test_fold_of_mixed_events(versus: Callable[..., Row]) -> None:
    n, dim = 100_000, 64
    columns = Columns(dim)
    base = learned(n, dim=dim)
    fold.apply(columns, Batch(after=0, upto=n, seqs=list(range(1, n + 1)), events=base))
    keys = np.random.default_rng(0).integers(1, n + 1, n).tolist()
    events: list[AnyEvent] = [
        Reinforced(at=1.0, key=key) if i % 2 else Updated(at=1.0, key=key, value=2.0) for i, key in enumerate(keys)
    ]

    def ours() -> int:
        for start in range(0, n, 4096):
            part = events[start : start + 4096]
            seqs = list(range(columns.seq + 1, columns.seq + 1 + len(part)))
            fold.apply(columns, Batch(after=columns.seq, upto=columns.seq + len(part), seqs=seqs, events=part))
        return len(columns)

    versus("store", "fold alternating events", ours, n=n, targets=(Target("ns", most=10_000),))


def test_threads_share_commits(versus: Callable[..., Row], folder: Path) -> None:
    adds, threads = 160, 16
    log = EventLog.open(folder / "threads", embedder="bench", dim=DIM)
    with log.write() as tx:
        tx.append([SPACE])
    given = learned(1)[0]
    assert isinstance(given, Learned)

    def add(count: int) -> None:
        for _ in range(count):
            with log.write() as tx:
                fields: dict[str, Any] = {f: getattr(given, f) for f in given.__struct_fields__}
                tx.append([Learned(**fields | {"key": tx.next_key, "id": os.urandom(16), "dedupe": os.urandom(16)})])

    def many() -> int:
        workers = [threading.Thread(target=add, args=(adds // threads,)) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return adds

    def one() -> int:
        add(adds)
        return adds

    before = log.seq
    versus(
        "store",
        "single adds of 16 threads, durability full",
        many,
        {"one thread": one},
        n=adds,
        threads=threads,
        equal=_same,
        rounds=5,
    )
    assert (log.seq - before) % adds == 0
    log.close()


def _same(a: object, b: object) -> None:
    assert a == b
