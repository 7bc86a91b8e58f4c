"""On a full disk memories can still be deleted: the store gives up a file that it keeps for that."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import scrubjay
from scrubjay.errors import StoreError, StoreFullError
from scrubjay.store import ballast
from scrubjay.store.ballast import SIZE, Ballast
from scrubjay.store.view import Transaction
from scrubjay.verbs import purge as purging
from tests.store import lives
from tests.store.shim import Zygote, zygote


class Stand(NamedTuple):
    zygote: Zygote
    whole: Path
    path: Path


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with lives.quick_folder(tmp_path_factory.mktemp("ballast")) as folder, zygote(folder) as process:
        lives.begin(folder / "whole")
        (folder / "cell").mkdir()
        yield Stand(process, folder / "whole", folder / "cell" / "store")


@pytest.fixture
def stand(warm: Stand) -> Stand:
    shutil.rmtree(warm.path, ignore_errors=True)
    shutil.copytree(warm.whole, warm.path)
    return warm


def size(path: Path) -> int:
    file = path / ballast.NAME
    return file.stat().st_size if file.exists() else 0


@pytest.mark.parametrize("room", [0, 8192, 100_000])
@pytest.mark.parametrize("life", lives.FULL)
def test_on_a_full_disk_memories_are_deleted(stand: Stand, life: str, room: int) -> None:
    assert size(stand.path) == SIZE
    told = stand.zygote.live(life, stand.path, room=room)
    assert (told.status, told.raised, told.errors) == (0, [], [])
    # a purge frees so much that there may be room for it again
    assert size(stand.path) == 0 or life == "purge_when_full"
    with lives.opened(stand.path) as store:
        assert store._engine.log.seq == told.acknowledged
        left = [unit.text for space in ((), ("u",)) for unit in store.list(namespace=space, limit=10_000)]
        assert "memory 0 of room 0 says hello" not in left
        assert "memory 5 of room 2 says hello" in left or life == "delete_all_when_full"
        assert store.verify().ok
        store.add("there is room again")
    assert size(stand.path) == SIZE


@pytest.mark.parametrize("life", lives.FULL)
def test_without_it_they_are_not(stand: Stand, life: str) -> None:
    (stand.path / ballast.NAME).unlink()
    told = stand.zygote.live(life, stand.path, room=100_000)
    assert (told.status, told.raised, told.named) == (0, [], True)
    assert "StoreFullError" in told.errors[0] or "disk is full" in told.errors[0]
    with lives.opened(stand.path) as store:
        assert "memory 0 of room 0 says hello" in [unit.text for unit in store.list(namespace=())]
        assert store.verify().ok


@pytest.fixture(scope="module")
def full_of(warm: Stand) -> Path:
    """A store whose memories, out of sight at once, would take more than the ballast."""
    path = warm.whole.parent / "many"
    with scrubjay.open(path, embedder=lives.OLD, clock=lives.Clock(1.7e9), durability="normal", graph=False) as store:
        text = " ".join(f"word{i}" for i in range(40))
        store.add_many([{"text": f"memory {i} {text} {i * i}", "namespace": "ab"[i % 2]} for i in range(2000)])
    return path


@pytest.fixture
def many(warm: Stand, full_of: Path) -> Stand:
    shutil.rmtree(warm.path, ignore_errors=True)
    shutil.copytree(full_of, warm.path)
    return warm


@pytest.mark.parametrize("life", lives.REOPENED)
def test_a_store_that_is_opened_on_a_full_disk_can_be_emptied(many: Stand, life: str) -> None:
    told = many.zygote.live(life, many.path, room=0)
    assert (told.status, told.raised, told.errors) == (0, [], [])
    with lives.opened(many.path) as store:
        left = 2000 if life == "read_when_full" else 0 if "root" in life else 1000
        assert len(store) == left
        assert store.verify().ok
        assert bool(store.list(namespace="a", limit=1)) == (life == "read_when_full")
    if "purge" in life:
        # what was left is finished by the open above
        assert b"memory 8 " not in (many.path / "log.sqlite").read_bytes()


@pytest.mark.parametrize("by_id", [False, True])
def test_what_is_deleted_in_pieces_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_id: bool) -> None:
    """Where the room ends in the middle, the error counts what is gone; where nothing is gone, it says so."""
    for most, gone in ((0, 0), (3, 3), (20, 20), (40, 40)):
        with opened(tmp_path / f"s{most}") as store:
            ids = [unit.id for unit in store.add_many([f"memory number {i}" for i in range(40)])]
            room = [most]

            def clear(store: scrubjay.MemoryStore = store, ids: list[str] = ids) -> int:
                return store.delete(ids) if by_id else store.delete_all((), root=True, purge=False)

            append = Transaction.append

            def scarce(self: Any, events: Any, room: list[int] = room, append: Any = append) -> Any:
                if (asked := sum(len(e.keys) for e in events)) > room[0]:
                    raise StoreFullError("store: the disk is full")
                room[0] -= asked
                return append(self, events)

            with monkeypatch.context() as patch:
                patch.setattr(Transaction, "append", scarce)
                if most == 40:
                    assert clear() == 40
                else:
                    words = f"{gone} memories were deleted" if gone else "nothing of this write was kept"
                    with pytest.raises(StoreFullError, match=words):
                        clear()
            assert len(store) == 40 - gone


def test_a_purge_that_finds_no_room_after_its_commit_is_a_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "s") as store:
        ids = [
            unit.id for unit in store.add_many([{"text": f"memory {i}", "namespace": "ab"[i % 2]} for i in range(8)])
        ]

        def full(*_: Any) -> Any:
            raise StoreFullError("store: the disk is full")

        for step in ("rewrite", "_sweep", "_off_record"):
            with monkeypatch.context() as patch:
                patch.setattr(purging, step, full)
                told = store.delete(ids.pop(), purge=True)
                assert not told.done
                assert "disk is full" in told.left[0]
                told = store.delete_all("a")
                assert not told.done
            assert {unit.id for unit in store.list(namespace="b")} == set(ids[1::2])
            assert not store.list(namespace="a")
    with opened(tmp_path / "s") as store:
        assert store.delete_all("a").done
        assert sorted(unit.id for unit in store.list(namespace="b")) == sorted(ids[1::2])


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a file system of so many KiB."""
    made: list[Path] = []

    def mounted(kib: int) -> Path:
        path = tmp_path / f"volume{len(made)}"
        path.mkdir()
        asked = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(path)]
        if shutil.which("mount") is None or subprocess.run(asked, capture_output=True).returncode:
            pytest.skip("needs a system on which this user may mount a tmpfs")
        made.append(path)
        return path

    yield mounted
    for path in made:
        subprocess.run(["umount", "-l", str(path)], check=True)


