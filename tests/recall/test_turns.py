"""Turns of a conversation score with their neighbours, and come with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, NewMemory, errors
from toys import Clock, WordHash

NOW = 1.7e9
WEIGHTS = {"what": 1.0, "lexical": 0.5, "thread": 0.6}


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(128), clock=Clock(NOW)) as opened:
        yield opened


def turns(texts: list[str], thread: str | int = "t", namespace: str = "a") -> list[NewMemory]:
    return [NewMemory(text=text, namespace=namespace, metadata={"thread": thread}) for text in texts]


def test_an_answer_is_found_beside_its_question(store: MemoryStore) -> None:
    talk = ["good morning", "where did you leave the spare key", "below the blue pot", "thanks a lot", "bye now"]
    store.add_many(turns(talk))
    store.add_many([NewMemory(text=f"unrelated note number {i}", namespace="a") for i in range(40)])
    hits = store.search("the spare key", namespace="a", k=3, around=1)
    assert [hit.memory.text for hit in hits][:2] == [talk[1], talk[2]]
    assert [unit.text for unit in hits[0].around] == [talk[0], talk[2]]
    assert [unit.text for unit in hits[1].around] == [talk[1], talk[3]]
    assert "thread" in hits.plan


def test_the_term_is_the_share_of_the_better_neighbour(store: MemoryStore) -> None:
    talk = ["red fox", "blue den fox", "green hill", "fox red red"]
    store.add_many(turns(talk))
    by_text = {h.memory.text: h.factors for h in store.search("red fox", namespace="a", weights=WEIGHTS)}
    alike = [max(0.0, by_text[text]["what"] + by_text[text]["lexical"]) for text in talk]
    for i, text in enumerate(talk):
        beside = [alike[j] for j in (i - 1, i + 1) if 0 <= j < len(talk)]
        assert by_text[text]["thread"] == pytest.approx(0.6 * max(beside), abs=1e-12)


def test_threads_end_at_namespaces_deletions_and_other_threads(store: MemoryStore) -> None:
    a = store.add_many(turns(["one", "two", "three"]))
    store.add_many(turns(["vier"], namespace="b"))
    store.add_many(turns(["four"], thread=1))
    a += store.add_many(turns(["five"]))
    store.delete(a[2].id)

    def around(text: str, namespace: str = "a") -> list[str]:
        (hit,) = [h for h in store.search(text, namespace=namespace, around=5) if h.memory.text == text]
        return [unit.text for unit in hit.around]

    assert around("two") == ["one", "five"]
    assert around("five") == ["one", "two"]
    assert around("four") == []
    assert around("vier", "b") == []


def test_a_memory_without_a_thread_has_no_neighbours(store: MemoryStore) -> None:
    store.add_many(["one red fox", "two red foxes"])
    hits = store.search("red fox", around=3)
    assert [hit.around for hit in hits] == [(), ()]
    assert [hit.factors["thread"] for hit in hits] == [0.0, 0.0]
    assert "thread" not in hits.plan


@pytest.mark.parametrize("bad", [-1, 101, True, "1", None, 1.0])
def test_a_bad_reach_is_refused(store: MemoryStore, bad: object) -> None:
    with pytest.raises((errors.ArgumentError, errors.ArgumentTypeError), match="around"):
        store.search("x", around=bad)  # type: ignore[arg-type]


def test_the_list_is_the_one_of_a_full_scan(store: MemoryStore) -> None:
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(50)]
    for thread in range(12):
        store.add_many(
            turns([" ".join(rng.choice(words, size=6)) + f" id{thread} n{i}" for i in range(50)], thread=thread)
        )
    proved = 0
    for query in ("w1 w2", "w7 w8 w9", "id3 w1", "w5"):
        short = store.search(query, namespace="a", k=6, weights=WEIGHTS, scoring="paper")
        whole = store.search(query, namespace="a", k=600, weights=WEIGHTS, scoring="paper")
        assert len(whole) == 600
        if short.exact:
            proved += 1
            assert [h.score for h in short] == pytest.approx([h.score for h in whole[:6]], abs=1e-9)
    assert proved


def test_turns_are_the_same_after_reopening(tmp_path: Path) -> None:
    for _ in range(2):
        with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=Clock(NOW)) as store:
            if not len(store):
                store.add_many(turns(["one", "two", "three"]))
            assert [u.text for u in store.search("two", namespace="a", around=1)[0].around] == ["one", "three"]
            assert store.verify().ok
