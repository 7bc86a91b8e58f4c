"""What is left of a log that SQLite does not open any more is read, page by page."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest

import scrubjay
from scrubjay.fold import catch_up
from scrubjay.store import salvage
from scrubjay.store.verify import verify_path
from toys import Clock, WordHash

NOW = 1.7e9


def opened(path: Path) -> scrubjay.MemoryStore:
    return scrubjay.open(path, embedder=WordHash(), clock=Clock(NOW))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("salvage") / "s"
    with opened(path) as store:
        for i in range(60):
            # some that go on over several pages
            store.add(f"entry {i} says {i * i} " + "word " * (4000 if i % 20 == 7 else i % 5), namespace="n")
        store.delete(store.list(namespace="n", limit=1)[0].id)
    return path


def cut(whole: Path, path: Path, share: float) -> Path:
    shutil.copytree(whole, path)
    os.truncate(path / "log.sqlite", int(os.path.getsize(path / "log.sqlite") * share))
    return path


def texts(path: Path) -> dict[str, str]:
    with opened(path) as store:
        return {unit.id: unit.text for unit in store.list(namespace="n", limit=1000)}


@pytest.mark.parametrize("share", [0.5, 0.75, 0.97])
def test_of_a_log_that_was_cut_off_all_that_is_there_is_read(whole: Path, tmp_path: Path, share: float) -> None:
    path = cut(whole, tmp_path / "s", share)
    before = (path / "log.sqlite").read_bytes()
    with pytest.raises(scrubjay.errors.CorruptionError, match="verify"):
        opened(path)
    looked = verify_path(path, catch_up)
    assert not looked.ok
    assert looked.memories > 0
    assert (path / "log.sqlite").read_bytes() == before
    mended = verify_path(path, catch_up, repair=True)
    assert (mended.memories, mended.events) == (looked.memories, looked.events)
    assert "events that can be read" in mended.repaired[0]
    # that something is lost stays known
    assert {finding.what for finding in mended.findings} == {"event-damaged"}
    assert not verify_path(path, catch_up).ok
    assert not (path / salvage.NEW).exists()
    left, truth = texts(path), texts(whole)
    assert len(left) == looked.memories
    # what was deleted by an event that is lost may be seen again
    assert len(left.items() - truth.items()) <= 1
    assert all(truth.get(id, text) == text for id, text in left.items())
    with opened(path) as store:
        assert store.stats().damaged_events > 0
        store.add("and on it goes", namespace="n")
        found = store.search("and on it goes", namespace="n")
        assert found[0].memory.text == "and on it goes"
        assert not found.exact


def test_every_event_of_a_sound_log_is_found(whole: Path, tmp_path: Path) -> None:
    with opened(whole) as store:
        events = store.stats().events
    assert salvage.salvage(str(whole), str(tmp_path / "log.sqlite")) == events
    assert texts(tmp_path) == texts(whole)
    assert verify_path(tmp_path, catch_up).ok


def test_where_nothing_can_be_read_nothing_is_changed(whole: Path, tmp_path: Path) -> None:
    path = cut(whole, tmp_path / "s", 0.0)
    data = (whole / "log.sqlite").read_bytes()[: 3 * 8192]
    (path / "log.sqlite").write_bytes(data)
    for repair in (False, True):
        report = verify_path(path, catch_up, repair=repair)
        assert [finding.what for finding in report.findings] == ["damaged", "unreadable"]
        assert not (path / salvage.NEW).exists()
        assert (path / "log.sqlite").read_bytes() == data


def test_no_noise_on_a_page_is_taken_for_an_event_or_ends_the_search(whole: Path) -> None:
    draw = random.Random(3)
    data = (whole / "log.sqlite").read_bytes()
    with opened(whole) as store, store._engine.log.read() as view:
        truth = {seq: body for seq, body, _ in view._raw(0, view.seq)}
    for _ in range(30):
        hurt = bytearray(data[: draw.randrange(2 * 8192, len(data))])
        for _ in range(40):
            hurt[draw.randrange(100, len(hurt))] = draw.randrange(256)
        with tempfile.TemporaryFile() as file:
            file.write(hurt)
            file.seek(0)
            pages = salvage._Pages(file)
            for seq, body, _ in pages.events():
                assert truth[seq] == body
            assert {name for name, _, _ in pages.meta()} <= {"store"}
