"""What has happened is dated by "today", not bounded by it; what is so, goes on or is off for once is bounded."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

import scrubjay
from scrubjay.encode.happened import without_date
from scrubjay.encode.said import statement

DATED = {
    "The contract was signed today.": "The contract was signed.",
    "Today the lease was signed by both sides.": "The lease was signed by both sides.",
    "This morning, Ines moved to Lisbon.": "Ines moved to Lisbon.",
    "We hired two cooks this week.": "We hired two cooks.",
    "Earlier today at 10:30 the key was revoked.": "The key was revoked.",
    "The gate code was changed to 9023 today.": "The gate code was changed to 9023.",
    "The rent was raised to 1,250 euros this month.": "The rent was raised to 1,250 euros.",
    "Kim moved to Rome this week.": "Kim moved to Rome.",
    "The team moved to the third floor this month.": "The team moved to the third floor.",
    "Omar has left the band this year.": "Omar has left the band.",
    "The dog bit the postman this morning and is locked in.": "The dog bit the postman and is locked in.",
    "Heute wurde der Vertrag unterschrieben.": "Wurde der Vertrag unterschrieben.",
    "Wir haben heute Morgen ein Auto gekauft.": "Wir haben ein Auto gekauft.",
    "Sie ist heute nach Bonn gezogen.": "Sie ist nach Bonn gezogen.",
    "Le contrat a été signé aujourd'hui.": "Le contrat a été signé.",
    "Léa est arrivée ce matin.": "Léa est arrivée.",
    "Hoy se firmó el contrato.": "Se firmó el contrato.",
    "El contrato fue firmado hoy.": "El contrato fue firmado.",
    "Il contratto è stato firmato oggi.": "Il contratto è stato firmato.",
    "O contrato foi assinado hoje.": "O contrato foi assinado.",
    "Het contract werd vandaag getekend.": "Het contract werd getekend.",
}
BOUNDED = [
    "The kitchen is closed today.",
    "The road was blocked this morning.",
    "I was tired this morning.",
    "Ben was in Berlin this morning.",
    "Ben worked from home today.",
    "The plants were watered this morning.",
    "The standup was cancelled today.",
    "Ana was put on call this week.",
    "The contract was not signed today.",
    "Nobody signed the contract today.",
    "The contract will be signed today.",
    "The contract is being signed today.",
    "Lunch is at 1 today.",
    "The demo was moved to 3 pm today.",
    "The demo was moved to today.",
    "The offer was extended until today.",
    "We agreed to eat in the yard this evening.",
    "In the meeting this week Kim and Bo agreed to move Heron to May.",
    "If the pump failed this morning, call Kim.",
    "Today's build was signed.",
    "The red bus is late today.",
    "Die Küche ist heute geschlossen.",
    "Der Laden hat heute geschlossen.",
    "Ich habe heute schlecht geschlafen.",
    "Heute ist es sehr kalt.",
    "La cuisine est fermée aujourd'hui.",
    "Il a plu ce matin.",
    "La cocina está cerrada hoy.",
    "Hoy trabajo desde casa.",
    "Oggi la cucina è chiusa.",
    "Hoje a cozinha está fechada.",
    "Vandaag is de keuken gesloten.",
]


@pytest.mark.parametrize("text", DATED)
def test_what_happened_is_read_without_its_date(text: str) -> None:
    assert without_date(text) == DATED[text]
    assert statement(text) == DATED[text]


@pytest.mark.parametrize("text", BOUNDED)
def test_what_is_so_for_the_day_keeps_its_words(text: str) -> None:
    assert without_date(text) == text


@pytest.mark.parametrize("text", ["", "today", "Today.", "This week", "signed today", "\u0000 today", "today " * 500])
def test_little_text_and_much_of_it_stay_readable(text: str) -> None:
    assert isinstance(without_date(text), str)
    assert statement(text) is not None


def test_a_result_holds_a_month_later_and_a_state_of_the_day_does_not() -> None:
    said = datetime(2026, 3, 4, 9, tzinfo=timezone.utc)
    store = scrubjay.open(":memory:")
    for space, text in (("a", "The contract was signed today."), ("b", "The kitchen is closed today.")):
        store.add(text, namespace=space, when=said)
    later = said + timedelta(days=31)
    signed = store.search("was the contract signed?", namespace="a", now=later)[0]
    closed = store.search("is the kitchen closed?", namespace="b", now=later)[0]
    assert signed.valid > 0.9
    assert closed.valid < 0.1
