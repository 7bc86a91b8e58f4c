"""Peers: evidence that stores share adds up in any order, once, and within its cap."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import MemoryStore, errors
from toys import Clock, WordHash

DAY = 86400.0
NOW = 1.7e9
TEXTS = [f"fact {i}" for i in range(6)]


def opened(clock: Clock | None = None) -> MemoryStore:
    return scrubjay.open(":memory:", embedder=WordHash(16), clock=clock or Clock(NOW))


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with opened() as one:
        yield one


def lived(folder: Path, seed: int, steps: int = 3) -> list[Path]:
    """Files that a peer wrote in the course of its life, oldest first."""
    rng = np.random.default_rng(seed)
    clock = Clock(NOW)
    files = []
    with opened(clock) as peer:
        units = peer.add_many(TEXTS[: int(rng.integers(3, 7))])
        for step in range(steps):
            for unit in units:
                clock.now += DAY * float(rng.uniform())
                peer.outcome(unit, float(rng.uniform()), float(rng.choice([0.3, 1, 2])))
            files.append(folder / f"{seed}-{step}.json")
            peer.export_peer(files[-1])
    return files


def state(store: MemoryStore) -> list[tuple[Any, ...]]:
    store._engine.refresh()
    columns = store._engine.columns
    return [tuple(getattr(columns, name).tolist()) for name in ("key", "a", "b", "stability", "difficulty", "reviewed")]


def test_merging_in_any_order_and_again_gives_the_same_bits(tmp_path: Path) -> None:
    files = [file for seed in range(2) for file in lived(tmp_path, seed, 2)]
    ends = set()
    for order in itertools.permutations(range(4)):
        with opened() as store:
            units = store.add_many(TEXTS)
            store.outcome(units[:2], 1.0)
            for i in order:
                store.merge_peer(files[i], trust=[0.5, 0.5, 0.8, 0.8][i])
                again = store.merge_peer(files[i], trust=0.3)
                assert again.merged == 0
                assert again.known > 0
            ends.add(str(state(store)))
            assert store.verify().ok
    assert len(ends) == 1


def test_what_is_merged_is_the_peers_evidence_times_trust(tmp_path: Path, store: MemoryStore) -> None:
    with opened() as peer:
        unit = peer.add(TEXTS[0])
        peer.outcome(unit, 0.75, 8.0)
        peer.export_peer(tmp_path / "p.json")
        known = peer.get(unit.id)
    mine = store.add(TEXTS[0])
    store.add(TEXTS[1])
    done = store.merge_peer(tmp_path / "p.json", 0.5, peer="bob")
    assert (done.peer, done.merged, done.unknown, done.capped) == ("bob", 1, 0, 0)
    after = store.get(mine.id)
    assert after.usefulness == pytest.approx((0.5 + 3.0) / 5.0)
    assert after.stability == max(1.0, 0.5 * known.stability)
    assert after.importance == 0.5
    assert store.history(mine.id)[-1].event == "peer_merged"
    assert store.replay(without="bob").get(mine.id).usefulness == 0.5


def test_a_newer_view_takes_the_place_of_the_older(tmp_path: Path, store: MemoryStore) -> None:
    first, second = lived(tmp_path, 5, 2)
    unit = store.add(TEXTS[0])
    store.merge_peer(first, 1.0)
    store.merge_peer(second, 1.0)
    both = state(store)
    with opened() as other:
        other.add(TEXTS[0])
        other.merge_peer(second, 1.0)
        assert state(other)[1:3] == both[1:3]
    assert unit.id


def test_a_higher_trust_counts_the_rest_in_any_order(tmp_path: Path) -> None:
    first, second = lived(tmp_path, 5, 2)
    ends = set()
    calls = [(first, 0.0), (first, 1.0), (second, 0.25), (second, 0.75)]
    for order in itertools.permutations(calls):
        with opened() as store:
            store.add_many(TEXTS)
            for file, trust in order:
                store.merge_peer(file, trust)
            assert store.merge_peer(second, 0.5).merged == 0
            ends.add(str(state(store)))
            assert store.verify().ok
    assert len(ends) == 1
    with opened() as store:
        store.add_many(TEXTS)
        store.merge_peer(second, 0.75)
        assert str(state(store)[1:3])[1:-1] in ends.pop()


def test_what_is_passed_on_is_ones_own_also_where_evidence_is_forgotten(tmp_path: Path) -> None:
    with opened() as peer:
        peer.outcome(peer.add(TEXTS[0]), 1.0, 4.0)
        peer.export_peer(tmp_path / "p.json")
    for merged in (False, True):
        with opened() as store:
            store.configure(keep=0.5)
            unit = store.add(TEXTS[0])
            store.outcome(unit, 1.0, 3.0)
            if merged:
                store.merge_peer(tmp_path / "p.json", 1.0)
            for _ in range(3):
                store.outcome(unit, 1.0)
            for _ in range(2):
                store.export_peer(tmp_path / "own.json")
                (told,) = json.loads((tmp_path / "own.json").read_text())["memories"]
                assert (told["good"], told["bad"]) == (0.125 * 3 + 1.75, 0.0)
                store.compact()


def test_evidence_does_not_come_back_to_who_gave_it(tmp_path: Path) -> None:
    with opened() as one, opened() as two:
        for store in (one, two):
            store.add(TEXTS[0])
        one.outcome(one.list()[0], 1.0, 5.0)
        one.export_peer(tmp_path / "one.json")
        two.merge_peer(tmp_path / "one.json", 1.0)
        before = state(one)
        two.export_peer(tmp_path / "two.json")
        one.merge_peer(tmp_path / "two.json", 1.0)
        assert state(one)[1:3] == before[1:3]
        for _ in range(5):
            two.merge_peer(tmp_path / "one.json", 1.0)
        with pytest.raises(errors.ArgumentError, match="this store wrote it"):
            one.merge_peer(tmp_path / "one.json", 1.0)


def test_defect_incoherent_merge_two_opinions_become_their_sum(tmp_path: Path, store: MemoryStore) -> None:
    """Survey 1.1: a peer's opinion could not be merged. The sum of two opinions is what one who saw both would hold."""
    unit = store.add(TEXTS[0])
    store.outcome(unit, 1.0, 3.0)
    with opened() as peer:
        peer.outcome(peer.add(TEXTS[0]), 0.0, 9.0)
        peer.export_peer(tmp_path / "p.json")
    store.merge_peer(tmp_path / "p.json", 1.0)
    with opened() as both:
        same = both.add(TEXTS[0])
        both.outcome(same, 1.0, 3.0)
        both.outcome(same, 0.0, 9.0)
        assert store.get(unit.id).usefulness == both.get(same.id).usefulness
        assert store.get(unit.id).uncertainty == both.get(same.id).uncertainty


