"""The prospective buffer through the public verbs: Proposition 2, staleness, learning."""

from __future__ import annotations

import threading
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import scrubjay
from scrubjay import Perishability, errors
from scrubjay.events import Pruned, Restored
from scrubjay.recall.prospective import BOUND, GROWTH, Encoder, fit
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0
LONG = Perishability(label="factual", pi=0.1, tau=45 * DAY)
WORDS = ["red", "blue", "tea", "cup", "room", "key", "door", "lamp", "fox", "sun", "pump", "note"]
EXACT = {"what": 0.7, "when": 0.3}


def store_of(texts: list[str], **opened: Any) -> scrubjay.MemoryStore:
    store = scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW), **opened)
    store.add_many([{"text": text, "perishability": LONG} for text in texts])
    return store


sentences = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=40, unique=True
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    texts=sentences,
    queries=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=8),
    k=st.integers(1, 12),
    theta=st.floats(0.0, 1.2),
    wanted=st.integers(1, 3),
)
def test_proposition_2_holds_for_what_ran(
    texts: list[str], queries: list[str], k: int, theta: float, wanted: int
) -> None:
    with store_of(texts) as store:
        n, size = len(texts), min(k, len(texts))
        buffer = store.prepare("the red tea room", k=k, theta=theta)
        assert len(buffer) == size
        answers = [store.search(q, k=wanted, weights=EXACT, scoring="paper", buffer=buffer) for q in queries]
        costs = buffer.costs
        hits = sum(a.plan == "buffer" for a in answers)
        assert (costs.queries, costs.hits, costs.misses) == (len(queries), hits, len(queries) - hits)
        looked = size if size >= min(wanted, n) else 0
        # K + (1 - P_hit) N a query, in the mean and in fact
        assert costs.rows == len(queries) * looked + costs.misses * n
        assert costs.rows / len(queries) == pytest.approx(looked + (1 - costs.hit_rate) * n)
        held = set(buffer.ids)
        for query, answer in zip(queries, answers, strict=True):
            full = store.search(query, k=wanted, weights=EXACT, scoring="paper")
            if answer.plan == "buffer":
                assert not answer.exact
                assert answer.notes
                assert {h.memory.id for h in answer} <= held
                assert answer[0].score >= theta
                inside = [h for h in store.search(query, k=n, weights=EXACT, scoring="paper") if h.memory.id in held]
                assert [h.memory.id for h in answer] == [h.memory.id for h in inside[:wanted]]
            else:
                assert [h.memory.id for h in answer] == [h.memory.id for h in full]
                assert answer.exact == full.exact


def test_the_buffer_is_the_top_of_p_times_u() -> None:
    rng = np.random.default_rng(0)
    clock = Clock(NOW)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock, scoring="paper") as store:
        store.add_many(
            [
                {
                    "text": f"{' '.join(rng.choice(WORDS, 3))} {i}",
                    "context": ["office", "garden", None][i % 3],
                    "when": NOW - float(rng.uniform(0, 90)) * DAY,
                    "perishability": LONG,
                }
                for i in range(150)
            ]
        )
        buffer = store.prepare("red tea", k=20, context="office")
        columns = store._engine.columns
        e, c = (v / np.linalg.norm(v) for v in WordHash().embed(["red tea", "office"]).astype(np.float64))
        where = columns.where(np.arange(150)).astype(np.float64)
        p = 1 / (1 + np.exp(-(8 * columns.what.astype(np.float64) @ e + 8 * where @ c - 4)))
        u = np.exp(-0.1 * (NOW - columns.when) / (45 * DAY))
        best = np.argsort(-(p * u))[:20]
        assert buffer.content.keys.tolist() == columns.key[best].tolist()
        assert buffer.content.probability == pytest.approx(p[best], abs=1e-5)
        assert buffer.content.utility == pytest.approx(u[best], abs=1e-6)


