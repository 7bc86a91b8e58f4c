"""A thing that is elsewhere now, or of which there is a new one: "the keys were moved to the safe", "has a new number".

`made_anew(old, new)` holds where the older says where its subject is, lives or is kept, and the newer that it was moved
to another place; or where the older says something of what somebody has, and the newer that there is a new one.

>>> from scrubjay.slots.statements import statement
>>> keys, moved, car = map(statement, (
...     "The keys are in the drawer.", "The keys were moved to the safe.", "The car was moved to the street."))
>>> made_anew(keys, moved), made_anew(keys, car)
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.beside import NOT
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.tense import PLACES
from scrubjay.slots.unsettled import unsettled
from scrubjay.slots.vocabulary import MARK, NOW, THE, claims, content_of, ids_of, single
from scrubjay.slots.whereabouts import elsewhere_told

_IN: Final = ids_of(" ".join(PLACES)) | ids_of("with mit avec con com a au aux al dal nel nella no na bei beim by chez")
_IS: Final = ids_of(
    "is are am lives live resides sits stands stays lies hangs ist sind bin wohnt wohne lebt steht stehen liegt liegen"
    " hängt est sont habite habitent vit se está están es son vive viven è sono abita vive é são fica ficam mora"
)
_RUNS: Final = ids_of("runs run läuft laufen tourne tournent corre gira")
"""What things do where they are."""
_KEPT: Final = ids_of(
    "based located kept stored hosted parked housed situated trouve trouvent untergebracht situé située situado situada"
    " encuentra trova"
)
MOVED: Final = ids_of(
    "moved relocated transferred shifted moves verlegt umgezogen gezogen verschoben gebracht umgestellt"
    " déménagé déplacé déplacée déplacés déplacées transféré transférée"
    " trasladado trasladada trasladó mudado mudada mudó movido movida"
    " 移 搬 迁 越"
    " spostato spostata trasferito trasferita mudou mudou-se transferido transferida"
)
"""Words of another place."""
_AUX: Final = ids_of(
    "was were has have been is are just recently finally since now got 's ist sind wurde wurden wird hat est sont a ont"
    " été vient se ha han sido fue fueron è sono stato stata si foi foram"
)
_TO: Final = ids_of("to into onto in nach zu zum zur auf ins à au aux dans vers en a al hacia nel nella per para")
_HAS: Final = ids_of("has have got gets hat habe a ai tiene tengo ha ho tem")
_NEW: Final = ids_of("new neue neuen neues nouveau nouvelle nuevo nueva nuovo nuova novo nova")


@kept_with
def _where(said: Statement) -> tuple[int, ...]:
    """The words of the subject, where it says where that is; () where it says no such thing."""
    ids = tuple(said.ids.tolist())
    at = next((i for i, word in enumerate(ids) if i and (word in _IS or (word in _RUNS and ids[0] in THE))), 0)
    behind = next((i for i in range(at + 1, len(ids)) if ids[i] not in _KEPT and ids[i] not in NOW), len(ids))
    if not at or behind >= len(ids) - 1 or ids[behind] not in _IN:
        return ()
    if ids[behind] in _A and ids[behind - 1] in NOW:
        # "is now a nurse"
        return ()
    return ids[:at] if ids[at - 1] not in _SELF else ids[: at - 1]


_SELF: Final = ids_of("se si sich")
_A: Final = ids_of("a")


def renews(said: Statement) -> bool:
    """Whether it says that something was moved, or that there is a new one."""
    ids = said.ids.tolist()
    moved = not MOVED.isdisjoint(ids) or (not NOW.isdisjoint(ids) and bool(_where(said)))
    return moved or _new(ids) > 0 or _not_there(said) > 0


def _new(ids: Sequence[int]) -> int:
    """Where "has a new" stands."""
    return next((i for i in range(1, len(ids) - 3) if ids[i] in _HAS and ids[i + 2] in _NEW), 0)


@kept_with
def _settled(said: Statement) -> bool:
    return said.ids.size >= 3 and claims(said) and not unsettled(said)


made_anew: Final = Law(
    lambda old, new: (
        not elsewhere_told(old, new)
        and (_relocated(old, new) or _renewed(old, new) or _elsewhere(old, new) or _topic(old, new))
    ),
    lambda old: not old.past and _settled(old),
    other=lambda new: renews(new) and _settled(new) and NOT.isdisjoint(new.ids.tolist()),
)
"""The newer says that the older's subject is elsewhere now, or that there is another in its place."""


