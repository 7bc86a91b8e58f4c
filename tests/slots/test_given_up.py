"""What is given up, other words for a job, broken diets, prefaces, and changes that are only considered."""

from __future__ import annotations

import pytest

from scrubjay.slots.agreement import agree
from scrubjay.slots.changes import SURE, replaces
from scrubjay.slots.competition import FLOOR, SlotModel
from scrubjay.slots.complements import NOTHING
from scrubjay.slots.jobs import job_of
from scrubjay.slots.prefaces import bare
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

OVER = (
    # a thing that is in use is given up
    ("Our team chats on Slack.", "We replaced Slack with Microsoft Teams."),
    ("Our CI runs on Jenkins.", "We moved from Jenkins to GitHub Actions."),
    ("Stripe is our payment provider.", "We dropped Stripe in favour of Adyen."),
    ("The site runs on Heroku.", "The site was migrated off Heroku to Fly.io."),
    ("We use Sentry for errors.", "We stopped using Sentry."),
    ("We support Python 3.9.", "We no longer support Python 3.9."),
    ("Ana uses Vim.", "Ana switched from Vim to Emacs."),
    ("The user wants answers in bullet points.", "The user asked for prose instead of bullet points."),
    ("Unser Wiki läuft auf Confluence.", "Confluence wurde durch Notion ersetzt."),
    ("Unser Ticketsystem ist Redmine.", "Wir sind von Redmine auf Jira umgestiegen."),
    ("Nous utilisons Trello.", "Nous avons remplacé Trello par Notion."),
    ("Nous utilisons Trello.", "Nous n'utilisons plus Trello."),
    ("Usamos Jenkins.", "Pasamos de Jenkins a GitLab."),
    ("Usiamo Jenkins.", "Siamo passati da Jenkins a GitLab."),
    ("Usamos o Jenkins.", "Trocamos o Jenkins pelo GitLab."),
    # a job, in other words
    ("Lena works at Zalando.", "Lena is now a staff engineer at Spotify."),
    ("I work at Siemens.", "I started a new job at ABB last Monday."),
    ("Lena works at Zalando.", "Lena joined Spotify."),
    ("Jens arbeitet als Lehrer in Kiel.", "Jens ist jetzt Schulleiter in Husum."),
    # a diet
    ("I'm vegetarian.", "I started eating fish again."),
    ("Tomasz is vegan.", "Tomasz eats cheese again."),
    ("Kim is teetotal.", "Kim drinks beer again."),
    # a preface is none of the statement
    ("The total is 4,200 euros.", "Sorry, I mistyped: the total is 2,400 euros."),
    ("My favourite tea is Earl Grey.", "These days my favourite tea is rooibos."),
)
HOLDS = (
    ("The Slack bot posts the menu.", "We replaced Slack with Teams."),
    ("Ana uses Slack.", "We replaced Slack with Teams."),
    ("Slack has two thousand employees.", "We replaced Slack with Teams."),
    ("We use Slack for alerts.", "We replaced Slack with Teams for video calls."),
    ("Our CI runs on Jenkins.", "We moved the Jenkins server to a bigger machine."),
    ("We use Postgres.", "We have not moved from Postgres to MySQL."),
    ("Lena works at Zalando.", "Lena is now a guest at Spotify."),
    ("Lena works at Zalando.", "Lena is also a lecturer at Potsdam."),
    ("Omar works at Zalando.", "Lena is now a staff engineer at Spotify."),
    ("I'm vegetarian.", "I eat tofu again."),
    ("Ada is vegan.", "Ada eats vegan cheese."),
    ("Ada is vegetarian.", "Bo eats fish again."),
    # a home and what it is in or near
    ("Lena lives in Cardiff.", "Lena lives above a bakery."),
    ("Lena lives in Cardiff.", "Lena lives near the canal."),
    ("Sabine wohnt in Jena.", "Sabine wohnt im vierten Stock."),
    # verbs of many, kinds of things
    ("Dana plays the cello.", "Dana plays chess on Sundays."),
    ("Ravi manages the Berlin office.", "Ravi manages twelve people."),
    ("Aisha prefers morning meetings.", "Aisha prefers oat milk."),
    ("The frontend uses Redux.", "The frontend uses TypeScript."),
    # what may change has not changed, and what is changed is another thing
    ("Tara lives in Oslo.", "Tara is thinking about moving to Bergen."),
    ("The shop is open on Sundays.", "The shop may close on Sundays next year."),
    ("Tom arbeitet bei Bosch.", "Tom überlegt, zu Siemens zu wechseln."),
    ("Stripe is our payment provider.", "Stripe raised its fees."),
)


def _pairs(model: SlotModel, pairs: tuple[tuple[str, str], ...]) -> list[tuple[tuple[str, str], float]]:
    return [(pair, float(model.same_slot(list(pair))[0, 1])) for pair in pairs]


def test_what_a_later_says_is_over_is_over() -> None:
    model = SlotModel.load(None)
    assert [(pair, c) for pair, c in _pairs(model, OVER) if not c >= FLOOR] == []


def test_what_a_later_leaves_alone_holds() -> None:
    model = SlotModel.load(None)
    assert [(pair, c) for pair, c in _pairs(model, HOLDS) if not c < FLOOR] == []


