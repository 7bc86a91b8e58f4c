"""States of which one thing is in one at a time: a colour, a phase, open or closed, part-time or full-time.

`other_state(one, other)` holds where both say of the same subject no more than a state, and of one row of the table not
the same side. It is the one law for search and for `integrate` of what is said so plainly; what says more, or of states
that no row has, is left to the pair model and to each one's own bar.

>>> from scrubjay.slots.statements import statement
>>> white, green, thick, painted = map(statement, (
...     "The wall is white.", "The wall is now green.", "The wall is thick.", "The wall was painted green."))
>>> other_state(white, green), other_state(white, thick), other_state(green, painted)
(True, False, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.beside import NOT
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.subjects import same_subject
from scrubjay.slots.vocabulary import MARK, content_of, ids_of, single

_ROWS: Final = tuple(
    tuple(map(ids_of, row.split("|")))
    for row in (
        "full-time fulltime vollzeit|part-time parttime teilzeit",
        "remote remotely|hybrid|on-site onsite in-person",
        "public|private|internal",
        "open-source|closed-source proprietary",
        "free|paid",
        "cdd|cdi",
        "daily|weekly|biweekly fortnightly|monthly|quarterly|yearly",
        "white weiß blanc blanche blanco blanca bianco|black schwarz noir noire negro negra nero|green grün vert verte"
        " verde|blue blau bleu bleue azul blu|red rot rouge rojo roja rosso|yellow gelb jaune amarillo amarilla giallo"
        "|grey gray grau gris grigio|brown braun|orange|purple violet lila|pink rosa|beige|silver|blond blonde",
        "queued pending scheduled waiting planned|running active ongoing underway|paused suspended"
        "|failed failing crashed broken stuck blocked|cancelled canceled aborted"
        "|done finished completed succeeded passed passing",
        "pending|shipped sent dispatched|arrived delivered|returned",
        "open geöffnet offen ouvert ouverte abierto abierta aperto aperta"
        "|closed shut geschlossen fermé fermée cerrado cerrada chiuso chiusa",
        "online|offline",
        "available|unavailable",
        "locked|unlocked",
        "unpaid outstanding overdue|paid settled",
        "full voll plein pleine lleno llena pieno piena|empty leer vide vacío vacía vuoto vuota",
        "hot heiß|warm|lukewarm|cool|cold kalt|frozen",
        "clean sauber|dirty schmutzig dreckig",
        "low|medium|high",
        "awake|asleep",
        "draft|published",
    )
)
"""Rows of states; the words of a side, up to "|", are of one state."""
_SIDES: Final = {
    word: frozenset((i, j) for i, row in enumerate(_ROWS) for j, side in enumerate(row) if word in side)
    for word in frozenset().union(*(side for row in _ROWS for side in row))
}
_GOES: Final = ids_of(
    "is are am i'm was went goes gone go turned became becomes works work working made now moved switched changed back"
    " passé passée est suis en ist bin arbeitet arbeite jetzt entirely fully again job role position meeting meetings"
    " painted dyed"
)
"""What stands beside a state and adds nothing to it."""


class State(NamedTuple):
    """What a statement says that its subject is in, and no more."""

    sides: frozenset[tuple[int, int]] = frozenset()
    """The rows and the sides that the word for it stands in; empty for none."""
    rest: frozenset[int] = frozenset()
    """The other words: the subject."""


NONE: Final = State()


@kept_with
def state_of(said: Statement) -> State:
    """The state that a statement ends with, where it says that its subject is in it and no more than that."""
    ids = said.ids.tolist()
    stated = _SIDES.keys() & frozenset(ids) - said.parts
    if len(stated) != 1 or said.past or not single(said) or said.marks[MARK["hedge"]] or not NOT.isdisjoint(ids):
        return NONE
    (state,) = stated
    if not _GOES.issuperset(ids[ids.index(state) + 1 :]):
        return NONE
    return State(_SIDES[state], content_of(said) - stated - _GOES)


def _other_state(one: Statement, other: Statement) -> bool:
    mine, others = state_of(one), state_of(other)
    if one.parts != other.parts or mine.rest != others.rest or not (mine.rest or same_subject(one, other)):
        return False
    rows = {row for row, _ in mine.sides} & {row for row, _ in others.sides}
    return bool(rows) and not mine.sides & others.sides


other_state: Final = Law(_other_state, lambda said: state_of(said) != NONE, mutual=True)
"""Both say of one subject that it is in a state, and in another of the same row."""
