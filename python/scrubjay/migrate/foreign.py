"""What a reader of another system's file gives: memories with evidence, edges, and an account of the rest."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import msgspec

from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError


class Foreign(msgspec.Struct, frozen=True, kw_only=True):
    """One memory of another system."""

    id: str
    """Its name there."""
    text: str
    namespace: tuple[str, ...] = ()
    when: float | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    pinned: bool = False
    importance: float = 0.5
    good: float = 0.0
    """Evidence for, beyond a new memory's."""
    bad: float = 0.0
    stability: float | None = None
    """Days; None: a new memory's."""


class Edge(msgspec.Struct, frozen=True):
    """An edge between two of them."""

    a: str
    b: str
    weight: float
    """In (0, 1]."""
    kind: str


class Found(msgspec.Struct, kw_only=True):
    """All that was read, and what became of it."""

    memories: list[Foreign] = msgspec.field(default_factory=list)
    edges: list[Edge] = msgspec.field(default_factory=list)
    mapped: Counter[str] = msgspec.field(default_factory=Counter)
    """Fields that say the same here, by how many memories had them."""
    guessed: dict[str, str] = msgspec.field(default_factory=dict)
    """Fields that say something else there, with the rule by which they were turned."""
    dropped: Counter[str] = msgspec.field(default_factory=Counter)
    """What was left out, with the reason, by number."""


def number(value: object, low: float, high: float) -> float | None:
    """A finite number within bounds; None for anything else.

    >>> number(2, 0, 1), number("1", 0, 1), number(0.5, 0, 1)
    (None, None, 0.5)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value) if low <= value <= high else None


def moment(value: object) -> float | None:
    """A time as seconds since the epoch; None for what is no time.

    >>> moment("1970-01-02T00:00:00+00:00"), moment("soon")
    (86400.0, None)
    """
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return None
    try:
        return to_seconds(value)
    except ArgumentError:
        return None
