"""Different doings at times of a day stand beside each other; one doing has one time."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

DAY = (
    "Ana gets up at 6:15.",
    "Ana has breakfast at 7.",
    "Ana leaves home at 8.",
    "Ana has lunch at noon.",
    "Ana picks up the kids at 15:30.",
    "Ana gets home at 18:00.",
    "Ana goes to bed at 22:30.",
)


def test_a_day_stands_whole() -> None:
    c = SlotModel.load().same_slot(DAY)
    assert not c.any()
    assert all(stands(statement(a), statement(b)) for i, a in enumerate(DAY) for b in DAY[:i])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Max steht um 6:15 auf.", "Max geht um 22:30 ins Bett."),
        ("Claire se lève à 6h15.", "Claire se couche à 22h30."),
        ("Luis desayuna a las 8.", "Luis cena a las 21."),
        ("Die Apotheke öffnet um 8 Uhr.", "Die Apotheke liefert um 14 Uhr aus."),
        ("Ana goes to bed at 22:30.", "Ana gets up at 7 now."),
        ("Dr. Iyer operates on Wednesdays.", "Dr. Iyer holds clinic on Fridays."),
    ],
)
def test_other_doings_stand(old: str, new: str) -> None:
    assert stands(statement(old), statement(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana gets up at 6:15.", "Ana gets up at 7:00."),
        ("Ana gets up at 6:15.", "Ana wakes up at 7 now."),
        ("Ana has lunch at noon.", "Ana now has lunch at 1."),
        ("Ana leaves home at 8.", "Ana leaves home at 7:30 now."),
        ("Max steht um 6:15 auf.", "Max steht um 7:00 auf."),
        ("The train leaves at 8.", "The train departs at 8:10."),
        ("The tour starts at 9.", "The tour leaves at 10."),
        ("The standup is at 9:30.", "The standup starts at 10:00."),
        ("The standup in room 4 is at 9.", "The standup kicks off at 10."),
        ("Yoga is at 7.", "Yoga meets at 8."),
        ("Project deadline is on Monday.", "Project due date is on Friday."),
        ("Yoga meets on Mondays.", "Yoga takes place on Fridays."),
        ("Ana works from home on Mondays.", "Ana commutes on Mondays."),
        ("Ana swims at 7.", "Ana runs at 7."),
        ("The oven is set at 180 degrees.", "The oven stays at 200 degrees."),
        ("Ana takes the bus at 7:40.", "Ana takes the train at 8:10 now."),
        ("Die Apotheke öffnet um 8 Uhr.", "Die Apotheke öffnet jetzt um 9 Uhr."),
    ],
)
def test_one_doing_has_one_time(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
