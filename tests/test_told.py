"""What a caller is told: by results, by notes, and by errors that name what was wrong."""

from __future__ import annotations

import math
import threading

import pytest

import scrubjay
from scrubjay import MemoryStore, errors
from tests.toys import Clock, WordHash

DAY = 86400.0


def opened(clock: object = None) -> MemoryStore:
    return scrubjay.open(":memory:", embedder=WordHash(), clock=clock or Clock())  # type: ignore[arg-type]


def test_another_text_under_a_key_takes_the_place_of_the_old_one() -> None:
    with opened() as store:
        first = store.add("the release is version 1", key="release", context="build", metadata={"by": "Ada", "n": 1})
        again = store.add("the release is version 2", key="release", metadata={"n": 2})
        assert (again.id, again.text, again.evidence) == (first.id, "the release is version 2", 2)
        assert (again.context, again.metadata) == ("build", {"by": "Ada", "n": 2})
        assert store.search("version 2")[0].memory.text == "the release is version 2"
        events = [(e.event, e.changes.get("text")) for e in store.history(first.id)]
        assert events == [
            ("learned", "the release is version 1"),
            ("reinforced", None),
            ("updated", "the release is version 2"),
        ]
        # white space alone is no other text, and of several in one call the last counts
        store.add("the release is  version 2", key="release")
        assert len(store.history(first.id)) == 4
        many = store.add_many([{"text": f"the release is version {i}", "key": "release"} for i in (3, 4)])
        assert [unit.text for unit in many] == ["the release is version 4"] * 2
        assert store.rebuild().same
        assert store.verify().ok


def test_add_many_says_how_many_are_new_whoever_else_adds() -> None:
    with opened() as store:
        assert store.add_many(["a", "b", "a"]).added == 2
        assert store.add_many(["a", "c"]).added == 1
        items = [f"shared {i}" for i in range(200)]
        counts: list[int] = []

        def add() -> None:
            counts.append(store.add_many(items, batch=7).added)

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(counts) == len(items)


def test_a_memory_of_a_later_time_is_noted() -> None:
    clock = Clock()
    with opened(clock) as store:
        store.add("the review is in room B12", when=clock.now + DAY)
        store.add("the review is in room C4")
        hits = store.search("where is the review")
        assert any("1 of these" in note and "after `now`" in note for note in hits.notes)
        assert not store.search("where is the review", now=clock.now + 2 * DAY).notes


def test_a_mistyped_year_is_noted_and_taken_back_by_what_is_said_again() -> None:
    clock = Clock()
    with opened(clock) as store:
        wrong = store.add("the deploy key is in the vault", when="9999-01-01")
        plan = store.add("the fair opens its doors", when=clock.now + 30 * DAY)
        assert any("five years" in note for note in store.search("where is the deploy key").notes)
        assert store.add("the deploy key is in the vault").when == clock.now
        assert store.add("the fair opens its doors").when == plan.when
        notes = store.search("where is the deploy key").notes
        assert not any("five years" in note for note in notes)
        assert store.validity(wrong.id)[0] > 0.0
        # of what is dated far ahead the later saying of the same slot takes nothing: it holds now
        store.add("the deploy key is in the safe", when="9999-01-01")
        assert store.search("where is the deploy key")[0].memory.id == wrong.id
        assert store.rebuild().same
        assert store.verify().ok


@pytest.mark.parametrize("scoring", ["competitive", "paper"])
@pytest.mark.parametrize("ahead", [299.0, 301.0, 30 * DAY])
def test_a_memory_holds_from_its_own_time_on(scoring: str, ahead: float) -> None:
    clock = Clock()
    with opened(clock) as store:
        old = store.add("the review is in room B12", when=clock.now - DAY)
        new = store.add("the review is in room C4", when=clock.now + ahead)
        before = {hit.memory.id: hit for hit in store.search("where is the review", scoring=scoring)}
        begun = ahead <= 300.0
        assert (before[new.id].valid > 0.0) == begun
        assert (store.validity(new.id)[0] > 0.0) == begun
        assert store.validity(new.id, ages=0.0)[0, 0] == 1.0
        if not begun:
            assert before[old.id].superseded == 0.0
            assert before[old.id].valid > 0.0
            if scoring == "competitive":
                assert before[new.id].interval == (0.0, 0.0)
                assert before[new.id].factors["when"] == 0.0
            else:
                assert before[new.id].factors["when"] > before[old.id].factors["when"], "the law as it is printed"
        later = {hit.memory.id: hit for hit in store.search("where is the review", now=clock.now + 31 * DAY)}
        assert later[new.id].valid > later[old.id].valid


def test_a_plan_is_not_prepared_from_what_has_not_begun() -> None:
    clock = Clock()
    with opened(clock) as store:
        store.add("the review is in room B12", when=clock.now - DAY)
        store.add("the review is in room C4", when=clock.now + DAY)
        ready = store.prepare("go to the review", k=1)
        hits = store.search("where is the review", k=1, buffer=ready)
        assert hits[0].memory.text == "the review is in room B12"
        assert hits[0].valid > 0.0


def test_errors_name_the_argument_that_the_caller_gave() -> None:
    with opened() as store:
        unit = store.add("tea")
        for wrong in (None, 3, b"tea"):
            with pytest.raises(errors.ArgumentTypeError, match=r"^query: expected str"):
                store.search(wrong)  # type: ignore[arg-type]
        with pytest.raises(errors.ArgumentTypeError, match=r"^context: expected str"):
            store.search("tea", context=3)  # type: ignore[arg-type]
        for call in (store.delete, store.get, store.history, store.restore, store.validity):
            with pytest.raises(errors.ArgumentTypeError, match=r"got a MemoryUnit; pass its \.id"):
                call(unit)  # type: ignore[operator]
            with pytest.raises(errors.ArgumentTypeError):
                call([unit])  # type: ignore[operator]
        assert len(store) == 1


@pytest.mark.parametrize("now", [math.nan, math.inf, "soon", None])
def test_a_clock_that_tells_no_time_is_refused_by_name(now: object) -> None:
    clock = Clock()
    with opened(clock) as store:
        store.add("tea")
        clock.now = now  # type: ignore[assignment]
        for call in (lambda: store.add("coffee"), lambda: store.search("tea"), lambda: store.due()):
            with pytest.raises(errors.ArgumentError, match=r"^clock\(\)"):
                call()
        clock.now = 1.7e9
        assert len(store) == 1


def test_what_is_printed_of_a_memory_has_no_control_characters() -> None:
    with opened() as store:
        store.add("\x1b[2J\x1b[31mpwn\u202e\x07\x9b\nnote: 100 percent safe", namespace="t")
        hits = store.search("pwn", namespace="t")
        for shown in (str(hits), str(hits[0]), repr(hits[0]), str(hits[0].memory)):
            assert not set(shown) & set("\x1b\x07\u202e\x9b"), shown
        assert "\\x1b[31mpwn\\u202e\\x07\\x9b note: 100 percent safe" in str(hits[0])
        assert str(hits).count("\n") == len(hits.notes)
        assert hits[0].memory.text.startswith("\x1b[2J")
