"""What the facade refuses, and what it takes though it looks odd: arguments, ids, embedders, closed stores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from toys import Clock, WordHash


@pytest.mark.parametrize(
    "query", ["成语", "しりとり", "설비", "multi-agent", "GB/s", "don't", "'", '"', "*", "", " ", "\u200b"]
)
def test_bug_12_any_query_gives_hits_or_nothing(store: MemoryStore, query: str) -> None:
    assert len(store.search(query)) == 0
    store.add("成语 しりとり multi-agent GB/s don't")
    (hit,) = store.search(query)
    assert np.isfinite(hit.score)


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t", "\u200b", "a\0b", "\ud800", 7, None, b"x", "x" * (8 * 1024 * 1024 + 1)]
)
def test_bug_13_unusable_texts_are_refused_before_anything_is_written(store: MemoryStore, text: object) -> None:
    with pytest.raises(errors.ArgumentError, match=r"items\[1\]\.text"):
        store.add_many(["fine", {"text": text}])
    assert len(store) == 0


@pytest.mark.parametrize("answer", [[], [[np.nan] * 4], [[np.inf] * 4], [[0.0] * 4], [[1.0] * 3], [["a"] * 4], None])
def test_bug_13_and_26_unusable_embeddings_are_refused(answer: object) -> None:
    class Broken:
        name, dim = "broken", 4

        def embed(self, texts: object) -> object:
            return answer

    with (
        scrubjay.open(":memory:", embedder=Broken()) as store,  # type: ignore[arg-type]
        pytest.raises((errors.EmbeddingError, errors.DimensionError)),
    ):
        store.add("x")
    assert store.closed


def test_bug_13_a_query_without_direction_gets_finite_scores(clock: Clock) -> None:
    class Zero(WordHash):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            rows = super().embed(texts)
            return np.where(np.array([t == "nothing" for t in texts])[:, None], np.float32(0), rows)

    with scrubjay.open(":memory:", embedder=Zero(), clock=clock) as store:
        store.add("something")
        assert all(np.isfinite(hit.score) for hit in store.search("nothing"))


@pytest.mark.parametrize("k", [0, -1, 2**40 + 1, 1.5, "3", True, None])
def test_bug_16_a_bad_k_is_refused(store: MemoryStore, k: object) -> None:
    store.add("x")
    with pytest.raises(errors.ArgumentError, match="k"):
        store.search("x", k=k)  # type: ignore[arg-type]


def test_bug_16_a_large_k_gives_what_there_is(store: MemoryStore) -> None:
    assert [len(hits) for hits in store.search_many(["a", "b", "c"], k=10)] == [0, 0, 0]
    store.add_many([f"m {i}" for i in range(5)])
    for hits in store.search_many(["a", "b", "c"], k=2**40):
        assert sorted(hit.memory.text for hit in hits) == [f"m {i}" for i in range(5)]


def test_bug_17_unknown_and_deleted_ids_are_key_errors(store: MemoryStore) -> None:
    unit = store.add("x")
    assert store.delete(unit.id) == 1
    for id in (unit.id, "0190a3f0-0000-7000-8000-000000000000", "12", "", "x\0"):
        with pytest.raises(KeyError):
            store.get(id)
        with pytest.raises(errors.MemoryNotFoundError):
            store.update(id, text="y")
    assert [entry.event for entry in store.history(unit.id)] == ["learned", "forgotten"]


def test_use_after_close_is_a_named_error(store: MemoryStore) -> None:
    unit = store.add("x")
    store.close()
    store.close()
    for call in (
        lambda: store.add("y"),
        lambda: store.search("x"),
        lambda: store.get(unit.id),
        lambda: store.list(),
        lambda: store.delete(unit.id),
        lambda: store.history(unit.id),
        lambda: store.stats(),
        lambda: store.verify(),
        lambda: len(store),
    ):
        with pytest.raises(errors.StoreClosedError):
            call()


def test_bug_28_a_store_is_not_pickled(store: MemoryStore) -> None:
    import pickle

    with pytest.raises(TypeError, match="open the store again"):
        pickle.dumps(store)


def test_bug_07_another_embedder_is_refused_before_a_write(tmp_path: Path) -> None:
    with scrubjay.open(tmp_path, embedder=WordHash(64)) as store:
        store.add("x")
    with pytest.raises((errors.DimensionError, errors.EmbedderMismatchError)):
        scrubjay.open(tmp_path, embedder=WordHash(32))
    with pytest.raises(errors.EmbedderMismatchError, match="word-hash-2"):
        scrubjay.open(tmp_path, embedder=WordHash(64, name="word-hash-2"))
    with scrubjay.open(tmp_path, embedder=WordHash(64)) as store:
        assert [hit.memory.text for hit in store.search("x")] == ["x"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("metadata", {"a": float("nan")}),
        ("metadata", {1: 2}),
        ("metadata", [1]),
        ("metadata", {"a": object()}),
        ("metadata", {"a": b"bytes"}),
        ("metadata", {"a": 2**70}),
        ("namespace", ("",)),
        ("namespace", 3),
        ("namespace", ("a",) * 17),
        ("context", ""),
        ("context", 5),
        ("when", "yesterday"),
        ("when", float("nan")),
        ("when", True),
        ("value", -1.0),
        ("value", float("inf")),
        ("value", "1"),
        ("pinned", 1),
        ("sensitive", "secret"),
        ("layer", 9),
        ("key", 5),
        ("key", ""),
        ("perishability", {"pi": 2}),
        ("colour", "red"),
    ],
)
def test_bad_arguments_name_themselves_and_write_nothing(store: MemoryStore, field: str, value: object) -> None:
    with pytest.raises(errors.ArgumentError, match=field):
        store.add_many(["fine", {"text": "x", field: value}])
    assert len(store) == 0
    assert store.stats().events == 0
