"""From a path to a store: odd paths, wrong owners, other embedders, other files, many openings."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest

from scrubjay import fold
from scrubjay.errors import (
    ArgumentError,
    CorruptionError,
    DimensionError,
    EmbedderMismatchError,
    StoreClosedError,
    StoreError,
    StoreFormatError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from scrubjay.store import EventLog, snapshot, verify
from tests.store.helpers import DIM, fill, learned, open_log, start


def test_bug_07_another_embedder_is_refused_before_any_write(tmp_path):
    path = tmp_path / "s"
    with open_log(path) as log:
        fill(log, 3)
    before = (path / "log.sqlite").read_bytes()
    with pytest.raises(DimensionError, match=f"holds vectors of {DIM} numbers by 'toy'"):
        EventLog.open(path, embedder="toy", dim=DIM - 1)
    with pytest.raises(EmbedderMismatchError, match="made with the embedder 'toy', not 'another'"):
        EventLog.open(path, embedder="another", dim=DIM)
    assert (path / "log.sqlite").read_bytes() == before
    with EventLog.open(path) as log:
        assert (log.meta.embedder, log.dim, log.seq) == ("toy", DIM, 4)


@pytest.mark.parametrize("length", [0, 1, DIM - 1, DIM + 1, 2 * DIM])
def test_bug_26_a_vector_of_another_length_is_refused(length):
    with start(open_log(":memory:")) as log:
        with pytest.raises(DimensionError, match=f"store's have {DIM}"), log.write() as tx:
            tx.append([learned(1), learned(2, vector=bytes(4 * length))])
        assert log.seq == 1


def test_bug_26_a_foreign_file_is_no_store(tmp_path):
    path = tmp_path / "s"
    path.mkdir()
    (path / "log.sqlite").write_bytes(b"PAR1" + bytes(5000))
    with pytest.raises(StoreFormatError, match="not an SQLite file"):
        open_log(path)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 3e38, 1.01, 1e-3])
def test_bug_20_a_vector_that_is_no_direction_is_refused(bad):
    vector = np.zeros(DIM, np.float32)
    vector[2] = bad
    with start(open_log(":memory:")) as log:
        with pytest.raises(ArgumentError, match="finite and of unit norm"), log.write() as tx:
            tx.append([learned(1), learned(2, vector=vector.tobytes())])
        assert log.seq == 1
        with log.write() as tx:
            tx.append([learned(1), learned(2, vector=bytes(4 * DIM))])
        assert not fold.rebuild(log).what[1].any()


NAMES = [
    "mémoire",
    "記憶 の 倉庫",
    "with space ",
    "x" * 200,
    "é" * 100,
    "a'b\"c;--",
    "100%_?#&=.sqlite",
    "-rf",
    "file:x?mode=ro",
    "line\nbreak",
    "🐦",
    "..a",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["plain", "symlink", "relative", "bytes", "nested"])
def test_bug_23_odd_paths(tmp_path, monkeypatch, name, kind):
    path: object = tmp_path / name
    if kind == "symlink":
        (tmp_path / "real").mkdir()
        os.symlink(tmp_path / "real", str(path))
    elif kind == "relative":
        monkeypatch.chdir(tmp_path)
        path = name
    elif kind == "bytes":
        path = os.fsencode(str(path))
    elif kind == "nested":
        path = tmp_path / "a" / "b" / name
    with open_log(path) as log:
        fill(log, 3)
        snapshot.save(log, fold.rebuild(log))
    with EventLog.open(path, read_only=True) as log:
        assert snapshot.load(log)[1].outcome == "loaded"
        assert log.rows([2])[2].text == "memory 2"
    where = tmp_path / "real" if kind == "symlink" else Path(os.fsdecode(path))
    assert (where / "log.sqlite").exists()
    shutil.rmtree(where)
    assert not where.exists()


@pytest.mark.parametrize("path", ["", "a\0b", b"a\0b", 7, None, ["x"], b"a\xff", "a\udcff", "\ud800"], ids=ascii)
def test_bug_23_impossible_paths(path):
    with pytest.raises(ValueError, match="path"):
        open_log(path)


def test_a_path_that_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreFormatError, match="not a folder"):
        open_log(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be created"):
        open_log(tmp_path / "file" / "below")
    with pytest.raises(StoreError, match="cannot be created"):
        open_log(tmp_path / ("x" * 300))
    with pytest.raises(StoreError, match="cannot be created"):
        open_log(tmp_path / ("x/" * 3000))
    os.symlink(tmp_path / "nowhere", tmp_path / "link")
    with pytest.raises(StoreError):
        open_log(tmp_path / "link")


def test_without_an_embedder_nothing_is_created(tmp_path):
    with pytest.raises(StoreFormatError, match="does not exist"):
        EventLog.open(tmp_path / "s")
    with pytest.raises(StoreFormatError, match="does not exist"):
        EventLog.open(tmp_path / "s", embedder="toy", dim=DIM, read_only=True)
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreFormatError, match=r"no log\.sqlite"):
        EventLog.open(tmp_path / "empty")
    assert sorted(os.listdir(tmp_path)) == ["empty"]
    assert os.listdir(tmp_path / "empty") == []


def test_a_lost_log_is_not_replaced_by_an_empty_one(tmp_path):
    with open_log(tmp_path / "s") as log:
        fill(log, 3)
        snapshot.save(log, fold.rebuild(log))
    (tmp_path / "s" / "log.sqlite").unlink()
    with pytest.raises(StoreFormatError, match=r"log\.sqlite is gone"):
        open_log(tmp_path / "s")
    assert sorted(os.listdir(tmp_path / "s")) == ["ballast", "snapshot"]


LEFT = ["snapshot/manifest.json", "candidates/manifest.json", "candidates/graph-0123456789abcdef.bin", "reembed.sqlite"]
LEFT += ["vectors-12-0123456789abcdef.segment", "ballast"]


@pytest.mark.parametrize("emptied", [True, False])
@pytest.mark.parametrize("left", LEFT)
def test_a_log_that_is_emptied_or_gone_is_refused_whatever_lies_beside_it(tmp_path, left, emptied):
    path = tmp_path / "s"
    (path / left).parent.mkdir(parents=True)
    (path / left).write_bytes(b"x")
    if emptied:
        (path / "log.sqlite").touch()
    before = sorted(os.listdir(path))
    named = rf"log\.sqlite is (empty|gone) but {left.split('/')[0]}.* of it is there; restore the log from a backup"
    for given in ({}, {"read_only": True}):
        with pytest.raises((CorruptionError, StoreFormatError), match=named):
            open_log(path, **given)
    for repair in (False, True):
        report = verify.verify_path(path, fold.catch_up, repair=repair)
        assert not report.ok
        assert "restore the log from a backup" in str(report)
    assert sorted(os.listdir(path)) == before


def test_a_folder_of_the_users_beside_a_new_store_does_not_hinder_it(tmp_path):
    (tmp_path / "candidates").mkdir()
    (tmp_path / "candidates" / "list.txt").touch()
    with open_log(tmp_path) as log:
        fill(log, 1)
    assert (tmp_path / "candidates" / "list.txt").exists()


def test_an_empty_file_of_a_killed_creator_becomes_a_store(tmp_path):
    (tmp_path / "log.sqlite").touch()
    with open_log(tmp_path) as log:
        fill(log, 3)
        assert log.seq == 4


def test_where_there_is_no_room_nothing_is_made(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, 4096))
        with pytest.raises(StoreFullError, match="nothing was made"):
            open_log(tmp_path / "a" / "b")
    assert os.listdir(tmp_path) == []
    with open_log(tmp_path / "a" / "b") as log:
        fill(log, 1)


def test_many_create_one_store_at_once(tmp_path):
    for turn in range(12):
        barrier = threading.Barrier(8)

        def make(_: int, folder=tmp_path / f"s{turn}", barrier=barrier) -> EventLog:
            barrier.wait()
            return open_log(folder)

        with ThreadPoolExecutor(8) as pool:
            logs = list(pool.map(make, range(8)))
        assert len({log.meta.uuid for log in logs}) == 1
        for log in logs:
            fill(log, 1)
        assert logs[0].seq == 9
        for log in logs:
            log.close()


def test_a_lock_that_sqlite_does_not_wait_for_is_waited_for(tmp_path):
    # a file that is not yet a WAL is refused at once to one who wants to make it a WAL while another reads it
    (tmp_path / "log.sqlite").touch()
    other = apsw.Connection(str(tmp_path / "log.sqlite"))
    other.execute("BEGIN; CREATE TABLE t(x)")
    with ThreadPoolExecutor(1) as pool:
        opened = pool.submit(open_log, tmp_path, timeout=20.0)
        time.sleep(0.2)
        assert not opened.done()
        other.execute("ROLLBACK")
        other.close()
        with opened.result() as log:
            fill(log, 1)
            assert log.seq == 2


def test_a_lock_that_is_never_freed_ends_with_the_timeout(tmp_path):
    (tmp_path / "log.sqlite").touch()
    with closing(apsw.Connection(str(tmp_path / "log.sqlite"))) as other:
        other.execute("BEGIN EXCLUSIVE")
        for timeout in (0.0, 0.3):
            started = time.monotonic()
            with pytest.raises(StoreLockedError, match="timeout"):
                open_log(tmp_path, timeout=timeout)
            assert time.monotonic() - started >= timeout


@pytest.mark.parametrize(
    "given",
    [
        {"durability": "none"},
        {"dim": 0},
        {"dim": 70000},
        {"timeout": -1.0},
        {"timeout": float("nan")},
    ],
)
def test_wrong_options_are_refused(tmp_path, given):
    with pytest.raises(ArgumentError, match=next(iter(given))):
        open_log(tmp_path / "s", **given)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_durability_is_what_sqlite_does(tmp_path, durability):
    with open_log(tmp_path / "s", durability=durability) as log, log.write() as tx:
        assert tx._db.pragma("synchronous") == {"full": 2, "normal": 1}[durability]
        assert tx._db.pragma("journal_mode") == "wal"
        assert tx._db.pragma("secure_delete") == 1


# -- permissions


@pytest.fixture
def shared(tmp_path) -> Iterator[Path]:
    """A folder that another user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path, _, _ in os.walk(folder):
        os.chmod(path, 0o755)
    shutil.rmtree(folder)


