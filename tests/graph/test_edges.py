"""Edges that are made when memories are written, against a plain reading of the rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import errors
from scrubjay.columns import Columns
from scrubjay.events import Batch, Linked, Related
from scrubjay.fold import apply, rebuild
from scrubjay.graph.edges import LEAST, neighbours
from scrubjay.graph.recent import WINDOW
from scrubjay.links import CLASSES, SLOTS, WIDTH, Links
from scrubjay.store import EventLog
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0
WORDS = ["red", "blue", "tea", "cup", "room", "key", "door", "lamp", "fox", "sun"]


def texts_of(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{' '.join(rng.choice(WORDS, 3))} {i}" for i in range(n)]


def strongest(values: list[tuple[float, int]], own: int) -> list[int]:
    """The WIDTH best by value, then nearness, then key."""
    order = sorted(values, key=lambda pair: (-pair[0], abs(pair[1] - own), pair[1]))
    return [key for _, key in order[:WIDTH]]


def expected(store: scrubjay.MemoryStore) -> dict[str, set[tuple[int, int]]]:
    """Mutual edges of a store that was filled one by one, by class, between keys: every pair offered, oldest first."""
    columns = store._engine.columns
    keys = columns.key.tolist()
    what = columns.what.astype(np.float64)
    where = columns.where(np.arange(len(keys))).astype(np.float64)
    held: dict[str, dict[int, dict[int, float]]] = {name: {k: {} for k in keys} for name in CLASSES}
    for j in range(1, len(keys)):
        seen = [i for i in range(j) if columns.space[i] == columns.space[j]]
        value: dict[str, list[tuple[float, int]]] = {name: [] for name in CLASSES}
        for i in seen:
            s, c = float(what[i] @ what[j]), float(where[i] @ where[j])
            apart = abs(columns.when[i] - columns.when[j])
            if s >= LEAST:
                value["similarity"].append((s, keys[i]))
            if columns.context[i] >= 0 and columns.context[j] >= 0 and c >= LEAST:
                value["context"].append((1.0 if columns.context[i] == columns.context[j] else c, keys[i]))
            if apart < 7 * DAY:
                value["time"].append((math.exp(-apart / DAY), keys[i]))
        for name, found in value.items():
            for key in strongest(found, keys[j]):
                strength = {k: v for v, k in found}[key]
                for a, b in ((keys[j], key), (key, keys[j])):
                    mine = held[name][a]
                    mine[b] = strength
                    held[name][a] = {k: mine[k] for k in strongest([(v, k) for k, v in mine.items()], a)}
    return {name: {(a, b) for a, mine in lists.items() for b in mine if a in lists[b]} for name, lists in held.items()}


def made(store: scrubjay.MemoryStore) -> dict[str, set[tuple[int, int]]]:
    columns = store._engine.columns
    rows = np.arange(len(columns))
    other, _ = columns.links.near(rows, columns.live())
    out: dict[str, set[tuple[int, int]]] = {name: set() for name in CLASSES}
    for row, slot in zip(*np.nonzero(other >= 0), strict=True):
        out[CLASSES[slot // WIDTH]].add((int(columns.key[row]), int(columns.key[other[row, slot]])))
    return out


def rebuilt(store: scrubjay.MemoryStore) -> bool:
    return rebuild(store._engine.log).digest() == store._engine.columns.digest()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_edges_follow_the_rule(seed: int) -> None:
    clock = Clock(NOW)
    rng = np.random.default_rng(seed)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
        for i, text in enumerate(texts_of(60, seed)):
            context = [None, "office desk", "office desk two", "garden"][int(rng.integers(4))]
            when = NOW + float(np.round(rng.uniform(0, 20), 3)) * DAY + i
            store.add(text, context=context, when=when, namespace=f"u{i % 2}")
        got = made(store)
        assert got == expected(store)
        assert all(got[name] for name in CLASSES)
        assert rebuilt(store)


def test_a_burst_stays_within_the_cap_and_has_edges() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        store.add_many([{"text": t, "context": "one room"} for t in texts_of(300)])
        columns = store._engine.columns
        other, value = columns.links.near(np.arange(len(columns)), columns.live())
        degree = (other.reshape(-1, len(CLASSES), WIDTH) >= 0).sum(axis=2)
        assert degree.max() == WIDTH
        assert (degree[:, 1:].sum(axis=1) > 0).mean() > 0.9
        assert (value[other >= 0] > 0).all()
        assert rebuilt(store)


def test_edges_never_cross_namespaces() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        store.add_many([{"text": "the same words", "namespace": ("ns", str(i)), "context": "c"} for i in range(20)])
        assert store._engine.columns.links.empty
        a, b = store.list(namespace=("ns", "1"))[0], store.list(namespace=("ns", "2"))[0]
        with pytest.raises(errors.ArgumentError, match="namespace"):
            store.link(a.id, b.id)
        assert store.neighbors(a.id) == []


def test_a_store_may_be_kept_without_edges() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW), graph=False) as store:
        a, b = store.add_many(["red tea cup", "red tea cup two"])
        assert store.neighbors(a.id) == []
        store.link(a.id, b.id, kind="größer 关系")
        assert [(e.memory.id, e.weight, e.kind) for e in store.neighbors(b.id)] == [(a.id, 1.0, "größer 关系")]


def test_deleting_and_rewording_move_edges() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        a, b, c = store.add_many(["red tea cup one", "red tea cup two", "garden fox sun three"])
        assert {e.memory.id for e in store.neighbors(a.id) if "similarity" in e.classes} == {b.id}
        store.link(a.id, c.id)
        store.update(a.id, text="garden fox sun")
        assert {e.memory.id for e in store.neighbors(a.id) if "similarity" in e.classes} == {c.id}
        assert {e.memory.id for e in store.neighbors(c.id) if e.kind} == {a.id}, "what was linked by hand stays"
        assert rebuilt(store)
        store.delete(c.id)
        assert {e.memory.id for e in store.neighbors(a.id)} == {b.id}
        assert store._engine.columns.links.hand == {}
        assert rebuilt(store)


def test_unlink_ends_edges_by_rule_too() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        a, b = store.add_many(["red tea cup one", "red tea cup two"])
        assert store.neighbors(a.id)
        assert store.unlink(b.id, a.id)
        assert store.neighbors(a.id) == store.neighbors(b.id) == []
        assert [entry.event for entry in store.history(a.id)] == ["learned", "unlinked"]
        assert rebuilt(store)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"weight": 0.0}, errors.ArgumentError),
        ({"weight": 1.5}, errors.ArgumentError),
        ({"weight": math.nan}, errors.ArgumentError),
        ({"weight": True}, errors.ArgumentTypeError),
        ({"kind": ""}, errors.ArgumentError),
        ({"kind": "x" * 65}, errors.ArgumentError),
        ({"namespace": "elsewhere"}, errors.MemoryNotFoundError),
    ],
)
def test_a_bad_link_changes_nothing(given: dict[str, Any], error: type[Exception]) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        a, b = store.add_many(["one", "two"])
        before = store.stats().events
        with pytest.raises(error):
            store.link(a.id, b.id, **given)
        with pytest.raises(errors.ArgumentError):
            store.link(a.id, a.id)
        assert store.stats().events == before


def test_a_hub_of_a_hundred_thousand_edges() -> None:
    links, n = Links(), 100_001
    keys, alive = np.arange(1, n + 1), np.ones(n, np.bool_)
    for other in range(2, n + 1):
        links.tie(1, other, 0.5, "x")
    found = neighbours(links, np.array([0, 7]), alive, keys)
    assert len(found.rows) == n
    assert found.weights.sum() == 0.5 * n
    alive[5] = False
    assert len(neighbours(links, np.array([0]), alive, keys).rows) == n - 2
    links.forget(1)
    assert links.hand == {}


def test_duplicates_and_self_loops() -> None:
    links = Links()
    keys, alive = np.array([1, 2, 3]), np.ones(3, np.bool_)
    sources, targets = np.array([0, 0, 1, 2, 0]), np.array([0, 1, 0, 2, -1])
    links.relate(sources, targets, np.zeros(5, np.uint8), np.float32([1, 0.4, 0.7, 1, 1]), keys, alive)
    rows, classes, values = links.of_row(0, alive)
    assert (rows.tolist(), classes.tolist(), values.tolist()) == ([1], [0], [np.float32(0.7)])
    assert links.of_row(2, alive)[0].tolist() == []


def test_what_is_kept_does_not_depend_on_the_order_of_offers() -> None:
    rng = np.random.default_rng(3)
    n, m = 30, 400
    keys, alive = np.cumsum(rng.integers(1, 4, n)), np.ones(n, np.bool_)
    sources, targets = rng.integers(0, n, (2, m))
    classes, values = rng.integers(0, 3, m), rng.integers(1, 5, m).astype(np.float32) / 5
    live = np.arange(n)
    whole = Links()
    whole.relate(sources, targets, classes, values, keys, alive)
    for cut in (1, 7, 100):
        parts = Links()
        order = rng.permutation(m)
        for start in range(0, m, cut):
            some = order[start : start + cut]
            parts.relate(sources[some], targets[some], classes[some], values[some], keys, alive)
        assert parts.digest(live) == whole.digest(live)


def test_neighbours_are_found_beyond_the_window() -> None:
    class Near(WordHash):
        def embed(self, texts: Any) -> Any:
            return super().embed([text.split("#")[0] for text in texts])

    embedder = Near(dim=64)
    with scrubjay.open(":memory:", embedder=embedder, clock=Clock(NOW)) as store:
        rng = np.random.default_rng(0)
        words = [f"w{i}" for i in range(4000)]
        store.add("alpha beta gamma delta#0", when=0)
        store.add_many([" ".join(rng.choice(words, 4)) for _ in range(3 * WINDOW)])
        late = store.add("alpha beta gamma delta#1")
        assert [e.memory.text for e in store.neighbors(late.id) if "similarity" in e.classes] == [
            "alpha beta gamma delta#0"
        ]


def test_any_cut_of_the_log_gives_the_same_edges() -> None:
    rng = np.random.default_rng(5)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        known: list[str] = []
        for i, text in enumerate(texts_of(120, 9)):
            known.append(store.add(text, context=f"c{i % 3}").id)
            pick = known[int(rng.integers(len(known)))]
            if i % 5 == 4:
                store.update(pick, text=f"{' '.join(rng.choice(WORDS, 3))} again {i}")
            if i % 7 == 6 and len(known) > 3:
                store.delete(pick)
                known.remove(pick)
            if i % 6 == 5 and known[0] != known[-1]:
                store.link(known[0], known[-1], weight=0.25)
            if i % 11 == 10:
                store.unlink(known[-1], known[-2])
        log, wanted = store._engine.log, store._engine.columns.digest()
        events = [e for batch in log.tail() for e in batch.events]
        assert {Related, Linked} <= {type(e) for e in events}
        for size in (1, 3, 50, len(events)):
            columns = Columns(log.dim)
            for start in range(0, len(events), size):
                part = events[start : start + size]
                apply(
                    columns,
                    Batch(
                        after=start,
                        upto=start + len(part),
                        seqs=list(range(start + 1, start + 1 + len(part))),
                        events=part,
                    ),
                )
                if size == 50:
                    columns.compact()
            assert columns.digest() == wanted
        assert store.verify().ok


def test_a_snapshot_carries_edges(tmp_path: Any) -> None:
    folder = tmp_path / "s"
    with scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW)) as store:
        ids = [m.id for m in store.add_many([{"text": t, "context": "c"} for t in texts_of(40)])]
        store.link(ids[0], ids[30], kind="关系")
        store.delete(ids[3:9])
        want = store._engine.columns.digest()
        edges = store.neighbors(ids[0])
        from scrubjay.store import snapshot

        assert snapshot.save(store._engine.log, store._engine.columns).outcome == "written"
    with EventLog.open(folder) as log:
        columns, status = snapshot.load(log)
        assert status.outcome == "loaded"
        assert columns.digest() == want
    with scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW)) as store:
        assert store.neighbors(ids[0]) == edges
        store.add("red tea cup more")
        assert rebuilt(store)


def test_two_handles_see_each_others_edges(tmp_path: Any) -> None:
    folder = tmp_path / "s"
    with (
        scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW)) as one,
        scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW)) as two,
    ):
        a = one.add("red tea cup one")
        b = two.add("red tea cup two")
        c = one.add("red tea cup three")
        two.delete(b.id)
        d = one.add("red tea cup four")
        assert {e.memory.id for e in two.neighbors(a.id)} == {c.id, d.id}
        assert one._engine.columns.digest() == two._engine.columns.digest()
        assert rebuilt(one)


@pytest.mark.parametrize("seed", range(4))
def test_an_edge_is_there_while_both_ends_keep_it_and_live(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, links = 60, Links()
    near = rng.integers(0, n + 1, (n, SLOTS)).astype(np.int32)
    near[rng.random((n, SLOTS)) < 0.3] = 0
    near[0] = 0
    value = rng.random((n, SLOTS), dtype=np.float32)
    links.restore(0, near, value)
    alive = rng.random(n) < 0.8
    # the last of these rows is newer than any edge
    rows = np.array([5, 0, 59, 5, n + 10, *rng.integers(0, n, 20)])
    other, values = links.near(rows, alive)
    for place, row in enumerate(rows.tolist()):
        for slot in range(SLOTS):
            target = int(near[row, slot]) - 1 if row < n else -1
            kind = slice(slot // WIDTH * WIDTH, (slot // WIDTH + 1) * WIDTH)
            there = target >= 0 and bool(alive[target]) and row + 1 in near[target, kind].tolist()
            assert other[place, slot] == (target if there else -1)
            assert values[place, slot] == (value[row, slot] if there else 0)
    assert 0 < (other >= 0).sum() < other.size
