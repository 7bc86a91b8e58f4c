"""Fifty tenants in one store: whatever one of them asks, by whatever argument, nothing of another's is in the answer.

`CALLS` is a table with a row for each public verb that takes a namespace; a verb that is in no table fails a test.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import scrubjay
from scrubjay import MemoryStore, NewMemory, commands, commands_learning, errors
from scrubjay.facets.bound import SCOPED, SPECIAL, WHOLE, BoundStore
from scrubjay.memory import Subtree
from scrubjay.recall.hits import Hit
from tests.toys import Clock, WordHash

COUNT = 50
EMBEDDER = WordHash()
SECRET = re.compile(r"secret(\d\d)zq")


class Tenant(NamedTuple):
    """One tenant: its labels, its memories, and what a search told it."""

    number: int
    labels: tuple[str, ...]
    ids: list[str]
    event: int
    deleted: str
    hits: list[Hit]
    buffer: Any

    @property
    def word(self) -> str:
        return f"secret{self.number:02d}zq"

    @property
    def asked(self) -> str:
        """The same word for every embedder and index, and told apart where a query comes back as it was asked."""
        return self.word.upper()


def labels_of(i: int) -> tuple[str, ...]:
    # names that a join, a prefix, a pattern or a fold of case would take for one another
    kinds = (("t", f"{i}"), ("t", f"{i}", "x"), (f"t:{i}",), (f"T{i}%",), (f"t{i}*", "_"))
    return kinds[i % len(kinds)]


def fill(store: MemoryStore, i: int) -> Tenant:
    labels, word = labels_of(i), f"secret{i:02d}zq"
    texts = [f"the {word} code of room B{n} is {n}" for n in range(4)]
    units = store.add_many(
        [
            NewMemory(
                text=text,
                namespace=labels,
                context=f"context {word}" if n % 2 else "a shared context",
                metadata={"who": word, "shared": "same", "thread": "same", "n": n, "source": "same"},
                key=None if n else f"key {i}",
            )
            for n, text in enumerate(texts)
        ]
    )
    ids = [unit.id for unit in units]
    done = store.integrate(f"the {word} code of room B1 has changed", namespace=labels)
    assert done.memory is not None
    store.link(ids[0], ids[1], kind=f"kind {word}", namespace=labels)
    store.outcome(ids[0], 1.0, source=f"source {word}", namespace=labels)
    store.rate(ids[1], 0.5, source=f"source {word}")
    store.condense(namespace=labels, summarise=lambda texts: " ".join(texts))
    gone = store.add(f"{word} was here", namespace=labels)
    store.delete(gone.id)
    hits = store.search(f"{word} code", namespace=labels, k=3)
    buffer = store.prepare(f"{word} code", namespace=labels, k=3)
    return Tenant(i, labels, [*ids, done.memory.id], done.event, gone.id, list(hits), buffer)


@pytest.fixture(scope="module")
def tenants() -> Iterator[tuple[MemoryStore, list[Tenant]]]:
    clock = Clock()
    with scrubjay.open(":memory:", embedder=EMBEDDER, clock=clock) as store:
        told = [fill(store, i) for i in range(COUNT)]
        # what one event says of several tenants at once
        store.outcome([tenant.ids[0] for tenant in told], 1.0, source="everyone")
        store.compact()
        # so that the past which is asked about stays the same
        clock.now += 1000.0
        yield store, told


Ask = Callable[[Any, Tenant, Tenant], Any]
"""(handle, the tenant itself, another one) to an answer."""

CALLS: dict[str, list[Ask]] = {
    "add": [
        lambda h, me, it: h.add("a note", metadata={"a": 1}),
        lambda h, me, it: h.add("note", namespace=it.labels),
        lambda h, me, it: h.add("note", key=f"key {it.number}"),
    ],
    "add_many": [
        lambda h, me, it: h.add_many(["one", {"text": "two"}, NewMemory(text="three")]),
        lambda h, me, it: h.add_many([{"text": "x", "namespace": it.labels}]),
        lambda h, me, it: h.add_many(["x"], namespace=it.labels),
        lambda h, me, it: h.add_many([NewMemory(text="x", namespace=it.labels)]),
        lambda h, me, it: h.add_many("text"),
        lambda h, me, it: h.add_many([None]),
    ],
    "binding": [lambda h, me, it: h.binding(me.ids), lambda h, me, it: h.binding([me.ids[0], it.ids[0]])],
    "close": [],
    "closed": [lambda h, me, it: h.closed],
    "condense": [
        lambda h, me, it: h.condense(summarise=lambda texts: " ".join(texts)),
        lambda h, me, it: h.condense(namespace=it.labels),
    ],
    "consolidate": [
        lambda h, me, it: h.consolidate(dry_run=True, least_utility=2.0, least_support=1e9),
        lambda h, me, it: h.consolidate(namespace=it.labels),
    ],
    "delete": [
        lambda h, me, it: h.delete(it.ids),
        lambda h, me, it: h.delete(it.ids[0], namespace=it.labels),
        lambda h, me, it: h.delete([me.ids[2], it.ids[0]], purge=True),
        lambda h, me, it: h.delete(it.deleted, purge=True),
    ],
    "delete_all": [
        lambda h, me, it: h.delete_all(it.labels),
        lambda h, me, it: h.delete_all(Subtree(()), root=True),
        lambda h, me, it: h.delete_all(namespace=it.labels, purge=False),
    ],
    "descend": [
        lambda h, me, it: h.descend(f"{it.asked} code", k=20),
        lambda h, me, it: h.descend(f"{me.word} code", start="summary"),
        lambda h, me, it: h.descend("code", namespace=it.labels),
    ],
    "due": [lambda h, me, it: h.due(9e9, limit=1000), lambda h, me, it: h.due(9e9, namespace=it.labels)],
    "forgotten": [
        lambda h, me, it: h.forgotten(limit=1000),
        lambda h, me, it: h.forgotten(after=it.ids[0]),
        lambda h, me, it: h.forgotten(namespace=it.labels),
    ],
    "get": [
        lambda h, me, it: h.get(me.ids[0]),
        lambda h, me, it: h.get(it.ids[0]),
        lambda h, me, it: h.get(it.ids[0], namespace=it.labels),
        lambda h, me, it: h.get(it.ids[0], as_of=1.7e9),
        lambda h, me, it: h.get(it.asked),
    ],
    "history": [
        lambda h, me, it: [h.history(id) for id in me.ids],
        lambda h, me, it: h.history(me.deleted),
        lambda h, me, it: h.history(it.ids[0]),
        lambda h, me, it: h.history(it.deleted),
        lambda h, me, it: h.history(it.ids[0], namespace=it.labels),
    ],
    "integrate": [
        lambda h, me, it: h.integrate("the code of room B1 is over", dry_run=True),
        lambda h, me, it: h.integrate("the code of room B1 is over"),
        lambda h, me, it: h.integrate("the code of room B1 is over", namespace=it.labels),
    ],
    "link": [
        lambda h, me, it: h.link(me.ids[0], it.ids[0]),
        lambda h, me, it: h.link(it.ids[0], it.ids[1]),
        lambda h, me, it: h.link(it.ids[0], it.ids[1], namespace=it.labels),
    ],
    "list": [
        lambda h, me, it: h.list(limit=1000, archived=True),
        lambda h, me, it: h.list(after=it.ids[0]),
        lambda h, me, it: h.list(after=it.deleted),
        lambda h, me, it: h.list(namespace=it.labels),
        lambda h, me, it: h.list(namespace=Subtree(())),
        lambda h, me, it: h.list(namespace=Subtree(me.labels)),
    ],
    "namespace": [lambda h, me, it: h.namespace],
    "neighbors": [
        lambda h, me, it: [h.neighbors(id) for id in me.ids],
        lambda h, me, it: h.neighbors(it.ids[0]),
        lambda h, me, it: h.neighbors(it.ids[0], namespace=it.labels),
    ],
    "observe": [
        lambda h, me, it: h.observe(f"the {me.word} code of room B1 is 1", me.hits),
        lambda h, me, it: h.observe(f"the {it.word} code of room B1 is 1", it.hits),
        lambda h, me, it: h.observe("the code of room B1 is 1", [forged(it, me)]),
    ],
    "outcome": [
        lambda h, me, it: h.outcome(me.hits, 1.0),
        lambda h, me, it: h.outcome(it.hits, 1.0),
        lambda h, me, it: h.outcome([me.ids[0], it.ids[0]], 0.0),
        lambda h, me, it: h.outcome(it.ids[0], 0.0, namespace=it.labels),
    ],
    "prepare": [
        lambda h, me, it: h.prepare(f"{it.asked} code", k=30),
        lambda h, me, it: h.prepare("code", namespace=it.labels),
    ],
    "rate": [lambda h, me, it: h.rate(it.ids, 0.0), lambda h, me, it: h.rate(it.ids, 0.0, namespace=it.labels)],
    "reclassify": [lambda h, me, it: h.reclassify(), lambda h, me, it: h.reclassify(it.ids)],
    "rescore": [
        lambda h, me, it: h.rescore(lambda unit: seen(unit, me)),
        lambda h, me, it: h.rescore({it.ids[0]: 0.0}),
        lambda h, me, it: h.rescore({it.ids[0]: 0.0}, namespace=it.labels),
    ],
    "restore": [lambda h, me, it: h.restore(me.ids), lambda h, me, it: h.restore(it.ids)],
    "search": [
        lambda h, me, it: h.search(f"{it.asked} code of room B1", k=100),
        lambda h, me, it: h.search(f"{it.asked} code", k=100, scoring="paper", context=f"context {it.word}"),
        lambda h, me, it: h.search("code", k=100, around=20, frame="SIMULATE"),
        lambda h, me, it: h.search("code", k=100, filter={"shared": "same"}),
        lambda h, me, it: h.search("code", k=100, filter={"who": it.word}),
        lambda h, me, it: h.search("code", k=100, weights={"what": 1, "graph": 1, "thread": 1}),
        lambda h, me, it: h.search("code", k=100, as_of=1.7e9),
        lambda h, me, it: h.search("code", buffer=it.buffer),
        lambda h, me, it: h.search("code", buffer=me.buffer),
        lambda h, me, it: h.search("code", namespace=it.labels),
        lambda h, me, it: h.search("code", k=100, namespace=Subtree(())),
        lambda h, me, it: h.search("code", filter={"$nothing": it.number}),
    ],
    "search_many": [
        lambda h, me, it: h.search_many([f"{it.asked} code", "code"], k=100),
        lambda h, me, it: h.search_many(["code"], namespace=it.labels),
    ],
    "stats": [lambda h, me, it: h.stats()],
    "undo": [lambda h, me, it: h.undo(it.event), lambda h, me, it: h.undo(it.event, namespace=it.labels)],
    "unlink": [lambda h, me, it: h.unlink(it.ids[0], it.ids[1]), lambda h, me, it: h.unlink(me.ids[0], it.ids[1])],
    "update": [
        lambda h, me, it: h.update(it.ids[0], text="taken over"),
        lambda h, me, it: h.update(it.ids[0], pinned=True, namespace=it.labels),
        lambda h, me, it: h.update(me.ids[3], metadata={"n": 5}),
    ],
    "validity": [
        lambda h, me, it: h.validity(me.ids),
        lambda h, me, it: h.validity(it.ids),
        lambda h, me, it: h.validity(it.ids, ages=[0.0], namespace=it.labels),
    ],
}


WRITES = {"add", "add_many", "condense", "consolidate", "integrate", "observe", "reclassify", "rescore"}
"""Asked by every seventh tenant."""


def forged(it: Tenant, me: Tenant) -> Hit:
    """Another's memory in a hit that claims to be ours."""
    memory = msgspec.structs.replace(it.hits[0].memory, namespace=me.labels)
    return msgspec.structs.replace(it.hits[0], memory=memory)


