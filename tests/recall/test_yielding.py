"""What the question's newer answer takes, and from whom: nothing from what lasts, no more than the place before it."""

from __future__ import annotations

import pytest

import scrubjay

OTHERS = (
    ("2026-01-02", "Ruth keeps bees behind the chapel."),
    ("2026-01-03", "The choir sings in Latin on Sundays."),
    ("2026-01-04", "Otto is allergic to walnuts."),
    ("2026-01-05", "Invoices are sent by the parish office."),
    ("2026-01-06", "Nadia was born in Gdynia."),
    ("2026-01-07", "The old barn has a leaking roof."),
)
NOW = "2026-08-01"


def first(question: str, *told: tuple[str, str], now: str = NOW, **options: object) -> scrubjay.Hit:
    with scrubjay.open(":memory:") as store:
        store.add_many([{"text": text, "when": day, "namespace": "w"} for day, text in (*OTHERS, *told)])
        return store.search(question, namespace="w", now=now, **options)[0]  # type: ignore[arg-type]


CHANGED = [
    ("where are the hymn books?", "The hymn books are in the vestry cupboard.",
     "I carried all the hymn books up to the gallery."),
    ("who plays the organ?", "Jonas plays the organ.", "Since Jonas broke his wrist Mrs. Abel sits at the organ."),
    ("what colour is the gate?", "The gate is painted green.", "We gave the gate a coat of dark red."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "older", "newer"), CHANGED, ids=[each[0] for each in CHANGED])
def test_the_newer_of_two_that_answer_comes_first(question: str, older: str, newer: str) -> None:
    told = ("2026-02-01", older), ("2026-05-01", newer)
    assert first(question, *told).memory.text == newer
    # before it was known, what was known then
    assert first(question, *told, now="2026-03-01").memory.text == older


STAYS = [
    ("where was Nadia born?", "Nadia was born in Gdynia.", "Nadia moved to Vienna with her sister."),
    ("what is Otto allergic to?", "Otto is allergic to walnuts.", "Otto now sings in the choir."),
    ("who keeps bees?", "Ruth keeps bees behind the chapel.", "Ruth has bought a new bicycle."),
    ("what is wrong with the old barn?", "The old barn has a leaking roof.", "The stable has been painted green now."),
    ("when does Lena's shift begin?", "Lena's shift begins at six.", "Ivo's shift now begins at nine."),
    ("which port does staging use?", "Staging uses port 8080.", "Production now uses port 9090."),
    ("where does Tom live?", "Tom lives in Leeds.", "Tom might move to Bonn next year, just gossip."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "older", "newer"), STAYS, ids=[each[0] for each in STAYS])
def test_what_is_told_of_another_thing_takes_no_place(question: str, older: str, newer: str) -> None:
    hit = first(question, ("2026-02-01", older), ("2026-05-01", newer))
    assert hit.memory.text == older
    assert hit.superseded < 0.5


def test_a_question_about_the_past_and_one_without_time_leave_the_order() -> None:
    older, newer = CHANGED[0][1:]
    told = ("2026-02-01", older), ("2026-05-01", newer)
    assert first("where were the hymn books before that?", *told).superseded == 0.0
    assert first(CHANGED[0][0], *told[:1]).superseded == 0.0
    untimed = first(CHANGED[0][0], *told, weights={"what": 1.0})
    assert untimed.superseded == 0.0
    assert first(CHANGED[0][0], *told, scoring="paper").superseded == 0.0


def test_who_has_lost_comes_just_behind_the_newer_one() -> None:
    question, older, newer = CHANGED[0]
    with scrubjay.open(":memory:") as store:
        store.add_many([{"text": text, "when": day, "namespace": "w"} for day, text in OTHERS])
        store.add_many([{"text": f"Note {i}: the hall was swept.", "when": "2026-01-08"} for i in range(30)])
        store.add_many(
            [{"text": t, "when": d, "namespace": "w"} for d, t in (("2026-02-01", older), ("2026-05-01", newer))]
        )
        hits = store.search(question, namespace=scrubjay.Subtree(()), k=30, now=NOW)
    of = {hit.memory.text: hit for hit in hits}
    assert of[older].superseded > 0.3 > of[newer].superseded
    assert of[older].valid < of[newer].valid
    assert [hit.memory.text for hit in hits[:2]] == [newer, older]
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(sum(hit.factors.values()) == pytest.approx(hit.score) for hit in hits)
