"""integrate and undo: new evidence, what it moves, and taking that back.

One embedding, one reading, one pass of the gate; then one transaction appends the memory and the Integrated event, and
the fold applies exactly what the event says.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.dynamics.integration import Deltas, Integration
from scrubjay.dynamics.succession import pass_on
from scrubjay.encode.intake import Draft
from scrubjay.errors import (
    ArgumentError,
    ArgumentTypeError,
    MemoryNotFoundError,
    ModelReplyError,
    StoreLockedError,
    shown,
)
from scrubjay.events import (
    AnyEvent,
    Batch,
    Forgotten,
    Integrated,
    Learned,
    Linked,
    Outcome,
    Outcomes,
    PeerMerged,
    Rated,
    Related,
    Summarised,
    Undone,
    Unlinked,
    Updated,
    touched,
)
from scrubjay.fold import apply
from scrubjay.memory import MemoryUnit, spoken
from scrubjay.sets import union
from scrubjay.store.ids import to_text
from scrubjay.store.view import Transaction, View
from scrubjay.upkeep.integration import WINDOW, reach, superseded
from scrubjay.upkeep.reading import Reader, Reading, read_words
from scrubjay.upkeep.sayings import unsay
from scrubjay.verbs.attempts import ATTEMPTS, StaleError
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.quarantine import hidden
from scrubjay.verbs.write import Known, add_chunk, known_of

BESIDE_AN_UNDO: Final = (Related, Linked, Unlinked)
"""Events that other writers may append about a memory between the reading and the writing of an undo."""
BESIDE_A_PLAN: Final = (*BESIDE_AN_UNDO, Learned, Outcome, Outcomes, Rated, Summarised, PeerMerged)
"""The same for an integration: they change nothing that it looks at."""
UNDO_CHUNK: Final = 4096
"""Memories per Undone event."""


class IntegrationResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an integration did, or with `dry_run` would do."""

    event: int
    """Sequence number to `undo`; 0 for a dry run."""
    memory: MemoryUnit | None
    """The evidence itself; None for a dry run."""
    affected: list[tuple[str, float]]
    """(id, affinity) of each memory that moved."""
    superseded: list[str]
    """Ids of the memories whose place the evidence took."""
    deltas: Deltas
    summary: str
    model: str
    """The name of what read the evidence; "words-1" is the rule by shared words, where there is no model."""
    degraded: bool
    """True where a model should have read it and the fallback did."""
    held_back: int
    """Memories that moved less than their affinity because their budget for this window was spent."""
    complete: bool
    """False where more memories resemble the evidence than were compared with it: others may be over too."""


def integrate(engine: Engine, draft: Draft, *, reader: Reader, law: Integration, dry_run: bool) -> IntegrationResult:
    """Remember the draft and let it move what it reaches; see `facets.integration`."""
    vector = engine.embed([spoken(draft.text, draft.metadata)], argument="text").vectors[0]
    reading = _read(reader, draft)
    name = (draft.namespace, draft.dedupe)
    if dry_run:
        engine.refresh()
        with engine.log.read() as view:
            there = known_of(view, [draft])
        plan = _plan(engine, draft, vector, law, own=there.get(name, 0))
        return _result(engine, plan, reading, event=0, key=None)
    state: dict[str, Any] = {}

    def before(known: Known) -> None:
        engine.refresh()
        state["plan"] = _plan(engine, draft, vector, law, own=known.get(name, 0))

    def then(tx: Transaction, keys: list[int]) -> list[AnyEvent]:
        plan: _Plan = state["plan"]
        # another call may have said the same first: what the plan holds for a neighbour is then the evidence itself
        planned = {*plan.keys, *plan.superseded}
        if keys[0] in planned or changed(tx, plan.seq, planned, BESIDE_A_PLAN):
            raise StaleError
        state["event"] = tx.seq + 1
        return [_event(engine, plan, reading, vector, law, key=keys[0], learned=keys[0] >= tx.first_key)]

    (key,) = add_chunk(engine, [draft], vectors={draft.text: vector}, advised=False, before=before, then=then)
    engine.refresh()
    return _result(engine, state["plan"], reading, event=state["event"], key=key)


