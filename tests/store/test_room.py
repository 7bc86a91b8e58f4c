"""A disk that is nearly full is not filled by the write-ahead file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrubjay import fold
from scrubjay.errors import StoreError
from scrubjay.store import room, verify
from tests.store.helpers import fill, open_log


def wal(path: Path) -> int:
    return os.stat(path / "log.sqlite-wal").st_size


def test_where_little_room_is_left_the_wal_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    with open_log(path) as log:
        for _ in range(30):
            fill(log, 2)
        grown = wal(path)
        assert grown > 2 * room.SMALL
        monkeypatch.setattr(room, "free", lambda _: 3 * grown)
        fill(log, 1)
        assert wal(path) < grown / 2
        # enough for what the log owes
        monkeypatch.setattr(room, "free", lambda _: room.SMALL)
        for _ in range(30):
            fill(log, 2)
            assert wal(path) < 2 * room.SMALL
        assert log.seq == 122
        assert verify.verify(log, fold.catch_up).ok


def test_a_reader_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    monkeypatch.setattr(room, "SMALL", 0)
    monkeypatch.setattr(room, "free", lambda _: 0)
    with open_log(path, timeout=3600.0) as log, log.read() as view, open_log(path, timeout=3600.0) as other:
        for _ in range(3):
            fill(other, 2)
        assert view.seq == 0
        assert other.seq == 7


def test_after_a_write_that_found_no_room_the_next_begins_with_making_some(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_log(path) as log:
        for _ in range(20):
            fill(log, 2)
        grown = wal(path)
        db = log._writer.connection
        most = db.pragma("max_page_count")
        db.pragma("max_page_count", db.pragma("page_count"))
        with pytest.raises(StoreError, match="disk is full"):
            fill(log, 2000)
        db.pragma("max_page_count", most)
        fill(log, 1)
        assert wal(path) < grown / 2
        assert log.seq == 42
        assert verify.verify(log, fold.catch_up).ok


def test_the_log_grows_while_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 2000, per=2000)
        db = log._writer.connection
        assert wal(path) > 2 * room.DEBT
        assert room.owed(db, str(path / "log.sqlite")) == 0
        monkeypatch.setattr(room, "free", lambda _: room.DEBT)
        before = os.stat(path / "log.sqlite").st_size
        fill(log, 6000, per=2000)
        owed = room.owed(db, str(path / "log.sqlite"))
        # what does not fit is not begun: it would take the last room and free nothing
        assert owed > room.DEBT
        assert os.stat(path / "log.sqlite").st_size == before
        held = wal(path)
        room.give_back(db, str(path / "log.sqlite"), 1.0)
        assert (os.stat(path / "log.sqlite").st_size, wal(path)) == (before, held)
        monkeypatch.setattr(room, "free", lambda _: owed + room.MARGIN)
        room.give_back(db, str(path / "log.sqlite"), 1.0)
        assert (room.owed(db, str(path / "log.sqlite")), wal(path)) == (0, 0)
        assert verify.verify(log, fold.catch_up).ok


def test_a_log_that_finds_no_room_to_grow_is_closed_with_its_wal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    with open_log(path) as log:
        monkeypatch.setattr(room, "free", lambda _: 0)
        fill(log, 300, per=300)
        before = os.stat(path / "log.sqlite").st_size
    assert os.stat(path / "log.sqlite").st_size == before
    assert wal(path) > 0
    monkeypatch.undo()
    with open_log(path) as log:
        assert log.seq == 301
        assert verify.verify(log, fold.catch_up).ok
    assert not (path / "log.sqlite-wal").exists()


def test_where_the_system_tells_nothing_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not room.short(str(tmp_path / "log.sqlite"))
    assert 0 < room.free(str(tmp_path)) < 1 << 62
    monkeypatch.delattr(os, "statvfs")
    assert room.free(str(tmp_path)) == 1 << 62
