"""Random lives of a store: of what is purged in the middle of them no word is left, and the rest is sound."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from scrubjay import MemoryStore, errors
from tests.store.residue import found, needles
from tests.store.test_purge import opened, summarise
from tests.toys import Clock


def live(path: Path, seed: int) -> None:
    """Memories with a word each go through random verbs; of those that are purged no word is left."""
    chance = random.Random(seed)
    clock = Clock()
    words: dict[str, str] = {}
    gone: set[str] = set()
    events: list[int] = []

    def word() -> str:
        return f"w{seed:x}q{len(words):x}x{chance.getrandbits(40):x}"

    def some(store: MemoryStore, most: int) -> list[str]:
        there = [unit.id for unit in store.list(limit=1000, archived=True, namespace="a") if unit.id in words]
        return chance.sample(there, min(len(there), chance.randint(1, most)))

    def add(store: MemoryStore) -> None:
        new = word()
        unit = store.add(
            f"{new} is in room B{chance.randint(1, 4)}",
            namespace="a",
            context=chance.choice([None, f"context {new}", "a shared context"]),
            metadata=chance.choice([None, {"source": new}, {"thread": "t", "n": 1}]),
        )
        words[unit.id] = new

    def integrate(store: MemoryStore) -> None:
        new = word()
        done = store.integrate(f"{new} is no longer in room B{chance.randint(1, 4)}", namespace="a")
        assert done.memory is not None
        words[done.memory.id] = new
        events.append(done.event)

    def undo(store: MemoryStore) -> None:
        if events:
            with suppress(errors.ScrubjayError):
                store.undo(events.pop(chance.randrange(len(events))))

    def update(store: MemoryStore) -> None:
        for id in some(store, 1):
            store.update(id, text=f"{words[id]} is in room C{chance.randint(1, 99)} {words[id]}2", pinned=False)

    def purge(store: MemoryStore) -> None:
        ids = some(store, 3)
        if words and chance.random() < 0.2:
            ids = [*ids, *(id for id in chance.sample(sorted(words), 1) if id not in ids)]
        receipt = store.delete([id for id in ids if id not in gone], purge=True)
        assert receipt.done
        gone.update(ids)

    def link(store: MemoryStore) -> None:
        ids = some(store, 2)
        if len(ids) == 2:
            store.link(*ids, kind=words[ids[0]])

    def condense(store: MemoryStore) -> None:
        store.condense(namespace="a", summarise=chance.choice([None, summarise]))

    verbs: list[Callable[[MemoryStore], object]] = [
        *[add] * 6, *[integrate] * 3, *[undo] * 2, *[update] * 2, *[purge] * 2, link, condense,
        lambda store: store.outcome(some(store, 4), chance.random(), source="judge"),
        lambda store: store.rate(some(store, 2), chance.random()),
        lambda store: store.consolidate(namespace="a"),
        lambda store: store.compact(),
        lambda store: store.delete(some(store, 1)),
    ]  # fmt: skip
    for _ in range(3):
        with opened(path, clock=clock) as store:
            for _ in range(20):
                clock.now += chance.choice([1.0, 3600.0, 40 * 86400.0])
                chance.choice(verbs)(store)
            purge(store)
            report = store.verify()
            assert report.ok, str(report)
            assert store.rebuild().same
        assert found(path, needles([words[id] for id in gone], [])) == []


def test_of_random_lives_nothing_that_was_purged_is_left(quick_path: Path) -> None:
    for seed in range(12):
        live(quick_path / f"{seed}", seed)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(100))
def test_of_a_thousand_random_lives_nothing_that_was_purged_is_left(
    quick_path: Path, counted: Callable[..., None], part: int
) -> None:
    for seed in range(100 + 10 * part, 110 + 10 * part):
        path = quick_path / f"{seed}"
        live(path, seed)
        shutil.rmtree(path)
    counted("lives with purges", lives=10, residues=0)
