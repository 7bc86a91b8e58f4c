"""The main clauses of a sentence: "CI runs on Jenkins, the config is in the repo" says two things.

A sentence is parted where a comma, a semicolon, a dash or "and" is followed by words with a verb of their own; what
hangs on another clause ("if it rains, ...") is none.

>>> main_clauses("Kidney function is worse, the dose was reduced to 5 mg.")
('Kidney function is worse', 'the dose was reduced to 5 mg.')
>>> main_clauses("The office is in Lyon, near the station."), main_clauses("Ana speaks French, Greek and Thai.")
((), ())
"""

from __future__ import annotations

import re
from typing import Final

from scrubjay.slots.tense import VERBS
from scrubjay.wordlist import word_set

MOST: Final = 3
"""Most clauses of a sentence that are read."""
_AND: Final = r"(?:and|but|so|und|aber|also|et|mais|y|pero|e|ma|mas)"
_CUT: Final = re.compile(rf"[,;]\s+(?:{_AND}\s+)?|\s+[-–—]\s+|\s+{_AND}\s+")
_SIGN: Final = re.compile(rf"[,;]\s|\s[-–—]\s|\s{_AND}\s")
_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_SUBORDINATE: Final = word_set(
    "if when while because since although though unless until before after once whenever that which who whose where as"
    " wenn falls weil während obwohl nachdem bevor bis dass der die das welche si quand parce lorsque que qui cuando"
    " aunque mientras se quando perché mentre che"
)
_IF: Final = word_set("if unless falls wenn si se when until bis")
"""What may not have come."""
_DOES: Final = VERBS | word_set(
    "reduced increased raised lowered cancelled canceled stopped replaced deposed killed destroyed repaired closed"
    " hides was were has wurde wurden"
)
_LEAST: Final = 3
"""Least words of a clause."""


def _clause(part: str) -> bool:
    words = _WORD.findall(part.casefold())
    if len(words) < _LEAST or words[0] in _SUBORDINATE:
        return False
    return not _DOES.isdisjoint(words[:7])


def _begins(part: str) -> bool:
    """The verb of a first clause may be one that no list has."""
    words = _WORD.findall(part.casefold())
    return len(words) > 1 and words[0] not in _SUBORDINATE


def main_clauses(text: str) -> tuple[str, ...]:
    """The main clauses of a sentence, at most `MOST`; () where it is but one."""
    begins = _WORD.match(text.lstrip())
    if _SIGN.search(text) is None or begins is None or begins.group().casefold() in _IF:
        return ()
    found: list[str] = []
    start = 0
    for cut in _CUT.finditer(text):
        first, rest = text[start : cut.start()], text[cut.end() :]
        if len(found) < MOST - 1 and _clause(rest) and (_begins(first) if not found else _clause(first)):
            found.append(first)
            start = cut.end()
    found.append(text[start:])
    return tuple(part for i, part in enumerate(found) if not i or _clause(part)) if len(found) > 1 else ()
