"""Whether a span between two names comes again: "Monday through Friday", "from June until August".

Two names of days of the week, or of months, without a day, a year or "next" beside either say as well what holds each
week or year: opening hours, work, school, seasons, services. Only what speaks of one such time ends with it: an
absence, a stay, an event, an offer, a duty that is handed on, what will be, what is under way. In doubt there is no
end: one that is missed costs less than one that is false. What is said of each year ends in none.

>>> from scrubjay.calendar import tokens_of
>>> def last(text, cue):
...     tokens = tokens_of(text)
...     at = [token.word for token in tokens].index(cue)
...     return repeats(tokens, at, phrase(tokens, at + 1, datetime(2025, 3, 4)))
>>> last("The desk is staffed from Monday through Friday.", "through")
True
>>> last("Ann is on leave from Monday through Friday.", "through")
False
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from typing import Final

from scrubjay.calendar import DAY, MONTHS, NEXT, THIS, UNITS, WEEKDAYS, Span, Token, phrase
from scrubjay.wordlist import word_set

_FILL: Final = word_set(
    "the of in on , early late mid am im zum der den dem le la el il lo o de du di da al and including einschließlich"
    " inclusive to zu a al à ao em en"
)
_ABSENT: Final = word_set(
    "vacation vacations pto sabbatical absent absence ooo sick ill abroad honeymoon secondment temporarily"
    " urlaub abwesend abwesenheit krank krankgeschrieben verreist elternzeit dienstreise kur"
    " congé congés absente malade vacaciones ausente enfermo enferma"
    " ferie congedo assente malato malata férias licença doente vakantie verlof afwezig ziek"
)
"""Absences: of one time, whatever else is said."""
_ONCE: Final = word_set(
    "away holiday holidays offline trip leave booked reserved loaned borrowed blocked on-call oncall sale festival"
    " conference exhibition exhibit workshop retreat hackathon fair congress strike freeze outage renovation"
    " renovations closure quarantine internship registration auction summit unavailable"
    " weg besuch gebucht reserviert vermietet ausverkauf messe ausstellung tagung konferenz streik sperrung umbau"
    " praktikum rufbereitschaft vertretung vertritt gesperrt"
    " vacances arrêt voyage déplacement réservé réservée soldes exposition congrès grève travaux astreinte remplace"
    " viaje baja reservado reservada rebajas feria exposición congreso huelga obras guardia sustituye"
    " vacanza vacanze viaggio trasferta prenotato prenotata saldi fiera mostra congresso sciopero lavori reperibile"
    " sostituisce viagem feira exposição greve obras plantão substitui reis gereserveerd geboekt beurs staking"
)
"""What speaks of one time, unless a timetable is kept of it."""
_OFFERS: Final = word_set(
    "offer discount promo promotion deal coupon angebot rabatt aktion offre remise promotion oferta descuento"
    " promoción offerta sconto promozione promoção desconto aanbieding korting"
)
"""These come each week as well, but not each year."""
_WE: Final = word_set("we they you i shops stores hotels restaurants")
_UNDER_WAY: Final = word_set(
    "visiting staying travelling traveling touring sleeping camping hiking sailing hosting attending covering"
    " substituting filling standing recovering sitting babysitting house-sitting borrowing exhibiting spending"
)
_STAY: Final = word_set("stay visit travel host tour camp sleep cover")
_PLACE: Final = word_set("in at with on there here away out off abroad")
_BEING: Final = word_set("is are am be")
_AROUND: Final = frozenset({("on", "call"), ("out", "of"), ("on", "duty"), ("off", "work"), ("en", "stage")})
_SERVED: Final = word_set(
    "open opens opened opening hours available working works teaching training running commuting studying serving desk"
    " geöffnet offen öffnet ouvert ouverte ouvre abierto abierta abre aperto aperta apre aberto school season service"
    " operating morning evening during"
)
"""What is kept as a timetable, even in the form of what is under way."""
_SINCE: Final = word_set("since seit depuis")
_EACH: Final = word_set(
    "every each any jeden jede jedes jeder chaque tous toutes cada todos todas todo ogni tutti elk elke ieder iedere"
)
_YEARS: Final = frozenset(
    [word for word, unit in UNITS.items() if unit == "year"]
) | word_set(
    "summer winter spring autumn fall season sommer winter frühling herbst frühjahr été hiver printemps automne verano"
    " invierno otoño primavera estate inverno autunno verão outono zomer lente herfst saison"
)  # fmt: skip
_YEARLY: Final = word_set(
    "yearly annually annual alljährlich jährlich annuellement anualmente annualmente jaarlijks summers winters"
)
_KEPT: Final = word_set(
    "fiscal tax financial business academic school accounting fiscale scolaire fiscal escolar scolastico"
)
"""Beside "year": what begins again where it ends."""
_KEPT_YEARS: Final = word_set("geschäftsjahr steuerjahr schuljahr wirtschaftsjahr haushaltsjahr boekjaar schooljaar")
_YEAR: Final = re.compile(r"\d{4}")
_ARTICLES: Final = word_set("the los las les gli i os as le la il el")


def repeats(tokens: list[Token], i: int, span: Span) -> bool:
    """Whether the span that ends with `span`, behind the word for "until" at token `i`, comes again."""
    every = [token.word for token in tokens]
    if _undated(tokens, i + 1, span.next) and _each_year(every):
        return True
    kind = _bare(every[i + 1 : span.next])
    if kind is None or not _from(every, i, kind):
        return False
    habit = any(w in _EACH for w in every) or any(w.endswith("s") and w[:-1] in WEEKDAYS for w in every)
    return habit or not _one_time(every, kind is MONTHS)


def _bare(some: list[str]) -> dict[str, int] | None:
    """Days of the week or months, where the words are one name of them; none where a date is beside it."""
    names = [w for w in some if w not in _FILL]
    if not names or any(w in NEXT or w in THIS for w in some):
        return None
    kind = WEEKDAYS if names[0] in WEEKDAYS else MONTHS if names[0] in MONTHS else None
    if kind is None:
        return None
    if kind is MONTHS:
        return kind if len(names) == 1 else None
    # a time of day may stand behind the day's name, a day of the month makes it one day
    return kind if all(":" in w or w[-1:] in "hm" or w in ("noon", "midnight", "uhr") for w in names[1:]) else None


def _from(every: list[str], i: int, kind: dict[str, int]) -> bool:
    """Whether such a name stands before the word at `i`, with no date beside it."""
    j = _name_before(every, i)
    if j < 0 or every[j] not in kind:
        return False
    left = every[j - 1] if j else ""
    return not (left[:1].isdigit() or left in NEXT or left in THIS)


def _name_before(every: list[str], i: int) -> int:
    """Where the name of a day or month stands that a span up to the word at `i` begins with, -1 for none."""
    for j in range(i - 1, max(-1, i - 4), -1):
        if every[j] in WEEKDAYS or every[j] in MONTHS:
            return -1 if j and every[j - 1] in _SINCE else j
        if every[j] not in _FILL and not (":" in every[j] or every[j][-1:] in "hm"):
            return -1
    return -1


def behind_start(tokens: list[Token], i: int, said: datetime, span: Span) -> Span:
    """A span that ends on a day of the week, moved on by weeks until it ends behind the day that it begins on."""
    every = [token.word for token in tokens]
    j = _name_before(every, i)
    if j < 0 or every[j] not in WEEKDAYS or _bare(every[i + 1 : span.next]) is not WEEKDAYS:
        return span
    if WEEKDAYS[every[j]] == said.weekday() and not (j and every[j - 1] in NEXT):
        return span
    begin = phrase(tokens, j - (j > 0 and every[j - 1] in NEXT), said)
    if begin is None or span.stop > begin.start:
        return span
    weeks = ((begin.start - span.stop) // (7 * DAY) + 1) * 7 * DAY
    return span._replace(start=span.start + weeks, stop=span.stop + weeks)


def _undated(tokens: list[Token], start: int, stop: int) -> bool:
    """Whether words name no year."""
    return not any(_YEAR.search(token.word) for token in tokens[start:stop])


def _each_year(every: list[str]) -> bool:
    if any(w in _YEARLY for w in every):
        return True
    for j, w in enumerate(every):
        ahead = [v for v in every[j + 1 : j + 3] if v not in _ARTICLES]
        if w in _EACH and ahead[:1] and ahead[0] in _YEARS:
            return True
        beside = every[max(0, j - 1) : j + 2]  # "the tax year", "l'année fiscale"
        kept = w in _KEPT_YEARS or (w.rpartition("'")[2] in _YEARS and not _KEPT.isdisjoint(beside))
        if kept and THIS.isdisjoint(every[max(0, j - 2) : j]):
            return True
    return False


def _one_time(every: list[str], yearly: bool) -> bool:
    """Whether words speak of one time; `yearly` tells months from days of the week."""
    if any(w in _ABSENT for w in every):
        return True
    pairs = list(pairwise(["", *every, ""]))
    # "on leave", "parental leave"; but "buses leave"
    if any(w == "leave" and (b in ("on", "of") or b.endswith(("al", "ity", "ick", "id"))) for b, w in pairs):
        return True
    if any(w in _SERVED for w in every):
        return False
    if any(w in _ONCE and w != "leave" and not (w == "sale" and b == "on") for b, w in pairs):
        return True
    if yearly and any(w in _OFFERS and b not in _WE for b, w in pairs):
        return True
    if any(pair in _AROUND for pair in pairs):
        return True
    for (b, w), (_, follow) in pairwise(pairs):
        is_now = b in _BEING or b.endswith(("'s", "'m", "'re"))
        will = b == "will" or b.endswith("'ll")
        if is_now and (w in _UNDER_WAY or w in ("out", "off", "gone")):
            return True
        if will and (w in _STAY or (w == "be" and (follow in _PLACE or follow in _UNDER_WAY))):
            return True
    return False
