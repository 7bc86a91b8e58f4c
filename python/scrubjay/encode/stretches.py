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

from datetime import datetime
from typing import Final

from scrubjay.calendar import DAY, DAY_EDGE, Span, Token, phrase
from scrubjay.encode.tellings import BEING
from scrubjay.wordlist import word_set

THIS: Final = word_set(
    "this today tonight diese dieses diesen heute cette ce aujourd'hui ce esta este hoy questa questo oggi hoje"
)
"""What such a stretch begins with."""
_STATE: Final = word_set(
    "closed open out away gone off down unavailable available offline online busy free travelling traveling sick ill"
    " covering call duty on-call oncall leave vacation holiday holidays pto here there abroad visiting remote alone"
    " krank verreist urlaub weg geschlossen geöffnet abwesend unterwegs homeoffice rufbereitschaft bereitschaft frei"
    " malade absent absente congé congés vacances fermé fermée ouvert ouverte déplacement astreinte télétravail"
    " enfermo enferma fuera ausente vacaciones cerrado cerrada abierto abierta guardia viaje"
    " malato malata ferie chiuso chiusa aperto aperta viaggio assente doente férias fechado fechada fora"
)
"""States in which somebody or something is for a while."""
_DASH: Final = frozenset(("-", "–", "—", "to", "bis", "au", "al"))


def within(tokens: list[Token], i: int, said: datetime) -> Span | None:
    """The stretch that begins at token `i` (one of `THIS`) where a state that lasts as long stands beside it."""
    before = [token.word for token in tokens[max(0, i - 6) : i]]
    if not any(w in BEING or w.endswith(("'s", "'m", "'re")) for w in before):
        return None
    span = phrase(tokens, i, said)
    if span is None or span.clock or span.stop <= said:
        return None
    after = [token.word for token in tokens[span.next : span.next + 3]]
    lasting = before[-1] in _STATE or (before[-1].endswith("ing") and len(before[-1]) > 5)
    return span if lasting or any(w in _STATE for w in after) else None


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
