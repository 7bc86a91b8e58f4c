"""Random lives of a store beside a cold twin: whatever a handle remembers, it answers like one that was just opened.

The twin folds the log anew for every comparison, so that nothing it says rests on an index, a scope, a compressed
graph, a code or a cached context that an earlier state left behind.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import scrubjay
from scrubjay import MemoryStore, Perishability, errors, fold
from scrubjay.recall.diversity import Diversity
from scrubjay.store.manifest import Status
from scrubjay.store.snapshot import save
from toys import Clock, WordHash

DAY = 86400.0
SPACES = ((), ("u",), ("v", "w"))
EMBEDDER = WordHash(16)
STABLE = Perishability(label="factual", pi=0.1, tau=9 * DAY)
WORDS = ("tea", "coffee", "room", "vpn", "deploy", "kettle")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
spaces = st.sampled_from(SPACES)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"scoring": "paper", "context": "desk"},
    {"weights": {"what": 0.5, "graph": 0.5}, "k": 3},
    {"frame": "TASK", "around": 1},
    {"filter": {"page": {"$gte": 3}}, "diversity": Diversity(mmr=0.3, collapse=True)},
)


def cold(store: MemoryStore) -> MemoryStore:
    """The same log, folded anew; it must not be closed."""
    engine = store._engine
    return MemoryStore(engine.beside(engine.log, fold.rebuild(engine.log)), Status("absent"))


def answers(store: MemoryStore, now: float) -> dict[str, Any]:
    """What a store says, bit for bit."""
    told: dict[str, Any] = {"state": store._engine.state()}
    for space in SPACES:
        units = store.list(namespace=space, archived=True)
        told[f"{space} list"] = store.list(namespace=space), units
        for i, asked in enumerate(QUESTIONS):
            for query in ("tea room", "vpn"):
                hits = store.search(query, namespace=space, now=now, **asked)
                told[f"{space} {i} {query}"] = [(h.memory.id, h.score, h.valid, h.superseded, h.around) for h in hits]
        told[f"{space} due"] = [d.memory.id for d in store.due(now, namespace=space)]
        told[f"{space} edges"] = [[(e.memory.id, e.weight) for e in store.neighbors(u.id)] for u in units]
        descent = store.descend("tea room", namespace=space, now=now)
        told[f"{space} descend"] = [h.memory.id for h in descent.hits]
        told[f"{space} forgotten"] = [u.memory.id for u in store.forgotten(namespace=space)]
    told["stats"] = store.stats().memories, store.stats().archived, store.stats().superseded
    return told


class Twins(RuleBasedStateMachine):
    """One verb a step; then, now and then, a comparison."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock(1.7e9)
        self.events: list[int] = []

    @initialize(on_disk=st.booleans())
    def begin(self, on_disk: bool) -> None:
        self.path = str(self.folder / "store") if on_disk else ":memory:"
        self.store = self._open()

    def _open(self, **given: Any) -> MemoryStore:
        return scrubjay.open(self.path, embedder=EMBEDDER, clock=self.clock, durability="normal", **given)

    def _tick(self, data: Any) -> None:
        self.clock.now += data.draw(st.sampled_from([1.0, 3600.0, DAY, 40 * DAY]))

    def _ids(self) -> list[str]:
        return [u.id for space in SPACES for u in self.store.list(namespace=space, archived=True)]

    def _some(self, data: Any, most: int = 3) -> list[str]:
        ids = self._ids()
        return data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=most, unique=True)) if ids else []

    @rule(
        data=st.data(),
        said=st.lists(texts, min_size=1, max_size=4),
        space=spaces,
        context=st.sampled_from([None, "desk", "train"]),
        thread=st.sampled_from([None, "a", "b"]),
        page=st.integers(0, 5),
    )
    def add(
        self, data: Any, said: list[str], space: tuple[str, ...], context: str | None, thread: str | None, page: int
    ) -> None:
        self._tick(data)
        metadata = {"page": page} | ({} if thread is None else {"thread": thread})
        self.store.add_many(
            [
                {"text": t, "namespace": space, "context": context, "metadata": metadata, "perishability": STABLE}
                for t in said
            ]
        )

    @rule(data=st.data(), text=st.none() | texts, page=st.none() | st.integers(0, 5), context=st.booleans())
    def update(self, data: Any, text: str | None, page: int | None, context: bool) -> None:
        self._tick(data)
        given: dict[str, Any] = {} if text is None else {"text": text}
        given |= {} if page is None else {"metadata": {"page": page}}
        given |= {"context": "train"} if context else {}
        for id in self._some(data, 1):
            with suppress(errors.ArgumentError):
                self.store.update(id, **given)

    @rule(data=st.data())
    def delete(self, data: Any) -> None:
        self._tick(data)
        self.store.delete(self._some(data))

    @rule(data=st.data(), space=st.sampled_from(SPACES[1:]))
    def delete_all(self, data: Any, space: tuple[str, ...]) -> None:
        self._tick(data)
        self.store.delete_all(space)

    @rule(data=st.data(), signal=st.sampled_from([0.0, 0.5, 1.0]), rating=st.booleans())
    def outcome(self, data: Any, signal: float, rating: bool) -> None:
        self._tick(data)
        if ids := self._some(data):
            (self.store.rate if rating else self.store.outcome)(ids, signal)

    @rule(data=st.data(), tied=st.booleans())
    def link(self, data: Any, tied: bool) -> None:
        self._tick(data)
        ids = self._some(data, 2)
        if len(ids) == 2:
            with suppress(errors.ArgumentError):
                self.store.link(*ids) if tied else self.store.unlink(*ids)

    @rule(data=st.data(), text=texts, space=spaces)
    def integrate(self, data: Any, text: str, space: tuple[str, ...]) -> None:
        self._tick(data)
        self.events.append(self.store.integrate(text, namespace=space).event)

    @precondition(lambda self: self.events)
    @rule(data=st.data())
    def undo(self, data: Any) -> None:
        self._tick(data)
        with suppress(errors.ArgumentError, errors.MemoryNotFoundError):
            self.store.undo(data.draw(st.sampled_from(self.events)))

    @rule(data=st.data(), least=st.sampled_from([0.2, 1.0]))
    def consolidate(self, data: Any, least: float) -> None:
        self._tick(data)
        self.store.consolidate(least_utility=least, least_support=least)

    @rule(data=st.data())
    def restore(self, data: Any) -> None:
        self._tick(data)
        self.store.restore([f.memory.id for f in self.store.forgotten()][:2])

    @rule(data=st.data(), space=spaces)
    def condense(self, data: Any, space: tuple[str, ...]) -> None:
        self._tick(data)
        self.store.condense(namespace=space)

    @rule(lossy=st.booleans())
    def compact(self, lossy: bool) -> None:
        self.store.compact(summarise_before=self.clock.now - DAY if lossy else None)

    @rule(law=st.sampled_from(["fsrs-6", "fsrs-5"]), pi=st.sampled_from([0.05, 0.14]))
    def configure(self, law: str, pi: float) -> None:
        self.store.configure(law=law)
        self.store.set_taxonomy("factual", pi=pi)

    # -- comparing

    @rule()
    def a_cold_twin_says_the_same(self) -> None:
        now = self.clock.now
        assert answers(self.store, now) == answers(cold(self.store), now)

    @rule()
    def squeezed_rows_say_the_same(self) -> None:
        now = self.clock.now
        before = answers(self.store, now)
        with self.store._engine.gate.writing():
            self.store._engine.columns.compact()
        assert answers(self.store, now) == before
        self.store.rebuild()
        assert answers(self.store, now) == before

    @precondition(lambda self: self.path != ":memory:")
    @rule(kept=st.booleans())
    def opened_again_it_says_the_same(self, kept: bool) -> None:
        now = self.clock.now
        before = answers(self.store, now)
        if kept:
            save(self.store._engine.log, self.store._engine.columns)
        with self._open(read_only=True) as other:
            assert answers(other, now) == before
        self.store.close()
        self.store = self._open()
        assert answers(self.store, now) == before

    @rule(space=spaces)
    def a_buffer_never_answers_from_what_is_gone(self, space: tuple[str, ...]) -> None:
        ready = self.store.prepare("tea room", namespace=space, k=3, theta=0.0, now=self.clock.now)
        self.ready = ready, space
        self.the_buffer_goes_on()

    @precondition(lambda self: hasattr(self, "ready"))
    @rule()
    def the_buffer_goes_on(self) -> None:
        ready, space = self.ready
        there = {unit.id: unit for unit in self.store.list(namespace=space)}
        for hit in self.store.search("tea", namespace=space, buffer=ready, k=2, now=self.clock.now):
            assert hit.memory == there[hit.memory.id]

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.a_cold_twin_says_the_same()
            assert self.store.verify().ok
            self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)
