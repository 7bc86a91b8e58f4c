"""A club and a country's team beside each other, and each of them changing."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.selections import club_and_country
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

BESIDE = (
    ("Tom plays for Arsenal.", "Tom plays for the England national football team."),
    ("Tom plays for England national under-21 football team.", "Tom plays for Watford F.C.."),
    ("Tom plays for Arsenal.", "Tom was called up to the national team."),
    ("Tom is a striker at Arsenal.", "Tom plays for the national side of Ghana."),
    ("Tom plays for Norway's national squad.", "Tom has signed for Chelsea."),
    ("Jonas spielt für Bremen.", "Jonas spielt in der Nationalmannschaft."),
    ("Lucie joue pour Lyon.", "Lucie joue en équipe nationale."),
)
CHANGED = (
    ("Tom plays for Arsenal.", "Tom plays for Chelsea."),
    ("Tom plays for the England national team.", "Tom plays for Scotland's national team."),
    ("Tom plays for the national under-17 team.", "Tom plays for the national under-20 team."),
    ("Tom plays for the England national team.", "Tom no longer plays for the England national team."),
    ("Tom plays for the England national team.", "Tom has stopped playing football."),
    ("Tom no longer plays for Arsenal.", "Tom plays for the England national team."),
    ("Tom plays for Arsenal.", "Ben plays for the England national team."),
    ("Tom plays for Arsenal.", "Tom lives near the national team centre."),
)


@pytest.mark.parametrize(("old", "new"), BESIDE, ids=range(len(BESIDE)))
def test_both_stand(old: str, new: str) -> None:
    assert stands(statement(old), statement(new))
    assert SlotModel.load(None).same_slot([old, new])[0, 1] == 0.0


@pytest.mark.parametrize(("old", "new"), CHANGED, ids=range(len(CHANGED)))
def test_the_law_is_not_of_these(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert not club_and_country(one, other)
    assert not club_and_country(other, one)


def test_another_club_and_another_country_follow() -> None:
    model = SlotModel.load(None)
    for old, new in CHANGED[:4]:
        assert model.same_slot([old, new])[0, 1] >= 0.5, (old, new)
