"""Tiers: summaries and abstracts are a way to raw memories, and never in their way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, Tier, errors
from scrubjay.upkeep.tiers import clusters, extract
from scrubjay.verbs import tiers
from toys import Clock, WordHash

TOPICS = ("deploy vpn token", "lunch noon soup", "garden rose water")
NOW = 1.7e9


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def store(clock: Clock) -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(128), clock=clock) as opened:
        yield opened


def fill(store: MemoryStore, each: int = 4, namespace: str = "n") -> dict[str, list[str]]:
    """Ids by topic."""
    return {
        topic: [store.add(f"{topic} {'abcdefgh'[i]}", namespace=namespace).id for i in range(each)] for topic in TOPICS
    }


def test_each_topic_has_its_summary_and_raw_memories_stay_as_they_were(store: MemoryStore) -> None:
    ids = fill(store)
    before, hits = store.list(namespace="n"), store.search("deploy vpn", namespace="n", k=20)
    done = store.condense(namespace="n")
    assert sorted(sorted(s.metadata["members"]) for s in done.summaries) == sorted(
        sorted(some) for some in ids.values()
    )
    assert all(s.tier is Tier.SUMMARY and s.metadata["by"] == "extractive-1" for s in done.summaries)
    for summary in done.summaries:
        texts = [store.get(id).text for id in summary.metadata["members"]]
        assert any(text in summary.text for text in texts)
    assert store.list(namespace="n") == before
    assert store.search("deploy vpn", namespace="n", k=20) == hits
    assert store.rebuild().same
    assert store.verify().ok


def test_descending_finds_what_lies_below(store: MemoryStore) -> None:
    ids = fill(store)
    store.condense(namespace="n")
    found = store.descend("lunch soup", namespace="n", width=1, k=20)
    assert {h.memory.id for h in found.hits} == set(ids[TOPICS[1]])
    assert len(found.summaries) == 1
    assert not found.hits.exact
    assert any("4 memories below 1 summaries" in note for note in found.hits.notes)
    wide = store.descend("lunch soup", namespace="n", width=10, k=20)
    assert len(wide.hits) == 12
    assert [h.memory.id for h in wide.hits][:4] == [h.memory.id for h in found.hits][:4]


def test_an_abstract_stands_above_kindred_summaries(clock: Clock) -> None:
    kinds = ("one two six ten", "tea cup pot jug", "red hue ink dye")
    with scrubjay.open(":memory:", embedder=WordHash(1024), clock=clock) as store:
        store.add_many([f"shared words here {kind} {letter}" for kind in kinds for letter in "abc"])
        done = store.condense()
        assert len(done.summaries) == 3
        (abstract,) = done.abstracts
        assert abstract.tier is Tier.ABSTRACT
        assert len(abstract.metadata["members"]) == 9
        found = store.descend("shared words tea cup", width=1)
        assert [unit.id for unit, _ in found.abstracts] == [abstract.id]
        assert found.hits.plan.startswith("abstract>summary>")
        assert [h.memory.text[:25] for h in found.hits] == ["shared words here tea cup"] * 3
        again = store.condense()
        assert (again.fresh, again.removed, again.abstracts) == (0, 0, done.abstracts)
        store.delete(found.hits[0].memory.id)
        assert store.descend("tea", start="abstract").abstracts == []
        assert len(store.condense().abstracts) == 1
        assert store.rebuild().same


def test_condensing_again_keeps_what_has_not_changed(store: MemoryStore, clock: Clock) -> None:
    fill(store)
    first = store.condense(namespace="n")
    events = store.stats().events
    again = store.condense(namespace="n")
    assert (again.fresh, again.removed) == (0, 0)
    assert again.summaries == first.summaries
    assert store.stats().events == events
    store.add(f"{TOPICS[0]} z", namespace="n")
    third = store.condense(namespace="n")
    assert (third.fresh, third.removed) == (1, 1)
    assert {s.id for s in third.summaries} & {s.id for s in first.summaries}
    assert store.rebuild().same


def test_a_deleted_or_changed_text_is_in_no_tier(store: MemoryStore) -> None:
    ids = fill(store)
    store.condense(namespace="n")
    assert store.delete(ids[TOPICS[0]][0]) == 1
    store.update(ids[TOPICS[1]][0], text="lunch noon soup is over")
    left = store.descend("deploy lunch garden", namespace="n", width=10)
    assert [len(u.metadata["members"]) for u, _ in left.summaries] == [4]
    assert TOPICS[2].split()[0] in left.summaries[0][0].text
    assert store.rebuild().same
    assert store.delete_all("n", purge=False) == 11
    assert not store._engine.columns.live_count
    assert store.condense(namespace="n").summaries == []


def test_a_text_that_is_deleted_meanwhile_asks_to_condense_again(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(store)
    gone, texts = next(iter(ids.values()))[0], tiers._texts

    def meanwhile(*args: Any) -> Any:
        store.delete(gone)
        return texts(*args)

    with monkeypatch.context() as patched:
        patched.setattr(tiers, "_texts", meanwhile)
        with pytest.raises(errors.StoreLockedError, match="again"):
            store.condense(namespace="n")
    assert store.condense(namespace="n").fresh > 0


def test_a_function_writes_and_the_rule_stands_in_for_it(store: MemoryStore) -> None:
    fill(store)
    asked: list[list[str]] = []

    def model(texts: list[str]) -> str:
        asked.append(texts)
        if "lunch" in texts[0]:
            raise errors.ModelReplyError("no reply")
        return "" if "garden" in texts[0] else f"about {texts[0].split()[0]}"

    done = store.condense(namespace="n", summarise=model)
    assert len(asked) == 3
    assert done.degraded == 2
    by = {s.metadata["by"]: s for s in done.summaries}
    assert by["given"].text == "about deploy"
    assert by["extractive-1"].metadata["degraded"] is True


def test_tiers_survive_opening_again_and_replay(tmp_path: Path, clock: Clock) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(128), clock=clock) as store:
        fill(store)
        wanted = store.condense(namespace="n")
        found = store.descend("garden", namespace="n")
        assert store.replay().descend("garden", namespace="n").hits == found.hits
    with scrubjay.open(tmp_path / "s", embedder=WordHash(128), clock=clock) as store:
        assert store.condense(namespace="n").summaries == wanted.summaries
        assert store.verify().ok


def test_without_tiers_a_descent_is_a_search(store: MemoryStore) -> None:
    store.add("one lonely thing")
    assert store.condense().summaries == []
    found = store.descend("lonely")
    assert found.hits.exact
    assert [h.memory.text for h in found.hits] == ["one lonely thing"]
    assert len(store.descend("x", namespace="nobody").hits) == 0
    for bad in ({"start": "raw"}, {"k": 0}, {"width": 0}):
        with pytest.raises(errors.ArgumentError):
            store.descend("x", **bad)  # type: ignore[arg-type]


def test_clusters_and_extracts() -> None:
    a, b, w = np.array([0, 1, 3]), np.array([1, 2, 4]), np.array([0.9, 0.8, 0.7])
    assert clusters(6, a, b, w) == [[0, 1, 2], [3, 4]]
    assert clusters(6, a, b, w, largest=2) == [[0, 1], [3, 4]]
    assert clusters(3, a[:0], b[:0], w[:0]) == []
    axes = np.eye(3, dtype=np.float32)
    assert extract(["a", "b", "c"], axes, most=2) == "a b"
