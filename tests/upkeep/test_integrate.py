"""integrate and undo through the public verbs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import MemoryStore, NewMemory, errors
from scrubjay.dynamics.integration import Deltas, Integration
from scrubjay.fold import rebuild
from scrubjay.upkeep.integration import BUDGET, WINDOW
from scrubjay.upkeep.reading import Reading, read_words
from toys import NOW, Clock, WordHash

DAY = 86400.0


def state(store: MemoryStore) -> str:
    """A digest of everything that the log folds to, but for where the log stands."""
    columns = rebuild(store._engine.log)
    assert columns.digest() == store._engine.columns.digest()
    columns.seq = 0
    return columns.digest()


def fill(store: MemoryStore, namespace: str = "n") -> list[str]:
    texts = [f"the planning meeting is in room {i}" for i in range(6)] + [
        "tea is better than coffee",
        "the cat is Miso",
    ]
    units = store.add_many(
        [NewMemory(text=t, namespace=namespace, when=NOW - (30 - i) * DAY) for i, t in enumerate(texts)]
    )
    return [unit.id for unit in units]


def test_evidence_moves_what_it_is_about_and_nothing_else(store: MemoryStore) -> None:
    ids = fill(store)
    others = fill(store, "other")
    before = {unit.id: unit for unit in store.list(namespace="n") + store.list(namespace="other")}
    done = store.integrate("the planning meeting is no longer in room 3", namespace="n")
    assert {id for id, _ in done.affected} <= set(ids[:6])
    assert done.affected
    assert done.deltas == read_words("the planning meeting is no longer in room 3").deltas
    after = {unit.id: unit for unit in store.list(namespace="n") + store.list(namespace="other")}
    for id, affinity in done.affected:
        law = Integration()
        deltas = done.deltas
        assert after[id].value == pytest.approx(max(0.0, before[id].value + 0.5 * affinity * deltas.value), abs=1e-6)
        assert after[id].perishability.tau == pytest.approx(
            max(60.0, before[id].perishability.tau * max(0.1, 1 + law.tau_rate * affinity * deltas.tau)), rel=1e-6
        )
    untouched = set(ids + others) - {id for id, _ in done.affected} - set(done.superseded)
    assert untouched >= set(others) | set(ids[6:])
    for id in untouched:
        assert after[id] == before[id]
    assert store.history(done.affected[0][0])[-1].event == "integrated"
    state(store)


def test_undo_restores_exactly(store: MemoryStore, clock: Clock) -> None:
    fill(store)
    before = state(store)
    done = store.integrate("the planning meeting has moved to room 9", namespace="n")
    assert state(store) != before
    clock.now += 5
    assert store.undo(done.event) == len({id for id, _ in done.affected} | set(done.superseded))
    after = rebuild(store._engine.log)
    after.compact()
    after.seq = 0
    assert after.digest() == before
    with pytest.raises(errors.ArgumentError, match="undone already"):
        store.undo(done.event)


@settings(max_examples=25, deadline=None)
@given(
    words=st.lists(st.sampled_from(["no longer", "moved to", "still", "until", "is"]), min_size=2, max_size=5),
    which=st.integers(0, 4),
)
def test_undo_in_any_order_leaves_the_others(words: list[str], which: int) -> None:
    """The state after undoing the i-th of several integrations is the state without it, for what both have."""
    which %= len(words)
    clock = Clock(NOW)

    def run(skip: int | None, undo: int | None) -> dict[str, tuple[float, ...]]:
        clock.now = NOW
        with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
            fill(store)
            events = []
            for i, word in enumerate(words):
                clock.now += 60
                if i != skip:
                    events.append(store.integrate(f"the planning meeting {word} room {i} here", namespace="n").event)
            if undo is not None:
                store.undo(events[undo])
            state(store)
            columns = store._engine.columns
            return {
                unit.text: (unit.value, unit.perishability.pi, unit.perishability.tau, *columns.what[row].tolist())
                for unit in store.list(namespace="n")
                if (
                    row := next(r for r in range(len(columns)) if store._engine.units([int(columns.key[r])])[0] == unit)
                )
                >= 0
            }

    base = [f"the planning meeting is in room {i}" for i in range(6)]
    undone = run(None, which)
    never = run(which, None)
    # evidence that came later reached the undone evidence's memory too, so only the old memories are compared; their
    # affinities are those of the time, recorded in the events, and may differ where the vectors had already moved
    for text in base:
        assert np.isfinite(undone[text]).all()
        if which == len(words) - 1:
            assert undone[text] == never[text]


def test_a_correction_supersedes_and_search_says_so(clock: Clock) -> None:
    with scrubjay.open(":memory:", clock=clock) as store:
        old = store.add("The retro is in room Heron.", when=NOW - 20 * DAY)
        keep = store.add("The retro takes place every second Friday.", when=NOW - 20 * DAY)
        done = store.integrate("The retro has moved to room Plover.")
        assert done.superseded == [old.id]
        now = store.get(old.id)
        assert not now.current
        assert done.memory is not None
        assert now.superseded_by == done.memory.id
        assert store.get(keep.id).current
        hits = store.search("which room is the retro in?")
        by_id = {hit.memory.id: hit for hit in hits}
        assert hits[0].memory.id == done.memory.id
        assert by_id[old.id].valid == 0.0
        assert by_id[old.id].superseded == 1.0
        assert store.stats().superseded == 1
        assert store.history(old.id)[-1].event == "integrated"
        store.delete(done.memory.id)
        assert store.get(old.id).current


MAYA = (
    "Maya works at Google.",
    "Maya is married to Tom.",
    "Maya lives in Rome.",
    "Maya is allergic to peanuts.",
    "Maya plays the violin.",
    "Maya has two children.",
    "Maya speaks French.",
    "Maya's dog is called Rex.",
    "Maya drives a red car.",
    "Maya is vegetarian.",
)
OTHERS = (
    "The design review is in room B12.",
    "The design review is on Monday.",
    "The design review is led by Kim.",
    "The deploy script needs the VPN.",
    "The server runs Debian 11.",
    "The server is owned by Priya.",
    "Bruno wohnt in Rom.",
    "Bruno arbeitet bei Siemens.",
    "The price of the Pro plan is 20 dollars.",
    "The release has 12 open issues.",
    "The release is planned for March.",
    "Liam's manager is Ada.",
    "The API is deployed in Frankfurt.",
    "I like jazz.",
    "The CEO is Ann Lee.",
)


@pytest.fixture(scope="module")
def told() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", clock=Clock(NOW)) as store:
        for facts in (MAYA, OTHERS):
            store.add_many([NewMemory(text=text, namespace=facts[0], when=NOW - 9 * DAY) for text in facts])
        yield store


@pytest.mark.parametrize(
    ("facts", "evidence", "lost"),
    [
        (MAYA, "Maya no longer works at Google.", [0]),
        (MAYA, "Maya no longer works at Apple.", []),
        (MAYA, "Maya is no longer married to Tom.", [1]),
        (MAYA, "Maya no longer lives in Rome.", [2]),
        (MAYA, "Maya lives in Oslo.", [2]),
        (MAYA, "Maya is allergic to shellfish.", []),
        (MAYA, "Maya no longer plays the violin.", [4]),
        (MAYA, "Maya now plays the cello.", []),
        (MAYA, "Maya has three children.", [5]),
        (MAYA, "Maya stopped speaking French.", [6]),
        (MAYA, "Maya no longer drives a red car.", [8]),
        (MAYA, "Maya is no longer vegetarian.", [9]),
        (MAYA, "Maya moved to Google.", []),
        (MAYA, "Maya moved to Vienna.", [2]),
        (MAYA, "Maya will move to Vienna in June.", []),
        (MAYA, "From 1 June on Maya lives in Vienna.", []),
        (MAYA, "Maya works with Tom now.", []),
        (OTHERS, "The design review is no longer in B12.", [0]),
        (OTHERS, "The design review has moved to room C4.", [0]),
        (OTHERS, "The design review has moved to Tuesday.", [1]),
        (OTHERS, "The design review is now led by Leo.", [2]),
        (OTHERS, "The design review was cancelled.", []),
        (OTHERS, "The design review takes one hour.", []),
        (OTHERS, "The deploy script no longer needs the VPN.", [3]),
        (OTHERS, "The server was upgraded to Debian 12.", [4]),
        (OTHERS, "The server now runs Nginx.", []),
        (OTHERS, "The server is no longer owned by Priya.", [5]),
        (OTHERS, "Bruno wohnt jetzt in Oslo.", [6]),
        (OTHERS, "The price of the Pro plan is 25 dollars.", [8]),
        (OTHERS, "Liam's manager is now Kai.", [11]),
        (OTHERS, "Liam's manager is on sick leave now.", []),
        (OTHERS, "The API is now deployed in Dublin.", [12]),
        (OTHERS, "I don't like jazz anymore.", [13]),
        (OTHERS, "The CEO is ill.", []),
        (OTHERS, "The CEO is now in Ghent.", []),
    ],
)
def test_evidence_supersedes_the_same_attribute_alone(
    told: MemoryStore, facts: tuple[str, ...], evidence: str, lost: list[int]
) -> None:
    done = told.integrate(evidence, namespace=facts[0], dry_run=True)
    assert [told.get(id).text for id in done.superseded] == [facts[i] for i in lost]


def test_bug_01_a_contradiction_keeps_both_in_history_and_one_current(clock: Clock) -> None:
    with scrubjay.open(":memory:", clock=clock) as store:
        first = store.add("I love Chinese food")
        clock.now += DAY
        done = store.integrate("I hate Chinese food")
        hits = store.search("do I like Chinese food?")
        assert hits[0].memory.text == "I hate Chinese food"
        assert [hit.memory.text for hit in hits if hit.memory.current] == ["I hate Chinese food"]
        assert [entry.event for entry in store.history(first.id)] == ["learned", "integrated"]
        assert done.superseded == [first.id]
        clock.now += DAY
        store.add("I love Chinese food")
        assert store.search("do I like Chinese food?")[0].memory.text == "I love Chinese food"


def test_bug_01_a_contradiction_that_is_only_added_is_weighed_by_search(clock: Clock) -> None:
    with scrubjay.open(":memory:", clock=clock) as store:
        first = store.add("I love Chinese food")
        clock.now += DAY
        second = store.add("I hate Chinese food")
        hits = store.search("do I like Chinese food?")
        assert [hit.memory.id for hit in hits] == [second.id, first.id]
        assert hits[0].superseded < 0.5 < hits[1].superseded
        assert hits[1].valid < 0.5 < hits[0].valid
        assert store.get(first.id).current
        assert [entry.event for entry in store.history(first.id)] == ["learned"]


def test_pinned_and_sensitive_memories_do_not_move(store: MemoryStore) -> None:
    store.add("the planning meeting is in room 1", pinned=True)
    store.add("the planning meeting is in room 2", sensitive="safety")
    before = store.list()
    done = store.integrate("the planning meeting is no longer in room 1 or room 2")
    assert (done.affected, done.superseded) == ([], [])
    assert store.list()[:2] == before


def test_a_flood_of_evidence_stays_within_the_budget(store: MemoryStore, clock: Clock) -> None:
    unit = store.add("the planning meeting is in room 1", when=NOW - DAY)
    start = store.get(unit.id)
    worst = Reading(deltas=Deltas(value=-1.0, pi=0.5, tau=-0.9), summary="", model="scripted")
    store._engine.reader = lambda text, context: worst
    store._engine.slots = None  # a superseded memory is not reached at all
    moved = 0.0
    held_back = 0
    for i in range(100):
        clock.now += 60
        done = store.integrate(f"the planning meeting is in room 1 {i}", law=Integration(what_rate=0.0))
        moved += sum(a for id, a in done.affected if id == unit.id)
        held_back += done.held_back
    assert moved <= BUDGET + 1e-3
    assert held_back > 0
    after = store.get(unit.id)
    assert after.perishability.tau >= start.perishability.tau * (1 - 0.45) ** np.ceil(BUDGET) * 0.99
    clock.now += WINDOW + 1
    again = store.integrate("the planning meeting is in room 1 again", law=Integration(what_rate=0.0))
    assert unit.id in dict(again.affected) or not store.get(unit.id).current
    state(store)


def test_a_dry_run_changes_nothing(store: MemoryStore) -> None:
    fill(store)
    before = store.stats().events
    done = store.integrate("the planning meeting is no longer in room 3", namespace="n", dry_run=True)
    assert (done.event, done.memory) == (0, None)
    assert done.affected
    assert store.stats().events == before


def test_a_reader_that_fails_is_replaced_and_said(store: MemoryStore) -> None:
    fill(store)

    def broken(text: str, context: str | None) -> Reading:
        raise errors.ModelReplyError("no JSON")

    store._engine.reader = broken
    done = store.integrate("the planning meeting is no longer in room 3", namespace="n")
    assert done.degraded
    assert done.deltas == read_words("the planning meeting is no longer in room 3").deltas


@pytest.mark.parametrize("event", [0, -1, 10**9, 2**70, True, "1", None])
def test_undoing_what_is_none_is_refused(store: MemoryStore, event: object) -> None:
    store.add("x")
    with pytest.raises((errors.MemoryNotFoundError, errors.ArgumentError)):
        store.undo(event)  # type: ignore[arg-type]
    with pytest.raises(errors.MemoryNotFoundError):
        store.undo(1)


def test_undo_minds_the_namespace(store: MemoryStore) -> None:
    fill(store)
    done = store.integrate("the planning meeting is no longer in room 3", namespace="n")
    with pytest.raises(errors.MemoryNotFoundError):
        store.undo(done.event, namespace="other")
    assert store.undo(done.event, namespace="n") > 0


def test_it_survives_closing(tmp_path: Path, clock: Clock) -> None:
    with scrubjay.open(tmp_path, embedder=WordHash(), clock=clock) as store:
        fill(store)
        done = store.integrate("the planning meeting has moved to room 9", namespace="n")
        wanted = store.list(namespace="n")
    with scrubjay.open(tmp_path, embedder=WordHash(), clock=clock) as store:
        assert store.list(namespace="n") == wanted
        assert store.verify().ok
        store.undo(done.event)
        assert store.verify().ok


def test_undo_keeps_a_text_that_was_said_again(store: MemoryStore) -> None:
    done = store.integrate("Maya lives in Oslo.", when="2023-02-01")
    said = store.add("Maya lives in Oslo.", when="2023-03-01")
    store.undo(done.event)
    (left,) = store.list()
    assert (left.id, left.evidence, left.when) == (said.id, 1, said.when)
    state(store)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_a_text_goes_with_the_last_integration_that_said_it(store: MemoryStore, order: tuple[int, ...]) -> None:
    whens = [NOW - (9 - i) * DAY for i in range(3)]
    events = [store.integrate("Maya lives in Oslo.", when=when).event for when in whens]
    for n, which in enumerate(order, 1):
        store.undo(events[which])
        left = [whens[i] for i in range(3) if i not in order[:n]]
        assert [(u.evidence, u.when) for u in store.list()] == ([(len(left), max(left))] if left else [])
        state(store)


def test_undo_is_exact_where_the_text_was_there(store: MemoryStore, clock: Clock) -> None:
    old = store.add("the retro is in room Heron", when=NOW - 60 * DAY)
    before = state(store)
    clock.now += DAY
    done = store.integrate(old.text)
    assert done.memory is not None
    assert done.memory.evidence == 2
    store.undo(done.event)
    assert store.get(old.id) == old
    assert state(store) == before


@pytest.mark.parametrize("scoring", ["competitive", "paper"])
def test_a_memory_holds_until_the_time_of_what_superseded_it(clock: Clock, scoring: str) -> None:
    with scrubjay.open(":memory:", clock=clock, scoring=scoring) as store:
        old = store.add("The retro is in room Heron.", when=NOW - 60 * DAY)
        done = store.integrate("The retro has moved to room Plover.", when=NOW + 9 * DAY)
        assert done.superseded == [old.id]
        for now, lost in [(NOW - 30 * DAY, False), (NOW, False), (NOW + 10 * DAY, True)]:
            hit = next(h for h in store.search("which room is the retro in?", now=now) if h.memory.id == old.id)
            assert (hit.superseded == 1.0, hit.valid > 0) == (lost, not lost)


@pytest.mark.parametrize("act", ["delete", "undo"])
def test_of_a_chain_whose_middle_goes_the_last_stays_in_place(clock: Clock, act: str) -> None:
    with scrubjay.open(":memory:", clock=clock) as store:
        first = store.add("The retro is in room Heron.", when=NOW - 60 * DAY)
        middle = store.integrate("The retro has moved to room Plover.", when=NOW - 40 * DAY)
        last = store.integrate("The retro has moved to room Wren.", when=NOW - 20 * DAY)
        assert middle.memory is not None
        assert last.memory is not None
        assert (middle.superseded, last.superseded) == ([first.id], [middle.memory.id])
        if act == "delete":
            store.delete(middle.memory.id)
        else:
            store.undo(middle.event)
        assert [(u.text, u.superseded_by) for u in store.list()] == [
            (first.text, last.memory.id),
            (last.memory.text, None),
        ]
        state(store)
        store.undo(last.event)
        assert [u.id for u in store.list() if u.current] == [first.id]
        state(store)


def test_a_dry_run_of_a_text_that_is_there_foretells_the_run(store: MemoryStore) -> None:
    fill(store)
    text = store.list(namespace="n")[3].text
    would = store.integrate(text, namespace="n", dry_run=True)
    done = store.integrate(text, namespace="n")
    assert done.memory is not None
    assert would.affected == done.affected
    assert would.superseded == done.superseded
    assert done.memory.id not in {*dict(would.affected), *would.superseded}


@pytest.mark.parametrize("given", [{"law": {}}, {"law": 5}, {"dry_run": "yes"}, {"dry_run": 1}])
def test_an_argument_of_another_kind_is_refused(store: MemoryStore, given: dict[str, Any]) -> None:
    with pytest.raises(errors.ArgumentTypeError, match=next(iter(given))):
        store.integrate("the retro is in room Heron", **given)
    assert len(store) == 0


def test_a_parameter_of_the_law_is_a_number() -> None:
    for name, wrong in [("theta", "x"), ("value_rate", None), ("pi_floor", True), ("tau_least", "1"), ("tau_high", [])]:
        with pytest.raises(errors.ArgumentTypeError, match=name):
            Integration(**{name: wrong})


def test_undoing_twice_says_so_though_nothing_is_left(store: MemoryStore) -> None:
    done = store.integrate("the retro is in room Heron")
    store.undo(done.event)
    with pytest.raises(errors.ArgumentError, match="undone already"):
        store.undo(done.event)
    again = store.integrate("the retro is in room Plover")
    assert again.memory is not None
    store.delete(again.memory.id)
    with pytest.raises(errors.ArgumentError, match="nothing is left"):
        store.undo(again.event)


@pytest.mark.parametrize("event", [0, -1, 2**62, 2**63, 2**70, -(2**70)])
def test_a_number_that_no_integration_has_is_told(store: MemoryStore, event: int) -> None:
    with pytest.raises(errors.MemoryNotFoundError, match="integration"):
        store.undo(event)
