"""The moment ahead that a text names: "in ten minutes", "tomorrow at 9", "at 3 pm", "le 14 mai à 15 h", "明日の9時".

A moment is one of four kinds: so many minutes or hours from now, a day by its date or distance, a day of the week, a
time of day alone. An hour that may be of the morning or of the evening ("tomorrow at 9") says no more than its day.

>>> from scrubjay.calendar import tokens_of
>>> said = datetime(2025, 3, 4, 10)
>>> for text in ("in half an hour", "tomorrow at 9", "on Friday at 15:30", "at 3 pm"):
...     found = moment(tokens_of(text), said)
...     print(found.kind.name, found.start.isoformat(), found.stop.isoformat())
SOON 2025-03-04T10:30:00 2025-03-04T10:37:30
DATE 2025-03-05T09:00:00 2025-03-06T00:00:00
WEEKDAY 2025-03-07T15:30:00 2025-03-07T15:30:00
CLOCK 2025-03-04T15:00:00 2025-03-04T15:00:00
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.calendar import (
    DAY,
    MONTHS,
    NAMED_DAYS,
    NEXT,
    NUMBERS,
    THIS,
    UNITS,
    WEEKDAYS,
    Token,
    clock_at,
    distance,
    phrase,
)
from scrubjay.wordlist import word_set

HOUR: Final = timedelta(hours=1)


class Kind(Enum):
    """How a moment is told."""

    SOON = 0
    """So many minutes or hours from now."""
    DATE = 1
    """A day by its date, its distance or as "tomorrow"."""
    WEEKDAY = 2
    """A day of the week, which may be any week's."""
    CLOCK = 3
    """A time of day, which may be any day's."""


class Moment(NamedTuple):
    """A moment ahead."""

    start: datetime
    stop: datetime
    """It comes no later."""
    kind: Kind
    hour: bool
    """Whether it is told to the hour."""
    remains: bool
    """Whether it is told by the time that is left: "20 more minutes"."""
    first: int
    """The first of its tokens."""
    next: int
    """The token behind it."""


IN: Final = word_set("in dans en tra fra over dentro")
"""Words before a length of time that begins now."""
_ABOUT: Final = word_set("about around roughly approximately just the circa etwa ca rund environ unos de di")
_MORE: Final = word_set("more weitere another noch encore otros otras altri altre ancora nog")
_LEFT: Final = (["left"], ["remaining"], ["übrig"], ["restantes"], ["rimanenti"])
_COUNTED: Final = (["of"], ["than"], ["from"])
"""Behind these a length of time counts something else."""
_PARTS: Final[dict[tuple[str, ...], int]] = {
    tuple(words.split()): minutes
    for minutes, row in {
        15: "a quarter of an hour/einer viertelstunde/un quart d'heure/un cuarto de hora/un quarto d'ora",
        30: "half an hour/a half hour/einer halben stunde/eine halbe stunde/une demi-heure/media hora/mezz'ora/mezzora"
        "/meia hora/een half uur",
        45: "three quarters of an hour/einer dreiviertelstunde/trois quarts d'heure",
        60: "an hour/one hour/un'ora",
        90: "an hour and a half/one and a half hours/anderthalb stunden/eineinhalb stunden/une heure et demie"
        "/una hora y media/un'ora e mezza",
    }.items()
    for words in row.split("/")
}
"""Lengths of time, in minutes, that are told in parts of hours."""
REMAINS: Final = _MORE | {word for (word,) in _LEFT} | word_set("go away")
"""Words of which what is left of a time has one."""
_LONGEST: Final = max(map(len, _PARTS))
_DAYS_LONG: Final = ("day", "week", "month", "quarter", "year")
_AT: Final = word_set("at um gegen à às las alle ore om around about")
_SHIFTS: Final = {
    "half": (30, ("past",)),
    "quarter": (15, ("past", "to")),
    "viertel": (15, ("nach", "vor")),
    "halb": (-30, ()),
}
"""Minutes beside the hour that is told, and the words between."""
_TOWARDS: Final = ("to", "vor")
_BETWEEN: Final = word_set("between zwischen entre from tra")
_AND: Final = word_set("and und et y e to")
_LATE: Final = word_set(
    "tonight evening afternoon night abend abends nachmittag nachmittags nacht soir soirée après-midi tarde noche sera"
    " stasera pomeriggio noite vanavond avond middag"
)
_EARLY: Final = word_set("morning früh vormittag vormittags morgens matin mattina stamattina manhã ochtend")
_NOW: Final = THIS | word_set("esta questa cette")
_ONE: Final = word_set("stasera stamattina")
"""Parts of the day which are today's by their name."""
DAWN: Final = 7
"""A bare hour before this one is of the afternoon (chosen)."""
_ARTICLES: Final = word_set("a an ein eine einen einem un une uno una um uma een")
_UNIT_24: Final = word_set("uhr h heures uur")
_BESIDE: Final = (
    _LATE | _EARLY | NAMED_DAYS.keys() | WEEKDAYS.keys() | NEXT | THIS
    | word_set("on in at with for sharp utc gmt , . ! ; : and then to am le el il den der des del di mit avec con im")
)  # fmt: skip
"""What may stand behind a bare hour, which so counts nothing."""
_SIGNS: Final = MONTHS.keys() | WEEKDAYS.keys() | NAMED_DAYS.keys() | NEXT | THIS
_DOTTED: Final = re.compile(r"\d+\.\d+\.(?:\d\d?)?$")
_DAY_LEAD: Final = word_set("on am den der vom zum bis le il el dem op")
_ROMANCE: Final = word_set("le la les el los il lo der die das am di del")
_APART: Final = word_set(
    "since until till by before after from of than seit bis vor nach depuis jusqu'au avant après desde hasta antes"
    " después dal dopo prima fino"
)
"""A day behind these bounds something; nothing happens on it. One "of the month" is of each."""


