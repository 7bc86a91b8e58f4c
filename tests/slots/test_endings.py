"""States that a later statement says are over."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.changes import SURE
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.endings import ends
from scrubjay.slots.statements import statement

CALLED_OFF = (
    ("The offsite is on March 20.", "The offsite has been cancelled."),
    ("The offsite is on March 20.", "The offsite is cancelled because of the storm."),
    ("The offsite is on March 20.", "The offsite was called off."),
    ("The offsite is on March 20.", "We cancelled the offsite."),
    ("The offsite is on March 20.", "The offsite on March 20 is off."),
    ("The offsite is in Rome.", "The offsite will not take place."),
    ("Das Treffen ist am Dienstag.", "Das Treffen fällt aus."),
    ("Das Konzert ist am Freitag.", "Das Konzert findet nicht statt."),
    ("The workshop starts at 9.", "The workshop has been cancelled."),
    ("Le concert est le 5 mai.", "Le concert a été annulé."),
    ("La réunion est mardi.", "La réunion est annulée."),
    ("El concierto es el viernes.", "El concierto fue cancelado."),
)
OVER = (
    ("Ada is pregnant.", "Ada gave birth to a girl."),
    ("Lena ist schwanger.", "Lena hat eine Tochter geboren."),
    ("Lena est enceinte.", "Lena a accouché."),
    ("Ben is in hospital.", "Ben was discharged from hospital."),
    ("Cy liegt im Krankenhaus.", "Cy wurde aus dem Krankenhaus entlassen."),
    ("Tom is at the airport.", "Tom has landed."),
    ("Tom is at the airport.", "Tom left the airport."),
    ("Mia is asleep.", "Mia woke up."),
    ("The build is red.", "The build is fixed."),
    ("The lift is out of order.", "The lift has been repaired."),
    ("Der Server ist offline.", "Der Server läuft wieder."),
    ("Leo est malade.", "Leo est guéri."),
    ("Cy is on vacation.", "Cy is back from vacation."),
    ("The keys are missing.", "The keys were found."),
    ("Priya works at Bosch.", "Priya has left Bosch."),
    ("Runa is dating Cormac.", "Runa and Cormac broke up in May."),
    ("Runa is dating Cormac.", "Runa and Cormac have broken up."),
    ("The lift is out of order.", "The lift was repaired last May."),
)
NOT_OVER = (
    ("The offsite is on March 20.", "The offsite dinner has been cancelled."),
    ("The offsite is on March 20.", "The hike has been cancelled."),
    ("The offsite is on March 20.", "The offsite has not been cancelled."),
    ("The offsite is on March 20.", "Has the offsite been cancelled?"),
    ("Das Konzert ist am Freitag.", "Das Seminar fällt aus."),
    ("Tom is in Rome.", "Tom cancelled the offsite."),
    ("Ada is pregnant.", "Eva gave birth to a girl."),
    ("Ada is pregnant.", "Ada's sister gave birth."),
    ("Ada is not pregnant.", "Ada gave birth."),
    ("Ben is in hospital.", "Ben has a broken leg."),
    ("Ben is in hospital.", "Ben will be discharged from hospital on Friday."),
    ("The build is red.", "The build is not fixed."),
    ("The build is red.", "The build should be fixed soon."),
    ("Tom is at the airport.", "Tom left the party."),
    ("Leo is asleep.", "Leo bought a bed."),
    ("Priya works at Bosch.", "Priya has left the room."),
    ("", "Ada gave birth."),
    ("Runa is dating Cormac.", "Runa and Cormac may split up in May."),
)


@pytest.mark.parametrize(("older", "newer"), CALLED_OFF + OVER)
def test_a_state_is_over(older: str, newer: str) -> None:
    assert ends(statement(older), statement(newer))
    assert SlotModel.load().same_slot([older, newer])[0, 1] >= SURE


@pytest.mark.parametrize(("older", "newer"), OVER)
def test_what_is_over_is_superseded_for_good(older: str, newer: str) -> None:
    assert agree(newer, older, 0.85)


def test_a_plan_may_be_taken_up_again() -> None:
    assert not agree("The offsite has been cancelled.", "The offsite is on March 20.", 0.85)


@pytest.mark.parametrize(("older", "newer"), NOT_OVER)
def test_it_lasts(older: str, newer: str) -> None:
    assert not ends(statement(older), statement(newer))
