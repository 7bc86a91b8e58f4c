"""Damaged events and malformed pages: what a search says of them, and which writes are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

import scrubjay
from scrubjay import errors
from scrubjay.fold import catch_up
from scrubjay.store.verify import verify_path
from toys import WordHash


def test_a_store_with_malformed_pages_takes_no_writes_and_says_that_it_is_not_whole(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with scrubjay.open(path, embedder=WordHash()) as store:
        store.add_many([{"text": f"tea of garden {i} " + "leaf " * 60} for i in range(300)])
    shutil.rmtree(path / "snapshot", ignore_errors=True)
    file = path / "log.sqlite"
    held = bytearray(file.read_bytes())
    size = int.from_bytes(held[16:18], "big")
    # leaves of a table begin with 13: of one that holds events the places of its cells are spoilt
    pages = range(held.index(b"tea of garden 150 ") // size * size, 0, -size)
    page = next(at for at in pages if held[at] == 13)
    held[page + 8 : page + 12] = b"\xff" * 4
    file.write_bytes(held)
    with scrubjay.open(path, embedder=WordHash()) as store:
        damaged = store.stats().damaged_events
        assert damaged
        hits = store.search("tea of garden 7")
        assert not hits.exact
        assert any(f"{damaged} damaged events are left out; run verify(repair=True)" in note for note in hits.notes)
        for write in (
            lambda: store.add("new"),
            lambda: store.update(hits[0].memory.id, text="other"),
            lambda: store.delete(hits[0].memory.id),
        ):
            with pytest.raises(errors.CorruptionError, match="nothing is written onto them: close the store and run"):
                write()
        assert store.search("tea of garden 7")[0].memory.text == hits[0].memory.text
        before = file.read_bytes()
        assert "`scrubjay verify --repair`" in str(store.verify(repair=True))
        assert file.read_bytes() == before
    report = verify_path(path, catch_up, repair=True)
    assert report.pages_sound
    assert report.memories >= 300 - damaged
    with scrubjay.open(path, embedder=WordHash()) as store:
        store.add("new")
        assert store.search("tea of garden 7")[0].memory.text == hits[0].memory.text


def test_a_damaged_event_on_a_sound_page_is_left_out_and_writes_go_on(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with scrubjay.open(path, embedder=WordHash()) as store:
        store.add_many([{"text": f"tea of garden {i}"} for i in range(30)])
    shutil.rmtree(path / "snapshot", ignore_errors=True)
    connection = apsw.Connection(str(path / "log.sqlite"))
    connection.execute("UPDATE events SET crc = crc + 1 WHERE seq = 20")
    connection.close()
    with scrubjay.open(path, embedder=WordHash()) as store:
        assert store.add("new").text == "new"
        assert not store.search("new").exact
