"""A namespace and all below it: searched, listed, counted and deleted as one, and nothing beside it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import scrubjay
from scrubjay import MemoryStore, Subtree, errors
from scrubjay.recall.diversity import Diversity
from scrubjay.recall.spaces import SpaceTree
from scrubjay.store import lexical as index
from toys import Clock, WordHash

PLAIN = {"what": 1.0, "when": 0.2, "lexical": 0.0, "thread": 0.0}
TREE = {
    (): "root note about tea",
    ("acme",): "acme note about tea",
    ("acme", "sales"): "sales note about tea",
    ("acme", "sales", "eve"): "eve note about tea",
    ("acme", "%"): "percent note about tea",
    ("acme%",): "wild note about tea",
    ("acmes",): "plural note about tea",
    ("ac",): "short note about tea",
    ("acme:sales",): "colon note about tea",
    ("*",): "star note about tea",
    ("use",): "use note about tea",
    ("users",): "users note about tea",
    ("users", "john_doe"): "underscore note about tea",
    ("users", "john-doe"): "hyphen note about tea",
}


def opened(path: Any = ":memory:", **more: Any) -> MemoryStore:
    more.setdefault("clock", Clock())
    return scrubjay.open(path, embedder=WordHash(32), durability="normal", **more)


@pytest.fixture
def store() -> Any:
    with opened() as store:
        for labels, text in TREE.items():
            store.add(text, namespace=labels)
        yield store


def below(prefix: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {labels for labels in TREE if labels[: len(prefix)] == prefix}


@pytest.mark.parametrize(
    "prefix", [(), ("acme",), ("acme", "sales"), ("use",), ("users",), ("%",), ("acme", "%"), ("a",)]
)
def test_bug_09_a_subtree_is_compared_label_by_label(store: MemoryStore, prefix: tuple[str, ...]) -> None:
    found = store.search("note about tea", namespace=Subtree(prefix), k=50)
    assert {hit.memory.namespace for hit in found} == below(prefix)
    assert all(hit.memory.text == TREE[hit.memory.namespace] for hit in found)
    assert {m.namespace for m in store.list(namespace=Subtree(prefix))} == below(prefix)
    stats = store.stats(namespace=Subtree(prefix))
    assert stats.memories == stats.namespaces == len(below(prefix))


@pytest.mark.parametrize("purge", [False, True])
def test_bug_05_a_subtree_is_deleted_whole_and_nothing_else(store: MemoryStore, purge: bool) -> None:
    store.add_many([{"text": f"more {i}", "namespace": ("acme", f"u{i % 7}")} for i in range(150)])
    before = len(store)
    gone = len(below(("acme",))) + 150
    done: Any = store.delete_all(Subtree("acme"), purge=purge)  # type: ignore[call-overload]
    assert (done.memories if purge else done) == gone
    assert len(store) == before - gone
    assert store.list(namespace=Subtree("acme")) == []
    assert len(store.search("note about tea more", namespace=Subtree("acme"))) == 0
    assert {m.namespace for m in store.list(namespace=Subtree(()))} == set(TREE) - below(("acme",))
    spaces = store._engine.spaces(Subtree(()))
    with store._engine.log.read() as view:
        kept = view.mentions(spaces, "tea")
    assert kept is not None
    assert len(np.unique(kept.key)) == len(TREE) - len(below(("acme",)))
    assert store.delete_all(Subtree("acme"), purge=False) == 0
    store.add("new tea", namespace=("acme", "sales"))
    assert [m.text for m in store.list(namespace=Subtree("acme"))] == ["new tea"]
    assert not store.verify().findings


def test_bug_24_an_empty_or_unsound_scope_is_refused(store: MemoryStore) -> None:
    for scope in (Subtree(()), None):
        with pytest.raises(errors.ArgumentError):
            store.delete_all(scope)  # type: ignore[arg-type]
    for labels in ("", ("acme", ""), None, ("acme", 3)):
        with pytest.raises(errors.ArgumentError, match="Subtree"):
            Subtree(labels)  # type: ignore[arg-type]
    assert store.delete_all(Subtree("*"), purge=False) == 1
    assert store.delete_all(Subtree("%"), purge=False) == 0
    assert len(store) == len(TREE) - 1
    assert store.delete_all(Subtree(()), root=True).memories == len(TREE)
    assert len(store) == 0


def test_an_exact_namespace_still_sees_no_other(store: MemoryStore) -> None:
    for labels, text in TREE.items():
        assert [hit.memory.text for hit in store.search("note about tea", namespace=labels)] == [text]


@pytest.mark.parametrize("verb", ["add", "get", "update", "delete", "integrate", "prepare", "condense", "history"])
def test_every_other_verb_refuses_a_subtree(store: MemoryStore, verb: str) -> None:
    first = store.list(namespace="acme")[0].id
    argument = {"condense": (), "add": ("text",), "integrate": ("text",), "prepare": ("task",)}.get(verb, (first,))
    with pytest.raises(errors.ArgumentTypeError, match="Subtree"):
        getattr(store, verb)(*argument, namespace=Subtree("acme"))
    assert len(store) == len(TREE)


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a", "b", "%", "a_"]), max_size=3).map(tuple),
            st.lists(st.sampled_from(["tea", "room", "code", "lamp", "key"]), min_size=1, max_size=4).map(" ".join),
        ),
        min_size=1,
        max_size=40,
    ),
    st.lists(st.sampled_from(["a", "b", "%"]), max_size=2).map(tuple),
    st.sets(st.integers(0, 39)),
)
@settings(deadline=None, max_examples=60)
def test_a_search_of_a_subtree_is_that_of_its_namespaces_together(
    items: list[tuple[tuple[str, ...], str]], prefix: tuple[str, ...], gone: set[int]
) -> None:
    with opened() as store:
        made = store.add_many([{"text": text, "namespace": labels} for labels, text in items])
        ids = list(dict.fromkeys(m.id for m in made))
        store.delete([ids[i] for i in gone if i < len(ids)])
        inside = {labels for labels, _ in items if labels[: len(prefix)] == prefix}
        hits = store.search("tea code", namespace=Subtree(prefix), k=100, weights=PLAIN, scoring="paper")
        apart = [
            hit
            for labels in inside
            for hit in store.search("tea code", namespace=labels, k=100, weights=PLAIN, scoring="paper")
        ]
        assert hits.exact
        assert {(h.memory.id, h.memory.namespace) for h in hits} == {(h.memory.id, h.memory.namespace) for h in apart}
        assert [h.score for h in hits] == pytest.approx(sorted((h.score for h in apart), reverse=True))
        few = store.search("tea code", namespace=Subtree(prefix), k=3, weights=PLAIN, scoring="paper")
        assert [h.score for h in few] == pytest.approx([h.score for h in hits][:3])
        pages, after = [], None
        while page := store.list(namespace=Subtree(prefix), limit=2, after=after):
            pages += page
            after = page[-1].id
        assert [m.id for m in pages] == [i for i in ids if i in {h.memory.id for h in apart}]


def test_what_one_says_never_takes_the_place_of_what_another_does() -> None:
    clock = Clock()
    with scrubjay.open(":memory:", clock=clock) as store:
        store.add("The design review is in room B12.", namespace=("team", "ada"), when=clock.now - 86400 * 9)
        store.add("The design review is in room C4.", namespace=("team", "bo"), when=clock.now)
        hits = store.search("where is the design review?", namespace=Subtree("team"))
        assert [hit.superseded for hit in hits] == [0.0, 0.0]
        store.add("The design review is in room C4.", namespace=("team", "ada"), when=clock.now)
        hits = store.search("where is the design review?", namespace=Subtree("team"))
        lost = {hit.memory.text: hit.superseded for hit in hits if hit.memory.namespace == ("team", "ada")}
        assert lost["The design review is in room B12."] > 0.5


def test_words_are_found_in_every_namespace_below(store: MemoryStore) -> None:
    hits = store.search("hyphen underscore", namespace=Subtree("users"), weights={"lexical": 1.0}, k=5)
    assert {hit.memory.namespace[-1] for hit in hits if hit.factors["lexical"] > 0} == {"john_doe", "john-doe"}
    alone = store.search("eve", namespace=("acme", "sales", "eve"), weights={"lexical": 1.0})
    assert alone[0].factors["lexical"] == 1.0


def test_words_that_are_not_looked_up_are_told(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MOST_LOOKS", 2 * len(TREE))
    hits = store.search("star tea wild", namespace=Subtree(()))
    assert any("1 of the query's words" in note for note in hits.notes)
    assert store.search("star wild", namespace=Subtree(())).notes == ()
    monkeypatch.setattr(index, "MOST_MENTIONS", 3)
    hits = store.search("tea star", namespace=Subtree(()))
    assert any("1 of the query's words" in note for note in hits.notes)
    assert hits[0].memory.text == TREE["*",]


def test_of_very_many_namespaces_words_count_where_the_nearest_memories_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.verbs.read.MOST_SPACES", 5)
    with opened() as store:
        store.add_many([{"text": f"tea room {i}", "namespace": ("t", f"u{i}")} for i in range(40)])
        store.add_many([{"text": f"lamp code {i}", "namespace": ("t", f"v{i}")} for i in range(3)])
        hits = store.search("lamp code", namespace=Subtree("t"), k=4, now=1.7e9)
        assert {hit.memory.namespace[1] for hit in hits[:3]} == {"v0", "v1", "v2"}
        assert all(hit.factors["lexical"] > 0 for hit in hits[:3])
        assert any("5 of 43 namespaces" in note for note in hits.notes)
        assert not hits.exact
        lone = store.search("lamp code", namespace=Subtree("t"), k=4, weights=PLAIN)
        assert lone.exact
        assert lone.notes == ()


def test_turns_of_one_thread_name_stay_with_their_namespace(store: MemoryStore) -> None:
    for who in ("ada", "bo"):
        store.add_many(
            [
                {"text": f"{who} says {word}", "namespace": ("talk", who), "metadata": {"thread": "monday"}}
                for word in ("one", "two", "three")
            ]
        )
    hits = store.search("says two", namespace=Subtree("talk"), around=2, k=6)
    assert len(hits) == 6
    for hit in hits:
        assert {turn.namespace for turn in hit.around} == {hit.memory.namespace}


def test_filters_diversity_and_the_past_see_the_subtree_alone() -> None:
    clock = Clock(1000.0)
    with opened(clock=clock) as store:
        for i in range(12):
            store.add(f"note {i % 4} about tea", namespace=("t", f"u{i % 3}"), key=str(i), metadata={"page": i})
        store.add("note 1 about tea", namespace=("tt",), metadata={"page": 1})
        clock.now = 2000.0
        store.delete_all(("t", "u1"), purge=False)
        found = store.search("note", namespace=Subtree("t"), filter={"page": {"$gte": 6}}, k=20)
        assert sorted(hit.memory.metadata["page"] for hit in found) == [6, 8, 9, 11]
        past = store.search("note", namespace=Subtree("t"), as_of=1500.0, k=20)
        assert len(past) == 12
        varied = store.search("note", namespace=Subtree("t"), k=8, diversity=Diversity())
        assert {hit.memory.namespace[0] for hit in varied} == {"t"}


def test_namespaces_that_another_handle_adds_are_seen(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as one, opened(tmp_path / "s") as other:
        one.add("tea", namespace=("a", "x"))
        assert len(other.search("tea", namespace=Subtree("a"))) == 1
        one.add("tea", namespace=("a", "y"))
        one.add("tea", namespace=("b", "y"))
        assert {h.memory.namespace for h in other.search("tea", namespace=Subtree("a"))} == {("a", "x"), ("a", "y")}
    with opened(tmp_path / "s", read_only=True) as reader:
        assert len(reader.list(namespace=Subtree("a"))) == 2


def test_a_listing_goes_on_behind_a_memory_of_the_subtree_alone(store: MemoryStore) -> None:
    other = store.list(namespace=("users",))[0].id
    with pytest.raises(errors.MemoryNotFoundError):
        store.list(namespace=Subtree("acme"), after=other)


def test_counts_are_those_of_the_scope(store: MemoryStore) -> None:
    store.add("with a context", namespace=("acme", "sales"), context="desk", perishability="ephemeral")  # type: ignore[arg-type]
    part, whole = store.stats(namespace=("acme", "sales")), store.stats()
    assert (part.memories, part.namespaces, part.contexts, part.labels["ephemeral"]) == (2, 1, 1, 1)
    assert (whole.memories, whole.namespaces) == (len(TREE) + 1, len(TREE))
    assert store.stats(namespace="nobody").memories == store.stats(namespace=Subtree("nobody")).namespaces == 0


def test_a_buffer_is_of_one_namespace(store: MemoryStore) -> None:
    ready = store.prepare("tea", namespace="acme", k=1)
    with pytest.raises(errors.ArgumentError, match="another namespace"):
        store.search("tea", namespace=Subtree("acme"), buffer=ready)


def test_the_async_twin_takes_one() -> None:
    async def main() -> Any:
        async with scrubjay.aopen(":memory:", embedder=WordHash(16)) as store:
            await store.add("tea", namespace=("a", "x"))
            await store.add("tea", namespace=("ab",))
            found = await store.search("tea", namespace=Subtree("a"))
            return (
                [hit.memory.namespace for hit in found],
                (await store.stats(namespace=Subtree("a"))).memories,
                len(await store.list(namespace=Subtree("a"))),
                (await store.delete_all(Subtree("a"))).memories,
            )

    assert asyncio.run(main()) == ([("a", "x")], 1, 1, 1)


def test_a_tree_takes_each_namespace_once() -> None:
    tree = SpaceTree()
    tree.add([(0, ()), (2, ("a", "b"))])
    tree.add([(0, ()), (2, ("a", "b")), (3, ("a",))])
    assert tree.below(()).tolist() == [0, 2, 3]
    assert tree.below(("a",)).tolist() == [2, 3]
    assert tree.below(("b",)).tolist() == []
    assert tree.next == 4
