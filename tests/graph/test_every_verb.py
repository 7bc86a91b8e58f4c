"""Any mix of verbs gives a state that is the fold of the log, bit for bit, in one process and in two."""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import scrubjay
from scrubjay import Perishability
from scrubjay.fold import rebuild
from scrubjay.links import WIDTH
from scrubjay.store import snapshot
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0
WORDS = ["red", "blue", "tea", "cup", "room", "key", "関係", "größe"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
soon = Perishability(label="ephemeral", pi=0.9, tau=7200.0)


class Verbs(RuleBasedStateMachine):
    """Each rule is a verb; after each, what holds of every graph holds."""

    def __init__(self) -> None:
        super().__init__()
        self.folder: str | None = None

    @initialize(on_disk=st.booleans())
    def start(self, on_disk: bool) -> None:
        self.folder = tempfile.mkdtemp() if on_disk else None
        self.clock = Clock(NOW)
        self.store = self._open()
        self.known: dict[str, str] = {}

    def _open(self) -> scrubjay.MemoryStore:
        return scrubjay.open(self.folder or ":memory:", embedder=WordHash(16), clock=self.clock, durability="normal")

    def _ids(self) -> list[tuple[str, str]]:
        return sorted(self.known.items())

    @rule(
        some=st.lists(texts, min_size=1, max_size=4),
        space=st.sampled_from("ab"),
        context=st.none() | texts,
        days=st.floats(0, 40),
        fades=st.booleans(),
    )
    def add(self, some: list[str], space: str, context: str | None, days: float, fades: bool) -> None:
        self.clock.now += 1.0
        given: dict[str, Any] = {"namespace": space, "context": context, "when": self.clock.now - days * DAY}
        items = [{"text": text, **given} | ({"perishability": soon} if fades else {}) for text in some]
        self.known |= {m.id: space for m in self.store.add_many(items)}

    @precondition(lambda self: self.known)
    @rule(data=st.data(), text=texts, context=st.none() | texts, days=st.none() | st.floats(0, 20))
    def change(self, data: Any, text: str, context: str | None, days: float | None) -> None:
        id, _ = data.draw(st.sampled_from(self._ids()))
        given: dict[str, Any] = {} if days is None else {"when": NOW - days * DAY}
        # another memory of the namespace may say the same: then nothing changes
        with suppress(scrubjay.errors.ArgumentError):
            self.store.update(id, text=text, context=context, **given)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def delete(self, data: Any) -> None:
        chosen = data.draw(st.sets(st.sampled_from(self._ids()), max_size=3))
        assert self.store.delete([id for id, _ in chosen]) == len(chosen)
        for id, _ in chosen:
            del self.known[id]

    @precondition(lambda self: len(self.known) > 1)
    @rule(data=st.data(), weight=st.floats(1e-3, 1.0), kind=texts)
    def link(self, data: Any, weight: float, kind: str) -> None:
        (a, first), (b, second) = data.draw(st.lists(st.sampled_from(self._ids()), min_size=2, max_size=2, unique=True))
        if first == second:
            self.store.link(a, b, weight=weight, kind=kind)
            assert any(e.memory.id == b and e.kind == kind for e in self.store.neighbors(a))
        else:
            with pytest.raises(scrubjay.errors.ArgumentError, match="namespaces"):
                self.store.link(a, b)

    @precondition(lambda self: len(self.known) > 1)
    @rule(data=st.data())
    def unlink(self, data: Any) -> None:
        (a, _), (b, _) = data.draw(st.lists(st.sampled_from(self._ids()), min_size=2, max_size=2, unique=True))
        self.store.unlink(a, b)
        assert all(e.memory.id != b for e in self.store.neighbors(a))

    @rule(text=texts, space=st.sampled_from("ab"))
    def integrate(self, text: str, space: str) -> None:
        self.clock.now += 1.0
        done = self.store.integrate(f"{text} no longer", namespace=space)
        assert done.memory is not None
        self.known[done.memory.id] = space

    @rule(least=st.sampled_from([0.05, 0.9]), support=st.sampled_from([0.0, 0.1, 5.0]))
    def consolidate(self, least: float, support: float) -> None:
        plan = self.store.consolidate(dry_run=True, least_utility=least, least_support=support)
        done = self.store.consolidate(least_utility=least, least_support=support)
        assert done.pruned == plan.pruned
        assert {one.id for one in done.pruned} <= {one.memory.id for one in self.store.forgotten(limit=1000)}

    @rule(data=st.data())
    def restore(self, data: Any) -> None:
        aside = [one.memory.id for one in self.store.forgotten(limit=1000)]
        if aside:
            assert self.store.restore(data.draw(st.sampled_from(aside))) == 1

    @rule(query=texts, space=st.sampled_from("ab"), scoring=st.sampled_from(["paper", "competitive"]))
    def search(self, query: str, space: str, scoring: Any) -> None:
        shown = {m.id for m in self.store.list(namespace=space)}
        buffer = self.store.prepare(query, namespace=space, k=4, theta=0.3)
        for given in (None, buffer):
            hits = self.store.search(query, namespace=space, k=5, scoring=scoring, buffer=given)
            assert {h.memory.id for h in hits} <= shown
            assert all(h.memory.namespace == (space,) for h in hits)
            assert len(hits) == min(5, len(shown))

    @precondition(lambda self: self.folder is not None)
    @rule()
    def reopen(self) -> None:
        snapshot.save(self.store._engine.log, self.store._engine.columns)
        before = self.store._engine.columns.digest()
        self.store.close()
        self.store = self._open()
        assert self.store._engine.columns.digest() == before

    @rule()
    def compact_columns(self) -> None:
        before = self.store._engine.columns.digest()
        self.store._engine.columns.compact()
        assert self.store._engine.columns.digest() == before

    @invariant()
    def the_graph_is_sound(self) -> None:
        if not hasattr(self, "store"):
            return
        columns = self.store._engine.columns
        alive = columns.live()
        rows = np.flatnonzero(alive)
        other, value = columns.links.near(rows, alive)
        at, slot = np.nonzero(other >= 0)
        near, far, strength, kind = rows[at], other[at, slot], value[at, slot], slot // WIDTH
        assert alive[far].all()
        assert (near != far).all()
        assert (columns.space[near] == columns.space[far]).all()
        edges = set(zip(near.tolist(), far.tolist(), kind.tolist(), strength.tolist(), strict=True))
        assert len(edges) == len(near)
        assert {(b, a, k, v) for a, b, k, v in edges} == edges, "both ends know one weight"

    def teardown(self) -> None:
        if not hasattr(self, "store"):
            return
        assert rebuild(self.store._engine.log).digest() == self.store._engine.columns.digest()
        report = self.store.verify()
        assert report.ok, str(report)
        self.store.close()
        if self.folder is not None:
            shutil.rmtree(self.folder)


TestVerbs = Verbs.TestCase
TestVerbs.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)


def _write(folder: str, name: str, barrier: Any) -> None:
    with scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW), durability="normal") as store:
        barrier.wait()
        ids = []
        for i in range(40):
            ids.append(store.add(f"red tea cup {i % 5} {name} {i}", context="office").id)
            if i % 8 == 7:
                store.link(ids[-1], ids[-2], weight=0.5)
                store.delete(ids.pop(0))
            if i % 10 == 9:
                store.consolidate()


def test_two_processes_make_one_graph(tmp_path: Path) -> None:
    folder = str(tmp_path / "s")
    with scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW)) as store:
        store.add("red tea cup")
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    writers = [spawn.Process(target=_write, args=(folder, name, barrier)) for name in ("x", "y")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0, 0]
    with scrubjay.open(folder, embedder=WordHash(), clock=Clock(NOW)) as store:
        assert len(store) == 1 + 2 * 35
        assert rebuild(store._engine.log).digest() == store._engine.columns.digest()
        assert store.verify().ok
        mixed = 0
        for memory in store.list(limit=200):
            own = memory.text.split()[-2]
            mixed += any(e.memory.text.split()[-2] != own for e in store.neighbors(memory.id))
        assert mixed > 10, "edges between what the two have written"
