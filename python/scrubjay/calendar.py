"""Words for days, months, spans and clock times in several languages, and the stretch of time that a phrase names.

A phrase is read at a place among a text's tokens and resolved against the moment at which the text was said: "Friday"
is the next one, "the 10th" the next 10th, "3 May" the next 3 May, "next week" the week after this one (weeks begin on
Monday). What could be two days ("5/6/2025") is none. Times are UTC.

>>> said = datetime(2025, 3, 4, 10)
>>> phrase(tokens_of("the 10th"), 0, said).stop.isoformat()
'2025-03-11T00:00:00'
>>> phrase(tokens_of("soon"), 0, said) is None
True
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from scrubjay.wordlist import word_set

DAY: Final = timedelta(days=1)
CLOCK_EDGE: Final = timedelta(minutes=15)
"""How exactly a clock time is meant (chosen)."""
DAY_EDGE: Final = timedelta(hours=2)
"""How exactly the end of a named day is meant: what ends with that day is hardly over before its evening (chosen)."""


def _numbered(first: int, *rows: str) -> dict[str, int]:
    return {word: first + i for row in rows for i, words in enumerate(row.split()) for word in words.split("/")}


MONTHS: Final = _numbered(
    1,
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct"
    " november/nov december/dec",
    "januar/jänner februar märz april mai juni juli august september oktober/okt november dezember/dez",
    "janvier février/fevrier mars avril mai juin juillet août/aout septembre octobre novembre décembre/decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março maio/abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
) | {"abril": 4, "maio": 5}  # fmt: skip
WEEKDAYS: Final = _numbered(
    0,
    "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun",
    "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles/miercoles jueves viernes sábado/sabado domingo",
    "lunedì/lunedi martedì/martedi mercoledì/mercoledi giovedì/giovedi venerdì/venerdi sabato domenica",
    "segunda-feira/segunda terça-feira/terça quarta-feira/quarta quinta-feira/quinta sexta-feira/sexta sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)
NUMBERS: Final = _numbered(
    1,
    "one/a/an two/couple three four five six seven eight nine ten eleven twelve",
    "ein/eine/einen/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "uno/una/un dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "uno/una/un due tre quattro cinque sei sette otto nove dieci undici dodici",
    "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
    "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
) | _numbered(
    13,
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt",
    "trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte",
    "tredici quattordici quindici sedici diciassette diciotto diciannove venti",
) | (
    _numbered(25, "twenty-five/fünfundzwanzig/vingt-cinq/veinticinco/venticinque/vijfentwintig")
    | _numbered(30, "thirty/dreißig/trente/treinta/trenta/trinta/dertig")
    | _numbered(40, "forty/vierzig/quarante/cuarenta/quaranta/quarenta/veertig")
    | _numbered(45, "forty-five/fünfundvierzig/quarante-cinq/quarantacinque")
    | _numbered(60, "sixty/sechzig/soixante/sesenta/sessanta") | _numbered(90, "ninety/neunzig/noventa/novanta")
) | {"half": 0}  # fmt: skip
UNITS: Final = {
    word: unit
    for unit, words in {
        "minute": "minute minutes min mins minuten minuto minutos minuti minuut",
        "hour": "hour hours stunde stunden heure heures hora horas ora ore uur",
        "day": "day days tag tage tagen tages jour jours día días dia dias giorno giorni dag dagen business working",
        "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken",
        "month": "month months monat monate monaten monats mois mes meses mese mesi mês maand maanden",
        "quarter": "quarter quarters quartal quartals trimestre kwartaal",
        "year": "year years jahr jahre jahren jahres an ans année années año años anno anni ano anos jaar",
    }.items()
    for word in words.split()
}
NEXT: Final = word_set(
    "next following nächste nächsten nächster nächstes nächstem prochain prochaine próximo próxima "
    "prossimo prossima volgende"
)
THIS: Final = word_set(
    "this coming current upcoming diese diesen dieser dieses diesem kommenden kommende ce cet cette este "
    "esta questo questa deze dit"
)
_FILL: Final = word_set(
    "the on at in of der dem den die das am um zum vom des le la les l' el los las il lo o os au du de "
    "del della do da al ao à a op de van and including inclusive einschließlich early late , s uhr"
)  # fmt: skip
_BESIDE: Final = word_set("inclus et à au mais car pour puis donc")
_END: Final = word_set("end close ende fin final finales fine fim eind einde month-end year-end monatsende jahresende")
NAMED_DAYS: Final = {
    **dict.fromkeys(
        ["today", "tonight", "heute", "aujourd'hui", "hoy", "oggi", "hoje", "vandaag", "vanavond", "eod", "cob"], 0
    ),
    **dict.fromkeys(word_set("tomorrow morgen demain mañana domani amanhã overmorgen"), 1),
    **dict.fromkeys(word_set("overmorrow übermorgen après-demain"), 2),
}
_SHORT: Final = {"eow": "week", "eom": "month", "eoq": "quarter", "eoy": "year",
                 "monatsende": "month", "jahresende": "year", "month-end": "month", "year-end": "year"}  # fmt: skip
_WEEKEND: Final = word_set("weekend week-end wochenende wochenendes")
_NOON: Final = word_set("noon midday mittag midi mediodía mezzogiorno")
_MIDNIGHT: Final = word_set("midnight mitternacht minuit medianoche mezzanotte meia-noite middernacht")
_AT: Final = word_set("at um à alle às om on , las a")
_ORDINAL: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º|ª|°|\.|e)?$")
_MARKED: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th|er|º|ª|°|\.)$")
_ISO: Final = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)$")
_DOTTED: Final = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4}|\d\d)?$")
_SLASHED: Final = re.compile(r"(\d\d?)/(\d\d?)(?:/(\d{4}|\d\d))?$")
_CLOCK: Final = re.compile(r"(\d\d?)(?:[:h](\d\d)?)? ?([ap])?\.?(m)?\.?$")
_YEAR: Final = re.compile(r"(?:19|20|21)\d\d$")
_QUARTER: Final = re.compile(r"q([1-4])$")
_TOKEN: Final = re.compile(
    r"\d{4}-\d\d?-\d\d?(?!\d)|\d\d?\.\d\d?\.(?:\d{4}|\d\d)?(?!\d)|\d\d?/\d\d?/(?:\d{4}|\d\d)(?!\d)|\d\d?/\d\d?(?![\d/])"
    r"|\d\d?[:h]\d\d(?: ?[ap]\.?m\b\.?)?|\d\d? ?[ap]\.?m\b\.?|\d\d?h\b"
    r"|\d+(?:st|nd|rd|th|er|º|ª|°)\b|\d\d?\.(?= ?[^\W\d_])|\d+"
    r"|[^\W\d_]+(?:['’-][^\W\d_]+)*\d?|[–—-]|[.!?;:,\"“”]"
)

_STAMP: Final = re.compile(
    r"(?<!\d)(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)[Tt ](?P<hour>\d\d):(?P<minute>\d\d)(?::\d\d(?:[.,]\d+)?)?"
    r" ?(?:[Zz]\b|(?:UTC|GMT)\b|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)?(?![:\d]| ?(?:[Zz]|UTC|GMT)\b))?"
)


class Token(NamedTuple):
    """A word, number, date or mark of a text."""

    word: str
    """In lower case."""
    raw: str


class Span(NamedTuple):
    """A stretch of time that a phrase names."""

    start: datetime
    stop: datetime
    """The first moment behind it."""
    edge: timedelta
    """How exactly its end is meant."""
    clock: bool
    """A time of day without a day."""
    dated: bool
    """It names a month, a year or a distance, so that no timetable repeats it each week."""
    next: int
    """The token behind it."""


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text.

    >>> [token.word for token in tokens_of("Bis 15. April, 17:00")]
    ['bis', '15.', 'april', ',', '17:00']
    """
    return [Token(raw.lower().replace("’", "'"), raw) for raw in _TOKEN.findall(_STAMP.sub(_in_utc, text))]