def seen(unit: scrubjay.MemoryUnit, me: Tenant) -> float | None:
    assert unit.namespace == me.labels
    return 0.5


def told(call: Callable[[], Any]) -> Any:
    """What a call gives: its answer, or all that its error says."""
    try:
        return call()
    except errors.ScrubjayError as error:
        return said_by(error)


def said_by(error: BaseException | None) -> list[Any]:
    if error is None:
        return []
    return [str(error), repr(error), error.args, *said_by(error.__cause__), *said_by(error.__context__)]


def texts_in(value: Any) -> Iterator[str]:
    """Every text that can be reached from an answer, and what it says of itself."""
    yield repr(value)
    yield from _inside(value, 0)


def _inside(value: Any, depth: int) -> Iterator[str]:
    assert depth < 30
    if isinstance(value, str):
        yield value
    elif isinstance(value, (bytes, bytearray)):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _inside(pair, depth + 1)
    elif not (value is None or isinstance(value, (bool, int, float, type, np.ndarray)) or callable(value)):
        held = list(value) if isinstance(value, (list, tuple, set, frozenset)) else []
        names = (*getattr(value, "__struct_fields__", ()), *getattr(value, "__slots__", ()))
        held += [getattr(value, name) for name in names if hasattr(value, name)]
        held += list(getattr(value, "__dict__", {}).values())
        for item in held:
            yield from _inside(item, depth + 1)


