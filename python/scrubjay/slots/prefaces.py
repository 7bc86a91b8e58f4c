"""What stands before a statement and is none of it: "Correction:", "btw,", "From now on", the time of a line of a log.

>>> bare("Sorry, I mistyped: the total is 7."), bare("From now on the retro is on Friday."), bare("Ana: hello there")
('the total is 7.', 'the retro is on Friday.', 'Ana: hello there')
"""

from __future__ import annotations

import re
from typing import Final

_LABELS: Final = (
    "correction|update|fyi|psa|note|notes|note to self|reminder|remember|news|heads[ -]?up|info|edit|status|reported"
    "|korrektur|nachtrag|achtung|hinweis|erinnerung|neu|mise à jour|à noter|rappel|corrección|actualización|aviso|nota"
    "|correzione|aggiornamento|promemoria|correção|atualização"
)
_WORDS: Final = (
    "btw|by the way|actually|also|anyway|oh|ok|okay|well|hey|hi|hello|sorry|oops|so|right|yes|no|good news|bad news"
    "|just so you know|for the record|quick update|small change|übrigens|also gut|ach ja|sorry|entschuldigung"
    "|au fait|en fait|pardon|bonne nouvelle|por cierto|perdón|en realidad|a propósito|comunque|scusa|in realtà|aliás"
    "|desculpa|na verdade"
)
_SINCE: Final = (
    "from now on|from today(?: on)?|as of (?:today|now|this (?:week|month|year))|starting (?:today|now)|these days"
    "|nowadays|effective immediately|désormais|dorénavant|à partir de maintenant|à partir d['’]aujourd['’]hui"
    "|dès maintenant|a partir de ahora|de ahora en adelante|desde hoy|desde ahora|d['’]ora in poi|da oggi|a partir de"
    " agora|a partir de hoje|de agora em diante"
)
_PREFACE: Final = re.compile(
    r"\s*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?:\s*\[?(?:INFO|WARN(?:ING)?"
    r"|ERROR|DEBUG|NOTICE)\]?:?)?\s+"
    rf"|(?:{_LABELS})(?: \w+){{0,2}}\s?[:–—]\s+"
    rf"|(?:{_WORDS})(?: (?:i|we|all|team|everyone|folks|again|mistyped|meant|was wrong)){{0,3}}\s?[,:!]\s+"
    r"|(?:btw|fyi|psa|by the way|heads up|just so you know)\s+(?=\S+ \S+ \S)"
    r"|(?:\w+ ){1,2}(?:change|update|news):\s+"
    r"|[^,.;:?!]{8,60}[,;] (?:and |so )?(?=(?:the|our|my) new )"
    r"|(?:i mistyped|i misspoke|i was wrong|i got that wrong)\s?[,:;]\s+"
    rf"|(?:{_SINCE}),?\s+"
    r")",
    re.IGNORECASE,
)
_MOST: Final = 3


def bare(text: str) -> str:
    """The text without its prefaces; the whole where nothing else is left of it."""
    at = 0
    for _ in range(_MOST):
        found = _PREFACE.match(text, at)
        if found is None:
            break
        at = found.end()
    return text[at:] if len(text) - at > 4 else text
