"""Several processes, sudden ends, forks."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from scrubjay import fold
from scrubjay.errors import StoreError, StoreForkedError, StoreLockedError
from scrubjay.events import Learned
from scrubjay.store import snapshot, verify
from tests.store import workers
from tests.store.helpers import fill, learned, open_log, start


def test_bug_10_two_writers_and_two_readers(tmp_path):
    path = str(tmp_path / "s")
    with open_log(path) as log:
        fill(log, 1)
    first, second, *looks = workers.run(
        (workers.write_one_by_one, path, "a", 500),
        (workers.write_one_by_one, path, "b", 500),
        (workers.follow, path, 1001),
        (workers.follow, path, 1001),
    )
    assert sorted([1, *first, *second]) == list(range(1, 1002))
    assert min(looks) >= 2
    with open_log(path) as log:
        assert log.seq == 1002
        assert verify.verify(log, fold.catch_up).ok
    shutil.rmtree(path)
    assert not os.path.exists(path)


def kill_while_importing(tmp_path, kills: int, seed: int) -> None:
    """The oracle: acknowledged <= recovered = a prefix of whole transactions, and everything derived agrees."""
    draw = random.Random(seed)
    path, acknowledged = str(tmp_path / "s"), str(tmp_path / "acknowledged")
    survived = 0
    for round in range(kills):
        process = workers.PROCESSES.Process(
            target=workers.import_until_killed, args=(path, acknowledged, draw.randrange(10**9))
        )
        process.start()
        if round % 2:
            # at the latest then something was acknowledged
            workers.until_longer(acknowledged)
        time.sleep(draw.uniform(0.0, 0.4))
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        if not os.path.exists(path):
            continue
        # nobody is alive: who had to wait for a lock would say that the store is locked
        with open_log(path, timeout=0.0) as log:
            columns, status = snapshot.load(log)
            assert status.good, status
            fold.catch_up(columns, log)
            if os.path.exists(acknowledged):
                with open(acknowledged) as file:
                    survived = max([survived, *map(int, file.read().split())])
            assert log.seq >= survived, "an acknowledged transaction is gone"
            survived = log.seq
            report = verify.verify(log, fold.catch_up, columns=columns)
            assert report.ok, f"round {round}: {report}"
            for batch in log.tail():
                for event in batch.events:
                    if isinstance(event, Learned):
                        assert event == learned(event.key)
    assert survived > 0


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(4))
def test_kill_in_the_middle_of_an_import(tmp_path, counted, seed):
    kill_while_importing(tmp_path, 25, seed=1 + seed)
    counted("kill -9", kills=25, acknowledged_lost=0)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(100))
def test_kill_in_the_middle_of_an_import_many_times(tmp_path, counted, seed):
    kill_while_importing(tmp_path, 30, seed=100 + seed)
    counted("kill -9", kills=30, acknowledged_lost=0)


def test_bug_27_a_killed_holder_does_not_keep_the_store(tmp_path):
    path, ready = str(tmp_path / "s"), tmp_path / "ready"
    with open_log(path) as log:
        fill(log, 3)
    process = workers.PROCESSES.Process(target=workers.hold_the_lock, args=(path, 60.0, str(ready)))
    process.start()
    while not ready.exists():
        time.sleep(0.005)
    with open_log(path, timeout=0.1) as log:
        assert log.seq == 4
        with pytest.raises(StoreLockedError, match="timeout"), log.write():
            raise AssertionError("unreachable")
    process.kill()
    process.join()
    with open_log(path, timeout=0.0) as log:
        fill(log, 1)
        assert log.seq == 5
        assert verify.verify(log, fold.catch_up).ok


def test_a_writer_waits_for_another_process(tmp_path):
    path, ready = str(tmp_path / "s"), tmp_path / "ready"
    with open_log(path) as log:
        fill(log, 1)
        process = workers.PROCESSES.Process(target=workers.hold_the_lock, args=(path, 0.3, str(ready)))
        process.start()
        while not ready.exists():
            time.sleep(0.005)
        fill(log, 1)
        process.join()
        assert [e.text for b in log.tail() for e in b.events if isinstance(e, Learned)] == [
            "memory 1",
            "held",
            "memory 3",
        ]


def test_snapshots_of_two_processes_do_not_go_back(tmp_path):
    path = str(tmp_path / "s")
    start(open_log(path)).close()
    outcomes = workers.run((workers.save_snapshots, path, 40), (workers.save_snapshots, path, 40))
    assert {o for part in outcomes for o in part} <= {"written", "older", "skipped"}
    assert all("written" in part for part in outcomes)
    with open_log(path) as log:
        columns, status = snapshot.load(log)
        assert status.outcome == "loaded"
        fold.catch_up(columns, log)
        assert columns.digest() == fold.rebuild(log).digest()
        snapshot.save(log, columns)
    assert len(os.listdir(os.path.join(path, "snapshot"))) == 5


def in_a_child(check) -> int:
    """Exit status of a forked child that runs `check`, within 20 seconds."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(20)
            check()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("where", ["file", "memory"])
