"""One political party at a time, and what is no other party."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.changes import SURE
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.parties import another_party
from scrubjay.slots.statements import statement

FOLLOW = (
    ("Anna has joined the Greens.", "Anna belongs to the Labour Party."),
    ("Anna is a member of the Liberal Party.", "Anna is affiliated to the Farmers' Party."),
    ("Anna is affiliated to the Liberal Party.", "Anna is affiliated to Independent politician."),
    ("I joined the Labour Party.", "I have joined the Tories."),
)
BESIDE = (
    ("Anna has joined the Greens.", "Anna has joined the fire brigade."),
    ("Anna has joined the Greens.", "Ben has joined the Liberals."),
    ("Anna is a member of the Green Party.", "Anna is a member of the Green Party of Malta."),
    ("Anna has joined the Greens.", "Anna has joined Ben's birthday party."),
    ("Anna has joined Lea's garden party.", "Anna has joined Ben's birthday party."),
    ("Anna has joined the Greens.", "Anna was a member of the Labour Party."),
    ("Anna has joined the Greens.", "Anna is not a member of the Labour Party."),
    ("Anna has joined the Greens.", "Anna works for the Labour Party."),
    ("I have joined the Greens.", "She has joined the Liberals."),
)


@pytest.mark.parametrize(("old", "new"), FOLLOW, ids=range(len(FOLLOW)))
def test_another_party_follows_for_good(old: str, new: str) -> None:
    assert SlotModel.load(None).same_slot([old, new])[0, 1] >= FLOOR
    assert agree(new, old, SURE)


@pytest.mark.parametrize(("old", "new"), BESIDE, ids=range(len(BESIDE)))
def test_what_is_no_other_party(old: str, new: str) -> None:
    assert not another_party(statement(old), statement(new))
