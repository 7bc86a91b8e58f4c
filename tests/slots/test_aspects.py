"""Who leads a thing, where it runs and in what it is written are told side by side."""

from __future__ import annotations

from itertools import combinations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

TOLD = (
    "The billing service runs on Kubernetes.",
    "The billing service is led by Ana.",
    "The billing service is written in Go.",
)


def test_aspects_of_one_thing_stand() -> None:
    assert not SlotModel.load().same_slot(TOLD).any()
    assert all(stands(statement(one), statement(other)) for one, other in combinations(TOLD, 2))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The billing service runs on Kubernetes.", "The billing service runs on Nomad now."),
        ("The billing service is led by Ana.", "The billing service is led by Ben."),
        ("The billing service is led by Ana.", "The billing service is owned by Ben now."),
        ("The cluster runs in Frankfurt.", "The cluster was moved to Dublin."),
        ("The wiki is hosted on Hetzner.", "The wiki runs on AWS now."),
    ],
)
def test_one_aspect_has_one_value(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] > 0.6


HELD = (
    ("The pottery course takes place in the old school.", "Milena teaches the pottery course."),
    ("The yoga class is held in studio 2.", "Petra teaches the yoga class."),
    ("The book club meets at the library.", "Nora organises the book club."),
    ("The chamber choir rehearses in the church.", "Tom conducts the chamber choir."),
    ("Der Töpferkurs findet in der Schule statt.", "Milena leitet den Töpferkurs."),
)


@pytest.mark.parametrize("pair", HELD)
def test_who_leads_what_is_held_stands_beside_where_it_is(pair: tuple[str, str]) -> None:
    assert not SlotModel.load().same_slot(pair).any()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The yoga class is held in studio 2.", "The yoga class is held in studio 5 now."),
        ("Petra teaches the yoga class.", "Jana teaches the yoga class now."),
        ("The book club meets at the library.", "The book club meets at Nora's place now."),
        ("Nora organises the book club.", "Nora organises the book club at the library."),
    ],
)
def test_another_place_or_leader_is_no_other_side(old: str, new: str) -> None:
    assert not stands(statement(old), statement(new))
