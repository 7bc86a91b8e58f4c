"""One party at a time: who joins the Greens has left Labour, though clubs and choirs are beside each other.

>>> from scrubjay.slots.statements import statement
>>> labour, greens, choir, feast = map(statement, (
...     "Ana belongs to the Labour Party.", "Ana has joined the Greens.", "Ana has joined the choir.",
...     "Ana has joined Ben's birthday party."))
>>> another_party(labour, greens), another_party(labour, choir), another_party(labour, feast)
(True, False, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import claims, content_of, ids_of

_MEMBER: Final = ids_of("member affiliated belongs belong mitglied membre miembro socio socia membro")
_JOINED: Final = ids_of("joined joins beigetreten rejoint")
_OF: Final = ids_of("of to in der im beim de du des del di da do")
_CAMPS: Final = ids_of("greens democrats republicans liberals conservatives tories socialists communists grünen")
_PARTIES: Final = ids_of("party partei parti partido partito")
_NONE: Final = ids_of("independent parteilos")
_FEASTS: Final = ids_of("birthday launch dinner garden wedding search farewell christmas tea")
_NAME: Final = GROUPS.index("name")


@kept_with
def party_of(said: Statement) -> frozenset[int]:
    """What it calls the party that somebody belongs to, empty for none."""
    joins = not _JOINED.isdisjoint(said.ids.tolist())
    if said.past or not claims(said):
        return frozenset()
    ids = said.ids.tolist()
    at = next((i for i, word in enumerate(ids[1:6], 1) if word in _MEMBER or word in _JOINED), 0)
    if not at or not (joins or (ids[at + 1 : at + 2] and ids[at + 1] in _OF)):
        return frozenset()
    rest = frozenset(ids[at + 1 :])
    named = bool(said.groups[at + 1 :, _NAME].any()) and not rest & _FEASTS
    if rest & _CAMPS or (named and rest & (_PARTIES | _NONE)):
        return rest & content_of(said)
    return frozenset()


def _another(one: Statement, other: Statement) -> bool:
    mine, others = party_of(one), party_of(other)
    if mine <= others or others <= mine:
        return False
    return one.parts == other.parts and (bool(one.parts) or int(one.ids[0]) == int(other.ids[0]))


another_party: Final = Law(_another, lambda said: bool(party_of(said)), mutual=True)
"""They say that the same one belongs to two parties: to the later one."""
