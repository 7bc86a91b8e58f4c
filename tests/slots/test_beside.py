"""Pairs of statements of which neither ends the other, by what they say."""

from __future__ import annotations

import numpy as np
import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.forms import Forms, form_of
from scrubjay.slots.slot_features import kinds_of
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

DENIED = (
    ("The standup is in room Heron.", "The standup has not moved to room Kestrel."),
    ("The launch is on March 20.", "The launch has not been postponed."),
    ("The exam is on May 3.", "The exam wasn't postponed to May 10."),
    ("Ben drives a Golf.", "Ben has not sold the Golf."),
    ("Omar owns a Vespa.", "Omar never sold the Vespa."),
    ("Priya works at Bosch.", "Priya didn't quit her job."),
    ("Mats leads billing.", "Priya did not replace Mats as lead of billing."),
    ("Lea uses vim.", "Lea has not switched to Helix yet."),
    ("Lukas wohnt in Hamburg.", "Lukas ist nicht nach Bonn gezogen."),
    ("Die Prüfung ist am 20. März.", "Die Prüfung wurde nicht auf den 27. März verschoben."),
    ("Claire habite à Lyon.", "Claire n'a pas déménagé à Nantes."),
    ("La réunion est lundi 16 mars.", "La réunion n'est pas annulée."),
    ("Luis vive en Madrid.", "Luis no se ha mudado a Sevilla."),
    ("Marta abita a Roma.", "Marta non si è trasferita a Milano."),
)
ELSEWHERE = (
    ("Tom lives in Leeds.", "Tom moved his car to Bristol."),
    ("Tom lives in Leeds.", "Tom moved the meeting to Bristol."),
    ("Tom lives in Leeds.", "Tom moved money to his savings account."),
    ("Tom lives in Leeds.", "Tom moved to the window seat."),
    ("Tom lives in Leeds.", "Tom moved on to the next task."),
    ("Tom lives in Leeds.", "Tom moved to a new desk by the window."),
    ("Tom lives in Leeds.", "Tom moved to seat 14B."),
    ("Claire habite à Lyon.", "Claire a déménagé le bureau à Nantes."),
    ("Jonas wohnt in Kiel.", "Jonas hat das Meeting nach Bremen verlegt."),
    ("Jonas wohnt in Kiel.", "Jonas ist an einen neuen Schreibtisch gezogen."),
    ("Luis vive en Madrid.", "Luis trasladó la oficina a Sevilla."),
)
OF_ANOTHER = (
    ("Bo no longer works with Cy.", "Bo works with Di."),
    ("Ana doesn't like Bea.", "Ana likes Dee."),
    ("The standup is in room Heron.", "The standup in room Heron starts at 9:30."),
    ("Das Meeting ist in Raum 12.", "Das Meeting in Raum 12 dauert 30 Minuten."),
    ("La réunion est en salle B.", "La réunion en salle B commence à 10 h."),
    ("Le bureau de Lyon ferme à 18 h.", "Le bureau de Nantes ferme à 19 h."),
    ("La tienda de Sevilla cierra a las 20.", "La tienda de Madrid cierra a las 21."),
    ("Ada is the CTO.", "Ada was the CTO of Globex until 2019."),
    ("Tom lives in Leeds.", "Tom used to live in Bristol."),
    ("Noor works at Bosch.", "Noor worked at Shell for ten years."),
    ("Ida wohnt in Kiel.", "Ida wohnte bis 2015 in Bremen."),
    ("Ida habite à Lyon.", "Ida habitait à Nice jusqu'en 2015."),
    ("Maya has a son named Tim.", "Maya has a daughter named Eva."),
    ("Ida has a brother named Max.", "Ida has a brother named Leo."),
    ("Ida hat einen Sohn namens Max.", "Ida hat eine Tochter namens Zoe."),
)
ENDS = (
    ("Karl is vegetarian.", "Karl is no longer vegetarian."),
    ("Nora ist Vegetarierin.", "Nora ist keine Vegetarierin mehr."),
    ("Paul travaille chez Renault.", "Paul ne travaille plus chez Renault."),
    ("Jana arbeitet bei Siemens.", "Jana arbeitet nicht mehr bei Siemens."),
    ("Luis vive en Madrid.", "Luis ya no vive en Madrid."),
    ("The standup is in room Kestrel.", "The standup has not moved to room Kestrel."),
    ("Ben has not sold the Golf.", "Ben sold the Golf."),
    ("Tom lives in Leeds.", "Tom moved to Bristol."),
    ("Tom lives in Leeds.", "Tom moved to a village in Wales."),
    ("Tom lives in Leeds.", "Tom moved to the countryside."),
    ("Tom lives in Leeds.", "Tom moved house."),
    ("The retro is in room Finch.", "Nina moved the retro to room Gull."),
    ("Jonas wohnt in Kiel.", "Jonas ist nach Bremen gezogen."),
    ("Luis vive en Madrid.", "Luis se ha mudado a Sevilla."),
    ("The server is in Frankfurt.", "The server in Frankfurt was shut down."),
    ("La tienda de Sevilla cierra a las 20.", "La tienda de Sevilla cierra a las 21."),
    ("Ada is the CTO of Globex.", "Ada was the CTO of Globex until 2019."),
    ("The audit is on March 20.", "The audit was brought forward to March 16."),
    ("Ida has two children.", "Ida has three children."),
    ("Ida has a boyfriend named Max.", "Ida has a husband named Leo."),
    ("Kim is not in room 4.", "Kim is in room 4."),
)


