"""Programs and devices for other uses stand beside each other; those for one use are rivals."""

from __future__ import annotations

import pytest

from scrubjay.slots.changes import replaces
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.products import kinds
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Bea uses Vim.", "Bea uses a ThinkPad."),
        ("Bea uses Vim.", "Bea uses Firefox."),
        ("Bea uses Firefox.", "Bea uses a MacBook."),
        ("Bea uses Obsidian.", "Bea uses a standing desk."),
        ("Bea uses a tablet.", "Bea uses Obsidian."),
        ("Bea nutzt Signal.", "Bea nutzt ein Fairphone."),
        ("Bea utilise Firefox.", "Bea utilise un MacBook."),
    ],
)
def test_unlike_products_stand(old: str, new: str) -> None:
    assert stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mia uses macOS.", "Mia switched from a Mac to Linux."),
        ("Mia uses Linux.", "Mia switched from Linux to a Mac."),
        ("Mia uses Windows.", "Mia uses Linux now."),
        ("Bea uses a ThinkPad.", "Bea uses a Mac now."),
        ("Bea uses Firefox.", "Bea switched from Firefox to Chrome."),
    ],
)
def test_those_for_one_use_are_rivals(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] > 0.6


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Bea uses Obsidian.", "Bea uses a notebook now."),
        ("Bea uses Obsidian.", "Bea no longer uses a tablet."),
        ("Bea uses Obsidian.", "Cy uses a tablet."),
        ("Bea uses Obsidian.", "Bea uses Logseq."),
    ],
)
def test_what_changes_or_is_of_one_sort_is_not_unlike(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))


def test_a_mac_has_two_uses() -> None:
    assert kinds(statement("Mia uses a Mac.")) > kinds(statement("Mia uses macOS."))
    assert replaces(statement("Mia uses macOS."), statement("Mia switched from macOS to Linux."))
