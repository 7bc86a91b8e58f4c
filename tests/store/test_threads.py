"""One handle, many threads: turns, shared commits, consistent views."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.errors import StoreError
from scrubjay.events import Forgotten, Learned
from scrubjay.store import verify, writer
from tests.store.faults import Switch, failing
from tests.store.helpers import fill, learned, open_log, start


def together(*works: Callable[[], None]) -> list[Exception]:
    """Run each in a thread, all at once; what they raised."""
    barrier = threading.Barrier(len(works))
    raised: list[Exception] = []

    def run(work: Callable[[], None]) -> None:
        barrier.wait()
        try:
            work()
        except Exception as error:  # noqa: BLE001 - returned to the test
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not any(t.is_alive() for t in threads)
    return raised


@pytest.fixture(params=["file", "memory"])
def log(request, tmp_path):
    with start(open_log(tmp_path / "s" if request.param == "file" else ":memory:")) as opened:
        yield opened


def test_every_thread_gets_its_own_numbers(log):
    keys: list[int] = []

    def add() -> None:
        for _ in range(50):
            with log.write() as tx:
                mine = tx.next_key
                tx.append([learned(mine), learned(mine + 1)])
                assert tx.next_key == mine + 2
            keys.extend((mine, mine + 1))

    assert together(*[add] * 8) == []
    assert sorted(keys) == list(range(1, 801))
    assert log.seq == 801
    assert verify.verify(log, fold.catch_up).ok


def test_one_dedupe_lookup_and_append_is_one_step(log):
    made: list[int] = []

    def add() -> None:
        for i in range(40):
            text = f"shared {i}"
            with log.write() as tx:
                event = learned(tx.next_key, text)
                if not tx.find_dedupe(0, [event.dedupe]):
                    tx.append([event])
                    made.append(i)

    assert together(*[add] * 6) == []
    assert sorted(made) == list(range(40))


@pytest.fixture
def patient(monkeypatch):
    """Who is expected is waited for, however slow the machine is."""
    monkeypatch.setattr(writer, "PATIENCE", 1e6)
    monkeypatch.setattr(writer, "GROUP_SECONDS", 1e6)


def expect(log, members: int, *, cost: float = 1e9) -> None:
    log._writer._expected, log._writer._cost = members, cost


def test_threads_that_meet_share_a_commit(tmp_path, patient):
    with failing(Switch()) as switch, start(open_log(tmp_path / "s")) as log:
        seen: list[int] = []

        def add() -> None:
            for _ in range(25):
                with log.write() as tx:
                    batch = tx.append([learned(tx.next_key)])
                # acknowledged: another connection sees it
                with log.read() as view:
                    assert view.seq >= batch.upto
                seen.append(batch.upto)

        expect(log, 16)
        before = switch.syncs
        assert together(*[add] * 16) == []
        assert sorted(seen) == list(range(2, 402))
        assert switch.syncs - before < 100, "25 groups of 16 took as many syncs as 400 transactions"
        assert log._writer._expected == 16
        assert verify.verify(log, fold.catch_up).ok


def one_more(log) -> None:
    with log.write() as tx:
        tx.append([learned(tx.next_key)])


def test_who_is_expected_and_does_not_come_is_not_waited_for(tmp_path):
    with start(open_log(tmp_path / "s")) as log, start(open_log(tmp_path / "s", timeout=0.0)) as other:
        for _ in range(10):
            expect(log, 64, cost=0.01)
            one_more(log)
            assert log._writer._expected == 32
            one_more(other)
        assert log.seq == 21


def test_who_is_interrupted_while_it_waits_leaves_no_lock_behind(tmp_path, patient, monkeypatch):
    with start(open_log(tmp_path / "s")) as log, start(open_log(tmp_path / "s", timeout=0.0)) as other:
        expect(log, 2)

        def interrupted(self, group):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(writer.Writer, "_until", interrupted)
            with pytest.raises(KeyboardInterrupt):
                one_more(log)
        one_more(other)
        assert log.seq == 3


def test_a_member_that_fails_takes_only_its_own_back(tmp_path):
    with start(open_log(tmp_path / "s")) as log:
        kept: list[int] = []

        def good() -> None:
            for _ in range(30):
                with log.write() as tx:
                    kept.extend(tx.append([learned(tx.next_key)]).seqs)

        def bad() -> None:
            for i in range(30):
                with pytest.raises(ZeroDivisionError), log.write() as tx:
                    1 / len(tx.append([learned(tx.next_key, f"lost {threading.get_ident()} {i}")]).damaged)

        assert together(good, bad, good, bad, good) == []
        texts = [e.text for b in log.tail() for e in b.events if isinstance(e, Learned)]
        assert len(texts) == 90
        assert not [t for t in texts if t.startswith("lost")]
        assert sorted(kept) == list(range(2, 92))
        assert verify.verify(log, fold.catch_up).ok


def test_a_commit_that_fails_is_told_to_every_member(tmp_path):
    with failing(Switch(0, "EIO", lasting=True)) as switch, start(open_log(tmp_path / "s")) as log:
        fill(log, 5)
        acknowledged: list[int] = []

        def add() -> None:
            for _ in range(10):
                try:
                    with log.write() as tx:
                        batch = tx.append([learned(tx.next_key)])
                except StoreError:
                    continue
                acknowledged.extend(batch.seqs)

        switch.at = switch.steps + 60
        assert together(*[add] * 8) == []
        assert switch.tripped
        switch.at, switch.lasting = 0, False
        there = [s for b in log.tail(6) for s in b.seqs]
        assert set(acknowledged) <= set(there)
        assert len(acknowledged) < 80
        fill(log, 1)
        assert verify.verify(log, fold.catch_up).ok


def test_a_view_stands_still(log):
    fill(log, 10)
    entered, go_on = threading.Event(), threading.Event()
    looks: list[object] = []

    def look() -> None:
        with log.read() as view:
            looks.append((view.seq, len(view.rows(list(range(1, 40))))))
            entered.set()
            go_on.wait(1.0 if log.in_memory else 120.0)
            looks.append((view.seq, len(view.rows(list(range(1, 40))))))

    def write() -> None:
        entered.wait(120)
        fill(log, 20)
        with log.write() as tx:
            tx.append([Forgotten(at=0.0, keys=[1, 2, 3])])
        go_on.set()

    assert together(look, write) == []
    assert looks == [(11, 10), (11, 10)]
    with log.read() as view:
        assert (view.seq, len(view.rows(list(range(1, 40))))) == (32, 27)
    with pytest.raises(StoreError, match="view of the store has ended"):
        view.rows([1])


def test_readers_fold_while_writers_append(log):
    def write() -> None:
        for _ in range(60):
            fill(log, 5)

    def follow() -> None:
        columns = Columns(log.dim)
        while len(columns) < 600:
            fold.catch_up(columns, log)
        assert columns.digest() == fold.rebuild(log, upto=columns.seq).digest()

    assert together(write, write, follow, follow) == []


def test_a_view_left_open_by_a_thread_that_ends_is_no_obstacle(tmp_path):
    with start(open_log(tmp_path / "s")) as log:
        fill(log, 20)

        def abandon() -> None:
            batches = log.tail()
            next(batches)

        assert together(*[abandon] * 10) == []
        fill(log, 5)
        assert log.seq == 26