def test_bug_14_a_handle_does_not_cross_fork(tmp_path, where):
    with open_log(tmp_path / "s" if where == "file" else ":memory:") as log:
        fill(log, 20)

        def child() -> None:
            for use in (lambda: log.seq, lambda: fill(log, 1), lambda: log.history(1), lambda: list(log.tail())):
                with pytest.raises(StoreForkedError, match="open it again"):
                    use()
            log.close()

        assert in_a_child(child) == 0
        fill(log, 5)
        assert log.seq == 26
        assert verify.verify(log, fold.catch_up).ok


def test_bug_22_fork_amid_threads_and_the_child_opens_the_store_anew(tmp_path):
    path = str(tmp_path / "s")
    stop = threading.Event()
    problems: list[Exception] = []

    def busy(work) -> None:
        try:
            while not stop.is_set():
                work()
        except Exception as error:  # noqa: BLE001 - shown by the test, whatever it is
            problems.append(error)

    def child() -> None:
        with pytest.raises(StoreForkedError):
            _ = log.seq
        with open_log(path) as own:
            before = own.seq
            fill(own, 3)
            assert own.seq >= before + 3
            fold.rebuild(own)

    with open_log(path, durability="normal") as log:
        fill(log, 50)
        threads = [
            threading.Thread(target=busy, args=(lambda: fill(log, 1),)),
            threading.Thread(target=busy, args=(lambda: fold.rebuild(log),)),
        ]
        for t in threads:
            t.start()
        statuses = [in_a_child(child) for _ in range(5)]
        stop.set()
        for t in threads:
            t.join()
        assert problems == []
        assert statuses == [0] * 5
        assert verify.verify(log, fold.catch_up).ok


def test_a_fork_inside_a_block_leaves_the_block_to_the_parent(tmp_path):
    with start(open_log(tmp_path / "s")) as log:
        with log.write() as tx:
            tx.append([learned(1)])
            child = os.fork()
            if child == 0:
                # this block ends here too, as it would in a careless program
                status = 1
                try:
                    signal.alarm(20)
                    try:
                        with log.read():
                            pass
                    except StoreForkedError:
                        status = 0
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert log.seq == 2
        assert verify.verify(log, fold.catch_up).ok


_CARELESS = """
import os, sys
from tests.store.helpers import learned, open_log, start
log = start(open_log(sys.argv[1]))
try:
    with log.write() as tx:
        tx.append([learned(1)])
        child = os.fork()
except Exception as error:
    assert child == 0, error
    print("child", type(error).__name__, flush=True)
    sys.exit(0)
assert child
os.waitpid(child, 0)
print("parent", log.seq, flush=True)
"""


def test_a_child_that_ends_the_block_and_the_interpreter_commits_nothing(tmp_path):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", _CARELESS, str(tmp_path / "s")], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["child", "StoreForkedError", "parent", "2"]
    with open_log(tmp_path / "s") as log:
        assert verify.verify(log, fold.catch_up).ok


def test_spawned_processes_open_what_the_parent_holds(tmp_path):
    path = str(tmp_path / "s")
    with open_log(path) as log:
        fill(log, 3)
        assert workers.run((workers.use_opened_elsewhere, path)) == [4]


def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_ever(tmp_path):
    with start(open_log(tmp_path / "s")) as log:
        with log.write() as tx:
            tx.append([learned(1)])
            for use in (lambda: fill(log, 1), lambda: log.seq, log.close):
                with pytest.raises(StoreError, match="block"):
                    use()
        assert log.seq == 2
