"""Many small namespaces in one store beside one large one: the same million memories either way.

    python bench/bench_namespaces.py [--spaces 10000] [--each 100] [--folder KEPT]

Both stores have the same texts and vectors. What is compared: opening, adding, a search of the whole (a subtree of all
namespaces beside the one namespace), and a search of one small namespace. Medians and 95th percentiles in ms; the last
column is the ratio to the large namespace. The answers are checked against each other.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import scrubjay
from scrubjay.events import AnyEvent, Learned, NamespaceSeen
from scrubjay.memory import Perishability
from scrubjay.store import EventLog, IdSource

DIM = 128
VOCABULARY = 4000
WORDS = 12
NOW = 1.7e9
PERISHABILITY = Perishability(label="factual", pi=0.1, tau=45 * 86400.0)


class Hashed:
    """Each word adds a fixed direction."""

    name, dim = "bench-words", DIM

    def __init__(self) -> None:
        self._words = np.random.default_rng(5).standard_normal((VOCABULARY, DIM)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        picks = [[int(w[1:]) for w in text.split() if w[0] == "w" and w[1:].isdigit()] or [0] for text in texts]
        return np.stack([self._words[some].sum(0) for some in picks])


def memories(n: int, first: int, each: int, embedder: Hashed) -> list[AnyEvent]:
    """Events of n memories; `each` in a namespace, 0: all in one."""
    rng = np.random.default_rng(first)
    # few words are frequent, most are rare
    picks = (VOCABULARY * rng.random((n, WORDS)) ** 3).astype(int)
    what = embedder._words[picks].sum(1)
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    ids = IdSource(lambda: NOW).many(n)
    out: list[AnyEvent] = []
    for i in range(n):
        number = first - 1 + i
        if (each and number % each == 0) or number == 0:
            labels = ("team", f"user{number // each}") if each else ("team",)
            out.append(NamespaceSeen(at=NOW, space=number // each if each else 0, labels=labels))
        out.append(
            Learned(
                at=NOW,
                key=first + i,
                id=ids[i],
                space=number // each if each else 0,
                text=" ".join(f"w{w}" for w in picks[i]),
                dedupe=hashlib.blake2b(b"%d" % number, digest_size=16).digest(),
                vector=what[i].astype("<f4").tobytes(),
                when=NOW - number,
                perishability=PERISHABILITY,
            )
        )
    return out


def build(path: Path, total: int, each: int) -> float:
    """Memories per second of the build."""
    embedder, begun = Hashed(), time.perf_counter()
    log = EventLog.open(path, embedder=embedder.name, dim=DIM, durability="normal")
    for first in range(1, total + 1, 20_000):
        with log.write() as tx:
            tx.append(memories(min(20_000, total + 1 - first), first, each, embedder))
    log.close()
    took = time.perf_counter() - begun
    with opened(path):
        pass
    return total / took


def opened(path: Path) -> scrubjay.MemoryStore:
    return scrubjay.open(path, embedder=Hashed(), clock=lambda: NOW, durability="normal", graph=False)


def timed(call: Callable[[int], Any], rounds: int) -> tuple[float, float]:
    """Median and 95th percentile in ms, after three calls that do not count."""
    took = []
    for i in range(rounds + 3):
        begun = time.perf_counter()
        call(i)
        took.append(1e3 * (time.perf_counter() - begun))
    kept = sorted(took[3:])
    return statistics.median(kept), kept[int(0.95 * (len(kept) - 1))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spaces", type=int, default=10_000)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--folder", type=Path, help="kept, and taken as it is where it is there")
    given = parser.parse_args()
    total = given.spaces * given.each
    folder = given.folder or Path(tempfile.mkdtemp())
    rows: list[tuple[str, tuple[float, float], tuple[float, float]]] = []
    rng = np.random.default_rng(1)
    queries = [" ".join(f"w{w}" for w in (VOCABULARY * rng.random(4) ** 2).astype(int)) for _ in range(64)]
    for name, each in (("many", given.each), ("one", 0)):
        if not (folder / name).exists():
            print(f"{name}: built at {build(folder / name, total, each):,.0f} memories/s", flush=True)
    opening: dict[str, tuple[float, float]] = {}
    for name in ("many", "one"):
        took = []
        for _ in range(3):
            begun = time.perf_counter()
            store = opened(folder / name)
            took.append(1e3 * (time.perf_counter() - begun))
            store.close()
        opening[name] = (statistics.median(took), max(took))
    rows.append(("open", opening["many"], opening["one"]))
    with opened(folder / "many") as many, opened(folder / "one") as one:
        everyone = scrubjay.Subtree("team")

        def asked(i: int) -> str:
            return queries[i % len(queries)]

        for law in ("paper", "competitive"):
            whole = timed(lambda i, law=law: one.search(asked(i), namespace="team", scoring=law), given.rounds)
            small = timed(
                lambda i, law=law: many.search(
                    asked(i), namespace=("team", f"user{(i * 7919) % given.spaces}"), scoring=law
                ),
                given.rounds,
            )
            rows.append((f"search one small, {law}", small, whole))
            tree = timed(lambda i, law=law: many.search(asked(i), namespace=everyone, scoring=law), given.rounds)
            rows.append((f"search the whole, {law}", tree, whole))
        lone = {"what": 1.0, "lexical": 0.0, "thread": 0.0, "answer": 0.0}
        tree = timed(lambda i: many.search(asked(i), namespace=everyone, weights=lone, scoring="paper"), given.rounds)
        whole = timed(lambda i: one.search(asked(i), namespace="team", weights=lone, scoring="paper"), given.rounds)
        rows.append(("search the whole, vectors alone", tree, whole))
        for i in range(8):
            a = many.search(asked(i), namespace=everyone, weights=lone, scoring="paper")
            b = one.search(asked(i), namespace="team", weights=lone, scoring="paper")
            assert [h.memory.text for h in a] == [h.memory.text for h in b]
            assert [h.score for h in a] == [h.score for h in b]
        fresh = [f"w{3000 + i} w{i} w7 fresh{i}" for i in range(given.rounds + 3)]
        rows.append(
            (
                "add one",
                timed(lambda i: many.add(fresh[i], namespace=("team", f"user{i % given.spaces}")), given.rounds),
                timed(lambda i: one.add(fresh[i], namespace="team"), given.rounds),
            )
        )
        rows.append(
            (
                "list a page",
                timed(lambda _: many.list(namespace=everyone, limit=100), given.rounds),
                timed(lambda _: one.list(namespace="team", limit=100), given.rounds),
            )
        )
    print(f"{given.spaces:,} namespaces of {given.each} beside one of {total:,}, d = {DIM}")
    print(f"{'':34} {'many p50':>9} {'p95':>9} {'one p50':>9} {'p95':>9} {'ratio':>6}")
    for what, (a, a95), (b, b95) in rows:
        print(f"{what:34} {a:9.2f} {a95:9.2f} {b:9.2f} {b95:9.2f} {a / b:6.2f}")
    print(f"peak resident memory of both: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
