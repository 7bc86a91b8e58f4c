"""What is said again with since when, or how it came, leaves what was said; any other word may change it."""

from __future__ import annotations

import pytest

from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tom lives in Leeds.", "Tom moved to Leeds in 2016."),
        ("Tom lives in Leeds.", "Tom has lived in Leeds since 2016."),
        ("Tom lives in Leeds.", "Tom has lived in Leeds for 9 years."),
        ("Priya works at Bosch.", "Priya joined Bosch in 2019."),
        ("Priya works at Bosch.", "Priya has worked at Bosch since March."),
        ("Olga drives a Fiat.", "Olga has driven a Fiat since 2018."),
        ("Pavel is married to Irina.", "Pavel has been married to Irina since 2011."),
        ("The API runs on port 8080.", "The API has run on port 8080 since March."),
        ("The review is in room C4.", "The review was moved to room C4."),
        ("Ana is a member of the chess club.", "Ana joined the chess club in 2020."),
        ("Jonas wohnt in Kiel.", "Jonas ist 2016 nach Kiel gezogen."),
        ("Jonas wohnt in Kiel.", "Jonas wohnt seit 2016 in Kiel."),
        ("Claire habite à Lyon.", "Claire a déménagé à Lyon en 2016."),
        ("Luis vive en Madrid.", "Luis se mudó a Madrid en 2016."),
    ],
)
def test_the_same_again_leaves_both(one: str, other: str) -> None:
    assert stands(statement(one), statement(other))
    assert stands(statement(other), statement(one))
    assert SlotModel.load().same_slot([one, other])[0, 1] == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tom lives in Leeds.", "Tom moved to York in 2016."),
        ("Tom lives in Leeds.", "Tom moved from Leeds in 2016."),
        ("Tom lives in Leeds.", "Tom moved away from Leeds."),
        ("Tom lives in Leeds.", "Tom moved from Leeds to York in 2016."),
        ("Tom lives in Leeds.", "Tom no longer lives in Leeds."),
        ("Priya works at Bosch.", "Priya left Bosch in 2019."),
        ("Priya works at Bosch.", "Priya joined Siemens in 2019."),
        ("The API runs on port 8080.", "The API has run on port 9090 since March."),
        ("The review is in room C4.", "The review was moved from room C4."),
        ("The rent is 900.", "The rent has been 950 since May."),
        ("Tom moved to Leeds in 2016.", "Tom moved to Leeds in 2019."),
        ("Jonas wohnt in Kiel.", "Jonas ist 2016 nach Bremen gezogen."),
    ],
)
def test_another_word_may_change_it(one: str, other: str) -> None:
    assert not stands(statement(one), statement(other))
