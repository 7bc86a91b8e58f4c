"""Who has another name: "Hannah's surname is Berg", "Hannah got married and is now Hannah Lindqvist".

`renamed(old, new)` holds where the older says what somebody is called, and the newer that somebody of that first name
is now called something else.

>>> from scrubjay.slots.statements import statement
>>> old, new, boss = map(statement, (
...     "The user's name is Hannah Berg.", "The user married and is now Hannah Lindqvist.",
...     "The user's boss is now Hannah Lindqvist."))
>>> renamed(old, new), renamed(old, boss), renamed(new, old)
(True, False, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import BE, NOW, claims, content_of, ids_of

_NAME: Final = GROUPS.index("name")
_LONGEST: Final = 3
"""Most words of a name."""
_LABELS: Final = ids_of("name surname nachname familienname nom nombre apellido cognome nome sobrenome")
_CALLED: Final = ids_of("heißt heisst appelle s'appelle llama chiama chama")
_IS: Final = BE | _CALLED | ids_of("'s i'm")
_CALLS: Final = _CALLED | ids_of("called named known as")


class Called(NamedTuple):
    """What a statement says that somebody is called."""

    name: tuple[int, ...] = ()
    anew: bool = False
    """It is so now."""


NOTHING: Final = Called()


@kept_with
def called(said: Statement) -> Called:
    """What a statement says that somebody is called; it ends with the name."""
    ids = tuple(said.ids.tolist())
    at = max((i for i, word in enumerate(ids) if i and word in _IS), default=0)
    if not at or not claims(said):
        return NOTHING
    start = next((i for i in range(at + 1, len(ids)) if ids[i] not in NOW and ids[i] not in _CALLS), len(ids))
    name, between = ids[start:], frozenset(ids[at:start])
    if not 1 <= len(name) <= _LONGEST or not said.groups[-1, _NAME] or not content_of(said).issuperset(name):
        return NOTHING
    anew = len(name) > 1 and not between.isdisjoint(NOW)
    labelled = not (_LABELS.isdisjoint(ids[:at]) and _CALLS.isdisjoint(between))
    return Called(name, anew) if anew or labelled else NOTHING


def _renamed(old: Statement, new: Statement) -> bool:
    before, after = called(old).name, called(new).name
    if after[-1] in before or not (after[0] in before or after[0] in old.parts):
        return False
    return new.parts - {after[0]} <= old.parts


renamed: Final = Law(_renamed, lambda old: bool(called(old).name), other=lambda new: called(new).anew)
"""The newer says that who is called something by the older is called something else now."""
