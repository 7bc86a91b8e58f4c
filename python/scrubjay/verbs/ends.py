"""The end that a memory's words name, as fields of the events that write it; and a time of it that cannot be meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import UNSET

from scrubjay.columns import ORIGINS
from scrubjay.encode.ends import stated_end
from scrubjay.encode.intake import Draft
from scrubjay.encode.normal import normal_form, text_digest
from scrubjay.memory import Origin
from scrubjay.store.view import Transaction
from scrubjay.verbs.engine import Engine

Fields: TypeAlias = "tuple[float | None, float]"
"""`until` and `edge` of an event."""
NONE: Final[Fields] = (None, 0.0)
AHEAD: Final = 5 * 365.25 * 86_400.0
"""Seconds after the moment of writing beyond which a `when` is taken back by what is said later (chosen)."""


def stated(draft: Draft) -> Fields:
    """The end that a draft's text names; none where the user chose how long it lasts."""
    return NONE if draft.perishability is not None else _fields(draft.text, draft.when)


def _fields(text: str, when: float) -> Fields:
    end = stated_end(text, when)
    return NONE if end is None else (end.at, end.edge)


def stated_again(tx: Transaction, key: int, draft: Draft, said: Mapping[int, str]) -> Fields:
    """The end that a memory which is said again names now; another statement under its key says nothing of it.

    `said` holds the texts of this chunk's new memories.
    """
    end = stated(draft)
    if end is NONE or draft.dedupe == text_digest(draft.text):
        return end
    row = tx.rows([key]).get(key)
    text = said.get(key, "") if row is None else row.text
    return end if normal_form(text) == normal_form(draft.text) else NONE


def far_ahead(engine: Engine, keys: Iterable[int], at: float) -> frozenset[int]:
    """Those of `keys` whose memories are to begin more than `AHEAD` after `at`: a mistyped year, as a rule."""
    some = list(keys)
    if not some:
        return frozenset()
    with engine.gate.reading():
        columns = engine.columns
        rows = columns.rows(some)
        return frozenset(
            k for k, row in zip(some, rows.tolist(), strict=True) if row >= 0 and columns.when[row] > at + AHEAD
        )


def ends_of(engine: Engine, key: int, before: str, fields: Mapping[str, Any], text: Any) -> dict[str, Any]:
    """The end of a memory whose text, time or perishability changes, as fields of an event."""
    if fields["perishability"] is not UNSET:
        # how long it lasts is the user's choice now
        return {"until": None}
    if text is UNSET and fields["when"] is UNSET:
        return {}
    with engine.gate.reading():
        row = engine.columns.row(key)
        if row < 0 or ORIGINS[engine.columns.origin[row]] is Origin.USER:
            return {}
        when = float(engine.columns.when[row])
    when = when if fields["when"] is UNSET else fields["when"]
    until, edge = _fields(before if text is UNSET else text, when)
    return {"until": until, "edge": edge}
