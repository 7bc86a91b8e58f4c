"""Random lives of a store: each verb beside a plain-Python model; after each both agree, and so does a rebuild."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import scrubjay
from scrubjay import MemoryStore, Perishability, errors
from scrubjay.encode.normal import dedupe_digest
from scrubjay.recall.frames import FRAMES
from tests.whole.model import DAY, Memory, Model
from toys import Clock, WordHash

SPACES = ("", "u1", "u2")
STABLE = Perishability(label="factual", pi=0.1, tau=9 * DAY)
EMBEDDER = WordHash(16)
WORDS = ("tea", "coffee", "room", "vpn", "deploy", "成语", "ada's", "100%")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
spaces = st.sampled_from(SPACES)
signals = st.floats(0, 1) | st.sampled_from([0.0, 1 / 3, 1.0])
weights = st.sampled_from([0.125, 0.3, 1.0, 2.5]) | st.floats(1e-6, 1e3)
keys = st.none() | st.sampled_from(["k1", "k2"])


def labels(space: str) -> tuple[str, ...]:
    return (space,) if space else ()


class WholeStore(RuleBasedStateMachine):
    """One verb a step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock(1.7e9)
        self.model = Model()
        self.past: list[tuple[int, float, Model]] = []
        self.exact_past = 0
        self.changed = True

    @initialize(on_disk=st.booleans())
    def begin(self, on_disk: bool) -> None:
        self.path = str(self.folder / "store") if on_disk else ":memory:"
        self.store = self._open()

    def _open(self) -> MemoryStore:
        return scrubjay.open(self.path, embedder=EMBEDDER, clock=self.clock, durability="normal")

    def _tick(self, data: Any) -> float:
        self.clock.now += data.draw(st.sampled_from([1.0, 3600.0, DAY, 40 * DAY]))
        return self.clock.now

    def _some(self, data: Any, most: int = 3) -> list[str]:
        ids = sorted(self.model.memories)
        return data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=most, unique=True))

    # -- writing

    @rule(
        data=st.data(),
        text=texts,
        space=spaces,
        key=keys,
        metadata=st.dictionaries(st.sampled_from("ab"), st.integers(0, 9)),
    )
    def add(self, data: Any, text: str, space: str, key: str | None, metadata: dict[str, Any]) -> None:
        now = self._tick(data)
        when = data.draw(st.none() | st.just(now - DAY) | st.just(now + DAY))
        unit = self.store.add(
            text, namespace=labels(space), key=key, when=when, metadata=metadata, perishability=STABLE
        )
        fresh = Memory(text=text, space=space, key=key, when=now if when is None else when, now=now, metadata=metadata)
        there = self.model.find(fresh.identity)
        if there is None:
            assert unit.id not in self.model.memories
            self.model.memories[unit.id] = fresh
        else:
            assert unit.id == there
            m = self.model.memories[there]
            late, m.when = fresh.when < m.when, max(m.when, fresh.when)
            m.evidence, m.updated = m.evidence + 1, now
            if m.key is not None and m.text.split() != text.split():
                m.text = m.text if late else text
                m.metadata = metadata | m.metadata if late else m.metadata | metadata

    @precondition(lambda self: self.model.memories)
    @rule(
        data=st.data(),
        text=st.none() | texts,
        pinned=st.none() | st.booleans(),
        patch=st.none() | st.just({"a": None, "b": 5}),
    )
    def update(self, data: Any, text: str | None, pinned: bool | None, patch: dict[str, Any] | None) -> None:
        now = self._tick(data)
        (id,) = self._some(data, 1)
        m = self.model.memories[id]
        given = {name: x for name, x in (("text", text), ("pinned", pinned), ("metadata", patch)) if x is not None}
        if text is not None and m.key is None:
            other = self.model.find((m.space, "text", " ".join(text.split())))
            if other not in (None, id):
                with pytest.raises(errors.ArgumentError, match="says the same"):
                    self.store.update(id, **given)
                return
        self.store.update(id, **given)
        m.updated = now
        if text is not None and text.split() != m.text.split():
            m.when = now
        m.text = m.text if text is None else text
        m.pinned = m.pinned if pinned is None else pinned
        if patch is not None:
            m.metadata = {name: x for name, x in (m.metadata | patch).items() if x is not None}

    @precondition(lambda self: self.model.memories)
    @rule(data=st.data())
    def delete(self, data: Any) -> None:
        self._tick(data)
        ids = self._some(data)
        assert self.store.delete(ids) == len(ids)
        for id in ids:
            del self.model.memories[id]
            self.model.gone.add(id)

    @rule(data=st.data(), space=st.sampled_from(SPACES[1:]), purge=st.booleans())
    def delete_all(self, data: Any, space: str, purge: bool) -> None:
        self._tick(data)
        ids = list(self.model.of(space))
        if purge:
            receipt = self.store.delete_all(space)
            assert receipt.done
            assert receipt.memories >= len(ids)
            self._never_were({id for _, _, model in self.past for id in model.of(space)})
        else:
            assert self.store.delete_all(space, purge=False) == len(ids)
        for id in ids:
            del self.model.memories[id]
            self.model.gone.add(id)

    @precondition(lambda self: self.model.memories)
    @rule(data=st.data())
    def purge(self, data: Any) -> None:
        self._tick(data)
        ids = self._some(data)
        receipt = self.store.delete(ids, purge=True)
        assert receipt.done
        assert receipt.memories == len(ids) + receipt.summaries
        for id in ids:
            del self.model.memories[id]
            self.model.gone.add(id)
            assert [entry.event for entry in self.store.history(id)] == ["purged"]
        self._never_were(ids)

    def _never_were(self, ids: Iterable[str]) -> None:
        for _, _, model in self.past:
            for id in ids:
                model.memories.pop(id, None)

    # -- channels

    @precondition(lambda self: self.model.memories)
    @rule(data=st.data(), signal=signals, weight=weights, source=st.sampled_from(["", "bot"]))
    def outcome(self, data: Any, signal: float, weight: float, source: str) -> None:
        now = self._tick(data)
        ids = self._some(data)
        assert self.store.outcome(ids, signal, weight, source=source) == len(ids)
        self.model.outcome(ids, signal, weight, now)

    @precondition(lambda self: self.model.memories)
    @rule(data=st.data(), rating=signals, weight=weights, again=st.booleans())
    def rate(self, data: Any, rating: float, weight: float, again: bool) -> None:
        now = self._tick(data)
        ids = self._some(data)
        if again:
            self.store.rescore(dict.fromkeys(ids, rating), weight)
        else:
            self.store.rate(ids, rating, weight)
        self.model.rate(ids, rating, weight, now)

    @precondition(lambda self: self.model.gone)
    @rule(data=st.data())
    def what_is_gone_takes_nothing(self, data: Any) -> None:
        id = data.draw(st.sampled_from(sorted(self.model.gone)))
        ids = [*sorted(self.model.memories)[:1], id]
        for call in (lambda: self.store.outcome(ids, 1.0), lambda: self.store.delete(ids), lambda: self.store.get(id)):
            with pytest.raises(errors.MemoryNotFoundError):
                call()

    @rule(data=st.data(), law=st.sampled_from(["fsrs-6", "fsrs-5"]))
    def configure(self, data: Any, law: str) -> None:
        self._tick(data)
        self.store.configure(law=law)
        self.model.law = law

    @rule(
        data=st.data(),
        peer=st.sampled_from(["bob", "eve"]),
        upto=st.integers(0, 3),
        trust=st.sampled_from([0.0, 0.5, 1.0]),
    )
    def merge_peer(self, data: Any, peer: str, upto: int, trust: float) -> None:
        now = self._tick(data)
        space = data.draw(spaces)
        amounts = st.sampled_from([0.0, 0.75, 8.0, 900.0])
        digests = {dedupe_digest(m.text, m.key).hex(): id for id, m in self.model.of(space).items()}
        some = st.lists(st.sampled_from([*digests, dedupe_digest("unknown").hex()]), unique=True, min_size=1)
        file = {
            "format": "scrubjay-peer-1",
            "peer": peer,
            "upto": upto,
            "memories": [
                {
                    "digest": digest,
                    "good": data.draw(amounts),
                    "bad": data.draw(amounts),
                    "stability": data.draw(amounts),
                }
                for digest in data.draw(some)
            ],
        }
        (self.folder / "peer.json").write_text(json.dumps(file))
        self.store.merge_peer(self.folder / "peer.json", trust, namespace=labels(space))
        self.model.merge(file, peer, trust, now, digests)

    # -- the log

    @rule(lossy=st.booleans())
    def compact(self, lossy: bool) -> None:
        done = self.store.compact(summarise_before=self.clock.now - DAY if lossy else None)
        assert bool(done.dropped) == bool(done.summarised)
        if done.summarised:
            # what came before a summary is as it was only where nothing was summarised
            self.exact_past = len(self.past)

    @precondition(lambda self: self.path != ":memory:")
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self._open()

    @precondition(lambda self: len(self.past) > self.exact_past)
    @rule(data=st.data(), gathered=st.booleans())
    def look_back(self, data: Any, gathered: bool) -> None:
        """The store as it was after some step: by its number of events, and by its time."""
        if gathered:
            self.store.compact()
        events, at, model = data.draw(st.sampled_from(self.past[self.exact_past :]))
        self._agree(self.store.replay(upto=events), model)
        latest = max((n, i) for i, (n, time, _) in enumerate(self.past) if time == at)[1]
        for id, m in self.past[latest][2].memories.items():
            self._same(self.store.get(id, as_of=at), m)

    @rule(data=st.data(), space=spaces)
    def condense(self, data: Any, space: str) -> None:
        """Tiers come and go; what is asked of raw memories stays the same."""
        self._tick(data)
        done = self.store.condense(namespace=labels(space))
        for tier in (*done.summaries, *done.abstracts):
            assert set(tier.metadata["members"]) <= set(self.model.of(space))

    # -- looking

    @precondition(lambda self: self.model.memories)
    @rule(query=texts, space=spaces, name=st.sampled_from(["SELF", "TASK", "ATTENTION"]), k=st.integers(1, 5))
    def search(self, query: str, space: str, name: str, k: int) -> None:
        hits = self.store.search(query, namespace=labels(space), frame=name, k=k, scoring="paper")
        vectors = EMBEDDER.embed([query, *(m.text for m in self.model.of(space).values())]).astype("f8")
        vectors /= (vectors**2).sum(axis=1, keepdims=True) ** 0.5
        row = FRAMES[name]
        wanted = {}
        for i, (id, m) in enumerate(self.model.of(space).items(), 1):
            wanted[id] = (
                row.what * float(vectors[0] @ vectors[i])
                + row.usefulness * m.usefulness
                + row.retrievability * self.model.recall(m, self.clock.now)
                + row.importance * m.importance
                + row.exploration * m.uncertainty
            )
        assert len(hits) == min(k, len(wanted))
        for hit in hits:
            assert hit.score == pytest.approx(wanted[hit.memory.id], abs=2e-6)
        left = [score for id, score in wanted.items() if id not in {h.memory.id for h in hits}]
        assert not hits or max(left, default=-2.0) <= hits[-1].score + 2e-6

    @rule(space=spaces, later=st.sampled_from([0.0, 2 * DAY, 100 * DAY]))
    def due(self, space: str, later: float) -> None:
        now = self.clock.now + later
        told = [d.memory.id for d in self.store.due(now, namespace=labels(space))]
        for id, m in self.model.of(space).items():
            late = (now - m.reviewed) / DAY - max(1.0, m.stability)
            if abs(late) > 0.6:
                assert (id in told) == (late > 0)

    # -- what must hold

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "store"):
            return
        self._agree(self.store, self.model)
        self.store._engine.refresh()
        columns = self.store._engine.columns
        assert self.store.rebuild().same
        assert self.store._engine.columns.digest() == columns.digest()
        seq = columns.seq
        if not self.past or self.past[-1][0] != seq:
            self.past.append((seq, self.clock.now, self.model.copy()))

    def _agree(self, store: MemoryStore, model: Model) -> None:
        for space in SPACES:
            units = store.list(namespace=labels(space))
            wanted = model.of(space)
            assert {unit.id for unit in units} == set(wanted)
            for unit in units:
                self._same(unit, wanted[unit.id])

    def _same(self, unit: scrubjay.MemoryUnit, m: Memory) -> None:
        assert (unit.text, unit.namespace, unit.metadata, unit.pinned) == (
            m.text,
            labels(m.space),
            m.metadata,
            m.pinned,
        )
        assert (unit.when, unit.created, unit.updated, unit.evidence) == (m.when, m.created, m.updated, m.evidence)
        assert unit.importance == pytest.approx(m.importance, abs=1e-7)
        assert unit.usefulness == pytest.approx(m.usefulness, rel=1e-12)
        assert unit.uncertainty == pytest.approx(m.uncertainty, rel=1e-9)
        assert unit.stability == pytest.approx(m.stability, rel=1e-9)
        assert unit.difficulty == pytest.approx(m.difficulty, rel=1e-9)
        assert unit.reviewed == m.reviewed

    def teardown(self) -> None:
        if hasattr(self, "store"):
            report = self.store.verify()
            assert report.ok, str(report)
            self.store.close()
        shutil.rmtree(self.folder)
