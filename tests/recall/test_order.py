"""Order words: what asks for one of a series, and what only looks as if it did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.recall.order import order_of

ASKING = {
    "newest": (
        "When was the last backup?", "what is the newest report", "what is the most recent deploy", "last backup",
        "When did Ada last go to the dentist?", "When was Ngozi last screened for tumours?", "latest invoice to Brandt",
        "When was the last time Ada called?", "who joined most recently?", "Wann war das letzte Backup?",
        "Wann war Mia zuletzt beim Zahnarzt?", "Was ist der neueste Bericht?", "Quelle est la dernière sauvegarde ?",
        "Quel est le rapport le plus récent ?", "¿Cuándo fue la última copia?", "¿Cuál es el informe más reciente?",
        "Quando è stato l'ultimo backup?", "Quando foi o último backup?",
    ),
    "previous": (
        "What was Ada's previous address?", "Who was Tom's former boss?", "Where did Ada work previously?",
        "What was the last but one meeting about?", "Wie hieß Mias vorherige Adresse?", "Wo hat Mia vorher gewohnt?",
        "Quelle était son adresse précédente ?", "¿Cuál era su dirección anterior?",
    ),
    "first": (
        "What was Ada's first job?", "When was Ada first in Rome?", "when was Kestrel first launched?",
        "How did the earliest sprint close?", "Wer war Jans erste Chefin?", "Quel fut son premier emploi ?",
        "Qual foi o primeiro emprego da Ana?",
    ),
}  # fmt: skip
ASKING_NOT = (
    "What is Ada's last name?", "What is Ada's first name?", "What did she eat last week?", "Was war letzte Woche?",
    "where did we go last summer", "What was last year's play?", "What did Laura say last Tuesday?",
    "Qu'a-t-elle fait la semaine dernière ?", "How long does it last?", "how long do the transmitters' cells last?",
    "Will the cake last until Sunday?", "Where is the first aid kit?", "Wer leistet erste Hilfe?",
    "Who is on the first floor?", "Est-ce au premier étage ?", "Is at least one backup there at last?",
    "At the latest when must I be there?", "which location goes first?", "Who is first in the standings?",
    "what are the last three backups", "Por último, qué compró?", "What does Ada want first thing in the morning?",
    "Who is the lastborn?", "", "last", "the first",
)  # fmt: skip


@pytest.mark.parametrize(("order", "text"), [(order, text) for order, some in ASKING.items() for text in some])
def test_an_order_word_is_known(order: str, text: str):
    assert order_of(text) == order


@pytest.mark.parametrize("text", ASKING_NOT)
def test_a_time_a_phrase_or_a_verb_is_no_order_word(text: str):
    assert order_of(text) is None


@given(st.text(max_size=60))
def test_whatever_is_asked_has_an_order_or_none_in_any_case(text: str):
    assert order_of(text) in {"newest", "previous", "first", None}
    assert order_of(f"What is the last {text}?".upper()) == order_of(f"what is the last {text}?".upper().lower())
