"""KeyboardInterrupt wherever it can be raised in what holds locks and transactions: nothing stays held or half."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import scrubjay
from scrubjay import fold
from scrubjay.store import log, verify, writer
from scrubjay.verbs import engine, gate
from tests.store.helpers import learned, open_log, start
from toys import Clock, WordHash

WATCHED = {module.__file__ for module in (log, writer, gate, fold, engine)}
HEARD = ("CALL", "RESUME", "JUMP_BACKWARD", "JUMP_ABSOLUTE")
"""Instructions behind which Python looks for signals: behind no other can a thread be interrupted."""


@cache
def heard(code: CodeType) -> frozenset[int]:
    """Places of those instructions, but for those at the end of a line: what is raised there is raised within it, and
    what follows may lie behind the end of a block already.
    """
    lines = {at: line for begin, end, line in code.co_lines() for at in range(begin, end)}
    steps = list(dis.get_instructions(code))
    return frozenset(
        one.offset
        for one, following in pairwise(steps)
        if one.opname.startswith(HEARD) and lines.get(one.offset) == lines.get(following.offset)
    )


def interrupted(at: int, work: Callable[[], object], watched: Collection[str | None] = WATCHED) -> bool:
    """Run `work` with a KeyboardInterrupt at the place of that number in the watched files; False if it has fewer."""
    left = at
    last: dict[FrameType, int] = {}

    def steps(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if event == "opcode":
            left -= last.get(frame, -1) in heard(frame.f_code)
            last[frame] = frame.f_lasti
            if left == 0:
                raise KeyboardInterrupt
        return steps

    def calls(frame: FrameType, event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes = frame.f_code.co_filename in watched
        return steps if frame.f_trace_opcodes else None

    before = sys.gettrace()
    sys.settrace(calls)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def everywhere(work: Callable[[], object], step: int) -> Iterator[int]:
    """Interrupt one run of `work` after another, each `step` places later, until one is left alone."""
    at = 1
    while interrupted(at, work):
        yield at
        at += step


@pytest.mark.parametrize(
    ("together", "step"), [(1, 2), (2, 3), *(pytest.param(n, 1, marks=pytest.mark.torture) for n in (1, 2))]
)
def test_a_writer_that_is_interrupted_anywhere_leaves_no_lock_and_nothing_half(
    tmp_path: Path, together: int, step: int
) -> None:
    with start(open_log(tmp_path / "s")) as held, start(open_log(tmp_path / "s", timeout=0.0)) as other:

        def add(log: Any) -> None:
            with log.write() as tx:
                tx.append([learned(tx.next_key), learned(tx.next_key + 1)])

        def work() -> None:
            # a group that is open is joined
            held._writer._expected, held._writer._cost = together, 0.0
            add(held)

        before, places = held.seq, 0
        for _ in everywhere(work, step):
            places += 1
            add(other)
            add(held)
            assert not held.has_turn
            seq = held.seq
            assert seq - before in (4, 6)
            before = seq
        assert places > 30 // step
        assert verify.verify(held, fold.catch_up).ok


@pytest.mark.parametrize(
    ("verb", "step"),
    [
        ("add", 31),
        ("search", 11),
        *(pytest.param(verb, 1, marks=pytest.mark.torture) for verb in ("add", "search", "update", "delete")),
    ],
)
def test_a_verb_that_is_interrupted_anywhere_leaves_a_store_that_works(tmp_path: Path, verb: str, step: int) -> None:
    def opened(**more: float) -> scrubjay.MemoryStore:
        return scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=Clock(1.7e9), **more)

    with opened() as store, opened(timeout=0.0) as other:
        kept = store.add("green tea").id
        places = 0
        verbs: dict[str, Callable[[], object]] = {
            "add": lambda: store.add("black tea"),
            "search": lambda: store.search("tea", k=3),
            "update": lambda: store.update(kept, value=float(places % 7)),
            "delete": lambda: store.delete(kept),
        }
        for _ in everywhere(verbs[verb], step):
            places += 1
            # what was interrupted is there or not
            store.delete([store.add("black tea").id, other.add("white tea").id])
            kept = store.add("green tea").id
            assert [hit.memory.text for hit in store.search("tea", k=3)] == ["green tea"]
        assert places > 30 // step
        assert store.verify().ok
        truth = fold.rebuild(store._engine.log)
        assert store._engine.columns.digest() == truth.digest()


def test_what_was_half_folded_is_no_snapshot(tmp_path: Path) -> None:
    def opened() -> scrubjay.MemoryStore:
        return scrubjay.open(tmp_path / "s", embedder=WordHash(16), clock=Clock(1.7e9))

    with opened() as other:
        kept = other.add("green tea").id
        places, at = 0, 1
        while True:
            store = opened()
            other.outcome(kept, 0.5)
            stopped = interrupted(at, lambda store=store: len(store), {fold.__file__})
            store._engine.replaced = True
            store.close()
            with opened() as store:
                assert store.get(kept).usefulness == other.get(kept).usefulness
                assert store._engine.columns.digest() == fold.rebuild(store._engine.log).digest()
            places, at = places + 1, at + 2
            if not stopped:
                break
        assert places > 5
