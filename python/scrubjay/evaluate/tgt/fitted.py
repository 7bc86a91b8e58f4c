"""Ours after it has learned the domain: a store that was told, of other seeds, what still held and what did not.

What is told are the queries of the intervals I1, I2 and I4 as checks (`MemoryStore.fit_perishability`): this memory was
looked at then, and held or did not. Neither a class nor the intervals I3 and I5 are ever shown, and none of the texts
that are asked about.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Final

import scrubjay
from scrubjay.evaluate.ours import Ours
from scrubjay.evaluate.systems import DAY, Factory
from scrubjay.evaluate.tgt.artefact import Benchmark, Instance
from scrubjay.evaluate.tgt.generator import generate
from scrubjay.evaluate.tgt.run import EPOCH, pool
from scrubjay.evaluate.tgt.schedule import SEEN
from scrubjay.protocols import Embedder

SEEDS: Final = 4
"""Other seeds that are learned from (chosen)."""
_FIRST: Final = 101


def checks(
    store: scrubjay.MemoryStore, instance: Instance, namespace: tuple[str, ...], *, session: float = DAY
) -> list[tuple[str, float, bool]]:
    """Store an instance's pool, and what its queries of the seen intervals found: (id, time, whether it held)."""
    items = pool(instance, session)
    units = store.add_many([{"text": item.text, "when": item.when, "namespace": namespace} for item in items])
    ids = {memory.id: unit.id for memory, unit in zip(instance.memories, units, strict=True)}
    return [(ids[q.target], EPOCH + q.now * session, q.valid) for q in instance.queries if q.interval in SEEN]


@contextlib.contextmanager
def fitted(title: str, embedder: Embedder, benchmark: Benchmark, *, seeds: int = SEEDS) -> Iterator[Factory]:
    """Systems that share one store, each in a namespace of its own, fitted to as many instances of each of some other
    seeds with the same switches. The store is closed at the end."""
    store = scrubjay.open(":memory:", embedder=embedder)
    try:
        others = itertools.islice((s for s in itertools.count(_FIRST) if s != benchmark.seed), seeds)
        told: list[tuple[str, float, bool]] = []
        for seed in others:
            made = generate(seed, len(benchmark.instances), unique_keys=benchmark.unique_keys, cues=benchmark.cues)
            for instance in made.instances:
                told += checks(store, instance, ("learned", str(seed), instance.id))
        store.fit_perishability(checks=told)
        number = itertools.count()
        yield lambda: Ours(title, embedder, store=store, namespace=("asked", str(next(number))))
    finally:
        store.close()
