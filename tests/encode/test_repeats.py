"""Spans that come again each week or year have no end; absences, stays, events and offers between such names have."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from scrubjay.encode.ends import stated_end

SAID = datetime(2026, 4, 15, 10, tzinfo=timezone.utc).timestamp()
"""A Wednesday."""

AGAIN = (
    "The clinic takes walk-ins Tuesday through Thursday.",
    "Swimming lessons are held from October until May.",
    "Whales pass the coast from December through April.",
    "The ferry sails from Monday 8:00 until Friday 18:00.",
    "Visiting hours are Monday until Friday.",
    "Buses leave Monday through Friday.",
    "The student discount applies Monday through Thursday.",
    "Der Müll wird von Montag bis Freitag abgeholt.",
    "Holiday season lasts from November until January.",
    "The museum opens every year until October.",
    "The market runs until 24 December every year.",
    "Der Weihnachtsmarkt geht jedes Jahr bis 23. Dezember.",
    "Die Heizung läuft von Oktober bis April.",
    "Kinder haben Montag bis Freitag Schule.",
    "Le marché a lieu du mardi jusqu'au samedi.",
    "La biblioteca abre desde lunes hasta sábado.",
    "La piscina è aperta da giugno fino a settembre.",
    "De winkel is open van maandag tot zaterdag.",
    "O museu abre de terça até domingo.",
)
ONCE = (
    ("Kim is away Monday through Wednesday.", "2026-04-23"),
    ("We are hosting an intern from June until August.", "2026-09-01"),
    ("Room 4 is booked from Monday through Thursday.", "2026-04-24"),
    ("The book fair lasts from Thursday until Sunday.", "2026-04-20"),
    ("Ida will stay with us from Friday until Sunday.", "2026-04-20"),
    ("The discount lasts from May until July.", "2026-08-01"),
    ("Uma is on parental leave from May until October.", "2026-11-01"),
    ("Bea is sleeping at Ann's from Friday until Sunday.", "2026-04-20"),
    ("Jonas ist von Montag bis Mittwoch krank.", "2026-04-23"),
    ("Paul est en vacances de lundi jusqu'à vendredi.", "2026-04-25"),
    ("Ana está de vacaciones desde lunes hasta viernes.", "2026-04-25"),
    ("Marco è in ferie da lunedì fino a venerdì.", "2026-04-25"),
)
DATED = (
    ("Ola has been on call since Monday until Friday.", "2026-04-18"),
    ("Kim is away from Wednesday until Friday.", "2026-04-18"),
    ("The road is closed from Friday until 12 May.", "2026-05-13"),
    ("Ben works in Rome from next Monday until Friday.", "2026-04-25"),
    ("He works nights from May until July 2026.", "2026-08-01"),
    ("We meet every Tuesday until 30 June.", "2026-07-01"),
    ("The pool is closed until September.", "2026-10-01"),
    ("I work from home every day until May.", "2026-06-01"),
)


@pytest.mark.parametrize("text", AGAIN)
def test_what_comes_again_has_no_end(text: str) -> None:
    assert stated_end(text, SAID) is None


@pytest.mark.parametrize(("text", "end"), [*ONCE, *DATED])
def test_what_happens_once_ends(text: str, end: str) -> None:
    found = stated_end(text, SAID)
    assert found is not None
    assert found.at == datetime.fromisoformat(end + "T00:00:00+00:00").timestamp()


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Mein Leihausweis läuft in 5 Tagen ab.", "2026-04-21"),
        ("Das Zertifikat läuft in drei Wochen ab.", "2026-05-07"),
        ("The old login stops working on Monday.", "2026-04-21"),
        ("Nils ist noch drei Tage krank.", "2026-04-19"),
        ("Élise est en congé pour trois semaines.", "2026-05-07"),
        ("Carla está de vacaciones por dos semanas.", "2026-04-30"),
        ("Ugo è malato per tre giorni.", "2026-04-19"),
        ("Ray is on vacation for two weeks.", "2026-04-30"),
    ],
)
def test_other_words_for_an_end(text: str, end: str) -> None:
    found = stated_end(text, SAID)
    assert found is not None
    assert found.at == datetime.fromisoformat(end + "T00:00:00+00:00").timestamp()


@pytest.mark.parametrize(
    "text",
    [
        "Ray was on vacation for two weeks.",
        "The tram stops on Monday evenings.",
        "Staff are on leave for two weeks every summer.",
        "Der Ausweis gilt 10 Tage ab Ausstellung.",
    ],
)
def test_what_only_looks_like_them(text: str) -> None:
    assert stated_end(text, SAID) is None
