"""Imports from other systems: what was mapped is here, what was guessed or dropped is told."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from toys import Clock, WordHash

NOW = 1.7e9

# The tables of elfmem 0.20.0 that hold memories, with their columns.
SCHEMA = """
CREATE TABLE blocks (
    id TEXT PRIMARY KEY, content TEXT NOT NULL, category TEXT NOT NULL, source TEXT NOT NULL, created_at TEXT NOT NULL,
    status TEXT NOT NULL, archive_reason TEXT, pinned INTEGER NOT NULL DEFAULT 0, superseded_by TEXT,
    confidence FLOAT NOT NULL, reinforcement_count INTEGER NOT NULL, decay_lambda FLOAT NOT NULL,
    last_reinforced_at FLOAT NOT NULL, self_alignment FLOAT, embedding BLOB, embedding_model TEXT, token_count INTEGER,
    summary TEXT, last_session_id TEXT, outcome_evidence FLOAT NOT NULL, success_count FLOAT NOT NULL DEFAULT 0.5,
    failure_count FLOAT NOT NULL DEFAULT 0.5, source_peer TEXT, share TEXT, envelope_json TEXT, last_scored_at TEXT,
    cue TEXT, volatility_class TEXT);
CREATE TABLE block_tags (block_id TEXT NOT NULL, tag TEXT NOT NULL);
CREATE TABLE edges (
    from_id TEXT NOT NULL, to_id TEXT NOT NULL, weight FLOAT NOT NULL, reinforcement_count INTEGER NOT NULL,
    created_at TEXT NOT NULL, relation_type TEXT NOT NULL DEFAULT 'similar', origin TEXT NOT NULL DEFAULT 'similarity',
    last_active_hours FLOAT, note TEXT, declared_by TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, task_type TEXT, started_at TEXT, ended_at TEXT, start_active_hours FLOAT);
