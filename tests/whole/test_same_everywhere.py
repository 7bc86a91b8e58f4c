"""One history under every instruction set, number of threads and habit of keeping snapshots: one state, one answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, Perishability, fold, isa
from scrubjay.recall import candidates, scan
from scrubjay.store.snapshot import save
from scrubjay.verbs import candidates as keeping
from toys import Clock, WordHash

DIM = 48
STABLE = Perishability(label="factual", pi=0.1, tau=9 * 86400.0)
WORDS = ["tea", "coffee", "room", "vpn", "deploy", "kettle", "meeting", "budget", "ada", "grace", "code", "lamp"]
HABITS = {"each time": 1, "each hundredth": 100, "never": 10**9}
"""How many verbs lie between snapshots."""
THREADS = ("1", "2", "8")
"""How many share a kernel's work."""
QUICK = [("each time", "1", False), ("each hundredth", "2", True), ("never", "8", False), ("never", "1", True)]
ALL = [way for way in itertools.product(HABITS, THREADS, (False, True)) if way not in QUICK]


def live(path: Path, every: int, verbs: int, *, indexed: list[int] | None = None) -> tuple[Any, ...]:
    """A history of so many verbs; a snapshot is kept, and the store opened again, every so many of them.

    With `indexed` an index of candidates is made; the list grows with each question that it is asked.
    """
    clock, draw = Clock(1.7e9), np.random.default_rng(7)

    def opened() -> MemoryStore:
        return scrubjay.open(
            path, embedder=WordHash(DIM), clock=clock, durability="normal", candidates=indexed is not None
        )

    def text() -> str:
        return " ".join(draw.choice(WORDS, 5)) + f" {draw.integers(40)}"

    store = opened()
    names: list[str] = []
    for i in range(verbs):
        clock.now += float(draw.integers(1, 90000))
        # ids are random: memories are named by when they came
        ids = {unit.metadata["n"]: unit.id for unit in store.list(namespace="u", limit=1000)}
        some = [ids[n] for n in draw.choice(sorted(ids), min(3, len(ids)), replace=False)] if ids else []
        kind = draw.choice(["add", "add", "add", "outcome", "integrate", "update", "delete", "compact", "condense"])
        names.append(str(kind))
        if kind == "add":
            store.add_many(
                [
                    {"text": text(), "namespace": "u", "context": f"c{j % 2}", "metadata": {"n": 10 * i + j},
                     "perishability": STABLE}
                    for j in range(6)
                ]
            )  # fmt: skip
        elif kind == "integrate":
            store.integrate(text(), namespace="u", metadata={"n": 10 * i})
        elif kind == "outcome" and some:
            store.outcome(some, float(draw.random()), float(draw.random()) + 0.1)
        elif kind == "update" and some:
            store.update(some[0], text=text() + f" {i}")
        elif kind == "delete" and some:
            store.delete(some[:1])
        elif kind == "compact":
            store.compact(summarise_before=clock.now - 5 * 86400.0)
        elif kind == "condense":
            store.condense(namespace="u")
        if i % every == every - 1:
            save(store._engine.log, store._engine.columns)
            store.close()
            store = opened()
    assert len(set(names)) > 5
    asked = 0
    if indexed is not None:
        assert store._engine.candidates is not None
        store.search("tea", namespace="u")
        store._engine.candidates.settle()
        # whether they suffice is each question's own matter: then all rows are scored
        assert store.stats().candidates.state == "ready"
        asked = len(indexed)
    told = answers(store)
    assert indexed is None or len(indexed) > asked, "the index was never asked"
    seq, digest = store._engine.state()
    assert fold.rebuild(store._engine.log).digest() == digest
    store.close()
    return seq, digest, told


def answers(store: MemoryStore) -> list[Any]:
    told = []
    for asked in ({}, {"scoring": "paper", "context": "c1"}, {"weights": {"what": 0.6, "graph": 0.4}}, {"around": 1}):
        for query in ("tea room 3", "budget meeting", "ada"):
            hits = store.search(query, namespace="u", now=1.8e9, **asked)
            told.append([(hit.memory.metadata["n"], hit.memory.text, hit.score.hex(), hit.valid.hex()) for hit in hits])
    return told


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    with isa.using("scalar"):
        return live(tmp_path_factory.mktemp("same") / "s", 10**9, 60)


@pytest.mark.parametrize(("habit", "threads", "indexed"), QUICK)
@pytest.mark.parametrize("name", isa.available())
def test_one_history_is_one_state(
    tmp_path: Path,
    wanted: tuple[Any, ...],
    name: str,
    habit: str,
    threads: str,
    indexed: bool,
    monkeypatch: pytest.MonkeyPatch,
    counted: Callable[..., None],
) -> None:
    monkeypatch.setattr(scan, "CODED_ROWS", 16 if habit == "never" else 6144)
    # a small store has candidates, too
    monkeypatch.setattr(candidates, "FEWEST", 8)
    monkeypatch.setattr(keeping, "FEWEST", 8)
    monkeypatch.setenv("SCRUBJAY_THREADS", threads)
    asked: list[int] = []
    find = candidates.Candidates.find
    monkeypatch.setattr(candidates.Candidates, "find", lambda self, *given: (asked.append(1), find(self, *given))[1])
    with isa.using(name):
        seq, digest, told = live(tmp_path / "s", HABITS[habit], 60, indexed=asked if indexed else None)
    assert (seq, digest) == wanted[:2]
    assert told == wanted[2]
    counted("one history, ISA x threads x snapshots x candidates", ways=1, other_states=0)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("habit", "threads", "indexed"), ALL)
@pytest.mark.parametrize("name", isa.available())
def test_one_history_is_one_state_in_every_way(
    tmp_path: Path,
    wanted: tuple[Any, ...],
    name: str,
    habit: str,
    threads: str,
    indexed: bool,
    monkeypatch: pytest.MonkeyPatch,
    counted: Callable[..., None],
) -> None:
    test_one_history_is_one_state(tmp_path, wanted, name, habit, threads, indexed, monkeypatch, counted)
