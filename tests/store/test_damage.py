"""Flipped bits, overwritten stretches, lost ends in every file: noticed, no crash, no silent wrong answer."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import msgspec
import pytest

from scrubjay import fold
from scrubjay.errors import CorruptionError, ScrubjayError, StoreFormatError
from scrubjay.store import EventLog, mend, verify, view
from tests.store import damage
from tests.store.helpers import DIM, fill, learned, open_log, space


def try_seeds(folder: Path, seeds: range) -> None:
    whole = folder / "whole"
    damage.build(whole)
    with open_log(whole) as log:
        truth, told = damage.ask(log)
    assert not told
    damage.in_children(seeds, lambda seed: damage.one(whole, folder, truth, seed))


def test_damage_anywhere_is_noticed(quick_path, counted):
    try_seeds(quick_path, range(200))
    counted("flips and truncations of a log", cases=200, signals=0, silent=0)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("part", range(10))
def test_damage_anywhere_is_noticed_many_times(quick_path, counted, part):
    try_seeds(quick_path, range(1000 + 200 * part, 1200 + 200 * part))
    counted("flips and truncations of a log", cases=200, signals=0, silent=0)


def body_of(path: Path, seq: int) -> tuple[int, bytes]:
    """Where in the file the body of an event lies, and the body."""
    with open_log(path) as log, log.read() as view:
        ((body,),) = view._db.execute("SELECT body FROM events WHERE seq = ?", (seq,)).fetchall()
    at = (path / "log.sqlite").read_bytes().index(body)
    return at, body


def flip(file: Path, at: int, mask: int = 1) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= mask
    file.write_bytes(data)


def test_a_damaged_event_is_named_and_all_else_is_readable(tmp_path):
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 40)
    at, body = body_of(path, 11)
    flip(path / "log.sqlite", at + len(body) // 2, 0x55)
    with open_log(path) as log:
        columns = fold.rebuild(log)
        assert columns.damaged == [11]
        assert columns.live_count == 39
        with pytest.raises(CorruptionError, match="event 11 about memory 10"):
            log.history(10)
        assert [r.event for r in log.history(11)] == [learned(11)]
        fill(log, 1)
        report = verify.verify(log, fold.catch_up)
    assert report.damaged == [11]
    assert [(f.severity, f.what, f.where) for f in report.findings] == [("error", "event-damaged", "event 11")]
    assert "event 11" in str(report)


def test_one_flipped_bit_of_an_event_is_mended(tmp_path):
    whole = tmp_path / "whole"
    with open_log(whole) as log:
        fill(log, 30)
        truth = fold.rebuild(log).digest()
    draw = random.Random(5)
    for _ in range(25):
        path = tmp_path / "s"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(whole, path)
        at, body = body_of(path, 11)
        flip(path / "log.sqlite", at + draw.randrange(len(body)), 1 << draw.randrange(8))
        report = verify.verify_path(path, fold.catch_up, repair=True)
        assert report.repaired == ["event 11: one flipped bit"]
        assert report.ok
        with open_log(path) as log:
            assert fold.rebuild(log).digest() == truth


def test_the_one_bit_is_found_wherever_it_is():
    draw = random.Random(7)
    for event in (learned(3), space(), learned(9, "x" * 5000)):
        body = view._encode(event)
        crc = view.event_crc(17, body)
        for _ in range(100):
            at, bit = draw.randrange(len(body)), draw.randrange(8)
            hurt = bytearray(body)
            hurt[at] ^= 1 << bit
            assert mend.mended(17, bytes(hurt), crc, DIM) == (body, crc)
            assert mend.mended(18, bytes(hurt), crc, DIM) is None
            hurt[(at + draw.randrange(1, len(body))) % len(body)] ^= 1 << draw.randrange(8)
            assert mend.mended(17, bytes(hurt), crc, DIM) is None
        for bit in range(32):
            assert mend.mended(17, body, crc ^ 1 << bit, DIM) == (body, crc)


def test_the_one_bit_of_a_large_event_is_found_too():
    draw = random.Random(8)
    for size in (mend.SURE, 342_541, 1_500_000):
        body = view._encode(learned(3, "".join(draw.choices("abcdefgh ", k=size))))
        crc = view.event_crc(21, body)
        for _ in range(12):
            at, bit = draw.randrange(len(body)), draw.randrange(8)
            hurt = bytearray(body)
            hurt[at] ^= 1 << bit
            assert mend.mended(21, bytes(hurt), crc, DIM) == (body, crc)
        assert mend.mended(21, body, crc ^ 8, DIM) == (body, crc)
    long = view._encode(learned(3, "x" * mend.MAX_BODY))
    assert mend.mended(1, long, view.event_crc(1, long) ^ 1, DIM) is None


def test_what_only_looks_like_one_bit_of_a_large_event_must_pass_what_is_asked_of_every_event():
    whole = learned(3, "y" * 40_000)
    body = view._encode(msgspec.structs.replace(whole, vector=b"\1" * len(whole.vector)))
    hurt = bytearray(body)
    hurt[20_000] ^= 2
    assert mend.mended(5, bytes(hurt), view.event_crc(5, body), DIM) is None


def test_an_event_of_a_newer_version_is_an_error_and_no_damage(tmp_path):
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 3)
        with log.write() as tx:
            body = msgspec.msgpack.encode({"type": "dreamt", "at": 1.0})
            tx._db.execute("INSERT INTO events VALUES (5, ?, ?)", (body, view.event_crc(5, body)))
    with open_log(path) as log:
        with pytest.raises(StoreFormatError, match=r"event 5 .*dreamt"):
            fold.rebuild(log)
        report = verify.verify(log, fold.catch_up)
    assert [f.what for f in report.findings] == ["unreadable"]
    assert "dreamt" in str(report)


def test_a_damaged_row_is_an_error_and_is_made_anew(tmp_path):
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 40)
    data = (path / "log.sqlite").read_bytes()
    places = [i for i in range(len(data)) if data.startswith(b"memory 17", i)]
    assert len(places) == 2
    for at in places:
        flip(path / "log.sqlite", at + 7)
        with open_log(path) as log:
            report = verify.verify(log, fold.catch_up)
            assert not report.ok
            if report.damaged:
                flip(path / "log.sqlite", at + 7)
                continue
            assert {f.what for f in report.findings} == {"table-differs"}
            with pytest.raises(CorruptionError, match="memory 17"):
                log.rows([17])
            assert verify.verify(log, fold.catch_up, repair=True).repaired == ["derived tables rebuilt"]
            assert log.rows([17])[17].text == "memory 17"
            assert verify.verify(log, fold.catch_up).ok


def test_a_file_of_another_kind_is_refused_untouched(tmp_path):
    for name, content in (
        ("text", b"hello" * 1000),
        ("pickle", b"\x80\x05\x95" + bytes(500)),
        ("tail", b"SQLite format 3\0"),
    ):
        path = tmp_path / name
        path.mkdir()
        (path / "log.sqlite").write_bytes(content)
        with pytest.raises(ScrubjayError):
            open_log(path)
        assert (path / "log.sqlite").read_bytes() == content
    path = tmp_path / "foreign"
    path.mkdir()
    with sqlite3.connect(path / "log.sqlite") as other:
        other.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY)")
    other.close()
    before = (path / "log.sqlite").read_bytes()
    with pytest.raises(ScrubjayError, match="another program"):
        open_log(path)
    assert (path / "log.sqlite").read_bytes() == before


def test_a_newer_format_is_refused_untouched(tmp_path):
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 3)
    with sqlite3.connect(path / "log.sqlite") as other:
        other.execute("PRAGMA user_version = 999")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    before = (path / "log.sqlite").read_bytes()
    for read_only in (False, True):
        with pytest.raises(ScrubjayError, match="format 999"):
            EventLog.open(path, read_only=read_only)
    assert (path / "log.sqlite").read_bytes() == before