def _in_utc(stamp: re.Match[str]) -> str:
    """An ISO 8601 moment as a day and a time of day, UTC."""
    try:
        moment = datetime(*(int(part) for part in stamp.group("year", "month", "day", "hour", "minute")))  # type: ignore[arg-type]
        if stamp["sign"]:
            ahead = timedelta(hours=int(stamp["hours"]), minutes=int(stamp["minutes"] or 0))
            moment = moment - ahead if stamp["sign"] == "+" else moment + ahead
    except (ValueError, OverflowError):
        return stamp[0]
    return moment.isoformat(" ", "minutes")


def phrase(tokens: list[Token], at: int, said: datetime, *, day_first: bool = False) -> Span | None:
    """The stretch of time that the phrase at token `at` names, None where it names none for sure.

    `said` is naive UTC; `day_first` tells how dates with slashes are written.

    >>> found = phrase(tokens_of("the end of the month"), 0, datetime(2025, 3, 4))
    >>> found.stop.isoformat(), str(found.edge)
    ('2025-04-01T00:00:00', '2:00:00')
    """
    words = [token.word for token in tokens]
    # "jusqu'au 12": its article is written together with the word before it
    i, fill = at, "au" if at and words[at - 1].endswith("'au") and _alone(words, at + 1) else ""
    while i < len(words) and i < at + 4 and words[i] in _FILL and _clock(words[i]) is None:
        fill, i = words[i], i + 1
    if i >= len(words):
        return None
    try:
        today = said.replace(hour=0, minute=0, second=0, microsecond=0)
        found = _named(words, i, said, _Place(today, fill, day_first))
    except (ValueError, OverflowError):
        return None
    if found is None or (found.next < len(words) and words[found.next] == "'s"):
        return None
    return found


