"""Outcomes, ratings and forgetting through the facade."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from toys import NOW, Clock, WordHash

DAY = 86400.0


def test_a_new_memory_knows_nothing_yet(store: MemoryStore) -> None:
    unit = store.add("x")
    assert (unit.importance, unit.usefulness, unit.stability, unit.difficulty) == (0.5, 0.5, 1.0, 5.0)
    assert unit.uncertainty == pytest.approx(0.125**0.5)
    assert (unit.reviewed, unit.due) == (NOW, NOW + DAY)


def test_outcomes_move_evidence_stability_and_difficulty(store: MemoryStore, clock: Clock) -> None:
    good, bad = store.add_many(["good one", "bad one"])
    clock.now += DAY
    assert store.outcome(good, 1.0) == 1
    assert store.outcome([bad.id], 0.0, weight=2.0, source="judge") == 1
    good, bad = store.get(good.id), store.get(bad.id)
    assert (good.usefulness, bad.usefulness) == (0.75, pytest.approx(0.5 / 3))
    assert bad.stability < 1.0 < good.stability
    assert good.difficulty < 5.0 < bad.difficulty
    assert good.reviewed == clock.now
    assert good.due == clock.now + DAY * round(good.stability)
    entry = store.history(bad.id)[-1]
    assert (entry.event, entry.changes["signal"], entry.changes["source"]) == ("outcome", 0.0, "judge")


def test_hits_are_credited_as_they_came(store: MemoryStore) -> None:
    store.add_many(["alpha one", "alpha two", "beta three"])
    hits = store.search("alpha", k=2)
    assert store.outcome(hits, "good") == 2
    assert store.outcome(hits[0], "again") == 1
    assert store.outcome([], 1.0) == 0
    assert [e.event for e in store.history(hits[0].memory.id)] == ["learned", "outcome", "outcome"]


def test_grades_are_signals_at_the_thresholds_of_the_law(store: MemoryStore, clock: Clock) -> None:
    units = store.add_many([f"m{i}" for i in range(8)])
    clock.now += 2 * DAY
    for i, grade in enumerate(("again", "hard", "good", "easy")):
        store.outcome(units[i], grade)
        store.outcome(units[4 + i], i / 3)
    for i in range(4):
        assert store.get(units[i].id).stability == pytest.approx(store.get(units[4 + i].id).stability, rel=1e-9)


@pytest.mark.parametrize("signal", [-0.1, 1.1, float("nan"), float("inf"), "great", None, [1.0]])
def test_a_bad_signal_is_refused_and_nothing_written(store: MemoryStore, signal: object) -> None:
    unit = store.add("x")
    events = store.stats().events
    with pytest.raises(errors.ArgumentError, match="signal"):
        store.outcome(unit, signal)  # type: ignore[arg-type]
    assert store.stats().events == events


@pytest.mark.parametrize("weight", [0.0, -1.0, 1e7, float("nan"), "1", True])
def test_a_bad_weight_is_refused(store: MemoryStore, weight: object) -> None:
    unit = store.add("x")
    for call in (store.outcome, store.rate):
        with pytest.raises(errors.ArgumentError, match="weight"):
            call(unit, 0.5, weight)  # type: ignore[operator]


def test_outcomes_are_all_or_none_and_of_one_namespace(store: MemoryStore) -> None:
    mine, theirs = store.add("x", namespace="me"), store.add("x", namespace="you")
    for ids, scope in (([mine.id, "nope"], None), ([mine.id, theirs.id], "me")):
        with pytest.raises(errors.MemoryNotFoundError):
            store.outcome(ids, 1.0, namespace=scope)
    assert store.get(mine.id).usefulness == 0.5
    for bad in (7, [3], {"id": 1}, b"x"):
        with pytest.raises(errors.ArgumentTypeError, match="ids"):
            store.outcome(bad, 1.0)  # type: ignore[arg-type]


def test_a_judge_that_fails_changes_nothing(store: MemoryStore) -> None:
    units = store.add_many(["one", "two"])

    def judge(unit: scrubjay.MemoryUnit) -> float:
        if unit.text == "two":
            raise ZeroDivisionError("the judge's own")
        return 1.0

    with pytest.raises(ZeroDivisionError, match="the judge's own"):
        store.rescore(judge)
    assert [e.event for unit in units for e in store.history(unit.id)] == ["learned", "learned"]


def test_rescore_takes_a_mapping_or_a_judge(store: MemoryStore) -> None:
    units = store.add_many([f"note {i}" for i in range(5)])
    assert store.rescore({units[0].id: 1.0, units[1].id: 0.0}) == 2
    assert store.get(units[0].id).importance == 1.0
    assert store.rescore(lambda unit: 0.25 if "4" in unit.text else None) == 1
    assert [store.get(u.id).importance for u in units] == [1.0, 0.0, 0.5, 0.5, 0.25]
    with pytest.raises(errors.ArgumentError, match="ratings"):
        store.rescore({units[0].id: 2.0})
    with pytest.raises(errors.ArgumentTypeError, match="ratings"):
        store.rescore([0.5])  # type: ignore[arg-type]


def test_what_is_due_comes_most_forgotten_first(store: MemoryStore, clock: Clock) -> None:
    first = store.add("first")
    clock.now += DAY / 2
    second = store.add("second")
    store.add("elsewhere", namespace="other")
    assert store.due() == []
    late = store.due(clock.now + 2 * DAY)
    assert [d.memory.id for d in late] == [first.id, second.id]
    assert late[0].retrievability < late[1].retrievability < 0.9
    assert [d.overdue for d in late] == pytest.approx([1.5, 1.0])
    assert [d.memory.id for d in store.due(clock.now + 2 * DAY, limit=1)] == [first.id]
    clock.now += 2 * DAY
    store.outcome(first, 1.0)
    assert [d.memory.id for d in store.due()] == [second.id]


@pytest.mark.parametrize("law", ["fsrs-6", "fsrs-5", "survey"])
def test_laws_by_name(store: MemoryStore, clock: Clock, law: str) -> None:
    store.configure(law=law)
    unit = store.add("x")
    clock.now += DAY
    store.outcome(unit, 1.0)
    assert store.get(unit.id).stability > 1.0
    assert store.search("x", frame="TASK")
    assert store.due(clock.now + 900 * DAY)
    assert store.verify().ok


def test_impossible_laws_are_refused(store: MemoryStore) -> None:
    for bad in ({"law": "sm-2"}, {"wanted": 1.5}, {"weights": (1.0, 2.0)}, {"colour": 1}, {"keep": 0.0}, {"at": 3.0}):
        with pytest.raises(errors.ArgumentError):
            store.configure(**bad)
    assert store.stats().events == 0


def test_a_new_law_holds_from_then_on_only(store: MemoryStore, clock: Clock) -> None:
    a, b = store.add_many(["a", "b"])
    clock.now += DAY
    store.outcome(a, 1.0)
    before = store.get(a.id).stability
    store.configure(law="fsrs-5")
    store.outcome(b, 1.0)
    assert store.get(a.id).stability == before
    assert store.get(b.id).stability != before


def test_active_time_stands_still_while_the_agent_is_idle(tmp_path: Path, clock: Clock) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock, time="active") as store:
        with store.session():
            unit = store.add("x")
            clock.now += 3600
        clock.now += 365 * DAY
        assert store.due() == []
        assert store.search("x", frame="ATTENTION")[0].factors["retrievability"] == pytest.approx(0.2, abs=2e-3)
        assert store.begin_session() == 3600
        clock.now += 25 * 3600
        assert [d.memory.id for d in store.due()] == [unit.id]
        store.outcome(unit, 1.0)
        assert store.get(unit.id).reviewed == 26 * 3600
    # the process ends without end_session: what follows its last event does not count
    clock.now += 100 * DAY
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock) as store:
        assert store.begin_session() == 26 * 3600
        assert store.verify().ok
    with pytest.raises(errors.ArgumentError, match="'active' time, not 'wall'"):
        scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock, time="wall")
    with scrubjay.open(":memory:", embedder=WordHash()) as wall, pytest.raises(errors.ArgumentError, match="wall time"):
        wall.begin_session()


def test_everything_survives_opening_again(tmp_path: Path, clock: Clock) -> None:
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock) as store:
        units = store.add_many([f"m {i}" for i in range(30)])
        store.configure(wanted=0.8)
        for i, unit in enumerate(units):
            clock.now += DAY
            store.outcome(unit, i / 29, 1 + i % 2)
            store.rate(unit, 1 - i / 29)
        wanted = store.list()
    with scrubjay.open(tmp_path / "s", embedder=WordHash(), clock=clock) as store:
        assert store.list() == wanted
        assert store.verify().ok


# -- the four defects of a single confidence (survey, section 1.1)


def test_defect_cliff_scores_move_smoothly_with_the_signal(clock: Clock) -> None:
    """Survey 1.1: cliffs at thresholds. A step of 1/200 in the signal moves a score by less than 1/100 everywhere."""
    scores = []
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
        units = store.add_many([{"text": "the very same", "key": str(i)} for i in range(201)])
        clock.now += DAY
        for i, unit in enumerate(units):
            store.outcome(unit, i / 200)
        clock.now += DAY
        hits = {h.memory.id: h.score for h in store.search("the very same", k=201, frame="TASK", scoring="paper")}
        scores = [hits[unit.id] for unit in units]
    steps = [b - a for a, b in pairwise(scores)]
    assert all(0 < step < 0.01 for step in steps)


def test_defect_destructive_rescore_outcomes_survive_a_rescore(store: MemoryStore) -> None:
    """Survey 1.1: a rescore erased what was earned."""
    unit = store.add("x")
    store.outcome(unit, 1.0, 9.0)
    earned = store.get(unit.id).usefulness
    store.rescore({unit.id: 0.0})
    after = store.get(unit.id)
    assert after.importance == 0.0
    assert after.usefulness == pytest.approx(9.5 / 11)
    assert earned - after.usefulness < 0.1
    assert [e.event for e in store.history(unit.id)] == ["learned", "outcome", "rescored"]


def test_defect_fresh_items_surface_beside_bedrock(store: MemoryStore) -> None:
    """Survey 1.1: fresh items never surfaced. One beats proven ones that are less similar, with a visible bonus."""
    old = store.add_many([f"notes about gardening and more {i}" for i in range(30)])
    store.outcome(old, 1.0, 50.0)
    fresh = store.add("gardening roses")
    hits = store.search("gardening roses", frame="TASK", k=3)
    assert hits[0].memory.id == fresh.id
    bonus = {h.memory.id: h.factors["exploration"] for h in store.search("gardening roses", frame="TASK", k=31)}
    assert all(bonus[fresh.id] > 4 * bonus[unit.id] for unit in old)
