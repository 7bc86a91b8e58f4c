"""What neighbours bring, against a plain reading of eq. 8 over the whole store."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import Perishability
from scrubjay.graph.edges import SHARES
from scrubjay.links import WIDTH
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0
WEIGHTS = {"what": 0.4, "where": 0.1, "when": 0.3, "graph": 0.2}
LONG = Perishability(label="factual", pi=0.1, tau=45 * DAY)


def filled(n: int, seed: int = 0, **given: Any) -> scrubjay.MemoryStore:
    store = scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW), **given)
    rng = np.random.default_rng(seed)
    words = ["red", "blue", "tea", "cup", "room", "key", "door", "lamp", "fox", "sun", "pump", "note"]
    store.add_many(
        [
            {
                "text": f"{' '.join(rng.choice(words, 3))} {i}",
                "context": [None, "office", "garden"][i % 3],
                "when": NOW - float(rng.uniform(0, 30)) * DAY,
                "perishability": LONG,
                "value": float(rng.uniform(0, 2)),
            }
            for i in range(n)
        ]
    )
    return store


def weighted(store: scrubjay.MemoryStore) -> np.ndarray:
    """(n, n) e_ij."""
    columns = store._engine.columns
    other, value = columns.links.near(np.arange(len(columns)), columns.live())
    e = np.zeros((len(columns), len(columns)))
    for row, slot in zip(*np.nonzero(other >= 0), strict=True):
        e[row, other[row, slot]] += float(SHARES[slot // WIDTH]) * float(value[row, slot])
    for a, held in columns.links.hand.items():
        for b, (weight, _) in held.items():
            e[columns.row(a), columns.row(b)] += weight
    return e


def oracle(store: scrubjay.MemoryStore, query: str, context: str) -> np.ndarray:
    """(n,) S0 + delta Phi of eqs. 5 and 8, over every pair."""
    columns = store._engine.columns
    vector, where = (v / np.linalg.norm(v) for v in WordHash().embed([query, context]).astype(np.float64))
    u = columns.value * np.exp(-columns.pi.astype(np.float64) * (NOW - columns.when) / columns.tau.astype(np.float64))
    s0 = (
        0.4 * (columns.what.astype(np.float64) @ vector)
        + 0.1 * (columns.where(np.arange(len(columns))).astype(np.float64) @ where)
        + 0.3 * u
    )
    return np.asarray(s0 + 0.2 * (weighted(store) @ (s0 * u)))


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (2, 0), (30, 1), (400, 2)])
def test_the_paper_law_is_equation_8(n: int, seed: int) -> None:
    with filled(n, seed) as store:
        if n > 2:
            ids = [m.id for m in store.list()]
            store.link(ids[0], ids[-1], weight=0.7)
        wanted = oracle(store, "red tea", "office")
        # a pool as large as the store: every row is looked at
        hits = store.search("red tea", context="office", k=n, weights=WEIGHTS, scoring="paper")
        assert hits.exact
        assert "graph" in hits.plan or n < 3
        assert [hit.score for hit in hits] == pytest.approx(sorted(wanted, reverse=True), abs=1e-5)
        for hit in hits:
            assert sum(hit.factors.values()) == pytest.approx(hit.score, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_list_that_calls_itself_exact_is(seed: int) -> None:
    with filled(600, seed) as store:
        wanted = np.sort(oracle(store, "blue key", "garden"))[::-1]
        for graph in (0.2, 0.02):
            weights = WEIGHTS | {"graph": graph}
            hits = store.search("blue key", context="garden", k=3, weights=weights, scoring="paper")
            if graph == 0.2 and hits.exact:
                assert [hit.score for hit in hits] == pytest.approx(wanted[:3], abs=1e-5)


def test_small_stores_are_proved_exact_under_both_laws() -> None:
    with filled(60) as store:
        for scoring in ("paper", "competitive"):
            hits = store.search("red tea", k=30, scoring=scoring)
            assert hits.exact
            assert "+graph" in hits.plan


def test_a_neighbour_comes_in_that_the_scan_alone_would_have_missed() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW), graph=False) as store:
        best = store.add("the pump in hall seven is very loud", when=NOW - DAY, perishability=LONG)
        far = store.add("invoice nine is open", when=NOW - 300 * DAY, perishability=LONG)
        store.add_many([{"text": f"red tea {i} {i * i}", "when": NOW - DAY, "perishability": LONG} for i in range(200)])
        weights = {"what": 0.5, "when": 0.2, "graph": 0.5}
        query = "the pump in hall seven is loud"
        assert far.id not in [h.memory.id for h in store.search(query, k=5, weights=weights, scoring="paper")]
        store.link(best.id, far.id, weight=1.0)
        for scoring in ("paper", "competitive"):
            hits = store.search(query, k=5, weights=weights, scoring=scoring)
            got = {h.memory.id: h for h in hits}
            assert far.id in got, scoring
            assert got[far.id].factors["graph"] > 0.1


def test_under_the_competitive_law_a_hub_is_bounded() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW), graph=False) as store:
        hub = store.add("garden sun")
        ids = [m.id for m in store.add_many([f"red tea {i}" for i in range(60)])]
        for id in ids:
            store.link(hub.id, id)
        weights = {"what": 0.6, "when": 0.2, "graph": 0.2}
        hits = store.search("red tea", k=61, weights=weights)
        by = {h.memory.id: h for h in hits}
        most = max(h.score for h in hits)
        assert 0.0 < by[hub.id].factors["graph"] <= 0.2 * most
        assert hits[-1].memory.id == hub.id, "sixty neighbours do not make up for saying nothing of it"
        (paper,) = [h for h in store.search("red tea", k=61, weights=weights, scoring="paper") if h.memory.id == hub.id]
        assert paper.factors["graph"] > 10 * by[hub.id].factors["graph"]


def test_without_weight_or_edges_nothing_changes() -> None:
    with filled(80) as linked, filled(80, graph=False) as plain:
        for weights in ({"what": 0.7, "when": 0.3}, {"what": 1.0}):
            a, b = (store.search("red tea", k=20, weights=weights) for store in (linked, plain))
            assert [h.memory.text for h in a] == [h.memory.text for h in b]
            assert a.plan == b.plan
        assert "graph" not in plain.search("red tea").plan


def test_edges_that_are_gone_leave_no_trace_in_a_score() -> None:
    scores = []
    for graph in (True, False):
        with filled(80, graph=graph) as store:
            store.delete([unit.id for unit in store.list(limit=80)][1:])
            scores.append([(hit.memory.text, hit.score) for hit in store.search("red tea")])
    assert scores[0] == scores[1]


def test_batches_give_what_single_queries_give() -> None:
    with filled(300, 4) as store:
        queries = ["red tea", "blue key door", "", "lamp"]
        many = store.search_many(queries, k=7, context="office")
        for query, hits in zip(queries, many, strict=True):
            one = store.search(query, k=7, context="office")
            assert [h.memory.id for h in one] == [h.memory.id for h in hits]
            assert [h.score for h in one] == pytest.approx([h.score for h in hits], abs=1e-9)