def _alone(words: list[str], i: int) -> bool:
    """Whether no word that a number at token `i` - 1 may count follows."""
    return i >= len(words) or not words[i][0].isalpha() or words[i] in _BESIDE


class _Place(NamedTuple):
    """What a phrase is read beside."""

    today: datetime
    fill: str
    """The small word before it."""
    day_first: bool


def _named(w: list[str], i: int, said: datetime, c: _Place) -> Span | None:
    today = c.today
    for read in (_closing, _date, _day, _unit):
        found = read(w, i, c)
        if found is not None:
            return _at_clock(w, found)
    hour = clock_at(w, i)
    if hour is None:
        return None
    time, after = hour
    follow = after + (after < len(w) and w[after] in _FILL)
    for read in (_date, _day):
        found = read(w, follow, c._replace(fill="")) if follow < len(w) else None
        if found is not None and found.stop - found.start == DAY:
            return _instant(found.start + time, found.dated, found.next)
    stop = today + time
    if stop <= said:
        stop += DAY
    return Span(stop, stop, CLOCK_EDGE, True, False, after)


def _instant(moment: datetime, dated: bool, after: int) -> Span:
    return Span(moment, moment, CLOCK_EDGE, False, dated, after)


def _at_clock(w: list[str], found: Span) -> Span:
    """A day with the time of day behind it, if there is one."""
    if found.stop - found.start != DAY:
        return found
    i = found.next
    while i < min(len(w), found.next + 2) and w[i] in _AT:
        i += 1
    hour = clock_at(w, i) if i < len(w) else None
    if hour is None or (i == found.next and w[i].isdigit()):
        return found
    return _instant(found.start + hour[0], found.dated, hour[1])


def clock_at(w: list[str], i: int) -> tuple[timedelta, int] | None:
    """A time of day at word `i`, from midnight, and the word behind it.

    >>> clock_at(["at", "noon"], 1)
    (datetime.timedelta(seconds=43200), 2)
    """
    if w[i] in _NOON:
        return timedelta(hours=12), i + 1
    if w[i] in _MIDNIGHT:
        return DAY, i + 1
    after = w[i + 1] if i + 1 < len(w) else ""
    hour = NUMBERS.get(w[i], 0) if after in ("o'clock", "uhr", "heures") else 0
    if hour:
        return timedelta(hours=hour), i + 2
    time = _clock(w[i])
    if time is None and w[i].isdigit() and int(w[i]) < 25 and after in ("uhr", "o'clock", "heures", "uur"):
        return timedelta(hours=int(w[i])), i + 2
    return None if time is None else (time, i + 1)


def _clock(word: str) -> timedelta | None:
    match = _CLOCK.match(word)
    if match is None or not (match[2] or match[3] or word.endswith("h")):
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return timedelta(hours=hour, minutes=minute) if hour < 25 and minute < 60 else None


def _dated(start: datetime, stop: datetime, after: int, *, edge: timedelta | None = None, dated: bool = True) -> Span:
    meant = DAY_EDGE if stop - start == DAY else stop - start
    return Span(start, stop, meant if edge is None else edge, False, dated, after)


def _month(year: int, month: int) -> datetime:
    return datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def unit_span(unit: str, today: datetime, ahead: int = 0) -> tuple[datetime, datetime]:
    """First moment of the calendar unit that `today` lies in, or of one `ahead`, and the first behind it.

    >>> [x.isoformat()[:10] for x in unit_span("week", datetime(2025, 3, 4), 1)]
    ['2025-03-10', '2025-03-17']
    """
    if unit == "day":
        return today + ahead * DAY, today + (ahead + 1) * DAY
    if unit == "week":
        monday = today - today.weekday() * DAY + 7 * ahead * DAY
        return monday, monday + 7 * DAY
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = (today.month - 1) // size * size + 1
    return _month(today.year, first + ahead * size), _month(today.year, first + (ahead + 1) * size)