@pytest.mark.parametrize("change", ["delete", "update", "supersede", "consolidate"])
def test_a_memory_that_changed_never_comes_from_the_buffer(change: str) -> None:
    with store_of(["the red door key", "blue tea cup", "green lamp"]) as store:
        key = store.list()[0]
        buffer = store.prepare("the red door key", k=2, theta=0.1)
        assert store.search("the red door key", k=1, buffer=buffer)[0].memory.id == key.id
        if change == "delete":
            store.delete(key.id)
        elif change == "update":
            store.update(key.id, text="an orange fox")
        elif change == "supersede":
            engine = store._engine
            from scrubjay.events import Integrated

            other = store.list()[2]
            keys = [engine.key_of(m.id, None) for m in (key, other)]
            vector = engine.columns.what[0].astype("<f4").tobytes()
            with engine.log.write() as tx:
                tx.append(
                    [
                        Integrated(
                            at=NOW, key=keys[1], learned=False, vector=vector, keys=[], affinities=b"", value_step=0.0,
                            pi_step=0.0, tau_step=0.0, what_step=0.0, pi_floor=1e-3, tau_low=60.0, tau_high=1e7,
                            window=1.0, superseded=[keys[0]],
                        )
                    ]
                )  # fmt: skip
        else:
            from scrubjay.events import Pruned

            number = store._engine.key_of(key.id, None)
            with store._engine.log.write() as tx:
                tx.append(
                    [Pruned(at=NOW, keys=[number], utilities=[0.0], support=[0.0], least_utility=1, least_support=1)]
                )
        for query in ("the red door key", "an orange fox"):
            hits = store.search(query, k=1, buffer=buffer)
            assert hits.plan.startswith("buffer>")
            assert any("refill" in note for note in hits.notes)
            assert [h.memory.id for h in hits] == [h.memory.id for h in store.search(query, k=1)]
        buffer.refill()
        assert (key.id in buffer.ids) == (change == "update")


@pytest.mark.parametrize("change", ["update", "restore"])
def test_an_older_memory_that_comes_to_matter_is_not_missed(change: str) -> None:
    with store_of(["red door", "blue tea cup"]) as store:
        outside = store.add("the sun" if change == "update" else "the red door key", perishability=LONG)
        other = store.add("red door", namespace="b")
        number = store._engine.key_of(outside.id, None)
        if change == "restore":
            with store._engine.log.write() as tx:
                tx.append(
                    [Pruned(at=NOW, keys=[number], utilities=[0.0], support=[0.0], least_utility=1, least_support=1)]
                )
        buffer = store.prepare("red door", k=1, theta=0.1)
        assert outside.id not in buffer.ids
        store.update(other.id, text="the red door key")
        assert store.search("red door", k=1, buffer=buffer).plan == "buffer"
        if change == "update":
            store.update(outside.id, text="the red door key")
        else:
            with store._engine.log.write() as tx:
                tx.append([Restored(at=NOW, keys=[number])])
        hits = store.search("the red door key", k=1, buffer=buffer)
        assert hits.plan.startswith("buffer>")
        assert hits[0].memory.id == outside.id
        buffer.refill()
        assert store.search("red door", k=1, buffer=buffer).plan == "buffer"


def test_what_is_harmless_leaves_the_buffer_as_it_is() -> None:
    with store_of(["the red door key", "blue tea cup"]) as store:
        key = store.list()[0]
        buffer = store.prepare("the red door key", k=2, theta=0.1)
        store.add("the red door key")
        store.outcome(key.id, 1.0)
        assert store.search("the red door key", k=1, buffer=buffer).plan == "buffer"
        assert buffer.stale == set()


def test_news_are_looked_at_beside_the_buffer_until_it_is_outgrown() -> None:
    with store_of(["the red door key is under the mat", "blue tea cup"]) as store:
        buffer = store.prepare("the red door key", k=2, theta=0.1)
        store.add("the red door key is with Ada", perishability=LONG, namespace=())
        hits = store.search("the red door key is with Ada", k=1, buffer=buffer)
        assert hits.plan == "buffer"
        assert hits[0].memory.text == "the red door key is with Ada"
        store.add_many([f"elsewhere {i}" for i in range(50)])
        store.add_many([{"text": f"other {i}", "namespace": "b"} for i in range(50)])
        hits = store.search("the red door key", k=1, buffer=buffer)
        assert len(buffer) * GROWTH < 51
        assert hits.plan.startswith("buffer>")
        assert any("refill" in note for note in hits.notes)
        buffer.refill()
        assert store.search("the red door key is with Ada", k=1, buffer=buffer).plan == "buffer"