@pytest.mark.parametrize("pair", OVER[:22])
def test_the_laws_look_at_a_pair_from_both_sides(pair: tuple[str, str]) -> None:
    one, other = map(statement, pair)
    assert replaces(one, other) == replaces(other, one)
    assert stands(one, other) == stands(other, one) is False


def test_a_swap_is_sure_in_any_language() -> None:
    model = SlotModel.load(None)
    assert all(c >= SURE for _, c in _pairs(model, OVER[8:15]))


@pytest.mark.parametrize("text", ["", ":", "Correction:", "btw, ", "2026-03-10 12:00:01", "From now on"])
def test_a_preface_alone_is_a_text(text: str) -> None:
    assert bare(text) == text
    assert job_of(text.split()) == NOTHING
    statement(text)


def test_a_preface_keeps_its_word_of_change() -> None:
    one, other = statement("From now on the retro is on Friday."), statement("The retro is on Friday.")
    assert one.subject == other.subject
    assert one.ids.tolist() == other.ids.tolist()
    assert one.marks[2] > other.marks[2]


def test_who_speaks_is_no_preface() -> None:
    assert statement("Ana: I moved to Bonn.").speaker != 0
    assert statement("Correction: the gate is B7.").speaker == 0


LATER_OVER = (
    # settings, duties and services that are handed over
    ("timeout: 30s", "timeout: 45s"),
    ("max_connections = 100", "max_connections = 250"),
    ("Bea is on call this week.", "Bea handed the pager to Ravi."),
    ("Nils owns the billing service.", "Ownership of the billing service went to Amira."),
    ("Jo owns the login service.", "Jo handed the login service over to Pia."),
    ("Paula is the product owner for search.", "Kofi is taking over as product owner for search."),
    ("Hugo chairs the safety committee.", "Irene was elected chair of the safety committee."),
    ("The staging database runs Postgres 13.", "Staging was upgraded to Postgres 16."),
    ("Metrics are stored in InfluxDB.", "We got rid of InfluxDB."),
    ("Greta is in Tokyo.", "Greta flew home from Tokyo yesterday."),
    ("Sabine ist schwanger.", "Sabine hat eine Tochter bekommen."),
    ("La biblioteca se llama Sol.", "La biblioteca fue renombrada Luna."),
    ("Carmen vive en Sevilla.", "Carmen se ha ido a vivir a Cádiz."),
    ("La réunion est à 14 h.", "La réunion est décalée à 16 h."),
)
LATER_HOLDS = (
    ("ENABLE_CACHE=true", "ENABLE_TRACING=false"),
    ("timeout: 30s", "retries: 4"),
    ("Jo owns the login service.", "Jo handed the laptop over to Pia."),
    ("Nils owns the billing service.", "Ownership of the search service went to Amira."),
    ("Nils owns the billing service.", "Nils owns a sailing boat."),
    ("The production database runs Postgres 13.", "Staging was upgraded to Postgres 16."),
    ("Greta is in Tokyo.", "Greta's sister flew home from Tokyo."),
    ("I work for Lidl.", "I joined a choir in May."),
    ("The mobile app is built with Cordova.", "The mobile app got a new icon."),
    ("The user prefers Python.", "The user prefers tabs over spaces."),
    ("Eli goes to the gym on Mondays.", "Eli goes to choir on Wednesdays."),
    ("We use Dropbox.", "We use Zoom."),
)


def test_what_is_handed_over_set_anew_or_left_is_over() -> None:
    model = SlotModel.load(None)
    assert [(pair, c) for pair, c in _pairs(model, LATER_OVER) if not c >= FLOOR] == []


def test_another_setting_duty_or_place_is_another() -> None:
    model = SlotModel.load(None)
    assert [(pair, c) for pair, c in _pairs(model, LATER_HOLDS) if not c < FLOOR] == []


def test_of_one_subject_the_words_that_name_it_are_no_attribute() -> None:
    model = SlotModel.load(None)
    holds = (
        ("The post office opens at 9.", "The post office sells envelopes."),
        ("The chess club meets in the library.", "The chess club meets every Tuesday."),
        ("Lotte is pescatarian.", "Lotte eats salmon twice a week."),
        ("Marta trabaja en Inditex.", "Marta trabaja desde casa."),
    )
    assert [(pair, c) for pair, c in _pairs(model, holds) if not c < FLOOR] == []
    over = (
        ("I don't eat dairy.", "I started eating cheese again."),
        ("Rosa works as a barista at Costa.", "Rosa is now shift manager at Pret."),
        ("Marta trabaja en Inditex.", "Marta ha dejado Inditex."),
    )
    assert [(pair, c) for pair, c in _pairs(model, over) if not c >= FLOOR] == []


def test_another_employer_takes_the_place_for_good() -> None:
    assert agree("Lena now works for Spotify.", "Lena works at Zalando.", 0.9)
    assert agree("Lena is now a staff engineer at Spotify.", "Lena works at Zalando.", 0.9)
    assert not agree("Omar now works for Spotify.", "Lena works at Zalando.", 0.9)
