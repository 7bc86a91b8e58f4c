"""Memories that come and go: what a store keeps of those that are gone.

    python bench/bench_churn.py [--cycles 20] [--add 10000] [--delete 9000] [--purge]

Each cycle adds so many memories (every twentieth with passages, every tenth with metadata), searches, and deletes so
many of all that are there, on one handle; half-way the store is closed and opened. The table shows resident memory, the
bytes of the columns and those of the folder. Without --purge the events of what was deleted stay in the log, which is
its history; all else must not grow. It fails where memory, or with --purge the folder, grows by more than what the
living memories take.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import scrubjay

DIM = 128
VOCABULARY = 5000
SLACK = 24 << 20
"""Bytes by which allocators may differ between two cycles."""


class Hashed:
    """Each word adds a fixed direction."""

    name, dim = "bench-words", DIM

    def __init__(self) -> None:
        self._words = np.random.default_rng(5).standard_normal((VOCABULARY, DIM)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        picks = [[int(w[1:]) % VOCABULARY for w in text.split() if w[1:].isdigit()] or [0] for text in texts]
        return np.stack([self._words[some].sum(0) for some in picks])


def resident() -> int:
    """Bytes."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def size(folder: Path, pattern: str = "*") -> int:
    """Bytes of its files."""
    return sum(file.stat().st_size for file in folder.rglob(pattern) if file.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--add", type=int, default=10_000)
    parser.add_argument("--delete", type=int, default=9_000)
    parser.add_argument("--purge", action="store_true", help="remove them for good")
    given = parser.parse_args()
    rng = random.Random(1)
    folder = Path(tempfile.mkdtemp()) / "store"
    embedder = Hashed()

    def words(count: int) -> str:
        return " ".join(f"w{int(VOCABULARY * rng.random() ** 2)}" for _ in range(count))

    def opened() -> scrubjay.MemoryStore:
        return scrubjay.open(folder, embedder=embedder, durability="normal")

    ids: list[str] = []
    rows = []
    print(f"{'cycle':>5} {'living':>7} {'RSS MB':>8} {'columns MB':>11} {'log MB':>8} {'folder MB':>10} {'s':>6}")
    store = opened()
    for cycle in range(given.cycles):
        begun = time.perf_counter()
        if cycle == given.cycles // 2:
            store.close()
            store = opened()
        items = [
            {
                "text": words(300 if i % 20 == 0 else 12),
                "namespace": f"u{i % 5}",
                "context": f"desk {i % 50}",
                "metadata": {"page": i} if i % 10 == 0 else None,
            }
            for i in range(given.add)
        ]
        ids += [memory.id for memory in store.add_many(items)]
        for i in range(20):
            store.search(words(3), namespace=f"u{i % 5}")
        rng.shuffle(ids)
        gone, ids = ids[: given.delete], ids[given.delete :]
        if given.purge:
            assert store.delete(gone, purge=True).done
        else:
            store.delete(gone)
        for i in range(20):
            store.search(words(3), namespace=f"u{i % 5}")
        assert len(store) == len(ids)
        rows.append((len(ids), resident(), store.stats().column_bytes, size(folder, "log.sqlite*"), size(folder)))
        living, *sizes = rows[-1]
        shown = "".join(f"{value / 2**20:{width}.1f}" for value, width in zip(sizes, (9, 12, 9, 11), strict=True))
        print(f"{cycle + 1:5} {living:7,}{shown} {time.perf_counter() - begun:6.1f}", flush=True)
    store.close()
    third = min(given.cycles // 2 + 1, len(rows) - 1)
    grown = rows[-1][0] - rows[third][0]
    each = rows[-1][2] / max(1, rows[-1][0])
    memory, kept = rows[-1][1] - rows[third][1], rows[-1][4] - rows[third][4]
    print(f"since cycle {third + 1}: {grown:+,} living, memory {memory / 2**20:+.1f} MB, folder {kept / 2**20:+.1f} MB")
    assert memory <= 3 * each * grown + SLACK, "memory grows with what is gone"
    if given.purge:
        assert kept <= 6 * each * grown + SLACK, "the folder grows with what is gone"


if __name__ == "__main__":
    main()
