"""Edges, buffer and consolidation through the store's verbs: what they cost, and how that grows.

A store of n random memories of d numbers is written to the log at once; then verbs are timed on it. Peers are the same
store a hundredth as large, the same verb without edges, or a search of everything.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import scrubjay
from harness import Row, Target
from scrubjay.events import AnyEvent, Learned, NamespaceSeen
from scrubjay.memory import Perishability
from scrubjay.recall.factors import Weights
from scrubjay.recall.pool import Question
from scrubjay.recall.prospective import PreparedBuffer
from scrubjay.recall.ranking import rank
from scrubjay.store import EventLog, IdSource
from scrubjay.verbs.prepare import consult

DIM = 64
STABLE = Perishability(label="factual", pi=0.1, tau=45 * 86400.0)
NOW = 1.7e9
CENTRES = np.random.default_rng(7).standard_normal((500, DIM), dtype=np.float32)


class Random:
    """Vectors around a few hundred centres, as texts of a few hundred subjects have them; by the hash of the text."""

    name = "random-64"
    dim = DIM

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        out = np.empty((len(texts), DIM), np.float32)
        for i, text in enumerate(texts):
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
            out[i] = CENTRES[seed % len(CENTRES)] + 0.7 * np.random.default_rng(seed).standard_normal(DIM, np.float32)
        return out


def learned(n: int, first: int) -> list[AnyEvent]:
    rng = np.random.default_rng(first)
    what = CENTRES[rng.integers(0, len(CENTRES), n)] + 0.7 * rng.standard_normal((n, DIM), np.float32)
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    ids = IdSource(lambda: NOW).many(n)
    return [
        Learned(
            at=NOW,
            key=first + i,
            id=ids[i],
            space=0,
            text=f"n{first + i}",
            dedupe=hashlib.blake2b(b"%d" % (first + i), digest_size=16).digest(),
            vector=what[i].tobytes(),
            when=NOW - float(n - i),
            perishability=STABLE,
        )
        for i in range(n)
    ]


@pytest.fixture(scope="module")
def filled(pytestconfig: pytest.Config) -> Iterator[Callable[..., scrubjay.MemoryStore]]:
    """An open store of n memories."""
    folder = Path(tempfile.mkdtemp())
    made: dict[tuple[int, bool], scrubjay.MemoryStore] = {}

    def get(n: int, *, graph: bool = True) -> scrubjay.MemoryStore:
        if n > pytestconfig.getoption("--largest"):
            pytest.skip("larger than --largest")
        if (n, graph) not in made:
            path = folder / f"{n}-{graph}"
            with EventLog.open(path, embedder=Random.name, dim=DIM, durability="normal") as log:
                for first in range(1, n + 1, 20_000):
                    with log.write() as tx:
                        space = [NamespaceSeen(at=NOW, space=0, labels=())] if first == 1 else []
                        tx.append([*space, *learned(min(20_000, n + 1 - first), first)])
            made[n, graph] = scrubjay.open(path, embedder=Random(), clock=lambda: NOW, durability="normal", graph=graph)
        return made[n, graph]

    yield get
    for store in made.values():
        store.close()
    shutil.rmtree(folder)


def test_an_add_costs_the_same_in_a_store_of_a_million(
    versus: Callable[..., Row], filled: Callable[..., scrubjay.MemoryStore]
) -> None:
    numbers = count()
    small, large = filled(10_000), filled(1_000_000)
    before = len(small), len(large)
    calls = [0, 0]

    def add(which: int, store: scrubjay.MemoryStore) -> int:
        calls[which] += 1
        return len(store.add(f"fresh {next(numbers)}").text) > 0

    row = versus(
        "graph",
        "add, 1M against 10k memories",
        lambda: add(1, large),
        {"10k memories": lambda: add(0, small)},
        n=1_000_000,
        items=1,
        equal=_same,
        # at most three times as much
        targets=(Target("10k memories", least=1 / 3),),
    )
    assert (len(small) - before[0], len(large) - before[1]) == tuple(calls)
    assert large.neighbors(large.add(f"fresh {next(numbers)}").id), "edges were made"
    assert row.ratios["10k memories"] >= 1 / 3


def test_edges_slow_add_many_by_a_stated_factor(versus: Callable[..., Row]) -> None:
    numbers = count()

    def many(graph: bool) -> int:
        with scrubjay.open(":memory:", embedder=Random(), clock=lambda: NOW, graph=graph) as store:
            start = next(numbers)
            return len(store.add_many([f"text {start} {i}" for i in range(10_000)]))

    row = versus(
        "graph",
        "add_many of 10,000",
        lambda: many(True),
        {"without edges": lambda: many(False)},
        n=10_000,
        equal=_same,
        rounds=3,
        # at most twice as much
        targets=(Target("without edges", least=0.5),),
    )
    assert row.seconds > 0


QUERY = "what is said of n17"


def buffered(store: scrubjay.MemoryStore) -> PreparedBuffer:
    store.add(QUERY)
    buffer = store.prepare(QUERY, theta=0.1)
    assert store.search(QUERY, k=1, buffer=buffer).plan == "buffer"
    assert buffer.costs.rows <= len(store) / 100
    return buffer


@pytest.mark.parametrize("n", [10_000, 1_000_000])
def test_ranking_through_a_buffer(
    versus: Callable[..., Row], filled: Callable[..., scrubjay.MemoryStore], n: int
) -> None:
    store = filled(n, graph=False)
    buffer, engine = buffered(store), store._engine
    vector = engine.embed([QUERY], argument="query").vectors[0]
    weights = Weights(what=0.7, when=0.3).terms(words=False)
    question = Question(vector=vector, context=None, weights=weights, now=NOW)
    scope = engine.scope(())

    def texts(rows: np.ndarray) -> list[str]:
        return [""] * len(rows)

    def full() -> list[int]:
        (answer,) = rank(engine.columns, [question], 1, scope=scope, scoring="paper", texts=texts, slots=None)
        return engine.columns.key[answer.rows].tolist()

    def through() -> list[int]:
        told = consult(engine, buffer, question, 1, scoring="paper", scope=scope, texts=texts)
        assert told.answer is not None
        return engine.columns.key[told.answer.rows].tolist()

    versus("graph", "ranking through a buffer of 32", through, {"full": full}, n=n, items=1, equal=_same)


@pytest.mark.parametrize("n", [10_000, 1_000_000])
def test_a_search_through_a_buffer(
    versus: Callable[..., Row], filled: Callable[..., scrubjay.MemoryStore], n: int
) -> None:
    store = filled(n, graph=False)
    buffer = buffered(store)
    versus(
        "graph",
        "search through a buffer, whole verb",
        lambda: store.search(QUERY, k=1, buffer=buffer)[0].memory.id,
        {"search": lambda: store.search(QUERY, k=1)[0].memory.id},
        n=n,
        items=1,
        equal=_same,
        rounds=5,
    )


def test_consolidation_of_a_million(versus: Callable[..., Row], filled: Callable[..., scrubjay.MemoryStore]) -> None:
    store = filled(1_000_000)
    late = NOW + 3650 * 86400.0
    versus(
        "graph",
        "consolidate(dry_run)",
        lambda: store.consolidate(now=late, dry_run=True, least_utility=0.5).looked,
        n=1_000_000,
        rounds=3,
    )


def _same(a: object, b: object) -> None:
    assert a == b
