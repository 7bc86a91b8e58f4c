"""Another trade takes the place of the one before, where it is said to be so now."""

from __future__ import annotations

import pytest
from tests.verdicts import over

from scrubjay.slots.agreement import agree
from scrubjay.slots.competition import SlotModel


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tom is a nurse.", "Tom is now an engineer."),
        ("Tom is a nurse.", "Tom became a software engineer."),
        ("Tom is a trainee nurse.", "Tom is a teacher now."),
        ("Ida ist Lehrerin.", "Ida ist jetzt Architektin."),
        ("Lea est infirmière.", "Lea est maintenant journaliste."),
        ("Ana is a member of the Green Party.", "Ana switched to the Labour Party."),
        ("Ana is in the chess club.", "Ana changed to the rowing club."),
    ],
)
def test_another_trade_or_club_replaces(old: str, new: str) -> None:
    assert over(old, new)
    c = SlotModel.load().same_slot([old, new])[0, 1]
    assert c > 0.6
    assert agree(new, old, float(c))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tom is a nurse.", "Tom is an author."),
        ("Tom is a nurse.", "Tom is an engineer."),
        ("Tom is a nurse.", "Tom is now a father."),
        ("Tom is a nurse.", "Tom is now a runner."),
        ("Tom is a nurse.", "Tom may become an engineer."),
        ("Tom is a nurse.", "Ben is now an engineer."),
        ("Tom is a nurse.", "Tom is now a senior nurse."),
        ("Tom was a nurse until 2012.", "Tom is now an engineer."),
        ("Ana is in the chess club.", "Ana changed to the Labour Party."),
        ("Ana is in the chess club.", "Ana changed to the data team."),
    ],
)
def test_what_is_no_other_trade_replaces_none(old: str, new: str) -> None:
    assert not over(old, new)
