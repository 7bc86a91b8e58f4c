"""A public office at a time, beside which a chair, a ministry, a party and a club are held."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.changes import SURE, replaces
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.mandates import another_mandate
from scrubjay.slots.statements import statement

FOLLOWED = (
    ("Tina Rowe is the representative for OH district 9.", "Tina Rowe is the senator for OH."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe is the representative for OH district 9."),
    ("Tina Rowe is a congresswoman from Ohio.", "Tina is now a senator."),
    ("Olu Adeyemi is the mayor of Leeds.", "Olu Adeyemi was elected governor of Yorkshire."),
    ("Olu Adeyemi is the mayor of Leeds.", "Olu Adeyemi has been appointed ambassador to Japan."),
    ("Anna Berg is a member of parliament.", "Anna Berg is the mayor of Malmö."),
    ("Frau Kern ist Bürgermeisterin von Husum.", "Frau Kern ist jetzt Senatorin."),
    ("Jean Roux est maire de Lille.", "Jean Roux est devenu sénateur."),
)
BESIDE = (
    ("Tina Rowe is the senator for OH.", "Tina Rowe is Chair of the Senate Committee on Aging."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe is a member of the Democratic Party."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe was elected mayor of Toledo in 1999."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe was a congresswoman."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe might become governor."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe is not the governor of Ohio."),
    ("Tina Rowe is the senator for OH.", "Max Rowe is the governor of Ohio."),
    ("Tina Rowe is the senator for OH.", "Tina Rowe works for the governor of Ohio."),
    ("Anna Berg is a member of parliament.", "Anna Berg is the minister of health."),
    ("Anna Berg is a member of parliament.", "Anna Berg is a member of the rowing club."),
    ("Olu Adeyemi is the mayor of Leeds.", "Olu Adeyemi is the mayor's brother."),
    ("Olu Adeyemi is the mayor of Leeds.", "Olu Adeyemi lives in Leeds."),
    ("Olu Adeyemi is the mayor of Leeds.", "Olu Adeyemi is the sales representative for Leeds."),
    ("Olu Adeyemi is the deputy mayor of Leeds.", "Olu Adeyemi is the brand ambassador to the young."),
)


@pytest.mark.parametrize(("old", "new"), FOLLOWED, ids=range(len(FOLLOWED)))
def test_another_office_follows_the_one_before(old: str, new: str) -> None:
    assert replaces(statement(old), statement(new))
    assert agree(new, old, SURE)
    assert SlotModel.load(None).same_slot([old, new])[0, 1] >= FLOOR


@pytest.mark.parametrize(("old", "new"), BESIDE, ids=range(len(BESIDE)))
def test_what_is_held_beside_an_office(old: str, new: str) -> None:
    assert not another_mandate(statement(old), statement(new))
    assert not agree(new, old, float(SlotModel.load(None).same_slot([old, new])[0, 1]))
