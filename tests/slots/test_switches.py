"""A switch from one thing to another replaces what names either, or another thing of their kind, and nothing else."""

from __future__ import annotations

import pytest

from scrubjay.slots.changes import replaces
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

SWITCH = "Ada switched from Slack to Teams."
STAND = [
    ("Ada uses Firefox.", SWITCH),
    ("Ada uses a ThinkPad.", SWITCH),
    ("Ada prefers an aisle seat.", SWITCH),
    ("Ada prefers tabs.", "Ada switched from Vim to Helix."),
    ("Ada prefers short answers.", "Ada switched from Vim to Helix."),
    ("Ada uses Firefox.", "Ada switched from tea to coffee."),
    ("Ada uses Firefox.", "Ada switched from piano to cello."),
]
REPLACED = [
    ("Ada uses Slack.", SWITCH),
    ("The team uses Postgres.", "The team switched from Postgres to MySQL."),
    ("Ada uses Vim.", "Ada switched to Helix."),
    ("Ada uses Chrome.", "Ada switched from Chrome to Brave."),
]


@pytest.mark.parametrize(("old", "new"), STAND)
def test_what_a_switch_is_not_between_stands(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert not replaces(one, other)
    assert stands(one, other)
    assert SlotModel.load().same_slot([old, new])[0, 1] < 0.3


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_what_it_is_between_is_replaced(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] > 0.6
