"""Short lives of a store by every verb that writes, for processes that are ended or fail at each write step."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import MemoryStore, Perishability, errors, fold
from scrubjay.store import log as store_log
from scrubjay.store import snapshot
from toys import Clock, WordHash

OLD, NEW = WordHash(16), WordHash(24, "word-hash-2")
STABLE = Perishability(label="factual", pi=0.1, tau=9 * 86400.0)

Tell = Callable[[int], None]
"""Called with the last event that was acknowledged."""


def opened(path: Path, **given: Any) -> MemoryStore:
    """The store in a folder, by whichever embedder it has."""
    other: Exception | None = None
    for embedder in (OLD, NEW):
        try:
            return scrubjay.open(path, embedder=embedder, clock=Clock(1.8e9), timeout=5.0, **given)
        except (scrubjay.errors.EmbedderMismatchError, scrubjay.errors.DimensionError) as error:
            other = error
    assert other is not None
    raise other


def items(first: int, n: int) -> list[dict[str, Any]]:
    return [
        {
            "text": f"memory {i} of room {i % 3} says hello",
            "namespace": ("u",) if i % 4 else (),
            "context": f"context {i % 5}",
            "perishability": STABLE,
            "when": 1.6e9 + i,
            "metadata": {"page": i, "thread": "a"} if i % 2 else {},
            "key": f"key {i}",
        }
        for i in range(first, first + n)
    ]


def begin(path: Path) -> None:
    """What every life but the first finds there: some memories, edges, outcomes and a snapshot."""
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9), durability="normal") as store:
        ids = [unit.id for unit in store.add_many(items(0, 24))]
        for i in range(6):
            store.outcome(ids[i : i + 3], i / 6)
        store.link(ids[1], ids[2])
        snapshot.save(store._engine.log, store._engine.columns)


def _ids(store: MemoryStore) -> list[str]:
    return [unit.id for space in ((), ("u",)) for unit in store.list(namespace=space)]


def _told(store: MemoryStore, tell: Tell) -> None:
    tell(store._engine.log.seq)


def _kept(store: MemoryStore) -> None:
    snapshot.save(store._engine.log, store._engine.columns)


def create_and_add(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        for item in items(100, 4):
            store.add(**item)
            _told(store, tell)
        _kept(store)


def add_many(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        store.add_many(items(20, 60), batch=20, progress=lambda done, total: _told(store, tell))
        _kept(store)


def update_and_supersede(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        ids = _ids(store)
        events: list[int] = []
        for call in (
            lambda: store.update(ids[0], text="another text", metadata={"page": None}),
            lambda: store.outcome(ids[:3], 0.5),
            lambda: store.rate(ids[3:5], 1.0),
            lambda: events.append(store.integrate("memory 5 of room 2 is no more", namespace="u").event),
            lambda: store.undo(events[0]),
            lambda: store.link(ids[0], ids[1]),
        ):
            call()
            _told(store, tell)


def delete(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        ids = _ids(store)
        store.delete(ids[:3])
        _told(store, tell)
        store.consolidate(least_utility=1.0, least_support=1.0)
        _told(store, tell)
        _kept(store)
        store.delete_all("u")
        _told(store, tell)


def compact(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.9e9)) as store:
        store.outcome(_ids(store)[:8], 1.0)
        _told(store, tell)
        store.compact()
        store.condense(namespace="u")
        _told(store, tell)
        store.compact(summarise_before=1.8e9)
        _kept(store)


def reembed(path: Path, tell: Tell) -> None:
    scrubjay.reembed(path, embedder=NEW, batch=16, clock=Clock(1.7e9))
    with opened(path) as store:
        store.add("after the change")
        _told(store, tell)


LIVES: dict[str, Callable[[Path, Tell], None]] = {
    life.__name__: life for life in (create_and_add, add_many, update_and_supersede, delete, compact, reembed)
}


def _filled(store: MemoryStore) -> None:
    """Add until the disk is full."""
    for i in range(10_000):
        try:
            store.add(f"one more, number {i}")
        except scrubjay.errors.StoreFullError:
            return
    raise AssertionError("the disk is not full")


def delete_when_full(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        doomed = _ids(store)[:3]
        _filled(store)
        store.delete(doomed)
        _told(store, tell)


def purge_when_full(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        doomed = _ids(store)[:3]
        _filled(store)
        assert store.delete(doomed, purge=True).memories == 3
        _told(store, tell)


def delete_all_when_full(path: Path, tell: Tell) -> None:
    with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:
        _filled(store)
        for labels in ("u", ()):
            store.delete_all(labels, root=True, purge=False)
            _told(store, tell)


FULL: dict[str, Callable[[Path, Tell], None]] = {
    life.__name__: life for life in (delete_when_full, purge_when_full, delete_all_when_full)
}
"""What is done on a disk without room."""


def delete_a_when_full(path: Path, tell: Tell) -> None:
    with opened(path) as store:
        assert store.delete_all("a", purge=False) == 1000
        _told(store, tell)


def delete_many_when_full(path: Path, tell: Tell) -> None:
    with opened(path) as store:
        ids = [unit.id for unit in store.list(namespace="a", limit=10_000)]
        assert store.delete(ids) == 1000
        _told(store, tell)


def purge_a_when_full(path: Path, tell: Tell) -> None:
    with opened(path) as store:
        told = store.delete_all("a")
        assert told.done or told.left
        assert not store.list(namespace="a")


def purge_root_when_full(path: Path, tell: Tell) -> None:
    with opened(path) as store:
        store.delete_all(scrubjay.Subtree(()), root=True)
        assert len(store) == 0


def read_when_full(path: Path, tell: Tell) -> None:
    with opened(path, read_only=True) as store:
        assert len(store) == 2000
        assert store.search("memory 7", k=1, namespace="b")


REOPENED: dict[str, Callable[[Path, Tell], None]] = {
    life.__name__: life
    for life in (delete_a_when_full, delete_many_when_full, purge_a_when_full, purge_root_when_full, read_when_full)
}
"""What is done by a handle that was opened on a disk without room."""

RANDOM = "random "
"""A life of this name and a number is a random one."""


def life_of(name: str) -> Callable[[Path, Tell], None]:
    """The life of a name."""
    if name.startswith(RANDOM):
        return partial(random_life, int(name[len(RANDOM) :]))
    return (LIVES | FULL | REOPENED)[name]


def random_life(seed: int, path: Path, tell: Tell) -> None:
    """Every verb that writes, in the order that the seed draws; one seed is one history."""
    draw = random.Random(seed)
    events: list[int] = []
    more = iter(range(1000, 2000))
    for _ in range(draw.randint(1, 3)):
        with scrubjay.open(path, embedder=OLD, clock=Clock(1.7e9)) as store:

            def some(most: int, store: MemoryStore = store) -> list[str]:
                ids = _ids(store)
                return draw.sample(ids, min(len(ids), draw.randint(1, most)))

            verbs: list[Callable[[MemoryStore], object]] = [
                lambda store: store.add(**items(next(more), 1)[0]),
                lambda store: store.add_many([items(next(more), 1)[0] for _ in range(draw.randint(1, 9))]),
                lambda store: store.outcome(some(3), draw.random()),
                lambda store: store.rate(some(2), draw.random()),
                lambda store: events.append(store.integrate(f"memory {draw.randint(0, 30)} is no more").event),
                lambda store: store.undo(events.pop()) if events else None,
                lambda store: [store.update(id, text=f"text {next(more)}") for id in some(1)],
                lambda store: store.delete(some(2)),
                lambda store: store.delete(some(1), purge=True),
                lambda store: store.link(*pair) if len(pair := some(2)) == 2 else None,
                lambda store: store.condense(namespace="u"),
                lambda store: store.compact(),
                lambda store: store.consolidate(least_utility=0.5, least_support=1.0),
                _kept,
            ]  # fmt: skip
            for _ in range(draw.randint(2, 6)):
                # what is gone may be asked for, and undone twice
                with suppress(errors.ArgumentError, errors.MemoryNotFoundError):
                    draw.choice(verbs)(store)
                _told(store, tell)


@contextmanager
def quick_folder(otherwise: Path) -> Iterator[Path]:
    """A folder in memory where the system has one."""
    if not os.access("/dev/shm", os.W_OK):
        yield otherwise
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="scrubjay-") as folder:
        yield Path(folder)


def prepared(life: str, whole: Path, path: Path) -> None:
    """The folder as the life finds it; `whole` is what `begin` made."""
    shutil.rmtree(path, ignore_errors=True)
    if life != "create_and_add":
        shutil.copytree(whole, path)


class States:
    """Digests of a life's store after each of its transactions, by the last event."""

    def __init__(self) -> None:
        self.by_seq: dict[int, set[str]] = {}

    def add(self, seq: int, digest: str) -> None:
        self.by_seq.setdefault(seq, set()).add(digest)


