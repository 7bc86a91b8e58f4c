"""Lines of a label and a value: of some labels the newest line holds, others begin each line of a list; and how those
are reached of whom one has one."""

from __future__ import annotations

import pytest

from scrubjay.slots.changes import replaces
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

NEWEST_HOLDS = (
    ("Session timeout: 30 minutes.", "Session timeout: 45 minutes."),
    ("Retention of the audit log: 30 days.", "Retention of the audit log: 90 days."),
    ("Max avatar size: 2 MB per user.", "Max avatar size: 4 MB per user."),
    ("Default branch: master.", "Default branch: main."),
    ("Timezone: Europe/Berlin.", "Timezone: Europe/Lisbon."),
    ("Timeout for uploads: 30 s.", "The timeout for uploads was raised to 60 s."),
    ("Speicherlimit pro Nutzer: 5 GB.", "Speicherlimit pro Nutzer: 10 GB."),
    ("Taille maximale des avatars : 5 Mo.", "Taille maximale des avatars : 10 Mo."),
    ("Contraseña del wifi: kiwi-42.", "Contraseña del wifi: mango-77."),
    ("Nanny is Rosa, 0151 222 333.", "Nanny is Paula, 0176 333 444."),
    ("Plumber: Mr Todd, 0161 555 123.", "Plumber: Ms Fern, 0161 555 777."),
    ("Our cleaner is Maria.", "Cleaner: Paula, 0176 333 222."),
    ("Dr Ward is her dentist.", "Dr Lund is her dentist now."),
    ("Dr. Roth ist sein Kardiologe.", "Dr. Blum ist jetzt sein Kardiologe."),
)
BOTH_HOLD = (
    ("Session timeout: 30 minutes.", "Session limit: 45 minutes."),
    ("Max avatar size: 2 MB per user.", "Max export size: 4 MB per user."),
    ("Limit per user: 5.", "Limit per team: 10."),
    ("WiFi password: kiwi-42.", "Netflix password: mango-77."),
    ("Plumber: Mr Todd, 0161 555 123.", "Electrician: Ms Fern, 0161 555 777."),
    ("Dr Ward is her dentist.", "Dr Lund is his dentist."),
    ("Dr Ward is her dentist.", "Dr Lund is her cardiologist now."),
    ("Todo: call the bank.", "Todo: water the ferns."),
    ("Expense: taxi 20 euros.", "Expense: taxi 35 euros."),
    ("Allergy: peanuts.", "Allergy: shellfish."),
    ("Friend: Ana, 0151 222 333.", "Friend: Bo, 0176 333 444."),
    ("Notiz: Filter bestellen.", "Notiz: Reifen wechseln."),
)


@pytest.mark.parametrize(("old", "new"), NEWEST_HOLDS)
def test_of_a_label_of_one_value_the_newest_line_holds(old: str, new: str) -> None:
    assert replaces(statement(old), statement(new))
    assert not stands(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] > FLOOR


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_of_others_and_of_lists_every_line_does(old: str, new: str) -> None:
    assert not replaces(statement(old), statement(new))
    assert SlotModel.load().same_slot([old, new])[0, 1] < FLOOR


def test_a_note_with_a_verb_is_a_sentence_that_another_may_replace() -> None:
    one, other = (statement(f"Note: the gate is {state}.") for state in ("open", "closed"))
    assert replaces(one, other)


def test_who_is_called_by_a_trade_may_speak_all_the_same() -> None:
    assert statement("Nanny: we were at the zoo").speaker
    assert not statement("Nanny: Rosa, 0151 222 333").speaker