def as_nobody(check: Callable[[], None]) -> None:
    """Run `check` in a child that is not root; it must end within 120 seconds."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(120)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            check()
            status = 0
        except BaseException:  # noqa: BLE001  pytest's own failures are no Exceptions
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def closed_store(path: Path, mode: int) -> bytes:
    with open_log(path) as log:
        fill(log, 20)
        snapshot.save(log, fold.rebuild(log))
        fold.rebuild(log).digest()  # what that imports late, a child that is nobody may not be able to read
    for file in path.rglob("*"):
        file.chmod(mode if file.is_file() else mode | 0o111)
    path.chmod(mode | 0o111)
    return (path / "log.sqlite").read_bytes()


def test_bug_27_a_read_only_folder_is_read_and_not_written(shared):
    path = shared / "s"
    before = closed_store(path, 0o444)

    def check() -> None:
        with pytest.raises(PermissionError, match=r"cannot be written.*read_only=True"):
            open_log(path)
        with EventLog.open(path, read_only=True) as log:
            columns, status = snapshot.load(log)
            assert status.outcome == "loaded"
            assert len(columns) == 20
            assert fold.rebuild(log).digest() == columns.digest()
            assert log.rows([7])[7].text == "memory 7"
            with pytest.raises(StoreReadOnlyError):
                fill(log, 1)
            with pytest.raises(StoreReadOnlyError):
                snapshot.save(log, columns)
        assert verify.verify_path(path, fold.catch_up).ok

    as_nobody(check)
    assert (path / "log.sqlite").read_bytes() == before
    assert sorted(os.listdir(path)) == ["ballast", "log.sqlite", "snapshot"]


def test_bug_27_a_read_only_folder_that_another_user_writes(shared):
    path = shared / "s"
    closed_store(path, 0o444)
    ready, go = os.pipe()

    def check() -> None:
        with EventLog.open(path, read_only=True) as log:
            assert log.seq == 21
            os.write(go, b"x")
            deadline = time.monotonic() + 100
            while not (path / "log.sqlite-wal").exists():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            with pytest.raises(StoreReadOnlyError, match="another user"):
                _ = log.seq

    if os.geteuid() != 0:
        pytest.skip("only root can be the other user here")
    path.chmod(0o755)
    child = threading.Thread(target=as_nobody, args=(check,))
    child.start()
    os.read(ready, 1)
    with open_log(path) as log:
        fill(log, 1)
        child.join()


@pytest.mark.parametrize("mode", [0o000, 0o111])
def test_bug_27_a_folder_that_cannot_be_read(shared, mode):
    path = shared / "s"
    closed_store(path, 0o444)
    path.chmod(mode)
    (path / "log.sqlite").chmod(0o000)

    def check() -> None:
        for read_only in (True, False):
            with pytest.raises((PermissionError, StoreFormatError), match=r"permission|cannot be"):
                EventLog.open(path, read_only=read_only)

    as_nobody(check)


def test_bug_27_a_store_cannot_be_created_in_a_read_only_folder(shared):
    shared.chmod(0o555)

    def check() -> None:
        with pytest.raises(PermissionError, match="permission denied"):
            open_log(shared / "new")
        with pytest.raises(PermissionError):
            open_log(shared)

    as_nobody(check)
    assert os.listdir(shared) == []


def test_files_are_for_their_owner_and_umask(tmp_path):
    old = os.umask(0o077)
    try:
        with open_log(tmp_path / "s") as log:
            fill(log, 3)
            snapshot.save(log, fold.rebuild(log))
            modes = {stat.S_IMODE(p.stat().st_mode) & 0o077 for p in (tmp_path / "s").rglob("*")}
    finally:
        os.umask(old)
    assert modes == {0}


# -- closing


def test_close_is_idempotent_and_what_follows_is_named(tmp_path):
    for path in (tmp_path / "s", ":memory:"):
        log = start(open_log(path))
        assert "open" in repr(log)
        log.close()
        log.close()
        assert "closed" in repr(log)
        assert log.closed
        for use in (lambda log=log: log.seq, lambda log=log: fill(log, 1), lambda log=log: list(log.tail())):
            with pytest.raises(StoreClosedError, match="open it again"):
                use()
    assert sorted(os.listdir(tmp_path / "s")) == ["log.sqlite"]
    shutil.rmtree(tmp_path / "s")


def test_close_from_another_thread_amid_writers_and_readers(tmp_path):
    problems: list[BaseException] = []
    log = start(open_log(tmp_path / "s", durability="normal"))

    def work(step: Callable[[], object]) -> None:
        try:
            while True:
                step()
        except StoreClosedError:
            pass
        except Exception as error:  # noqa: BLE001 - shown by the test, whatever it is
            problems.append(error)

    steps = [lambda: fill(log, 1), lambda: fill(log, 2), lambda: log.rows([1]), lambda: fold.rebuild(log)]
    threads = [threading.Thread(target=work, args=(step,)) for step in steps]
    for t in threads:
        t.start()
    time.sleep(0.3)
    log.close()
    for t in threads:
        t.join(120)
    assert not any(t.is_alive() for t in threads)
    assert problems == []
    with open_log(tmp_path / "s") as again:
        assert verify.verify(again, fold.catch_up).ok
    assert sorted(os.listdir(tmp_path / "s")) == ["ballast", "log.sqlite"]


def test_bug_28_no_pickle(tmp_path):
    with start(open_log(tmp_path / "s")) as log:
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(log)
        with pytest.raises(ArgumentError, match="cannot be stored"), log.write() as tx:
            tx.append([learned(1, metadata={"x": object()})])
    source = Path(fold.__file__).parent
    for file in source.rglob("*.py"):
        assert "import pickle" not in file.read_text(encoding="utf-8")


# -- resources


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc to see its own memory")
def test_bug_30_opening_and_closing_leaks_nothing(quick_path):
    with open_log(quick_path) as log:
        fill(log, 50)
        snapshot.save(log, fold.rebuild(log))

    def cycle(n: int) -> None:
        for _ in range(n):
            with open_log(quick_path) as log:
                columns, _ = snapshot.load(log)
                fold.catch_up(columns, log)
                assert log.rows([3])[3].text == "memory 3"

    cycle(400)
    handles = len(os.listdir("/proc/self/fd"))
    threads = threading.active_count()
    before = resident()
    cycle(2000)
    assert resident() - before < 2000 * 100 + (1 << 20), "memory grows by more than 100 bytes an opening"
    assert len(os.listdir("/proc/self/fd")) == handles
    assert threading.active_count() == threads


def test_a_folder_of_other_things_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "thesis.txt").write_text("words")
    with pytest.raises(StoreFormatError, match=r"holds other things \('thesis.txt'\).*name a new or an empty one"):
        open_log(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.txt"]
    (tmp_path / "thesis.txt").rename(tmp_path / ".hidden")
    (tmp_path / "lost+found").mkdir()
    with start(open_log(tmp_path)) as log:
        fill(log, 1)
    (tmp_path / "thesis.txt").write_text("words")
    with open_log(tmp_path) as log:
        assert log.seq == 2, "what lies beside a store that is there is no obstacle"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a system with /proc")
def test_where_no_file_can_be_made_that_is_told() -> None:
    with pytest.raises(StoreReadOnlyError, match="keeps no files"):
        open_log("/proc/a/store")
