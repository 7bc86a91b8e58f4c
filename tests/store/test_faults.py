"""Every write step of a history fails once, in every way: what was acknowledged stays, the rest never was."""

from __future__ import annotations

import functools
import os
import resource
import shutil
import signal
from collections.abc import Iterable
from typing import Any

import pytest

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.errors import ArgumentError, StoreError
from scrubjay.events import Forgotten, Reinforced, Updated
from scrubjay.store import EventLog, snapshot, verify
from tests.store.faults import Switch, failing
from tests.store.helpers import context, digest, fill, learned, open_log, space, unit


def scenario(path: str, told: Any) -> None:
    """A short life of a store; `told(seq)` after each acknowledged transaction."""
    log = open_log(path)
    try:
        columns = Columns(log.dim)

        def write(*events: Any) -> None:
            with log.write() as tx:
                batch = tx.append(events)
            told(batch.upto)
            fold.apply(columns, batch)

        write(space(), context(0), learned(1, context=0))
        write(*[learned(i) for i in range(2, 30)])
        write(Updated(at=0.0, key=3, text="new", dedupe=digest("new"), vector=unit(99).tobytes()))
        snapshot.save(log, columns)
        write(Forgotten(at=0.0, keys=[1, 2]), Reinforced(at=0.0, key=5))
        write(learned(30, "x" * 100_000), learned(31))
        snapshot.save(log, columns)
    finally:
        log.close()


def check(path: str, acknowledged: int, whole: list[Any]) -> None:
    """The store opens, holds a prefix of the history with all that was acknowledged, and can be written to."""
    with open_log(path) as log:
        columns, status = snapshot.load(log)
        assert status.good, status
        fold.catch_up(columns, log)
        assert log.seq >= acknowledged
        assert log.seq in (0, 3, 31, 32, 34, 36)
        assert [e for b in log.tail() for e in b.events] == whole[: log.seq]
        report = verify.verify(log, fold.catch_up, columns=columns)
        assert report.ok, str(report)
        fill(log, 1)
        fold.catch_up(columns, log)
        assert snapshot.save(log, columns).outcome == "written"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """All events of the scenario, and the number of its write steps."""
    path = str(tmp_path_factory.mktemp("whole") / "s")
    with failing(Switch()) as switch:
        scenario(path, lambda seq: None)
    with open_log(path) as log:
        assert log.seq == 36
        return [e for b in log.tail() for e in b.events], switch.steps


WAYS = [(kind, lasting) for kind in ("ENOSPC", "EIO", "short") for lasting in (False, True)]


def fail_at(folder, whole, steps: Iterable[tuple[int, str, bool]]) -> None:
    """Live the scenario once for each (step, kind, lasting); the store must be right after each."""
    events, _ = whole
    tried, failures, named = 0, 0, True
    for at, kind, lasting in steps:
        path = str(folder / f"{at}-{kind}-{lasting}")
        told = [0]
        switch = Switch(at, kind, lasting=lasting)
        with failing(switch):
            try:
                scenario(path, told.append)
            except StoreError as error:
                failures += 1
                named = named and path in str(error)
        assert switch.tripped
        check(path, max(told), events)
        shutil.rmtree(path)
        tried += 1
    assert failures > tried // 2
    assert named, "an error does not name the store"


def test_every_step_fails_in_some_way(quick_path, whole):
    assert whole[1] > 60
    fail_at(quick_path, whole, ((at, *WAYS[at % len(WAYS)]) for at in range(1, whole[1] + 1)))


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("kind", "lasting"), WAYS)
def test_every_step_fails_in_every_way(quick_path, whole, kind, lasting):
    fail_at(quick_path, whole, ((at, kind, lasting) for at in range(1, whole[1] + 1)))


def end_at(folder, whole, steps: Iterable[int]) -> None:
    events, _ = whole
    for at in steps:
        path = str(folder / f"{at}")
        told = folder / "told"
        told.write_text("0\n")
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                with failing(Switch(at, "exit")), open(told, "a", buffering=1) as file:
                    scenario(path, functools.partial(print, file=file))
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 99
        check(path, max(map(int, told.read_text().split())), events)
        shutil.rmtree(path)


def test_the_process_ends_at_every_third_step(quick_path, whole):
    end_at(quick_path, whole, range(1, whole[1] + 1, 3))


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_the_process_ends_at_every_step(quick_path, whole):
    end_at(quick_path, whole, range(1, whole[1] + 1))


def test_a_handle_goes_on_when_there_is_room_again(tmp_path):
    switch = Switch(0, "ENOSPC")
    with failing(switch), open_log(tmp_path / "s") as log:
        fill(log, 3)
        for _ in range(3):
            switch.at = switch.steps + 1
            with pytest.raises(StoreError, match="disk is full"):
                fill(log, 200)
            assert log.seq == 4 + 3 * _
            fill(log, 3)
        assert verify.verify(log, fold.catch_up).ok


def test_a_file_size_limit_is_an_error_and_loses_nothing(tmp_path):
    path = str(tmp_path / "s")
    with open_log(path) as log:
        fill(log, 100)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(60)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            with open_log(path) as log:
                resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
                try:
                    fill(log, 5000)
                except StoreError:
                    status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with open_log(path) as log:
        assert log.seq >= 101
        assert verify.verify(log, fold.catch_up).ok
        fill(log, 100)


def test_an_error_inside_sqlite_ends_the_block_even_if_it_is_caught(tmp_path):
    with open_log(tmp_path / "s") as log:
        fill(log, 3)

        def careless(log: EventLog) -> None:
            with log.write() as tx:
                tx.append([learned(4)])
                with pytest.raises(ArgumentError, match="UNIQUE"):
                    tx.append([learned(5), learned(6, "memory 5")])
                with pytest.raises(StoreError, match="has failed"):
                    tx.append([learned(6)])

        with pytest.raises(StoreError, match="nothing of the block"):
            careless(log)
        assert log.seq == 4
