"""Which of a subject's places and posts a text tells: its town, seat, team, employer or trade. It has one of each, and
besides what it plays, belongs to and prefers, where it was born and whose mother it is.

Near in words, they are told apart by what stands behind the verb: "moved to Cork" and "moved to the data team",
"sits in room B12" and "is on the data team", "works as a tailor" and "joined Airbus". What may be of two ("moved to
Acme" is a town or an employer) is apart from neither.

>>> from scrubjay.slots.statements import statement
>>> town, team, seat, trade, firm = map(statement, (
...     "Bo has moved to Cork.", "Bo moved to the data team.", "Bo sits in room B12.", "Bo works as a tailor.",
...     "Bo is employed by Airbus."))
>>> elsewhere_told(town, team), elsewhere_told(team, seat), elsewhere_told(trade, firm), elsewhere_told(town, firm)
(True, True, True, False)
"""

from __future__ import annotations

from enum import IntFlag
from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.bodies import body_of
from scrubjay.slots.complements import COMPANY, LIVE, OBJECT, PLACE, PLAY, PREFER, ROLE, WORK
from scrubjay.slots.laws import Law
from scrubjay.slots.parties import party_of
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import BE, ids_of, single


class Post(IntFlag):
    """What a place may be to its subject."""

    NONE = 0
    TOWN = 1
    SEAT = 2
    TEAM = 4
    EMPLOYER = 8
    TRADE = 16
    STATE = 32
    """No place, though it is told as one: "is on a diet", "is on leave"."""
    GAME = 64
    """What it plays, where no club or band is told: "plays rugby"."""
    TIE = 128
    """No place, whatever the name: "is married to Ann Booth"."""
    BODY = 256
    """A party, a club, a choir or a team of a sport (`scrubjay.slots.bodies`)."""
    KIN = 512
    """Whose parent, or other relative, it is: "is a father of two"."""
    BIRTH = 1024
    """Where or when it was born."""
    CHOICE = 2048
    """What it prefers."""


_VERBS: Final = ids_of(
    "is are am 'm was lives live lived resides reside sits sit moved moves relocated transferred"
    " ist sind bin war wohnt wohne lebt lebe sitzt sitze umgezogen gezogen verlegt"
    " est sont suis habite habitent vit est s'est déménagé"
    " está estoy es son vive vivo mudado mudó è sono abita vive trasferito trasferita"
)
_IN: Final = ids_of("in im nach en à dans nel nella")
_AT: Final = ids_of("at to on into zu zum zur bei auf au aux chez al alla")
_SMALL: Final = ids_of(
    "the a an his her their our my der die das dem den le la les un une el los las una il lo now jetzt"
)
_TEAMS: Final = ids_of(
    "team squad department crew group division unit abteilung gruppe équipe département"
    " equipo departamento squadra reparto"
)
_SEATS: Final = ids_of(
    "room desk floor seat office table booth hall wing cubicle basement upstairs downstairs raum büro zimmer etage"
    " stock platz saal bureau salle étage place sala oficina piso planta despacho ufficio stanza"
)
_STATES: Final = ids_of(
    "diet leave holiday vacation strike hold track sale loan medication fire schedule pill probation antibiotics sick"
    " trouble love charge call duty shift budget diät urlaub elternzeit reise régime congé vacances dieta vacaciones"
    " ferie permesso"
)
_JOINS: Final = ids_of("joined joins")
_TIES: Final = ids_of("married engaged wed related marié mariée fiancé fiancée apparenté apparentée")
_BORN: Final = ids_of(
    "born geboren née né nées nés nacida nacido nació nací nata nato nacque nascida nascido nasceu natif native"
    " gebürtig gebürtige oriunda oriundo"
)
KINDRED: Final = ids_of(
    "mother father mom mum dad parent aunt uncle brother sister grandmother grandfather grandma grandpa twin"
    " godmother godfather mutter vater tante onkel oma opa schwester bruder großmutter großvater mère père"
    " tante oncle sœur soeur frère grand-mère grand-père madre padre tía tío hermana hermano abuela abuelo zia"
    " zio sorella fratello nonna nonno mãe pai tia irmã irmão avó avô"
)
_GONE: Final = ids_of("mudado mudada mudó trasferito trasferita déménagé mudou mudou-se installé installée")
_A: Final = ids_of("a à")
_NAME: Final = GROUPS.index("name")
_NUMBER: Final = GROUPS.index("number")
_FEW: Final = 5


