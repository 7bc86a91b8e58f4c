"""Changes that come at a time that they name: before it nothing has changed, from then on it has."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay.slots.agreement import agree
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.plans import arrived, planned, told
from toys import WordHash

SAID = datetime(2026, 3, 1, tzinfo=timezone.utc).timestamp()
DAY = 86400.0
PLANS = [
    ("Tom will move to Linz in June.", "Tom moved to Linz.", "2026-06-01"),
    ("From 1 June on Tom lives in Linz.", "Tom lives in Linz.", "2026-06-01"),
    ("Tom is moving to Linz next month.", "Tom moved to Linz.", "2026-04-01"),
    ("Ana is going to leave Acme in April.", "Ana left Acme.", "2026-04-01"),
    ("Ana will join Bosch on 1 May.", "Ana joined Bosch.", "2026-05-01"),
    ("The rent will rise to 900 euros from 1 July.", "The rent rose to 900 euros.", "2026-07-01"),
    ("Eva will be on leave from 3 May.", "Eva is on leave.", "2026-05-03"),
    ("As of 1 May Rita leads the team.", "Rita leads the team.", "2026-05-01"),
    ("The office is moving to Berlin on 12.5.2026", "The office moved to Berlin", "2026-05-12"),
    ("Jens wird im Mai nach Linz ziehen.", "Jens ist nach Linz gezogen.", "2026-05-01"),
    ("Ab dem 1. Mai wohnt Jens in Linz.", "Jens wohnt in Linz.", "2026-05-01"),
    ("The class is on Fridays at 8 from next month.", "The class is on Fridays at 8.", "2026-04-01"),
    ("Lise va déménager à Lyon en juin.", "Lise a déménagé à Lyon.", "2026-06-01"),
]
TIMES = st.floats(-1e300, 1e300)
NONE = (
    "Tom may move to Linz in June.", "The meeting will be on 3 May.", "We will deploy on Friday.",
    "Who will join in May?", "Tom lives in Linz.", "From June to July Ana is in Rome.", "Tom moved to Linz in June.",
    "The demo will move to 3 May.", "If it rains we will move in June.", "",
)  # fmt: skip


@pytest.mark.parametrize(("text", "come", "on"), PLANS)
def test_what_comes_is_told_once_it_has_come(text: str, come: str, on: str) -> None:
    start = datetime.fromisoformat(on).replace(tzinfo=timezone.utc).timestamp()
    assert planned(text)
    assert told(text, SAID, start - 1.0) == (text, start)
    assert told(text, SAID, start) == (come, start)
    assert told(text, start + DAY, start + 500 * DAY)[1] > start


@pytest.mark.parametrize("text", NONE)
def test_what_names_no_change_and_time_is_told_as_it_is(text: str) -> None:
    assert not planned(text)
    assert told(text, SAID, SAID + 900 * DAY) == (text, SAID)


@given(
    st.lists(st.one_of(st.text(max_size=60), st.sampled_from([text for text, _, _ in PLANS])), max_size=4), TIMES, TIMES
)
def test_any_text_can_be_asked(texts: list[str], when: float, now: float) -> None:
    said, since, waits = arrived(texts, np.full(len(texts), when), now)
    assert len(said) == len(since) == len(waits) == len(texts)
    assert (since >= when).all()
    assert (since[waits] > now).all()


def test_a_plan_takes_the_place_from_its_day_on() -> None:
    with scrubjay.open(":memory:", embedder=WordHash()) as store:
        home = store.add("Tom lives in Graz.", when="2026-03-02")
        plan = store.add("Tom will move to Linz in June.", when="2026-03-10")
        for now, gone in (("2026-03-12", False), ("2026-05-30", False), ("2026-06-02", True), ("2026-09-01", True)):
            hits = {hit.memory.id: hit for hit in store.search("where Tom lives", now=now)}
            assert (hits[home.id].superseded >= FLOOR) == gone
            assert hits[plan.id].superseded == 0.0


@pytest.mark.parametrize(
    ("evidence", "gone"),
    [
        ("Maya moved to Vienna.", True),
        ("Maya moved to Google.", False),
        ("Maya moved to Lumen Systems.", False),
        ("Maya moved to Vienna with her sister.", True),
    ],
)
def test_search_and_integrate_tell_the_same_of_a_move(evidence: str, gone: bool) -> None:
    home = "Maya lives in Rome."
    c = float(SlotModel.load().same_slot([home, evidence])[0, 1])
    assert (c >= FLOOR) == gone
    assert agree(evidence, home, c) == gone


@pytest.mark.parametrize("text", ["from of of of of", "ab de de de de", "starting from from from from"])
def test_words_before_a_time_without_one_are_no_plan(text: str) -> None:
    assert not planned(text)
    assert told(text, SAID, SAID + DAY) == (text, SAID)


@pytest.mark.parametrize("text", ["", "->", "in the", "at the of"])
def test_what_says_nothing_agrees_with_nothing(text: str) -> None:
    assert not agree(text, "Tom lives in Linz.", 0.9)
    assert not agree("Tom lives in Linz.", text, 0.9)
