"""Lists of words as statements keep them, and what of a statement is told apart by them.

>>> from scrubjay.slots.statements import statement
>>> content_of(statement("Ana is in Rome.")) == ids_of("ana rome")
True
"""

from __future__ import annotations

from typing import Final

from scrubjay import wordlist
from scrubjay.remembered import kept_with
from scrubjay.slots.statements import GROUPS, MARKS, Statement, identity

MARK: Final = {name: i for i, name in enumerate(MARKS)}
"""Place of each mark in `Statement.marks`."""
_CONTENT: Final = [GROUPS.index(name) for name in ("word", "name", "number")]


def ids_of(words: str) -> frozenset[int]:
    """The identities of words with spaces between them."""
    return frozenset(identity(word) for word in words.split())


BE: Final = ids_of(" ".join(wordlist.BE))
THE: Final = ids_of(" ".join(wordlist.THE))
NOW: Final = ids_of("now jetzt nun maintenant désormais ahora adesso ora agora")

PLANNED: Final = ids_of("elective planned scheduled upcoming next geplant geplante prévu prévue previsto prevista")
OFTEN: Final = PLANNED | ids_of(
    "nightly hourly daily weekly biweekly fortnightly monthly quarterly yearly annual regular usual"
    " nächtliche nächtlicher tägliche täglicher wöchentliche wöchentlicher monatliche monatlicher jährliche"
    " quotidien quotidienne hebdomadaire mensuel mensuelle annuel annuelle diario diaria semanal mensual anual"
    " settimanale mensile annuale"
)
"""What says of a thing how often it is or that it is to come, and makes no other thing of it."""


def single(said: Statement) -> bool:
    """Whether it states one thing: it is no question, not long, and one sentence."""
    return not (said.asks or said.marks[MARK["long"]] or said.marks[MARK["sentences"]] > 1)


def claims(said: Statement) -> bool:
    """Whether it states one thing for a fact: it neither denies it nor holds it for possible alone."""
    return single(said) and not said.marks[MARK["negation"]] and not said.marks[MARK["hedge"]]


@kept_with
def content_of(said: Statement) -> frozenset[int]:
    """The identities of its words, names and numbers: of all that is no small word."""
    return frozenset(said.ids[said.groups[:, _CONTENT].sum(axis=1) > 0].tolist())
