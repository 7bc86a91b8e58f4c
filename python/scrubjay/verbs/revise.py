"""The verb that changes a memory by hand, and what another statement under its key changes.

Another text is another statement: how long it holds is judged anew, unless the user has said it. Vectors and
perishability are made before the transaction, which then only checks and appends.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from scrubjay.columns import ORIGINS
from scrubjay.encode.intake import Draft, check_context, check_flag, check_metadata, check_sensitive, check_value
from scrubjay.encode.normal import check_text, normal_form, text_digest
from scrubjay.encode.perishability import check_perishability
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, MemoryNotFoundError, StoreLockedError, shown
from scrubjay.events import AnyEvent, ContextSeen, Forgotten, Relabelled, Updated
from scrubjay.memory import MemoryUnit, Origin, Perishability, spoken
from scrubjay.store.projection import Row
from scrubjay.store.view import Transaction, View
from scrubjay.verbs import graph
from scrubjay.verbs.attempts import ATTEMPTS, StaleError, condenses, undisturbed
from scrubjay.verbs.ends import ends_of
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.keyed import FIELDS, renewals
from scrubjay.verbs.taxonomy import named
from scrubjay.verbs.texts import annotate, foreseen, judged, passages
from scrubjay.verbs.tiers import tiers_above

KEPT: Final = UNSET
"""The default of `update`'s arguments: the field keeps its value."""


def renew(engine: Engine, drafts: Sequence[Draft], keys: Sequence[int]) -> None:
    """Update what other statements of the drafts change under their keys; `keys` are the memories'."""
    for id, space, given in renewals(engine, drafts, keys):
        update(engine, id, space, **(dict.fromkeys(FIELDS, KEPT) | given))


def update(
    engine: Engine,
    id: str,
    namespace: tuple[str, ...] | None,
    *,
    text: Any,
    context: Any,
    when: Any,
    metadata: Any,
    perishability: Any,
    value: Any,
    pinned: Any,
    sensitive: Any,
) -> MemoryUnit:
    """Replace the fields that are given, keep the others; metadata is merged, and an explicit null deletes its key.

    Another text holds from now on unless `when` says since when, and is judged anew unless the user has said how long
    the memory lasts.
    """
    new_text = UNSET if text is UNSET else check_text(text)
    new_context = UNSET if context is UNSET else check_context(context)
    patch = UNSET if metadata is UNSET else check_metadata(metadata)
    chosen = UNSET if perishability is UNSET else check_perishability(named(engine, perishability))
    fields: dict[str, Any] = {
        "when": UNSET if when is UNSET else to_seconds(when),
        "perishability": chosen,
        "value": UNSET if value is UNSET else check_value(value),
        "pinned": UNSET if pinned is UNSET else check_flag(pinned, argument="pinned"),
        "sensitive": UNSET if sensitive is UNSET else check_sensitive(sensitive),
    }
    key = engine.key_of(id, namespace)
    if new_text is not UNSET:
        fields["text"] = new_text
    where = None
    if isinstance(new_context, str):
        where = engine.embed_known([new_context])[new_context][0]
    line = annotate(engine, [new_text], [new_context or None])[0] if isinstance(new_text, str) else ""
    for _ in range(ATTEMPTS):
        with engine.log.read() as view:
            seq, before = view.seq, _living(view, key)
            said = _said(view, key, new_text, patch)
        other = isinstance(new_text, str) and normal_form(new_text) != normal_form(before.text)
        vector = None if said is None else engine.embed([foreseen(said, line)], argument="text").vectors[0]
        if vector is not None:
            fields["annotation"] = line
            fields["vector"] = vector.astype("<f4").tobytes()
        if vector is not None or new_text is not UNSET:
            text = before.text if isinstance(new_text, UnsetType) else new_text
            about = before.metadata if isinstance(patch, UnsetType) else before.metadata | patch
            fields["spans"], fields["passages"] = passages(engine, [text], [about])[0]
        if when is UNSET:
            fields["when"] = engine.clock() if other else UNSET
        fields["perishability"] = chosen
        fields |= ends_of(engine, key, before.text, fields, new_text)
        anew: Perishability | UnsetType = UNSET
        if chosen is UNSET and other and vector is not None:
            place = before.context_text if isinstance(new_context, UnsetType) else new_context
            anew = fields["perishability"] = _judged_anew(engine, key, new_text, place, vector)
        edges = None
        if vector is not None or not (new_context is UNSET and fields["when"] is UNSET):
            changed: dict[str, Any] = {} if new_context is UNSET else {"context": new_context}
            changed |= {} if fields["when"] is UNSET else {"when": fields["when"]}
            edges = graph.again(engine, key, vector=vector, where=where, **changed)
        above = [] if vector is None else tiers_above(engine, [key])[1]
        at = engine.clock()
        with suppress(StaleError), engine.log.write() as tx:
            if _said(tx, key, new_text, patch) != said:
                raise StaleError
            if vector is not None:
                undisturbed(tx, seq, [key, *above], condenses)
            if anew is not UNSET:
                undisturbed(tx, seq, [key], _decides)
            tx.append(_update_events(tx, at, key, fields, new_text, new_context, patch, where))
            if edges is not None:
                tx.append(graph.related(edges, {((), b""): key}, tx, at, fresh=[key]))
            if vector is not None:
                # what they say of it is no longer what it says
                tx.append([Forgotten(at=at, keys=sorted(there))] if (there := tx.rows(above)) else [])
            break
    else:
        raise StoreLockedError(f"id {id!r:.60}: other writers kept changing it; try again")
    engine.refresh()
    unit = engine.units([key])[0]
    if unit is None:
        raise MemoryNotFoundError(f"id {shown(id)}: deleted by another writer meanwhile")
    return unit


