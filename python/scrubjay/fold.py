"""Events to columns: the only writer of state.

`apply` is deterministic: the same log gives the same bits, however it is cut into batches. `RULES` is a table with one
row per event type. A rule either *creates* (appends rows to the columns or to a dictionary) or *changes* rows that are
there. Within a batch all creations come first, in bulk: a key is never named before it is created. Changes of different
memories are gathered by type into long runs; what happens to one memory keeps its order.

>>> from scrubjay.events import Batch, Learned
>>> from scrubjay.memory import Perishability
>>> columns = Columns(dim=2)
>>> event = Learned(
...     at=5.0, key=1, id=bytes(16), space=0, text="hi", dedupe=bytes(16), vector=np.float32([1, 0]).tobytes(),
...     when=5.0, perishability=Perishability(label="factual", pi=0.1, tau=3.9e6),
... )
>>> apply(columns, Batch(after=0, upto=1, seqs=[1], events=[event]))
>>> len(columns), columns.seq, columns.when.tolist()
(1, 1, [5.0])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.columns import ARCHIVED, CONDENSED, CURRENT, DEGRADED, KEYED, LIVE, ORIGINS, PINNED, SENSITIVE, Columns
from scrubjay.dynamics.channel_events import configured, gathered, merges, outcomes, ratings, sessions, summaries, void
from scrubjay.dynamics.channels import INITIAL
from scrubjay.dynamics.retrievability import LEARNED
from scrubjay.dynamics.succession import bequeath, reinstate, succeeded, supersede
from scrubjay.dynamics.term import said_again, set_end
from scrubjay.errors import CorruptionError
from scrubjay.events import (
    AnyEvent,
    Batch,
    Condensed,
    Configured,
    ContextSeen,
    Fitted,
    Forgotten,
    Integrated,
    Learned,
    Linked,
    NamespaceSeen,
    Outcome,
    Outcomes,
    PeerMerged,
    Pruned,
    Purged,
    Rated,
    Reinforced,
    Relabelled,
    Related,
    Rescored,
    Restored,
    Session,
    Summarised,
    TaxonomySet,
    Undone,
    Unlinked,
    Updated,
    Void,
    touched,
)
from scrubjay.graph.state import fold_links
from scrubjay.memory import LABELS, Perishability, thread_of
from scrubjay.passages import unpacked
from scrubjay.protocols import EventLog
from scrubjay.sets import distinct

_LABEL_CODE: Final = {label: i for i, label in enumerate(LABELS)}
_ORIGIN_CODE: Final = {origin: i for i, origin in enumerate(ORIGINS)}
_MAX_EVIDENCE: Final = np.iinfo(np.int32).max


class Rule(NamedTuple):
    """How a run of events of one type enters the columns."""

    function: Callable[[Columns, Sequence[Any]], None]
    """(columns, events of one type)."""
    creates: bool = False
    """It only appends, and commutes with every change of other rows."""
    reaches: Callable[[Columns, Sequence[AnyEvent]], set[int]] | None = None
    """(columns, changes of a batch) to the keys of which an event of this type changes also memories that it does not
    name (see `events.touched`): nothing is moved across such an event."""
    alone: bool = False
    """Nothing is moved across an event of this type."""


def apply(columns: Columns, batch: Batch) -> None:
    """Fold one batch in.

    An event about a memory that is not there, which only a damaged log holds, is counted in `columns.orphans`.
    CorruptionError: the batch does not follow `columns.seq` or holds an event without a rule; nothing was changed.
    """
    if batch.after != columns.seq:
        raise CorruptionError(
            f"batch follows event {batch.after}, the columns are at {columns.seq}: fold what lies between first"
        )
    created: dict[type, list[AnyEvent]] = {}
    changes: list[AnyEvent] = []
    for event in batch.events:
        rule = RULES.get(type(event))
        if rule is None:
            raise CorruptionError(f"no fold rule for the event {type(event).__name__!r}: the log is of a newer version")
        if rule.creates:
            created.setdefault(type(event), []).append(event)
        else:
            changes.append(event)
    columns.folding = True
    columns.damaged.extend(batch.damaged)
    for kind in RULES:
        if kind in created:
            RULES[kind].function(columns, created[kind])
    fold_links(columns, changes)
    for kind, run in _runs(columns, changes):
        RULES[kind].function(columns, run)
    for seq, event in zip(batch.seqs, batch.events, strict=True):
        if type(event) is Fitted:
            columns.head, columns.head_seq = event.head, seq
    if columns.wasteful:
        columns.compact()
    columns.seq, columns.folding = batch.upto, False


def _runs(columns: Columns, changes: Sequence[AnyEvent]) -> list[tuple[type, list[AnyEvent]]]:
    """Changes as runs of one type, as few as the order of events about one memory allows.

    Runs lie in layers. An event goes to the layer of the last one about its memories when that has its type, else to
    the next; within a layer no memory is named by two types.
    """
    if len(kinds := {type(e) for e in changes}) == 1 and RULES[kind := kinds.pop()].reaches is None:
        return [(kind, list(changes))]
    runs: dict[tuple[int, type], list[AnyEvent]] = {}
    last: dict[int, tuple[int, type]] = {}
    reach = {kind: rule.reaches(columns, changes) for kind, rule in RULES.items() if rule.reaches is not None}
    floor, top = 0, -1
    for event in changes:
        kind, keys = type(event), touched(event)
        if RULES[kind].alone or (kind in reach and not reach[kind].isdisjoint(keys)):
            layer = top + 1
            floor = layer + 1
        else:
            layer = floor
            for key in keys:
                before = last.get(key)
                if before is not None and before[0] >= layer:
                    layer = before[0] if before[1] is kind else before[0] + 1
        mark = (layer, kind)
        for key in keys:
            last[key] = mark
        runs.setdefault(mark, []).append(event)
        top = max(top, layer)
    return [(kind, runs[layer, kind]) for layer, kind in sorted(runs, key=lambda mark: mark[0])]


def catch_up(columns: Columns, log: EventLog, *, upto: int | None = None) -> int:
    """Fold what the log has beyond `columns.seq` (up to `upto`); returns the number of events.

    Damaged events are skipped and listed in `columns.damaged`.
    """
    start = columns.seq
    if upto is None:
        # one allocation in place of many doublings; it is an upper bound
        columns.reserve(len(columns) + log.last_key - (int(columns.key[-1]) if len(columns) else 0))
    for batch in log.tail(columns.seq, upto):
        apply(columns, batch)
    return columns.seq - start


def rebuild(log: EventLog, *, upto: int | None = None) -> Columns:
    """The columns from the log alone. Never calls an embedder."""
    columns = Columns(log.dim)
    catch_up(columns, log, upto=upto)
    return columns


# -- rules


def _matrix(events: Sequence[Learned] | Sequence[ContextSeen], dim: int) -> NDArray[np.float32]:
    joined = b"".join([e.vector for e in events])
    if len(joined) != 4 * dim * len(events):
        bad = next(e for e in events if len(e.vector) != 4 * dim)
        raise CorruptionError(f"{type(bad).__name__} holds a vector of {len(bad.vector)} bytes, not {4 * dim}")
    return np.frombuffer(joined, "<f4").reshape(len(events), dim).astype(np.float32, copy=False)


def _contexts(columns: Columns, events: Sequence[ContextSeen]) -> None:
    first = len(columns.contexts)
    numbers = [e.context for e in events]
    vectors = _matrix(events, columns.dim)
    if numbers == list(range(first, first + len(numbers))):
        columns.append_contexts(vectors)
        return
    if min(numbers) < first or not columns.damaged:
        raise CorruptionError(f"ContextSeen numbers {numbers[:4]}.. do not continue from {first}")
    # a damaged ContextSeen leaves its row as zeros: it resembles nothing
    padded = np.zeros((max(numbers) + 1 - first, columns.dim), np.float32)
    padded[np.asarray(numbers) - first] = vectors
    columns.append_contexts(padded)


def _namespaces(columns: Columns, events: Sequence[NamespaceSeen]) -> None:
    """Labels live in the projection; a column holds only the number."""


def _learned(columns: Columns, events: Sequence[Learned]) -> None:
    n = len(events)
    keys = np.fromiter((e.key for e in events), np.int64, n)
    last = int(columns.key[-1]) if len(columns) else 0
    if keys[0] <= last or (np.diff(keys) <= 0).any():
        raise CorruptionError(f"Learned keys do not rise: {keys[:4].tolist()}.. after {last}")
    held = [e.perishability for e in events]
    at = np.fromiter((e.at for e in events), np.float64, n)
    stability, difficulty = LEARNED
    flags = np.fromiter((_flags(e) for e in events), np.uint8, n)
    columns.append(
        {
            "key": keys,
            "when": np.fromiter((e.when for e in events), np.float64, n),
            "created": at,
            "updated": at,
            "context": np.fromiter((e.context for e in events), np.int32, n),
            "space": np.fromiter((e.space for e in events), np.int32, n),
            "thread": np.fromiter((thread_of(e.metadata) for e in events), np.int64, n),
            "evidence": 1,
            "superseded_by": 0,
            "part_of": 0,
            "importance": np.fromiter((e.importance for e in events), np.float64, n),
            "a": INITIAL,
            "b": INITIAL,
            "stability": stability,
            "difficulty": difficulty,
            "reviewed": np.fromiter((e.at if e.moment is None else e.moment for e in events), np.float64, n),
            "spent": 0.0,
            "spent_at": at,
            "value": np.fromiter((e.value for e in events), np.float64, n),
            "pi": np.fromiter((p.pi for p in held), np.float64, n),
            "tau": np.fromiter((p.tau for p in held), np.float64, n),
            "shape": np.fromiter((p.shape for p in held), np.float64, n),
            "until": np.fromiter((np.inf if e.until is None else e.until for e in events), np.float64, n),
            "edge": np.fromiter((e.edge for e in events), np.float64, n),
            "label": np.fromiter((_LABEL_CODE[p.label] for p in held), np.int8, n),
            "origin": np.fromiter((_ORIGIN_CODE[p.origin] for p in held), np.int8, n),
            "layer": np.fromiter((e.layer for e in events), np.int8, n),
            **_said(held),
            "tier": np.fromiter((e.tier for e in events), np.int8, n),
            "flags": flags,
        },
        _matrix(events, columns.dim),
    )
    for e in events:
        if e.spans:
            _passages(columns, e.key, e.spans, e.passages)
    _cover(columns, max(e.context for e in events))


def _passages(columns: Columns, key: int, spans: bytes, vectors: bytes) -> None:
    try:
        columns.passages.put(key, *unpacked(spans, vectors, columns.dim))
    except ValueError as error:
        raise CorruptionError(f"the passages of memory {key} are not sound: {error}") from error


def _said(held: Sequence[Perishability]) -> dict[str, Any]:
    said, n = [p.said for p in held], len(held)
    if not any(said):
        return {"said_label": -1, "said_pi": 0.0, "said_tau": 0.0}
    return {
        "said_label": np.fromiter((-1 if o is None else _LABEL_CODE[o.label] for o in said), np.int8, n),
        "said_pi": np.fromiter((0.0 if o is None else o.pi for o in said), np.float64, n),
        "said_tau": np.fromiter((0.0 if o is None else o.tau for o in said), np.float64, n),
    }


def _cover(columns: Columns, context: int) -> None:
    """Rows of zeros for contexts whose event is damaged, so that every number has a row."""
    missing = context + 1 - len(columns.contexts)
    if missing > 0:
        if not columns.damaged:
            raise CorruptionError(f"context {context} is used before its ContextSeen event")
        columns.append_contexts(np.zeros((missing, columns.dim), np.float32))


def _flags(event: Learned) -> int:
    return (
        (LIVE | CURRENT)
        | PINNED * event.pinned
        | SENSITIVE * (event.sensitive is not None)
        | DEGRADED * event.perishability.degraded
        | KEYED * bool(event.caller)
    )


def _reinforced(columns: Columns, events: Sequence[Reinforced]) -> None:
    every = columns.found([e.key for e in events])
    there = every >= 0
    rows = every[there]
    counts = np.fromiter((e.count for e in events), np.int64, len(events))[there]
    unique, first = np.unique(rows, return_inverse=True)
    evidence = columns.writable("evidence")
    total = evidence[unique].astype(np.int64)
    np.add.at(total, first, counts)
    evidence[unique] = np.minimum(total, _MAX_EVIDENCE)
    # of several times for one row the last one stays
    columns.writable("updated")[rows] = np.fromiter((e.at for e in events), np.float64, len(events))[there]
    said = np.fromiter((-np.inf if e.when is None else e.when for e in events), np.float64, len(events))[there]
    when = columns.writable("when")
    # who says a superseded memory again says that it holds once more
    reinstate(columns, rows[(columns.superseded_by[rows] != 0) & (said > when[rows])])
    np.maximum.at(when, rows, said)
    said_again(columns, every, events)
    # what is said again is wanted again
    columns.writable("flags")[rows] &= np.uint8(~ARCHIVED & 0xFF)


def _updated(columns: Columns, events: Sequence[Updated]) -> None:
    rows = columns.found([e.key for e in events])
    flags, updated = columns.writable("flags"), columns.writable("updated")
    for row, event in zip(rows.tolist(), events, strict=True):
        if row < 0:
            continue
        updated[row] = event.at
        for name in ("context", "when", "value"):
            given = getattr(event, name)
            if given is not UNSET:
                columns.writable(name)[row] = given
        if event.context is not UNSET:
            _cover(columns, event.context)
            columns.turned(np.array([row]))
        if event.vector is not UNSET:
            columns.movable(np.array([row]))[row] = np.frombuffer(event.vector, "<f4")
            columns.passages.drop([event.key])
        if event.spans is not UNSET and event.passages is not UNSET:
            _passages(columns, event.key, event.spans, event.passages)
        if event.perishability is not UNSET:
            _set_perishability(columns, row, event.perishability)
        if event.until is not UNSET:
            set_end(columns, row, event.until, event.edge)
        if event.pinned is not UNSET:
            flags[row] = _bit(flags[row], PINNED, event.pinned)
        if event.sensitive is not UNSET:
            flags[row] = _bit(flags[row], SENSITIVE, event.sensitive is not None)


def _set_perishability(columns: Columns, row: int, p: Perishability) -> None:
    for name, given in (("pi", p.pi), ("tau", p.tau), ("shape", p.shape)):
        columns.writable(name)[row] = given
    columns.writable("label")[row] = _LABEL_CODE[p.label]
    columns.writable("origin")[row] = _ORIGIN_CODE[p.origin]
    for name, said in _said([p]).items():
        columns.writable(name)[row : row + 1] = said
    flags = columns.writable("flags")
    flags[row] = _bit(flags[row], DEGRADED, p.degraded)


def _bit(flags: int, bit: int, on: bool) -> int:
    return int(flags) | bit if on else int(flags) & ~bit


def _forgotten(columns: Columns, events: Sequence[Forgotten]) -> None:
    keys = [key for e in events for key in e.keys]
    rows = columns.found(keys)
    bequeath(columns, keys)
    columns.forget(distinct(rows[rows >= 0]))
    columns.passages.drop(keys)
    part_of = columns.writable("part_of")
    held = np.flatnonzero(part_of)
    part_of[held[np.isin(part_of[held], keys)]] = 0


def _integrated(columns: Columns, events: Sequence[Integrated]) -> None:
    for e in events:
        rows = columns.found(e.keys)
        there = rows >= 0
        rows, affinities = rows[there], np.frombuffer(e.affinities, "<f4")[there]
        if len(rows):
            _core.rci_apply(
                columns.movable(rows),
                columns.writable("value"),
                columns.writable("pi"),
                columns.writable("tau"),
                np.frombuffer(e.vector, "<f4"),
                rows,
                np.ascontiguousarray(affinities),
                value_step=e.value_step,
                pi_step=e.pi_step,
                tau_step=e.tau_step,
                what_step=e.what_step,
                pi_floor=e.pi_floor,
                tau_low=e.tau_low,
                tau_high=e.tau_high,
            )
            spent, since = columns.writable("spent"), columns.writable("spent_at")
            over = rows[e.at - since[rows] > e.window]
            spent[over], since[over] = 0.0, e.at
            spent[rows] += affinities
            columns.writable("updated")[rows] = e.at
        lost = columns.found(e.superseded)
        supersede(columns, lost[lost >= 0], e.key)


def _undone(columns: Columns, events: Sequence[Undone]) -> None:
    for e in events:
        rows = columns.found(e.keys)
        rows = rows[there := rows >= 0]
        what = np.frombuffer(e.what, "<f4").reshape(len(e.keys), columns.dim)
        columns.movable(rows)[rows] = what[there]
        for name, held in (("value", e.value), ("pi", e.pi), ("tau", e.tau), ("spent", e.spent), ("edge", e.edge)):
            if held:
                columns.writable(name)[rows] = np.frombuffer(held, "<f4")[there]
        for name, held in (("spent_at", e.spent_at), ("updated", e.updated), ("when", e.when), ("until", e.until)):
            if held:
                columns.writable(name)[rows] = np.frombuffer(held, "<f8")[there]
        if e.evidence:
            columns.writable("evidence")[rows] = np.frombuffer(e.evidence, "<i4")[there]
        by = np.asarray(e.superseded_by, np.int64)[there]
        columns.writable("superseded_by")[rows] = by
        flags = columns.writable("flags")
        flags[rows] = np.where(by == 0, flags[rows] | np.uint8(CURRENT), flags[rows] & np.uint8(~CURRENT & 0xFF))


def _edges(columns: Columns, events: Sequence[Related | Linked | Unlinked]) -> None:
    """`graph.state.fold_links` has taken them, in the order of the log."""


def _pruned(columns: Columns, events: Sequence[Pruned]) -> None:
    rows = columns.found([key for e in events for key in e.keys])
    columns.writable("flags")[rows[rows >= 0]] |= np.uint8(ARCHIVED)


def _restored(columns: Columns, events: Sequence[Restored]) -> None:
    rows = columns.found([key for e in events for key in e.keys])
    columns.writable("flags")[rows[rows >= 0]] &= np.uint8(~ARCHIVED & 0xFF)


def _taxonomy(columns: Columns, events: Sequence[TaxonomySet]) -> None:
    for e in events:
        columns.taxonomy[e.label] = (e.pi, e.tau)


def _fitted(columns: Columns, events: Sequence[Fitted]) -> None:
    """`apply` takes it, which knows the event's place in the log."""


