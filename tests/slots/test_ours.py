"""What one has one of, who is said to have a duty first, and titles across languages."""

from __future__ import annotations

import pytest

from scrubjay.slots.changes import replaces
from scrubjay.slots.ours import sole
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

REPLACED = (
    ("Mailgun is our email provider.", "Postmark is our email provider."),
    ("Our landlord is Mr Petrov.", "Our landlord is Ms Quist."),
    ("Ms Quist is our landlord.", "Our landlord is Mr Petrov now."),
    ("Telekom ist unser Internetanbieter.", "Vodafone ist unser Internetanbieter."),
    ("Frau Dr. Roth ist meine Zahnärztin.", "Herr Dr. Busch ist mein Zahnarzt."),
    ("Unser Steuerberater ist Herr Kolb.", "Unser Steuerberater ist Herr Danz."),
    ("Maître Blin est notre avocat.", "Maître Roche est notre avocate."),
    ("Notre comptable est Mme Petit.", "Notre comptable est M. Grand."),
    ("La señora Paz es nuestra abogada.", "El señor Ruiz es nuestro abogado."),
    ("Il nostro commercialista è Rossi.", "Il nostro commercialista è Bianchi."),
    ("On call is Farid.", "Zoe is on call."),
    ("Zoe is on call.", "On call tonight: Farid."),
    ("Bereitschaft hat Jonas.", "Bereitschaft hat Lena."),
    ("Bereitschaft diese Woche: Timo.", "Bereitschaft diese Woche: Anke."),
    ("D'astreinte ce soir : Hugo.", "D'astreinte ce soir : Lise."),
    ("De guardia hoy: Pilar.", "De guardia hoy: Jorge."),
    ("Di turno oggi: Sara.", "Di turno oggi: Fabio."),
    ("Uwe leitet den Vertrieb.", "Ines löst Uwe im Vertrieb ab."),
    ("Uwe ist Kapitän der Mannschaft.", "Ole löste Uwe als Kapitän der Mannschaft ab."),
    ("The head of sales is Uwe.", "La jefa de ventas es Marta."),
    ("Uwe ist Vertriebsleiter.", "The head of sales is Ines."),
    ("Max leads accounting.", "Eva leitet die Buchhaltung."),
    ("The CTO is Ms Kim.", "Der CTO ist Herr Wolf."),
    ("Ada est la présidente du club.", "Ada n'est plus la présidente du club."),
)
BOTH = (
    ("Mailgun is our email provider.", "Twilio is our phone provider."),
    ("Mailgun is our email provider.", "Twilio is an email provider."),
    ("Mailgun is our provider.", "Twilio is our provider."),
    ("Hiscox is our insurer.", "Allianz is their insurer."),
    ("Asana is our planning tool.", "Figma is our design tool."),
    ("Frau Dr. Roth ist meine Zahnärztin.", "Frau Dr. Busch ist meine Hausärztin."),
    ("Eva is our client.", "Otto is our client."),
    ("Ben is my uncle.", "Sam is my uncle."),
    ("Maya is our intern.", "Leo is our intern."),
    ("DHL is our carrier in Spain.", "UPS is our carrier in Norway."),
    ("On call is Farid.", "On holiday is Zoe."),
    ("On call for payments is Farid.", "On call for search is Zoe."),
    ("On call this week Farid fixed the printer.", "On call is Zoe."),
    ("Rufbereitschaft hat Timo.", "Geburtstag hat Anke."),
    ("Uwe leitet den Vertrieb.", "Ines löst den Vertrag im Mai ab."),
    ("Uwe leitet den Vertrieb.", "Ines löst das Problem im Vertrieb."),
    ("The head of sales is Uwe.", "La jefa de compras es Marta."),
    ("Max leads accounting.", "Eva leitet den Einkauf."),
)


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_who_fills_what_one_alone_can_replaces_the_other(older: str, newer: str) -> None:
    assert replaces(statement(older), statement(newer))
    assert replaces(statement(newer), statement(older))


@pytest.mark.parametrize(("one", "other"), BOTH)
def test_what_many_can_be_replaces_nobody(one: str, other: str) -> None:
    assert not replaces(statement(one), statement(other))


def test_of_the_same_that_is_said_again_nothing_is_replaced() -> None:
    assert not replaces(statement("Our landlord is Mr Petrov."), statement("Petrov is our landlord."))


def test_what_is_not_the_only_one_leaves_the_others() -> None:
    alone, among = statement("Paul est le directeur du musée."), statement("Paul n'est pas le seul directeur du musée.")
    assert stands(alone, among)
    assert not stands(alone, statement("Paul n'est plus le directeur du musée."))


@pytest.mark.parametrize("text", ["Le départ est le 5 mai.", "Der Umzug ist Ende Mai.", "La fête est en mai."])
def test_the_month_is_no_denial(text: str) -> None:
    denied = statement("Non fuma mai.")
    assert statement(text).marks[0] == 0.0
    assert denied.marks[0] >= 1.0


def test_a_short_name_is_a_name() -> None:
    di, al = statement("Di lives in Rome."), statement("Al lives in Rome.")
    assert di.subject != al.subject
    assert len(di.parts) == len(al.parts) == 1
    assert di.parts != al.parts
    assert not statement("Al cinema si fuma.").parts & al.parts


@pytest.mark.parametrize("words", ["", "our", "our new", "nostro", "il", "our provider", "payment provider"])
def test_what_names_no_kind_has_no_key(words: str) -> None:
    assert sole(words.split()) == ()
