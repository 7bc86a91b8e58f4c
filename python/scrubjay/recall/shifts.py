"""A thing that has another value now, of which the newer statement names no more than that: "Netflix went up to 15.99 a
month", "CI was migrated to Buildkite", "we're on pnpm now", "Ben went part-time", "offsite: new date is 12 May".

`shifted(old, new)` holds where the newer names a value that the older's cannot stand beside: another amount of the same
unit, another tool of the same kind (`scrubjay.recall.products`) for the same use, another of a row of states of which
one is in one at a time, another date.

>>> from scrubjay.recall.statements import statement
>>> plan, screens, raised = map(statement, (
...     "The Netflix plan costs 12.99 a month.", "The Netflix plan has 4 screens.", "Netflix rose to 15.99 a month."))
>>> shifted(plan, raised), shifted(screens, raised)
(True, False)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from scrubjay.recall.products import kinds, named
from scrubjay.recall.remembered import kept_with
from scrubjay.recall.statements import GROUPS, Statement
from scrubjay.recall.vocabulary import MARK, content_of, ids_of

_NUMBER: Final = GROUPS.index("number")
_LEVEL: Final = ids_of(
    "went goes rose raised increased climbed jumped dropped fell cut reduced lowered bumped upped gone"
    " gestiegen erhöht gesunken gesenkt passé passée monté augmenté baissé subió bajó salito sceso subiu baixou"
)
_UP_TO: Final = ids_of("to auf à a para")
_ON: Final = ids_of("on to in onto auf zu sur à en a su para")
_OVER: Final = ids_of(
    "moved switched migrated changed went ported rewritten converted transitioned umgestiegen gewechselt migriert"
    " umgezogen passé passés passée migré basculé pasado migrado cambiado passati migrato mudamos migramos"
)
_NOW: Final = ids_of("now jetzt nun maintenant désormais ahora adesso ora agora")
_USE: Final = ids_of(
    "on in with by is are uses use using to via auf in mit ist nutzen nutzt verwenden verwendet sur avec est utilise"
    " utilisons en con usa usamos su usiamo com"
)
_THE: Final = ids_of("the a an our my der die das le la les el il lo o os")
_WE: Final = ids_of(
    "we we're our us team company everyone wir unser unsere uns nous notre nosotros nuestro noi nostro nós nosso"
)
_SCOPE: Final = ids_of("for für pour para per")
_FROM: Final = ids_of("from von de desde da off")
_SCALES: Final = tuple(
    map(
        ids_of,
        (
            "full-time part-time fulltime parttime vollzeit teilzeit",
            "remote remotely hybrid on-site onsite in-person",
            "public private internal",
            "open-source closed-source proprietary",
            "free paid",
            "weekly biweekly fortnightly monthly daily quarterly yearly",
        ),
    )
)
"""States, of which one is in one of a row at a time."""
_GOES: Final = ids_of(
    "is are am i'm was went goes gone go turned became becomes works work working made now moved switched changed back"
    " ist bin arbeitet arbeite jetzt entirely fully again job role position meeting meetings work"
)
_NEW: Final = ids_of("new neuer neue neues nouvelle nouveau nueva nuevo nuova nova")
_DATE: Final = ids_of("date day time slot deadline start termin datum date heure fecha hora data ora")
_ANY: Final = frozenset().union(*_SCALES)
_MAY_BE: Final = _LEVEL | _OVER | _NOW | _ANY | _NEW


class Shift(NamedTuple):
    """What a statement says has another value now; empty for nothing."""

    amount: tuple[int, ...] = ()
    """The unit behind the new amount, the amount first."""
    tool: int = 0
    """The tool that is used now."""
    scale: int = 0
    """A state of a row, where it says nothing else."""
    date: bool = False


NOTHING: Final = Shift()


@kept_with
def shift(said: Statement) -> Shift:
    """What a statement says has another value now."""
    ids = tuple(said.ids.tolist())
    if _MAY_BE.isdisjoint(ids) or said.asks or said.marks[MARK["long"]] or said.marks[MARK["hedge"]] or len(ids) < 3:
        return NOTHING
    if said.marks[MARK["negation"]] or said.past or said.marks[MARK["sentences"]] > 1:
        return NOTHING
    new = any(a in _NEW and b in _DATE for a, b in pairwise(ids))
    return Shift(_amount(said, ids), _tool(ids), _scale(said), new)


def _amount(said: Statement, ids: tuple[int, ...]) -> tuple[int, ...]:
    at = next((i for i, word in enumerate(ids) if i and word in _LEVEL), 0)
    to = next((i for i in range(at + 1, min(at + 3, len(ids) - 1)) if ids[i] in _UP_TO), 0) if at else 0
    return ids[to + 1 : to + 4] if to and said.groups[to + 1, _NUMBER] else ()


def _tool(ids: tuple[int, ...]) -> int:
    """The tool behind "switched to", "was migrated to", or behind "on" where that is so now."""
    at = next((i for i, word in enumerate(ids) if i and word in _OVER), 0)
    if not at and _NOW.isdisjoint(ids):
        return 0
    for i in range(max(at, 1), len(ids) - 1):
        if ids[i] in _ON and named(ids[i + 1]) and not (at and not _FROM.isdisjoint(ids[at:i])):
            return ids[i + 1]
    return 0


def _scale(said: Statement) -> int:
    """The one state of a row that it says, where what it says is no more than that; 0 for none."""
    content = content_of(said) - said.parts - _GOES
    return next(iter(content)) if len(content) == 1 and content <= _ANY else 0


def shifts(said: Statement) -> bool:
    """Whether it says that something has another value now, an amount, a tool or a date."""
    found = shift(said)
    return bool(found.amount or found.tool or found.scale or found.date)


def shifted(old: Statement, new: Statement) -> bool:
    """Whether the newer names a value that the older's cannot stand beside."""
    found = shift(new)
    if found == NOTHING or old.asks or old.marks[MARK["hedge"]] or old.marks[MARK["long"]] or old.past:
        return False
    if old.marks[MARK["sentences"]] > 1 or old.marks[MARK["event"]]:
        return False
    ids = tuple(old.ids.tolist())
    if found.amount and _same_unit(old, new, ids, found.amount):
        return True
    if found.tool and _same_use(old, new, ids, found.tool):
        return True
    return bool(found.scale) and _other_state(old, new, found.scale)


