"""Makes a whole folder of a store of today's formats, to be read for ever: `python -m tests.golden_folder NAME`.

It holds a log with a purge behind it, long memories with passages, edges, outcomes, summaries, settings, a source in
quarantine, a snapshot with its segment of vectors, an index of candidates, and a file of ballast (cut short, as it is
random bytes). What the store says lies beside it.
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import MemoryStore, Perishability
from scrubjay.recall import candidates
from scrubjay.store import ballast, snapshot
from scrubjay.verbs import candidates as keeping
from tests.toys import Clock, WordHash

GOLDEN = Path(__file__).with_name("golden")
NOW = 1.71e9
STABLE = Perishability(label="factual", pi=0.1, tau=9 * 86400.0)
TOLD = "told.json"


def opened(path: Path, **given: Any) -> MemoryStore:
    return scrubjay.open(path, embedder=WordHash(16), clock=Clock(NOW), **given)


def said(store: MemoryStore) -> dict[str, Any]:
    """What must be said of it by every later version."""
    told: dict[str, Any] = {}
    for query in ("memory 7 of room 2", "what says the long one", "another text"):
        for space in ((), ("u",)):
            hits = store.search(query, namespace=space, k=1, now=NOW, scoring="paper", weights={"what": 1.0})
            told[f"{query} in {space}"] = [hit.memory.text[:60] for hit in hits]
    told["list"] = [unit.text[:60] for space in ((), ("u",)) for unit in store.list(namespace=space, archived=True)]
    told["quarantined"] = list(store.stats().quarantined)
    told["filtered"] = sorted(
        hit.memory.text for hit in store.search("memory", namespace="u", k=50, now=NOW, filter={"page": {"$gte": 50}})
    )
    return told


def make(path: Path) -> dict[str, Any]:
    """The store, and what it says."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (candidates, keeping):
            patch.setattr(module, "FEWEST", 8)
        with opened(path, candidates=True) as store:
            units = store.add_many(
                [
                    {"text": f"memory {i} of room {i % 3}", "namespace": ("u",) if i % 2 else (),
                     "when": NOW - 1000.0 * i, "perishability": STABLE, "context": f"context {i % 3}",
                     "metadata": {"page": i}}
                    for i in range(60)
                ]
            )  # fmt: skip
            long = " ".join(f"The long one says sentence {i} about a thing of its own." for i in range(60))
            store.add(long, perishability=STABLE, when=NOW - 5.0)
            ids = [unit.id for unit in units]
            store.outcome(ids[:6:2], 0.8)
            store.link(ids[0], ids[2])
            store.update(ids[4], text="another text", when=NOW - 1.0)
            store.integrate("memory 8 of room 2 is no more", metadata={"source": "calendar"})
            store.add("what the web says", metadata={"source": "web"}, perishability=STABLE)
            store.quarantine("web")
            store.set_taxonomy("factual", pi=0.12)
            store.delete(ids[10])
            store.delete(ids[12], purge=True)
            store.condense(namespace="u")
            store.search("tea")
            assert store._engine.candidates is not None
            store._engine.candidates.settle()
            assert snapshot.save(store._engine.log, store._engine.columns).good
            told = said(store)
        with open(path / ballast.NAME, "r+b") as file:
            file.truncate(1024)
    return told


def main() -> None:
    """Write the archive."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(GOLDEN / f"{sys.argv[1]}.tar.xz", "w:xz") as out:
        told = json.dumps(make(Path(folder) / "store"), ensure_ascii=False).encode()
        out.add(Path(folder) / "store", "store")
        entry = tarfile.TarInfo(TOLD)
        entry.size = len(told)
        out.addfile(entry, io.BytesIO(told))


if __name__ == "__main__":
    main()