def leaks(answer: Any, me: Tenant) -> set[str]:
    """Secrets of others in an answer."""
    return {found for text in texts_in(answer) for found in SECRET.findall(text) if int(found) != me.number}


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_public_verb_is_in_one_table() -> None:
    known = SCOPED | SPECIAL | WHOLE.keys()
    assert public(MemoryStore) - known == set(), "say in facets/bound.py what a bound handle does with it"
    assert known - public(MemoryStore) == {"namespace"}
    assert CALLS.keys() == SCOPED | SPECIAL, "ask for another tenant's secret through it, in CALLS"
    assert len(SCOPED) + len(SPECIAL) + len(WHOLE) == len(known), "a verb in two tables"
    for name in SCOPED:
        parameter = inspect.signature(getattr(MemoryStore, name)).parameters["namespace"]
        assert parameter.kind is parameter.KEYWORD_ONLY, name


def test_what_is_the_whole_stores_is_not_on_a_bound_handle(tenants: tuple[MemoryStore, list[Tenant]]) -> None:
    store, told = tenants
    handle = store.bound(told[0].labels)
    for name in WHOLE:
        assert not hasattr(handle, name)
        with pytest.raises(errors.ScopeError, match=f"^{name}: "):
            getattr(handle, name)
    with pytest.raises(AttributeError, match="no 'nonsense'"):
        _ = handle.nonsense  # type: ignore[attr-defined]
    assert set(dir(handle)) == SCOPED | SPECIAL
    assert str(labels_of(0)) in repr(handle)