def _relabelled(columns: Columns, events: Sequence[Relabelled]) -> None:
    for e in events:
        rows = columns.found(e.keys)
        there = rows >= 0
        rows = rows[there]
        for name in ("pi", "tau", "shape"):
            columns.writable(name)[rows] = np.frombuffer(getattr(e, name), "<f4")[there]
        columns.writable("label")[rows] = np.frombuffer(e.label, np.int8)[there]
        columns.writable("updated")[rows] = e.at


def _condensed(columns: Columns, events: Sequence[Condensed]) -> None:
    for e in events:
        rows = columns.found(e.keys)
        columns.writable("part_of")[rows[(rows >= 0) & (np.asarray(e.keys) != e.into)]] = e.into
        into = columns.row(e.into)
        if into >= 0:
            columns.writable("flags")[into] |= np.uint8(CONDENSED)


RULES: Final[dict[type, Rule]] = {
    ContextSeen: Rule(_contexts, creates=True),
    NamespaceSeen: Rule(_namespaces, creates=True),
    Learned: Rule(_learned, creates=True),
    Reinforced: Rule(_reinforced),
    Updated: Rule(_updated),
    Forgotten: Rule(_forgotten, reaches=succeeded),
    Integrated: Rule(_integrated),
    Undone: Rule(_undone),
    Outcome: Rule(outcomes),
    Rated: Rule(ratings),
    Rescored: Rule(ratings),
    Configured: Rule(configured, alone=True),
    Session: Rule(sessions),
    Related: Rule(_edges),
    Linked: Rule(_edges),
    Unlinked: Rule(_edges),
    Pruned: Rule(_pruned),
    Restored: Rule(_restored),
    TaxonomySet: Rule(_taxonomy),
    Fitted: Rule(_fitted),
    Relabelled: Rule(_relabelled),
    Outcomes: Rule(gathered),
    Summarised: Rule(summaries),
    PeerMerged: Rule(merges),
    Condensed: Rule(_condensed),
    Void: Rule(void),
    Purged: Rule(void),
}
"""Each event type with its rule, a row each; creations in the order in which they refer to one another."""
