"""Sides of a thing that is run: who leads it, where it runs or is held, and in what it is written.

>>> from scrubjay.slots.statements import statement
>>> runs, led, moved = map(statement, (
...     "The search service runs on Nomad.", "The search service is led by Ana.", "The search service runs on AWS."))
>>> of_two_aspects(runs, led), of_two_aspects(runs, moved)
(True, False)
>>> course, taught = map(statement, ("The course takes place in the mill.", "Rosalind teaches the course."))
>>> led_beside_held(taught, course)
True
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import content_of, ids_of, single

_ASPECTS: Final = tuple(
    (ids_of(verbs), ids_of(prepositions))
    for verbs, prepositions in (
        (
            "led owned maintained managed headed run edited supervised developed staffed funded sponsored geleitet"
            " betreut gepflegt verantwortet dirigé dirigée géré gérée dirigido dirigida gestionado gestito gestita",
            "by von par por da",
        ),
        (
            "runs running hosted deployed läuft laufen gehostet tourne hébergé hébergée corre alojado alojada gira"
            " ospitato",
            "on in at auf sur dans en su",
        ),
        ("written implemented geschrieben écrit écrite escrito escrita scritto scritta", "in auf en"),
    )
)
"""A verb and what follows it, or stands before it, for each aspect."""


@kept_with
def aspects_of(said: Statement) -> int:
    """The aspects of its subject that it tells of, as bits."""
    words = said.ids[1:].tolist()
    if not single(said):
        return 0
    return sum(
        (not verbs.isdisjoint(words) and not prepositions.isdisjoint(words)) << i
        for i, (verbs, prepositions) in enumerate(_ASPECTS)
    )


of_two_aspects: Final = Law(
    lambda one, other: not aspects_of(one) & aspects_of(other) and one.parts == other.parts,
    lambda said: bool(said.parts) and aspects_of(said) > 0,
    words=frozenset().union(*(verbs for verbs, _ in _ASPECTS)),
    mutual=True,
)
"""They tell of two aspects of one thing."""

_HELD: Final = ids_of(
    "takes place held meets meet gathers rehearses practises practices trains begins starts"
    " findet trifft treffen tagt probt beginnt lieu réunit commence tiene reúne empieza svolge riunisce"
)
_LEADS: Final = ids_of(
    "teaches teach leads lead organises organizes runs run chairs hosts conducts coaches directs moderates facilitates"
    " presides unterrichtet leitet organisiert dirigiert moderiert enseigne dirige anime organise imparte organiza"
    " coordina insegna guida organizza"
)
_WITH_MORE: Final = ids_of("by von par por da in at on im am auf à dans sur en nel alla from until")
"""With one of these who leads it may be told of what is held, and where or when of who leads it."""

_BY: Final = ids_of("by von par por da")


@kept_with
def _led(said: Statement) -> frozenset[int]:
    """The words behind the first that says that somebody leads something."""
    words = said.ids.tolist()
    at = next((i for i, word in enumerate(words) if word in _LEADS), len(words))
    return frozenset(words[at + 1 :])


def _leads_plainly(said: Statement) -> bool:
    return single(said) and _WITH_MORE.isdisjoint(said.ids.tolist())


@kept_with
def _thing(said: Statement) -> frozenset[int]:
    """The content words before the first that says that something is held."""
    words = said.ids.tolist()
    at = next((i for i, word in enumerate(words) if word in _HELD), 0)
    return content_of(said).intersection(words[:at])


def _held(said: Statement) -> bool:
    return single(said) and bool(_thing(said)) and _BY.isdisjoint(said.ids.tolist())


led_beside_held: Final = Law(
    lambda leads, held: _thing(held) <= _led(leads),
    _leads_plainly,
    words=_LEADS,
    other=_held,
)
"""One tells who leads what is held, the other where or when it is."""
