"""What took place on one day and what took place on another both did; what is planned has one day."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The market took place on 4 May; Ines poured.", "The market took place on 18 May; Karl poured."),
        ("The fire drill took place on Monday.", "The fire drill took place on Thursday."),
        ("An outage occurred on 2 June.", "An outage occurred on 9 June."),
        ("Die Übung fand am 3. Mai statt.", "Die Übung fand am 9. Juni statt."),
    ],
)
def test_two_occasions_stand(one: str, other: str) -> None:
    assert stands(statement(one), statement(other))
    assert not SlotModel.load().same_slot([one, other]).any()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The wedding will take place on 3 May.", "The wedding will take place on 9 May."),
        ("The market takes place on Mondays.", "The market takes place on Fridays now."),
        ("The market is on 4 May.", "The market is on 18 May."),
        ("Mia took the place of Ben in team 4.", "Mia took the place of Ana in team 5."),
    ],
)
def test_one_day_of_what_is_planned_ends_the_other(one: str, other: str) -> None:
    assert not stands(statement(one), statement(other))