@pytest.mark.parametrize(("older", "newer"), DENIED + ELSEWHERE + OF_ANOTHER)
def test_neither_ends_the_other(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert stands(one, other)
    assert stands(other, one)
    assert SlotModel.load().same_slot([older, newer])[0, 1] == 0.0
    assert not agree(newer, older, 0.99)


@pytest.mark.parametrize(("older", "newer"), ENDS)
def test_an_end_is_no_standing_beside(older: str, newer: str) -> None:
    one, other = statement(older), statement(newer)
    assert not stands(one, other)
    assert not stands(other, one)


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Tom lived in Leeds.", True),
        ("Ada was the CTO.", True),
        ("Ida wohnte in Kiel.", True),
        ("Tom has lived in Leeds.", False),
        ("Tom lives in Leeds.", False),
        ("The audit was moved to Monday.", False),
        ("", False),
    ],
)
def test_what_was_is_past(text: str, past: bool) -> None:
    assert statement(text).past is past


def test_what_a_list_tells_at_once_is_what_each_pair_tells() -> None:
    """Pairs that are passed over at once are none of those of which both stay true."""
    names, rooms = ("Ana", "Bo", "The standup", "My boss", "La reunión"), ("Rome", "room Heron", "B12", "dem Haus")
    forms = (
        "{n} is in {r}.", "{n} in {r} is at 9:30.", "{n} is no longer in {r}.", "{n} has not moved to {r}.",
        "{n} moved the desk to {r}.", "{n} moved to {r}.", "{n} lived in {r} in 2003.", "{n} has a dog named {r}.",
        "{n} has a cat called {r}.", "{n} is not the only one in {r}.", "The lead of {n} in {r} is here.",
        "{n} does not work with {r}.", "{n} works with {r}.", "{n} formerly worked in {r}.", "{n}", "",
    )  # fmt: skip
    texts = [form.format(n=n, r=r) for n in names for r in rooms for form in forms]
    texts = [texts[i] for i in np.random.default_rng(1).permutation(len(texts))[:160]]
    statements = [statement(text) for text in texts]
    left, right = np.triu_indices(len(statements), 1)
    forms = Forms([form_of(one) for one in statements])
    kinds, pairs, place = kinds_of(forms, statements.__getitem__, left, right)
    found = np.array([kind.stands(pair) for kind, pair in zip(kinds, pairs, strict=True)])[place]
    each = [stands(statements[i], statements[j]) for i, j in zip(left.tolist(), right.tolist(), strict=True)]
    np.testing.assert_array_equal(found, each)
    assert 100 < found.sum() < found.size - 100


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Nora likes Ghent's canals.", "Nora no longer lives in Ghent."),
        ("Nora likes Ghent's canals.", "Nora does not live in Ghent any more, she has moved to Antwerp."),
        ("Tom loves the food at Siemens' canteen", "Tom left Siemens"),
        ("Nora studied in Ghent", "Nora no longer lives in Ghent."),
        ("Ida enjoys the parks of Lyon.", "Ida no longer works in Lyon."),
        ("Ben played in Leeds", "Ben quit Leeds"),
    ],
)
def test_who_leaves_keeps_what_he_likes_there_and_what_was(older: str, newer: str) -> None:
    old, new = statement(older), statement(newer)
    assert stands(old, new)
    assert not SlotModel.load(None).same_slot([older, newer]).any()


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Nora lives in Ghent.", "Nora no longer lives in Ghent."),
        ("Nora loves living in Ghent.", "Nora no longer lives in Ghent."),
        ("Tom works at Siemens.", "Tom left Siemens."),
        ("Tom loves his job at Siemens.", "Tom left Siemens."),
        ("Tom is with Siemens.", "Tom no longer works at Siemens."),
        ("Nora likes Ghent.", "Nora no longer likes Ghent."),
    ],
)
def test_an_end_is_open_to_end_what_has_its_predicate(older: str, newer: str) -> None:
    assert not stands(statement(older), statement(newer))
