"""What `verify(repair=True)` says, and what the handle that did it answers from then on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import scrubjay
from scrubjay.commands import app
from scrubjay.fold import catch_up
from scrubjay.store import candidates
from scrubjay.store.verify import verify_path
from toys import Clock, WordHash

NOW = 1.7e9


def opened(path: Path) -> scrubjay.MemoryStore:
    return scrubjay.open(path, embedder=WordHash(), clock=Clock(NOW))


def filled(path: Path) -> list[str]:
    with opened(path) as store:
        store.add_many([f"fact {i} is about subject {i % 7}" for i in range(40)])
        return answers(store)


def answers(store: scrubjay.MemoryStore) -> list[str]:
    return [f"{hit.memory.text} {hit.score:.6f}" for hit in store.search("fact 11 of subject 4", k=40, now=NOW)]


def flip(path: Path, text: str) -> None:
    """One bit of the event that learned `text`: where its body lies, the text is followed by other fields."""
    file = path / "log.sqlite"
    with opened(path) as store, store._engine.log.read() as view:
        ((body,),) = view._db.execute("SELECT body FROM events WHERE instr(body, ?) ", (text.encode(),)).fetchall()
    data = bytearray(file.read_bytes())
    data[data.index(body) + body.index(text.encode()) + 2] ^= 4
    file.write_bytes(data)


def test_other_handles_go_on_with_what_was_repaired(tmp_path: Path) -> None:
    path = tmp_path / "s"
    truth = filled(path)
    flip(path, "fact 11 is about subject 4")
    with opened(path) as other, scrubjay.open(path, embedder=WordHash(), clock=Clock(NOW), read_only=True) as reader:
        for store in (other, reader):
            assert answers(store) != truth
            assert store.stats().damaged_events == 1
        assert verify_path(path, catch_up, repair=True).repaired[0].endswith("one flipped bit")
        for store in (other, reader):
            assert answers(store) == truth
            assert store.stats().damaged_events == 0
            assert store.verify().ok


def test_the_handle_that_repaired_answers_as_if_nothing_had_been(tmp_path: Path) -> None:
    path = tmp_path / "s"
    truth = filled(path)
    flip(path, "fact 11 is about subject 4")
    with opened(path) as store:
        assert answers(store) != truth
        assert not store.verify().ok
        report = store.verify(repair=True)
        assert report.ok, str(report)
        assert report.repaired[0].endswith("one flipped bit")
        assert answers(store) == truth
        assert store.stats().damaged_events == 0
        assert store.verify().ok
        again = store.verify(repair=True)
        assert again.ok
        assert again.repaired == []
    with opened(path) as store:
        assert answers(store) == truth


def test_columns_that_differ_from_the_log_are_folded_anew(tmp_path: Path) -> None:
    path = tmp_path / "s"
    truth = filled(path)
    with opened(path) as store:
        store._engine.columns._scalars["value"][3] = 9.0
        assert [f.what for f in store.verify().findings] == ["columns-differ"]
        report = store.verify(repair=True)
        assert report.ok
        assert report.repaired == ["columns folded anew"]
        assert answers(store) == truth


@pytest.mark.parametrize("name", ["manifest.json", "columns-*", "vectors-*"])
def test_a_damaged_snapshot_that_was_replaced_leaves_a_sound_report(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s"
    truth = filled(path)
    with opened(path) as store:
        # one is written on close where the state was folded anew
        store._engine.refold()
    (file,) = (path / "snapshot").glob(name)
    file.write_bytes(b"")
    with opened(path) as store:
        assert not store.verify().ok
        report = store.verify(repair=True)
        assert report.ok, str(report)
        assert report.repaired == ["snapshot removed", "snapshot written anew"]
        assert answers(store) == truth
    file = next((path / "snapshot").glob(name))
    file.write_bytes(b"")
    run = CliRunner()
    assert run.invoke(app, ["--store", str(path), "verify"]).exit_code == 1
    assert run.invoke(app, ["--store", str(path), "verify", "--repair"]).exit_code == 0


def test_an_event_that_cannot_be_mended_stays_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    flip(path, "fact 11 is about subject 4")
    data = (path / "log.sqlite").read_bytes()
    (path / "log.sqlite").write_bytes(data.replace(b"fact 12 is about subject 5", b"FACT 12 IS ABOUT SUBJECT 5"))
    with opened(path) as store:
        report = store.verify(repair=True)
        assert not report.ok
        assert [f.what for f in report.findings] == ["event-damaged"]
        assert any(name.endswith("one flipped bit") for name in report.repaired)
        assert store.stats().damaged_events == 1


def test_a_block_of_a_closed_store_is_refused_where_it_begins(tmp_path: Path) -> None:
    store = opened(tmp_path / "s")
    bound = store.bound("a")
    store.close()
    for handle in (store, bound, store._engine.log):
        with pytest.raises(scrubjay.errors.StoreClosedError, match="open it again"):
            handle.__enter__()


@pytest.mark.parametrize("spoiled", ["manifest.json", "index-*"])
def test_a_damaged_index_of_candidates_is_told_and_removed(tmp_path: Path, spoiled: str) -> None:
    path = tmp_path / "s"
    filled(path)
    about = {"wide": False, "axes_lost": 0.1, "axes_shift": 0.0, "lost": 0.1, "usual": 2.0, "drift": 0.0, "reach": 0.5}
    sizes = {"slots": 2, "lists": 1, "width": 64, "axes": 1}
    shape = candidates.Shape(arranged=0, last_key=2, **sizes, **about)
    with opened(path) as store:
        log = store._engine.log
        sizes["dim"] = log.meta.dim
        arrays = {name: np.ones([sizes[size] for size in wanted], kind) for name, kind, wanted in candidates.ARRAYS}
        assert candidates.save(log, shape, arrays, epoch=log.epoch)
        assert store.verify().ok
        next((path / "candidates").glob(spoiled)).write_bytes(b"x")
        report = store.verify()
        assert [(f.severity, f.what) for f in report.findings] == [("warning", "candidates-damaged")]
        assert "made anew" in str(report)
        report = store.verify(repair=True)
        assert report.ok
        assert report.repaired == ["index of candidates removed"]
