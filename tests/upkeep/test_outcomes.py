"""Evidence that a value was changed takes the place of what it was before, and of nothing else."""

from __future__ import annotations

import pytest

import scrubjay
from scrubjay.slots.outcomes import outcome

CHANGED = [
    ("The gate code is 4417.", "The gate code was changed to 9023."),
    ("The wifi password is heron7.", "We changed the wifi password to osprey9."),
    ("The build server is jenkins-2.", "We switched the build server to jenkins-5."),
    ("The rent is 1,100 euros.", "The rent was raised to 1,250 euros today."),
    ("Our door PIN is 2211.", "Somebody changed our door PIN to 3344."),
    ("The retry limit is 3.", "The retry limit was bumped to 5."),
    ("The default region is eu-west-1.", "The default region has been changed to eu-central-1."),
    ("Mia's bedtime is 7 pm.", "Mia's bedtime was changed to 8 pm."),
]
BESIDE = [
    ("The rota is on the fridge.", "The rota was changed to fit the summer."),
    ("The gate code is 4417.", "The wifi code was changed to 9023."),
    ("The gate code is 4417.", "The gate colour was changed to green."),
    ("The gate code is 4417.", "The gate code will be changed to 9023."),
    ("The gate code is 4417.", "The gate code was not changed to 9023."),
    ("The gate code is 4417.", "Nobody changed the gate code to 9023."),
    ("The retry limit is 3 in staging.", "The retry limit was bumped to 5 in production."),
    ("The team is friendly.", "We changed the team to five people."),
    ("Ana's locker number is 17.", "Ben's locker number was changed to 23."),
    ("The menu is in the drawer.", "The menu was changed to vegetarian."),
    ("The front door is green.", "The front door lock was changed to a smart one."),
    ("The price is on the label.", "The price was raised to 12 euros."),
    ("Our supplier is in Ghent.", "We switched our supplier to Molinari."),
    ("The build server is in Frankfurt.", "We switched the build server to jenkins-5."),
    ("The wifi password is written on the fridge.", "We changed the wifi password to osprey9."),
    ("The server room is locked.", "The server room lock was changed to 99."),
    ("The old gate code is 4417.", "The new gate code was changed to 9023."),
    ("The price of the small box is 5 euros.", "The price of the big box was raised to 9 euros."),
]


def taken(memory: str, evidence: str) -> list[str]:
    with scrubjay.open(":memory:") as store:
        store.add(memory, when="2026-01-05")
        store.add("Pavel collects stamps.", when="2026-01-05")
        return [store.get(id).text for id in store.integrate(evidence, when="2026-03-05").superseded]


@pytest.mark.parametrize(("memory", "evidence"), CHANGED)
def test_a_changed_value_is_over(memory: str, evidence: str) -> None:
    assert taken(memory, evidence) == [memory]


@pytest.mark.parametrize(("memory", "evidence"), BESIDE)
def test_another_thing_or_attribute_and_what_did_not_happen_leave_it(memory: str, evidence: str) -> None:
    assert taken(memory, evidence) == []


@pytest.mark.parametrize(
    "text", ["", "to", "The set was set to set.", "the a was changed to", "changed " * 400, "\u0000"]
)
def test_odd_text_gives_a_state_or_none(text: str) -> None:
    state = outcome(text)
    assert state == "" or state.endswith(".")
