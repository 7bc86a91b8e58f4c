"""When a statement is over by its own words: "until Monday the 10th", "the offer ends on 3 May", "expires in 30 days".

The end is resolved against the time at which it was said. It is taken only where the words leave one reading: a time
of day that repeats ("open until 8pm"), a timetable, something that begins then ("not until the 10th"), what is told of
the past, an age, and an end that lies before what is said are no ends. An end bounds the clause that it stands in
(`scrubjay.encode.clauses`): a text of which another clause holds on has none, one whose clauses all end has the last.

>>> stated_end("Sam is on call until Monday the 10th.", 1741082400.0)
End(at=1741651200.0, edge=7200.0)
>>> stated_end("The shop was open until recently.", 1741082400.0) is None
True
>>> stated_end("Sam is a nurse and is on call until Monday the 10th.", 1741082400.0) is None
True
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from scrubjay.calendar import DAY, DAY_EDGE, MONTHS, UNITS, Span, Token, distance, phrase, tokens_of, unit_span
from scrubjay.encode.clauses import clauses
from scrubjay.encode.once import FROM, HABIT, VALID, issued, single
from scrubjay.encode.repeats import behind_start, repeats
from scrubjay.encode.said import statement
from scrubjay.encode.scheduled import happening
from scrubjay.encode.stretches import THIS, between, closed, hours_today, within
from scrubjay.encode.tellings import BEING, PAST, UNTIL, is_ban, of_a_kind, told, untitled
from scrubjay.encode.when import EPOCH, MAX_SECONDS
from scrubjay.wordlist import word_set

LIMIT: Final = 400
"""Longest text, in characters, whose end is that of all it says (chosen)."""


class End(NamedTuple):
    """The end of a statement, seconds since the epoch."""

    at: float
    """It is over from here on."""
    edge: float
    """How exactly it is meant: it may be over from `at - edge` on."""


_THROUGH: Final = word_set("through thru throughout including inclusive einschließlich inklusive")
_BY: Final = word_set("by")
_BEFORE: Final = word_set("before avant antes")
_EXPIRES: Final = word_set(
    "expires expire expiring expiry lapses verfällt expirent vence vencen caduca expira scade scadono verloopt"
)
_ENDS: Final = _EXPIRES | word_set(
    "ends end ending closes close closing ferme ferment cierra cierran chiude chiudono fecha"
    " finishes terminates lifts stops endet enden läuft ablaufen schließt"
    " finissent termine terminent finit prend cesse termina terminan acaba finisce eindigt"
)
_DONE: Final = word_set("over vorbei terminé terminée finita finito")
_ON_DAY: Final = word_set("am ab il el")
_RUN_OUT: Final = word_set("runs run running")
_DUE: Final = word_set(
    "due deadline cutoff cut-off frist abgabe fällig abgabetermin échéance plazo vencimiento scadenza prazo deadline:"
    " eta expiration"
)
_EXCUSES: Final = word_set("can't cannot couldn't")
"""What is denied behind these at the head of a sentence reaches as far as its comma: "can't talk, in a meeting"."""
_FOR: Final = word_set("for für pour por per durante die")
_IN: Final = word_set("in within dans en entro tra fra em over binnen innerhalb sous dentro")
_NEXT: Final = word_set(
    "next another coming following nächsten kommenden weitere prochaines prochains prochain próximas próximos prossime"
    " prossimi volgende"
)
_TO: Final = word_set("to and - – — bis au al a à até hasta und et y e through until till tot")
_NOT: Final = word_set(
    "not never no nobody none cannot nicht nie kein keine keinen niemand pas jamais nunca non não niet geen nothing"
    " neither nor without erst ne n' unless hardly yet"
)
_AWAY: Final = word_set(
    "closed open out away gone off down unavailable available offline online suspended blocked reserved"
    " on hold back busy free frozen paused banned grounded visiting travelling traveling staying staffed covering"
    " here there abroad ill sick geschlossen gesperrt  weg fermé fermée absent absente  cerrado cerrada"
    "  chiuso chiusa  fechado fechada fora bestehen gesloten in at vacation holiday leave krank verreist urlaub"
    " vacances congé malade vacaciones enfermo enferma ausente ferie malato malata assente férias doente vakantie ziek"
)
_WHOM: Final = word_set("me us you him her them")
_RETURNED: Final = word_set(
    "back around here reachable zurück da erreichbar retour joignable vuelta volta tornato tornata terug bereikbaar"
)
"""Where is again who was away."""
_ROMANCE: Final = word_set(
    "hasta vence el la il lo le les é di jusqu'au até fino expire termina scade du am bis der die"
)
_HOLDS: Final = word_set(
    "gilt gültig valable valide válido válida vale valido valida geldig geldt gesperrt geschlossen läuft dauert krank"
    " krankgeschrieben abwesend verreist beurlaubt weg"
)
_STILL: Final = word_set("still noch encore ancora aún todavía nog ainda")
_AFTER: Final = word_set("after from of since upon once ab nach seit après à depuis desde dalla dal dopo vanaf na após")
_EVENTS: Final = word_set(
    "sale sales offer promotion promo discount deal leave vacation holiday holidays pto shift trial registration"
    " enrolment enrollment applications auction exhibition exhibit festival conference semester sprint freeze hackathon"
    " challenge contest competition survey voting poll booking reservation rental lease contract subscription"
    " internship campaign presale sabbatical strike closure ban pause tour season tournament rotation on-call"
    " quarantine embargo probation secondment assignment membership placement"
    " verkauf aktion angebot rabatt urlaub schicht anmeldung vertrag praktikum sperrung ausstellung ferien probezeit"
    " soldes offre congé congés vacances promotion stage contrat bail inscriptions exposition"
    " oferta promoción vacaciones turno inscripción contrato rebajas exposición offerta saldi ferie iscrizioni"
    " contratto promozione mostra promoção férias inscrições actie vakantie verlof inschrijving uitverkoop"
)
"""What is of no more use to know once it has ended."""
_DAILY: Final = word_set("shift shifts tour pause rotation on-call schicht turno every each daily")
"""What may end at the same time each day."""
_LIFECYCLE: Final = word_set(
    "support maintenance version release security updates update life lifecycle eol lts updating patches availability"
    " windows production manufacturing marketing wartung unterstützung soporte assistenza"
)
_COMPOUND: Final = (
    "verkauf",
    "aktion",
    "angebot",
    "urlaub",
    "schicht",
    "anmeldung",
    "vertrag",
    "sperrung",
    "ausstellung",
)
_PARTS: Final = {"morning": 12, "afternoon": 18, "evening": 24, "night": 30}
"""The hours of a day at which its parts are over (chosen)."""
_SPAN: Final = word_set("for für pendant pour por durante per voor om only another")
_NOW: Final = word_set("now today here heute jetzt aujourd'hui hoy oggi hoje nu vandaag")
_MARKS: Final = frozenset(".!?;")
_CJK: Final = re.compile(
    r"(?P<lead>至|到|截至|截止到|直到)?\s*(?:(?P<year>\d{4})\s?[年년]\s?)?(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日号號일]"
    r"\s?(?P<tail>まで|迄|까지|截止|为止|为止)?"
)

_CJK_DAYS: Final = "一二三四五六日"
_CJK_DAY: Final = re.compile(
    r"(?:到|至)(?:这|本)?(?:周|星期|礼拜)(?P<day>[一二三四五六日])|(?P<name>[月火水木金土日])曜日?まで|(?P<tag>[월화수목금토일])요일까지"
)
_CJK_TIMETABLE: Final = re.compile(r"每|毎|매일|曜日?から|요일부터|(?:周|星期|礼拜)[一二三四五六日](?:到|至)")


def stated_end(text: str, when: float) -> End | None:
    """The moment at which all that a text says is over by its own words, said at `when` (seconds since the epoch)."""
    if len(text) > LIMIT or text.rstrip().endswith(("?", "？")):
        return None
    try:
        said = EPOCH.replace(tzinfo=None) + timedelta(seconds=when)
        text = untitled(text)
        # of several things to happen the whole has no one moment, but the first sentence has
        sentence, more, _ = text.partition(". ")
        if not _ends(text, when, said) and not (more and _ends(sentence, when, said)):
            return None
        ends = [_one(_ends(clause, when, said)) for clause in clauses(statement(text))]
    except (ValueError, OverflowError):  # beyond the year 9999
        return None
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) else None  # a clause without an end holds on


def _one(ends: list[End]) -> End | None:
    """The end of a clause: two that disagree are none."""
    agree = bool(ends) and max(end.at for end in ends) - min(end.at for end in ends) <= 86400.0
    return max(ends) if agree else None


def _ends(text: str, when: float, said: datetime) -> list[End]:
    """The ends that the words of a text state."""
    if not text.isascii() and (found := _CJK.search(text)) is not None and (found["lead"] or found["tail"]):
        end = _of_span(_cjk(found, said), when)
        return [] if end is None else [end]
    if not text.isascii() and (found := _CJK_DAY.search(text)) is not None and not _CJK_TIMETABLE.search(text):
        name = found["day"] or found["name"] or found["tag"]
        day = (_CJK_DAYS.index(name) if name in _CJK_DAYS else "月火水木金土日월화수목금토일".index(name) % 7) % 7
        midnight = said.replace(hour=0, minute=0, second=0, microsecond=0)
        end = _of(midnight + ((day - said.weekday() - 1) % 7 + 2) * DAY, DAY_EDGE, when)
        return [] if end is None else [end]
    tokens = tokens_of(text)
    day_first = any(token.word in _ROMANCE for token in tokens)
    words = [token.word for token in tokens]
    first, named = 0, []
    for i, word in enumerate(words):
        end = _at(tokens, i, said, when, day_first, words[first:i])
        if end is not None:
            named.append(end)
        if word in _MARKS:
            first = i + 1
    if named or (over := happening(text, tokens, said)) is None:
        return named
    end = _of(*over, when)
    return [] if end is None else [end]


def _of_span(span: Span | None, when: float, *, inclusive: bool = False) -> End | None:
    if span is None:
        return None
    edge = min(span.edge, DAY_EDGE) if inclusive else span.edge
    return _of(span.stop, edge, when)


def _of(stop: datetime, edge: timedelta, when: float) -> End | None:
    at = (stop - EPOCH.replace(tzinfo=None)).total_seconds()
    return End(at, edge.total_seconds()) if when < at <= MAX_SECONDS else None


def _at(tokens: list[Token], i: int, said: datetime, when: float, day_first: bool, before: list[str]) -> End | None:
    """The end that the words at token `i` state; `before` are those of its sentence before it."""
    ahead = _span_behind(tokens, i, said, before, day_first)
    if ahead is None:
        return None
    span, inclusive = ahead
    end = _of_span(span, when, inclusive=inclusive)
    if end is None or repeats(tokens, i, span) or not single(tokens, i, span, before):
        return None
    raw = [token.raw for token in tokens[i - len(before) : i]]
    tail = _tail(tokens, span.next) if not before or tokens[i].word in UNTIL else []
    history = told(before, tail, tokens[i].word, raw)
    if not history and not before and not any(w in BEING for w in tail):
        # "until 3 May Max worked there": its verb stands behind the end
        history = told(tail, [], tokens[i].word, [token.raw for token in tokens[span.next : span.next + len(tail)]])
    if history and not (span.dated and _has_year(tokens, i, span)):
        return None
    # "not until": it begins there; "no later than" is no denial
    denied = before[:-2] if before[-1:] == ["later"] else before
    if denied[:1] and denied[0] in _EXCUSES and "," in denied:
        denied = denied[denied.index(",") + 1 :]
    if tokens[i].word == "até":  # "está no Porto": no denial
        denied = [w for w in denied if w != "no"]
    if not any(w in _NOT or w.endswith("n't") for w in denied):
        # "bis Freitag nicht deployen", "bis Freitag nicht da"
        last = tail[-1:] if tokens[i].word in ("bis", "tot") and tail[:1] in (["nicht"], ["niet"]) else []
        ban = any(w.endswith("en") or w in _RETURNED for w in last)
        return _of_span(_up_to_start(span), when) if ban and not span.clock else end
    # "do not deploy until Friday" holds until then; "don't forget" denies nothing
    ban = is_ban(denied) and (tokens[i].word in UNTIL or tokens[i].word in _BEFORE)
    # who "will not be back until Friday" is away until then
    away = any(w in _RETURNED for w in denied[-2:])
    if (ban or away) and tokens[i].word in UNTIL and not span.clock:
        return _of_span(_up_to_start(span), when)
    return end if ban or any(w in ("forget", "miss", "vergessen", "oublier", "oubliez") for w in denied) else None


def _tail(tokens: list[Token], here: int) -> list[str]:
    """The words behind an end, as far as the sentence goes."""
    words_ = []
    for token in tokens[here : here + 12]:
        if token.word in _MARKS:
            break
        words_.append(token.word)
    return words_


def _span_behind(
    tokens: list[Token], i: int, said: datetime, before: list[str], day_first: bool
) -> tuple[Span, bool] | None:
    """The stretch of time behind a cue at token `i`, and whether all of it belongs to the statement."""
    word, n = tokens[i].word, len(tokens)
    follow = tokens[i + 1].word if i + 1 < n else ""
    here = i + 1
    if word in UNTIL or word in _THROUGH:
        while here < n and tokens[here].word in ("and", "including", "einschließlich", "to", "zu"):
            here += 1
        if word == "through" and "to" in before[-1:]:
            return None
        inclusive = word in _THROUGH or here > i + 1
        span = phrase(tokens, _done_on(tokens, here), said, day_first=day_first)
        return None if span is None else (behind_start(tokens, i, said, span), inclusive)
    if word == "up" and follow == "to":
        while here + 1 < n and tokens[here].word in ("to", "and", "including"):
            here += 1
        span = phrase(tokens, here, said, day_first=day_first)
        return None if span is None or not span.dated else (span, True)
    latest = word == "spätestens" or (before[-1:], word) in ((["later"], "than"), (["plus"], "tard"))
    if word in _BY or word in _BEFORE or latest:
        span = phrase(tokens, here, said, day_first=day_first)
        if span is None or span.clock or _name(tokens, here, span):
            return None
        return (_up_to_start(span) if word in _BEFORE else span), False
    if word in FROM or _dash(tokens, i):
        return _range(tokens, i, said, day_first, before)
    span = None
    if word in THIS:
        span = within(tokens, i, said)
    elif follow[:1].isdigit() or follow in MONTHS:
        span = between(tokens, i, said, day_first=day_first)
    if span is not None:
        return span, True
    if word in _FOR or follow in _NEXT:
        span = _for(tokens, i, said, before)
    if span is None and (word in _ENDS or word in _RUN_OUT or word in _DUE or _done(word, before)):
        span = _ending(tokens, i, said, day_first, before)
    if span is None and word in _ON_DAY:
        span = closed(tokens, i, said, before, _DONE)
    if span is None and word in _IN and before and before[-1] in ("changed", "renewed", "paid", "returned", "done"):
        span = _counted(tokens, here, said, before)
    if span is None and (word in VALID or word in _STILL):
        span = _valid_for(tokens, i, said, before)
    return None if span is None else (span, False)


def _ending(tokens: list[Token], i: int, said: datetime, day_first: bool, before: list[str]) -> Span | None:
    """Behind "ends", "expires", "runs out", "is due", "the deadline is"."""
    word, n, here = tokens[i].word, len(tokens), i + 1
    if word in ("end", "ende") and (i == 0 or tokens[i - 1].word in ("the", "by", "at", "of", "am", "bis", "until")):
        return None
    if word in _RUN_OUT:
        if here < n and tokens[here].word == "out":
            here += 1
        else:
            return None
    if word == "läuft" and not any(t.word in ("ab", "aus") for t in tokens[here : here + 8]):
        return None
    if word == "stops":
        if here < n and tokens[here].word == "working":
            here += 1
        else:
            return None
    if word == "prend":
        if here < n and tokens[here].word == "fin":
            here += 1
        else:
            return None
    reach = here + (6 if word in _DUE else 1)
    while here < min(n, reach + 1):
        t = tokens[here].word
        if t in _MARKS or t in PAST:
            return None
        if t in _IN or word in _RUN_OUT:
            span = _counted(tokens, here + (t in _IN), said, [*before, word])
            if span is not None:
                return span
        span = phrase(tokens, here, said, day_first=day_first)
        if span is not None:
            year = _has_year(tokens, here, span)
            wide = year or span.stop - span.start > 8 * DAY
            if word in _ENDS - _EXPIRES and wide and not (year and _event(before)):
                # "support ends on 2026-05-01" stays true as a date, "ends in March" may be said of each year
                return None
            if span.clock:  # so may a time of day alone, unless it is of what is there but once
                return span._replace(clock=False) if _event(before) and _DAILY.isdisjoint(before) else None
            return span
        if word not in _DUE and t not in ("on", "at", "in", "am", "le", "el", "il", "im", "by", "auf", "à", "em", "op"):
            return None
        here += 1
    return None


def _done_on(tokens: list[Token], here: int) -> int:
    """Where the day stands behind "until": behind "the work is finished on" where that comes between."""
    words = [token.word for token in tokens[here : here + 8]]
    found = (j for j in range(2, len(words) - 1) if words[j] == "on" and words[j - 1].endswith("ed"))
    return next((here + j + 1 for j in found if words[j - 2] in BEING - PAST), here)


def _done(word: str, before: list[str]) -> bool:
    """ "Is over on 3 May", "ist am Freitag vorbei", "the lease is up on 3 May": it ends then."""
    over = word in _DONE or (word == "up" and not _EVENTS.isdisjoint(before))
    return over and any(w in BEING and w != "was" for w in before[-3:])


def _event(before: list[str]) -> bool:
    """Whether the words before "ends on" speak of something that is over then, rather than of a date that is kept."""
    if any(w in _LIFECYCLE or w[:1].isdigit() for w in before):
        return False
    long = (w for w in before if len(w) > 8)
    return any(w.rpartition("'")[2] in _EVENTS for w in before) or any(w.endswith(_COMPOUND) for w in long)


def _valid_for(tokens: list[Token], i: int, said: datetime, before: list[str]) -> Span | None:
    """ "valid for 24 hours", "gilt noch 10 Tage", "valable 10 jours", "10 Tage gültig": counted from now."""
    word, here = tokens[i].word, i + 1
    if word in _STILL:
        near = [t.word for t in tokens[max(0, i - 3) : i + 4]]
        return _counted(tokens, here, said, before) if any(w in _HOLDS for w in near) else None
    if any(w in HABIT for w in before) or not (issued(before) or any(w in _STILL for w in before[-1:])):
        return None
    if word in ("gültig", "geldig") and len(before) > 2 and distance(tokens, i - 2, said) is not None:
        here = i - 2
    elif here < len(tokens) and tokens[here].word in _SPAN:
        here += 1
    return _counted(tokens, here, said, before)


def _counted(tokens: list[Token], here: int, said: datetime, before: list[str] | None = None) -> Span | None:
    """What is counted from now; none where `before` speaks of a kind, or the words behind begin it elsewhere."""
    found = distance(tokens, here, said)
    if found is None:
        return None
    stop, edge, after = found
    if before is not None:
        behind = [token.word for token in tokens[after : after + 4]]
        # "läuft in 10 Tagen ab": its verb's own end
        begins = behind[1:] and behind[0] in _AFTER and behind[1] not in _MARKS and not any(w in _NOW for w in behind)
        if begins or of_a_kind(before) or any(w in ("policy", "default", "policies", "average") for w in behind):
            return None
    return Span(stop, stop, edge, False, True, after)


def _for(tokens: list[Token], i: int, said: datetime, before: list[str]) -> Span | None:
    """ "for the next two weeks", "for the rest of the week", "is closed for two months"."""
    n, here = len(tokens), i + 1
    word = tokens[i].word
    articles = ("the", "die", "den", "les", "las", "los", "le", "il", "i", "as", "os", "de", "noch", "at", "least")
    while here < n and tokens[here].word in articles:
        here += 1
    if here >= n:
        return None
    if tokens[here].word == "rest" and here + 2 < n:
        here += 1
        while here < n and tokens[here].word in ("of", "the", "this", "der", "des", "dieser", "dieses"):
            here += 1
        hour = _PARTS.get(tokens[here].word) if here < n else None
        if hour is not None:
            at = said.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
            return Span(said, at, DAY_EDGE, False, True, here + 1) if at > said else None
        unit = UNITS.get(tokens[here].word) if here < n else None
        if unit in ("day", "week", "month", "quarter", "year"):
            today = said.replace(hour=0, minute=0, second=0, microsecond=0)
            start, stop = unit_span(unit, today)
            return Span(start, stop, DAY_EDGE if unit == "day" else DAY, False, True, here + 1)
        return None
    if tokens[here].word in _NEXT:
        step = here + 1
        if step < n and UNITS.get(tokens[step].word) in ("week", "month", "year", "hour"):
            count = {"week": 7, "month": 31, "year": 366}.get(UNITS[tokens[step].word])
            stop = said + timedelta(hours=1) if count is None else said + count * DAY
            return Span(said, stop, (stop - said) / 7, False, True, step + 1) if word in _FOR else None
        return _counted(tokens, step, said)
    if word not in _FOR or word == "die":
        return None
    near = [b for b in before if b not in (",",)]
    if near[-2:-1] == ["for"] and near[-1] in _WHOM:
        near = near[:-2]  # "on hold for us for 48 hours"
    being = any(b in BEING or b.endswith(("'s", "'m", "'re", "'ll")) for b in near)
    state = bool(near) and (near[-1] in _AWAY or near[-1].endswith("ing") or "will" in near)
    bare = near[:1] and near[0] != "open" and len(near) < 3 and all(b in _AWAY for b in near)  # "reserved for 24 hours"
    if not ((being and state) or bare) or "has" in near or "have" in near or any(b in HABIT for b in near):
        return None
    return _counted(tokens, here, said, before)


def _up_to_start(span: Span) -> Span:
    edge = min(span.edge, DAY_EDGE)
    return span._replace(stop=max(span.start, span.stop - (span.stop - span.start)), edge=edge)


def _dash(tokens: list[Token], i: int) -> bool:
    """Token `i` stands before "10-28 March"."""
    return (
        i + 3 < len(tokens)
        and tokens[i + 1].word.rstrip(".").isdigit()
        and tokens[i + 2].word in ("-", "–", "—")
        and tokens[i + 3].word.rstrip(".").isdigit()
    )


def _range(tokens: list[Token], i: int, said: datetime, day_first: bool, before: list[str]) -> tuple[Span, bool] | None:
    """ "from 1 to 15 June", "vom 1. bis 30. April", "10-28 March": its last day belongs to it."""
    n = len(tokens)
    start = next((j for j in range(i + 2, min(n, i + 8)) if tokens[j].word in _TO), 0)
    if not start or start + 1 >= n:
        return None
    hours = hours_today(tokens, i + 1, start + 1, said, before)
    if hours is not None:
        return hours, False
    left = [t.word for t in tokens[i + 1 : start]]
    if not any(t[:1].isdigit() or t in MONTHS for t in left) or any(":" in t or t in UNITS for t in left):
        return None
    span = phrase(tokens, start + 1, said, day_first=day_first)
    if span is None or not span.dated or span.stop - span.start != DAY:
        return None
    return span, True


def _name(tokens: list[Token], here: int, span: Span) -> bool:
    """A month that may be a person's name: "by May Sarton"."""
    bare = span.next - here == 1 and tokens[here].word in MONTHS
    return bare and span.next < len(tokens) and tokens[span.next].raw[:1].isupper()


def _has_year(tokens: list[Token], i: int, span: Span) -> bool:
    return any(re.match(r"(?:19|20|21)\d\d", t.word) or re.search(r"\d{4}$", t.word) for t in tokens[i : span.next])


def _cjk(found: re.Match[str], said: datetime) -> Span | None:
    month, day = int(found["month"]), int(found["day"])
    for year in [int(found["year"])] if found["year"] else [said.year, said.year + 1]:
        try:
            start = datetime(year, month, day)
        except ValueError:
            return None
        if start + DAY > said:
            return Span(start, start + DAY, DAY_EDGE, False, True, 0)
    return None
