"""A thing that has another value now, of which the newer statement names no more than that: "Netflix went up to 15.99 a
month", "CI was migrated to Buildkite", "we're on pnpm now", "Ben went part-time", "offsite: new date is 12 May".

`shifted(old, new)` holds where the newer names a value that the older's cannot stand beside: another amount of the same
unit, another tool of the same kind (`scrubjay.slots.products`) for the same use, another of a row of states of which
one is in one at a time, another date.

>>> from scrubjay.slots.statements import statement
>>> plan, screens, raised = map(statement, (
...     "The Netflix plan costs 12.99 a month.", "The Netflix plan has 4 screens.", "Netflix rose to 15.99 a month."))
>>> shifted(plan, raised), shifted(screens, raised)
(True, False)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.products import Product, products
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import MARK, NOW, THE, claims, content_of, ids_of, single

_NUMBER: Final = GROUPS.index("number")
_LEVEL: Final = ids_of(
    "scaled turned put set brought went goes"
    " rose raised increased climbed jumped dropped fell cut reduced lowered bumped upped gone"
    " gestiegen erhöht gesunken gesenkt passé passée monté augmenté baissé subió bajó salito sceso subiu baixou"
)
_UP_TO: Final = ids_of("to auf à a para")
_PUT: Final = ids_of("put")
_ON_AN: Final = ids_of("on")
_COUNTS: Final = ids_of(
    "two three four five six seven eight nine ten eleven twelve zwei drei vier fünf sechs sieben acht zehn deux trois"
    " quatre cinq sept huit dix dos tres cuatro cinco seis siete ocho diez due tre quattro cinque sei sette otto dieci"
)
_ON: Final = ids_of("on to in onto auf zu sur à en a su para")
_OVER: Final = ids_of(
    "moved switched migrated changed went ported rewritten converted transitioned umgestiegen gewechselt migriert"
    " umgezogen passé passés passée migré basculé pasado migrado cambiado passati migrato mudamos migramos"
)
_USE: Final = ids_of(
    "on in with by is are uses use using to via auf in mit ist nutzen nutzt verwenden verwendet sur avec est utilise"
    " utilisons en con usa usamos su usiamo com"
)
_THE: Final = THE | ids_of("a an my")
_WE: Final = ids_of(
    "we we're our us team company everyone wir unser unsere uns nous notre nosotros nuestro noi nostro nós nosso"
)
_SCOPE: Final = ids_of("for für pour para per")
_FROM: Final = ids_of("from von de desde da off")
_POLES: Final = tuple(
    tuple(map(ids_of, row.split("|")))
    for row in (
        "short brief concise terse|long detailed verbose thorough lengthy",
        "formal|informal casual",
        "metric|imperial",
    )
)
"""What is wanted one way or the other."""
_LANGUAGES: Final = ids_of(
    "english german french spanish italian portuguese dutch polish chinese japanese englisch deutsch französisch"
    " anglais allemand français inglés alemán español"
)
_SIDED: Final = _LANGUAGES.union(*(side for row in _POLES for side in row))
_IN: Final = ids_of("in auf en")
_WANTS: Final = ids_of("prefers prefer wants want reply answer respond write talk speak antworte schreib réponds")
_LIKES: Final = ids_of("likes like user i me us please to")
_THERE: Final = ids_of("there are we have i have only just now still already left remaining remain")
_LEFT: Final = ids_of("only left remaining now already")
_OWNED: Final = ids_of(
    "phone car laptop bike job boss doctor dentist computer tablet watch flat apartment house number address therapist"
    " landlord manager bank gym roommate flatmate"
)
"""Things of which one has one at a time."""
_IS: Final = ids_of("is are")
_MINE: Final = ids_of("my our")
_I: Final = ids_of("i i've we we've")
_GOT: Final = ids_of("got bought have has found gets")
_NEW: Final = ids_of("new neuer neue neues nouvelle nouveau nueva nuevo nuova nova")
_DATE: Final = ids_of("date day time slot deadline start termin datum date heure fecha hora data ora")
_UNITS: Final = ids_of("mg ml mcg µg g kg l units tablets drops puffs gb mb tb")
_PER: Final = ids_of("of von de di")
_BACK: Final = ids_of("back again up down today now")
_MAY_BE: Final = _LEVEL | _OVER | NOW | _NEW | _WANTS | _LEFT


class Shift(NamedTuple):
    """What a statement says has another value now; empty for nothing."""

    amount: tuple[int, ...] = ()
    """The unit behind the new amount, the amount first."""
    tool: Product | None = None
    """The tool that is used now."""
    date: bool = False
    wanted: tuple[int, ...] = ()
    """The row and the side of what is wanted."""
    frame: tuple[int, ...] = ()
    """All that it says but the numbers, and that it is so now."""
    left: int = 0
    """The number of what is left."""
    owned: int = 0
    """What is had anew, of which one has one."""


NOTHING: Final = Shift()


@kept_with
def shift(said: Statement) -> Shift:
    """What a statement says has another value now."""
    ids = tuple(said.ids.tolist())
    if _MAY_BE.isdisjoint(ids) or len(ids) < 3 or said.past or not claims(said):
        return NOTHING
    wanted = () if _WANTS.isdisjoint(ids) else side_of(said)
    new = any(a in _NEW and b in _DATE for a, b in pairwise(ids))
    return Shift(
        _amount(said, ids),
        _tool(said, ids),
        new,
        wanted,
        _frame(said, ids),
        _count(said, ids),
        _owned(ids),
    )


def _amount(said: Statement, ids: tuple[int, ...]) -> tuple[int, ...]:
    at = next((i for i, word in enumerate(ids) if i and word in _LEVEL), 0)
    to_ = _ON_AN if at and ids[at] in _PUT else _UP_TO
    to = next((i for i in range(at + 1, min(at + 7, len(ids) - 1)) if ids[i] in to_), 0) if at else 0
    return ids[to + 1 : to + 4] if to and _counts(said, to + 1) else ()


def _counts(said: Statement, at: int) -> bool:
    """Whether a number stands there, in figures or in words."""
    return bool(said.groups[at, _NUMBER]) or int(said.ids[at]) in _COUNTS


def _tool(said: Statement, ids: tuple[int, ...]) -> Product | None:
    """The tool behind "switched to", "was migrated to", or behind "on" where that is so now."""
    at = next((i for i, word in enumerate(ids) if i and word in _OVER), 0)
    if not at and NOW.isdisjoint(ids):
        return None
    for tool in products(said):
        on = tool.at - 1
        if on >= max(at, 1) and ids[on] in _ON and not (at and not _FROM.isdisjoint(ids[at:on])):
            return tool
    return None


@kept_with
def side_of(said: Statement) -> tuple[int, ...]:
    """The row and the side of what it names of those of which one is wanted, () for none."""
    ids = tuple(said.ids.tolist())
    if _SIDED.isdisjoint(ids):
        return ()
    spoken = next((word for before, word in pairwise(ids) if before in _IN and word in _LANGUAGES), 0)
    if spoken:
        return (len(_POLES), spoken)
    sides = {(i, j) for i, row in enumerate(_POLES) for j, side in enumerate(row) if not side.isdisjoint(ids)}
    return sides.pop() if len(sides) == 1 else ()


def _frame(said: Statement, ids: tuple[int, ...]) -> tuple[int, ...]:
    if NOW.isdisjoint(ids) or not said.marks[MARK["numbers"]]:
        return ()
    return _without_numbers(said, ids)


def _without_numbers(said: Statement, ids: tuple[int, ...]) -> tuple[int, ...]:
    """The words, with 0 for each number."""
    numbers = said.groups[:, _NUMBER].tolist()
    words = (0 if number else word for word, number in zip(ids, numbers, strict=True))
    return tuple(word for word in words if word not in NOW)


def _count(said: Statement, ids: tuple[int, ...]) -> int:
    at = [i for i in range(min(4, len(ids))) if said.groups[i, _NUMBER]]
    return ids[at[0]] if at and not _LEFT.isdisjoint(ids) and _THERE.issuperset(ids[: at[0]]) else 0


def _owned(ids: tuple[int, ...]) -> int:
    if _GOT.isdisjoint(ids[1:3]):
        return 0
    return next((word for before, word in pairwise(ids) if before in _NEW and word in _OWNED), 0)


def shifts(said: Statement) -> bool:
    """Whether it says that something has another value now, an amount, a tool or a date."""
    found = shift(said)
    return found != NOTHING


def _held(old: Statement) -> bool:
    once = old.marks[MARK["event"]] and not old.complement.verb
    return not old.past and single(old) and not old.marks[MARK["hedge"]] and not once


def _shifted(old: Statement, new: Statement) -> bool:
    found = shift(new)
    ids = tuple(old.ids.tolist())
    if found.amount and _same_unit(old, new, ids, found.amount):
        return True
    if found.tool is not None and _same_use(old, new, ids, found.tool):
        return True
    if found.wanted and _other_side(old, new, found.wanted):
        return True
    if found.frame and found.frame == _without_numbers(old, ids):
        return ids != tuple(word for word in new.ids.tolist() if word not in NOW)
    if found.left and _other_count(old, new, ids, found.left):
        return True
    if found.owned and ids[-1] == found.owned and old.bare and new.parts:
        # "Max is Ella's boss", "Ella got a new boss"
        return not new.parts & old.parts and new.parts <= content_of(old)
    if found.owned and found.owned in old.parts and _IS.intersection(ids[1:4]):
        return ids[0] in _MINE if new.ids[0] in _I else bool(new.parts) and new.parts <= old.parts
    return False


shifted: Final = Law(_shifted, _held, other=shifts)
"""The newer names a value that the older's cannot stand beside."""


