"""A log that is deleted, moved or replaced while handles have it open: nothing acknowledged goes with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import scrubjay
from scrubjay.errors import StoreError
from scrubjay.fold import catch_up
from scrubjay.store.verify import verify_path
from toys import WordHash


def opened(path: Path, **options: bool) -> scrubjay.MemoryStore:
    return scrubjay.open(path, embedder=WordHash(16), **options)


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path / "log.sqlite", copy)
    os.replace(copy, path / "log.sqlite")


@pytest.mark.parametrize(
    "take_away",
    [
        lambda path: (path / "log.sqlite").unlink(),
        shutil.rmtree,
        lambda path: path.rename(f"{path} elsewhere"),
        replaced,
    ],
    ids=["file deleted", "folder deleted", "folder moved", "file replaced"],
)
def test_no_handle_goes_on_with_a_log_that_is_not_there_any_more(
    tmp_path: Path, take_away: Callable[[Path], None]
) -> None:
    path = tmp_path / "s"
    with opened(path) as store, opened(path) as other, opened(path, read_only=True) as reader:
        one = store.add("green tea").id
        assert len(other) == len(reader) == 1
        take_away(path)
        for use in (
            lambda: store.add("black tea"),
            lambda: other.delete(one),
            lambda: other.search("tea"),
            lambda: reader.search("tea"),
            lambda: reader.get(one),
        ):
            with pytest.raises(StoreError, match="deleted, moved or replaced"):
                use()


def test_what_was_written_before_a_move_is_all_there_is(tmp_path: Path) -> None:
    path, new = tmp_path / "s", tmp_path / "new"
    with opened(path) as store:
        store.add("green tea")
        path.rename(new)
        with opened(path) as another:
            another.add("coffee")
            with pytest.raises(StoreError, match="open the store again"):
                store.add("black tea")
        # closing keeps its snapshot out of the other's folder
        store._engine.replaced = True
    for where, text in ((path, "coffee"), (new, "green tea")):
        assert verify_path(where, catch_up).ok
        with opened(where) as store:
            assert [unit.text for unit in store.list()] == [text]


def test_a_relative_path_and_a_link_stay_the_same_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("s")
    with opened(Path("s")) as store, opened(Path("link")) as other:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        store.add("green tea")
        # each look needs a connection of its own
        with store._engine.log.read(), store._engine.log.read() as view:
            assert view.living() == 1
        store._engine.replaced = True
        (tmp_path / "link").unlink()
        other.add("black tea")
        assert len(store) == len(other) == 2
    assert not list(elsewhere.iterdir())
    assert (tmp_path / "s" / "snapshot").exists()
