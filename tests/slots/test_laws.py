"""Tables of laws: a law is asked of the pairs in which it can hold, and of no other."""

from __future__ import annotations

from itertools import product

import pytest

from scrubjay.slots.agreement import LEAST_FRAME
from scrubjay.slots.competition import FLOOR, LEAST, SlotModel
from scrubjay.slots.laws import Law, Laws
from scrubjay.slots.statements import Statement, statement
from scrubjay.slots.vocabulary import ids_of

TEXTS = (
    "Ana sold the car.", "Ana drives a car.", "Ana drove a car in 2019.", "Bo sold the boat.", "", "Who sold it?",
    "The standup is at 9:30.", "The standup moved to 10:00.", "Yesterday standup was at 9:45.", "Bo is vegetarian.",
    "Bo eats ham again.", "We replaced Slack with Teams.", "Our team chats on Slack.", "Ana may leave Acme.",
)  # fmt: skip
SAID = [statement(text) for text in TEXTS]


def sells(asked: list[tuple[Statement, Statement]], **more: bool) -> Law:
    def holds(one: Statement, other: Statement) -> bool:
        asked.append((one, other))
        return bool(one.parts & other.parts)

    return Law(holds, lambda said: not said.asks, words=ids_of("sold"), other=lambda said: not said.past, **more)


@pytest.mark.parametrize("mutual", [False, True])
def test_a_law_is_asked_of_pairs_alone_that_have_what_it_needs(mutual: bool) -> None:
    asked: list[tuple[Statement, Statement]] = []
    law = sells(asked, mutual=mutual)
    laws = Laws(f"sales {mutual}", law)
    for one, other in product(SAID, SAID):
        asked.clear()
        found = laws.hold(one, other)
        assert found == laws.hold(other, one)
        for first, second in asked:
            assert ids_of("sold") & set(first.ids.tolist())
            assert not first.asks
            assert (ids_of("sold") & set(second.ids.tolist()) and not second.asks) if mutual else not second.past
        assert found == (law(one, other) or law(other, one))


def test_nobody_reads_a_probability_that_is_left_out() -> None:
    assert min(FLOOR, LEAST_FRAME) >= LEAST
    c = SlotModel.load().same_slot([text for text in TEXTS if text])
    assert ((c == 0) | (c >= LEAST)).all()
    assert (c > 0).any()
