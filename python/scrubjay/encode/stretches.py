"""Stretches of time in which something is so: "is away this week", "is closed today", "April 1 - April 30".

>>> from datetime import datetime
>>> from scrubjay.calendar import tokens_of
>>> said = datetime(2025, 3, 4, 10)
>>> within(tokens_of("Ana is away this week"), 3, said).stop.isoformat()
'2025-03-10T00:00:00'
>>> between(tokens_of("runs April 1 - April 30"), 0, said, day_first=False).stop.isoformat()
'2025-05-01T00:00:00'
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from scrubjay.calendar import CLOCK_EDGE, DAY, DAY_EDGE, NAMED_DAYS, Span, Token, clock_at, phrase
from scrubjay.encode.tellings import BEING, PAST
from scrubjay.wordlist import word_set

THIS: Final = word_set(
    "this today tonight diese dieses diesen heute cette ce aujourd'hui ce esta este hoy questa questo oggi hoje"
)
"""What such a stretch begins with."""
_STATE: Final = word_set(
    "closed open out away gone off down unavailable available offline online busy free travelling traveling sick ill"
    " cancelled canceled suspended paused home abgesagt gesperrt annulé annulée cancelado cancelada annullato annullata"
    " covering call duty on-call oncall leave vacation holiday holidays pto here there abroad visiting remote alone"
    " krank verreist urlaub weg geschlossen geöffnet abwesend unterwegs homeoffice rufbereitschaft bereitschaft frei"
    " malade absent absente congé congés vacances fermé fermée ouvert ouverte déplacement astreinte télétravail"
    " enfermo enferma fuera ausente vacaciones cerrado cerrada abierto abierta guardia viaje"
    " malato malata ferie chiuso chiusa aperto aperta viaggio assente doente férias fechado fechada fora"
)
"""States in which somebody or something is for a while."""
_ONLY: Final = frozenset(
    [("nur", "noch"), ("noch", "nur")]
    + [
        (only,)
        for only in ("only", "sólo", "solo", "solamente", "seulement", "uniquement", "soltanto", "apenas", "somente")
    ]
)
"""Before a stretch that ends a sentence: what is so holds in no other."""
_DAWN: Final = timedelta(hours=7)
"""A range of bare hours that begins before it is of the afternoon (chosen)."""
_NOON: Final = timedelta(hours=12)
_DASH: Final = frozenset(("-", "–", "—", "to", "bis", "au", "al"))


def within(tokens: list[Token], i: int, said: datetime) -> Span | None:
    """The stretch that begins at token `i` (one of `THIS`) where a state that lasts as long stands beside it."""
    before = [token.word for token in tokens[max(0, i - 6) : i]]
    if len(before) > 1 and (tuple(before[-2:]) in _ONLY or tuple(before[-1:]) in _ONLY):
        only = phrase(tokens, i, said)
        if only is not None and not only.clock and all(token.word in ".!" for token in tokens[only.next :]):
            return only if only.stop > said and not any(w in PAST or w.endswith("ed") for w in before) else None
    if not any(w in BEING or w.endswith(("'s", "'m", "'re")) for w in before):
        return None
    span = phrase(tokens, i, said)
    if span is None or span.clock or span.stop <= said:
        return None
    after = [token.word for token in tokens[span.next : span.next + 3]]
    lasting = before[-1] in _STATE or (before[-1].endswith("ing") and len(before[-1]) > 5)
    return span if lasting or any(w in _STATE for w in after) else None


def hours_today(tokens: list[Token], first: int, last: int, said: datetime, before: list[str]) -> Span | None:
    """The end of "from 10 to 12 today", whose hours stand at tokens `first` and `last`: the next such hour behind the
    beginning. None for what is not being or to be so, and where no "today" stands beside the hours.

    >>> from scrubjay.calendar import tokens_of
    >>> tokens = tokens_of("Room 5 is booked from 2 to 4 today")
    >>> hours_today(tokens, 5, 7, datetime(2025, 3, 4, 10), ["is", "booked"]).stop.isoformat()
    '2025-03-04T16:00:00'
    """
    words = [token.word for token in tokens]
    start, stop = _hour(words, first), _hour(words, last)
    if start is None or stop is None or start[1] != last - 1 or not any(w in BEING - PAST for w in before):
        return None
    if NAMED_DAYS.get((words[stop[1] : stop[1] + 1] or [""])[0]) == 0:
        after = stop[1] + 1
    elif first > 1 and NAMED_DAYS.get(words[first - 2]) == 0:
        after = stop[1]
    else:
        return None
    today = said.replace(hour=0, minute=0, second=0, microsecond=0)
    begins = start[0] if start[0] >= _DAWN or stop[0] > _NOON else start[0] + _NOON
    end = stop[0] if stop[0] > begins else stop[0] + _NOON
    at = today + end
    return None if at <= said or end > DAY else Span(at, at, CLOCK_EDGE, False, True, after)


def _hour(words: list[str], i: int) -> tuple[timedelta, int] | None:
    """The hour at word `i`, a time of day or a bare number, and the word behind it."""
    if i >= len(words):
        return None
    bare = words[i].isdigit() and 0 < int(words[i][:3]) < 25
    return clock_at(words, i) or ((timedelta(hours=int(words[i])), i + 1) if bare else None)


def between(tokens: list[Token], i: int, said: datetime, *, day_first: bool) -> Span | None:
    """The last day of "April 1 - April 30", "May 2-14" behind token `i`; none where no two days stand there."""
    n = len(tokens)
    if i + 3 >= n:
        return None
    first = phrase(tokens, i + 1, said, day_first=day_first)
    if first is None or first.clock or first.stop - first.start != DAY:
        return None
    at = first.next
    if at + 1 >= n or tokens[at].word not in _DASH:
        return None
    last = phrase(tokens, at + 1, first.start, day_first=day_first)
    number = tokens[at + 1].word.rstrip(".,")
    if last is None and number.isdigit() and first.start.day < int(number) <= 31:
        try:
            start = first.start.replace(day=int(number))
        except ValueError:
            return None
        last = Span(start, start + DAY, DAY_EDGE, False, True, at + 2)
    if last is None or last.clock or last.stop - last.start != DAY or last.start <= first.start:
        return None
    return last


def closed(tokens: list[Token], i: int, said: datetime, before: list[str], done: frozenset[str]) -> Span | None:
    """The day behind token `i` in "ist am Freitag vorbei": what is over (`done`) stands last."""
    span = phrase(tokens, i + 1, said)
    if span is None or span.clock or span.stop - span.start > 8 * DAY:
        return None
    rest = [word for token in tokens[span.next :] if (word := token.word.rstrip(".!"))]
    return span if len(rest) == 1 and rest[0] in done and any(w in BEING for w in before[-3:]) else None
