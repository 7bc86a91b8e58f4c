"""Statements that another takes the place of by what it says, those that it only goes on from, and role holders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.slots.agreement import agree
from scrubjay.slots.changes import SURE, goes_on, replaces
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.statements import statement

REPLACED = (
    ("Carla is my boss.", "Devin replaced Carla as my boss."),
    ("Mats is the team lead.", "Ines took over from Mats as team lead."),
    ("Marie est la trésorière.", "Luc a remplacé Marie comme trésorière."),
    ("Pedro es el portero.", "Iker sustituyó a Pedro como portero."),
    ("The launch is on 12 May.", "The launch was postponed to 26 May."),
    ("The exam is at 8.", "The exam was postponed to 11."),
    ("My dentist appointment is on Monday at 10.", "My dentist appointment was rescheduled to Wednesday at 3."),
    ("Die Besprechung ist am Montag.", "Die Besprechung wurde auf Mittwoch verschoben."),
    ("Jonas is on call.", "Priya is on call."),
    ("Rita is on call this weekend.", "Bo is on call this weekend."),
    ("Hugo is captain of the team.", "Rafa is captain of the team."),
    ("I drive a blue Golf.", "I sold the Golf."),
    ("Nina is reading Dune.", "Nina finished Dune."),
    ("Noor is the treasurer.", "Noor stepped down as treasurer."),
    ("Her surname is Novak.", "After the wedding her surname is Horvat."),
)
BOTH_HOLD = (
    ("The standup is at 9:30.", "The standup is at 9:30 in room 4."),
    ("Ana lives in Lisbon.", "Ana lives in Lisbon with her sister."),
    ("Boris works at Nokia.", "Boris works at Nokia as a radio engineer."),
    ("Luc joue au tennis.", "Luc joue au tennis avec sa femme."),
    ("Der Termin ist um 9 Uhr.", "Der Termin ist um 9 Uhr in Raum 3."),
    ("会议在三点。", "会议在三点，在二楼。"),
)
NEITHER = (
    ("My boss is Carla.", "My boss has a cat."),
    ("The launch is on 12 May.", "The launch party was postponed to 26 May."),
    ("Kai is my boss.", "Liu replaced Omar as team lead."),
    ("Ana is on call for billing.", "Bea is on call for search."),
    ("Finn is on call.", "Gus is on leave."),
    ("The design review is on Monday.", "The design review has moved to room C4."),
    ("Ana is a coach.", "Ben is a coach."),
    ("Ana is at home.", "Ben is at home."),
    ("Ana and Ben are on call.", "Ana is on call."),
    ("Ann owns a house in Kent.", "Ann sold her boat."),
    ("Nina loves Dune.", "Nina finished Dune."),
    ("Is Jonas on call?", "Priya is on call."),
    ("In summer the office is closed.", "The office is open."),
    ("", "Priya is on call."),
)


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_the_later_takes_the_place(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert replaces(one, other)
    assert replaces(other, one)
    assert not goes_on(one, other)


@pytest.mark.parametrize(("older", "newer"), BOTH_HOLD)
def test_what_only_goes_on_ends_nothing(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert goes_on(one, other)
    assert goes_on(other, one)
    assert not replaces(one, other)
    assert SlotModel.load(None).same_slot([older, newer])[0, 1] < FLOOR


@pytest.mark.parametrize(("older", "newer"), NEITHER)
def test_what_has_nothing_to_do_with_it(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert not replaces(one, other)
    assert not goes_on(one, other)


def test_a_change_behind_the_same_words_is_no_going_on() -> None:
    assert not goes_on(statement("Elif is vegan."), statement("Elif is vegan no longer."))
    assert not goes_on(statement("Ana works at Bosch."), statement("Ana works at Bosch Rexroth."))
    assert not goes_on(statement("Ana works at Bosch."), statement("Ana works at Bosch."))


def test_the_model_answers_by_these_laws() -> None:
    texts = [text for pair in REPLACED for text in pair]
    c = SlotModel.load(None).same_slot(texts)
    at = np.arange(0, len(texts), 2)
    assert (c[at, at + 1] >= SURE - 1e-6).all()
    assert (c == c.T).all()


TEXTS = st.sampled_from([text for pairs in (REPLACED, BOTH_HOLD, NEITHER) for pair in pairs for text in pair])


@given(st.one_of(TEXTS, st.text(max_size=60)), st.one_of(TEXTS, st.text(max_size=60)))
def test_either_order_gives_the_same(one: str, other: str) -> None:
    left, right = statement(one), statement(other)
    assert replaces(left, right) == replaces(right, left)
    assert goes_on(left, right) == goes_on(right, left)
    assert not (replaces(left, right) and goes_on(left, right))


def test_what_says_that_another_is_over_takes_its_place_for_good() -> None:
    assert agree("The launch was postponed to 26 June.", "The launch is on 12 May.", SURE)
    assert agree("I sold the Golf.", "I drive a blue Golf.", SURE)
    assert agree("Devin replaced Carla as my boss.", "Carla is my boss.", SURE)
    assert not agree("Priya is on call.", "Jonas is on call.", SURE)
