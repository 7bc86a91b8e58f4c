"""Filters look before anything is ranked: k hits where k pass, as a plain-Python filter, safe for any input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Layer, MemoryStore, NewMemory, errors
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as opened:
        yield opened


def found(store: MemoryStore, given: Any, **options: Any) -> set[str]:
    return {hit.memory.text for hit in store.search("note", k=1000, filter=given, **options)}


@pytest.fixture
def notes(store: MemoryStore) -> MemoryStore:
    rows: list[tuple[str, dict[str, Any]]] = [
        ("note a", {"owner": "ada", "page": 1, "tags": ["x", "y"], "source": {"file": "r.md", "line": 7}}),
        ("note b", {"owner": "bo", "page": 2.5, "tags": [], "draft": True}),
        ("note c", {"owner": "ada", "page": "2", "draft": False}),
        ("note d", {"owner": None, "page": 10}),
        ("note e", {}),
    ]
    store.add_many(
        [
            NewMemory(text=text, metadata=metadata, when=NOW - i * DAY, pinned=i == 1, layer=Layer(i + 1), value=i / 10)
            for i, (text, metadata) in enumerate(rows)
        ]
    )
    return store


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "abcde"),
        ({"owner": "ada"}, "ac"),
        ({"owner": {"$eq": "ada"}}, "ac"),
        ({"owner": {"$ne": "ada"}}, "bde"),
        ({"owner": None}, "d"),
        ({"owner": {"$exists": True}}, "abcd"),
        ({"owner": {"$exists": False}}, "e"),
        ({"page": {"$gt": 1}}, "bd"),
        ({"page": {"$gte": 1, "$lt": 10}}, "ab"),
        ({"page": {"$lte": "2"}}, "c"),
        ({"page": 1.0}, "a"),
        ({"page": 2}, ""),
        ({"page": {"$in": [1, "2", 99]}}, "ac"),
        ({"page": {"$nin": [1, "2"]}}, "bde"),
        ({"page": {"$in": []}}, ""),
        ({"draft": True}, "b"),
        ({"draft": 1}, ""),
        ({"tags": "y"}, "a"),
        ({"source.line": {"$gte": 7}}, "a"),
        ({"$or": [{"draft": True}, {"page": 10}]}, "bd"),
        ({"$and": [{"owner": "ada"}, {"page": {"$gt": 0}}]}, "a"),
        ({"$not": {"owner": "ada"}}, "bde"),
        ({"owner": "ada", "page": "2"}, "c"),
        ({"$when": {"$gte": NOW - DAY, "$lt": NOW}}, "b"),
        ({"$when": {"$gt": "2023-11-12T00:00:00Z"}}, "abc"),
        ({"$created": {"$gte": NOW}}, "abcde"),
        ({"$pinned": True}, "b"),
        ({"$current": True}, "abcde"),
        ({"$layer": "semantic"}, "c"),
        ({"$layer": {"$in": ["working", Layer.EPISODIC]}}, "b"),
        ({"$tier": "raw"}, "abcde"),
        ({"$value": {"$gte": 0.3}}, "de"),
        ({"$evidence": 1}, "abcde"),
        ({"owner": "' OR 1=1 --"}, ""),
        ({"' OR 1=1 --": "x"}, ""),
        ({"owner%": "ada"}, ""),
    ],
)
def test_operators(notes: MemoryStore, given: dict[str, Any], expected: str) -> None:
    assert found(notes, given) == {f"note {letter}" for letter in expected}


@pytest.mark.parametrize(
    "bad",
    [
        7,
        [],
        "owner",
        {1: 2},
        {"owner": {"$like": "a"}},
        {"owner": {}},
        {"owner": ["a"]},
        {"owner": {"$in": "abc"}},
        {"owner": {"$gt": True}},
        {"owner": {"$gt": None}},
        {"owner": float("nan")},
        {"owner": 2**70},
        {"owner": "\ud800"},
        {"owner": {"$exists": 1}},
        {"$or": []},
        {"$or": {"a": 1}},
        {"$and": [1]},
        {"$nothing": 1},
        {"$when": "no time"},
        {"$layer": "nowhere"},
        {"$pinned": 1},
        {"$value": "x"},
        {"a": {"$in": list(range(2000))}},
    ],
)
def test_bad_filters_are_refused_by_name(notes: MemoryStore, bad: Any) -> None:
    with pytest.raises((errors.ArgumentError, errors.ArgumentTypeError)):
        notes.search("note", filter=bad)


def test_deep_nesting_is_refused(notes: MemoryStore) -> None:
    deep: dict[str, Any] = {"owner": "ada"}
    for _ in range(100):
        deep = {"$not": deep}
    with pytest.raises(errors.ArgumentError, match="nested"):
        notes.search("note", filter=deep)


def test_a_selective_filter_gives_all_its_hits(store: MemoryStore) -> None:
    """Rows that pass are the farthest from the query: a filter behind the top k would find none."""
    store.add_many([NewMemory(text=f"query words item {i}", metadata={"n": i}) for i in range(3000)])
    for i in range(10):
        store.add(f"different thing {i}", metadata={"n": 50, "rare": True})
    hits = store.search("query words item", k=10, filter={"rare": True})
    assert len(hits) == 10
    assert hits.exact
    assert {hit.memory.text for hit in hits} == {f"different thing {i}" for i in range(10)}


def test_filters_stay_in_their_namespace_and_follow_changes(store: MemoryStore) -> None:
    one = store.add("note 1", namespace="a", metadata={"owner": "ada"})
    store.add("note 2", namespace="b", metadata={"owner": "ada"})
    assert found(store, {"owner": "ada"}, namespace="a") == {"note 1"}
    store.update(one.id, metadata={"owner": "bo"})
    assert found(store, {"owner": "ada"}, namespace="a") == set()
    assert found(store, {"owner": "bo"}, namespace="a") == {"note 1"}
    store.delete(one.id)
    assert found(store, {"owner": "bo"}, namespace="a") == set()
    assert found(store, {"owner": "bo"}, namespace="nowhere") == set()
    assert store.verify().ok


scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from([0.5, 1.0, 1e300]) | st.text(max_size=3)
SAFE = scalars.filter(lambda v: not isinstance(v, str) or ("\0" not in v and v.isprintable()))


def kind(value: Any) -> str:
    return "bool" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else type(value).__name__


@given(st.lists(st.lists(SAFE, max_size=3), min_size=1, max_size=6), SAFE)
def test_equality_and_order_are_those_of_python(rows: list[list[Any]], operand: Any) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(8), clock=Clock(NOW)) as store:
        store.add_many([NewMemory(text=f"note {i}", metadata={"v": values}) for i, values in enumerate(rows)])

        def passing(test: Any) -> set[str]:
            return {f"note {i}" for i, values in enumerate(rows) if any(map(test, values))}

        same = passing(lambda v: kind(v) == kind(operand) and v == operand)
        assert found(store, {"v": operand}) == same
        assert found(store, {"v": {"$ne": operand}}) == {f"note {i}" for i in range(len(rows))} - same
        if kind(operand) in ("number", "str"):
            assert found(store, {"v": {"$gt": operand}}) == passing(lambda v: kind(v) == kind(operand) and v > operand)
            assert found(store, {"v": {"$lte": operand}}) == passing(
                lambda v: kind(v) == kind(operand) and v <= operand
            )


def test_long_texts_are_equal_only_to_themselves(store: MemoryStore) -> None:
    store.add("note 1", metadata={"v": "x" * 5000})
    assert found(store, {"v": "x" * 5000}) == {"note 1"}
    assert found(store, {"v": "x" * 5001}) == set()
    assert found(store, {"v": "x" * 256}) == set()


def test_a_store_without_marks_gets_them(tmp_path: Path) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=Clock(NOW)) as store:
        store.add("note 1", metadata={"owner": "ada"})
    with apsw.Connection(str(tmp_path / "s" / "log.sqlite")) as db:
        db.execute("DROP TABLE marks")
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), read_only=True) as store:
        with pytest.raises(errors.StoreFormatError, match="open it once for writing"):
            store.search("note", filter={"owner": "ada"})
        assert found(store, {"$pinned": False}) == {"note 1"}
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=Clock(NOW)) as store:
        assert found(store, {"owner": "ada"}) == {"note 1"}
        assert store.verify().ok


def test_what_a_filter_cannot_be_combined_with_says_so(store: MemoryStore) -> None:
    store.add("note 1", metadata={"owner": "ada"})
    with pytest.raises(errors.ArgumentError, match="as_of"):
        store.search("note", filter={"owner": "ada"}, as_of=NOW)
    assert found(store, {"$pinned": False}, as_of=NOW + 1) == {"note 1"}


def test_a_field_that_no_memory_has_is_told(notes: MemoryStore) -> None:
    notes.add("note elsewhere", namespace="other", metadata={"speaker": "Ada"})
    for asked, name in (
        ({"label": "factual"}, "'label'"),
        ({"owner": "ada", "speaker": {"$ne": "Ada"}}, "'speaker'"),
        ({"source": "r.md"}, "'source'"),
        ({"$or": [{"when": {"$gt": 1}}, {"page": 1}]}, "'when'"),
    ):
        (told,) = notes.search("note", filter=asked).notes
        assert f"no memory here has {name}" in told
        assert "$when" in told
    for known in (
        {"owner": "nobody"}, {"source.line": 8}, {"tags": "z"}, {"speaker": {"$exists": False}},
        {"$label": "factual"},
    ):  # fmt: skip
        assert notes.search("note", filter=known).notes == (), known
    assert notes.search("note", namespace="other", filter={"speaker": "Bo"}).notes == ()
