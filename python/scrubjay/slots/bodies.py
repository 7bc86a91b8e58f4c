"""Bodies that somebody belongs to beside work and home: a party, a club, a choir, a sport's team. One may be in many.

>>> from scrubjay.slots.statements import statement
>>> chess, rowing, left = map(statement, (
...     "Ana is in the chess club.", "Ana joined the rowing club.", "Ana switched to the rowing club."))
>>> two_bodies(chess, rowing), two_bodies(chess, left)
(True, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.complements import KINDS
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import MARK, NOW, claims, content_of, ids_of, single

_BODIES: Final = ids_of(
    "club party band choir orchestra ensemble church parish congregation union association society federation guild"
    " lodge council board committee scouts brigade"
    " verein partei chor orchester kapelle gewerkschaft gemeinde vorstand beirat elternrat betriebsrat feuerwehr"
    " sportverein schachverein tennisverein turnverein ruderverein fußballverein schachclub tennisclub kirchenchor"
    " gemeindechor lesekreis"
    " parti orchestre chorale église syndicat association partido coro banda orquesta iglesia sindicato asociación"
    " partito orchestra chiesa sindacato circolo associazione"
)
_GROUPS: Final = ids_of("team squad group crew circle league side mannschaft équipe equipo squadra time gruppe groupe")
"""What is one of these by what stands before it."""
_SPORTS: Final = ids_of(" ".join(sorted(KINDS["sport"]))) | ids_of(
    "rowing swimming running cycling climbing judo curling softball lacrosse polo sailing darts bowling quiz relay"
)
_PASTIMES: Final = _SPORTS | ids_of(
    "reading book study walking hiking knitting theatre theater drama dance film prayer bible support gardening"
    " pottery sewing parents mothers toddler"
)
_PARTIES: Final = ids_of("party partei parti partido partito church église iglesia chiesa")
"""Of which one is in one at a time."""
_MEMBER: Final = ids_of(
    "member joined joins join belongs sings sits serves volunteers on in mitglied singt beigetreten im"
    " membre rejoint chante dans miembro socio socia canta en membro socia nel nella"
)
_PLAYS: Final = ids_of("plays play spielt joue juega toca gioca suona joga")
_CHANGES: Final = ids_of("switched moved changed defected transferred gewechselt wechselte passé passée pasó passato")
_TO: Final = ids_of("to zur zum au à al alla")
_SPAN: Final = 7
"""Most words from what says that somebody belongs up to the body."""
_TURNS: Final = NOW | ids_of(
    "instead switched moved changed left quit replaced swapped gewechselt statt ausgetreten quitté cambiado cambió dejó"
    " lasciato passato"
)
_ITS: Final = ids_of(
    "house room hall tent bus car president chair leader head secretary captain manager meeting members rules shirt"
    " practice night dinner choir band council member"
)
"""What is the body's own, or another: "the club house", "the church choir"."""


class Body(NamedTuple):
    """What somebody belongs to."""

    at: int = 0
    """Where the word for it stands, 0 for nothing,"""
    who: frozenset[int] = frozenset()
    """the words of who it is,"""
    sport: bool = False
    """whether it may play against others,"""
    name: frozenset[int] = frozenset()
    """and what tells it from others of its kind."""


NONE: Final = Body()


@kept_with
def body_of(said: Statement) -> Body:
    """The body that a statement says its subject belongs to."""
    ids = said.ids.tolist()
    if (_BODIES | _GROUPS).isdisjoint(ids) or not single(said) or said.marks[MARK["negation"]]:
        return NONE
    content = content_of(said)
    for at in range(2, len(ids)):
        group = ids[at] in _GROUPS and ids[at - 1] in _PASTIMES
        if not group and ids[at] not in _BODIES:
            continue
        if not _ITS.isdisjoint(ids[at + 1 : at + 2]):
            continue
        first = max(1, at - _SPAN)
        start = next((i for i in range(first, at) if ids[i] in _MEMBER or ids[i] in _PLAYS), 0)
        if start:
            sport = ids[start] in _PLAYS or not _SPORTS.isdisjoint(ids[start:at])
            name = content.intersection(ids[start + 1 :]) - _MEMBER - _BODIES - _GROUPS
            return Body(at, content.intersection(ids[:start]), sport, name)
    return NONE


@kept_with
def turned_to(said: Statement) -> Body:
    """The body that it says its subject has changed to: "switched to the Labour Party"."""
    ids = said.ids.tolist()
    start = next((i for i in range(1, len(ids) - 2) if ids[i] in _CHANGES and ids[i + 1] in _TO), 0)
    at = next((i for i in range(start + 2, len(ids)) if ids[i] in _BODIES), 0) if start else 0
    if not at or not claims(said):
        return NONE
    content = content_of(said)
    return Body(at, content.intersection(ids[:start]), False, content.intersection(ids[start + 2 :]) - _BODIES)


def _changed(old: Statement, new: Statement) -> bool:
    left, now = body_of(old), turned_to(new)
    return int(old.ids[left.at]) == int(new.ids[now.at]) and left.who == now.who and not left.name & now.name


changed_body: Final = Law(_changed, lambda old: body_of(old).at > 0, other=lambda new: turned_to(new).at > 0)
"""The newer says that one has changed to another body of the kind that the older names."""


def _two_bodies(one: Statement, other: Statement) -> bool:
    mine, others = body_of(one), body_of(other)
    kinds = int(one.ids[mine.at]), int(other.ids[others.at])
    if (mine.sport and others.sport) or mine.who != others.who:
        return False
    if kinds[0] != kinds[1] and not _PARTIES.issuperset(kinds):
        return True
    return _PARTIES.isdisjoint(kinds) and bool(mine.name and others.name) and not mine.name & others.name


two_bodies: Final = Law(
    _two_bodies, lambda said: body_of(said).at > 0 and _TURNS.isdisjoint(said.ids.tolist()), mutual=True
)
"""Both say that the same one belongs to a body, not to the same, and neither that one is left for the other."""