def everything(store: MemoryStore, tenant: Tenant) -> list[Any]:
    units = store.list(namespace=tenant.labels, limit=10_000, archived=True)
    return [(unit, [entry.seq for entry in store.history(unit.id)]) for unit in units]


def test_nothing_of_another_tenant_is_in_any_answer(tenants: tuple[MemoryStore, list[Tenant]]) -> None:
    store, every = tenants
    before = {tenant.number: everything(store, tenant) for tenant in every}
    found: list[tuple[str, int, set[str]]] = []
    changed: set[int] = set()
    shown: set[str] = set()
    for me in every:
        it = every[(me.number + 1 + me.number % 7) % COUNT]
        handle = store.bound(me.labels)
        for name, asks in CALLS.items():
            for ask in asks if name not in WRITES or me.number % 7 == 0 else ():
                answer = told(partial(ask, handle, me, it))
                if other := leaks(answer, me):
                    found.append((name, me.number, other))
                if any(me.word in text for text in texts_in(answer)):
                    shown.add(name)
        changed.add(me.number)
        if it.number not in changed:
            assert everything(store, it) == before[it.number], "a tenant changed what is another's"
    assert found == []
    assert shown >= {"descend", "due", "get", "history", "list", "neighbors", "prepare", "search", "search_many"}
    assert store.rebuild().same


