"""Sentences of several main clauses: any of the newer may change something, the first of the older is what counts."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.parts import by_clause
from scrubjay.slots.splits import MOST, main_clauses
from scrubjay.slots.statements import statement

CHANGED = (
    ("Builds run on CircleCI, the settings are in the repo.", "We moved the builds from CircleCI to Buildkite."),
    ("Corporal Lind is alive and hides in the mill.", "Corporal Lind has been killed."),
    ("Corporal Lind is alive and hides in the mill.", "The mill was stormed, Corporal Lind was killed."),
    ("Takes ramipril 5 mg twice a day.", "The kidneys are worse, ramipril reduced to 2.5 mg twice a day."),
    ("Ben works at Bosch, and his office is in Ulm.", "Ben joined Siemens."),
    ("Isa reigns over the north, her brother is in exile.", "Isa was deposed."),
    ("Mein Bruder wohnt in Köln, seine Frau ist in Wien.", "Mein Bruder wohnt jetzt in Bonn."),
    ("The tower stands on the hill.", "The storm was fierce, and the tower was destroyed."),
)
KEPT = (
    ("Builds run on CircleCI, the settings are in the repo.", "The settings were moved to the wiki."),
    ("Tom lives in Leeds, his sister lives in York.", "His sister now lives in Bath."),
    ("Corporal Lind is alive and hides in the mill.", "The mill was stormed, Captain Orr was killed."),
    ("Takes ramipril 5 mg twice a day.", "The kidneys are worse, digoxin reduced to 2.5 mg twice a day."),
    ("Ben works at Bosch.", "When Ben was in Ulm, Ida joined Siemens."),
    ("Ben works at Bosch.", "Ida is well, her brother joined Siemens."),
    ("If it rains, the picnic is in the hall.", "The picnic is in the garden."),
)


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_a_clause_replaces_what_is_said_first(old: str, new: str) -> None:
    assert by_clause(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] > FLOOR


@pytest.mark.parametrize(("old", "new"), KEPT)
def test_what_is_said_of_something_else_does_not(old: str, new: str) -> None:
    assert not by_clause(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] < FLOOR


@pytest.mark.parametrize(("old", "new"), [pair for pair in CHANGED if statement(pair[0]).clauses])
def test_of_two_clauses_none_is_lost_for_good(old: str, new: str) -> None:
    assert not agree(new, old, 0.99) or statement(new).clauses


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Ana is ill; Bo is away; Cy is here; Di is late.", MOST),
        ("Ana is ill, and Bo is away.", 2),
        ("Ana speaks French, Greek and Thai.", 0),
        ("The office is in Lyon, near the station.", 0),
        ("If Ana is ill, Bo is here.", 0),
        ("Because Ana is ill, Bo is here.", 0),
        (", ; -", 0),
        ("", 0),
    ],
)
def test_clauses_have_verbs_of_their_own_and_are_few(text: str, clauses: int) -> None:
    assert len(main_clauses(text)) == clauses
