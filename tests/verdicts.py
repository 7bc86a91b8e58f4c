"""What the laws of changes say of two texts together."""

from __future__ import annotations

from scrubjay.slots.changes import replaces
from scrubjay.slots.endings import either_ends
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement


def over(older: str, newer: str) -> bool:
    """Whether the newer says that the older is over or replaced, and nothing that both stand."""
    one, other = statement(older), statement(newer)
    return (replaces(one, other) or either_ends(one, other)) and not stands(one, other)