@kept_with
def post_of(said: Statement) -> Post:
    """What it may tell of where its subject is or belongs; NONE where it tells no such thing."""
    if not single(said):
        return Post.NONE
    ids = said.ids.tolist()
    if not _BORN.isdisjoint(ids[1:]):
        return Post.BIRTH
    if body_of(said).at or party_of(said):
        return Post.BODY
    if _kindred(ids):
        return Post.KIN
    parts = dict(said.complement.parts)
    if said.complement.verb == PREFER:
        return Post.CHOICE
    if said.complement.verb == WORK:
        one = (ROLE in parts) != (PLACE in parts)
        return (Post.TRADE if ROLE in parts else Post.EMPLOYER) if one else Post.NONE
    if said.complement.verb == LIVE and PLACE in parts:
        return Post.TOWN
    if said.complement.verb == PLAY and OBJECT in parts:
        return Post.NONE if PLACE in parts or COMPANY in parts else Post.GAME
    return _place_of(said)


def _kindred(ids: list[int]) -> bool:
    """ "Is a father of two", "is Eva's aunt": a relative by what it is, at most two words behind the verb."""
    at = next((i for i, word in enumerate(ids[:4]) if i and word in BE), 0)
    kin = next((i for i in range(at + 1, min(at + 4, len(ids))) if ids[i] in KINDRED), 0) if at else 0
    return kin > 0 and _IN.isdisjoint(ids[at:kin]) and _AT.isdisjoint(ids[at:kin])


def _place_of(said: Statement) -> Post:
    ids = said.ids.tolist()
    verb = next((i for i, word in enumerate(ids[:8]) if i and word in _VERBS), 0)
    at = next((i for i in range(verb + 1, min(verb + 4, len(ids) - 1)) if _leads(ids, i)), 0)
    if not verb or not at:
        joins = next((i for i, word in enumerate(ids[:4]) if i and word in _JOINS), 0)
        return Post.TEAM if joins and not _TEAMS.isdisjoint(ids[joins + 1 : joins + 1 + _FEW]) else Post.NONE
    if not _TIES.isdisjoint(ids[verb:at]):
        return Post.TIE
    last = min(at + 1 + _FEW, len(ids))
    words = set(ids[at + 1 : last])
    for post, known in ((Post.TEAM, _TEAMS), (Post.SEAT, _SEATS), (Post.STATE, _STATES)):
        if not known.isdisjoint(words):
            return post
    # "to Leeds in 2016", "nach Bremen gezogen"
    behind = range(at + 1, next((i for i in range(at + 2, last) if _leads(ids, i) or ids[i] in _VERBS), last))
    names = [bool(said.groups[i, _NAME]) for i in behind if ids[i] not in _SMALL]
    if not names or not all(names) or any(said.groups[i, _NUMBER] for i in behind):
        return Post.NONE
    return Post.TOWN if ids[at] in _IN else Post.TOWN | Post.EMPLOYER


def _leads(ids: list[int], at: int) -> bool:
    """Whether a place may follow; "a" where it is no article ("si è trasferita a Roma")."""
    return ids[at] in _IN or ids[at] in _AT or (ids[at] in _A and ids[at - 1] in _GONE)


def elsewhere_told(one: Statement, other: Statement) -> bool:
    """Whether they tell of different posts, so that neither ends the other."""
    mine, others = post_of(one), post_of(other)
    return bool(mine) and bool(others) and not mine & others


apart_by_post: Final = Law(elsewhere_told, lambda said: bool(post_of(said)), mutual=True)
