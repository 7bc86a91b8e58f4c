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
        monkeypatch.setattr(room, "free", lambda _: 1)
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


def test_where_the_system_tells_nothing_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not room.short(str(tmp_path / "log.sqlite"))
    assert 0 < room.free(str(tmp_path)) < 1 << 62
    monkeypatch.delattr(os, "statvfs")
    assert room.free(str(tmp_path)) == 1 << 62
