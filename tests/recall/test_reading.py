"""What a question asks for, the frame that it stands in apart."""

from __future__ import annotations

import pytest

import scrubjay
from scrubjay.recall.reading import plainly

FRAMED = {
    "What should I remember about Mia's diet for the team lunch?": "What is Mia's diet?",
    "what do we need to know about Ben's landlord before the call": "What is Ben's landlord?",
    "What do you know about the licence of Project Lynx?": "What is the licence of Project Lynx?",
    "What is there to know about my allergies?": "What are my allergies?",
    "Tell me about the gateway's uplink.": "What is the gateway's uplink?",
    "Could you please look up James' phone number?": "What is James' phone number?",
    "Remind me of Mia's address before the trip, please": "What is Mia's address?",
    "Do you know the name of Mia's dog?": "What is the name of Mia's dog?",
    "Any news on the status of the migration?": "What is the status of the migration?",
    "Has Ben's desk changed since the move?": "What is Ben's desk?",
    "Did her plans change?": "What are her plans?",
    "Is the team's standup still the same?": "What is the team's standup?",
    "What should I know about Mia's plan for the day for the site visit?": "What is Mia's plan for the day?",
}
AS_IT_IS = (
    "",
    "?",
    "What is Mia's diet?",
    "Who is the owner of the boat?",
    "What do you know about Mia?",
    "What should I know about the deploy process?",
    "Tell me a story about Mia's dog.",
    "Tell me about a storm.",
    "Tell me about her.",
    "Tell me who leads Mia's team.",
    "Do you know if Mia's car has changed?",
    "Do you know what's for dinner?",
    "Do you know it's raining outside?",
    "Has Mia's office changed its address?",
    "Has the weather changed?",
    "Have you changed Mia's password?",
    "Is Ben's shop still open?",
    "Mia's diet has changed recently.",
    "Was weißt du über Mias Beruf?",
    f"What should I remember about Mia's {'very ' * 80}long list?",
)


@pytest.mark.parametrize("text", FRAMED)
def test_a_frame_is_taken_off_what_it_asks_for(text: str) -> None:
    assert plainly(text) == FRAMED[text]
    assert plainly(FRAMED[text]) == "", "what is plain has no frame"


@pytest.mark.parametrize("text", AS_IT_IS)
def test_what_stands_in_no_frame_is_asked_as_it_is(text: str) -> None:
    assert plainly(text) == ""


def test_what_is_told_for_something_may_be_of_that_alone() -> None:
    assert plainly("Tell me Mia's recipe for the birthday cake.") == "What is Mia's recipe for the birthday cake?"


FACTS = (
    "Mia rents from Orbis Housing.",
    "Mia writes the minutes of the board meeting.",
    "Mia drives a blue van.",
    "Mia never eats meat.",
    "Mia was reminded of the deadline twice.",
    "The board meeting is in the Heron room.",
    "Mia plays the oboe on Fridays.",
)


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("What should I remember about Mia's diet for the board meeting?", 3),
        ("What do I need to know about Mia's car before the board meeting?", 2),
        ("Remind me of Mia's landlord.", 0),
        ("What should I remember about Mia for the board meeting?", 1),
        ("Which room is the board meeting in?", 5),
    ],
)
def test_what_a_framed_question_asks_for_comes_first(asked: str, first: int) -> None:
    with scrubjay.open(":memory:") as store:
        store.add_many([{"text": text, "when": "2026-03-01"} for text in FACTS])
        hits = store.search(asked, now="2026-03-02")
    assert hits[0].memory.text == FACTS[first]


def test_a_framed_question_is_asked_of_the_answer_model_plainly() -> None:
    with scrubjay.open(":memory:") as store:
        store.add_many([{"text": text, "when": "2026-03-01"} for text in FACTS])
        framed, plain = store.search_many(
            ["What should I know about Mia's diet?", "What is Mia's diet?"], k=len(FACTS), now="2026-03-02"
        )
    shares = [{hit.memory.text: hit.answers for hit in hits} for hits in (framed, plain)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-6)
    assert framed.query == "What should I know about Mia's diet?"
