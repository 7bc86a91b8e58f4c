"""Clubs, parties, choirs and sports teams stand beside work and each other, unless one is left for another."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana is a member of the Green Party.", "Ana moved to the contracts team."),
        ("Ana is in a band.", "Ana moved to the contracts team."),
        ("Ana sings in the church choir.", "Ana moved to the contracts team."),
        ("Ana plays for the handball team of Kiel.", "Ana moved to the contracts team."),
        ("Ana is in the running group.", "Ana moved to the contracts team."),
        ("Ana is on the contracts team.", "Ana joined the chess club."),
        ("Ana is in the chess club.", "Ana is in the book club."),
        ("Ana is in the chess club.", "Ana joined the book club."),
        ("Ana is in the chess club.", "Ana sings in the church choir."),
        ("Ana is a member of the chess club.", "Ana moved to Leeds."),
        ("Ana serves on the board of Acme.", "Ana serves on the board of Globex."),
        ("Ida ist im Schachverein.", "Ida ist im Kirchenchor."),
        ("Lea est membre du club de tennis.", "Lea est membre du parti socialiste."),
    ],
)
def test_what_one_belongs_to_stands(old: str, new: str) -> None:
    assert stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana is in the chess club.", "Ana left the chess club."),
        ("Ana is in the chess club.", "Ana is no longer in the chess club."),
        ("Ana is in the chess club.", "Ana is in the rowing club instead."),
        ("Ana is in the chess club.", "Ana switched to the rowing club."),
        ("Ana is in the Green Party.", "Ana is in the Labour Party."),
        ("Ana plays for the handball team of Kiel.", "Ana plays for the handball team of Bonn."),
        ("Ana is on the billing team.", "Ana moved to the contracts team."),
        ("Ana is in the chess club.", "Ana is in the club house."),
    ],
)
def test_what_may_end_it_is_no_second_body(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
