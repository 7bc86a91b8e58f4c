"""Whether an end is of one time, or comes again each day, week or year as the end of a habit does.

>>> from datetime import datetime
>>> from scrubjay.calendar import phrase, tokens_of
>>> def once(text, cue):
...     tokens = tokens_of(text)
...     at = [token.word for token in tokens].index(cue)
...     before = [token.word for token in tokens[:at]]
...     return single(tokens, at, phrase(tokens, at + 1, datetime(2025, 3, 4, 10)), before)
>>> once("The room is booked until 15:30.", "until"), once("Der Strom ist bis 18 Uhr weg.", "bis")
(True, True)
>>> once("Breakfast is served until 10:30.", "until")
False
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scrubjay.calendar import UNITS, Span, Token
from scrubjay.encode.tellings import BEING
from scrubjay.wordlist import word_set

HABIT: Final = word_set(
    "every each always usually often daily weekly monthly yearly annually jeden jede jedes täglich immer meistens"
    " chaque toujours souvent cada siempre todos todas ogni sempre todo toda altijd elke iedere"
    " mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends montags dienstags mittwochs"
    " donnerstags freitags samstags sonntags"
)
_OPEN: Final = word_set("open opens opened opening geöffnet offen ouvert ouverte abierto abierta abre aperto served")
_HELD: Final = word_set(
    "booked reserved occupied taken down busy away out off blocked unavailable offline gone up back on in still noch"
    " belegt besetzt gesperrt weg occupé occupée réservé réservée ocupado ocupada reservado reservada occupato occupata"
)
"""States in which something is now, rather than each day."""
_TODAY: Final = word_set("today tonight tomorrow heute morgen aujourd'hui demain hoy mañana oggi domani hoje amanhã")
_VERB_LAST: Final = word_set("bis tot")
_OFF: Final = word_set("aus an zu uit weg dicht kaputt")
"""States at the end of a clause, where the verb comes last."""
_BEGINS: Final = word_set("from between vom von du des del de dal dalle da desde van zwischen ab")


def single(tokens: Sequence[Token], i: int, span: Span, before: Sequence[str]) -> bool:
    """Whether nothing repeats the end behind token `i`: no timetable, no habit, no time of day that may be each day's.

    `before`: the words of its sentence before `i`.
    """
    every = [token.word for token in tokens]
    after = every[i + 1 : i + 6]
    if not span.dated and any(w in HABIT for w in every):
        return False
    rest = every[span.next :]
    if rest[:1] == ["of"] and (rest[1:3] == ["the", "month"] or any(w in HABIT for w in rest)):
        return False
    if any(w in UNITS and UNITS[w] == "year" for w in after[:2]) and "age" in after:
        return False
    if not span.clock or any(w in _TODAY for w in every):
        return True
    # "is booked until 15:30" is about now, "served until 10:30" and "we work until two" about any day
    last = every[span.next : span.next + 1] if every[i] in _VERB_LAST else []
    now = any(w in _HELD or (w.endswith("ing") and len(w) > 4) for w in before) or any(w in _OFF | _HELD for w in last)
    being = any(w in BEING or w.endswith(("'m", "'re", "'ll")) for w in before)
    return being and now and not any(w in _OPEN or w in _BEGINS for w in before)
