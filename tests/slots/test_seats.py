"""Seats: what one alone can fill at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.seats import NONE, contend, seat_of
from scrubjay.slots.statements import statement
from toys import WordHash

DAY = 86400.0

ONE_ALONE = (
    ("Will is on call.", "Nora is on call."),
    ("Will is the CTO.", "Nora is the CTO."),
    ("Will leads the billing team.", "Nora leads the billing team."),
    ("Will runs payroll.", "Nora runs payroll."),
    ("May is on call.", "June is on call."),
    ("May is the CTO.", "June is the CTO."),
    ("May leads the billing team.", "June leads the billing team."),
    ("May runs payroll.", "June runs payroll."),
    ("Li is on call.", "Wu is on call."),
    ("Li is the CTO.", "Wu is the CTO."),
    ("Li leads the billing team.", "Wu leads the billing team."),
    ("Li runs payroll.", "Wu runs payroll."),
    ("李 is on call.", "王 is on call."),
    ("李 is the CTO.", "王 is the CTO."),
    ("李 leads the billing team.", "王 leads the billing team."),
    ("李 runs payroll.", "王 runs payroll."),
    ("Anna Meier is on call.", "Bo Lind is on call."),
    ("Anna Meier is the CTO.", "Bo Lind is the CTO."),
    ("Anna Meier leads the billing team.", "Bo Lind leads the billing team."),
    ("Anna Meier runs payroll.", "Bo Lind runs payroll."),
    ("Version 1.2 is live in production.", "Version 3.4 is live in production."),
    ("Version 7 is live.", "Version 8 is now live."),
    ("Release 2.7 is deployed on staging.", "Release 2.8 is deployed on staging."),
    ("Branch release/2.7 is the release branch.", "Branch release/2.8 is the release branch."),
    ("Room B12 hosts the design review.", "Room C4 hosts the design review."),
    ("Ticket 12 is the current priority.", "Ticket 19 is the current priority."),
    ("Plan A is what we follow.", "Plan B is what we follow now."),
    ("La version 1.2 est en production.", "La version 1.3 est en production."),
    ("La version 1.2 est en production.", "Nous avons déployé la version 1.3 en production."),
    ("In Produktion läuft Version 1.2.", "Version 1.3 wurde in Produktion ausgerollt."),
    ("Version 1.2 is live in production.", "We deployed version 2.3 to production."),
    ("Version 1.2 is live in production.", "Production was upgraded to version 1.3."),
    ("Nora is on call.", "Klara took over the on-call duty."),
    ("Klara took over the on-call duty.", "Ines took over the on-call duty."),
    ("Nora is on call.", "Ines is on call until Friday."),
    ("Nora is the head of sales.", "Ines became the head of sales."),
    ("Nora became the head of sales.", "Ines is the new head of sales."),
    ("Nora hat Rufbereitschaft.", "Ines hat die Rufbereitschaft übernommen."),
    ("Nora ist Vertriebsleiterin.", "Ines ist die neue Vertriebsleiterin."),
    ("Jens leitet das Team Einkauf.", "Petra leitet jetzt das Team Einkauf."),
    ("Jens leitet das Team Einkauf.", "Petra hat die Leitung des Teams Einkauf von Jens übernommen."),
    ("Jens leitet das Team Einkauf.", "Petra hat Jens als Leiterin des Teams Einkauf abgelöst."),
    ("Jens leitet das Team Einkauf.", "Petra hat das Team Einkauf von Jens übernommen."),
    ("Nora est d'astreinte.", "Ines a pris l'astreinte."),
    ("Nora est la directrice des ventes.", "Ines est la nouvelle directrice des ventes."),
    ("Luc est le directeur de l'école.", "Marie a remplacé Luc comme directrice de l'école."),
    ("Luc est le directeur de l'école.", "Luc n'est plus le directeur de l'école."),
    ("Luc est le directeur.", "Marie a remplacé Luc."),
    ("Luc est le directeur de l'école.", "Marie est la nouvelle directrice de l'école."),
    ("Mats is the CTO.", "Priya replaced Mats as CTO."),
    ("Nora is the head of sales.", "The head of sales is Klara."),
    ("Acme is our main supplier.", "Globex is now our main supplier."),
    ("Mats leads the search team.", "Priya took over the search team from Mats."),
    ("Mats is on call.", "Priya took over from Mats."),
    ("Ana está de guardia.", "Luis está de guardia."),
    ("Noah is in charge of payroll.", "Zoe is in charge of payroll."),
    ("Kim chairs the safety committee.", "Lee chairs the safety committee now."),
    ("Omar is the new captain.", "Jude is the captain."),
    ("The CFO is Lena.", "The CFO is Dora."),
    ("Paul dirige l'équipe support.", "Léa dirige désormais l'équipe support."),
    ("Jan übernimmt die Rufbereitschaft.", "Uwe hat Bereitschaftsdienst."),
    ("We rolled out version 4.1 to production.", "Version 4.2 is live."),
    ("v2.1 is the stable version.", "v2.2 is the stable version."),
    ("Gate B7 is our gate.", "Gate C2 is our gate."),
    ("La salle 4 accueille la revue.", "La salle 9 accueille la revue."),
    ("Postgres is our default database.", "MySQL is now our default database."),
    ("Ana es la directora del colegio.", "Luis es el nuevo director del colegio."),
    ("Tim took over as head of sales.", "Nora is the head of sales."),
    ("Tim has become the head of sales.", "Nora is the head of sales."),
    ("Klara has taken over on-call.", "Nora is on call."),
    ("Klara hat jetzt Rufbereitschaft.", "Nora hat die Rufbereitschaft."),
    ("Klara a repris l'astreinte.", "Nora est d'astreinte."),
    ("Jens ist Vertriebsleiter.", "Petra wurde Vertriebsleiterin."),
    ("Luc est le directeur.", "Marie est devenue la directrice."),
    ("Luc est le directeur de l'école.", "Marie a succédé à Luc comme directrice de l'école."),
)
BOTH = (
    ("Ada plays in the team.", "Bo plays in the team."),
    ("Ada is an engineer.", "Bo is an engineer."),
    ("Ada leads the billing team.", "Bo leads the search team."),
    ("Ada is in a meeting.", "Bo is in a meeting."),
    ("Ada is on vacation.", "Bo is on vacation."),
    ("Ada is on the phone.", "Bo is on the phone."),
    ("Server web-01 is down.", "Server web-02 is down."),
    ("Server web-01 is live in production.", "Server web-02 is live in production."),
    ("Ticket 12 is open.", "Ticket 13 is open."),
    ("Room B12 has a projector.", "Room C4 has a projector."),
    ("Order 7 is shipped.", "Order 8 is now shipped."),
    ("Ada runs marathons.", "Bo runs marathons."),
    ("Ada runs the Boston marathon.", "Bo runs the Boston marathon."),
    ("Ada runs Linux.", "Bo runs Linux."),
    ("Nora ist Ingenieurin.", "Ines ist Ingenieurin."),
    ("Nora ist Projektleiterin.", "Ines ist Projektleiterin."),
    ("Nora ist Lehrerin.", "Ines ist Lehrerin."),
    ("Luc est professeur.", "Marie est professeur."),
    ("Luc est directeur.", "Marie est directrice."),
    ("Ana is on call for billing.", "Bea is on call for search."),
    ("Ada was the CTO of Globex until 2019.", "Bo is the CTO."),
    ("Version 1.2 is supported.", "Version 1.3 is supported."),
    ("Version 1.2 of the API is live.", "Version 3.4 of the web app is live."),
    ("Version 1.2 is live in production.", "Version 3.4 is live on staging."),
    ("Version 1.2 is live in production.", "Version 3.4 will be live in production."),
    ("Mats leads billing.", "Priya took over the kitchen duty from Mats."),
    ("Ana and Ben are on call.", "Ana is on call."),
    ("Nora is the head of sales.", "Ines might become the head of sales."),
    ("Ada took the train.", "Bo took the train."),
    ("Ada has the flu.", "Bo has the flu."),
    ("Nora hat Hunger.", "Ines hat Hunger."),
    ("Ada is a manager.", "Bo is a manager."),
    ("Nora is the head of sales.", "Ines wants to be the head of sales."),
    ("Noah is in charge of payroll.", "Zoe is in charge of billing."),
    ("Noah is on the bus.", "Zoe is on the bus."),
    ("Noah is on holiday.", "Zoe is on holiday."),
    ("Noah runs the 10 km race.", "Zoe runs the 10 km race."),
    ("Noah has the key.", "Zoe has the key."),
    ("Noah is the father of Ann.", "Zoe is the mother of Ann."),
    ("Noah is vice president of sales.", "Zoe is president of sales."),
    ("Noah est en vacances.", "Zoé est en vacances."),
    ("Noah est le frère de Luc.", "Zoé est la sœur de Luc."),
    ("Noah ist Teamleiter.", "Zoe ist Teamleiterin."),
    ("Noah hat Fieber.", "Zoe hat Fieber."),
    ("Room 4 is on the second floor.", "Room 5 is on the second floor."),
    ("Ticket 4 is now closed.", "Ticket 5 is now closed."),
    ("Version 1.2 is available.", "Version 1.3 is available."),
    ("Version 1.2 has a bug.", "Version 1.3 has a bug."),
    ("Page 4 is live.", "Page 5 is live."),
    ("Ticket 4 is the same as before.", "Ticket 5 is the same as before."),
    ("Tim is the head of sales.", "Tim is the head of marketing."),
    ("Noah es médico.", "Zoe es médica."),
    ("Noah is the winner of race 1.", "Zoe is the winner of race 2."),
    ("Noah is the second captain.", "Zoe is the deputy captain."),
    ("Backend version 1.2 is live.", "Frontend version 2.0 is live."),
)


@pytest.mark.parametrize(("older", "newer"), ONE_ALONE)
def test_one_alone_fills_a_seat(older: str, newer: str) -> None:
    one, other = statement(older).seat, statement(newer).seat
    assert contend(one, other)
    assert contend(other, one)
    assert not contend(one, one)


@pytest.mark.parametrize(("older", "newer"), BOTH)
def test_what_many_may_be_is_no_seat(older: str, newer: str) -> None:
    one, other = statement(older).seat, statement(newer).seat
    assert not contend(one, other)
    assert not contend(other, one)


def test_the_model_lets_holders_of_one_seat_compete() -> None:
    c = SlotModel.load(None).same_slot([text for pair in ONE_ALONE for text in pair])
    at = np.arange(0, len(c), 2)
    assert (c[at, at + 1] >= FLOOR).all()


def test_every_version_competes_with_every_other() -> None:
    c = SlotModel.load(None).same_slot([f"Version 1.{i} is live in production." for i in range(12)])
    assert (c + np.eye(len(c)) >= FLOOR).all()


WORDS = st.sampled_from(sorted({word for pair in ONE_ALONE + BOTH for text in pair for word in text[:-1].split()}))


@given(st.one_of(st.lists(WORDS, max_size=9), st.lists(st.text(min_size=1, max_size=9), max_size=20)))
def test_any_words_have_a_seat_or_none(words: list[str]) -> None:
    seat = seat_of(words)
    assert not contend(seat, seat)
    assert not contend(seat, NONE)


def test_the_newest_of_more_holders_than_are_compared_comes_first() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(64)) as store:
        texts = [f"Version 1.{i} is live in production." for i in range(300)]
        store.add_many([{"text": text, "when": DAY * i} for i, text in enumerate(texts)])
        hits = store.search("which version is live in production?", now=DAY * 300, k=3)
        assert hits[0].memory.text == texts[-1]
        assert all(hit.superseded > 0.5 for hit in hits[1:])


@pytest.mark.parametrize("word", ["today", "now", "currently"])
def test_a_letter_and_a_time_say_nothing(word: str) -> None:
    assert seat_of(["D", word, word]) == NONE
