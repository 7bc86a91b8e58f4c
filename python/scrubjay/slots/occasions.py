"""What was so once, of one of many, or in one environment, and so ends nothing of what is so in general: "yesterday
standup was at 9:45", "a deploy failed on Tuesday", "Isabel cooked meat for her guests", "is on in staging".

>>> from scrubjay.slots.statements import statement
>>> habit, once, change = (occasion(statement(text)) for text in (
...     "Deploys happen on Fridays.", "A deploy failed on Tuesday.", "Deploys moved to Tuesday."))
>>> aside(habit, once), aside(habit, change)
(True, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import MARK, content_of, ids_of

_NAME: Final = GROUPS.index("name")
_YESTERDAY: Final = ids_of("yesterday gestern vorgestern hier ayer anteayer ieri ontem last")
_UNTIL: Final = ids_of("until till since by bis seit jusqu'à jusqu depuis hasta desde fino da até the")
_ENVIRONMENTS: Final = tuple(
    map(
        ids_of,
        ("production prod produktion", "staging stage preprod", "dev development", "test testing qa uat", "canary"),
    )
)
_EVERY_ENVIRONMENT: Final = frozenset().union(*_ENVIRONMENTS)
_DEPLOYS: Final = ids_of("deployed promoted moved released shipped rolled live went copied migrated running runs from")
_A: Final = ids_of("a an one another ein eine un une una uno um uma")
_NEW: Final = ids_of("new neue neuer neues nouveau nouvelle nuevo nueva nuovo nuova novo nova second")
_DID: Final = ids_of(
    "sent wrote showed cooked baked watched saw heard visited asked told emailed drew painted sang danced"
    " tasted thanked hugged"
    " schickte schrieb kochte zeigte besuchte envoya prépara envió escribió cocinó visitó mostró scrisse cucinò"
)
"""What is done once and changes nothing that is so."""
_BROKE: Final = ids_of("failed broke crashed died stopped hung leaked scheitert échoué falló fallito")
_PENDING: Final = ids_of(
    "needs need must should has have will todo plans going wants waiting pending promised soll muss will doit va"
    " debe tiene deve"
)
_ELDERS: Final = ids_of(
    "uncle aunt auntie grandpa grandma grandfather grandmother cousin onkel tante opa oma oncle tía tío abuela abuelo"
    " zio zia nonno nonna tia tio"
)
_CHANGING: Final = frozenset(("update", "negation"))
_NONE: Final = frozenset[int]()


class Occasion(NamedTuple):
    """What `aside` reads of a statement."""

    said: Statement
    first: int
    """Its first word, and its second: who it is of."""
    second: int
    content: frozenset[int]
    once: bool
    """It tells of one day that is over."""
    did: bool
    """It tells of what somebody did once."""
    one: int
    """The thing that it tells of one of, 0 for none."""
    elder: bool
    """It begins with what somebody is called before his name."""
    where: frozenset[int]
    """The environments that it names, where it tells of no deployment."""


@kept_with
def occasion(said: Statement) -> Occasion:
    """What `aside` reads of a statement."""
    ids = tuple(said.ids.tolist())
    words = frozenset(ids)
    changing = any(said.marks[MARK[mark]] for mark in _CHANGING)
    several = len(ids) > 2
    return Occasion(
        said=said,
        first=ids[0] if ids else 0,
        second=ids[1] if several else 0,
        content=content_of(said),
        once=said.past and _yesterday(ids),
        did=several and not changing and not said.bare and not _DID.isdisjoint(ids[1:4]),
        one=ids[1] if several and ids[0] in _A and ids[1] not in _NEW and _happened(said, words) else 0,
        elder=several and ids[0] in _ELDERS and bool(said.groups[1, _NAME]),
        where=_where(words),
    )


def _happened(said: Statement, words: frozenset[int]) -> bool:
    return said.marks[MARK["event"]] > 0 or not words.isdisjoint(_BROKE)


def _yesterday(ids: tuple[int, ...]) -> bool:
    """Whether it says "yesterday", and not "until yesterday"."""
    return any(word in _YESTERDAY and (not i or ids[i - 1] not in _UNTIL) for i, word in enumerate(ids))


def _where(words: frozenset[int]) -> frozenset[int]:
    if words.isdisjoint(_EVERY_ENVIRONMENT) or not words.isdisjoint(_DEPLOYS):
        return _NONE
    return frozenset(i for i, names in enumerate(_ENVIRONMENTS) if not names.isdisjoint(words))


def apart_from_others(one: Occasion) -> bool:
    """Whether `aside` may hold of it and another."""
    return one.once or one.did or one.one != 0 or one.elder or bool(one.where)


def aside(one: Occasion, other: Occasion) -> bool:
    """Whether both stay true, as one tells of an occasion, of one of many, or of another environment."""
    if one.elder and other.elder and (one.first, one.second) != (other.first, other.second):
        return True
    if one.where and other.where and not one.where & other.where:
        # "is in staging", "is in production": where it is is what is said
        return one.content - _EVERY_ENVIRONMENT != other.content - _EVERY_ENVIRONMENT
    return _occasional(one, other) or _occasional(other, one)


def _occasional(one: Occasion, other: Occasion) -> bool:
    if other.said.past:
        return False
    if one.once and not other.once:
        return True
    if one.one and one.one == other.first:
        return True
    if not one.did or other.did or other.said.marks[MARK["negation"]]:
        return False
    return _PENDING.isdisjoint(other.said.ids.tolist())
