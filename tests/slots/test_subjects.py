"""What is said of one person, animal or ferry replaces nothing that is said of another, however alike both begin."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.changes import replaces
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement
from scrubjay.slots.subjects import other_subject, same_subject

TWO = (
    ("My wife supports the plan.", "My brother no longer supports the plan."),
    ("My aunt smokes.", "My uncle gave up smoking."),
    ("Mrs Keller works at Siemens.", "Mr Brandt got a job at Bosch."),
    ("Mr Keller lives in Graz.", "Mr Brandt now lives in Linz."),
    ("Our dog is vegan.", "Our cat eats meat again."),
    ("The gardener lives in Leeds.", "The nanny now lives in York."),
    ("The gardener is vegan.", "The plumber eats fish."),
    ("My daughter Ida is vegetarian.", "My daughter Kim eats ham again."),
    ("My son Finn works at Bosch.", "My son Karl started at Siemens."),
    ("Captain Orr lives in Leith.", "Captain Vane now lives in Hull."),
    ("Our client Orr smokes.", "Our client Vane no longer smokes."),
    ("The goblin Ruk is alive.", "The goblin Zag died last night."),
    ("Frau Klein nimmt Ibuprofen.", "Herr Klein nimmt jetzt kein Ibuprofen mehr."),
    ("Madame Roux prend de l'aspirine.", "Monsieur Roux ne prend plus d'aspirine."),
    ("Mein Bruder wohnt in Köln.", "Meine Schwester wohnt jetzt in Bonn."),
    ("Meine Tante ist Vegetarierin.", "Mein Onkel isst wieder Fleisch."),
    ("Der Koch raucht.", "Die Kellnerin raucht nicht mehr."),
    ("Mi hermana vive en Madrid.", "Mi hermano ahora vive en Sevilla."),
    ("Mi madre es vegana.", "Mi padre come carne otra vez."),
    ("El señor Gil vive en Vigo.", "El señor Paz ahora vive en Lugo."),
    ("Mon frère habite à Lyon.", "Ma sœur habite maintenant à Lille."),
    ("Ana's wife lives in Rome.", "Ben's wife now lives in Oslo."),
    ("Ana is vegan.", "Ana's wife eats fish again."),
    ("My brother's wife lives in Rome.", "My brother now lives in Oslo."),
    ("Jo Adams works at Bosch.", "Jo Brown started at Siemens."),
    ("The twins' coach Bo lives in Kiel.", "The twins' coach Al now lives in Bremen."),
    ("La voisine habite au troisième étage.", "Le voisin habite maintenant au cinquième étage."),
    ("Mein Kollege wohnt in Kiel.", "Meine Kollegin wohnt jetzt in Bonn."),
    ("Grandma's flight lands at 9.", "Aunt Jo's flight now lands at 10."),
    ("Captain Orr is on call.", "Captain Vane is off duty."),
    ("The florist supports the plan.", "The plumber no longer supports the plan."),
    ("My best friend Ida lives in Hull.", "My best friend Tom now lives in Leith."),
    ("Team lead Ida is vegan.", "Team lead Tom eats meat again."),
    ("Player one lives in Hull.", "Player two now lives in Leith."),
    ("My older sister quit smoking.", "My younger sister smokes again."),
    ("The upstairs neighbour supports the plan.", "The downstairs neighbour no longer supports the plan."),
    ("My ex-husband takes aspirin.", "My husband stopped taking aspirin."),
    ("The red van is in bay 4.", "The blue van was moved to bay 7."),
    ("Our Berlin office supports the plan.", "Our Munich office no longer supports the plan."),
    ("The boat to Mull sails at 9.", "The boat to Iona now sails at 10."),
)
ONE = (
    ("My wife lives in Rome.", "My wife now lives in Oslo."),
    ("Mr Adams works at Bosch.", "Mr Adams got a job at Siemens."),
    ("My sister Jo is vegan.", "Jo eats fish again."),
    ("My sister Jo is vegan.", "My sister eats fish again."),
    ("Our cat is vegan.", "Our cat eats meat."),
    ("I'm vegan.", "I eat fish again."),
    ("Captain Orr lives in Leith.", "Orr now lives in Hull."),
    ("Dr Jane Smith works at Bosch.", "Jane Smith started at Siemens."),
    ("Mein Bruder wohnt in Köln.", "Mein Bruder wohnt jetzt in Bonn."),
    ("Mi madre es vegana.", "Mi madre come carne otra vez."),
    ("Ana's wife lives in Rome.", "Ana's wife now lives in Oslo."),
    ("My older sister lives in Rome.", "My older sister now lives in Oslo."),
    ("My best friend Ida lives in Hull.", "Ida now lives in Leith."),
    ("The florist supports the plan.", "The florist no longer supports the plan."),
    ("The nightly job runs at 2:00.", "The job runs at 3:00 now."),
)
PASSES_ON = (
    ("Mr Petrov is our landlord.", "Ms Quist is our landlord now."),
    ("My wife is on call.", "My brother is on call now."),
    ("My sister is the captain of the team.", "My brother is the captain of the team now."),
    ("Dr Ward is on call.", "Dr Lund is on call."),
    ("Mrs Keller leads accounting.", "Mr Brandt leads accounting now."),
    ("Mr Keller is in charge of the archive.", "Mrs Brandt is in charge of the archive."),
    ("Mrs Keller is my boss.", "Mr Brandt replaced Mrs Keller as my boss."),
)
UNKNOWN = (
    ("My sister lives in Rome.", "Ana now lives in Oslo."),
    ("My boss lives in Rome.", "My manager now lives in Oslo."),
    ("My parents live in Rome.", "My mother now lives in Oslo."),
    ("My kid lives in Rome.", "My son now lives in Oslo."),
    ("My friend lives in Rome.", "My cousin now lives in Oslo."),
    ("My wife lives in Rome.", "His wife now lives in Oslo."),
    ("He lives in Rome.", "Mr Adams now lives in Oslo."),
)
DO = (
    ("Nora quit smoking.", "Lena smokes again."),
    ("Nora drinks wine.", "Lena no longer drinks wine."),
)


@pytest.mark.parametrize(("old", "new"), TWO + DO)
def test_what_is_said_of_another_replaces_nothing(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert stands(one, other)
    assert not agree(new, old, 0.99)
    assert SlotModel.load().same_slot([old, new])[0, 1] == 0


@pytest.mark.parametrize(("old", "new"), TWO)
def test_two_are_told_apart_whoever_comes_first(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert other_subject(one, other)
    assert other_subject(other, one)
    assert not same_subject(one, other)


@pytest.mark.parametrize(("old", "new"), ONE)
def test_of_the_same_it_does(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert same_subject(one, other)
    assert not other_subject(one, other)
    assert not stands(one, other)
    assert SlotModel.load().same_slot([old, new])[0, 1] > 0.6


@pytest.mark.parametrize(("old", "new"), PASSES_ON)
def test_what_passes_from_one_to_the_other_is_replaced(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert other_subject(one, other)
    assert replaces(one, other)
    assert not stands(one, other)


@pytest.mark.parametrize(("old", "new"), UNKNOWN)
def test_where_nobody_can_tell_neither_holds(old: str, new: str) -> None:
    one, other = statement(old), statement(new)
    assert not same_subject(one, other)
    assert not other_subject(one, other)