amounts = st.floats(0, 1.7e308)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(good=amounts, bad=amounts, stability=amounts, trust=st.floats(0, 1), upto=st.integers(0, 2**63 - 1))
def test_a_hostile_file_moves_no_memory_beyond_its_cap(
    tmp_path: Path, good: float, bad: float, stability: float, trust: float, upto: int
) -> None:
    with opened() as store:
        unit = store.add(TEXTS[0])
        other = store.add(TEXTS[0], namespace="other")
        with opened() as peer:
            peer.add(TEXTS[0])
            peer.export_peer(tmp_path / "p.json")
        file = json.loads((tmp_path / "p.json").read_text())
        file["memories"][0] |= {"good": good, "bad": bad, "stability": stability}
        for step in range(3):
            file["upto"] = max(0, upto - step)
            (tmp_path / "p.json").write_text(json.dumps(file))
            store.merge_peer(tmp_path / "p.json", trust)
        columns = store._engine.columns
        assert columns.a[0] + columns.b[0] <= 1.0 + 100.0 * (1 + 1e-6)
        assert columns.a[0] >= 0.5
        assert columns.b[0] >= 0.5
        assert 1.0 <= columns.stability[0] <= 36500.0
        assert store.get(other.id, namespace="other").usefulness == 0.5
        assert store.get(unit.id).difficulty == 5.0
        assert store.verify().ok


def damaged(file: dict[str, Any]) -> Iterator[bytes]:
    memory = file["memories"][0]
    for changes in (
        {"format": "scrubjay-peer-2"},
        {"peer": ""},
        {"peer": "x" * 300},
        {"peer": "a\0b"},
        {"upto": -1},
        {"upto": 2**64},
        {"upto": True},
        {"memories": [memory, memory]},
        {"memories": [memory | {"good": -1}]},
        {"memories": [memory | {"good": "1"}]},
        {"memories": [memory | {"good": True}]},
        {"memories": [memory | {"stability": None}]},
        {"memories": [memory | {"digest": "zz"}]},
        {"memories": [memory | {"namespace": ["other"]}]},
        {"memories": {}},
        {"extra": 1},
    ):
        yield json.dumps(file | changes).encode()
    text = json.dumps(file)
    yield text.replace('"good": ', '"good": 1e999, "x": ').encode()
    yield text.replace('"good": ', '"good": NaN, "x": ').encode()
    yield b""
    yield b"\xff\xfe"
    yield b"[" * 100_000
    yield text[:-10].encode()


