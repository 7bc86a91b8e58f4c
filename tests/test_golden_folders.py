"""Whole folders of stores that earlier versions left: read as they were, made anew where a cache has another format."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests import golden_folder


@pytest.fixture(params=sorted(file.name for file in golden_folder.GOLDEN.glob("*.tar.xz")))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(golden_folder.GOLDEN / request.param) as held:
        held.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("read_only", [True, False])
def test_it_says_what_it_said(folder: Path, read_only: bool, mapped: bool) -> None:
    told = json.loads((folder / golden_folder.TOLD).read_text("utf-8"))
    with golden_folder.opened(folder / "store", read_only=read_only, mapped=mapped) as store:
        # a cache of an older format is made anew, and never an error
        assert store._snapshot_status.outcome in ("loaded", "format")
        assert golden_folder.said(store) == told
        assert store.verify().damaged == []
        assert store.rebuild().same


def test_it_is_written_on_and_every_file_is_of_today(folder: Path) -> None:
    with golden_folder.opened(folder / "store") as store:
        store.add("one more")
    with golden_folder.opened(folder / "store") as store:
        assert "one more" in [unit.text for unit in store.list()]
        assert store.verify(repair=True).ok


def test_the_newest_is_read_whole(tmp_path: Path) -> None:
    """What is made today says the same when it is opened again, with all its files."""
    told = golden_folder.make(tmp_path / "store")
    names = {file.name.split("-")[0] for file in (tmp_path / "store").rglob("*") if file.is_file()}
    assert {"log.sqlite", "ballast", "columns", "vectors", "links", "passages", "index"} <= names
    with golden_folder.opened(tmp_path / "store", read_only=True) as store:
        assert store._snapshot_status.outcome == "loaded"
        assert golden_folder.said(store) == json.loads(json.dumps(told))
        assert store.verify().ok
