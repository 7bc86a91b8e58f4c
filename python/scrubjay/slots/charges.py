"""Whom or what somebody has in charge: a second case, patient, ward or class beside the first leaves both.

>>> from scrubjay.slots.statements import statement
>>> one, two, now = map(statement, (
...     "Dr. Evans treats patient 12.", "Dr. Evans treats patient 15.", "Dr. Evans treats patient 15 now."))
>>> another_charge(one, two), another_charge(one, now)
(True, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, Statement, statement
from scrubjay.slots.vocabulary import BE, MARK, NOW, THE, ids_of

_CHARGE: Final = ids_of(
    "handles treats represents hears teaches supervises advises behandelt vertritt betreut unterrichtet beaufsichtigt"
)
"""What is done for several side by side, whatever they are;"""
_RUNS: Final = ids_of(
    "manages oversees covers coaches inspects looks cares verwaltet gère gestiona gestisce couvre cubre copre"
)
_SEVERAL: Final = ids_of(
    "client account customer patient case ward region territory district county area route beat portfolio property"
    " building store branch class course event tenant household under kunden konto bezirk station region gebiet"
    " client compte secteur région cliente cuenta zona región cliente conto regione"
)
"""what is done for several where they are of these kinds;"""
_ON: Final = tuple(
    (ids_of(verbs), ids_of(kinds) if kinds else None)
    for verbs, kinds in (
        ("serves sits serve sit", "board boards committee council panel jury commission"),
        ("operates", ""),
    )
)
"""and what is done "on" several, of these kinds or any, by somebody without an article;"""
_CASES: Final = ids_of(
    "case trial matter lawsuit proceedings arbitration inquest v vs verfahren prozess affaire procès caso causa"
)
"""what one has a part in, whoever one is there."""
_PREPOSITION: Final = ids_of("on")
_IN: Final = ids_of("in for on im dans en nel nella")
_INSTEAD: Final = NOW | ids_of("instead currently")
_NUMBER: Final = GROUPS.index("number")
_SERVES: Final = frozenset().union(*(verbs for verbs, _ in _ON))
_CODE: Final = statement("It is 6a.").shape
_VERBS: Final = _CHARGE | _RUNS | _SERVES | BE


@kept_with
def _charge(said: Statement) -> int:
    """Up to where it says who has charge of something, 0 for no such thing; an amount behind it ("treats 200 patients a
    day") is no charge."""
    ids = said.ids.tolist()
    at = next((i for i, word in enumerate(ids) if i and word in _VERBS and ids[i - 1] not in THE), 0)
    if not at:
        return 0
    rest = ids[at + 1 :]
    if ids[at] in _RUNS and _SEVERAL.isdisjoint(rest):
        return 0
    if ids[at] in _SERVES:
        at = at + 1 if ids[0] not in THE and _serves(ids[at], rest) else len(ids)
    elif ids[at] in BE:
        # "is lead counsel in the Acme case"
        behind = range(at + 2, len(ids) if not _CASES.isdisjoint(rest) else 0)
        at = next((i for i in behind if ids[i] in _IN), len(ids))
    if at + 1 >= len(ids):
        return 0
    # "teaches 6a": a name
    named = not said.groups[at + 1, _NUMBER] or (at + 2 == len(ids) and said.shape == _CODE)
    return at if named else 0


def _serves(verb: int, rest: list[int]) -> bool:
    if not _PREPOSITION.issuperset(rest[:1]):
        return False
    return any(verb in verbs and (kinds is None or not kinds.isdisjoint(rest)) for verbs, kinds in _ON)


def _same_keeper(one: Statement, other: Statement) -> bool:
    at = _charge(one)
    return at == _charge(other) and one.ids[: at + 1].tolist() == other.ids[: at + 1].tolist()


def _has_charge(said: Statement) -> bool:
    changes = said.marks[MARK["negation"]] or said.marks[MARK["update"]] or not _INSTEAD.isdisjoint(said.ids.tolist())
    return _charge(said) > 0 and not changes


another_charge: Final = Law(_same_keeper, _has_charge, words=_VERBS, mutual=True)
"""Both say whom or what the same one has in charge, and neither that anything changes."""
