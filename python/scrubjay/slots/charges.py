"""Whom or what somebody has in charge: a second case, patient or class beside the first leaves both.

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
from scrubjay.slots.statements import GROUPS, Statement
from scrubjay.slots.vocabulary import MARK, NOW, ids_of

_CHARGE: Final = ids_of(
    "handles treats represents hears teaches supervises advises behandelt vertritt betreut unterrichtet beaufsichtigt"
)
_NUMBER: Final = GROUPS.index("number")


@kept_with
def _charge(said: Statement) -> int:
    """Where its verb of charge stands, 0 for none; an amount behind it ("treats 200 patients a day") is no charge."""
    ids = said.ids.tolist()
    at = next((i for i, word in enumerate(ids) if i and word in _CHARGE), 0)
    return at if at + 1 < len(ids) and not said.groups[at + 1, _NUMBER] else 0


def _same_keeper(one: Statement, other: Statement) -> bool:
    at = _charge(one)
    return at == _charge(other) and one.ids[: at + 1].tolist() == other.ids[: at + 1].tolist()


def _has_charge(said: Statement) -> bool:
    changes = said.marks[MARK["negation"]] or said.marks[MARK["update"]] or not NOW.isdisjoint(said.ids.tolist())
    return _charge(said) > 0 and not changes


another_charge: Final = Law(_same_keeper, _has_charge, words=_CHARGE, mutual=True)
"""Both say whom or what the same one has in charge, and neither that anything changes."""
