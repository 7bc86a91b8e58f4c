"""What is true at the time that is asked about comes first: the default store, end to end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import scrubjay
from scrubjay import MemoryStore

DAY = 86400.0


@pytest.fixture(scope="module")
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", clock=lambda: 1.78e9) as opened:
        for when, text in [
            ("2026-01-07", "Maya works as a marine biologist."),
            ("2026-01-09", "Maya is allergic to peanuts."),
            ("2026-03-02", "The design review is in room B12."),
            ("2026-03-04", "The retrospective is in room B12."),
            ("2026-03-05", "Jonas lives in Lisbon."),
            ("2026-03-06", "I love Chinese food."),
            ("2026-04-01", "The price of the Pro plan is 20 dollars a month."),
            ("2026-04-20", "The design review has moved to room C4."),
            ("2026-04-21", "Jonas moved to Ghent."),
            ("2026-04-22", "The price of the Pro plan is 25 dollars a month."),
            ("2026-04-23", "I hate Chinese food."),
        ]:
            opened.add(text, namespace="maya", when=when)
        yield opened


@pytest.mark.parametrize(
    ("query", "now", "first"),
    [
        ("Which room is the design review in?", "2026-05-01", "The design review has moved to room C4."),
        ("Which room is the design review in?", "2026-03-20", "The design review is in room B12."),
        ("Which room is the retrospective in?", "2026-05-01", "The retrospective is in room B12."),
        ("What does Maya do for a living?", "2026-05-01", "Maya works as a marine biologist."),
        ("What is Maya's profession?", "2027-03-01", "Maya works as a marine biologist."),
        ("What is Maya allergic to?", "2027-03-01", "Maya is allergic to peanuts."),
        ("Do I like Chinese food?", "2026-05-01", "I hate Chinese food."),
        ("Do I like Chinese food?", "2026-04-01", "I love Chinese food."),
        ("How much is the Pro plan?", "2026-05-01", "The price of the Pro plan is 25 dollars a month."),
        ("How much is the Pro plan?", "2026-04-10", "The price of the Pro plan is 20 dollars a month."),
    ],
)
def test_what_holds_at_the_time_comes_first(store: MemoryStore, query: str, now: str, first: str) -> None:
    hits = store.search(query, namespace="maya", now=now)
    assert hits[0].memory.text == first
    assert hits[0].superseded < 0.5
    assert hits[0].valid > 0.0


def test_age_alone_takes_next_to_nothing(store: MemoryStore) -> None:
    """Without a competitor, years of age cost a stable memory less than a tenth of its when-term."""
    soon, late = (
        store.search("What does Maya do for a living?", namespace="maya", now=now, weights={"what": 0.7, "when": 0.3})[
            0
        ]
        for now in ("2026-01-08", "2031-01-08")
    )
    assert soon.memory == late.memory
    assert late.factors["when"] >= 0.9 * soon.factors["when"]
    assert late.valid < soon.valid