def _same_unit(old: Statement, new: Statement, ids: tuple[int, ...], amount: tuple[int, ...]) -> bool:
    if not new.parts or not new.parts <= content_of(old):
        return False
    at = next((i for i in range(len(ids)) if old.groups[i, _NUMBER]), -1)
    return at > 0 and ids[at] != amount[0] and ids[at + 1 : at + 3] == amount[1:] and old.shape == new.shape


def _same_use(old: Statement, new: Statement, ids: tuple[int, ...], tool: int) -> bool:
    """The older says that another tool of this kind is in use by the same people or for the same thing."""
    if tool in ids or not kinds(old) & named(tool):
        return False
    if not any(named(ids[i]) & named(tool) and _before(ids, i) in _USE for i in range(1, len(ids))):
        return False
    scope = next((i for i, word in enumerate(new.ids.tolist()) if i and word in _SCOPE), new.ids.size)
    if not frozenset(new.ids[scope + 1 :].tolist()) & content_of(new) <= content_of(old):
        return False
    ours = [not _WE.isdisjoint(some.ids[:4].tolist()) for some in (old, new)]
    if all(ours):
        return True
    return ours[0] == ours[1] and bool(new.parts) and new.parts <= old.parts


def _before(ids: tuple[int, ...], at: int) -> int:
    return next((ids[i] for i in range(at - 1, -1, -1) if ids[i] not in _THE), 0)


def _other_state(old: Statement, new: Statement, state: int) -> bool:
    if not (old.parts == new.parts != frozenset() or (not new.parts and int(old.ids[0]) == int(new.ids[0]))):
        return False
    row = next(row for row in _SCALES if state in row)
    held = content_of(old) - old.parts - _GOES
    return len(held) == 1 and held <= row and state not in held