def moment(tokens: Sequence[Token], said: datetime) -> Moment | None:
    """The moment that the words of a clause name, told at `said` (naive UTC); None where they name none ahead."""
    words = [token.word for token in tokens]
    return _soon(words, said) or _at(tokens, words, said)


def soon(words: Sequence[str], i: int, said: datetime) -> Moment | None:
    """The moment after the minutes or hours at word `i`; a bare number last counts minutes.

    >>> soon(["back", "in", "10"], 2, datetime(2025, 3, 4, 10)).start.isoformat()
    '2025-03-04T10:10:00'
    """
    some = [*words[i:], "minutes"] if words[i].isdigit() and i + 1 == len(words) else list(words[i:])
    found = _length(some, 0, said)
    if found is None or UNITS.get(some[found[2] - 1]) in _DAYS_LONG:
        return None
    stop, edge, after = found
    return Moment(stop, stop + edge, Kind.SOON, True, True, i, i + after)


def _soon(words: list[str], said: datetime) -> Moment | None:
    """So many minutes, hours or days from now."""
    for i, word in enumerate(words):
        lead = word in IN or word in _MORE
        if not (lead or word[:1].isdigit() or word in NUMBERS):
            continue
        here = i + lead
        while here < len(words) and words[here] in _ABOUT:
            here += 1
        found = _length(words, here, said)
        if found is None:
            continue
        stop, edge, after = found
        behind = words[after : after + 2]
        if i and words[i - 1] == "for":
            continue  # a length, whenever it begins
        remains = word in _MORE or behind[:1] in _LEFT or behind == ["to", "go"] or not _MORE.isdisjoint(words[i:after])
        if behind[:1] in _COUNTED or not (lead or remains or behind[:1] == ["away"]):
            continue
        if UNITS.get(words[after - 1]) in _DAYS_LONG:
            return Moment(stop - DAY, stop, Kind.DATE, False, False, i, after)  # counted in days: some time on that day
        return Moment(stop, stop + edge, Kind.SOON, True, remains, i, after)
    return None


def _length(words: Sequence[str], i: int, said: datetime) -> tuple[datetime, timedelta, int] | None:
    """Where the length of time at token `i` ends, counted from `said`, as `calendar.distance`."""
    for size in range(min(_LONGEST, len(words) - i), 0, -1):
        minutes = _PARTS.get(tuple(words[i : i + size]))
        if minutes is not None:
            length = timedelta(minutes=minutes)
            return said + length, length / 4, i + size
    found = distance([Token(w, w) for w in words[i : i + 4]], 0, said)
    return None if found is None else (found[0], found[1], i + found[2])


class _Hour(NamedTuple):
    """A time of day, from midnight."""

    time: timedelta
    sure: bool
    """Whether it can be of one half of the day only."""
    first: int
    next: int


