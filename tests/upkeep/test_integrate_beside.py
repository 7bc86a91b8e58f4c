"""Integrations and undos beside other writers: none gives up, none acts on what is no longer so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import MemoryStore
from scrubjay.fold import rebuild
from scrubjay.verbs import integrate
from toys import Clock, WordHash

DAY = 86400.0
TEXT = "the planning meeting is no longer in room"


def opened(path: Path) -> MemoryStore:
    return scrubjay.open(path, embedder=WordHash(), clock=Clock(), durability="normal")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "s") as store:
        store.add_many([{"text": f"the planning meeting is in room {i}", "when": 1.7e9 - 30 * DAY} for i in range(20)])
    return tmp_path / "s"


def between(store: MemoryStore, act: Callable[[], Any]) -> list[int]:
    """Have `act` happen just before the store's next transaction; returns a list that counts transactions."""
    log, begun = store._engine.log, []
    original = log.write

    def write() -> Any:
        begun.append(1)
        if len(begun) == 1:
            act()
        return original()

    log.write = write  # type: ignore[method-assign]
    return begun


def check(store: MemoryStore) -> None:
    assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
    assert store.verify().ok


def test_memories_that_are_added_meanwhile_do_not_matter(path: Path) -> None:
    with opened(path) as store, opened(path) as other:
        begun = between(store, lambda: other.add("the planning meeting is in room 99"))
        done = store.integrate(TEXT)
        assert len(begun) == 1
        assert len(done.affected) + len(done.superseded) > 0
        assert done.memory is not None
        check(store)


def test_the_same_evidence_added_meanwhile_is_known(path: Path) -> None:
    with opened(path) as store, opened(path) as other:
        between(store, lambda: other.add(TEXT))
        done = store.integrate(TEXT)
        assert done.memory is not None
        assert done.memory.evidence == 2
        store.undo(done.event)
        assert store.get(done.memory.id).text == TEXT
        check(store)


def test_a_memory_that_is_deleted_meanwhile_is_not_reached(path: Path) -> None:
    with opened(path) as store, opened(path) as other:
        would = store.integrate(TEXT, dry_run=True)
        gone = would.affected[0][0]
        begun = between(store, lambda: other.delete(gone))
        done = store.integrate(TEXT)
        assert len(begun) == 2
        assert gone not in dict(done.affected)
        assert done.affected
        check(store)


def test_a_memory_that_is_pinned_meanwhile_is_not_moved(path: Path) -> None:
    with opened(path) as store, opened(path) as other:
        pinned = store.integrate(TEXT, dry_run=True).affected[0][0]
        before = store.get(pinned)
        between(store, lambda: other.update(pinned, pinned=True))
        done = store.integrate(TEXT)
        assert pinned not in {*dict(done.affected), *done.superseded}
        assert store.get(pinned).value == before.value
        check(store)


def test_an_undo_keeps_what_was_said_meanwhile(path: Path) -> None:
    with opened(path) as store, opened(path) as other:
        done = store.integrate(TEXT)
        id = done.affected[0][0]
        begun = between(store, lambda: other.update(id, value=0.25))
        store.undo(done.event)
        assert len(begun) == 2
        assert store.get(id).value == 0.25
        check(store)


def test_a_flood_of_other_writers_stops_neither(path: Path) -> None:
    stop = threading.Event()
    with opened(path) as store:

        def flood(number: int) -> None:
            i = 0
            while not stop.is_set() and i < 2000:
                store.add(f"note {number} {i} about tea")
                i += 1

        threads = [threading.Thread(target=flood, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        try:
            done = [store.integrate(f"{TEXT} {i}").event for i in range(12)]
            for event in done[::3]:
                store.undo(event)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        check(store)


def test_the_same_text_that_is_added_meanwhile_is_the_evidence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, begun = integrate._plan, []

    def meanwhile(*args: Any, **named: Any) -> Any:
        begun.append(1)
        if len(begun) == 1:
            store.add(TEXT)
        return plan(*args, **named)

    monkeypatch.setattr(integrate, "_plan", meanwhile)
    with opened(path) as store:
        done = store.integrate(TEXT)
        assert len(begun) == 2
        assert done.memory is not None
        assert (len(store), done.memory.evidence) == (21, 2)
        assert done.memory.id not in [id for id, _ in done.affected]
        check(store)
