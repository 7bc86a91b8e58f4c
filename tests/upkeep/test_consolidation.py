"""Consolidation through the public verbs: what is put aside, what is kept, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import scrubjay
from scrubjay import Perishability, errors
from scrubjay.columns import ARCHIVED
from scrubjay.fold import rebuild
from scrubjay.graph.csr import Csr, build
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0
SOON = Perishability(label="ephemeral", pi=0.9, tau=7200.0)
LONG = Perishability(label="factual", pi=0.1, tau=45 * DAY)


def opened(**given: Any) -> scrubjay.MemoryStore:
    return scrubjay.open(given.pop("path", ":memory:"), embedder=WordHash(), clock=Clock(NOW), **given)


def test_what_has_faded_alone_is_put_aside_and_comes_back() -> None:
    with opened() as store:
        old = store.add("the oven is warm", when=NOW - 90 * DAY, perishability=SOON)
        held = store.add("Ada is a carpenter", when=NOW - 60 * DAY, perishability=LONG)
        before = store._engine.columns.digest()
        plan = store.consolidate(dry_run=True)
        assert [one.id for one in plan.pruned] == [old.id]
        assert plan.looked == 2
        assert "put aside 1 of 2" in str(plan)
        assert store._engine.columns.digest() == before
        assert store.consolidate().pruned == plan.pruned
        assert [h.memory.id for h in store.search("the oven is warm")] == [held.id]
        assert [m.id for m in store.list()] == [held.id]
        assert [m.id for m in store.list(archived=True)] == [old.id, held.id]
        assert store.get(old.id).archived
        assert [entry.event for entry in store.history(old.id)] == ["learned", "pruned"]
        (told,) = store.forgotten()
        assert (told.memory.id, told.utility, told.reason) == (
            old.id,
            plan.pruned[0].utility,
            "utility <= 0.05 and support <= 0.1",
        )
        assert (store.stats().archived, store.stats().memories) == (1, 2)
        assert store.consolidate().pruned == []
        assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
        assert store.verify().ok
        assert store.restore(old.id) == 1
        assert store.restore([old.id, held.id]) == 0
        assert store.search("the oven is warm")[0].memory.id == old.id
        assert store.forgotten() == []


@pytest.mark.parametrize("sensitive", ["medical", "financial", "safety", "legal"])
def test_pins_and_sensitive_classes_outrank_perishability(sensitive: str) -> None:
    with opened() as store:
        given: dict[str, Any] = {"when": NOW - 300 * DAY, "perishability": SOON}
        store.add("a pinned note", pinned=True, **given)
        store.add("a private note", sensitive=sensitive, **given)
        done = store.consolidate(least_utility=1e6, least_support=1e6)
        assert (done.pruned, done.immune) == ([], 2)


def test_words_raise_a_class_and_only_the_user_lowers_it() -> None:
    with opened() as store:
        memory = store.add("Maya is allergic to peanuts", when=NOW - 300 * DAY, perishability=SOON)
        assert memory.sensitive == "medical"
        assert store.consolidate().pruned == []
        assert store.update(memory.id, sensitive=None).sensitive is None
        assert [one.id for one in store.consolidate().pruned] == [memory.id]


def test_a_hub_is_kept_for_what_leans_on_it() -> None:
    with opened(graph=False) as store:
        hub, alone = store.add_many(
            [{"text": text, "when": NOW - 300 * DAY, "perishability": SOON} for text in ("the hub", "the hermit")]
        )
        for i in range(3):
            leaf = store.add(f"leaf {i}", perishability=LONG)
            store.link(hub.id, leaf.id, weight=0.4)
        done = store.consolidate()
        assert ([one.id for one in done.pruned], done.hubs) == ([alone.id], 1)
        for leaf in store.list()[1:]:
            store.delete(leaf.id)
        assert [one.id for one in store.consolidate().pruned] == [hub.id]


def test_saying_it_again_brings_it_back_and_deleting_reaches_it() -> None:
    with opened() as store:
        old = store.add("the oven is warm", when=NOW - 90 * DAY, perishability=SOON, namespace="a")
        store.consolidate()
        assert store.add("the oven is warm", namespace="a", when=NOW).id == old.id
        assert not store.get(old.id).archived
        store.update(old.id, when=NOW - 90 * DAY)
        assert len(store.consolidate(namespace="a").pruned) == 1
        assert store.delete_all("a", purge=False) == 1
        assert store.forgotten() == []


def test_a_namespace_at_a_time() -> None:
    with opened() as store:
        for name in ("a", "b"):
            store.add("the oven is warm", when=NOW - 90 * DAY, perishability=SOON, namespace=name)
        assert store.consolidate(namespace="nobody").looked == 0
        assert store.consolidate(namespace="a").looked == 1
        assert len(store.forgotten(namespace="a")) == 1
        assert store.forgotten(namespace="b") == store.forgotten(namespace="nobody") == []
        with pytest.raises(errors.MemoryNotFoundError):
            store.restore(store.forgotten()[0].memory.id, namespace="b")


def test_pages_of_what_was_put_aside() -> None:
    with opened(graph=False) as store:
        ids = [
            m.id
            for m in store.add_many(
                [{"text": f"note {i}", "when": NOW - 90 * DAY, "perishability": SOON} for i in range(25)]
            )
        ]
        store.consolidate()
        got: list[str] = []
        while page := store.forgotten(limit=10, after=got[-1] if got else None):
            got += [one.memory.id for one in page]
        assert got == ids


@pytest.mark.parametrize(
    "given", [{"least_utility": -1}, {"least_support": float("nan")}, {"least_utility": True}, {"dry_run": 1}]
)
def test_refusals(given: dict[str, Any]) -> None:
    with opened() as store, pytest.raises(errors.ArgumentError):
        store.consolidate(**given)


def test_a_snapshot_and_another_handle_carry_it(tmp_path: Path) -> None:
    with opened(path=tmp_path / "s") as store:
        old = store.add("the oven is warm", when=NOW - 90 * DAY, perishability=SOON)
        store.set_taxonomy("ephemeral", pi=0.85, tau=1800)
        store.consolidate()
        from scrubjay.store import snapshot

        assert snapshot.save(store._engine.log, store._engine.columns).outcome == "written"
        with opened(path=tmp_path / "s") as other:
            assert other.get(old.id).archived
            assert other.taxonomy()["ephemeral"].tau == 1800
            assert other._engine.columns.digest() == store._engine.columns.digest()
            assert other.restore(old.id) == 1
        assert not store.get(old.id).archived


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    ages=st.lists(st.floats(0, 400), min_size=1, max_size=25),
    eps=st.sampled_from([0.0, 0.05, 0.5, 2.0]),
    eps_g=st.sampled_from([0.0, 0.1, 1.0, 10.0]),
    pins=st.sets(st.integers(0, 24)),
)
def test_the_rule_is_equation_15(ages: list[float], eps: float, eps_g: float, pins: set[int]) -> None:
    with opened() as store:
        store.add_many(
            [
                {"text": f"red tea {i % 4} {i}", "when": NOW - age * DAY, "perishability": LONG, "pinned": i in pins}
                for i, age in enumerate(ages)
            ]
        )
        columns = store._engine.columns
        n = len(columns)
        u = columns.value * np.exp(-columns.pi.astype(np.float64) * (NOW - columns.when) / columns.tau)
        e = np.zeros((n, n))
        shares = np.repeat([0.4, 0.3, 0.3], 8)
        other, value = columns.links.near(np.arange(n), columns.live())
        for row, slot in zip(*np.nonzero(other >= 0), strict=True):
            e[row, other[row, slot]] += shares[slot] * value[row, slot]
        phi = e @ u
        clear = (np.abs(u - eps) > 1e-6) & (np.abs(phi - eps_g) > 1e-5)
        gone = (u <= eps) & (phi <= eps_g) & ~np.isin(np.arange(n), list(pins))
        store.consolidate(least_utility=eps, least_support=eps_g)
        archived = (store._engine.columns.flags & ARCHIVED) != 0
        assert (archived == gone)[clear].all()


def test_the_delta_gives_what_a_fresh_build_gives() -> None:
    rng = np.random.default_rng(1)
    with opened() as store:
        store.add_many([f"red tea {i % 9} {i}" for i in range(400)])
        csr = Csr()
        merges = 0
        for step in range(60):
            kind = step % 6
            ids = [m.id for m in store.list(limit=1000)]
            pick = ids[int(rng.integers(len(ids)))]
            if kind < 3:
                store.add(f"red tea {step % 9} more {step}")
            elif kind == 3:
                store.delete(pick)
            elif kind == 4:
                store.update(pick, text=f"blue cup {step}")
            elif step % 12 == 5:
                store.link(ids[0], ids[-1], weight=0.5)
            columns = store._engine.columns
            brings = rng.uniform(0, 1, len(columns)).astype(np.float32) * columns.live()
            got = csr.hop(columns, brings)
            merges += csr.delta == 0
            wanted = build(columns).hop(brings)
            assert got[columns.live()] == pytest.approx(wanted[columns.live()], abs=1e-5)
        assert 0 < merges < 40


class TestTaxonomy:
    def test_labels_mean_what_the_store_says(self) -> None:
        with opened() as store:
            assert [m.label for m in store.taxonomy().values()] == list(scrubjay.memory.LABELS)
            assert not store.taxonomy()["factual"].edited
            store.set_taxonomy("factual", pi=0.12)
            changed = store.set_taxonomy("factual", tau=90 * DAY)
            assert (changed.pi, changed.tau, changed.edited) == (0.12, 90 * DAY, True)
            memory = store.add("the moon is far", perishability="factual")  # type: ignore[arg-type]
            assert (memory.perishability.pi, memory.perishability.tau) == (0.12, 90 * DAY)
            (many,) = store.add_many([{"text": "water is wet", "perishability": "factual"}])
            assert many.perishability.tau == 90 * DAY
            assert store.update(many.id, perishability="ephemeral").perishability.tau == 7200.0  # type: ignore[arg-type]
            assert rebuild(store._engine.log).digest() == store._engine.columns.digest()

    @pytest.mark.parametrize(
        "given",
        [("nonsense", {}), ("factual", {"pi": 0.9}), ("factual", {"tau": 1.0}), ("factual", {"pi": True}), (3, {})],
    )
    def test_refusals(self, given: tuple[Any, dict[str, Any]]) -> None:
        with opened() as store:
            with pytest.raises(errors.ArgumentError):
                store.set_taxonomy(given[0], **given[1])
            assert store.stats().events == 0


def test_binding_is_equation_2() -> None:
    with opened() as store:
        a, b = store.add_many([{"text": "red tea", "context": "kitchen"}, {"text": "blue cup"}])
        got = store.binding([b.id, a.id])
        columns = store._engine.columns
        for row, h in ((1, got[0]), (0, got[1])):
            what = columns.what[row].astype(np.float64)
            where = columns.where(np.array([row]))[0].astype(np.float64)
            gate = 1 / (1 + np.exp(-what * where))
            wanted = 0.55 * what + 0.35 * where + 0.10 * gate
            wanted /= np.linalg.norm(wanted)
            wanted[0] += np.log(columns.when[row] + 1) % 10
            wanted[1] += np.log(float(columns.tau[row]) + 1) % 10
            assert h == pytest.approx(wanted, abs=1e-5)
        with pytest.raises(errors.MemoryNotFoundError):
            store.binding("nobody")


def test_future_oriented_encoding_changes_what_is_embedded_and_nothing_else() -> None:
    from scrubjay.llm import ScriptedModel

    said = '{"items": [{"item": 1, "sentence": "Useful when the pump breaks."}]}'
    embedder = WordHash()
    model = ScriptedModel([said, "no json", said, "no json"])
    with scrubjay.open(":memory:", embedder=embedder, clock=Clock(NOW), model=model, foresee=True) as store:
        memory = store.add("the wrench is in drawer two", perishability=LONG)
        assert memory.text == "the wrench is in drawer two"
        wanted = embedder.embed(["the wrench is in drawer two\nUseful when the pump breaks."])[0]
        assert store._engine.columns.what[0] == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-6)
        assert store.history(memory.id)[0].changes["annotation"] == "Useful when the pump breaks."
        plain = store.add("blue cup", perishability=LONG)
        assert store._engine.columns.what[1] == pytest.approx(
            embedder.embed(["blue cup"])[0] / np.linalg.norm(embedder.embed(["blue cup"])[0]), abs=1e-6
        )
        assert "annotation" not in store.history(plain.id)[0].changes
        assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
    with opened(foresee=True) as store:
        store.add("the wrench is in drawer two")
        assert "annotation" not in store.history(store.list()[0].id)[0].changes
