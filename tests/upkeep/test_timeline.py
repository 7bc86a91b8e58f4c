"""The log as truth: rebuild, replay, the past, compaction."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from scrubjay.events import NamespaceSeen, Undone, Void
from scrubjay.upkeep import what_if
from toys import NOW, Clock, WordHash

DAY = 86400.0


def busy(store: MemoryStore, clock: Clock, n: int = 60, seed: int = 0) -> list[str]:
    """A life of some length; returns the ids that are left."""
    rng = np.random.default_rng(seed)
    ids: list[str] = []
    for i in range(n):
        clock.now += 3600.0 * float(rng.uniform(0, 40))
        what = rng.integers(0, 10) if len(ids) > 4 else 0
        pick = [ids[j] for j in rng.choice(len(ids), min(len(ids), 3), replace=False)] if ids else []
        if what <= 1:
            ids.append(store.add(f"note {i} on topic {i % 5}", namespace="n").id)
        elif what <= 6:
            few = pick[: int(rng.integers(1, 4))]
            store.outcome(few, float(rng.uniform()), float(rng.choice([0.25, 1, 2])), source=["user", "bot", ""][i % 3])
        elif what == 7:
            store.rate(pick[0], float(rng.uniform()), source="judge")
        elif what == 8:
            store.integrate(f"topic {i % 5} has changed {i}", namespace="n")
        elif i % 2:
            store.delete(pick[0])
            ids.remove(pick[0])
        else:
            store.configure(law=["fsrs-6", "fsrs-5", "survey"][i % 3])
    return ids


def digest(store: MemoryStore) -> str:
    store._engine.refresh()
    return store._engine.columns.digest()


def test_a_rebuild_is_the_same(store: MemoryStore, clock: Clock) -> None:
    busy(store, clock)
    before, hits = digest(store), store.search("topic 3", namespace="n", frame="TASK")
    done = store.rebuild()
    assert done.same
    assert done.events == store.stats().events
    assert digest(store) == before
    assert store.search("topic 3", namespace="n", frame="TASK") == hits


def test_a_replay_of_everything_is_the_same_store(store: MemoryStore, clock: Clock) -> None:
    busy(store, clock)
    again = store.replay()
    assert digest(again) == digest(store)
    assert again.list(namespace="n") == store.list(namespace="n")
    assert again.verify().ok
    events = store.stats().events
    again.add("only there", namespace="n")
    assert store.stats().events == events


def test_a_replay_until_some_event_is_the_store_of_then(store: MemoryStore, clock: Clock) -> None:
    states = {}
    for seed in range(6):
        busy(store, clock, 12, seed)
        states[store.stats().events] = digest(store)
    for upto, wanted in states.items():
        assert digest(store.replay(upto=upto)) == wanted
    assert len(store.replay(upto=0)) == 0


def test_the_past_is_what_was_found_then(store: MemoryStore, clock: Clock) -> None:
    told = []
    for seed in range(6):
        ids = busy(store, clock, 12, seed)
        told.append((clock.now, store.search("topic 3", namespace="n", frame="TASK"), store.get(ids[0])))
        clock.now += DAY
    store.update(told[0][2].id, text="something else entirely")
    for at, hits, unit in [*told, told[0]]:
        assert store.search("topic 3", namespace="n", frame="TASK", as_of=at) == hits
        assert store.get(unit.id, as_of=at) == unit
    assert len(store._engine.past) <= 4
    with pytest.raises(errors.MemoryNotFoundError):
        store.get(told[0][2].id, as_of=NOW - 1)
    assert len(store.search("topic", namespace="n", as_of=NOW - 1)) == 0


def test_a_clock_that_jumped_once_does_not_end_the_past(store: MemoryStore, clock: Clock) -> None:
    store.add("before")
    clock.now = 4e9
    store.add("from the future")
    clock.now = NOW + DAY
    store.add("after")
    clock.now = NOW + 2 * DAY
    store.add("later")
    assert {h.memory.text for h in store.search("x", as_of=NOW + DAY)} == {"before", "from the future", "after"}


def found(store: MemoryStore, at: float) -> set[str]:
    return {h.memory.text for h in store.search("x", as_of=at)}


@pytest.mark.parametrize("back", [10.0, 3600.0, 400 * DAY, NOW])
def test_what_was_written_after_a_clock_was_set_back_is_not_shown_before_it(
    store: MemoryStore, clock: Clock, back: float
) -> None:
    for text in ("one", "two", "three"):
        clock.now += 60.0
        store.add(text)
    clock.now -= back
    store.add("by a wrong clock")
    # the order alone says that this came after three
    for at, texts in ((60.0, {"one"}), (90.0, {"one"}), (120.0, {"one", "two"}), (180.0, {"one", "two", "three"})):
        assert found(store, NOW + at) == texts
        assert {m.text for m in store.replay(until=NOW + at).list()} == texts
    assert found(store, NOW + 30.0) == set()
    assert found(store, NOW + 181.0) == {"one", "two", "three", "by a wrong clock"}
    clock.now = NOW + 300.0
    store.add("by the right one")
    assert found(store, NOW + 180.0) == {"one", "two", "three"}
    assert found(store, NOW + 240.0) == {"one", "two", "three", "by a wrong clock"}
    assert found(store, NOW + 300.0) == {"one", "two", "three", "by a wrong clock", "by the right one"}
    notes = [note for note in store.search("x", as_of=NOW + 90.0).notes if "clock" in note]
    assert len(notes) == (back > 300.0)
    assert not [note for note in store.search("x").notes if "clock" in note]


def test_a_clock_that_was_ahead_and_was_put_right_is_disbelieved_once_more_was_written_by_the_right_one(
    store: MemoryStore, clock: Clock
) -> None:
    clock.now = NOW + 100 * DAY
    store.add("ahead")
    for i in range(3):
        clock.now = NOW + i * DAY
        store.add(f"right {i}")
    assert found(store, NOW - 1.0) == set()
    assert found(store, NOW) == {"ahead", "right 0"}
    assert found(store, NOW + 1.5 * DAY) == {"ahead", "right 0", "right 1"}
    assert store.get(store.list()[0].id, as_of=NOW + DAY).text == "ahead"


def test_without_a_source_its_outcomes_have_never_been(store: MemoryStore, clock: Clock) -> None:
    later = Clock(NOW)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=later) as other:
        pairs = [(store.add(f"m{i}").id, other.add(f"m{i}").id) for i in range(5)]
        for i in range(40):
            clock.now += 7 * 3600.0
            later.now = clock.now
            mine, theirs = pairs[i % 5]
            source = ["user", "bot"][i % 3 == 0]
            store.outcome(mine, i / 39, source=source)
            if source == "user":
                other.outcome(theirs, i / 39, source=source)
        for left in ("bot", ["bot"], {"bot", "nobody"}):
            clean = store.replay(without=left)  # type: ignore[arg-type]
            for mine, theirs in pairs:
                a, b = clean.get(mine), other.get(theirs)
                assert (a.usefulness, a.stability, a.difficulty, a.reviewed) == (
                    b.usefulness,
                    b.stability,
                    b.difficulty,
                    b.reviewed,
                )


def test_without_an_event_what_followed_from_it_goes_too(store: MemoryStore) -> None:
    first, second = store.add_many(["first", "second"])
    store.outcome([first, second], 1.0)
    store.integrate("first and second things")
    learned = next(e.seq for e in store.history(first.id) if e.event == "learned")
    other = store.replay(without=learned)
    assert len(other) == len(store) - 1
    assert other.get(second.id).usefulness == 0.75
    assert other.verify().ok
    with pytest.raises(errors.MemoryNotFoundError):
        other.get(first.id)


def test_events_that_cannot_be_left_out_are_refused(store: MemoryStore) -> None:
    store.add("first", namespace="a")
    last = store._engine.log.seq
    for unknown in (0, -1, last + 1, 99, 1 << 70, ["bot", 99]):
        with pytest.raises(errors.MemoryNotFoundError, match=r"without: event .*no such event"):
            store.replay(without=unknown)  # type: ignore[arg-type]
    (batch,) = store._engine.log.tail()
    named = next(seq for seq, event in zip(batch.seqs, batch.events, strict=True) if isinstance(event, NamespaceSeen))
    with pytest.raises(errors.ArgumentError, match=f"without: event {named} says which number"):
        store.replay(without=named)
    assert len(store.replay(without=[last, "nobody"])) == 0


def test_with_other_parameters_forgetting_goes_otherwise(store: MemoryStore, clock: Clock) -> None:
    unit = store.add("x")
    clock.now += DAY
    store.outcome(unit, 1.0)
    other = store.replay(params={"law": "fsrs-5"})
    assert other.get(unit.id).stability != store.get(unit.id).stability
    assert other.get(unit.id).usefulness == store.get(unit.id).usefulness
    assert digest(store.replay(params={"law": "fsrs-6"})) != ""
    for bad in ({"law": "x"}, {"nonsense": 1}):
        with pytest.raises(errors.ArgumentError):
            store.replay(params=bad)
    for bad_without in (b"x", 1.5, [None], "", [True]):
        with pytest.raises(errors.ArgumentError, match="without"):
            store.replay(without=bad_without)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_compaction_changes_no_bit_and_nothing_that_can_be_asked(store: MemoryStore, clock: Clock, seed: int) -> None:
    marks = []
    for part in range(4):
        busy(store, clock, 40, 10 * seed + part)
        marks.append((store.stats().events, clock.now))
    before = digest(store)
    units = store.list(namespace="n", limit=1000)
    told = {unit.id: store.history(unit.id) for unit in units}

    def ask() -> list[object]:
        return [
            [store.replay(upto=upto).list(namespace="n", limit=1000) for upto, _ in marks],
            [store.replay(upto=upto - 7).list(namespace="n", limit=1000) for upto, _ in marks],
            store.replay(without="bot").list(namespace="n", limit=1000),
            store.replay(params={"law": "fsrs-5"}).list(namespace="n", limit=1000),
            [store.search("topic 2", namespace="n", frame="TASK", as_of=at) for _, at in marks],
        ]

    asked = ask()
    done = store.compact()
    assert done.gathered > 20
    assert done.events < done.gathered
    assert done.dropped == ()
    assert digest(store) == before
    assert store.rebuild().same
    assert store.verify().ok, str(store.verify())
    assert {id: sorted(h, key=lambda e: e.seq) for id, h in told.items()} == {
        id: sorted(store.history(id), key=lambda e: e.seq) for id in told
    }
    assert ask() == asked
    assert store.compact() == type(done)()


def test_a_compacted_log_is_read_by_others_that_were_open(tmp_path: Path, clock: Clock) -> None:
    with (
        scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock) as one,
        scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock) as two,
    ):
        ids = busy(one, clock, 30)
        two.list(namespace="n")
        busy(one, clock, 30, 1)
        assert one.compact().gathered
        one.outcome(ids[0], 1.0)
        assert two.list(namespace="n", limit=1000) == one.list(namespace="n", limit=1000)
        two.outcome(ids[0], 0.0)
        assert digest(one) == digest(two)
        wanted = digest(one)
        assert one.verify().ok
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock) as again:
        assert digest(again) == wanted
        assert again.verify().ok


def test_a_summary_keeps_the_state_and_says_what_is_lost(store: MemoryStore, clock: Clock) -> None:
    busy(store, clock, 80)
    middle = clock.now
    busy(store, clock, 80, 1)
    before, units = digest(store), store.list(namespace="n", limit=1000)
    done = store.compact(summarise_before=middle)
    assert done.summarised
    assert "signals, weights, sources and times" in done.dropped[0]
    assert digest(store) == before
    assert store.list(namespace="n", limit=1000) == units
    assert store.rebuild().same
    assert store.verify().ok
    assert digest(store.replay()) == before
    with pytest.warns(UserWarning, match="were summarised"):
        store.replay(without="bot")
    kinds = [event for batch in store._engine.log.tail() for event in batch.events]
    assert sum(isinstance(event, Void) for event in kinds) > 20


def test_a_gathered_log_can_still_be_summarised(store: MemoryStore, clock: Clock) -> None:
    busy(store, clock, 120)
    before = digest(store)
    assert store.compact().gathered
    assert store.compact(summarise_before=clock.now + 1).summarised
    assert digest(store) == before
    assert store.verify().ok


def test_without_a_memory_an_undoing_loses_its_part_of_every_column() -> None:
    keys, gone = [3, 5, 8], {5}
    columns = {field.name: bytes(range(1, 13)) for field in msgspec.structs.fields(Undone) if field.type is bytes}
    left = what_if.trimmed(Undone(at=0.0, target=9, keys=keys, superseded_by=[5, 0, 3], **columns), gone)
    assert isinstance(left, Undone)
    assert (left.keys, left.superseded_by) == ([3, 8], [0, 3])
    assert {name: getattr(left, name) for name in columns} == dict.fromkeys(columns, bytes([1, 2, 3, 4, 9, 10, 11, 12]))
