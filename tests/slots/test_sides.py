"""Statements that tell of two sides of one thing: neither ends the other."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

BOTH = [
    ("Noa is in the choir of St Paul.", "Noa left the choir rehearsal at nine."),
    ("Kai is on the board of Initech.", "Kai left the board dinner early."),
    ("Lena runs a bakery.", "Lena used to run a bookshop."),
    ("Nora teaches chemistry.", "Years ago Nora taught biology."),
    ("Jan fährt einen Golf.", "Jan fuhr früher einen Fiat."),
    ("Carla vive en Lugo.", "Carla vivía antes en Vigo."),
    ("Sven arbeitet als Koch.", "Sven arbeitete vorher als Fahrer."),
    ("Otto leitet die Filiale.", "Otto hat gesagt, dass Britta die Werkstatt leitet."),
    ("Dana chairs the audit committee.", "Dana mentioned that Felix chairs the ethics committee."),
    ("The subscription costs 12 dollars.", "The subscription renews on May 3."),
    ("The fee is 40 francs a year.", "The fee is payable in January."),
    ("The lecture begins at 14:00.", "The lecture finishes at 15:30."),
    ("The pool opens at 7:00.", "The pool closes at 21:00."),
    ("The train departs at 8:15.", "The train arrives at 11:40."),
    ("Le train part à 8h15.", "Le train arrive à 11h40."),
    ("Entry costs 8 pounds for members.", "Entry costs 11 pounds for visitors."),
    ("Ben is allergic to cats.", "Ben is not allergic to dogs."),
    ("Kim can swim.", "Kim cannot ski."),
    ("Mia works at Shell.", "If Mia left Shell, she would study law."),
    ("Iris wohnt in Ulm.", "Wenn Iris nach Kiel zieht, verkauft sie das Auto."),
    ("The archive is in room 3.", "The archive will move to room 9 next year."),
    ("Ann's email address is ann@x.org.", "Ann's work email address is ann@corp.com."),
    ("Zoe's left knee is swollen.", "Zoe's right knee is fine."),
    ("Board meetings take place on Mondays.", "The board meeting last Monday was chaotic."),
    ("The door code is 4411.", "Never tell the door code to couriers."),
    ("The dog sleeps in the hall.", "The dog is sleeping in the hall now."),
    ("The opening of the museum is on May 2.", "The invitations for the opening of the museum go out on April 3."),
]
ONE = [
    ("Noa is in the choir of St Paul.", "Noa left the choir of St Paul."),
    ("Lena runs a bakery.", "Lena used to run a bakery."),
    ("Dana chairs the audit committee.", "Dana mentioned that Felix chairs the audit committee."),
    ("The lecture begins at 14:00.", "The lecture begins at 15:30."),
    ("Entry costs 8 pounds for members.", "Entry costs 11 pounds for members."),
    ("Ben is allergic to cats.", "Ben is not allergic to cats."),
    ("Ann's work email address is ann@x.org.", "Ann's work email address is ann@corp.com."),
    ("The launch is on May 2.", "The launch will move to May 9."),
    ("Zoe's left knee is swollen.", "Zoe's left knee is fine."),
    ("The door code is 4411.", "The door code is 5522."),
    ("BUG-7: open", "BUG-7: closed"),
]


def _stand(one: str, other: str) -> bool:
    return stands(statement(one), statement(other))


@pytest.mark.parametrize(("one", "other"), BOTH, ids=[other for _, other in BOTH])
def test_two_sides_of_a_thing_stand_beside_each_other(one: str, other: str) -> None:
    assert _stand(one, other)
    assert _stand(other, one)
    assert float(SlotModel.load().same_slot([one, other])[0, 1]) < FLOOR


@pytest.mark.parametrize(("one", "other"), ONE, ids=[other for _, other in ONE])
def test_what_is_said_of_the_same_side_does_not(one: str, other: str) -> None:
    assert not _stand(one, other)
