"""Adds that meet: one batch, the events of one after another, and to each its own answer."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

import scrubjay
from scrubjay import errors
from scrubjay.encode.perishability import KeywordRule
from scrubjay.events import AnyEvent, Learned, Reinforced, Updated
from scrubjay.store import writer
from scrubjay.verbs import combine
from store.faults import Switch, failing
from toys import Clock, WordHash

PATIENCE = 120.0


class Gated(WordHash):
    """Holds the calls that embed the word "held" until it is told; refuses "poison", stops the thread at "stop"."""

    def __init__(self) -> None:
        super().__init__(32)
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.raises: BaseException | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any("held" in text for text in texts):
            self.begun.set()
            assert self.go_on.wait(PATIENCE)
            if self.raises is not None:
                raise self.raises
        if any("poison" in text for text in texts):
            raise ValueError("no vector for that")
        return super().embed(texts)


class Watched(combine.Adds):
    """Says when somebody has come."""

    def __init__(self, engine: Any) -> None:
        super().__init__(engine)
        self.came = threading.Semaphore(0)

    def _join(self, mine: Any) -> None:
        super()._join(mine)
        self.came.release()


class Caller:
    """A thread that calls, and what came of it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self.answer: Any = None
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.answer = self._call()
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            self.error = error

    def end(self) -> Any:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        return self.answer


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No leader lapses, however slow the machine is."""
    monkeypatch.setattr(combine, "LAPSE", 1e6)


def opened(path: Path | str, embedder: WordHash | None = None, **given: Any) -> scrubjay.MemoryStore:
    given = {"clock": Clock(), "perishability": KeywordRule()} | given
    store = scrubjay.open(path, embedder=embedder or Gated(), **given)
    store._adds = Watched(store._engine)
    return store


Call = Callable[[scrubjay.MemoryStore], Any]


@contextmanager
def meeting(store: scrubjay.MemoryStore, calls: Sequence[Call], first: str = "held") -> Iterator[list[Caller]]:
    """Within the block a first add is embedded, and `calls` have come one after another; behind it all are answered."""
    gate: Any = store._engine.embedder
    came: threading.Semaphore = store._adds.came  # type: ignore[attr-defined]
    callers = [Caller(lambda: store.add(first))]
    assert came.acquire(timeout=PATIENCE)
    assert gate.begun.wait(PATIENCE)
    for call in calls:
        callers.append(Caller(lambda call=call: call(store)))
        assert came.acquire(timeout=PATIENCE)
    try:
        yield callers
    finally:
        gate.go_on.set()
        for caller in callers:
            caller.end()


def meet(store: scrubjay.MemoryStore, calls: Sequence[Call]) -> list[Caller]:
    with meeting(store, calls) as callers:
        pass
    return callers[1:]


def texts(store: scrubjay.MemoryStore, namespace: Any = ()) -> list[str]:
    return [unit.text for unit in store.list(namespace=namespace, limit=1000)]


def told(store: scrubjay.MemoryStore) -> list[AnyEvent]:
    """The log, without ids."""
    out = []
    for batch in store._engine.log.tail():
        out += [msgspec.structs.replace(e, id=b"") if isinstance(e, Learned) else e for e in batch.events]
    return out


VARIED: list[dict[str, Any]] = [
    {"text": "the office is in room 4.12", "context": "travel plans"},
    {"text": "the office is in room 4.13", "context": "travel plans", "when": 1.69e9},
    {"text": "Ada prefers green tea", "namespace": "ada"},
    {"text": "the office is in room 4.12"},
    {"text": "Ada prefers black tea", "namespace": "ada", "context": "tea"},
    {"text": "the pass is valid until 3 March 2026", "metadata": {"speaker": "Bo", "page": 3}},
    {"text": "the plan is to travel by train", "key": "plan", "context": "travel"},
    {"text": "the  plan is to travel by train", "key": "plan"},
    {"text": "meet Bo in the office at nine", "importance": 0.9, "pinned": True},
    {"text": "meet Bo in the office at ten", "value": 2.0, "sensitive": "medical"},
    {"text": "the office has green walls", "perishability": "factual"},
    {"text": "Ada works in the office in room 4.12", "namespace": "ada", "context": "travel plans"},
]  # fmt: skip


@pytest.mark.parametrize("graph", [True, False])
def test_a_batch_has_the_events_and_the_state_of_one_after_another(tmp_path: Path, graph: bool) -> None:
    def call(given: dict[str, Any]) -> Call:
        return lambda store: store.add(**given)

    with opened(tmp_path / "a", graph=graph) as store, opened(":memory:", graph=graph) as alone:
        alone._engine.embedder.go_on.set()  # type: ignore[attr-defined]
        for some in (store, alone):
            some.add_many([f"old note {i} of the office" for i in range(9)])
        callers = meet(store, [call(given) for given in VARIED])
        assert [caller.error for caller in callers] == [None] * len(VARIED)
        alone.add("held")
        for given in VARIED:
            alone.add(**given)
        assert store._engine.embedder.calls[-2:] == [10, 3], "one call for the texts of the batch, one for contexts"  # type: ignore[attr-defined]
        assert told(store) == told(alone)
        assert store._engine.state() == alone._engine.state()
        units = [msgspec.structs.replace(caller.answer, id="") for caller in callers]
        # a memory that was said again later is as it was then
        held = {unit.text: unit for name in ((), "ada") for unit in alone.list(namespace=name)}
        assert units[2] == msgspec.structs.replace(held["Ada prefers green tea"], id="")
        assert [unit.text for unit in units[:6]] == [given["text"] for given in VARIED[:6]]
        assert (units[0].id, units[0].evidence) == (units[3].id, 2)
        assert store.verify().ok


def test_the_order_in_which_they_came_is_kept(tmp_path: Path) -> None:
    said = [f"note {i} of the day" for i in range(combine.MOST + 6)]
    with opened(tmp_path / "s") as store:
        meet(store, [lambda store, text=text: store.add(text) for text in said])  # type: ignore[misc]
        assert texts(store) == ["held", *said]
        assert store._engine.embedder.calls == [1, combine.MOST, 6]  # type: ignore[attr-defined]


def test_more_than_a_window_is_near_enough(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(60)]
    old = [" ".join(rng.choice(words, 4)) + f" {i}" for i in range(1500)]
    new = [" ".join(rng.choice(words, 4)) + f" new {i}" for i in range(12)]
    with opened(tmp_path / "s") as store, opened(":memory:") as alone:
        alone._engine.embedder.go_on.set()  # type: ignore[attr-defined]
        for some in (store, alone):
            some.add_many(old)
            some.add("one more")
        meet(store, [lambda store, text=text: store.add(text) for text in new])  # type: ignore[misc]
        for text in ("held", *new):
            alone.add(text)
        edges = [int((some._engine.columns.links._near > 0).sum()) for some in (store, alone)]
        assert edges[0] == pytest.approx(edges[1], rel=0.02)
        assert store.verify().ok


def test_one_that_cannot_be_embedded_harms_no_other(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        good = [lambda store, i=i: store.add(f"good {i}") for i in range(5)]
        callers = meet(store, [*good[:2], lambda store: store.add("poison"), *good[2:]])  # type: ignore[list-item]
        assert isinstance(callers[2].error, errors.EmbeddingError)
        assert [c.error for c in callers if c is not callers[2]] == [None] * 5
        assert sorted(texts(store)) == ["good 0", "good 1", "good 2", "good 3", "good 4", "held"]
        assert {unit.evidence for unit in store.list()} == {1}


def test_two_statements_under_one_key_in_a_batch(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        callers = meet(
            store,
            [
                lambda store: store.add("the room is 4.12", key="room", when=1.6e9),
                lambda store: store.add("the room is 4.13", key="room", when=1.7e9, metadata={"by": "Bo"}),
                lambda store: store.add("another note"),
            ],
        )
        assert [c.error for c in callers] == [None] * 3
        assert sorted(texts(store)) == ["another note", "held", "the room is 4.13"]
        assert callers[0].answer.id == callers[1].answer.id
        assert (callers[1].answer.text, callers[1].answer.metadata) == ("the room is 4.13", {"by": "Bo"})
        assert [entry.event for entry in store.history(callers[1].answer.id)][-1] == "updated"
        kinds = [type(e) for e in told(store) if isinstance(e, Learned | Reinforced | Updated)]
        assert kinds == [Learned, Learned, Reinforced, Learned, Updated]
        hits = store.search("which room?", k=1)
        assert hits[0].memory.text == "the room is 4.13"


def test_of_two_that_contradict_in_a_batch_the_later_one_is_found(tmp_path: Path) -> None:
    with opened(tmp_path / "s", clock=Clock(1.7e9)) as store, opened(":memory:") as alone:
        said = [("the code of the door is 4711", 1.6e9), ("the code of the door is 1234", 1.69e9)]
        alone._engine.embedder.go_on.set()  # type: ignore[attr-defined]
        alone.add("held")
        for text, when in said:
            alone.add(text, when=when)
        meet(store, [lambda store, text=t, when=w: store.add(text, when=when) for t, w in said])  # type: ignore[misc]
        found = [
            [(h.memory.text, h.score, h.superseded) for h in s.search("code of the door?")] for s in (store, alone)
        ]
        assert found[0] == found[1]


def test_bound_handles_meet_and_see_their_own(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        names = [f"tenant {i}" for i in range(6)]
        callers = meet(store, [lambda store, n=n: store.bound(n).add(f"the secret of {n}") for n in names])  # type: ignore[misc]
        for name, caller in zip(names, callers, strict=True):
            assert caller.answer.namespace == (name,)
            assert [unit.text for unit in store.bound(name).list()] == [f"the secret of {name}"]


def test_a_batch_waits_for_the_disk_once(tmp_path: Path) -> None:
    with failing(Switch()) as switch, opened(tmp_path / "s", graph=False) as store:
        before = 0
        with meeting(store, [lambda store, i=i: store.add(f"note {i}") for i in range(16)]):  # type: ignore[misc]
            before = switch.syncs
        assert len(store) == 17
        assert switch.syncs - before <= 4, "17 adds are two commits"


@pytest.mark.parametrize("lasting", [False, True])
def test_a_commit_that_fails_loses_nothing_that_was_acknowledged(tmp_path: Path, lasting: bool) -> None:
    with failing(Switch(0, "EIO", lasting=lasting)) as switch:
        store = opened(tmp_path / "s", graph=False)
        gate: Any = store._engine.embedder
        with meeting(store, [lambda store, i=i: store.add(f"note {i}") for i in range(5)]) as callers:  # type: ignore[misc]
            gate.go_on.set()
            callers[0].end()
            # whichever step of the batch, or of what comes of it, is next
            switch.at = switch.steps + 3
        acknowledged = [c.answer.text for c in callers if c.error is None]
        assert all(isinstance(c.error, errors.StoreError) for c in callers if c.error is not None)
        switch.at, switch.lasting = 0, False
        there = texts(store)
        assert set(acknowledged) <= set(there)
        assert len(there) == len(set(there))
        if not lasting:
            assert len(acknowledged) == 6, "each was written alone"
        assert {unit.evidence for unit in store.list()} == {1}
        store.close()


def test_a_leader_that_is_interrupted_while_it_embeds_is_replaced(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        gate: Any = store._engine.embedder
        gate.raises = KeyboardInterrupt()
        with meeting(store, [lambda store: store.add("b"), lambda store: store.add("c")]) as callers:
            pass
        assert isinstance(callers[0].error, KeyboardInterrupt)
        assert [c.error for c in callers[1:]] == [None, None]
        assert sorted(texts(store)) == ["b", "c"]


@pytest.mark.parametrize("place", ["fold", "commit", "before"])
def test_a_leader_that_is_interrupted_leaves_every_other_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    with opened(tmp_path / "s") as store:
        engine = store._engine
        said = ["b", "c", "d"]
        with meeting(store, [lambda store, text=text: store.add(text) for text in said]) as callers:  # type: ignore[misc]
            leader = callers[1].thread.ident
            left = [1]

            def interrupts(real: Callable[..., Any], *, late: bool) -> Callable[..., Any]:
                def call(*args: Any, **kwargs: Any) -> Any:
                    answer = real(*args, **kwargs) if late else None
                    if threading.get_ident() == leader and left:
                        left.clear()
                        raise KeyboardInterrupt
                    return answer if late else real(*args, **kwargs)

                return call

            if place == "fold":
                monkeypatch.setattr(engine, "refresh", interrupts(engine.refresh, late=False))
            elif place == "commit":
                monkeypatch.setattr(writer.Writer, "wait", interrupts(writer.Writer.wait, late=True))
            else:
                monkeypatch.setattr(combine, "add_chunk", interrupts(combine.add_chunk, late=False))
        assert isinstance(callers[1].error, KeyboardInterrupt)
        assert [c.answer.text for c in callers[2:]] == ["c", "d"]
        expected = ["c", "d", "held"] if place == "before" else ["b", "c", "d", "held"]
        assert sorted(texts(store)) == expected
        assert {unit.evidence for unit in store.list()} == {1}
        assert store.add("afterwards").evidence == 1


def test_who_is_interrupted_while_it_waits_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "s") as store:
        adds: Any = store._adds
        sleep, victim = adds._sleep, []

        def stops(mine: Any, seconds: float | None = None) -> None:
            if mine.draft.text == "mine":
                victim.append(1)
                raise KeyboardInterrupt
            sleep(mine, seconds)

        monkeypatch.setattr(adds, "_sleep", stops)
        callers = meet(store, [lambda store: store.add("mine"), lambda store: store.add("other")])
        assert victim
        assert isinstance(callers[0].error, KeyboardInterrupt)
        assert sorted(texts(store)) == ["held", "other"]


def test_a_slow_embedder_holds_nobody_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combine, "LAPSE", 0.0)
    with opened(tmp_path / "s") as store, meeting(store, []) as callers:
        assert store.add("meanwhile").text == "meanwhile"
        assert [hit.memory.text for hit in store.search("meanwhile", k=1)] == ["meanwhile"]
        assert callers[0].answer is None


def test_an_embedder_may_add(tmp_path: Path) -> None:
    class Adding(Gated):
        store: Any = None

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if "outer" in texts:
                self.store.add("inner")
            return super().embed(texts)

    embedder = Adding()
    with opened(tmp_path / "s", embedder) as store:
        embedder.store = store
        assert store.add("outer").text == "outer"
        assert texts(store) == ["inner", "outer"]


def test_a_lock_that_is_not_given_is_told_to_all(tmp_path: Path) -> None:
    with opened(tmp_path / "s", timeout=0.0) as store, opened(tmp_path / "s") as other:
        with meeting(store, [lambda store, i=i: store.add(f"note {i}") for i in range(3)]) as callers:  # type: ignore[misc]
            held = other._engine.log.exclusive()
            held.__enter__()
            store._engine.embedder.go_on.set()  # type: ignore[attr-defined]
            for caller in callers:
                caller.end()
            held.__exit__(None, None, None)
        raised = [c.error for c in callers]
        assert all(isinstance(error, errors.StoreLockedError) for error in raised)
        assert len({id(error) for error in raised}) == len(raised), "each has its own"
        assert not texts(store)


def test_closing_ends_those_who_wait(tmp_path: Path) -> None:
    store = opened(tmp_path / "s")
    with meeting(store, [lambda store: store.add("b"), lambda store: store.add("c")]) as callers:
        store.close()
    assert all(isinstance(c.error, errors.StoreClosedError) for c in callers)
    with opened(tmp_path / "s") as again:
        assert not texts(again)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_fork_is_told_and_the_parent_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        with meeting(store, [lambda store: store.add("b")]) as callers, store._adds._turn:
            child = os.fork()
            if child == 0:
                try:
                    store.add("of the child")
                except errors.StoreForkedError:
                    os._exit(0)
                os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert [c.error for c in callers] == [None, None]
        assert texts(store) == ["held", "b"]


def test_tasks_meet_as_threads_do(tmp_path: Path) -> None:
    embedder = Gated()

    async def main() -> None:
        async with scrubjay.aopen(tmp_path / "s", embedder=embedder, clock=Clock()) as twin:
            watched = twin._store._adds = Watched(twin._store._engine)
            adds = [asyncio.ensure_future(twin.add("held"))]
            assert await asyncio.to_thread(watched.came.acquire, timeout=PATIENCE)
            assert await asyncio.to_thread(embedder.begun.wait, PATIENCE)
            for i in range(8):
                adds.append(asyncio.ensure_future(twin.add(f"note {i}")))
                assert await asyncio.to_thread(watched.came.acquire, timeout=PATIENCE)
            embedder.go_on.set()
            units = await asyncio.gather(*adds)
            assert [unit.text for unit in units] == ["held", *(f"note {i}" for i in range(8))]
            assert [unit.text for unit in await twin.list()] == [unit.text for unit in units]

    asyncio.run(main())
    assert 8 in embedder.calls


def test_who_is_alone_waits_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "s") as store:
        monkeypatch.setattr(store._adds, "_sleep", None)
        for i in range(5):
            store.add(f"note {i}")
        assert store._engine.embedder.calls == [1] * 5  # type: ignore[attr-defined]


def test_many_threads_each_find_what_they_have_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combine, "LAPSE", 0.001)
    with opened(tmp_path / "s", WordHash(32)) as store:
        wrong: list[str] = []

        def work(who: int) -> None:
            for i in range(12):
                text = f"worker{who} said word{i}"
                unit = store.add(text, key=f"{who}-{i % 6}" if i % 2 else None)
                found = [hit.memory.id for hit in store.search(text, k=3)]
                if store.get(unit.id).text != text or unit.text != text or unit.id not in found:
                    wrong.append(text)

        callers = [Caller(lambda who=who: work(who)) for who in range(8)]
        for caller in callers:
            caller.end()
        assert [caller.error for caller in callers] == [None] * 8
        assert not wrong
        assert store.verify().ok
