"""Two simulated months of an agent: every verb, a model that is often wrong, and a store that is right at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import scrubjay
from agent import HOME, SCRATCH, START, WORK, Agent, Voice
from scrubjay import MemoryStore, MemoryUnit
from scrubjay.fold import rebuild
from toys import Clock, WordHash


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    clock, voice = Clock(START), Voice(seed=7)
    path = tmp_path_factory.mktemp("months") / "store"
    with scrubjay.open(path, embedder=WordHash(), clock=clock, model=voice.model, durability="normal") as store:
        living = Agent(store, clock, voice)
        living.live(days=60, actions=55)
        yield living


def everything(store: MemoryStore) -> dict[str, MemoryUnit]:
    return {
        u.id: u
        for namespace in (WORK, HOME, SCRATCH)
        for u in store.list(namespace=namespace, limit=100_000, archived=True)
    }


def test_it_was_a_long_life(agent: Agent) -> None:
    stats = agent.store.stats()
    assert stats.events >= 5000
    assert agent.clock.now - START >= 58 * 86400
    for what in ("undone", "degraded deltas", "mended", "clear", "settle", "again", "pruned"):
        assert agent.books.done[what] > 0, what
    assert len(agent.books.lost) > 10


def test_every_memory_is_there_and_no_other(agent: Agent) -> None:
    there = everything(agent.store)
    assert {id: unit.namespace for id, unit in there.items()} == agent.books.living
    assert len(agent.store) == len(there)


def test_supersessions_are_those_that_were_told(agent: Agent) -> None:
    there = everything(agent.store)
    told = {id: by for id, (by, _) in agent.books.lost.items()}
    assert {id: unit.superseded_by for id, unit in there.items() if not unit.current} == told
    assert agent.store.stats().superseded == len(told)


def test_what_was_put_aside_is_aside_and_nothing_else(agent: Agent) -> None:
    aside = {id for id, unit in everything(agent.store).items() if unit.archived}
    assert aside == agent.books.aside
    assert aside == {one.memory.id for one in agent.store.forgotten(limit=100_000)}
    assert agent.store.stats().archived == len(aside)
    shown = {u.id for u in agent.store.list(namespace=WORK, limit=100_000)}
    assert not shown & aside


def test_the_model_was_called_as_often_as_must_be(agent: Agent) -> None:
    stats = agent.store.stats()
    assert stats.model_calls == agent.books.calls == len(agent.voice.model.prompts)
    assert stats.degraded == sum(unit.perishability.degraded for unit in everything(agent.store).values())
    assert sum(stats.model_refusals.values()) > 50


def test_pinned_and_sensitive_memories_never_moved(agent: Agent) -> None:
    guarded = [u for u in everything(agent.store).values() if u.pinned or u.sensitive]
    assert guarded
    for unit in guarded:
        events = {entry.event for entry in agent.store.history(unit.id)}
        assert unit.current
        assert "integrated" not in events


def test_integration_stayed_in_its_namespace(agent: Agent) -> None:
    for unit in agent.store.list(namespace=SCRATCH, limit=100_000, archived=True):
        assert "integrated" not in {entry.event for entry in agent.store.history(unit.id)}


def test_numbers_are_in_their_ranges(agent: Agent) -> None:
    for unit in everything(agent.store).values():
        assert unit.value >= 0
        assert 1e-3 - 1e-9 <= unit.perishability.pi <= 1
        assert 60 <= unit.perishability.tau <= 365 * 86400


def test_the_log_folds_to_the_state_bit_for_bit(agent: Agent, tmp_path: Path) -> None:
    store = agent.store
    assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
    report = store.verify()
    assert report.ok, report
    wanted = everything(store)
    with scrubjay.open(store._engine.log.path, embedder=WordHash(), clock=agent.clock, read_only=True) as again:
        assert everything(again) == wanted
        assert again._engine.columns.digest() == store._engine.columns.digest()


def test_compaction_and_peers_at_the_end(agent: Agent, tmp_path: Path) -> None:
    store = agent.store
    wanted = everything(store)
    assert store.export_peer(tmp_path / "peer.json", namespace=WORK, texts=True) > 0
    store.compact()
    assert everything(store) == wanted
    assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
    assert store.verify().ok
    with scrubjay.open(":memory:", embedder=WordHash(), clock=agent.clock) as other:
        other.merge_peer(tmp_path / "peer.json", 0.5, add=True)
        assert len(other) > 0
        assert rebuild(other._engine.log).digest() == other._engine.columns.digest()
    without = store.replay(without="agent")
    assert {u.id for u in without.list(namespace=WORK, limit=100_000, archived=True)} == {
        id for id, namespace in agent.books.living.items() if namespace == WORK
    }
    without.close()