def _same_unit(old: Statement, new: Statement, ids: tuple[int, ...], amount: tuple[int, ...]) -> bool:
    level = next(i for i, word in enumerate(new.ids.tolist()) if i and word in _LEVEL)
    words = tuple(new.ids.tolist())
    to = next(i for i in range(level + 1, len(words)) if words[i : i + len(amount)] == amount)
    at = next((i for i in range(len(ids)) if _counts(old, i)), -1)
    if at < 0 or ids[at] == amount[0] or ids[at + 1 : at + 2] != amount[1:2]:
        return False
    if old.shape != new.shape and _UNITS.isdisjoint(amount[1:2]):
        return False
    if len(amount) > 2 and amount[2] in _PER and ids[at + 2 : at + 4] == words[to + 2 : to + 4]:
        # "takes 5 mg of ramipril", "was put on 10 mg of ramipril"
        return True
    head = content_of(new) & frozenset(words[:to])
    return bool(head - _LEVEL) and head - _LEVEL - _BACK <= content_of(old)


def _same_use(old: Statement, new: Statement, ids: tuple[int, ...], tool: Product) -> bool:
    """The older says that another tool of this kind is in use by the same people or for the same thing."""
    alike = [one for one in products(old) if one.kinds & tool.kinds]
    if any(one.name == tool.name for one in alike):
        return False
    if not any(one.at and _before(ids, one.at) in _USE for one in alike):
        return False
    scope = next((i for i, word in enumerate(new.ids.tolist()) if i and word in _SCOPE), new.ids.size)
    if not frozenset(new.ids[scope + 1 :].tolist()) & content_of(new) <= content_of(old):
        return False
    ours, mine = ([not words.isdisjoint(some.ids[:4].tolist()) for some in (old, new)] for words in (_WE, _I))
    if new.parts and new.parts.isdisjoint(_WE):
        # "our CI runs on Jenkins", "we use Jenkins for CI": "CI runs on Buildkite now"
        return new.parts <= (content_of(old) if ours[0] else old.parts)
    return all(ours) or all(mine)


def _other_side(old: Statement, new: Statement, wanted: tuple[int, ...]) -> bool:
    """The older wants of the same, or of nothing that is named, the other."""
    side = side_of(old)
    if not side or side[0] != wanted[0] or side == wanted or old.marks[MARK["negation"]]:
        return False
    if (_WANTS | _LIKES).isdisjoint(old.ids[:3].tolist()):
        return False
    return _of_what(old) == _of_what(new)


def _of_what(said: Statement) -> frozenset[int]:
    return content_of(said) - _SIDED - _WANTS - _LIKES


def _other_count(old: Statement, new: Statement, ids: tuple[int, ...], count: int) -> bool:
    at = next((i for i in range(min(4, len(ids))) if old.groups[i, _NUMBER]), -1)
    if at < 0 or ids[at] == count or not _THERE.issuperset(ids[:at]):
        return False
    return content_of(old) - {ids[at]} - _THERE == content_of(new) - {count} - _THERE != frozenset()


def _before(ids: tuple[int, ...], at: int) -> int:
    return next((ids[i] for i in range(at - 1, -1, -1) if ids[i] not in _THE), 0)