def test_a_namespace_that_is_named_is_all_that_the_stores_own_handle_shows(
    tenants: tuple[MemoryStore, list[Tenant]], tmp_path: Path
) -> None:
    store, every = tenants
    for me in every[::5]:
        it = every[(me.number + 1) % COUNT]
        named = {"namespace": me.labels}
        answers: list[Any] = [
            store.search(f"{it.asked} code", k=100, namespace=me.labels),
            store.list(limit=1000, archived=True, namespace=me.labels),
            store.due(9e9, limit=1000, namespace=me.labels),
            store.forgotten(limit=1000, namespace=me.labels),
            store.prepare(f"{it.asked} code", k=30, namespace=me.labels),
            store.descend(f"{it.asked} code", k=30, namespace=me.labels),
            told(partial(store.undo, it.event, **named)),
            told(partial(store.search, "code", buffer=it.buffer, **named)),
        ]
        for verb in (store.get, store.history, store.neighbors, store.validity):
            answers += [told(partial(verb, one, **named)) for one in (me.ids[0], it.ids[0], it.deleted)]
        file = tmp_path / f"{me.number}.json"
        store.export_peer(file, texts=True, namespace=me.labels)
        answers.append(file.read_text())
        assert leaks(answers, me) == set()


FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "current": {"$current": True},
    "when": {"$when": {"$gte": 0}},
    "value": {"$value": {"$gte": 0.0}},
    "pinned": {"$pinned": False},
    "not equal": {"x": {"$ne": 1}},
    "absent": {"x": {"$exists": False}},
    "not": {"$not": {"x": 1}},
    "or": {"$or": [{"x": {"$exists": False}}, {"who": "nobody"}]},
    "and": {"$and": [{"$current": True}, {"shared": {"$ne": "other"}}]},
    "equal": {"shared": "same"},
}


@pytest.mark.parametrize("state", ["never written", "all deleted", "one deleted"])
@pytest.mark.parametrize("name", FILTERS)
def test_a_tenant_without_memories_is_shown_nobody_elses(state: str, name: str) -> None:
    with scrubjay.open(":memory:", embedder=EMBEDDER, clock=Clock()) as store:
        for i in (4, 5, 6):
            fill(store, i)
        handle = store.bound(("empty", "tenant"))
        if state != "never written":
            made = handle.add("a note that goes")
            handle.delete_all() if state == "all deleted" else handle.delete(made.id, purge=True)
        for me in (handle, None):
            where: dict[str, Any] = {} if me else {"namespace": ("empty", "tenant")}
            verbs: Any = me or store
            asked = {"filter": FILTERS[name], "k": 100, **where}
            answers = [
                verbs.search("secret code", **asked),
                verbs.search("secret code", scoring="paper", **asked),
                *verbs.search_many(["secret code", "code of room B1"], **asked),
            ]
            if name in ("none", "current", "when", "value"):
                answers.append(verbs.search("secret code", as_of=1.7e9, **asked))
            assert [len(hits) for hits in answers] == [0] * len(answers)


@pytest.mark.parametrize("verb", sorted(CALLS))
def test_no_verb_shows_a_tenant_without_memories_anything(verb: str) -> None:
    with scrubjay.open(":memory:", embedder=EMBEDDER, clock=Clock()) as store:
        told_all = [fill(store, i) for i in (4, 5, 6)]
        for it in told_all:
            me = Tenant(99, ("empty", "tenant"), [it.deleted] * 5, it.event, it.deleted, it.hits, it.buffer)
            handle = store.bound(me.labels)
            for ask in CALLS[verb]:
                assert leaks(told(partial(ask, handle, me, it)), me) == set()


def test_counts_are_those_of_a_store_that_nobody_else_uses() -> None:
    with scrubjay.open(":memory:", embedder=EMBEDDER, clock=Clock()) as shared:
        for i in (4, 5, 6):
            fill(shared, i)
        with scrubjay.open(":memory:", embedder=EMBEDDER, clock=Clock()) as alone:
            fill(alone, 5)
            ours, theirs = (s.bound(labels_of(5)).stats() for s in (shared, alone))
            assert msgspec.structs.replace(ours, column_bytes=0) == msgspec.structs.replace(theirs, column_bytes=0)
            assert ours.memories == len(alone)
            assert ours.column_bytes <= shared.stats().column_bytes


