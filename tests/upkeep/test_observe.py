"""Implicit usefulness: what an answer used is credited, what it did not use is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.upkeep.observe import content, credit, pieces
from toys import Clock, WordHash


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(256), clock=Clock()) as opened:
        yield opened


def test_only_what_was_used_is_reinforced(store: MemoryStore) -> None:
    used, idle, other = store.add_many(
        ["The deploy needs the VPN switched on.", "Lunch is at noon on Fridays.", "The deploy is done by Ada."]
    )
    hits = store.search("how do I deploy", k=3)
    told = store.observe("You need the VPN: it must be switched on before the deploy.", hits)
    assert [c.id for c in told] == [used.id]
    assert 2 / 3 <= told[0].signal <= 1
    assert store.get(used.id).usefulness > 0.5
    for unit in (idle, other):
        assert store.get(unit.id) == unit
    entry = store.history(used.id)[-1]
    assert (entry.event, entry.changes["source"], entry.changes["weight"]) == ("outcome", "observed", 0.25)


def test_a_paraphrase_is_found_by_its_vector(store: MemoryStore) -> None:
    unit = store.add("alpha beta gamma delta epsilon zeta eta theta")
    store.add("one two three")
    hits = store.search("alpha", k=2)
    said = "alpha beta gamma delta epsilon zeta extra words"
    assert [c.id for c in store.observe(said, hits, lexical=1.0)] == [unit.id]
    assert store.observe(said, hits, lexical=1.0, semantic=1.0) == []


def test_nothing_said_credits_nothing(store: MemoryStore) -> None:
    store.add("The deploy needs the VPN")
    hits = store.search("deploy")
    events = store.stats().events
    for answer in ("", " ", "...", "I do not know."):
        assert store.observe(answer, hits) == []
    assert store.observe("The deploy needs the VPN", []) == []
    assert store.stats().events == events


def test_common_words_are_no_use_and_rare_ones_weigh_more() -> None:
    told = credit(
        ["the plan is ready"],
        WordHash().embed(["x"]) * 0,
        ["the plan of the house", "the plan is ready"],
        WordHash().embed(["a", "b"]) * 0,
    )
    assert told[0].signal == 0.0
    assert told[1].overlap == 1.0
    assert content("The and of it") == set()


def test_sentences() -> None:
    assert pieces("One. Two! Three?\n\n- four; five") == ["One.", "Two!", "Three?", "- four", "five"]
    assert pieces("会議は四階です。次は五階。") == ["会議は四階です。", "次は五階。"]
    assert pieces("?!... --") == []


def test_other_scripts_are_compared_by_pairs(store: MemoryStore) -> None:
    unit = store.add("会議は四階です")
    hits = store.search("会議", k=1)
    assert [c.id for c in store.observe("はい、会議は四階ですよ。", hits)] == [unit.id]


def test_bad_arguments_write_nothing(store: MemoryStore) -> None:
    store.add("x y z")
    hits = store.search("x")
    events = store.stats().events
    for bad in ({"weight": 0.0}, {"lexical": 2.0}, {"semantic": -1.0}, {"source": 3}):
        with pytest.raises(errors.ArgumentError):
            store.observe("x y z", hits, **bad)  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentTypeError, match="hits"):
        store.observe("x", "x")  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="answer"):
        store.observe(None, hits)  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="sentences"):
        store.observe("a. " * 5000, hits)
    assert store.stats().events == events