def test_what_is_no_peers_file_is_refused_and_nothing_written(tmp_path: Path, store: MemoryStore) -> None:
    store.add(TEXTS[0])
    with opened() as peer:
        peer.add(TEXTS[0])
        peer.export_peer(tmp_path / "p.json")
    events = store.stats().events
    for data in damaged(json.loads((tmp_path / "p.json").read_text())):
        (tmp_path / "bad.json").write_bytes(data)
        with pytest.raises(errors.ArgumentError, match=r"file|peer"):
            store.merge_peer(tmp_path / "bad.json", 1.0)
    for trust in (-0.1, 1.1, float("nan"), "1", None, True):
        with pytest.raises(errors.ArgumentError, match="trust"):
            store.merge_peer(tmp_path / "p.json", trust)  # type: ignore[arg-type]
    with pytest.raises(errors.FileError, match="nowhere"):
        store.merge_peer(tmp_path / "nowhere.json", 1.0)
    assert store.stats().events == events


def test_unknown_memories_are_added_where_that_is_asked_for(tmp_path: Path, store: MemoryStore) -> None:
    with opened() as peer:
        units = peer.add_many(["known to both", "only theirs"])
        peer.add("keyed text", key="k1")
        peer.outcome(units[1], 1.0, 4.0)
        peer.export_peer(tmp_path / "bare.json")
        peer.export_peer(tmp_path / "full.json", texts=True)
    store.add("known to both")
    assert store.merge_peer(tmp_path / "bare.json", 1.0, add=True).unknown == 2
    assert "only theirs" not in (tmp_path / "bare.json").read_text()
    with opened() as other:
        done = other.merge_peer(tmp_path / "full.json", 0.5, namespace="n", peer="bob", add=True)
        assert (done.added, done.merged, done.unknown) == (3, 3, 0)
        by_text = {unit.text: unit for unit in other.list(namespace="n")}
        assert by_text["only theirs"].usefulness == pytest.approx(2.5 / 3)
        assert by_text["only theirs"].metadata == {"peer": "bob"}
        assert other.add("keyed text", namespace="n").evidence == 2
        assert other.merge_peer(tmp_path / "full.json", 0.5, namespace="n", peer="bob", add=True).known == 3


def test_a_forged_digest_stands_in_no_texts_way(tmp_path: Path, store: MemoryStore) -> None:
    with opened() as peer:
        peer.add_many(["Maya is allergic to peanuts.", "Maya is from Oslo."])
        peer.export_peer(tmp_path / "p.json", texts=True)
        peer.add("anything", key="k1")
        peer.export_peer(tmp_path / "keyed.json", texts=True)
    for name, forged in (("p.json", 0), ("keyed.json", 2)):
        file = json.loads((tmp_path / name).read_text())
        for memory in file["memories"]:
            memory |= {"when": 4e9, "good": 8.0}
        file["memories"][forged]["text"] = "Maya loves peanuts."
        (tmp_path / name).write_text(json.dumps(file))
    assert store.merge_peer(tmp_path / "p.json", 0.0, add=True).added == 0
    assert store.list() == []
    assert store.merge_peer(tmp_path / "p.json", 0.1, add=True).added == 2
    assert [unit.when for unit in store.list()] == [NOW, NOW]
    real = store.add("Maya is allergic to peanuts.")
    assert (real.text, real.evidence) == ("Maya is allergic to peanuts.", 1)
    assert store.merge_peer(tmp_path / "keyed.json", 0.1, add=True).added == 0
    assert store.add("Maya takes pills.", key="k1").text == "Maya takes pills."
    assert store.verify().ok


def test_a_text_that_a_file_holds_twice_is_added_and_counted_once(tmp_path: Path, store: MemoryStore) -> None:
    with opened() as peer:
        peer.outcome(peer.add("the same"), 1.0, 4.0)
        peer.outcome(peer.add("the same", key="k1"), 1.0, 6.0)
        peer.export_peer(tmp_path / "p.json", texts=True)
    done = store.merge_peer(tmp_path / "p.json", 1.0, add=True)
    assert (done.added, done.merged, done.unknown) == (1, 1, 1)
    assert [(unit.text, unit.evidence, unit.usefulness) for unit in store.list()] == [("the same", 1, 0.9)]


def test_compaction_on_either_side_counts_nothing_twice(tmp_path: Path, store: MemoryStore) -> None:
    clock = Clock(NOW)
    unit = store.add(TEXTS[0])
    with opened(clock) as peer:
        theirs = peer.add(TEXTS[0])
        for i in range(20):
            clock.now += DAY
            peer.outcome(theirs, i / 19)
        peer.export_peer(tmp_path / "a.json")
        store.merge_peer(tmp_path / "a.json", 1.0)
        for i in range(20):
            clock.now += DAY
            peer.outcome(theirs, i / 19)
        assert peer.compact().gathered == 40
        peer.export_peer(tmp_path / "b.json")
    store.outcome(unit, 0.5)
    store.outcome(unit, 0.5)
    store.merge_peer(tmp_path / "b.json", 1.0)
    store.compact()
    assert store._engine.columns.a[0] + store._engine.columns.b[0] == pytest.approx(1 + 40 + 2, abs=1e-4)
    assert store.verify().ok