@contextmanager
def watched(states: States) -> Iterator[None]:
    """Within the block the state after each transaction is noted."""
    write = store_log.EventLog.write

    @contextmanager
    def noted(self: Any, **how: Any) -> Iterator[Any]:
        with write(self, **how) as tx:
            yield tx
        # a log whose embedder has just changed is read by the next handle
        try:
            columns = fold.rebuild(self)
        except (scrubjay.errors.EmbedderMismatchError, scrubjay.errors.DimensionError):
            return
        states.add(columns.seq, columns.digest())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_log.EventLog, "write", noted)
        yield


def reference(life: str, whole: Path, path: Path) -> States:
    """A life without a fault."""
    prepared(life, whole, path)
    states = States()
    if path.exists():
        with opened(path) as store:
            states.add(*store._engine.state())
    else:
        states.add(0, "")

    def note(seq: int) -> None:
        # a purge changes what was written before
        with opened(path, read_only=True) as store:
            states.add(*store._engine.state())

    with watched(states):
        life_of(life)(path, note)
    with opened(path) as store:
        states.add(*store._engine.state())
    return states


def wrong(path: Path, states: States, acknowledged: int) -> str | None:
    """What is wrong with a store that a life has left behind; None when nothing is.

    It must open, be whole, hold all that was acknowledged as a prefix of the life, and take what is added.
    """
    if not path.exists():
        return None if acknowledged == 0 else "the store is gone"
    try:
        return _wrong(path, states, acknowledged)
    except Exception as error:  # noqa: BLE001 - shown by the test, whatever it is
        return f"{type(error).__name__}: {error}"


def _wrong(path: Path, states: States, acknowledged: int) -> str | None:
    with opened(path) as store:
        seq, digest = store._engine.state()
        if seq < acknowledged:
            return f"acknowledged up to {acknowledged}, there is {seq}"
        if seq and digest not in states.by_seq.get(seq, ()):
            return f"at event {seq} it is in no state that the life was in"
        if fold.rebuild(store._engine.log).digest() != digest:
            return "the snapshot and the log differ"
        units = [unit for space in ((), ("u",)) for unit in store.list(namespace=space, limit=1000, archived=True)]
        if len({unit.id for unit in units}) != len(units):
            return "an id is there twice"
        if not (report := store.verify()).ok:
            return str(report)
        added = store.add("what comes after")
        if added.id not in [hit.memory.id for hit in store.search("what comes after", k=3)]:
            return "what was added is not found"
    with opened(path) as store:
        if store.get(added.id).text != "what comes after":
            return "what was added is not there after opening again"
    return None


def walked(path: Path) -> list[str]:
    """Every file of a store."""
    return sorted(str(file.relative_to(path)) for file in path.rglob("*") if file.is_file())