def changed(tx: Transaction, after: int, keys: set[int], beside: tuple[type, ...]) -> bool:
    """Whether other writers have changed any of the keys since event `after`, by an event that is not of `beside`."""
    while after < tx.base:
        batch = tx.batch(after, tx.base)
        if batch.damaged:
            return True
        if any(not isinstance(e, beside) and not keys.isdisjoint(touched(e)) for e in batch.events):
            return True
        after = batch.upto
    return False


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the evidence reaches and supersedes, as of event `seq`."""

    seq: int
    keys: list[int]
    affinities: NDArray[np.float32]
    held_back: int
    superseded: list[int]
    complete: bool = True


def _read(reader: Reader, draft: Draft) -> Reading:
    try:
        return reader(draft.text, draft.context)
    except ModelReplyError:
        return msgspec.structs.replace(read_words(draft.text, draft.context), degraded=True)


def _plan(engine: Engine, draft: Draft, vector: NDArray[np.float32], law: Integration, own: int = 0) -> _Plan:
    space = engine.space(draft.namespace)
    with engine.gate.reading():
        columns = engine.columns
        seq = columns.seq
        if space is None or not len(columns) or hidden(engine, draft.metadata):
            return _Plan(seq=seq, keys=[], affinities=np.empty(0, np.float32), held_back=0, superseded=[])
        without = [row for row in [columns.row(own)] if row >= 0]
        reached = reach(columns, vector, space, engine.clock(), law, without=without)
        # what the user pinned or called sensitive is not among them: it keeps its place until the user says otherwise
        near = reached.nearest
        keys, vectors, whens = columns.key[near].tolist(), columns.vectors[near], columns.when[near]
        reached_keys = columns.key[reached.rows].tolist()
    with engine.log.read() as view:
        texts = view.texts(keys)
    lost: list[int] = []
    if engine.slots is not None:
        taken = superseded(engine.slots, draft.text, vector, draft.when, texts, vectors, whens)
        lost = sorted(key for key, gone in zip(keys, taken.tolist(), strict=True) if gone)
    return _Plan(
        seq=seq,
        keys=reached_keys,
        affinities=reached.affinities,
        held_back=reached.held_back,
        superseded=lost,
        complete=reached.complete,
    )


def _event(
    engine: Engine,
    plan: _Plan,
    reading: Reading,
    vector: NDArray[np.float32],
    law: Integration,
    *,
    key: int,
    learned: bool,
) -> Integrated:
    deltas = reading.deltas.bounded(law)
    return Integrated(
        at=engine.clock(),
        key=key,
        learned=learned,
        vector=vector.astype("<f4").tobytes(),
        keys=plan.keys,
        affinities=plan.affinities.astype("<f4").tobytes(),
        value_step=law.value_rate * deltas.value,
        pi_step=law.pi_rate * deltas.pi,
        tau_step=law.tau_rate * deltas.tau,
        what_step=law.what_rate,
        pi_floor=law.pi_floor,
        tau_low=law.tau_low,
        tau_high=law.tau_high,
        window=WINDOW,
        superseded=plan.superseded,
        summary=reading.summary,
        model=reading.model,
        prompt=reading.prompt,
        degraded=reading.degraded,
    )


def _result(engine: Engine, plan: _Plan, reading: Reading, *, event: int, key: int | None) -> IntegrationResult:
    with engine.log.read() as view:
        names = {key: to_text(id) for key, id in view.ids_of([*plan.keys, *plan.superseded]).items()}
    return IntegrationResult(
        event=event,
        memory=None if key is None else engine.units([key])[0],
        affected=[(names[k], a) for k, a in zip(plan.keys, plan.affinities.tolist(), strict=True) if k in names],
        superseded=[names[k] for k in plan.superseded if k in names],
        deltas=reading.deltas,
        summary=reading.summary,
        model=reading.model,
        degraded=reading.degraded,
        held_back=plan.held_back,
        complete=plan.complete,
    )


def undo(engine: Engine, event: int, namespace: tuple[str, ...] | None) -> int:
    """Take an integration back; returns how many memories were restored. See `facets.integration`."""
    with engine.log.read() as view:
        target = _target(view, event, namespace)
    for _ in range(ATTEMPTS):
        engine.refresh()
        successors, seq = _successors(engine, target)
        with engine.log.read() as view:
            touched_keys = {target.key, *target.keys, *target.superseded}
            # what another memory's end has passed to the evidence is in no event of its own
            passed = [key for key in successors.keys() - touched_keys if not _taken_by(view, key, target.key)]
            there = view.ids_of(sorted({*touched_keys, *passed}))
            if not there:
                _first_undo(event, (told.event for key in sorted(touched_keys) for told in view.history(key)))
                raise ArgumentError(f"event {event}: nothing is left of what this integration touched")
            evidence = target.key if target.key in there else 0
            restored = _without(view, event, sorted(there), engine.columns.dim)
            pass_on(restored, successors, target.key)
            base = min(view.seq, seq)
        at = engine.clock()
        with suppress(StaleError), engine.log.write() as tx:
            watched = {*there, *restored.superseded_by.tolist()}
            if changed(tx, base, watched, BESIDE_AN_UNDO):
                raise StaleError
            events: list[AnyEvent] = [
                _undone(restored, event, at, start, evidence) for start in range(0, max(1, len(restored)), UNDO_CHUNK)
            ]
            if evidence and restored.row(evidence) < 0:
                events.append(Forgotten(at=at, keys=[target.key]))
            tx.append(events)
            break
    else:
        raise StoreLockedError("event: other writers kept coming between; try again")
    engine.refresh()
    return len(restored)


def _successors(engine: Engine, target: Integrated) -> tuple[dict[int, int], int]:
    """Who has taken the place of the memories of the event, and of all whose place its evidence has; and as of when."""
    with engine.gate.reading():
        columns = engine.columns
        rows = columns.rows([target.key, *target.keys, *target.superseded])
        rows = union(rows[rows >= 0], np.flatnonzero((columns.superseded_by == target.key) & columns.live()))
        return dict(zip(columns.key[rows].tolist(), columns.superseded_by[rows].tolist(), strict=True)), columns.seq


def _first_undo(event: int, told: Iterable[AnyEvent]) -> None:
    if any(isinstance(e, Undone) and e.target == event for e in told):
        raise ArgumentError(f"event {event}: this integration was undone already")


def _taken_by(view: View, key: int, by: int) -> bool:
    return any(isinstance(e := told.event, Integrated) and e.key == by for told in view.history(key))


def _target(view: View, event: int, namespace: tuple[str, ...] | None) -> Integrated:
    if isinstance(event, bool) or not isinstance(event, int):
        raise ArgumentTypeError(f"event: expected the number of an integration, got {type(event).__name__}")
    missing = MemoryNotFoundError(
        f"event {shown(event)}: no such integration; IntegrationResult.event and history name them"
        if -(2**63) <= event < 2**63
        else "event: no integration has a number of more than 63 bits; IntegrationResult.event and history name them"
    )
    found = view.batch(event - 1, event).events if 1 <= event <= view.seq else []
    if not found or not isinstance(found[0], Integrated):
        raise missing
    target = found[0]
    history = [recorded.event for recorded in view.history(target.key)]
    space = next((e.space for e in history if isinstance(e, Learned)), None)
    if namespace is not None and space != view.find_space(namespace):
        raise missing
    return target


def _without(view: View, event: int, keys: list[int], dim: int) -> Columns:
    """The columns of those living memories folded as if the integration had never been; without those only it said.

    Raises ArgumentError where it was undone before: then one of their histories says so.
    """
    told: dict[int, AnyEvent] = {}
    undone = {event}
    for key in keys:
        for recorded in view.history(key):
            told[recorded.seq] = recorded.event
            if isinstance(recorded.event, Undone):
                undone.add(recorded.event.target)
    _first_undo(event, told.values())
    told, unsaid = unsay(told, undone, set(keys))
    # what was undone before is left out with its undoing, so that this restores the state without either
    kept = [
        (seq, e)
        for seq, e in sorted(told.items())
        if seq not in undone and not (isinstance(e, Undone) and e.target in undone)
    ]
    columns = Columns(dim)
    for seq, e in kept:
        columns.seq = seq - 1
        apply(columns, Batch(after=seq - 1, upto=seq, seqs=[seq], events=[_cut(e)], damaged=[]))
    # a successor's end is in no history but its own
    by = columns.writable("superseded_by")
    gone = set(by[by != 0].tolist()) - view.ids_of(by[by != 0].tolist()).keys()
    by[np.isin(by, sorted(gone))] = 0
    if unsaid:
        rows = columns.rows(sorted(unsaid))
        columns.forget(rows[rows >= 0])
        columns.compact()
    return columns


def _cut(event: AnyEvent) -> AnyEvent:
    """The event without its context, which is of no matter here."""
    if isinstance(event, Learned) and event.context >= 0:
        return msgspec.structs.replace(event, context=-1)
    if isinstance(event, Updated) and event.context is not msgspec.UNSET:
        return msgspec.structs.replace(event, context=msgspec.UNSET)
    return event


def _undone(restored: Columns, event: int, at: float, start: int, evidence: int) -> Undone:
    rows = slice(start, start + UNDO_CHUNK)

    def held(name: str, kind: str = "<f4") -> bytes:
        return np.ascontiguousarray(getattr(restored, name)[rows]).astype(kind).tobytes()

    return Undone(
        at=at,
        target=event,
        key=evidence,
        keys=restored.key[rows].tolist(),
        what=held("what"),
        value=held("value"),
        pi=held("pi"),
        tau=held("tau"),
        spent=held("spent"),
        spent_at=held("spent_at", "<f8"),
        updated=held("updated", "<f8"),
        evidence=held("evidence", "<i4"),
        when=held("when", "<f8"),
        until=held("until", "<f8"),
        edge=held("edge"),
        superseded_by=restored.superseded_by[rows].tolist(),
    )