def _closing(w: list[str], i: int, c: _Place) -> Span | None:
    """ "the end of ...": what ends there ends with its last day."""
    today = c.today
    if w[i] in _SHORT:
        return _dated(*unit_span(_SHORT[w[i]], today), i + 1, edge=DAY_EDGE)
    if w[i] not in _END:
        return None
    i += 1
    while i < len(w) and w[i] in _FILL:
        i += 1
    found = None
    for read in (_unit, _date, _day):
        found = found or (read(w, i, c._replace(fill="the")) if i < len(w) else None)
    if found is None and i < len(w) and UNITS.get(w[i]) in ("day", "week", "month", "quarter", "year"):
        found = _dated(*unit_span(UNITS[w[i]], today), i + 1)
    return None if found is None else found._replace(edge=DAY_EDGE)


def _unit(w: list[str], i: int, c: _Place) -> Span | None:
    """ "next week", "this month", "Q2 2026", "the weekend"."""
    today = c.today
    ahead = 1 if w[i] in NEXT else 0 if w[i] in THIS else None
    if ahead is not None and i + 1 < len(w):
        unit = UNITS.get(w[i + 1])
        if unit in ("week", "month", "quarter", "year"):
            return _dated(*unit_span(unit, today, ahead), i + 2)
        i += 1
    if w[i] in _WEEKEND:
        monday = unit_span("week", today, ahead or 0)[1]
        return _dated(monday - 2 * DAY, monday, i + 1, dated=False)
    match = _QUARTER.match(w[i])
    if match is not None:
        year, after = _year(w, i + 1)
        start = _month(year or today.year, 3 * int(match[1]) - 2)
        stop = _month(start.year, start.month + 3)
        return None if year is None and stop <= today else _dated(start, stop, after)
    return None


def _year(w: list[str], i: int) -> tuple[int | None, int]:
    j = i + (i + 1 < len(w) and w[i] in (",", "de", "of", "del"))
    return (int(w[j]), j + 1) if j < len(w) and _YEAR.match(w[j]) else (None, i)


def _date(w: list[str], i: int, c: _Place) -> Span | None:
    """A day by its number, or a month or year: "3 May", "May 3rd, 2025", "2025-05-03", "the 10th", "August 2026"."""
    today, fill, day_first = c
    if (match := _ISO.match(w[i])) is not None:
        start = datetime(int(match[1]), int(match[2]), int(match[3]))
        return _dated(start, start + DAY, i + 1)
    if (match := _DOTTED.match(w[i])) is not None:
        short = int(match[3] or 0)
        return _calendar(int(match[1]), int(match[2]), short + 2000 * (0 < short < 100), i + 1, today)
    if (match := _SLASHED.match(w[i])) is not None:
        a, b, short = int(match[1]), int(match[2]), int(match[3] or 0)
        if not day_first and a <= 12 and b <= 12 and a != b:
            return None
        if not match[3] and ((not day_first and max(a, b) <= 12) or {a, b} == {24, 7}):  # "1/1", "24/7" are no days
            return None
        day, month = (a, b) if (day_first and b <= 12) or a > 12 else (b, a)
        return _calendar(day, month, short + 2000 * (0 < short < 100), i + 1, today) if 0 < month < 13 else None
    if _YEAR.match(w[i]):
        start = datetime(int(w[i]), 1, 1)
        return _dated(start, datetime(start.year + 1, 1, 1), i + 1)
    if (match := _ORDINAL.match(w[i])) is not None:
        j = i + 1
        while j < min(len(w), i + 2) and w[j] in ("of", "de", "di"):
            j += 1
        if j < len(w) and w[j] in MONTHS:
            year, after = _year(w, j + 1)
            return _calendar(int(match[1]), MONTHS[w[j]], year or 0, after, today)
        if _MARKED.match(w[i]) or fill in ("le", "el", "il", "den", "am", "zum", "au", "al"):
            return _calendar(int(match[1]), 0, 0, i + 1, today)
        return None
    if w[i] in MONTHS:
        month = MONTHS[w[i]]
        match = _ORDINAL.match(w[i + 1]) if i + 1 < len(w) else None
        if match is not None and clock_at(w, i + 1) is None:
            year, after = _year(w, i + 2)
            return _calendar(int(match[1]), month, year or 0, after, today)
        year, after = _year(w, i + 1)
        first = _month(year or today.year + (month < today.month), month)
        return _dated(first, _month(first.year, month + 1), after)
    return None