def _not_there(said: Statement) -> int:
    """Where "but in" stands in "is no longer in C4 but in room D2", 0 in what says no such thing."""
    ids = said.ids.tolist()
    at = next((i for i in range(3, len(ids) - 2) if ids[i] in _BUT and ids[i + 1] in _IN), 0)
    denied = at and single(said) and not said.marks[MARK["hedge"]] and not NOT.isdisjoint(ids[:at])
    return at if denied and any(one in _IS and other in _IN - _A for one, other in combinations(ids[:at], 2)) else 0


def _corrected(old: Statement, new: Statement) -> bool:
    """Both say where one thing is, the newer that it is not there or not where it was, but elsewhere."""
    who, ids = _where(old), tuple(new.ids.tolist())
    n, there = len(who), frozenset(ids[_not_there(new) + 2 :]) & content_of(new)
    begins = bool(who) and ids[:n] == who and ids[n] in _IS
    return begins and not there <= content_of(old) and not elsewhere_told(old, new)


_BUT: Final = ids_of("but sondern mais sino ma mas")
corrected: Final = Law(_corrected, lambda old: not old.past and _settled(old), other=lambda new: _not_there(new) > 0)
"""The newer says that the older's subject is not there but elsewhere."""


def _elsewhere(old: Statement, new: Statement) -> bool:
    """Both say where one thing is, the newer where it is now: "the key now lives in the safe"."""
    who, ids = _where(old), new.ids.tolist()
    if not who or NOW.isdisjoint(ids):
        return False
    there = _where(new)
    before, after = _place(old, who), _place(new, who)
    return who == tuple(word for word in there if word not in NOW) and not (before <= after or after <= before)


def _topic(old: Statement, new: Statement) -> bool:
    """ "本社は大阪にあります", "本社は東京に移転しました": one topic, another place."""
    a, b = old.ids.tolist(), new.ids.tolist()
    at = next((i for i, word in enumerate(b) if i and word in _OF), 0)
    if not at or a[: at + 1] != b[: at + 1] or not MOVED.isdisjoint(a):
        return False
    there, here = ([i for i in range(at + 1, len(ids)) if ids[i] in _AT] for ids in (a, b))
    if not there or not here or a[there[0] + 1 : there[0] + 2] not in _STAYS:
        return False
    return bool(a[at + 1 : there[0]] != b[at + 1 : here[0]])


_OF: Final = ids_of("は が")
_AT: Final = ids_of("に へ")
_STAYS: Final = [[word] for word in ids_of("あ 住")]


def _place(said: Statement, who: Sequence[int]) -> frozenset[int]:
    return content_of(said) - frozenset(who) - _KEPT - _IS


def _relocated(old: Statement, new: Statement) -> bool:
    ids, who = tuple(new.ids.tolist()), _where(old)
    at = max((i for i, word in enumerate(ids) if word in MOVED), default=0)
    n = len(who)
    if not n or not at or ids[:n] != who:
        return False
    # "wurde nach Dublin verlegt": the verb comes last
    last = at == len(ids) - 1
    between = ids[n:at]
    to = next((i for i in range(n, len(ids) - 1) if ids[i] in _TO and ids[i] not in _AUX), 0) if last else at + 1
    if not 0 < to < len(ids) - 1 or ids[to] not in _TO:
        return False
    if any(word not in _AUX for word in (between[: to - n] if last else between)):
        return False
    where = frozenset(ids[to + 1 : at if last else len(ids)]) & content_of(new)
    return bool(where) and not where <= content_of(old)


def _renewed(old: Statement, new: Statement) -> bool:
    """ "Jo's phone number is ...", "Jo has a new phone number"."""
    ids = tuple(new.ids.tolist())
    at = _new(ids)
    if not at or not new.parts or not new.parts < old.parts:
        return False
    thing = old.parts - new.parts
    return frozenset(ids[at + 3 : at + 3 + len(thing)]) == thing