def _judged_anew(
    engine: Engine, key: int, text: Any, context: str | None, what: NDArray[np.float32]
) -> Perishability | UnsetType:
    """How long a memory's new text holds; unset where the user has said how long the memory lasts."""
    engine.refresh()
    with engine.gate.reading():
        row = engine.columns.row(key)
        if row >= 0 and ORIGINS[engine.columns.origin[row]] is Origin.USER:
            return UNSET
    where = np.zeros_like(what) if context is None else engine.embed_known([context])[context][0]
    return judged(engine, [text], [context], what[None], where[None])[0]


def _decides(event: AnyEvent) -> bool:
    """True where the user says how long a memory lasts, or another head is in force."""
    given = event.perishability if isinstance(event, Updated) else UNSET
    return isinstance(event, Relabelled) or (isinstance(given, Perishability) and given.origin is Origin.USER)


def _said(view: View, key: int, text: Any, patch: Any) -> str | None:
    """What a memory will be embedded as after an update; None where that does not change."""
    row = _living(view, key)
    metadata = row.metadata if isinstance(patch, UnsetType) else row.metadata | patch
    after = spoken(row.text if isinstance(text, UnsetType) else text, metadata)
    return None if after == spoken(row.text, row.metadata) else after


def _living(view: View, key: int) -> Row:
    row = view.rows([key]).get(key)
    if row is None:
        raise MemoryNotFoundError("id: no such memory; another writer deleted it")
    return row


def _update_events(
    tx: Transaction,
    at: float,
    key: int,
    fields: dict[str, Any],
    text: Any,
    context: Any,
    patch: Any,
    where: NDArray[np.float32] | None,
) -> list[AnyEvent]:
    row, fields = _living(tx, key), dict(fields)
    events: list[AnyEvent] = []
    if not isinstance(text, UnsetType) and row.dedupe == text_digest(row.text):
        fields["dedupe"] = text_digest(text)
        other = tx.find_dedupe(row.space, [fields["dedupe"]]).get(fields["dedupe"], key)
        if other != key:
            raise ArgumentError("text: another memory of this namespace says the same; delete one of the two first")
    if not isinstance(patch, UnsetType):
        merged = row.metadata | patch
        fields["metadata"] = check_metadata(
            {name: item for name, item in merged.items() if item is not None}, stored=True
        )
    if context is None:
        fields["context"] = -1
    elif where is not None and isinstance(context, str):
        number = tx.find_contexts([context]).get(context)
        if number is None:
            number = tx.next_context
            events.append(ContextSeen(at=at, context=number, text=context, vector=where.astype("<f4").tobytes()))
        fields["context"] = number
    return [*events, Updated(at=at, key=key, **{name: item for name, item in fields.items() if item is not UNSET})]
