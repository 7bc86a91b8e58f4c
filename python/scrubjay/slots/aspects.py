"""Sides of a thing that is run: who leads it, where it runs and in what it is written.

>>> from scrubjay.slots.statements import statement
>>> runs, led, moved = map(statement, (
...     "The search service runs on Nomad.", "The search service is led by Ana.", "The search service runs on AWS."))
>>> of_two_aspects(runs, led), of_two_aspects(runs, moved)
(True, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import ids_of, single

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