def fill_up(path: Path) -> None:
    with open(path / "fill", "ab", buffering=0) as out, suppress(OSError):
        while True:
            out.write(bytes(4096))


def add_on(store: scrubjay.MemoryStore) -> None:
    for i in range(3000):
        store.add(f"another {i} " + "z" * 900)


@pytest.mark.parametrize(("kib", "memories", "again"), [(7 << 10, 700, False), (4 << 10, 300, True)])
def test_what_was_added_at_once_is_deleted_from_a_volume_that_others_have_filled(
    volume: Callable[[int], Path], kib: int, memories: int, again: bool
) -> None:
    disk = volume(kib)
    given = {"graph": False, "durability": "normal"}
    store = opened(disk / "s", **given)
    ids = [unit.id for unit in store.add_many([f"entry {i} {i * i:x} " + "y" * 300 for i in range(memories)])]
    assert store.stats().ballast >= min(SIZE, kib * 128)
    fill_up(disk)
    with pytest.raises(StoreFullError):
        add_on(store)
    if again:
        store.close()
        store = opened(disk / "s", **given)
    assert store.delete(ids[0]) == 1
    assert store.delete(ids[1:120]) == 119
    assert store.delete(ids[120:140], purge=True).memories == 20
    store.delete_all((), root=True)
    assert len(store) == 0
    store.close()
    (disk / "fill").unlink()
    with opened(disk / "s", **given) as store:
        store.add("there is room again")
        assert store.verify().ok
    assert b"entry 130 " not in (disk / "s" / "log.sqlite").read_bytes()


def opened(path: Path, **given: Any) -> scrubjay.MemoryStore:
    return scrubjay.open(path, embedder=lives.OLD, clock=lives.Clock(1.7e9), **given)


def test_it_comes_with_the_first_write_and_goes_with_the_last_memory(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        assert size(tmp_path / "s") == 0
        one = store.add("tea is at four")
        assert size(tmp_path / "s") == SIZE
    assert size(tmp_path / "s") == SIZE
    with opened(tmp_path / "s", read_only=True):
        pass
    with opened(tmp_path / "s") as store:
        store.delete(one.id)
        assert size(tmp_path / "s") == SIZE
    assert size(tmp_path / "s") == 0
    with opened(tmp_path / "s") as store:
        store.add("tea is at five")
    assert size(tmp_path / "s") == SIZE


def test_one_that_was_cut_is_filled_up(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        store.add("tea is at four")
    assert ballast.spare(str(tmp_path / "s"))
    assert size(tmp_path / "s") == SIZE - ballast.SPARED
    with opened(tmp_path / "s") as store:
        store.add("tea is at five")
    assert size(tmp_path / "s") == SIZE


def test_it_is_not_made_of_the_last_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = [ballast.SHARE * ballast.LEAST - 1]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, free[0]))
    held = Ballast(str(tmp_path))
    tries = 0
    for _ in range(50):
        held.keep()
    assert size(tmp_path) == 0
    free[0] = ballast.SHARE * SIZE // 2
    while not size(tmp_path):
        held.keep()
        tries += 1
    assert size(tmp_path) == held.held == SIZE // 2
    # where nothing else is written it stays as it is
    free[0] -= SIZE // 2
    for _ in range(2 * ballast.LONGEST_WAIT):
        held.keep()
    assert size(tmp_path) == SIZE // 2
    free[0] = ballast.SHARE * SIZE
    while size(tmp_path) < SIZE:
        held.keep()
        tries += 1
    assert tries <= 2 * ballast.LONGEST_WAIT


def test_it_is_random_so_that_no_file_system_packs_it(tmp_path: Path) -> None:
    Ballast(str(tmp_path)).keep()
    assert len(set((tmp_path / ballast.NAME).read_bytes()[:4096])) > 200


def test_a_deletion_is_tried_again_once(tmp_path: Path) -> None:
    held, calls = Ballast(str(tmp_path)), []

    def deletion() -> int:
        calls.append(size(tmp_path))
        if calls[-1] or len(calls) > 2:
            raise StoreFullError("full")
        return 7

    held.keep()
    assert held.spent_on(deletion) == 7
    assert calls == [SIZE, 0]
    with pytest.raises(StoreFullError):
        held.spent_on(deletion)
    assert len(calls) == 3


def test_a_store_in_memory_has_none() -> None:
    held = Ballast(None)
    held.keep()
    held.drop()
    assert not held.release()
    with pytest.raises(StoreError, match="full"):
        held.spent_on(lambda: (_ for _ in ()).throw(StoreFullError("full")))
