"""A memory that only asks comes behind the statements that answer, and takes nobody's place."""

from __future__ import annotations

import pytest
from tests.toys import WordHash

import scrubjay
from scrubjay.recall.standing import asks

CASES = (
    ("The standup is in room Heron.", "Which room is the standup in?"),
    ("Maya lives in Oslo.", "Where does Maya live?"),
    ("Jonas wohnt in Kiel.", "Wo wohnt Jonas?"),
    ("Luc habite Nantes.", "Où habite Luc ?"),
)


@pytest.mark.parametrize(("answer", "question"), CASES)
def test_a_question_has_less_of_the_when_term_and_supersedes_nothing(answer: str, question: str) -> None:
    with scrubjay.open(":memory:", embedder=WordHash(dim=512)) as store:
        store.add(answer, when="2026-03-02")
        store.add(question, when="2026-03-09")
        by_law = {
            law: {hit.memory.text: hit for hit in store.search(question, now="2026-03-09", scoring=law)}
            for law in ("competitive", "paper")
        }
    said = by_law["competitive"]
    assert said[answer].superseded == 0.0
    assert said[question].factors["when"] < 0.75 * said[answer].factors["when"]
    # the law as printed knows no questions
    assert by_law["paper"][question].factors["when"] > by_law["competitive"][question].factors["when"]


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("Is the standup in room Kestrel?", True),
        ("Wo wohnt Jonas?", True),
        ("会议在哪？", True),
        ("Will lives in Leeds.", False),
        ("What Ada likes is tea.", False),
        ("Ada asked me. Is it Monday? It is Tuesday.", False),
        ("", False),
    ],
)
def test_what_only_asks(text: str, only: bool) -> None:
    assert asks(text) is only
