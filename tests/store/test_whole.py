"""Files that are there as a whole or not at all, and the three ways in which a system says that there is no room."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

import scrubjay
from scrubjay.errors import StoreFullError
from scrubjay.store import whole
from toys import WordHash


@pytest.mark.parametrize("name", ["ENOSPC", "EDQUOT", "EFBIG"])
def test_what_finds_no_room_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    code = getattr(errno, name)

    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    path = tmp_path / "peer.json"
    path.write_bytes(b"before")
    monkeypatch.setattr(whole.os, "fsync", full)
    with scrubjay.open(":memory:", embedder=WordHash(32)) as store:
        store.add("the deploy needs the VPN")
        with pytest.raises(StoreFullError, match=r"peer\.json.*disk is full.*free some space"):
            store.export_peer(path)
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["peer.json"]


def test_another_error_is_the_systems_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        whole.write_whole(str(tmp_path / "none" / "peer.json"), b"")
    with pytest.raises(IsADirectoryError):
        whole.write_whole(str(tmp_path), b"")
    assert os.listdir(tmp_path) == []


def in_child_with_limit(work: Callable[[], None], limit: int) -> int:
    """The exit code of a child that may write files of `limit` bytes."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                work()
            except StoreFullError:
                status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with scrubjay.open(path, embedder=WordHash(32)) as store:
        store.add_many([f"note {i} is kept" for i in range(50)])

    def add() -> None:
        with scrubjay.open(path, embedder=WordHash(32)) as store:
            for part in range(100):
                store.add_many([f"note {part} {i} is added" for i in range(200)])

    def back_up() -> None:
        with scrubjay.open(path, embedder=WordHash(32), read_only=True) as store:
            store.backup(tmp_path / "copy")

    assert in_child_with_limit(add, 400_000) == 0
    assert in_child_with_limit(back_up, 20_000) == 0
    assert not (tmp_path / "copy").exists()
    with scrubjay.open(path, embedder=WordHash(32)) as store:
        assert len(store) >= 50
        assert store.rebuild().same
