"""States of which one thing is in one at a time: search and integrate go by one law."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import scrubjay
from scrubjay.memorystore import MemoryStore
from scrubjay.slots.statements import statement
from scrubjay.slots.states import other_state

OVER = (
    ("The wall is white.", "The wall is green."),
    ("The wall is white.", "The wall was painted green."),
    ("Ana's hair is brown.", "Ana's hair is blonde now."),
    ("Job 7 has failed.", "Job 7 is running."),
    ("Job 7 is running.", "Job 7 has failed."),
    ("The test is failing.", "The test is passing again."),
    ("The door is open.", "The door is closed."),
    ("The battery is full.", "The battery is empty."),
    ("Die Tür ist offen.", "Die Tür ist geschlossen."),
    ("Ben works full-time.", "Ben went part-time."),
)
HOLDS = (
    ("The wall is white.", "The wall is thick."),
    ("The wall is white.", "The door is green."),
    ("Job 7 has failed.", "Job 8 is running."),
    ("The red car is fast.", "The blue car is fast."),
    ("The job is done.", "The job is finished."),
    ("The shop is open.", "The shop is closed on Sundays."),
    ("The door is open.", "The door is not closed."),
    ("The door is open.", "Is the door closed?"),
    ("The wall is white.", "The wall may be green."),
    ("The meeting is public.", "The position is private."),
    ("The server is online.", "The server is available."),
)


@pytest.fixture(scope="module")
def store() -> Iterator[MemoryStore]:
    with scrubjay.open(":memory:", clock=lambda: 1.7e9) as one:
        yield one


@pytest.mark.parametrize(("older", "newer"), OVER)
def test_of_two_states_of_a_row_the_older_is_over(store: MemoryStore, older: str, newer: str) -> None:
    assert other_state(statement(older), statement(newer))
    one, other = ("search", older, newer), ("integrate", older, newer)
    first = [store.add(older, namespace=where, when="2023-01-01").id for where in (one, other)]
    store.add(newer, namespace=one, when="2023-02-01")
    assert [hit.superseded > 0.5 for hit in store.search(older, namespace=one) if hit.memory.id == first[0]] == [True]
    assert list(store.integrate(newer, namespace=other, when="2023-02-01").superseded) == first[1:]


@pytest.mark.parametrize(("older", "newer"), HOLDS)
def test_of_others_the_law_says_nothing(older: str, newer: str) -> None:
    assert not other_state(statement(older), statement(newer))
