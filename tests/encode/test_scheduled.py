"""What is scheduled is over when it is over: what has an end, and what has none."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay.encode.ends import stated_end
from toys import WordHash

SAID = datetime(2026, 5, 5, 10, tzinfo=timezone.utc)
"""A Tuesday."""

HAPPENS = (
    ("The train to Graz leaves in ten minutes", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("The demo is at 3 pm", "2026-05-05T15:00", "2026-05-06T03:00"),
    ("Dinner is at eight tonight", "2026-05-05T20:00", "2026-05-06T08:00"),
    ("the dentist appointment is tomorrow at 9", "2026-05-06T09:00", "2026-05-07T00:00"),
    ("Launch is on 14 May", "2026-05-14T12:00", "2026-05-16T00:00"),
    ("the build takes 20 more minutes", "2026-05-05T10:20", "2026-05-05T13:00"),
    ("back in half an hour", "2026-05-05T10:30", "2026-05-05T13:00"),
    ("brb 5 min", "2026-05-05T10:05", "2026-05-05T13:00"),
    ("My flight departs at 18:45 today", "2026-05-05T18:45", "2026-05-06T08:00"),
    ("The meeting with legal starts in 15 minutes", "2026-05-05T10:15", "2026-05-05T22:00"),
    ("Interview with Priya tomorrow at 11am", "2026-05-06T11:00", "2026-05-07T00:00"),
    ("The webinar begins at 16:00 UTC on May 7", "2026-05-07T16:00", "2026-05-08T12:00"),
    ("Our team offsite is next Thursday", "2026-05-07T12:00", "2026-05-16T00:00"),
    ("The concert is on Saturday at 8pm", "2026-05-09T20:00", "2026-05-10T12:00"),
    ("I have a call with the bank at noon", "2026-05-05T12:00", "2026-05-06T00:00"),
    ("The server will reboot in 5 minutes", "2026-05-05T10:05", "2026-05-05T22:00"),
    ("Maintenance starts tonight at 11 pm", "2026-05-05T23:00", "2026-05-06T23:00"),
    ("My parents arrive on Friday", "2026-05-08T12:00", "2026-05-10T00:00"),
    ("The taxi will be here in 3 minutes", "2026-05-05T10:03", "2026-05-05T16:00"),
    ("The pizza arrives in 40 minutes", "2026-05-05T10:40", "2026-05-05T16:00"),
    ("The exam takes place on 2026-06-12", "2026-06-12T12:00", "2026-06-14T00:00"),
    ("The next bus is in 7 minutes", "2026-05-05T10:07", "2026-05-05T16:00"),
    ("We are meeting at the cafe at half past four", "2026-05-05T16:30", "2026-05-06T06:00"),
    ("I'm going to the gym in an hour", "2026-05-05T11:00", "2026-05-05T20:00"),
    ("The migration will finish in about two hours", "2026-05-05T12:00", "2026-05-05T20:00"),
    ("Surgery is scheduled for Monday at 7:30 am", "2026-05-11T07:30", "2026-05-12T12:00"),
    ("The keynote kicks off at 9 tomorrow morning", "2026-05-06T09:00", "2026-05-07T00:00"),
    ("Be right back in 10", "2026-05-05T10:10", "2026-05-05T14:00"),
    ("Lunch with Omar tomorrow at 1", "2026-05-06T01:00", "2026-05-07T02:00"),
    ("The landlord is coming by this afternoon at 4", "2026-05-05T16:00", "2026-05-06T06:00"),
    ("The game is in 2 hours", "2026-05-05T12:00", "2026-05-06T00:00"),
    ("I'll be there in 20 minutes", "2026-05-05T10:20", "2026-05-05T16:00"),
    ("The laundry will be done in 45 min", "2026-05-05T10:45", "2026-05-05T16:00"),
    ("Our wedding is on June 20th, 2026", "2026-06-20T12:00", "2026-06-22T00:00"),
    ("The election is on November 3", "2026-11-03T12:00", "2026-11-05T00:00"),
    ("The hearing is on Wednesday", "2026-05-06T12:00", "2026-05-08T00:00"),
    ("Boarding begins at 17:20", "2026-05-05T17:20", "2026-05-06T06:00"),
    ("The plumber comes tomorrow between 8 and 10", "2026-05-06T10:00", "2026-05-07T02:00"),
    ("I'm seeing the doctor on Thursday at 2:15 pm", "2026-05-07T14:15", "2026-05-08T03:00"),
    ("The movie starts at nine tonight", "2026-05-05T21:00", "2026-05-06T10:00"),
    ("Reminder: parent-teacher night is May 21 at 6:30pm", "2026-05-21T18:30", "2026-05-22T12:00"),
    ("The deploy is 10 minutes away", "2026-05-05T10:10", "2026-05-05T22:00"),
    ("40 minutes left on the washing machine", "2026-05-05T10:40", "2026-05-05T16:00"),
    ("The password expires in 30 days", "2026-06-04T10:00", "2026-06-05T00:00"),
    ("The offer is valid until the end of March 2027", "2027-03-31T22:00", "2027-04-01T02:00"),
    ("Der Zug fährt in zehn Minuten", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("Das Meeting ist morgen um 14 Uhr", "2026-05-06T14:00", "2026-05-07T03:00"),
    ("Die Präsentation beginnt um 15:30 Uhr", "2026-05-05T15:30", "2026-05-06T06:00"),
    ("La réunion commence à 15 h", "2026-05-05T15:00", "2026-05-06T06:00"),
    ("Le train part dans dix minutes", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("Le rendez-vous chez le dentiste est demain à 9 h", "2026-05-06T09:00", "2026-05-07T00:00"),
    ("La reunión empieza a las 15:00", "2026-05-05T15:00", "2026-05-06T06:00"),
    ("El tren sale en diez minutos", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("El examen es mañana a las 9", "2026-05-06T09:00", "2026-05-07T00:00"),
    ("La riunione inizia alle 15", "2026-05-05T15:00", "2026-05-06T06:00"),
    ("Il treno parte tra dieci minuti", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("会議は15時から", "2026-05-05T06:00", "2026-05-06T06:00"),
    ("電車は10分後に出発します", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("会议下午三点开始", "2026-05-05T07:00", "2026-05-06T06:00"),
    ("火车十分钟后出发", "2026-05-05T10:10", "2026-05-05T16:00"),
    ("The ferry sails in twenty minutes", "2026-05-05T10:20", "2026-05-05T18:00"),
    ("Kickoff is at 5:30 pm", "2026-05-05T17:30", "2026-05-06T06:00"),
    ("Book club meets tomorrow at 7 in the evening", "2026-05-06T19:00", "2026-05-07T10:00"),
    ("The conference is on 9 June", "2026-06-09T12:00", "2026-06-11T00:00"),
    ("The upload needs another 12 minutes", "2026-05-05T10:12", "2026-05-05T14:00"),
    ("afk for 15 minutes", "2026-05-05T10:15", "2026-05-05T14:00"),
    ("I'll call you back in an hour and a half", "2026-05-05T11:30", "2026-05-05T22:00"),
    ("Our flight to Lisbon leaves on Sunday at 6am", "2026-05-10T06:00", "2026-05-11T06:00"),
    ("The oven will be ready in 8 min", "2026-05-05T10:08", "2026-05-05T16:00"),
    ("There is a fire drill at 11:15", "2026-05-05T11:15", "2026-05-06T00:00"),
    ("I have an interview on Friday morning", "2026-05-08T09:00", "2026-05-09T13:00"),
    ("The auction ends in three hours", "2026-05-05T13:00", "2026-05-05T16:00"),
    ("The vet appointment is on the 19th of May at 16:45", "2026-05-19T16:45", "2026-05-20T12:00"),
    ("School play tonight at 7", "2026-05-05T19:00", "2026-05-06T10:00"),
    ("Sprint review is this Thursday at ten", "2026-05-07T10:00", "2026-05-08T00:00"),
    ("The shuttle departs in a quarter of an hour", "2026-05-05T10:15", "2026-05-05T16:00"),
    ("The rocket launch is scheduled for tomorrow", "2026-05-06T12:00", "2026-05-08T00:00"),
    ("Die Prüfung findet am 12. Juni statt", "2026-06-12T12:00", "2026-06-14T00:00"),
    ("Bin in fünf Minuten zurück", "2026-05-05T10:05", "2026-05-05T14:00"),
    ("Le concert est samedi à 20 h", "2026-05-09T20:00", "2026-05-10T12:00"),
    ("Je reviens dans une demi-heure", "2026-05-05T10:30", "2026-05-05T14:00"),
    ("La boda es el 20 de junio", "2026-06-20T12:00", "2026-06-22T00:00"),
    ("Vuelvo en cinco minutos", "2026-05-05T10:05", "2026-05-05T14:00"),
    ("L'appuntamento è domani alle 9", "2026-05-06T09:00", "2026-05-07T00:00"),
    ("Torno fra mezz'ora", "2026-05-05T10:30", "2026-05-05T14:00"),
    ("明日の9時に歯医者の予約があります", "2026-05-06T00:00", "2026-05-07T06:00"),
    ("飛行機は30分後に到着します", "2026-05-05T10:30", "2026-05-05T20:00"),
    ("考试在明天上午九点", "2026-05-06T01:00", "2026-05-07T06:00"),
    ("飞机半小时后起飞", "2026-05-05T10:30", "2026-05-05T18:00"),
    ("I'm meeting Sara for coffee at 4pm", "2026-05-05T16:00", "2026-05-06T04:00"),
    ("Flight BA117 leaves tomorrow at 7:45", "2026-05-06T07:45", "2026-05-07T04:00"),
    ("The package arrives tomorrow", "2026-05-06T20:00", "2026-05-07T12:00"),
    ("Dentist appointment on 14 May at 9:30", "2026-05-14T09:30", "2026-05-15T04:00"),
    ("I'll be home in 2 hours", "2026-05-05T12:00", "2026-05-05T20:00"),
    ("There's a party at Leo's tonight", "2026-05-05T22:00", "2026-05-06T12:00"),
    ("We're having dinner with the Parks tonight at 7", "2026-05-05T19:00", "2026-05-06T08:00"),
    ("Heute Abend um 20 Uhr ist das Konzert", "2026-05-05T20:00", "2026-05-06T08:00"),
    ("Ho un appuntamento domani alle 10:30", "2026-05-06T10:30", "2026-05-07T02:00"),
    ("Tengo una entrevista el viernes a las 11", "2026-05-08T11:00", "2026-05-09T12:00"),
    ("J'ai un entretien vendredi à 14 h", "2026-05-08T14:00", "2026-05-09T04:00"),
    ("明天下午两点有面试", "2026-05-06T14:00", "2026-05-07T04:00"),
    ("面接は金曜日の午後2時です", "2026-05-08T14:00", "2026-05-09T04:00"),
    ("Kickoff call with Acme: tomorrow 10am", "2026-05-06T10:00", "2026-05-07T00:00"),
    ("Team dinner tonight at 19:30", "2026-05-05T19:30", "2026-05-06T08:00"),
    ("I have an exam tomorrow. I also have a dentist appointment on Friday.", "2026-05-08T20:00", "2026-05-09T12:00"),
)
"""What happens, and between which times it is over."""

NONE = (
    "the train leaves every ten minutes",
    "the shop opens at 9",
    "standup is at 9:30 daily",
    "Maya was born on 14 May",
    "the train left ten minutes ago",
    "The pharmacy is open from 8 am to 6 pm",
    "My birthday is on 14 May",
    "Her birthday is May 3",
    "The train to Graz leaves at 8:15 on weekdays",
    "The 7:42 to Boston stops at Worcester",
    "The demo was at 3 pm",
    "Launch was on 14 May",
    "Dinner was at eight last night",
    "The bakery closes at six",
    "We have standup at 9:30 every morning",
    "The museum opens at 10 on Sundays",
    "The meeting is on Mondays at 10",
    "I usually get up at 7",
    "I go to bed at 11 pm",
    "The build takes 20 minutes",
    "The flight takes two hours",
    "The office is 20 minutes away",
    "The deploy took 15 minutes",
    "Our wedding anniversary is June 20",
    "Christmas is on 25 December",
    "Independence Day is on July 4",
    "The treaty was signed on 14 May 1998",
    "Nadia joined the company on 3 March",
    "Check-in is at 15:00 and check-out at 11:00",
    "The backup runs at 2 am",
    "Cron job starts at midnight",
    "Trash is collected on Thursdays",
    "The session times out in 30 minutes of inactivity",
    "The cake bakes in 40 minutes",
    "He runs 10 km in 50 minutes",
    "The token expires after 15 minutes",
    "Rent is due on the 1st of the month",
    "Payroll is on the 25th",
    "I was at the dentist at 9 yesterday",
    "The alarm is set for 6:30 every weekday",
    "Light reaches Earth in eight minutes",
    "The API responds in 200 ms",
    "Dr. Lee sees patients at 9 on Tuesdays",
    "I can walk to work in ten minutes",
    "The store opened on May 14 2019",
    "Der Zug fährt alle zehn Minuten",
    "Der Laden öffnet um 9 Uhr",
    "Das Meeting war gestern um 14 Uhr",
    "Mein Geburtstag ist am 14. Mai",
    "Le magasin ouvre à 9 h",
    "La réunion a commencé à 15 h",
    "Le train passe toutes les dix minutes",
    "La tienda abre a las 9",
    "El tren salió hace diez minutos",
    "Nací el 14 de mayo",
    "Il negozio apre alle 9",
    "Il treno è partito dieci minuti fa",
    "店は9時に開きます",
    "毎日9時半に朝会があります",
    "商店早上九点开门",
    "The ferry sails every twenty minutes",
    "The library opens at 8",
    "Kickoff was at 5:30 pm",
    "Book club meets at 7 on Wednesdays",
    "The conference was on 9 June",
    "The upload took 12 minutes",
    "Leo's birthday is on 9 June",
    "The gym closes at 10 pm",
    "I take my pills at 8 every evening",
    "Backups start at 03:00",
    "The commute takes 40 minutes",
    "He can solve a cube in twenty seconds",
    "The company was founded on 12 June 2001",
    "Valentine's Day is on February 14",
    "Doors open at 7 for all shows",
    "The bus leaves at 7:10 on school days",
    "The cache is cleared in 60 seconds when idle",
    "The airport is half an hour from downtown",
    "She arrived on Friday",
    "Water boils in four minutes",
    "Die Prüfung fand am 12. Juni statt",
    "Die Bibliothek schließt um 20 Uhr",
    "Le bus passe toutes les vingt minutes",
    "Il est né le 20 juin",
    "La biblioteca cierra a las 8",
    "El avión llegó hace media hora",
    "La lezione è ogni lunedì alle 9",
    "La biblioteca apre alle 8",
    "図書館は8時に開館します",
    "图书馆每天八点开门",
    "I'm moving to Berlin on 14 May",
    "Maya starts at Google on Monday",
    "I start my new job on 1 June",
    "Nadia is getting married on 20 June",
    "We will switch to Postgres on Friday",
    "The new prices start at midnight on Friday",
    "Maya leaves the company on Friday",
    "Omar is retiring in two weeks",
    "The lease begins on 1 June",
    "Sam becomes CTO on Monday",
    "The meeting room is on floor 3",
    "The demo environment runs on port 15",
    "The train station is 10 minutes from here",
    "The bus takes 10 minutes",
    "Dinner costs 20 euros at Luigi's",
    "The concert hall seats 2000",
    "I like the show at 8 pm",
    "I can be there in ten minutes if you call",
    "The exam has 40 questions",
    "Our flight was cancelled on Friday",
    "The trial lasted 14 days",
    "I work at 5 companies",
    "The game has 3 parts, and takes two hours",
    "She plays tennis in the evening",
    "He has a meeting room at noon every day",
    "Bake for 10 more minutes",
    "Set the clock back 15 minutes",
    "The interview took place on 14 May",
    "The launch of Apollo 11 was on July 16 1969",
    "The party won the election in 1998",
    "The wedding is in the church on Oak Street",
    "The kids are back at school on weekdays",
    "My exam results came on Friday",
    "The conference call number is 555 0199",
    "The release notes are in version 4.2",
    "Lunch is at noon",
    "The gym class is on Thursday",
    "Yoga class is at 6 pm",
    "Das Training ist am Dienstag",
    "Der Kurs beginnt um 18 Uhr",
    "La farmacia cierra a las 21:00",
    "Le cours est le mardi",
    "朝食は7時から9時までです",
    "图书馆下午五点关门",
    "The process restarts in 5 seconds",
    "Her exam was at 3 pm",
    "The talk is about the year 2026",
    "A match is on line 14",
    "I'd like to visit Rome on 14 May",
    "The party leader is 60",
    "The date of the treaty is 14 May 1998",
    "Sunday is the day we call grandma",
    "The ferry to Malta leaves at 9",
    "Er hat am 14. Mai geheiratet",
    "The contract with Acme starts on 1 June",
    "Tim is on call at 9 if Ana is away",
    "The 9 am train is always full",
    "Version 3.10 is the latest release",
)
"""What repeats, is past, changes what is so, holds of a kind, or happens at no moment."""


def seconds(iso: str) -> float:
    return datetime.fromisoformat(iso).replace(tzinfo=timezone.utc).timestamp()


@pytest.mark.parametrize(("text", "first", "last"), HAPPENS)
def test_what_is_scheduled_is_over_behind_it(text: str, first: str, last: str) -> None:
    end = stated_end(text, SAID.timestamp())
    assert end is not None
    assert seconds(first) <= end.at <= seconds(last)
    assert 0.0 <= end.edge <= 86400.0


@pytest.mark.parametrize("text", NONE)
def test_what_holds_on_has_no_end(text: str) -> None:
    assert stated_end(text, SAID.timestamp()) is None


@pytest.mark.parametrize("when", [-62135596800.0, 253402300799.0, 1e9])
def test_every_time_of_saying_will_do(when: float) -> None:
    for text in [text for text, *_ in HAPPENS] + list(NONE):
        end = stated_end(text, when)
        assert end is None or when < end.at < 253402300800.0, text


WORDS = st.sampled_from(
    (
        *("the", "demo", "train", "is", "leaves", "at", "3", "pm", "in", "ten", "minutes", "tomorrow", "on", "friday"),
        *("14", "may", "half", "past", "quarter", "to", "between", "and", "15:30", "back", "brb", "5", "more", "left"),
        *("le", "à", "15", "h", "um", "uhr", "31.2.", "30.2", "99", "noon", "tonight", "this", "next", "von", ".", ","),
        *("会議", "15時", "明日", "10分後", "2月31日", "周五", "半", "出发", "99時", "下"),
    )
)


@given(st.lists(WORDS, max_size=12), st.floats(-6.2e10, 2.5e11))
def test_an_end_lies_behind_what_is_said(words: list[str], when: float) -> None:
    for text in (" ".join(words), "".join(words)):
        end = stated_end(text, when)
        assert end is None or (end.at > when and end.edge >= 0.0)


def test_a_train_that_has_left_is_no_longer_believed() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(32)) as store:
        train = store.add("The train to Graz leaves in ten minutes.", when="2026-05-05T10:00Z")
        rota = store.add("The train to Graz leaves every ten minutes.", when="2026-05-05T10:00Z")
        assert train.until == seconds("2026-05-05T11:10:15")
        assert rota.until is None
        before, after = "2026-05-05T10:05Z", "2026-05-06T10:00Z"
        assert store.validity(train.id, now=before)[0] > 0.8
        assert store.validity(train.id, now=after)[0] == 0.0
        assert store.validity(rota.id, now=after)[0] > 0.0
