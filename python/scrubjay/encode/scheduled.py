"""What is scheduled is over when it is over: "the train leaves in ten minutes", "the demo is at 3 pm", "back in 5 min".

What happens at a stated moment ahead (`scrubjay.encode.moments`) has an end: that moment and a plausible length. Which
moments count depends on what is said to happen; a row of `_LAWS` names the kinds of moment that leave one reading:

- what happens once (a demo, an exam, a wedding): any moment;
- what may be of every day or week (a class, lunch, a bus): not a time of day or a day of the week alone;
- what leaves, arrives, begins, takes place: the same; beside a day without an hour nothing may stand between, so that
  "Maya leaves the company on Friday", which changes what is so, has no end;
- what will be or is being done: a moment told to the hour;
- what is left of a time, or who is back: so many minutes or hours.

What repeats, is past, denied or conditional, holds of a kind or comes each year ("her birthday is on 3 May"), and what
begins to hold on ("the new prices start at midnight") has none.

>>> from scrubjay.calendar import tokens_of
>>> said = datetime(2025, 3, 4, 10)
>>> for text in ("The demo is at 3 pm.", "The shop opens at 9.", "Launch is on 14 May.", "Launch was on 14 May."):
...     found = happening(text, tokens_of(text), said)
...     print(found and found[0].isoformat())
2025-03-04T19:00:00
None
2025-05-15T00:00:00
None
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.calendar import DAY_EDGE, Token, tokens_of
from scrubjay.encode.moments import IN, REMAINS, Kind, Moment, moment, soon
from scrubjay.encode.once import habitual
from scrubjay.encode.scheduled_cjk import happening_cjk
from scrubjay.encode.tellings import of_a_kind, told
from scrubjay.remembered import remembered
from scrubjay.wordlist import word_set

EVENT: Final = timedelta(hours=4)
"""Plausible length of what is held (chosen)."""
INSTANT: Final = timedelta(hours=1)
"""How long a departure, an arrival or an end is of use behind its moment (chosen)."""

_ONCE: Final = word_set(
    "meeting demo presentation appointment interview exam test surgery operation hearing trial wedding funeral party"
    " concert gig conference webinar workshop offsite keynote talk launch migration outage reboot kickoff kick-off"
    " premiere match final race marathon tournament auction election elections vote inspection audit visit reception"
    " ceremony graduation barbecue bbq picnic hackathon debate screening rehearsal boarding landing takeoff drill"
    " handover viewing checkup check-up reunion gala parade call"
    " besprechung sitzung präsentation vorführung termin zahnarzttermin arzttermin prüfung klausur hochzeit feier"
    " konzert konferenz vorstellungsgespräch bewerbungsgespräch gespräch beerdigung verhandlung wahl umzug"
    " veranstaltung vortrag"
    " réunion présentation rendez-vous entretien examen mariage fête conférence élection procès opération atelier"
    " reunión presentación cita entrevista boda fiesta concierto conferencia juicio operación elecciones"
    " riunione presentazione appuntamento colloquio esame matrimonio festa concerto conferenza udienza elezioni"
    " reunião apresentação consulta exame casamento vergadering afspraak bruiloft feest"
)
"""What happens once."""
_ROUTINE: Final = word_set(
    "dinner lunch breakfast brunch supper drinks coffee game movie film show play night class lesson lecture course"
    " training practice standup stand-up sync session seminar club mass maintenance review retro retrospective"
    " abendessen mittagessen frühstück kurs unterricht spiel wartung dîner déjeuner cours spectacle cena almuerzo"
    " comida clase partido película pranzo lezione partita"
)
"""What is held once, or each day or week."""
_COMPOUND: Final = re.compile(r"['-]")
_FRAMES: Final = word_set("window slot session block")
"""Nouns behind which an event's name is still the event's: "maintenance window"."""
_VEHICLES: Final = word_set(
    "train bus flight ferry shuttle tram plane taxi cab ride ship boat delivery pizza laundry build job deploy"
    " deployment zug flug fähre bahn schiff vol avion tren vuelo autobús avión treno volo autobus aereo"
)
"""What comes or is ready once, or by a timetable."""
_REGULAR: Final = word_set("team staff weekly daily family status board church school")
"""Before a noun: what may come each week."""
_LINK: Final = word_set(
    "is are will starts start begins begin kicks takes happens ist sind wird beginnt startet findet"
    " fängt est sont sera commence débute es son será empieza comienza è sono sarà inizia comincia é são começa is"
    " zijn begint"
)
"""What stands between an event and its moment."""
_HAVE: Final = word_set(
    "have has having i've we've there's habe haben gibt ai j'ai avons y hay tengo tenemos tiene ho abbiamo c'è"
    " tenho there"
)
"""What stands before an event that somebody has, or that there is."""
_GO: Final = word_set(
    "leaves leave departs depart arrives arrive lands land boards sails fährt fahren fliegt landet part partent"
    " arrivent décolle atterrit sale salen llega llegan despega aterriza parte partono arriva arrivano decolla atterra"
    " chega vertrekt"
)
_WALK: Final = word_set("geht gehen")
_COME: Final = word_set("comes come coming meets meet kommt kommen trifft vient viennent viene vienen vengono komt")
_TURN: Final = word_set(
    "starts start begins begin ends end finishes finish completes opens closes reopens resumes reboots restarts stops"
    " beginnt beginnen startet endet öffnet schließt commence commencent débute finit termine ouvre ferme empieza"
    " empiezan comienza termina acaba abre cierra inizia iniziano comincia finisce apre chiude começa begint"
)
_PLACE: Final = frozenset(
    {("takes", "place"), ("take", "place"), ("findet", "statt"), ("a", "lieu"), ("scheduled", "for"), ("has", "place"),
     ("planned", "for"), ("set", "for"), ("kicks", "off"), ("takes", "off"), ("tiene", "lugar"), ("ha", "luogo"),
     ("geplant", "für"), ("prévu", "le"), ("prévue", "le")}
)  # fmt: skip
"""Verbs of two words, of which the second may stand further on."""
_WILL: Final = word_set("will i'll we'll he'll she'll it'll they'll you'll shall wird werden werde vais voy vado")
_AM: Final = word_set("is are am i'm he's she's it's we're they're")
_MEETING: Final = word_set("meeting seeing visiting leaving arriving flying coming")
_WHO: Final = word_set("i we you they he she it to")
_BACK: Final = word_set("back zurück reviens revient retour vuelvo vuelve torno torna ritorno volto terug")
_GONE: Final = word_set("out away gone off weg parti partie fuera via fora")
_AWAY: Final = word_set("brb bbl bbs afk brt")
_VERBAL: Final = _LINK | _HAVE | _GO | _COME | _TURN | _WILL
_SIGNS: Final = (
    _ONCE
    | _ROUTINE
    | _VEHICLES
    | _GO
    | _COME
    | _WALK
    | _TURN
    | _WILL
    | _BACK
    | _AWAY
    | REMAINS
    | {first for first, _ in _PLACE}
)
"""Words of which each statement of what is to happen has one, if nobody is doing something."""
_YEARLY: Final = word_set(
    "birthday bday birthdays anniversary anniversaries christmas easter geburtstag jahrestag hochzeitstag anniversaire"
    " noël cumpleaños aniversario navidad compleanno anniversario natale aniversário verjaardag"
)
"""What comes each year on the same day."""
_LASTING: Final = (
    "mov", "join", "becom", "quit", "retir", "marr", "switch", "chang", "replac", "liv", "lead", "turn", "stud",
    "adopt", "own", "work", "effect", "force",
)  # fmt: skip
"""How words begin for what changes what is so, and so holds on behind its moment."""
_STATES: Final = word_set(
    "price prices policy policies lease contract law rule rules rent support fee fees role position internship"
    " semester term preise vertrag stelle contrat bail emploi contrato trabajo contratto lavoro"
)
"""What holds on from where it begins."""
_DOUBT: Final = word_set(
    "if unless whenever when while where might could would should maybe perhaps probably wenn falls sobald vielleicht"
    " quand lorsque peut-être cuando quizás quando forse usually normally typically"
    " not never no nobody none cannot nicht nie kein keine keinen pas jamais nunca non mai não niet geen without"
    " cancelled canceled postponed optional abgesagt verschoben annulé annulée cancelado cancelada annullato"
)
"""What is conditional, customary, denied or given up."""
_BE_OR_HAVE: Final = word_set("a ont est sont ha hanno è sono han son foi")
_PARTICIPLES: Final = ("é", "ée", "és", "ées", "ato", "ata", "ito", "ita", "uto", "uta", "ado", "ada", "ido", "ida")
_PLANNED: Final = word_set(
    "fissato fissata programmé programmée planifié planifiée programmato programmata prenotato prenotata fixé fixée"
    " organizzato organizzata programado programada fijado fijada"
)
_BESIDE: Final = word_set(
    "with for at in on about of to from by mit für im am um bei zum nach avec pour à de du au chez con para en a per"
    " della del di dal la le el il den der . , ! ; : and"
)
"""What may stand behind the noun of an event."""
_NAMED: Final = frozenset((Kind.SOON, Kind.DATE))
_DAYS: Final = _NAMED | {Kind.WEEKDAY}


class _Law(NamedTuple):
    """When something ends with its moment."""

    kinds: frozenset[Kind]
    """The moments that leave one reading."""
    apart: int
    """Words between it and a day without an hour are fewer; beyond, the day may be about something else."""
    length: timedelta
    """How long it takes."""


_ANY_DAY: Final = datetime(1900, 1, 1)
_FAR: Final = 100
_HAPPENS: Final = _Law(frozenset(Kind), _FAR, EVENT)
_HAPPENS_AGAIN: Final = _Law(_NAMED, _FAR, EVENT)
_NOUNS: Final = ((_ONCE, _HAPPENS), (_ROUTINE, _HAPPENS_AGAIN), (_VEHICLES, _Law(_NAMED, _FAR, INSTANT)))
_VERBS: Final = (
    (_GO, _Law(_DAYS, 3, INSTANT)),
    (_COME, _Law(_NAMED, 3, EVENT)),
    (_WALK, _Law(frozenset((Kind.SOON,)), 0, INSTANT)),
    (_TURN, _Law(_NAMED, 0, EVENT)),
    (_WILL, _Law(_DAYS, 0, INSTANT)),
)
_TAKES_PLACE: Final = _Law(_DAYS, 3, EVENT)
_DOES: Final = _Law(_DAYS, 0, EVENT)
_MEETS: Final = _Law(frozenset(Kind), 3, EVENT)
_RETURNS: Final = _Law(frozenset((Kind.CLOCK,)), 0, timedelta(0))
_REMAINS: Final = _Law(frozenset((Kind.SOON,)), 0, INSTANT)


def happening(text: str, tokens: Sequence[Token], said: datetime) -> tuple[datetime, timedelta] | None:
    """When what a clause says is to happen is over, and how exactly that is meant; None where it says no such thing.

    `tokens` are the clause's; `said` is naive UTC.
    """
    found = _found(text, tokens, said)
    return None if found is None else _over(*found)


def appointed(text: str) -> bool:
    """Whether a text appoints a time for what happens once, which then is its time for good: behind it an earlier
    appointment does not hold again, as a place does behind "until Friday" and a habit behind "at 11 today".

    >>> appointed("The launch is on 20 March."), appointed("The meeting is at 11 today."), appointed("I am in Rome.")
    (True, False, False)
    """
    return len(_appointed(text)) > 0


@remembered(room=1 << 20)
def _appointed(text: str) -> tuple[str, ...]:
    """How a text appoints a time; nothing where it does not."""
    found = _found(text, tokens_of(text), _ANY_DAY)
    if found is None:
        return ()
    at, law = found
    today = at.kind is Kind.DATE and at.start.date() == _ANY_DAY.date()
    return (at.kind.name,) if law in (_HAPPENS, _TAKES_PLACE) and at.kind is not Kind.SOON and not today else ()


def _found(text: str, tokens: Sequence[Token], said: datetime) -> tuple[Moment, _Law] | None:
    """The moment at which a clause says that something is to happen, and the law of what it is."""
    if not text.isascii() and (other := happening_cjk(text, said)) is not None:
        return other[0], _HAPPENS if other[1] else _REMAINS
    words = [token.word for token in tokens]
    if _SIGNS.isdisjoint(words) and "ing " not in text and "'" not in text:
        return None
    if not _DOUBT.isdisjoint(words) or any(w.endswith("n't") for w in words) or habitual(words):
        return None
    at = _absence(words, said)
    if at is not None:
        return at, _REMAINS
    at = moment(tokens, said)
    if at is None or at.stop <= said or _past(words):
        return None
    if told(words[: at.first], [], "") or told(words[at.next :], [], ""):
        return None
    laws = (law for law, gap in _laws(words, at) if at.kind in law.kinds and (at.hour or gap < law.apart))
    law = next(laws, None)
    return None if law is None else (at, law)


def _over(at: Moment, law: _Law) -> tuple[datetime, timedelta]:
    """When what happens at a moment is over, and how exactly that is meant."""
    if not at.hour:
        return at.stop, DAY_EDGE
    # an hour that may be of the evening says the day
    stop = at.stop if at.kind is not Kind.SOON and at.stop > at.start else at.stop + law.length
    return stop, stop - at.start


def _past(words: list[str]) -> bool:
    """Whether a participle tells of what is over: "a commencé", "è partito", "hat begonnen"."""
    return any(a in _BE_OR_HAVE and b.endswith(_PARTICIPLES) and b not in _PLANNED for a, b in pairwise(words))


def _absence(words: list[str], said: datetime) -> Moment | None:
    """ "brb 5 min", "afk for 15 minutes", "be right back in 10"."""
    for i, word in enumerate(words):
        here = i + 1 + (words[i + 1 : i + 2] in (["in"], ["for"]))
        if here < len(words) and (word in _AWAY or (word == "back" and words[i + 1] == "in")):
            at = soon(words, here, said)
            if at is not None:
                return at
    return None


def _laws(words: list[str], at: Moment) -> Iterator[tuple[_Law, int]]:
    """The laws under which the words of a clause fall, and how many words part each from the moment."""
    if words[at.first] in IN and not at.hour and of_a_kind(words[: at.first]):
        return
    yearly = not _YEARLY.isdisjoint(words)
    if at.kind is Kind.SOON and not yearly and (at.remains or not _BACK.isdisjoint(words)):
        yield _REMAINS, 0
    if (
        not _GONE.isdisjoint(words) and at.first > 1 and words[at.first - 2] in _BACK
    ):  # "out for lunch, back at 1:30 pm"
        yield _RETURNS, 0
    if not yearly and not any(w in _STATES or w.startswith(_LASTING) for w in words):
        yield from _verbs(words, at)
    for e, word in enumerate(words):
        noun = _COMPOUND.split(word)[-1]
        law = next((law for nouns, law in _NOUNS if word in nouns or noun in nouns), None)
        own = e > 0 and words[e - 1] in _YEARLY  # "the birthday party"
        e += words[e + 1 : e + 2] != [] and words[e + 1] in _FRAMES
        if law is not None and (own or not yearly) and _head(words, e, at) and _linked(words, e, at):
            regular = law is _HAPPENS and not _REGULAR.isdisjoint(words[max(0, e - 2) : e])
            yield (_HAPPENS_AGAIN if regular else law), 0


def _verbs(words: list[str], at: Moment) -> Iterator[tuple[_Law, int]]:
    """The laws of the verbs of a clause."""
    for i, word in enumerate(words):
        gap, follow = max(0, at.first - i - 1), words[i + 1 : i + 12]
        yield from ((law, gap) for verbs, law in _VERBS if word in verbs)
        if any((word, w) in _PLACE for w in follow):
            yield _TAKES_PLACE, gap
        if word in _AM and follow and follow[0].endswith("ing") and len(follow[0]) > 4:
            yield (_MEETS if follow[0] in _MEETING else _DOES), gap


def _head(words: list[str], e: int, at: Moment) -> bool:
    """Whether the noun at `e` says what it is, rather than of which kind the next noun is ("the demo server")."""
    behind = words[e + 1] if e + 1 < len(words) else "."
    return behind in _LINK or behind in _BESIDE or behind in _GO or at.first <= e + 1 < at.next


def _linked(words: list[str], e: int, at: Moment) -> bool:
    """Whether the event at `e` is said to be at the moment."""
    if not _HAVE.isdisjoint(words[max(0, e - 6) : e]):  # "I have a call at noon", "there is a drill at 11"
        return True
    if at.next <= e and any(w in _LINK for w in words[max(at.next, e - 3) : e]):  # "tomorrow is the exam"
        return True
    link = next((j for j in range(e + 1, min(len(words), e + 8)) if words[j] in _VERBAL), None)
    if link is not None and (link == e + 1 or words[e + 1] in _BESIDE or at.first <= e + 1):
        return words[link] in _LINK
    # "Lunch with Omar tomorrow at 1": no verb at all
    between = words[e + 1 : at.first]
    bare = not between or (len(between) < 5 and between[0] in _BESIDE and _VERBAL.isdisjoint(between))
    return e <= 2 and words[0] not in _WHO and e < at.first and bare and at.next >= len(words) - 2
