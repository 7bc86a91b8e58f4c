"""Sources in quarantine: their memories are kept, and neither answer nor move anything until somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.toys import Clock, WordHash

import scrubjay
from scrubjay import MemoryStore, Subtree, errors

DAY = 86400.0


def opened(path: Path | str, **given: object) -> MemoryStore:
    return scrubjay.open(path, embedder=WordHash(32), clock=Clock(1.7e9), **given)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with opened(tmp_path / "s") as made:
        yield made


def fill(store: MemoryStore) -> None:
    store.add_many(
        [
            {"text": "the review is in room B12", "when": 1.7e9 - 9 * DAY, "metadata": {"source": "calendar"}},
            {"text": "the review is in room X9", "when": 1.7e9 - DAY, "metadata": {"source": "web"}},
            {"text": "the lunch is in room C4", "when": 1.7e9 - DAY},
            {"text": "the review is in room Y8", "when": 1.7e9 - DAY, "namespace": "u", "metadata": {"source": "web"}},
        ]
    )


def texts(store: MemoryStore, query: str = "where is the review", **asked: object) -> list[str]:
    return [hit.memory.text for hit in store.search(query, **asked)]  # type: ignore[arg-type]


def test_they_answer_only_who_asks(store: MemoryStore) -> None:
    fill(store)
    before = texts(store)
    assert "the review is in room X9" in before
    assert store.quarantine("web") == ["web"]
    assert sorted(texts(store)) == ["the lunch is in room C4", "the review is in room B12"]
    assert texts(store, namespace="u") == []
    assert "X9" not in str(texts(store, namespace=Subtree(())))
    for asked in ({"source": "web"}, {"source": {"$exists": True}}, {"$or": [{"source": "web"}, {"source": "x"}]}):
        assert "the review is in room X9" in texts(store, filter=asked)
    assert "the review is in room X9" not in texts(store, filter={"$when": {"$gte": 0}})
    hits = store.search("where is the review")
    assert [note for note in hits.notes if "quarantine" in note] == [
        "1 memories of sources in quarantine were left out; a filter that names `source` asks for them"
    ]
    assert store.stats().quarantined == ("web",)
    assert "the review is in room X9" in [unit.text for unit in store.list()]
    assert store.release("web") == []
    assert texts(store) == before
    assert not [note for note in store.search("where is the review").notes if "quarantine" in note]


def test_they_take_nobodys_place(store: MemoryStore) -> None:
    fill(store)
    store.quarantine(["web"])
    (first, *_) = store.search("where is the review")
    assert first.memory.text == "the review is in room B12"
    assert first.superseded == 0.0
    done = store.integrate("the review is in room Z1", metadata={"source": "web"})
    assert (done.superseded, done.affected) == ([], [])
    assert done.memory is not None
    assert store.stats().superseded == 0
    assert "the review is in room Z1" not in texts(store)
    assert store.integrate("the review is in room A1", metadata={"source": "calendar"}).affected


def test_nothing_that_was_prepared_or_summed_up_has_them(store: MemoryStore) -> None:
    fill(store)
    ready = store.prepare("the review", theta=0.0)
    assert "the review is in room X9" in ready.content.texts
    store.quarantine("web")
    assert "the review is in room X9" not in texts(store, buffer=ready)
    assert "the review is in room X9" not in store.prepare("the review", theta=0.0).content.texts
    told: list[str] = []
    store.condense(summarise=lambda some: told.extend(some) or " / ".join(some))
    assert not [text for text in told if "X9" in text]
    assert "X9" not in str([hit.memory.text for hit in store.descend("where is the review").hits])


def test_every_process_and_every_opening_has_it(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store, opened(tmp_path / "s") as other:
        fill(store)
        store.quarantine("web")
        assert "the review is in room X9" not in texts(other)
        # neither takes back what the other has set
        other.configure(wanted=0.8)
        other.quarantine("mail")
        assert store.stats().quarantined == ("mail", "web")
        assert store.release("mail") == ["web"]
        assert store.rebuild().same
        assert store.verify().ok
    for _ in range(2):
        with opened(tmp_path / "s", read_only=True) as again:
            assert again.stats().quarantined == ("web",)
            assert again._engine.columns.settings.wanted == 0.8
            assert "the review is in room X9" not in texts(again)


def test_the_past_is_as_it_was(store: MemoryStore) -> None:
    clock = Clock(1.7e9)
    with scrubjay.open(":memory:", embedder=WordHash(32), clock=clock) as store:
        fill(store)
        clock.now += DAY
        store.quarantine("web")
        assert "the review is in room X9" in texts(store, as_of=1.7e9 + 1.0)
        assert "the review is in room X9" not in texts(store)


def test_what_is_no_source_is_refused(store: MemoryStore) -> None:
    events = store.stats().events
    for wrong in ("", " ", "x" * 257, ["web", ""], ["a"] * 257, "\ud800"):
        with pytest.raises(errors.ArgumentError, match="sources"):
            store.quarantine(wrong)
    for wrong in (5, None, b"web", [b"web"], {"web": 1}):
        with pytest.raises(errors.ArgumentTypeError, match="sources"):
            store.quarantine(wrong)  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="not in quarantine"):
        store.release("web")
    with pytest.raises(errors.ArgumentError, match="no such parameter"):
        store.configure(quarantined=("web",))
    assert store.quarantine([]) == []
    with pytest.raises(errors.ScopeError, match="setting"):
        store.bound("u").quarantine("web")
    assert store.stats().events == events
    store.quarantine([f"s{i}" for i in range(256)])
    with pytest.raises(errors.ArgumentError, match="257 would be"):
        store.quarantine("one more")
    assert texts(store) == []


def test_another_tenant_does_not_learn_their_names(store: MemoryStore) -> None:
    fill(store)
    store.quarantine("web")
    assert store.bound("u").stats().quarantined == ()
    assert not store.bound("u").search("where is the review")
