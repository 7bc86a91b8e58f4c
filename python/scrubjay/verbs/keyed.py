"""What becomes of a memory when something else is added under its key.

The statement that began last holds. One that began before the stored one arrives late: it counts as evidence, adds the
metadata, the context and the perishability by the user that the memory lacks, and changes no text, so that what comes
out of order ends as in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from scrubjay.columns import ORIGINS
from scrubjay.encode.intake import Draft
from scrubjay.encode.normal import normal_form, text_digest
from scrubjay.memory import Origin
from scrubjay.store.ids import to_text
from scrubjay.store.projection import Row
from scrubjay.verbs.engine import Engine

FIELDS: Final = ("text", "context", "when", "metadata", "perishability", "value", "pinned", "sensitive")
"""What an update can change."""


def renewals(
    engine: Engine, drafts: Sequence[Draft], keys: Sequence[int]
) -> list[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """Id, namespace and changed fields of each memory that drafts under its key change; `keys` are the drafts'."""
    said: dict[int, list[Draft]] = {}
    for key, draft in zip(keys, drafts, strict=True):
        if draft.dedupe != text_digest(draft.text):
            said.setdefault(key, []).append(draft)
    if not said:
        return []
    with engine.log.read() as view:
        rows = view.rows(list(said))
    others = {
        key: [draft for draft in said[key] if normal_form(draft.text) != normal_form(row.text)]
        for key, row in rows.items()
    }
    changed = [key for key, some in others.items() if some]
    if not changed:
        return []
    engine.refresh()
    with engine.gate.reading():
        places = engine.columns.rows(changed).tolist()
        columns = engine.columns
        since = [float(columns.when[place]) if place >= 0 else math.inf for place in places]
        chosen = [place >= 0 and ORIGINS[columns.origin[place]] is Origin.USER for place in places]
    out = []
    for key, when, lasts in zip(changed, since, chosen, strict=True):
        # of two of the same time the later one in the list holds
        last = sorted(said[key], key=lambda draft: draft.when)[-1]
        given = _late(rows[key], others[key], lasts=lasts)
        if last.when >= when and any(last is other for other in others[key]):
            about = given.get("metadata", {}) | last.metadata
            given |= {"text": last.text, "when": last.when}
            given |= {"metadata": about} if about else {}
            given |= {} if last.context is None else {"context": last.context}
            given |= {} if last.perishability is None else {"perishability": last.perishability}
        if given:
            out.append((to_text(rows[key].id), last.namespace, given))
    return out


def _late(row: Row, drafts: Sequence[Draft], *, lasts: bool) -> dict[str, Any]:
    """What a memory lacks and other statements of its key have: of several the newest one's. `lasts`: the user has said
    how long it does."""
    given: dict[str, Any] = {}
    for draft in sorted(drafts, key=lambda draft: draft.when):
        about = {name: item for name, item in draft.metadata.items() if name not in row.metadata}
        if about:
            given["metadata"] = given.get("metadata", {}) | about
        if draft.context is not None and row.context < 0:
            given["context"] = draft.context
        if draft.perishability is not None and draft.perishability.origin is Origin.USER and not lasts:
            given["perishability"] = draft.perishability
    return given
