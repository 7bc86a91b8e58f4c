"""What is renamed, rewritten, closed for good, divorced or taken over is what it was no more."""

from __future__ import annotations

import pytest
from tests.verdicts import over

OVER = (
    ("The backend is written in Ruby.", "The backend was rewritten in Go."),
    ("The cinema is open.", "The cinema has closed down for good."),
    ("Karin ist verheiratet.", "Karin hat sich scheiden lassen."),
    ("Das Programm heißt Luchs.", "Das Programm wurde in Marder umbenannt."),
    ("Le logiciel s'appelle Lynx.", "Le logiciel a été renommé Puma."),
    ("Julie est la trésorière.", "Marc a remplacé Julie comme trésorier."),
    ("Holger leitet die Abteilung.", "Karin hat die Abteilungsleitung von Holger übernommen."),
)
HOLDS = (
    ("Das Programm heißt Luchs.", "Das Projekt wurde in Marder umbenannt."),
    ("The cinema is open.", "The bakery has closed down for good."),
    ("Karin ist verheiratet.", "Stefan hat sich scheiden lassen."),
    ("The backend is written in Ruby.", "The frontend was rewritten in Go."),
    ("Julie est la trésorière.", "Marc a remplacé Julie comme capitaine."),
)


@pytest.mark.parametrize(("older", "newer"), OVER)
def test_it_is_over(older: str, newer: str) -> None:
    assert over(older, newer)


@pytest.mark.parametrize(("older", "newer"), HOLDS)
def test_of_something_else_it_is_not(older: str, newer: str) -> None:
    assert not over(older, newer)
