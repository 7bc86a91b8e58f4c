"""Another tool of a kind, another name, another setting, a diet, a position that is filled; and what was done twice."""

from __future__ import annotations

import pytest
from tests.verdicts import over

from scrubjay.slots.changes import tells
from scrubjay.slots.diets import diets
from scrubjay.slots.products import kinds
from scrubjay.slots.settings import setting_of
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

OVER = (
    ("Our CI runs on Jenkins.", "CI runs on GitHub Actions now."),
    ("CI runs on Jenkins.", "Our CI runs on GitHub Actions now."),
    ("We use Jenkins for CI.", "We switched to GitHub Actions."),
    ("Our CI runs on Jenkins.", "CI was moved to GitHub Actions."),
    ("I write Python in PyCharm.", "I switched to VS Code."),
    ("We use Slack.", "The team switched to Microsoft Teams."),
    ("We use Vim for editing.", "The whole team switched to Zed."),
    ("timezone: Europe/Berlin", "timezone: America/New_York"),
    ("timezone = CET", "timezone = PST"),
    ("log_format: json", "log_format: text"),
    ("Her name is Hannah Berg.", "Hannah got married and is now Hannah Lindqvist."),
    ("The user's name is Hannah Berg.", "The user married and is now Hannah Lindqvist."),
    ("My name is Hannah Berg.", "I got married and am now Hannah Lindqvist."),
    ("Hannah's surname is Weiss.", "Hannah got married and is now Hannah Lindqvist."),
    ("Ada's surname is Novak.", "Ada took her husband's name and is now called Ada Brandt."),
    ("The designer position is open.", "The designer position has been filled."),
    ("The team lead position is vacant.", "The team lead position is filled."),
    ("Ana is vegan.", "Ana eats everything again."),
)
HOLDS = (
    ("CI runs on Jenkins.", "The docs site runs on GitHub Actions now."),
    ("Our CI runs on Jenkins.", "Our code is on GitHub now."),
    ("Ben uses Vim.", "Ana switched to VS Code."),
    ("We use Slack.", "Ben switched to Microsoft Teams."),
    ("We use Google Docs.", "We switched to Google Meet."),
    ("source: Europe/Berlin", "target: Europe/Paris"),
    ("Her name is Hannah Berg.", "Her sister got married and is now Clara Lindqvist."),
    ("The user's name is Hannah Berg.", "The user's boss is now Hannah Lindqvist."),
    ("Hannah's name is Hannah Berg.", "Hannah is now a manager."),
    ("Her name is Hannah Berg.", "The new colleague's name is Hannah Cole."),
    ("The designer position is open.", "The backend position has been filled."),
    ("The pool is open.", "The pool has been filled."),
    ("Ana is an omnivore.", "Ana eats tofu."),
    ("Ana is an omnivore.", "Ana eats everything."),
)
BOTH_DONE = (
    ("Ana reviewed PR 88.", "Ana reviewed PR 91."),
    ("I reviewed the pull request 88 today", "I reviewed the pull request 91"),
    ("Ben closed ticket 12.", "Ben closed ticket 14."),
    ("Mia has read chapter 3.", "Mia has read chapter 4."),
)
NOT_BOTH = (
    ("Ana is reviewing PR 88.", "Ana is reviewing PR 91."),
    ("The gym closes at 7.", "The gym closes at 6 since October."),
    ("Ana moved to room 12.", "Ana moved to room 14."),
    ("We deployed version 3.4 to production.", "We deployed version 3.5 to production."),
    ("Ana is an omnivore.", "Ana is vegan now."),
    ("CI runs on Jenkins.", "CI runs on GitHub Actions."),
)


@pytest.mark.parametrize(("older", "newer"), OVER)
def test_it_is_over(older: str, newer: str) -> None:
    assert over(older, newer)


@pytest.mark.parametrize(("older", "newer"), HOLDS)
def test_it_holds(older: str, newer: str) -> None:
    assert not over(older, newer)


@pytest.mark.parametrize(("older", "newer"), BOTH_DONE)
def test_what_was_done_with_one_after_the_other_was_done_with_both(older: str, newer: str) -> None:
    assert stands(statement(older), statement(newer))


@pytest.mark.parametrize(("older", "newer"), NOT_BOTH)
def test_of_others_no_law_says_that_both_hold(older: str, newer: str) -> None:
    assert not stands(statement(older), statement(newer))


def test_a_name_of_two_words_is_no_name_of_one() -> None:
    told = {kinds(statement(f"We use {name}.")) for name in ("GitHub Actions", "GitHub", "Google Meet")}
    assert len(told) == 3
    assert kinds(statement("Ben vs Ana")) == frozenset()


def test_prose_is_no_setting() -> None:
    for text in ("note: call mum", "idea: paint", "Format: json", "see: here"):
        assert setting_of(text) is None
    for text in ("log_format: json", "tz: UTC", "tz: Europe/Berlin", "LOG_LEVEL: chatty"):
        assert setting_of(text) is not None


def test_an_omnivore_keeps_a_diet_that_leaves_nothing_out() -> None:
    assert diets(statement("Ana is an omnivore.")) != diets(statement("Ana is vegan.")) != 0
    assert tells(statement("Hannah married and is now Hannah Lindqvist."))
