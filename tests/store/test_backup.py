"""A backup is the store of one moment, whoever writes meanwhile; what cannot be written leaves nothing."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

import scrubjay
from scrubjay import MemoryStore, errors, fold
from scrubjay.store import snapshot
from tests.store import lives
from tests.store.faults import Switch, failing


def opened(path: Path | str, **given: object) -> MemoryStore:
    return scrubjay.open(path, embedder=lives.OLD, clock=lives.Clock(1.7e9), **given)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lives.begin(tmp_path / "s")
    return tmp_path / "s"


def test_a_backup_is_the_store_as_it_was(path: Path, tmp_path: Path) -> None:
    with opened(path) as store:
        snapshot.save(store._engine.log, store._engine.columns)
        store.add("only in its write-ahead file")
        state = store._engine.state()
        done = store.backup(tmp_path / "made" / "on the way")
        store.add("later")
    assert lives.walked(tmp_path / "made") == ["on the way/log.sqlite"]
    assert done == scrubjay.store.backup.Backup(
        str(tmp_path / "made" / "on the way"),
        state[0],
        (tmp_path / "made" / "on the way" / "log.sqlite").stat().st_size,
    )
    with opened(done.path) as copy:
        assert copy._engine.state() == state
        assert copy.verify().ok
        copy.add("it is a store of its own")


def test_it_is_of_one_moment_while_others_write(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrubjay.store.backup, "PAGES", 1)
    with opened(path) as store, opened(path) as other:
        stop = threading.Event()

        def write() -> None:
            i = 0
            while not stop.is_set():
                i += 1
                other.add(f"memory {i} of another thread")
                other.outcome(other.list(limit=1)[0].id, 0.5)

        thread = threading.Thread(target=write)
        thread.start()
        made = [store.backup(tmp_path / f"copy {i}") for i in range(5)]
        stop.set()
        thread.join()
        for done in made:
            with opened(done.path) as copy:
                assert copy._engine.state() == (done.seq, fold.rebuild(other._engine.log, upto=done.seq).digest())
                assert copy.verify().ok


@pytest.mark.parametrize("there", ["file", "folder", "store", "link to nothing"])
def test_what_is_there_stays(path: Path, tmp_path: Path, there: str) -> None:
    target = path if there == "store" else tmp_path / "there"
    if there == "file":
        target.write_text("mine")
    elif there == "folder":
        target.mkdir()
    elif there == "link to nothing":
        target.symlink_to(tmp_path / "nothing")
    with opened(path) as store, pytest.raises(errors.ArgumentError, match=r"path .* exists"):
        store.backup(target)
    assert there != "file" or target.read_text() == "mine"
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def test_a_disk_that_fails_leaves_nothing_of_it(path: Path, tmp_path: Path) -> None:
    with failing(Switch()) as switch, opened(path) as store:
        before = switch.steps
        store.backup(tmp_path / "whole")
        steps = switch.steps - before
        assert steps > 10
        for step in range(1, steps + 1, 3):
            for kind in ("ENOSPC", "EIO"):
                switch.at, switch.kind, switch.tripped = switch.steps + step, kind, False
                with pytest.raises(errors.StoreError, match="path"):
                    store.backup(tmp_path / "copy")
                assert switch.tripped
                assert sorted(os.listdir(tmp_path)) == ["s", "whole"]
        switch.at = 0
        store.backup(tmp_path / "copy")
        assert store.verify().ok


def test_where_nothing_can_be_made_it_says_so(path: Path) -> None:
    with opened(path) as store:
        for wrong in ("/proc/version/x", "/proc/nowhere", ":memory:"):
            with pytest.raises(errors.ScrubjayError, match="path"):
                store.backup(wrong)


def test_who_may_read_the_store_may_read_its_backup(path: Path, tmp_path: Path) -> None:
    (path / "log.sqlite").chmod(0o600)
    path.chmod(0o700)
    with opened(path, read_only=True) as store:
        done = Path(store.backup(tmp_path / "copy").path)
    assert [stat.S_IMODE(file.stat().st_mode) for file in (done, done / "log.sqlite")] == [0o700, 0o600]


def test_a_store_in_memory_can_be_kept(tmp_path: Path) -> None:
    with opened(":memory:") as store:
        store.add_many(lives.items(0, 5))
        state = store._engine.state()
        store.backup(tmp_path / "copy")
        store.add("and it goes on")
    with opened(tmp_path / "copy") as copy:
        assert copy._engine.state() == state


def test_a_handle_of_one_tenant_has_no_backup(path: Path, tmp_path: Path) -> None:
    with opened(path) as store, pytest.raises(errors.ScopeError, match="backup"):
        store.bound("u").backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("name", ["", ".", "sub", "snapshot/x", "candidates", "a/b/c", "../s/sub", "../link/sub"])
def test_it_does_not_go_into_the_stores_own_folder(path: Path, tmp_path: Path, name: str) -> None:
    # a purge could not reach it there
    (tmp_path / "link").symlink_to(path, target_is_directory=True)
    with opened(path) as store:
        before = lives.walked(path)
        with pytest.raises(errors.ArgumentError, match="path"):
            store.backup(path / name)
        assert lives.walked(path) == before
        assert not list(tmp_path.glob(".*part"))


def test_a_name_that_begins_like_the_stores_is_not_inside_of_it(path: Path) -> None:
    with opened(path) as store:
        assert store.backup(str(path) + "2").seq == store._engine.log.seq
        assert store.backup(path / ".." / "beside").seq == store._engine.log.seq
