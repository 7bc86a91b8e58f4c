"""What was so once, of one of many, or in one environment, and so ends nothing of what is so in general: "yesterday
standup was at 9:45", "a deploy failed on Tuesday", "Isabel cooked meat for her guests", "is on in staging"; and what
was done with one after the other, "Ana reviewed PR 88", "Ana reviewed PR 91"; and two lines of a list, "todo: milk".

>>> from scrubjay.slots.statements import statement
>>> habit, once, change = map(statement, (
...     "Deploys happen on Fridays.", "A deploy failed on Tuesday.", "Deploys moved to Tuesday."))
>>> aside(habit, once), aside(habit, change)
(True, False)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law, Laws, always
from scrubjay.slots.seats import LISTED
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import MARK, content_of, ids_of

_NAME, _NUMBER, _STOP, _WORD = (GROUPS.index(group) for group in ("name", "number", "stop", "word"))
_WORDS: Final = [_WORD, _NAME]
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
    "introduced brought congratulated lent borrowed photographed"
    " sent wrote showed cooked baked watched saw heard visited asked told emailed drew painted sang danced"
    " tasted thanked hugged"
    " schickte schrieb kochte zeigte besuchte envoya prépara envió escribió cocinó visitó mostró scrisse cucinò"
)
"""What is done once and changes nothing that is so."""
_DEALT: Final = ids_of(
    "reviewed merged closed fixed resolved approved rejected read finished completed wrote graded tested submitted"
    " filed handled answered solved checked proofread signed"
    " geprüft gelesen geschlossen behoben erledigt korrigiert"
)
"""What is done with one after the other of many."""
_HAVE: Final = ids_of("has have had also just already hat haben")
_THE: Final = ids_of("the our der die das den")
_BROKE: Final = ids_of("failed broke crashed died stopped hung leaked scheitert échoué falló fallito")
_PENDING: Final = ids_of(
    "needs need must should has have will todo plans going wants waiting pending promised soll muss will doit va"
    " debe tiene deve"
)
_ELDERS: Final = ids_of(
    "uncle aunt auntie grandpa grandma grandfather grandmother cousin onkel tante opa oma oncle tía tío abuela abuelo"
    " zio zia nonno nonna tia tio"
)
_TOOK: Final = ids_of("took happened occurred fand ereignete tuvo ocurrió")
_PLACE: Final = ids_of("place statt lugar happened occurred ereignete ocurrió")
_THE_PLACE_OF: Final = ids_of("of von de")
_DAYS: Final = ids_of(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag"
    " sonntag lunes martes miércoles jueves viernes sábado domingo"
)
_CHANGING: Final = frozenset(("update", "negation"))
_NONE: Final = frozenset[int]()


class Occasion(NamedTuple):
    """What the laws read of a statement."""

    once: bool
    """It tells of one day that is over."""
    did: bool
    """It tells of what somebody did once."""
    one: int
    """The thing that it tells of one of, 0 for none."""
    dated: bool
    """It tells on which day something took place."""
    elder: bool
    """It begins with what somebody is called before his name."""
    where: frozenset[int]
    """The environments that it names, where it tells of no deployment."""
    dealt: tuple[int, ...]
    """Who has dealt with which numbered one of a kind, up to the number; () for none."""


@kept_with
def occasion(said: Statement) -> Occasion:
    """What the laws read of a statement."""
    ids = tuple(said.ids.tolist())
    words = frozenset(ids)
    changing = any(said.marks[MARK[mark]] for mark in _CHANGING)
    several = len(ids) > 2
    return Occasion(
        once=said.past and _yesterday(ids),
        did=several and not changing and not said.bare and not _DID.isdisjoint(ids[1:4]),
        one=ids[1] if several and ids[0] in _A and ids[1] not in _NEW and _happened(said, words) else 0,
        dated=several and not said.marks[MARK["negation"]] and _took_place(said, words),
        elder=several and ids[0] in _ELDERS and bool(said.groups[1, _NAME]),
        where=_where(words),
        dealt=() if words.isdisjoint(_DEALT) else _dealt(said, ids),
    )


def _dealt(said: Statement, ids: tuple[int, ...]) -> tuple[int, ...]:
    """ "Ana reviewed PR 88": the number ends the phrase behind the verb, and a kind stands before it."""
    at = next((i for i, word in enumerate(ids[:4]) if i and word in _DEALT), 0)
    # "is reviewing", "will review": not yet
    if not at or (at > 1 and said.groups[at - 1, _STOP] and ids[at - 1] not in _HAVE):
        return ()
    first = at + 1 + (not _THE.isdisjoint(ids[at + 1 : at + 2]))
    last = next((i for i in range(first, min(first + 4, len(ids))) if not said.groups[i, _WORDS].any()), first)
    return ids[: last + 1] if last > first and said.groups[last, _NUMBER] else ()


def _took_place(said: Statement, words: frozenset[int]) -> bool:
    if words.isdisjoint(_TOOK) or words.isdisjoint(_PLACE) or not words.isdisjoint(_THE_PLACE_OF):
        return False
    return bool(said.groups[:, _NUMBER].any()) or not words.isdisjoint(_DAYS)


def _happened(said: Statement, words: frozenset[int]) -> bool:
    return said.marks[MARK["event"]] > 0 or not words.isdisjoint(_BROKE)


def _yesterday(ids: tuple[int, ...]) -> bool:
    """Whether it says "yesterday", and not "until yesterday"."""
    return any(word in _YESTERDAY and (not i or ids[i - 1] not in _UNTIL) for i, word in enumerate(ids))


def _where(words: frozenset[int]) -> frozenset[int]:
    if words.isdisjoint(_EVERY_ENVIRONMENT) or not words.isdisjoint(_DEPLOYS):
        return _NONE
    return frozenset(i for i, names in enumerate(_ENVIRONMENTS) if not names.isdisjoint(words))


def _two_elders(one: Statement, other: Statement) -> bool:
    return bool((one.ids[:2] != other.ids[:2]).any())


def _one_after_another(one: Statement, other: Statement) -> bool:
    """The same was done with two of a kind: both were."""
    a, b = occasion(one).dealt, occasion(other).dealt
    return a[:-1] == b[:-1] and a[-1] != b[-1]


def _elsewhere(one: Statement, other: Statement) -> bool:
    """In another environment; "is in staging", "is in production": where it is is what is said."""
    if occasion(one).where & occasion(other).where:
        return False
    return bool(content_of(one) - _EVERY_ENVIRONMENT != content_of(other) - _EVERY_ENVIRONMENT)


def _one_of(one: Statement, other: Statement) -> bool:
    return occasion(one).one == int(other.ids[0])


def _in_general(said: Statement) -> bool:
    return said.ids.size > 0 and not said.past


def _general(said: Statement) -> bool:
    return not (said.past or occasion(said).did or said.marks[MARK["negation"]]) and _PENDING.isdisjoint(
        said.ids.tolist()
    )


ASIDE: Final = (
    Law(lambda a, b: a.seat.key == b.seat.key, lambda s: s.seat.key[:1] == LISTED, mutual=True),
    Law(_two_elders, lambda s: occasion(s).elder, mutual=True),
    Law(_elsewhere, lambda s: bool(occasion(s).where), mutual=True),
    Law(_one_after_another, lambda s: bool(occasion(s).dealt), mutual=True),
    Law(always, lambda s: occasion(s).once, other=lambda s: not (s.past or occasion(s).once)),
    Law(always, lambda s: occasion(s).dated, words=_TOOK, mutual=True),
    Law(_one_of, lambda s: occasion(s).one != 0, other=_in_general),
    Law(always, lambda s: occasion(s).did, other=_general),
)
_LAWS: Final = Laws("occasions", *ASIDE)


def aside(one: Statement, other: Statement) -> bool:
    """Whether both stay true, as one tells of an occasion, of one of many, or of another environment."""
    return _LAWS.hold(one, other)
