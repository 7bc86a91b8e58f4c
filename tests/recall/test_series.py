"""Which of a series comes first, and that nothing else changes places for an order word."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import scrubjay
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.recall.answers import WINDOW
from toys import Clock, WordHash

NOW = 1.7e9
DAY = 86400.0
ENCODER = UniversalEncoder()
BACKUPS = [f"Backup finished at 02:{10 + i}, {300 + i} GB." for i in range(40)]
OTHERS = [
    "Backups lie on the NAS in the cellar.", "The mail server is in rack 4.", "Ada likes tea.", "Lunch is at noon.",
]  # fmt: skip
SERIES = {
    "backup": (BACKUPS, {"When was the last backup?": -1, "how big was the first backup": 0, "previous backup?": -2}),
    "address": (
        ["Ada lives at 12 Mill Lane.", "Ada has moved to 3 Harbour Street.", "Ada lives at 77 Castle Road now."],
        {"What was Ada's previous address?": 1, "what was ada's first address?": 0, "Ada's latest address?": 2},
    ),
    "report": (
        [f"Wrote the report on {what}." for what in ("solar cells", "wind turbines", "heat pumps", "biogas")],
        {"what is the newest report": -1, "What was the first report about?": 0},
    ),
    "boss": (
        ["Tom's boss is Inga Holm.", "Tom's boss is Karl Reyes.", "Tom's boss is Petra Novak."],
        {"Who was Tom's former boss?": 1, "Who was Tom's first boss?": 0},
    ),
    "dentist": (
        ["Mia war beim Zahnarzt, alles gut.", "Mia war beim Zahnarzt, eine Füllung."],
        {"Wann war Mia zuletzt beim Zahnarzt?": -1, "Wann war Mia das erste Mal beim Zahnarzt?": 0},
    ),
}  # fmt: skip
SINGLE = (
    ("Which room is on the first floor?", "Room A is on the first floor.", "Room B is on the second floor."),
    ("What is the latest version of the app?", "The latest version of the app is 2.3.", "The app needs Android 12."),
    ("What is Ada's last name?", "Ada's last name is Holm.", "Ben's last name is Reyes."),
    ("When does the last train leave?", "The last train leaves at 23:40.", "The train to Bern leaves at 8:10."),
    ("What was Zoe's previous job?", "Before that Zoe used to work as a nurse.", "Zoe works as a pilot."),
    ("Who was Zoe's former husband?", "Zoe's former husband is Paul.", "Zoe's husband is Erik."),
    ("How long does the battery last?", "The battery lasts nine hours.", "The battery was charged on Friday."),
    ("Who was our first customer?", "Our first customer was Brandt AG.", "Holm GmbH is a customer."),
)


def store_of(texts: Sequence[str], **options):
    store = scrubjay.open(":memory:", clock=Clock(NOW), **({"embedder": ENCODER} | options))
    store.add_many([{"text": text, "when": NOW - (len(texts) - i) * 7 * DAY} for i, text in enumerate(texts)])
    return store


@pytest.mark.parametrize("name", SERIES)
def test_the_one_that_is_meant_comes_first(name: str):
    texts, questions = SERIES[name]
    with store_of([*OTHERS, *texts]) as store:
        for question, place in questions.items():
            hits = store.search(question, k=5)
            assert hits[0].memory.text == texts[place], question
            assert hits.plan.endswith("+order")
            assert len({hit.memory.id for hit in hits}) == 5
            assert all(a.score >= b.score for a, b in zip(hits, list(hits)[1:], strict=False))
            for hit in hits:
                assert sum(hit.factors.values()) == pytest.approx(hit.score)


@pytest.mark.parametrize("newer", [True, False])
@pytest.mark.parametrize("case", SINGLE, ids=lambda case: case[0])
def test_what_answers_alone_stays_first_whenever_it_was_told(case: tuple[str, str, str], newer: bool):
    question, answer, other = case
    with store_of([other, answer] if newer else [answer, other]) as store:
        assert store.search(question)[0].memory.text == answer


def test_a_part_of_a_time_changes_nothing():
    with store_of(BACKUPS[:5]) as store:
        assert "order" not in store.search("How did the backup go last week?").plan
        assert "order" not in store.search("How did the backup go?").plan
        assert "order" not in store.search("When was the last backup?", scoring="paper").plan


def test_the_one_that_is_meant_answers_for_all_and_takes_their_shares():
    with store_of([*OTHERS, *BACKUPS[:6]]) as store:
        hits = store.search("When was the last backup?")
        plain = store.search("When was the backup?")
    assert hits[0].memory.text == BACKUPS[5]
    assert [hit.answers for hit in hits if hit.memory.text in BACKUPS[:5]] == [0.0] * 5
    assert hits[0].answers > max(hit.answers for hit in plain)
    assert hits[0].answers <= hits.answered + 1e-9


def test_it_is_of_the_time_that_is_asked_about():
    with store_of([*OTHERS, *BACKUPS]) as store:
        hits = store.search("When was the last backup?", now=NOW - 20 * 7 * DAY + 60)
    assert hits[0].memory.text == BACKUPS[20]


def test_it_does_not_depend_on_how_many_are_wanted_nor_comes_twice():
    with store_of([*OTHERS, *BACKUPS]) as store:
        ids = [hit.memory.id for hit in store.search("When was the first backup?", k=44)]
        for k in (1, WINDOW, WINDOW + 1, 43):
            assert [hit.memory.id for hit in store.search("When was the first backup?", k=k)] == ids[:k]
    assert len(set(ids)) == 44


def test_subjects_that_the_question_names_are_kept_apart():
    texts = [f"{name} ran {km} km." for km in (5, 8, 10) for name in ("Ben", "Eva")]
    with store_of(texts) as store:
        assert store.search("How far did Ben run in his last run?")[0].memory.text == "Ben ran 10 km."
        assert store.search("How far did Eva run on her first run?")[0].memory.text == "Eva ran 5 km."


def test_an_embedder_without_a_model_of_answers_orders_too():
    with store_of([*OTHERS, *BACKUPS], embedder=WordHash()) as store:
        hits = store.search("When was the last backup finished?")
    assert hits[0].memory.text == BACKUPS[-1]
    assert hits[0].answers is None


def test_turns_of_a_conversation_are_left_in_their_order():
    with scrubjay.open(":memory:", clock=Clock(NOW), embedder=ENCODER) as store:
        store.add_many([{"text": text, "when": NOW - i, "metadata": {"thread": "t"}} for i, text in enumerate(BACKUPS)])
        assert "order" not in store.search("When was the last backup?").plan
