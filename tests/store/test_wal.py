"""What a damaged write-ahead file takes with it is told."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from scrubjay import fold
from scrubjay.errors import CorruptionError
from scrubjay.store import verify
from tests.store.helpers import fill, learned, open_log, start

PAGE, HEADER, FRAME = 8192, 32, 24


@pytest.fixture
def killed(tmp_path):
    """A store whose process was killed after 6 transactions, in the middle of a seventh: all are in the WAL only."""
    path = tmp_path / "s"
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(30)
            log = start(open_log(path))
            for _ in range(5):
                fill(log, 2)
            with log.write() as tx:
                tx.append([learned(i, f"{i} " * 700) for i in range(11, 2000)])
                assert (path / "log.sqlite-wal").stat().st_size > 10 * PAGE
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    return path


def frames(path):
    """(offset, commits) of each frame in the WAL."""
    data = (path / "log.sqlite-wal").read_bytes()
    offsets = range(HEADER, len(data) - PAGE - FRAME + 1, PAGE + FRAME)
    return [(at, int.from_bytes(data[at + 4 : at + 8], "big") != 0) for at in offsets]


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


def test_a_kill_alone_is_no_loss(killed):
    assert sum(commits for _, commits in frames(killed)) == 6
    assert len(frames(killed)) > 100
    with open_log(killed) as log:
        assert log.loss is None
        assert log.seq == 11
        assert verify.verify(log, fold.catch_up).ok
        fill(log, 1)
    with open_log(killed) as log:
        assert log.loss is None


def test_every_damaged_frame_before_the_last_commit_is_told(killed, tmp_path):
    told = 0
    all_frames = frames(killed)
    last = max(i for i, (_, commits) in enumerate(all_frames) if commits)
    for i, (at, commits) in enumerate(all_frames[: last + 9]):
        if i % 4 and not commits:
            continue
        path = tmp_path / "copy"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(killed, path)
        flip(path / "log.sqlite-wal", at + FRAME + 100)
        os.unlink(path / "log.sqlite-shm")
        with open_log(path) as log:
            lost = log.seq < 11
            assert lost == (i <= last)
            held = log.seq
            if lost and i < last:
                assert "committed transactions" in log.loss, held
                report = verify.verify(log, fold.catch_up)
                assert "commits-lost" in {f.what for f in report.findings}
                told += 1
            elif not lost:
                assert log.loss is None
    assert told > 7


def test_a_damaged_header_is_told(killed):
    flip(killed / "log.sqlite-wal", 17)
    os.unlink(killed / "log.sqlite-shm")
    with open_log(killed) as log:
        assert log.seq == 0
        assert "header" in log.loss
        assert not verify.verify(log, fold.catch_up).ok


def test_a_store_whose_file_is_lost_is_not_created_again(killed):
    os.truncate(killed / "log.sqlite", 0)
    before = (killed / "log.sqlite-wal").read_bytes()
    for read_only in (False, True):
        with pytest.raises(CorruptionError, match="is lost"):
            open_log(killed, read_only=read_only)
    os.unlink(killed / "log.sqlite")
    with pytest.raises(CorruptionError, match="is lost"):
        open_log(killed)
    assert (killed / "log.sqlite-wal").read_bytes() == before
    assert not verify.verify_path(killed, fold.catch_up).ok
