"""What is left of a log that SQLite does not open any more is read, page by page."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import apsw
import pytest

import scrubjay
from scrubjay.fold import catch_up
from scrubjay.store import salvage
from scrubjay.store.verify import verify_path
from toys import Clock, WordHash

NOW = 1.7e9
PAGE = 8192


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


def pages_of(data: bytes) -> list[int]:
    """Numbers of the pages from the root of the tree of events down to the last of its leaves."""
    way = [2]
    while data[(way[-1] - 1) * PAGE] == 5:
        at = (way[-1] - 1) * PAGE
        way.append(int.from_bytes(data[at + 8 : at + 12], "big"))
    return way


def spoil(data: bytearray, how: str) -> None:
    """Damage that leaves a log that SQLite opens, and of which it cannot read the end or the beginning."""
    root, leaf = ((number - 1) * PAGE for number in (2, pages_of(data)[-1]))
    cells = int.from_bytes(data[leaf + 3 : leaf + 5], "big")
    last = leaf + int.from_bytes(data[leaf + 6 + 2 * cells : leaf + 8 + 2 * cells], "big")
    number = next(at for at in range(last, last + 9) if data[at] < 0x80) + 1
    match how:
        case "last zeroed":
            data[leaf : leaf + PAGE] = bytes(PAGE)
        case "last is noise":
            data[leaf : leaf + PAGE] = random.Random(1).randbytes(PAGE)
        case "last is a copy of another":
            data[leaf : leaf + PAGE] = data[root : root + PAGE]
        case "cut within the last":
            del data[leaf + PAGE // 2 :]
        case "last number is noise":
            data[number : number + 5] = b"\xff\xff\xff\xff\x7f"
        case "last ten zeroed":
            data[-10 * PAGE :] = bytes(10 * PAGE)
        case "root zeroed":
            data[root : root + PAGE] = bytes(PAGE)
        case "first zeroed":
            data[:PAGE] = bytes(PAGE)


@pytest.mark.parametrize(
    ("how", "all_there"),
    [
        ("last zeroed", False),
        ("last is noise", False),
        ("last is a copy of another", False),
        ("cut within the last", False),
        ("last number is noise", False),
        ("last ten zeroed", False),
        ("root zeroed", True),
        ("first zeroed", True),
    ],
)
def test_a_log_whose_last_or_first_pages_are_unreadable_is_made_anew(
    whole: Path, tmp_path: Path, how: str, all_there: bool
) -> None:
    path = cut(whole, tmp_path / "s", 1.0)
    data = bytearray((path / "log.sqlite").read_bytes())
    spoil(data, how)
    (path / "log.sqlite").write_bytes(data)
    with pytest.raises(scrubjay.errors.StoreError, match="scrubjay verify --repair"):
        opened(path)
    looked = verify_path(path, catch_up)
    assert not looked.ok
    assert (path / "log.sqlite").read_bytes() == data
    mended = verify_path(path, catch_up, repair=True)
    assert (mended.memories, mended.events) == (looked.memories, looked.events)
    left, truth = texts(path), texts(whole)
    if all_there:
        assert left == truth
    else:
        # that something is lost stays known; of the lost events one has deleted a memory
        assert {finding.what for finding in mended.findings} == {"event-damaged"}
        assert len(truth) - 12 < len(left) == mended.memories
        assert len(left.items() - truth.items()) <= 1
    with opened(path) as store:
        store.add("and on it goes", namespace="n")


def test_what_a_write_ahead_file_holds_is_gathered_too(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(whole) as store:
        store.add("came last", namespace="n")
        shutil.copytree(whole, path)
    assert (path / "log.sqlite-wal").stat().st_size
    (path / "log.sqlite-shm").unlink()
    truth = texts(whole)
    # both copies of a page: what the log has is void, and so is the header that tells of the pages
    data = bytearray((path / "log.sqlite").read_bytes())
    data[:PAGE] = bytes(PAGE)
    (path / "log.sqlite").write_bytes(data)
    kept = (path / "log.sqlite-wal").read_bytes()
    assert verify_path(path, catch_up).memories == len(truth)
    assert (path / "log.sqlite-wal").read_bytes() == kept
    verify_path(path, catch_up, repair=True)
    assert texts(path) == truth
    with opened(path) as store:
        store.add("and on it goes", namespace="n")


@pytest.mark.parametrize("how", ["wrong salt", "header", "zeroed", "cut"])
def test_of_a_damaged_write_ahead_file_nothing_wrong_comes(whole: Path, tmp_path: Path, how: str) -> None:
    path, truth = tmp_path / "s", texts(whole)
    with opened(whole) as store:
        store.add(f"came last, {how}", namespace="n")
        shutil.copytree(whole, path)
    (path / "log.sqlite-shm").unlink()
    wal = bytearray((path / "log.sqlite-wal").read_bytes())
    match how:
        case "wrong salt":
            wal[16] ^= 1
        case "header":
            wal[:32] = bytes(32)
        case "zeroed":
            wal[32:] = bytes(len(wal) - 32)
        case "cut":
            del wal[len(wal) - PAGE // 2 :]
    data = bytearray((path / "log.sqlite").read_bytes())
    data[:PAGE] = bytes(PAGE)
    (path / "log.sqlite").write_bytes(data)
    (path / "log.sqlite-wal").write_bytes(wal)
    report = verify_path(path, catch_up, repair=True)
    assert (how in ("header", "wrong salt")) == any(finding.what == "commits-lost" for finding in report.findings)
    assert texts(path) == truth
    with opened(path) as store:
        store.add("and on it goes", namespace="n")


def test_a_log_that_is_open_is_not_made_anew(whole: Path, tmp_path: Path) -> None:
    path = cut(whole, tmp_path / "s", 1.0)
    with opened(path):
        data = bytearray((path / "log.sqlite").read_bytes())
        spoil(data, "last zeroed")
        (path / "log.sqlite").write_bytes(data)
        report = verify_path(path, catch_up, repair=True)
        assert "is open in this process" in str(report)
        assert (path / "log.sqlite").read_bytes() == data
    held = apsw.Connection(str(path / "log.sqlite"))
    held.execute("SELECT * FROM meta").fetchall()
    report = verify_path(path, catch_up, repair=True, timeout=0.0)
    assert "held it past the timeout" in str(report)
    held.close()
    assert verify_path(path, catch_up, repair=True).repaired


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
            for seq, body, _ in pages.events(WordHash().dim):
                assert truth[seq] == body
            assert {name for name, _, _ in pages.meta()} <= {"store"}
