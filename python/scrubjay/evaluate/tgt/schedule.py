"""Classes, intervals and the ground truth: which class is valid at which interval (sessions are the unit of age).

Table 5 of the source is lost. This is the only strict staircase with 70.0 % of the base queries valid and no stale cell
at I1 and I2.

>>> [valid("B", i) for i in INTERVALS]
[True, True, True, False, False]
"""

from __future__ import annotations

from typing import Final

TYPES: Final = ("A", "B", "C", "D")
"""Ephemeral, session-specific, durable preference, stable knowledge."""

INTERVALS: Final = {"I1": (0, 1), "I2": (3, 5), "I3": (8, 12), "I4": (20, 25), "I5": (40, 60)}
"""Ages in sessions, both ends included."""

HELD_OUT: Final = ("I3", "I5")
"""Interpolation and extrapolation: never used to fit anything."""

SEEN: Final = ("I1", "I2", "I4")

LAST_VALID: Final = {"A": "I2", "B": "I3", "C": "I4", "D": "I5"}

EXPIRY: Final = {"A": (5.0, 8.0), "B": (12.0, 20.0), "C": (25.0, 40.0), "D": (60.0, float("inf"))}
"""The ages in sessions between which a class's P(valid) must cross one half."""

PERISHABILITY: Final = {"A": (0.8, 1.0), "B": (0.5, 0.7), "C": (0.2, 0.4), "D": (0.05, 0.15)}
"""Range of pi per class (the taxonomy's ranges)."""

EXPIRY_DRAWN: Final = {**EXPIRY, "D": (60.0, 120.0)}
"""Range of the drawn expiry; tau follows from it as tau = pi expiry / ln 2 (chosen: the source's Table 6 is lost)."""

QUERY_KINDS: Final = ("factual", "comparative", "prospective")

VALID_SHARE: Final = {"I1": (12, 15), "I2": (12, 15), "I3": (9, 12), "I4": (6, 12), "I5": (3, 12)}
"""Valid queries of all queries in an instance, with the distractors: 42 of 66."""

MEMORIES_PER_TYPE: Final = 24
QUERIES_PER_INSTANCE: Final = 66


def valid(kind: str, interval: str) -> bool:
    """Whether a memory of this class still holds at this interval."""
    return interval <= LAST_VALID[kind]


def interval_of(age: float) -> str | None:
    """The interval that holds an age in sessions, or None between intervals."""
    return next((name for name, (low, high) in INTERVALS.items() if low <= age <= high), None)
