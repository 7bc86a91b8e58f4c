"""Variety where it is asked for: no correction lost to its original, no source that fills the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import scrubjay
from scrubjay import MemoryStore, NewMemory, errors
from scrubjay.recall.diversity import Diversity
from toys import Clock, WordHash


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(1.7e9)) as opened:
        yield opened


def texts(hits: scrubjay.Hits) -> list[str]:
    return [hit.memory.text for hit in hits]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The deploy is allowed", "The deploy is not allowed"),
        ("The deploy is allowed", "The deploy isn't allowed"),
        ("The plan costs 20 dollars", "The plan costs 25 dollars"),
        ("The plan costs 2.0 dollars", "The plan costs 20 dollars"),
        ("The review is in room B12", "The review is in room C4"),
        ("Ann pays Bob", "Bob pays Ann"),
        ("The flight is to Oslo", "The flight is from Oslo"),
        ("The shop is open", "The shop was open"),
        ("The shop is open", "Is the shop open?"),
        ("I love tea", "I hate tea"),
        ("balance is +5", "balance is -5"),
        ("balance is 5", "balance is -5"),
        ("x > 3", "x < 3"),
        ("会议在三号楼", "会议在四号楼"),
    ],
)
def test_a_correction_is_never_collapsed(store: MemoryStore, old: str, new: str) -> None:
    store.add_many([old, new])
    assert set(texts(store.search(old, diversity=Diversity(collapse=True)))) == {old, new}


@pytest.mark.parametrize(
    "again", ["the deploy is ALLOWED!", "Also, the deploy is really allowed.", "The  deploy is - allowed"]
)
def test_the_same_words_are_one_hit(store: MemoryStore, again: str) -> None:
    store.add_many(["The deploy is allowed.", again, "Something else"])
    hits = store.search("deploy allowed", diversity=Diversity(collapse=True))
    assert len(hits) == 2
    assert len(store.search("deploy allowed")) == 3


def test_a_flood_from_one_source_displaces_nobody(store: MemoryStore) -> None:
    store.add_many([NewMemory(text=f"secret code word {i}", metadata={"source": "forum"}) for i in range(300)])
    store.add("the code is in the vault", metadata={"source": "handbook"})
    store.add("a code review is due")
    hits = store.search("secret code word", k=5, diversity=Diversity(per_source=2))
    sources = [hit.memory.metadata.get("source") for hit in hits]
    assert sources.count("forum") == 2
    assert "handbook" in sources
    assert None in sources
    assert len(store.search("secret code word", k=5, diversity=Diversity(per_source=9))) == 5


def test_mmr_prefers_what_is_new(store: MemoryStore) -> None:
    store.add_many(["red fox den one", "red fox den two", "red fox den three", "red river"])
    plain = store.search("red fox den", k=2)
    varied = store.search("red fox den", k=2, diversity=Diversity(mmr=0.7))
    assert texts(varied)[0] == texts(plain)[0]
    assert texts(varied)[1] == "red river"


def test_without_a_wish_nothing_changes(store: MemoryStore) -> None:
    store.add_many([f"note {i} on foxes" for i in range(40)])
    assert store.search("foxes note 3", diversity=Diversity()) == store.search("foxes note 3")


@pytest.mark.parametrize(
    "bad", [{"mmr": 1.0}, {"mmr": -0.1}, {"mmr": float("nan")}, {"mmr": "x"}, {"per_source": 0}, {"collapse": 1}]
)
def test_bad_wishes_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises((errors.ArgumentError, errors.ArgumentTypeError)):
        Diversity(**bad)


def test_a_wish_of_another_type_is_refused(store: MemoryStore) -> None:
    with pytest.raises(errors.ArgumentTypeError, match="diversity"):
        store.search("x", diversity={"mmr": 0.5})  # type: ignore[arg-type]
