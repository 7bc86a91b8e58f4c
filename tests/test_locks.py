"""One order of locks: the gate, then the log's turn; so that no two verbs wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import scrubjay
from scrubjay.encode.perishability import KeywordRule
from scrubjay.errors import StoreError
from scrubjay.verbs import delete, revise
from toys import WordHash

PATIENCE = 60.0


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[scrubjay.MemoryStore]:
    path = ":memory:" if request.param == "memory" else str(tmp_path / "store")
    with scrubjay.open(path, embedder=WordHash(16), perishability=KeywordRule()) as opened:
        yield opened


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_delete_that_waits_for_the_columns_leaves_the_log_to_others(
    store: scrubjay.MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = store.add("the kettle is red").id
    engine = store._engine
    waits, free, reading = threading.Event(), threading.Event(), engine.gate.reading

    def watched() -> AbstractContextManager[None]:
        waits.set()
        return reading()

    with engine.gate.writing():
        monkeypatch.setattr(engine.gate, "reading", watched)
        deleting = in_thread(lambda: store.delete(id))
        assert waits.wait(PATIENCE)

        def write() -> None:
            with engine.log.exclusive():
                free.set()

        in_thread(write)
        assert free.wait(PATIENCE), "a delete holds the log while it waits for the columns"
    deleting.join(PATIENCE)
    assert not deleting.is_alive()
    assert not store.list()


def test_the_columns_are_refused_inside_a_block_of_the_log(store: scrubjay.MemoryStore) -> None:
    engine = store._engine
    with engine.log.write(), pytest.raises(StoreError, match="before it"), engine.gate.reading():
        pass
    with engine.log.write(), pytest.raises(StoreError, match="before it"), engine.gate.writing():
        pass
    with engine.gate.writing(), engine.log.write():
        pass


@pytest.mark.parametrize("verb", ["delete", "update"])
def test_what_is_condensed_meanwhile_leaves_no_summary_of_what_is_gone(
    store: scrubjay.MemoryStore, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    ids = [store.add(f"the red kettle boils water for tea {i}").id for i in range(4)]
    above, between = revise.tiers_above, []

    def meanwhile(*args: object) -> object:
        seen = above(*args)  # type: ignore[arg-type]
        if not between:
            between.append(store.condense().fresh)
        return seen

    for module in (delete, revise):
        monkeypatch.setattr(module, "tiers_above", meanwhile)
    if verb == "delete":
        store.delete(ids[0])
    else:
        store.update(ids[0], text="the lamp is green")
    assert between == [1]
    assert not store.descend("red kettle").summaries
