"""An attribute is a verb and what completes it; an end ends what it names; two named things are two."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.complements import NOTHING, Complement, apart, complement_of
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

APART = (
    ("Nora works at Ericsson.", "Nora works from a shared desk in the mornings."),
    ("Nora works for Ericsson.", "Nora works as a translator."),
    ("Pavel lives in Ghent.", "Pavel lives with his grandmother."),
    ("Pavel lives in Ghent.", "Pavel lives quietly."),
    ("Mia studies law at Leiden.", "Mia studies mostly in the evenings."),
    ("Owen drives a Volvo.", "Owen drives carefully."),
    ("Karin arbeitet bei Miele.", "Karin arbeitet oft nachts."),
    ("Karin arbeitet bei Miele.", "Karin arbeitet von zu Hause."),
    ("Uwe wohnt in Jena.", "Uwe wohnt bei seiner Tante."),
    ("Denise habite à Lille.", "Denise habite seule."),
    ("Denise travaille chez Orange.", "Denise travaille la nuit."),
    ("Pilar trabaja en Iberia.", "Pilar trabaja como azafata."),
    ("Paolo vive a Torino.", "Paolo vive con la nonna."),
    ("João trabalha na Embraer.", "João trabalha muito."),
    # an end ends what it names
    ("Hugo drinks tea.", "Hugo no longer drinks wine."),
    ("Hugo plays the violin.", "Hugo quit playing handball."),
    ("Hugo teaches at Yale.", "Hugo no longer teaches evenings."),
    ("Karin spielt Klavier.", "Karin spielt nicht mehr Handball."),
    ("Denise mange du poisson.", "Denise ne mange plus de viande."),
    ("Raúl bebe café.", "Raúl ya no bebe vino."),
    ("Gina mangia pesce.", "Gina non mangia più carne."),
    ("Hugo drinks wine.", "Hugo no longer drinks beer."),
    # two things, a thing and what is named after it
    ("Train IC512 leaves at 7:40.", "Train IC618 leaves at 8:15."),
    ("Printer C is jammed.", "Printer D is working again."),
    ("Release 41 passed the tests.", "Release 42 failed the tests."),
    ("The wedding is on June 6.", "The wedding rehearsal is on June 5."),
    ("The workshop is on Friday.", "The workshop on Friday will be streamed."),
    # a holder and a state, a trade and a kinship, a job and a home
    ("The head coach is Bruno.", "The head coach is on sick leave."),
    ("Zoe is a pilot.", "Zoe is an aunt."),
    ("Zoe works at Airbus.", "Zoe moved to Toulouse."),
    ("Rosa works at Philips.", "Rosa loves the canteen at Philips."),
)
ONE = (
    ("Nora works at Ericsson.", "Nora now works for Nokia."),
    ("Nora works at Ericsson as a tester.", "Nora works at Nokia."),
    ("Owen lives with his parents.", "Owen lives with his girlfriend now."),
    ("Owen teaches chemistry.", "Owen now teaches biology."),
    ("Nora works part-time.", "Nora works full-time."),
    ("Karin wohnt in Kassel.", "Karin wohnt jetzt in Fulda."),
    ("Denise habite à Lille.", "Denise habite maintenant à Metz."),
    ("Paolo lavora alla Fiat.", "Paolo ora lavora alla Ferrari."),
    ("João mora em Recife.", "João agora mora em Natal."),
    ("Hugo drinks tea.", "Hugo no longer drinks tea."),
    ("Hugo eats pork.", "Hugo no longer eats meat."),
    ("Petra drinks whisky.", "Petra no longer drinks alcohol."),
    ("Owen smokes.", "Owen no longer smokes."),
    ("Train IC512 leaves at 7:40.", "Train IC512 leaves at 7:55."),
    ("The wedding is on June 6.", "The wedding was moved to June 20."),
    ("The head coach is Bruno.", "The head coach is Sven."),
    ("The price is 20 euros.", "The price is now 25 euros."),
    ("Version 3.4 is live in production.", "Version 3.5 is live in production."),
    ("Zoe works at Airbus.", "Zoe moved to a new company."),
)


@pytest.mark.parametrize(("older", "newer"), APART)
def test_what_is_said_of_other_things_ends_nothing(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert stands(one, other)
    assert stands(other, one)
    assert not agree(newer, older, 0.99)


@pytest.mark.parametrize(("older", "newer"), ONE)
def test_one_attribute_stays_one(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert not stands(one, other)
    assert not stands(other, one)


def test_a_clause_of_a_change_is_not_read() -> None:
    assert complement_of(["Ana", "works", "remotely", "and", "left", "Bosch"]) == NOTHING
    assert complement_of([]) == NOTHING
    assert not apart(NOTHING, NOTHING)


def test_the_order_of_the_words_makes_no_other_complement() -> None:
    one = complement_of(["Ana", "works", "as", "a", "nurse", "at", "Charité"])
    other = complement_of(["Ana", "works", "at", "Charité", "as", "a", "nurse"])
    assert one == other
    assert isinstance(one, Complement)
    assert len(one.parts) == 2
