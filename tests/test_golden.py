"""A store that the first version with a facade wrote: it opens, says the same, and takes outcomes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import scrubjay
from toys import Clock, WordHash

GOLDEN = Path(__file__).resolve().parent / "golden"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "s"
    path.mkdir()
    (path / "log.sqlite").write_bytes(gzip.decompress((GOLDEN / "facade-1.sqlite.gz").read_bytes()))
    return path


def test_an_old_store_says_what_it_said_and_goes_on(folder: Path) -> None:
    told = json.loads((GOLDEN / "facade-1.json").read_text())
    clock = Clock(1.7e9 + 2 * 86400.0)
    with scrubjay.open(folder, embedder=WordHash(16), clock=clock) as store:
        assert store.stats().events == told["events"]
        assert len(store) == told["memories"]
        rows = [
            [m.id, m.text, m.evidence, m.when, m.value, m.metadata, m.context]
            for m in store.list(namespace="u", limit=100)
        ]
        assert rows == told["rows"]
        queries = ("fact 4", "where is the standup", "topic 2")
        for query, wanted in zip(queries, told["found"], strict=True):
            hits = store.search(query, namespace="u", k=5)
            # how they are ranked may change from version to version
            assert len(hits) == len(wanted)
            assert {h.memory.text for h in hits} <= {row[1] for row in rows}
        assert store.search("fact 4 corrected", namespace="u")[0].memory.text == "fact 4 corrected"
        for id, events in told["history"].items():
            assert [e.event for e in store.history(id)] == events
        unit = store.list(namespace="u")[0]
        assert (unit.importance, unit.usefulness, unit.stability, unit.reviewed) == (0.5, 0.5, 1.0, unit.created)
        store.outcome(unit, 1.0)
        assert store.verify().ok
        wanted = store.list(namespace="u")
    with scrubjay.open(folder, embedder=WordHash(16), clock=clock) as store:
        assert store.list(namespace="u") == wanted