def _at(tokens: Sequence[Token], words: list[str], said: datetime) -> Moment | None:
    """A day, a time of day, or both."""
    days = _days(list(tokens), words, said)
    hour = _hour(words)
    if days is None or len(days) > 1 or not (days or hour):  # two days are a range, or of two things
        return None
    today = said.replace(hour=0, minute=0, second=0, microsecond=0)
    if days:
        day, kind, first, after = days[0]
    else:
        now = any(a in _NOW and (b in _LATE or b in _EARLY) for a, b in pairwise(words)) or not _ONE.isdisjoint(words)
        day, kind, first, after = today, Kind.DATE if now else Kind.CLOCK, len(words), 0
    if hour is None:
        return Moment(day, day + DAY, kind, False, False, first, after)
    at, sure = day + hour.time, hour.sure
    if at <= said and not sure:
        at, sure = at + DAY / 2, True
    if at <= said and kind is Kind.CLOCK:
        at += DAY
    stop = at if sure else at.replace(hour=0, minute=0) + DAY
    return Moment(at, stop, kind, True, False, min(first, hour.first), max(after, hour.next))


def _days(tokens: list[Token], words: list[str], said: datetime) -> list[tuple[datetime, Kind, int, int]] | None:
    """The days that are named: midnight, how, the first token and the one behind; None where one bounds something."""
    day_first = not _ROMANCE.isdisjoint(words)
    found, i = [], 0
    while i < len(words):
        here, i = i, i + 1
        if words[here] not in _SIGNS and not words[here][:1].isdigit():
            continue
        if _DOTTED.match(words[here]) and words[max(0, here - 1)] not in _DAY_LEAD:
            continue  # a version rather than a day
        span = phrase(tokens, here, said, day_first=day_first)
        if span is None or span.clock or span.stop - span.start > DAY:
            continue
        lead = [w for w in words[max(0, here - 2) : here] if w not in ("the", "on", "der", "dem", "le", "el", "il")]
        if (lead and lead[-1] in _APART) or words[span.next : span.next + 1] == ["of"]:
            return None
        midnight = span.start.replace(hour=0, minute=0)
        exact = span.dated or words[here] in THIS
        found.append((midnight, Kind.DATE if exact else Kind.WEEKDAY, here, span.next))
        i = span.next
    return found


def _hour(words: list[str]) -> _Hour | None:
    """The time of day that is named; of "between 8 and 10" the later one."""
    found = None
    for i in range(len(words)):
        lead = words[i - 1] if i else ""
        reading = _clock(words, i, lead in _AT or (lead in _AND and _ranges(words, i)))
        if reading is not None and (found is None or i >= found.next):
            found = reading if lead not in _APART or lead in _BETWEEN else None
    if found is None or found.sure:
        return found
    hours = found.time / timedelta(hours=1)
    if not _LATE.isdisjoint(words) or hours < DAWN:
        return found._replace(time=found.time + DAY / 2 * (hours < 12), sure=True)
    return found._replace(sure=not _EARLY.isdisjoint(words) or hours >= 12)


def _ranges(words: list[str], i: int) -> bool:
    return any(w in _BETWEEN for w in words[max(0, i - 4) : i])


def _clock(words: list[str], i: int, at: bool) -> _Hour | None:
    """The time of day at token `i`; a bare number is one behind "at"."""
    found = clock_at(words, i)
    if found is not None:
        exact = words[i].endswith("m") or words[i][:1] not in "123456789" or "h" in words[i] or found[1] > i + 1
        return _Hour(found[0], exact or found[0] >= 13 * HOUR or found[0] < HOUR, i, found[1])
    if not at:
        return None
    here, shift = i, timedelta(0)
    if words[i] in _SHIFTS:  # "half past four", "viertel nach drei"
        minutes, joins = _SHIFTS[words[i]]
        here += 1 + (words[i + 1 : i + 2] != [] and words[i + 1] in joins)
        shift = timedelta(minutes=-minutes if words[here - 1] in _TOWARDS else minutes)
    word = words[here] if here < len(words) else ""
    hour = int(word) if word.isdigit() and len(word) < 3 else NUMBERS.get(word, 0)
    behind = words[here + 1] if here + 1 < len(words) else "."
    if not 0 < hour < 25 or word in _ARTICLES or (behind not in _BESIDE and behind not in _UNIT_24):
        return None
    exact = hour >= 13 or behind in _UNIT_24
    return _Hour(hour * HOUR + shift, exact, i, here + 1 + (behind in _UNIT_24))