"""


def block(id: str, content: Any, **given: Any) -> dict[str, Any]:
    usual = {
        "id": id,
        "content": content,
        "category": "knowledge",
        "source": "api",
        "created_at": "2026-01-02T03:04:05+00:00",
        "status": "active",
        "confidence": 0.5,
        "reinforcement_count": 0,
        "decay_lambda": 0.01,
        "last_reinforced_at": 0.0,
        "outcome_evidence": 0.0,
    }
    return usual | given


def database(path: Path, blocks: list[dict[str, Any]], schema: str = SCHEMA) -> Path:
    db = sqlite3.connect(path)
    db.executescript(schema)
    for one in blocks:
        names = ", ".join(one)
        db.execute(f"INSERT INTO blocks ({names}) VALUES ({', '.join('?' * len(one))})", tuple(one.values()))
    db.commit()
    db.close()
    return path


@pytest.fixture
def elfmem(tmp_path: Path) -> Path:
    path = database(
        tmp_path / "elf.db",
        [
            block(
                "a", "Ada likes tea", success_count=4.5, failure_count=1.5, self_alignment=0.8, pinned=1, cue="drink"
            ),
            block("b", "The deploy needs the VPN", decay_lambda=0.001, embedding=b"\0" * 16, created_at="never"),
            block("c", "gone", status="archived", archive_reason="decay"),
            block("d", "  "),
            block("e", "Ada likes  tea"),
        ],
    )
    db = sqlite3.connect(path)
    db.execute("INSERT INTO block_tags VALUES ('a', 'self/taste'), ('a', 'drink')")
    edge = "INSERT INTO edges (from_id, to_id, weight, reinforcement_count, created_at, relation_type) VALUES "
    db.execute(
        edge + "('a', 'b', 0.6, 0, '', 'supports'), ('a', 'c', 0.6, 0, '', 'similar'), ('b', 'a', 7, 0, '', 'x')"
    )
    db.execute("INSERT INTO sessions (id) VALUES ('s')")
    db.commit()
    db.close()
    return path


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(NOW)) as opened:
        yield opened


def test_an_elfmem_database_comes_over(store: MemoryStore, elfmem: Path) -> None:
    before = elfmem.read_bytes()
    done = store.import_elfmem(elfmem, namespace="ada")
    assert elfmem.read_bytes() == before
    assert (done.added, done.known, done.edges) == (2, 1, 1)
    tea, vpn = store.list(namespace="ada")
    assert (tea.text, tea.pinned, tea.importance) == ("Ada likes tea", True, 0.8)
    assert tea.usefulness == 4.5 / 6
    assert tea.when == pytest.approx(1767323045.0)
    assert tea.metadata["elfmem"]["tags"] == ["drink", "self/taste"]
    assert (tea.metadata["elfmem"]["cue"], tea.metadata["elfmem"]["id"]) == ("drink", "a")
    assert tea.stability == pytest.approx(-math.log(0.9) / 0.01 / 24)
    assert math.exp(-0.01 * 24 * tea.stability) == pytest.approx(0.9)
    assert vpn.when == NOW
    assert vpn.stability == pytest.approx(10 * tea.stability)
    (edge,) = [e for e in store.neighbors(tea.id) if e.kind == "supports"]
    assert edge.weight == pytest.approx(0.6)
    assert done.mapped["content"] == 3
    assert set(done.guessed) >= {"decay_lambda", "self_alignment", "created_at"}
    assert done.dropped["archived blocks"] == 1
    assert done.dropped["blocks without text"] == 1
    assert done.dropped["embeddings: made anew"] == 1
    assert done.dropped["rows of sessions: no counterpart"] == 1
    assert "guessed  decay_lambda: stability" in str(done)
    assert store.verify().ok
    assert store.rebuild().same


def test_running_an_import_again_changes_nothing(store: MemoryStore, elfmem: Path) -> None:
    store.import_elfmem(elfmem)
    events = store.stats().events
    again = store.import_elfmem(elfmem)
    assert (again.added, again.known, again.edges) == (0, 3, 0)
    assert store.stats().events == events


def test_archived_blocks_and_undoing_an_import(store: MemoryStore, elfmem: Path) -> None:
    store.add("mine")
    assert store.import_elfmem(elfmem, archived=True).added == 3
    assert [unit.text for unit in store.replay(without="elfmem").list()] == ["mine"]
    assert store.replay(without="elfmem").verify().ok


def test_an_older_database_has_its_confidence_turned_into_evidence(store: MemoryStore, tmp_path: Path) -> None:
    schema = "CREATE TABLE blocks (id, content, created_at, confidence, outcome_evidence, decay_lambda)"
    old = {"id": 1, "content": "x", "created_at": "2026-01-01", "confidence": 0.8, "outcome_evidence": 9.0}
    done = store.import_elfmem(database(tmp_path / "old.db", [old], schema))
    assert store.list()[0].usefulness == pytest.approx(0.8)
    assert "confidence" in done.guessed


def test_strange_values_are_left_out_and_never_stored(store: MemoryStore, tmp_path: Path) -> None:
    path = database(
        tmp_path / "odd.db",
        [
            block("1", "inf", success_count=float("inf"), failure_count=1e308, decay_lambda=0.0),
            block("2", "text", success_count="many", failure_count=-3, self_alignment=7.0, decay_lambda="fast"),
            block("3", b"\xff\xfe bytes"),
            block("4", "nul \0 inside"),
            block("5", "x" * (9 << 20)),
            block("6", "tags are long", cue="y" * 2_000_000),
        ],
    )
    done = store.import_elfmem(path)
    assert done.added == 2
    assert sum(count for name, count in done.dropped.items() if name.startswith("memories that cannot")) == 3
    assert np.isfinite([(u.usefulness, u.stability, u.importance) for u in store.list()]).all()
    assert store.verify().ok


@pytest.mark.parametrize("data", [b"", b"not a database", b"SQLite format 3\0" + b"\0" * 100])
def test_what_is_no_database_is_refused(store: MemoryStore, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.db").write_bytes(data)
    for path in (tmp_path / "x.db", tmp_path / "nowhere.db", tmp_path):
        with pytest.raises(errors.ArgumentError, match="path"):
            store.import_elfmem(path)
    other = database(tmp_path / "other.db", [], "CREATE TABLE things (id)")
    with pytest.raises(errors.ArgumentError, match="no table blocks"):
        store.import_elfmem(other)
    assert store.stats().events == 0


def test_a_mem0_export_comes_over(store: MemoryStore, tmp_path: Path) -> None:
    items = [
        {
            "id": "m1",
            "memory": "Likes tea",
            "user_id": "ada",
            "agent_id": "bot",
            "hash": "h",
            "created_at": "2026-01-02T03:04:05-08:00",
            "metadata": {"topic": "drinks"},
            "categories": ["food"],
            "score": 0.3,
        },
        {"id": "m2", "memory": "Lives in Oslo", "user_id": "bob", "strange": 1},
        {"id": "m3", "memory": " "},
        "a bare text",
        7,
    ]
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": items, "relations": [{"source": "a"}]}))
    done = store.import_mem0(file)
    assert done.added == 3
    (tea,) = store.list(namespace="ada")
    assert (tea.text, tea.when) == ("Likes tea", pytest.approx(1767351845.0))
    assert tea.metadata == {
        "topic": "drinks",
        "mem0": {"id": "m1", "user_id": "ada", "agent_id": "bot", "hash": "h", "categories": ["food"]},
    }
    assert [u.text for u in store.list(namespace="bob")] == ["Lives in Oslo"]
    assert [u.text for u in store.list()] == ["a bare text"]
    assert done.dropped == {
        "relations between entities: no counterpart": 1,
        "scores: they belong to a query": 1,
        "field 'strange': unknown": 1,
        "memories without text": 1,
        "items that are int": 1,
    }
    assert store.import_mem0(file).added == 0
    assert store.import_mem0(file, namespace="all").added == 3


@pytest.mark.parametrize("text", ["", "{", '{"results": 3}', "7", "[" * 100_000, '{"memories": {}}'])
def test_what_is_no_export_is_refused(store: MemoryStore, tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(errors.ArgumentError, match="path"):
        store.import_mem0(tmp_path / "x.json")
