"""A file or a clock of the caller's that cannot be used is an error of scrubjay's, with what is wrong as its cause."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay.errors import ArgumentError, FileError, StoreFullError
from scrubjay.memorystore import MemoryStore
from scrubjay.verbs import purge as purging
from toys import Clock, WordHash

READS: dict[str, Callable[[MemoryStore, Path], object]] = {
    "import_mem0": lambda store, path: store.import_mem0(path),
    "import_elfmem": lambda store, path: store.import_elfmem(path),
    "merge_peer": lambda store, path: store.merge_peer(path, 0.5),
    "fit_fsrs": lambda store, path: store.fit_fsrs(path),
}
WRITES: dict[str, Callable[[MemoryStore, Path], object]] = {
    "export_peer": lambda store, path: store.export_peer(path),
}


@pytest.fixture(scope="module")
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=Clock(1.7e9)) as one:
        one.add("tea is at four")
        yield one


@pytest.mark.parametrize("verb", [*READS, *WRITES])
def test_a_file_that_cannot_be_used_is_named(store: MemoryStore, tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").write_bytes(b"x")
    missing = tmp_path / "none" / "none"
    for path in (missing, tmp_path, tmp_path / "file" / "below", tmp_path / ("n" * 300)):
        with pytest.raises(FileError, match=f"(path|reviews) '{str(path)[:100]}.*name a file") as told:
            (READS | WRITES)[verb](store, path)
        assert isinstance(told.value, OSError)
        assert isinstance(told.value.__cause__, OSError)


@pytest.mark.parametrize("verb", READS)
@pytest.mark.parametrize("data", [b"", b"\xff\xfe\0x\n\0", b"card_id,review_rating,review_time\n" + b"1" * 200_000])
def test_a_file_of_anything_else_is_refused(store: MemoryStore, tmp_path: Path, verb: str, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(ArgumentError):
        READS[verb](store, tmp_path / "file")


def _broken() -> float:
    raise RuntimeError("the clock has stopped")


CLOCKS: dict[str, Callable[..., Any]] = {
    "raises": _broken,
    "takes an argument": lambda zone: zone,
    "nan": lambda: math.nan,
    "none": lambda: None,
    "a word": lambda: "soon",
    "no zone": lambda: datetime(2026, 1, 1),
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_that_tells_no_time_is_refused(tmp_path: Path, clock: str) -> None:
    asked = CLOCKS[clock]
    with scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=asked) as one:
        with pytest.raises(ArgumentError, match=r"clock\(\)") as told:
            one.add("tea is at four")
        assert (clock in ("raises", "takes an argument")) == (told.value.__cause__ is not None)
        assert len(one) == 0


def test_a_clock_may_tell_an_aware_datetime() -> None:
    new_year = datetime(2026, 1, 1, tzinfo=timezone.utc)
    with scrubjay.open(":memory:", embedder=WordHash(16), clock=lambda: new_year) as one:
        assert one.add("tea is at four").when == 1767225600.0


def test_reembedding_refuses_such_a_clock_too(tmp_path: Path) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=Clock(1.7e9)) as one:
        one.add("tea is at four")
    with pytest.raises(ArgumentError, match=r"clock\(\)"):
        scrubjay.reembed(tmp_path / "s", embedder=WordHash(8), clock=lambda: math.nan)


def test_a_receipt_counts_what_is_out_of_sight_though_the_log_could_not_be_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> Any:
        raise StoreFullError("store: the disk is full")

    with scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=Clock(1.7e9)) as one:
        ids = [unit.id for unit in one.add_many(["tea is at four", "tea is at five", "lunch is at noon"])]
        with monkeypatch.context() as patch:
            patch.setattr(purging, "rewrite", full)
            told = one.delete(ids[:2], purge=True)
        assert (told.memories, told.done, len(one)) == (2, False, 1)
        (found,) = one.verify().findings
        assert "next purge" in found.remedy
        told = one.delete(ids[2], purge=True)
        assert (told.memories, told.done) == (3, True)
        assert one.verify().ok