def test_a_fresh_memory_about_something_else_does_not_answer() -> None:
    with store_of(["blue tea cup", "green lamp"]) as store:
        store.add("the red door key is under the mat", when=NOW - 100 * DAY, perishability=LONG)
        buffer = store.prepare("blue tea", k=1)
        assert buffer.content.texts == ["blue tea cup"]
        hits = store.search("where is the red door key", k=1, buffer=buffer)
        assert hits.plan.startswith("buffer>")
        assert "door key" in hits[0].memory.text


def test_refusals() -> None:
    with store_of(["a b"]) as store:
        buffer = store.prepare("a")
        with pytest.raises(errors.ArgumentError, match="namespace"):
            store.search("a", buffer=buffer, namespace="other")
        with pytest.raises(errors.ArgumentTypeError, match="buffer"):
            store.search("a", buffer="x")  # type: ignore[arg-type]
        for bad in (0, -1, True, "3"):
            with pytest.raises(errors.ArgumentError):
                store.prepare("a", k=bad)  # type: ignore[arg-type]
        for theta in (-0.1, float("nan"), float("inf"), "x"):
            with pytest.raises(errors.ArgumentError):
                store.prepare("a", theta=theta)  # type: ignore[arg-type]
        with pytest.raises(errors.ArgumentError):
            store.prepare(" ")


def test_a_namespace_that_nobody_has_written_to_sees_nothing() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        store.add("red tea", namespace="a")
        buffer = store.prepare("red tea", namespace="b", theta=0.0)
        assert len(buffer) == 0
        assert list(store.search("red tea", namespace="b", buffer=buffer)) == []
        store.add("red cup", namespace="b")
        assert [h.memory.text for h in store.search("red tea", namespace="b", buffer=buffer)] == ["red cup"]


def test_an_empty_store_and_a_k_beyond_the_buffer() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(NOW)) as store:
        buffer = store.prepare("關於 tea", k=4)
        assert len(buffer) == 0
        assert list(store.search("tea", buffer=buffer)) == []
        store.add_many([f"tea {i}" for i in range(10)])
        hits = store.search("tea", k=10, buffer=store.prepare("tea", k=4, theta=0.0))
        assert len(hits) == 10
        assert hits.plan.startswith("buffer>")


def test_learning_raises_what_was_asked_for() -> None:
    texts = [f"{a} {b}" for a in WORDS for b in WORDS if a != b]
    with store_of(texts) as store:
        buffer = store.prepare("sun", k=32, theta=0.3)
        assert buffer.learn().examples == 0
        for _ in range(3):
            for query in ("pump note", "note pump", "pump key"):
                store.search(query, k=1, buffer=buffer)
        before = set(buffer.content.texts)
        done = buffer.learn()
        assert done.examples == 9
        assert done.after < done.before
        buffer.refill()
        asked = {"pump note", "note pump", "pump key"}
        assert len(asked & set(buffer.content.texts)) > len(asked & before)
        for part in (buffer.encoder.v, buffer.encoder.u, np.array([buffer.encoder.b])):
            assert np.linalg.norm(part) <= BOUND * (1 + 1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), n=st.integers(1, 60), scale=st.sampled_from([0.0, 1.0, 30.0]))
def test_a_fit_is_bounded_and_never_worse(seed: int, n: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    what = rng.normal(size=(n, 5))
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    asked = (rng.uniform(size=n) < 0.3).astype(np.float64)
    start = Encoder(rng.normal(size=5) * scale, np.zeros(5), 0.0)
    done, before, after = fit(start, what, np.zeros((n, 5)), asked)
    assert after <= before
    assert np.isfinite(done.v).all()
    if after < before:
        assert np.linalg.norm(done.v) <= BOUND * (1 + 1e-12)
        assert abs(done.b) <= BOUND


def test_threads_share_a_buffer() -> None:
    with store_of([f"{a} {b}" for a in WORDS for b in WORDS]) as store:
        buffer = store.prepare("red tea", k=16, theta=0.2)
        threads = [
            threading.Thread(target=lambda: [store.search("red tea", k=2, buffer=buffer) for _ in range(20)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert buffer.costs.queries == 80
        assert buffer.costs.buffer_rows == 80 * 16