def _calendar(day: int, month: int, year: int, after: int, today: datetime) -> Span | None:
    """A day of the month; without a year, or a month, the next one."""
    if year:
        start = datetime(year, month, day)
        return _dated(start, start + DAY, after)
    for ahead in range(97 if (day, month) == (29, 2) else 13):
        first = _month(today.year, today.month + ahead)
        if month and first.month != month:
            continue
        try:
            start = first.replace(day=day)
        except ValueError:
            continue
        if start >= today:
            return _dated(start, start + DAY, after, dated=bool(month))
    return None


def _day(w: list[str], i: int, c: _Place) -> Span | None:
    """A day by its name: "Friday", "next Monday", "Monday the 10th", "tomorrow"."""
    today = c.today
    if w[i] in NAMED_DAYS:
        start = today + NAMED_DAYS[w[i]] * DAY
        return _dated(start, start + DAY, i + 1)
    ahead = w[i] in NEXT
    i += (ahead or w[i] in THIS) and i + 1 < len(w)
    if w[i] not in WEEKDAYS:
        return None
    weekday, after = WEEKDAYS[w[i]], i + 1
    if after < len(w) and w[after] in NEXT:
        ahead, after = True, after + 1
    follow = after
    while follow < min(len(w), after + 2) and w[follow] in (",", "the", "den", "dem", "le", "el", "il"):
        follow += 1
    if follow < len(w) and clock_at(w, follow) is None:
        exact = _date(w, follow, c._replace(fill=w[follow - 1]))
        if exact is not None and exact.stop - exact.start == DAY:
            return _matching(exact, weekday)
    step = (weekday - today.weekday() - 1) % 7 + 1
    if ahead:
        step = 7 - today.weekday() + weekday
    start = today + step * DAY
    return _dated(start, start + DAY, after, dated=ahead)


def _matching(exact: Span, weekday: int) -> Span | None:
    """A day of the month that is also this day of the week; a later month's where this month's is not."""
    if exact.start.weekday() == weekday:
        return exact._replace(dated=True)
    if exact.dated:
        return None
    for ahead in range(1, 13):
        first = _month(exact.start.year, exact.start.month + ahead)
        try:
            start = first.replace(day=exact.start.day)
        except ValueError:
            continue
        if start.weekday() == weekday:
            return exact._replace(start=start, stop=start + DAY, dated=True)
    return None


def distance(tokens: list[Token], at: int, said: datetime) -> tuple[datetime, timedelta, int] | None:
    """Where "two weeks" or "30 days" from `said` end, how exactly that is meant, and the token behind.

    >>> distance(tokens_of("two weeks"), 0, datetime(2025, 3, 4))[0].isoformat()
    '2025-03-19T00:00:00'
    """
    w = [token.word for token in tokens[at : at + 4]]
    if w and w[0][:-1].isdigit() and w[0].endswith("h"):
        hours = timedelta(hours=int(w[0][:-1]))
        return said + hours, hours / 4, at + 1
    if len(w) < 2:
        return None
    count = int(w[0]) if w[0].isdigit() and len(w[0]) < 5 else NUMBERS.get(w[0], 0)
    j = 1 + (w[1] in ("of", "more", "weitere", "business", "working", "full", "of"))
    unit = UNITS.get(w[j]) if j < len(w) else None
    if not count or unit is None:
        return None
    after = at + j + 1
    try:
        if unit in ("month", "quarter", "year"):
            months = count * {"month": 1, "quarter": 3, "year": 12}[unit]
            first = _month(said.year, said.month + months)
            day = min(said.day, (_month(first.year, first.month + 1) - DAY).day)
            end = said.replace(year=first.year, month=first.month, day=day)
            return _through(end), DAY, after
        size = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": DAY, "week": 7 * DAY}[unit]
        end = said + count * size
    except (ValueError, OverflowError):
        return None
    if size < DAY:
        return end, size / 4, after
    return _through(end), DAY_EDGE if size == DAY else DAY, after


def _through(moment: datetime) -> datetime:
    """The end of the day: what is counted in days ends with one."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0) + DAY
