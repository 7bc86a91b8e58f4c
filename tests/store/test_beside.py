"""verify and snapshots beside other writers: what is sound is called sound, what is old is never taken for new."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import MemoryStore, memorystore
from scrubjay.encode.perishability import KeywordRule
from scrubjay.store import snapshot
from scrubjay.store import verify as checks
from scrubjay.verbs import timeline
from toys import Clock, WordHash


def opened(path: Path) -> MemoryStore:
    return scrubjay.open(path, embedder=WordHash(16), perishability=KeywordRule(), clock=Clock(), durability="normal")


def then(act: Callable[..., Any], *more: Callable[[], Any]) -> Callable[..., Any]:
    """What `act` gives, with something done behind it."""

    def both(*args: Any, **named: Any) -> Any:
        given = act(*args, **named)
        for one in more:
            one()
        return given

    return both


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_a_store_that_is_written_meanwhile_is_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: bool, repair: bool
) -> None:
    with opened(tmp_path / "s") as store, opened(tmp_path / "s") as other:
        writer = store if own else other
        first = writer.add("the kettle is red").id
        writes = iter(range(100))

        def write() -> None:
            writer.delete(writer.add(f"the lamp {next(writes)} is green").id)
            writer.update(first, text=f"the kettle {next(writes)} is blue")
            len(writer)

        monkeypatch.setattr(memorystore, "catch_up", then(memorystore.catch_up, write))
        monkeypatch.setattr(checks, "_derived_anew", then(checks._derived_anew, write))
        monkeypatch.setattr(snapshot, "load", then(snapshot.load, write))
        report = store.verify(repair=repair)
        assert report.ok, str(report)
        assert not report.repaired
        assert next(writes) >= 8


def test_a_log_that_is_rewritten_meanwhile_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "s") as store, opened(tmp_path / "s") as other:
        id = store.add("the kettle is red").id
        turns: list[int] = []

        def rewrite() -> None:
            turns.append(1)
            if len(turns) <= 2:
                for _ in range(3):
                    other.outcome(id, 1.0)
                assert other.compact(summarise_before=4e9).events
                other.add(f"the lamp {len(turns)} is green")

        for _ in range(3):
            store.outcome(id, 1.0)
        monkeypatch.setattr(snapshot, "load", then(snapshot.load, rewrite))
        report = store.verify()
        assert report.ok, str(report)
        assert not report.findings
        assert len(turns) == 3


def test_columns_of_before_a_compaction_are_no_snapshot_of_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memorystore, "due", lambda *_: True)
    monkeypatch.setattr(timeline, "save", lambda *_, **__: None)
    old = opened(tmp_path / "s")
    id = old.add("the kettle is red").id
    for _ in range(3):
        old.outcome(id, 1.0)
    with opened(tmp_path / "s") as other:
        for _ in range(3):
            other.outcome(id, 1.0)
        other.compact(summarise_before=4e9)
        monkeypatch.setattr(memorystore, "due", lambda *_: False)
    monkeypatch.setattr(memorystore, "due", lambda *_: True)
    old.close()
    with opened(tmp_path / "s") as store:
        assert store.rebuild().same
        assert store.verify().ok


def test_a_compaction_that_is_cut_off_before_its_snapshot_leaves_a_sound_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(memorystore, "due", lambda *_: True)
        with opened(tmp_path / "s") as store:
            id = store.add("the kettle is red").id
            for _ in range(3):
                store.outcome(id, 1.0)
    with monkeypatch.context() as patched:
        patched.setattr(timeline, "save", lambda *_, **__: None)
        with opened(tmp_path / "s") as store:
            assert store.compact().events
            report = store.verify()
            assert [(f.severity, f.what) for f in report.findings] == [("info", "snapshot-outdated")]
            assert report.ok
    with opened(tmp_path / "s") as store:
        assert store._snapshot_status.outcome == "outdated"
    with opened(tmp_path / "s") as store:
        assert store._snapshot_status.outcome == "loaded"
        assert not store.verify().findings
