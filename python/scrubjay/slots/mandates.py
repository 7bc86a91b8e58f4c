"""A public office at a time: who sits in the senate has left the house, and who was elected governor is mayor no more.

Offices within a body (chair, treasurer) and ministries are held beside a seat, and are none of these.

>>> from scrubjay.slots.statements import statement
>>> house, senate, chair, wife = map(statement, (
...     "Ana is the representative for Ohio.", "Ana was elected senator.", "Ana is chair of the committee.",
...     "Ana is the mayor's wife."))
>>> another_mandate(house, senate), another_mandate(house, chair), another_mandate(house, wife)
(True, False, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.unsettled import unsettled
from scrubjay.slots.vocabulary import BE, NOW, THE, claims, ids_of

_OFFICES: Final = ids_of(
    "mayor mayoress governor senator congressman congresswoman assemblyman assemblywoman mp mep"
    " bürgermeister bürgermeisterin oberbürgermeister oberbürgermeisterin senatorin botschafter botschafterin"
    " maire sénateur sénatrice gouverneur gouverneure député députée"
    " alcalde alcaldesa gobernador gobernadora senador senadora diputado diputada"
    " sindaco sindaca senatore senatrice governatore governatrice"
)
_SENT: Final = {**dict.fromkeys(ids_of("representative"), ids_of("for from")),
                **dict.fromkeys(ids_of("ambassador"), ids_of("to"))}  # fmt: skip
"""Offices by what follows them: there are representatives of firms and ambassadors of brands as well."""
_MEMBER: Final = ids_of("member mitglied membre miembro membro")
_HOUSES: Final = ids_of("parliament congress senate bundestag bundesrat landtag parlement sénat parlamento senado")
_CHOSEN: Final = ids_of(
    "became becomes elected appointed named sworn serves serving in as wurde zum zur gewählt élu élue devenu devenue"
    " elegido elegida eletto eletta been has just recently was"
)
_BEFORE: Final = BE | NOW | THE | _CHOSEN | ids_of("a an new current state us junior senior ein eine un une una uno")
_BEHIND: Final = ids_of("of for from to in since von für in seit de du des d' pour depuis del di da per") | NOW
_IN: Final = ids_of("in since seit en depuis desde dal nel")
_NUMBER: Final = GROUPS.index("number")


@kept_with
def _holds(said: Statement) -> bool:
    """Whether it says of somebody that they hold such an office now."""
    if not claims(said) or unsettled(said):
        return False
    ids = said.ids.tolist()
    # what became of somebody in a year of its own tells of no present
    if any(a in _IN and said.groups[i, _NUMBER] for i, a in enumerate(ids[:-1], 1)):
        return False
    at = next((i for i in range(2, len(ids)) if _office(ids, i)), 0)
    verb = at - 1
    while verb > 0 and ids[verb] in _BEFORE:
        verb -= 1
    came = set(ids[verb + 1 : at])
    was = said.past and came.isdisjoint(_CHOSEN - ids_of("was has been just recently"))
    return at > 0 and not was and not came.isdisjoint(BE | _CHOSEN)


def _office(ids: list[int], at: int) -> bool:
    rest = ids[at + 1 : at + 4]
    if ids[at] in _SENT:
        return bool(rest) and rest[0] in _SENT[ids[at]]
    if ids[at] in _MEMBER:
        return not _HOUSES.isdisjoint(rest)
    return ids[at] in _OFFICES and (not rest or rest[0] in _BEHIND)


def _same_holder(one: Statement, other: Statement) -> bool:
    mine, others = one.parts, other.parts
    if mine and others:
        return mine <= others or others <= mine
    return one.subject == other.subject != 0


another_mandate: Final = Law(_same_holder, _holds, mutual=True)
"""Both say what public office the same one holds."""