def test_the_asynchronous_twin_is_bound_as_well(tenants: tuple[MemoryStore, list[Tenant]]) -> None:
    store, every = tenants

    async def ask_all() -> list[tuple[str, set[str]]]:
        twin = scrubjay.AsyncMemoryStore(store)
        found: list[tuple[str, set[str]]] = []
        for me in (every[3], every[14], every[25]):
            it = every[me.number + 1]
            handle = twin.bound(me.labels)
            for name in ("get", "history", "list", "search", "search_many", "neighbors", "stats", "due", "prepare"):
                for ask in CALLS[name]:
                    answers = []
                    try:
                        answer = ask(handle, me, it)
                        several = answer if isinstance(answer, list) else [answer]
                        answers = [await one for one in several]
                    except errors.ScrubjayError as error:
                        answers = said_by(error)
                    if other := leaks(answers, me):
                        found.append((name, other))
            with pytest.raises(errors.ScopeError):
                await handle.verify()
            with pytest.raises(errors.ScopeError):
                handle.bound("x")
            await handle.close()
            assert not handle.closed
        for pool in (twin._writers, twin._readers):
            pool.shutdown()
        return found

    assert asyncio.run(ask_all()) == []


def test_the_command_line_shows_one_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_embedder", WordHash)
    monkeypatch.setenv("SCRUBJAY_STORE", str(tmp_path / "s"))
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=Clock()) as store:
        me, it = fill(store, 0), fill(store, 1)
    scope = [part for label in me.labels for part in ("--namespace", label)]
    asked = [
        ("list",), ("search", "code", "-k", "50"), ("prepare", "code"), ("forgotten",),
        *((verb, id) for verb in ("get", "history", "neighbors") for id in (*me.ids, *it.ids, it.deleted)),
        ("delete", it.ids[0]), ("delete", it.ids[0], "--purge"), ("undo", str(it.event)),
        ("due", "--now", "2400-01-01"), ("update", it.ids[0], "--value", "2"), ("outcome", it.ids[0], "--signal", "1"),
    ]  # fmt: skip
    for parts in asked:
        for more in ((), ("--json",)):
            result = CliRunner().invoke(commands_learning.app, [*parts, *scope, *more])
            assert leaks([result.output, result.stderr, said_by(result.exception)], me) == set(), parts
            assert (result.exit_code == 0) == (not set(parts) & {*it.ids, it.deleted, str(it.event)}), parts


def test_a_store_can_be_opened_for_one_namespace(tmp_path: Path) -> None:
    with scrubjay.open(tmp_path / "s", embedder=EMBEDDER) as store:
        other = store.add("secret00zq", namespace="other")
    with pytest.raises(errors.ArgumentError, match=r"^namespace: empty"):
        scrubjay.open(tmp_path / "s", embedder=EMBEDDER, namespace=())
    with scrubjay.open(tmp_path / "s", embedder=EMBEDDER, namespace=("acme", "ada")) as ada:
        assert isinstance(ada, BoundStore)
        unit = ada.add("tea")
        assert (unit.namespace, len(ada), ada.namespace) == (("acme", "ada"), 1, ("acme", "ada"))
        with pytest.raises(errors.MemoryNotFoundError):
            ada.get(other.id)
        assert ada.stats().memories == 1
        assert json.loads(msgspec.json.encode(ada.stats()))["path"] == ""
        assert ada.add_many(["coffee", "tea"]).added == 1  # type: ignore[attr-defined]
        receipt = ada.delete_all()  # type: ignore[call-arg]
        assert receipt.memories == 2
    assert ada.closed
    with scrubjay.open(tmp_path / "s", embedder=EMBEDDER) as store:
        assert [u.id for u in store.list(namespace="other")] == [other.id]
        for bad in ((), "", None, 3):
            with pytest.raises(errors.ArgumentError, match=r"^namespace"):
                store.bound(bad)  # type: ignore[arg-type]
        with store.bound("other") as inner:
            assert inner.get(other.id).id == other.id
        assert not store.closed
