"""A log that a newer version has written to: this one says so, changes nothing, and loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest

import scrubjay
from scrubjay.errors import StoreFormatError
from scrubjay.store.view import event_crc
from toys import WordHash

NEWER = r"event \d+ is of a kind that this version of scrubjay does not know .*'telepathy'.*: install a newer one"


def write_unknown(path: Path) -> None:
    """Append an event of a version to come, as that would write it."""
    log = apsw.Connection(str(path / "log.sqlite"))
    seq = next(log.execute("SELECT max(seq) FROM events"))[0] + 1
    body = msgspec.msgpack.encode({"type": "telepathy", "at": 1.7e9, "mind": "open"})
    log.execute("INSERT INTO events VALUES (?, ?, ?)", (seq, body, event_crc(seq, body)))
    log.close()


def events(path: Path) -> list[tuple[object, ...]]:
    log = apsw.Connection(str(path / "log.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    found = list(log.execute("SELECT * FROM events ORDER BY seq"))
    log.close()
    return found


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_log_is_not_opened_and_stays_as_it_is(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "store"
    with scrubjay.open(path, embedder=WordHash(32)) as store:
        store.add_many(["the pump is red", "the tank is full"])
    write_unknown(path)
    before = events(path)
    for _ in range(2):
        with pytest.raises(StoreFormatError, match=NEWER):
            scrubjay.open(path, embedder=WordHash(32), read_only=read_only)
    assert events(path) == before


VERBS: tuple[tuple[str, Callable[[scrubjay.MemoryStore], object]], ...] = (
    ("search", lambda s: s.search("pump")),
    ("add", lambda s: s.add("the valve is shut")),
    ("verify", lambda s: s.verify(repair=True)),
)


@pytest.mark.parametrize(("verb", "ask"), VERBS, ids=[verb for verb, _ in VERBS])
def test_an_open_store_says_so_too(tmp_path: Path, verb: str, ask: Callable[[scrubjay.MemoryStore], object]) -> None:
    path = tmp_path / "store"
    with scrubjay.open(path, embedder=WordHash(32)) as store:
        store.add_many(["the pump is red", "the tank is full"])
        write_unknown(path)
        before = events(path)
        with pytest.raises(StoreFormatError, match=NEWER):
            ask(store)
        assert events(path) == before
