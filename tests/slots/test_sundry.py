"""A text that states many things takes no place of another as a whole, however much of it they share."""

from __future__ import annotations

import pytest

import scrubjay
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.statements import LONG, SENTENCES, statement
from toys import WordHash

DAY = 86400.0
_SITES = (3, 4, 19)


def _report(site: int, sentences: int) -> str:
    """Words of a site's own in the same kind of sentences, and what it states at the end."""
    things = ("budget", "schedule", "vendor", "invoice", "garden", "window", "coffee", "sample", "market")
    said = (
        f"The {things[(i + site) % 9]} {things[(3 * i + site) % 9]} was on the {things[(5 * i) % 9]} list."
        for i in range(sentences - 1)
    )
    return " ".join([*said, f"The vault code of site {site} is {4000 + 7 * site}."])


def _mail(site: int, _: int) -> str:
    return (
        f"Hi team,\n\nthe vault code of site {site} is {4000 + 7 * site}.\n\nBest regards,\nInes Otto"
        "\nHead of Facilities\nHeron Ltd, 4 Quay Street\nThis message is confidential."
    )


def _changelog(site: int, lines: int) -> str:
    return "\n".join([f"Release 2.{site}", *(f"- fixed the export of table {i * site}" for i in range(lines))])


def _form(site: int, _: int) -> str:
    return (
        f"Daily report of site {site}. The build is green. Two people were ill. Deliveries came on time. "
        f"The open tickets are {site * 5}."
    )


@pytest.mark.parametrize("sentences", [10, 50, 200])
@pytest.mark.parametrize("text", [_report, _mail, _changelog, _form], ids=lambda made: made.__name__.strip("_"))
def test_texts_of_one_form_that_state_many_things_do_not_compete(text, sentences: int):
    said = [text(site, sentences) for site in _SITES]
    assert all(statement(one).sundry for one in said)
    assert not SlotModel.load(None).same_slot([*said, "The vault code of site 3 is 9."]).any()


def test_long_reports_are_each_found_with_what_they_state():
    with scrubjay.open(":memory:", embedder=WordHash(), clock=lambda: 60 * DAY) as store:
        for i, site in enumerate(range(3, 13)):
            store.add(_report(site, 30), when=i * DAY)
        hits = store.search("What is the vault code of site 3?", k=10)
    assert "site 3 is" in hits[0].memory.text
    assert not any(hit.superseded for hit in hits)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Nora lives in Ghent. She likes it there.", "Nora lives in Antwerp. She likes it there."),
        ("The standup is at 9:30. It takes 15 minutes.", "The standup is at 10:00. It takes 15 minutes."),
        ("The staging password is hunter2. Do not share it.", "The staging password is blue7. Do not share it."),
    ],
    ids=["lives", "standup", "password"],
)
def test_a_statement_with_what_belongs_to_it_is_replaced_by_the_same_with_another_value(old: str, new: str):
    assert SlotModel.load(None).same_slot([old, new])[0, 1] >= FLOOR


def test_the_same_lines_again_are_one_statement():
    said = "Yes. It is on. We start now. Bring tea."
    assert statement(said).sundry
    assert SlotModel.load(None).same_slot([said, said]).tolist() == [[0, 1], [1, 0]]


def test_only_length_and_number_of_sentences_make_a_text_one_of_many_things():
    assert not statement("x" * LONG).sundry
    assert statement("x" * (LONG + 1)).sundry
    assert not statement("It is on. " * SENTENCES).sundry
    assert statement("It is on. " * (SENTENCES + 1)).sundry
    assert not statement("It is on.\n\n").sundry
