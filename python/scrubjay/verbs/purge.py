"""Deletion that deletes: the log is rewritten as if some memories had never been, then every file is made anew.

Four steps, each durable before the next: the memories go out of sight together with a record of the intent; one
transaction rewrites the events and raises the epoch; derived files are dropped and SQLite's file is written anew; the
record is removed. Whatever ends the process in between, the next open finds the record and goes on.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

import msgspec
import numpy as np

from scrubjay.columns import Columns
from scrubjay.errors import CorruptionError, StoreError, StoreFullError, StoreLockedError
from scrubjay.events import (
    AnyEvent,
    Batch,
    Condensed,
    ContextSeen,
    Integrated,
    Learned,
    NamespaceSeen,
    Outcomes,
    Purged,
    Related,
    Undone,
    Updated,
    Void,
    touched,
)
from scrubjay.fold import apply
from scrubjay.memory import Subtree
from scrubjay.sets import union
from scrubjay.store.derived import discard_derived
from scrubjay.store.erase import (
    Intent,
    expel,
    forgotten_rows,
    linked,
    nameless,
    read_intent,
    scour,
    write_intent,
)
from scrubjay.store.rewrite import rewrite
from scrubjay.store.snapshot import due, save
from scrubjay.store.view import Transaction
from scrubjay.upkeep.compaction import gathered, shares
from scrubjay.upkeep.what_if import trimmed
from scrubjay.verbs.delete import DELETE_CHUNK, forget
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.tiers import tiers_above

ROUNDS: Final = 8
"""How often what others ask to be purged meanwhile is done in one call."""


_ALWAYS: Final = (ContextSeen, NamespaceSeen, Related, Undone)
"""Events that may say something of memories that they do not name."""


class Purge(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt: what a purge has removed, and what it could not remove yet."""

    memories: int = 0
    """Memories that no verb shows any more, summaries among them; what files may still hold of them says `left`."""
    summaries: int = 0
    """Those of them that nobody named, but that were made of one that was."""
    events: int = 0
    """Events of the log that were emptied or rewritten."""
    contexts: int = 0
    """Contexts that no other memory had: their texts and vectors are gone too."""
    namespaces: int = 0
    """Namespaces whose labels are gone, as nothing is left in them."""
    left: tuple[str, ...] = ()
    """In words, what a file may still hold and why; the next open that may write tries again."""

    @property
    def done(self) -> bool:
        """True when no file of the store holds anything of them any more."""
        return not self.left


def purge(engine: Engine, ids: Sequence[str], namespace: tuple[str, ...] | None) -> Purge:
    """Remove memories for good, deleted ones too; all or none. See `facets.deletion`."""
    keys = [engine.key_of(id, namespace, deleted=True) for id in dict.fromkeys(ids)]
    if not keys:
        return Purge()
    _, above = tiers_above(engine, keys)
    return _gone(engine, [*keys, *above], keys, {})


def purge_all(engine: Engine, where: tuple[str, ...] | Subtree) -> Purge:
    """Remove all that namespaces hold or ever held, for good, and their labels. See `facets.deletion`."""
    engine.refresh()
    spaces = engine.spaces(where)
    if not spaces:
        # what an earlier call could not finish is finished all the same
        return finish(engine)
    with engine.gate.reading():
        columns = engine.columns
        doomed: list[int] = columns.key[columns.live() & np.isin(columns.space, spaces)].tolist()
    with engine.log.read() as view:
        last = view.last_key()
    return _gone(engine, doomed, [], dict.fromkeys(spaces, last))


def _gone(engine: Engine, doomed: Sequence[int], keys: Sequence[int], spaces: dict[int, int]) -> Purge:
    """Take memories out of sight and put on record what is to go for good; then do it, as far as can be."""
    forgotten, hindrance = forget(engine, doomed, lambda tx: write_intent(tx, _held(tx).joined(keys, spaces)))
    receipt = finish(engine)
    # where the log could not be rewritten yet they are out of sight all the same
    receipt = msgspec.structs.replace(receipt, memories=max(receipt.memories, len(forgotten)))
    if hindrance is None or receipt.done:
        return receipt
    seen = f"{len(doomed) - len(forgotten)} memories are in sight still: the disk is full"
    return msgspec.structs.replace(receipt, left=(seen, *receipt.left))


def _held(tx: Transaction) -> Intent:
    try:
        return read_intent(tx) or Intent()
    except CorruptionError:
        # what it asked for is lost with it; the caller's is not
        return Intent()


def resume(engine: Engine) -> None:
    """Go on with a purge that was interrupted, where there is one; what hinders it leaves it for the next time."""
    try:
        with engine.log.read() as view:
            if read_intent(view) is None:
                return
        finish(engine)
    except StoreError:
        return


def finish(engine: Engine) -> Purge:
    """Do what is on record as to be purged."""
    total = Purge()
    for _ in range(ROUNDS):
        with engine.log.read() as view:
            intent = read_intent(view)
        if intent is None:
            break
        try:
            if not intent.rewritten:
                total = _added(total, _forget(engine))
            left = _sweep(engine)
            if not left:
                _off_record(engine)
        except (StoreFullError, StoreLockedError) as error:
            # what is on record is committed: it is told, and the next open goes on with it
            why = "the disk is full" if isinstance(error, StoreFullError) else "others are writing"
            left = [f"log.sqlite holds it still: {why}"]
        if left:
            return msgspec.structs.replace(total, left=tuple(left))
    _keep(engine)
    return total


def _off_record(engine: Engine) -> None:
    with engine.log.write() as tx:
        if _held(tx).rewritten:
            write_intent(tx, None)


def _keep(engine: Engine) -> None:
    """Write a new snapshot of a store that is large enough for one."""
    if not engine.log.in_memory and due(engine.columns, 0):
        with suppress(StoreError), engine.gate.writing():
            save(engine.log, engine.columns, epoch=engine.epoch)


def _added(one: Purge, other: Purge) -> Purge:
    counts = ("memories", "summaries", "events", "contexts", "namespaces")
    return Purge(**{name: getattr(one, name) + getattr(other, name) for name in counts})


def _sweep(engine: Engine) -> list[str]:
    log = engine.log
    try:
        discard_derived(log)
        left = scour(log)
        # what a handle wrote meanwhile from columns that it had not brought up to date yet
        discard_derived(log)
    except OSError as error:
        return [f"{error.filename or log.path} may still hold it: {error.strerror}"]
    return left


def _forget(engine: Engine) -> Purge:
    """Rewrite the log, and go on with what it folds to."""
    with engine.log.write() as tx:
        intent = _held(tx)
        if intent.rewritten:
            return Purge()
        plan = _plan(tx, intent)
        if not plan.gone and not plan.spaces:
            # all of it was purged before
            write_intent(tx, msgspec.structs.replace(intent, rewritten=True))
            return Purge()
        changed = _changed(tx, plan, engine.clock())
        receipt = Purge(
            memories=len(plan.gone),
            summaries=len(plan.above),
            events=len(changed),
            contexts=len(plan.contexts),
            namespaces=len(plan.spaces),
        )
        epoch = rewrite(tx, changed)
        expel(tx, plan.gone, plan.contexts, plan.spaces)
        missing = plan.gone - plan.ids.keys()
        names = sorted((plan.ids | forgotten_rows(tx, missing)).items())
        # one at least: other handles look at the epoch when there is a new event
        for start in range(0, max(1, len(names)), DELETE_CHUNK):
            part = names[start : start + DELETE_CHUNK]
            tx.append(
                [
                    Purged(
                        at=engine.clock(),
                        keys=[key for key, _ in part],
                        ids=b"".join(id for _, (id, _) in part),
                        spaces=[space for _, (_, space) in part],
                    )
                ]
            )
        write_intent(tx, msgspec.structs.replace(intent, rewritten=True))
        fresh = Columns(tx._dim)
        for batch in _batches(tx):
            apply(fresh, batch)
        if not fresh.damaged and (fresh.orphans or fresh.live_count != tx.living()):
            raise StoreError(f"store {engine.log.path!r}: it would not be whole after this purge: nothing was changed")
    with engine.gate.writing():
        engine.replace(fresh, epoch=epoch)
    engine.refresh()
    return receipt


class _Plan(msgspec.Struct, kw_only=True):
    """What goes, by a look at the whole log."""

    gone: set[int]
    """Memories."""
    above: set[int]
    """Those of them that are summaries of others."""
    contexts: set[int]
    spaces: set[int]
    ids: dict[int, tuple[bytes, int]]
    """(id, namespace) of each memory whose event can be read."""
    undone: set[int]
    """Integrations whose evidence goes."""
    reached: set[int]
    """Memories that their evidence has moved."""
    said: list[int]
    """Numbers of the events that may say anything of what goes, rising."""
    damaged: list[int]
    """Of those that cannot be read."""


def _plan(tx: Transaction, intent: Intent) -> _Plan:
    gone = set(intent.keys)
    already: set[int] = set()
    ids: dict[int, tuple[bytes, int]] = {}
    contexts: dict[int, set[int]] = {}
    tiers: list[Condensed] = []
    integrated: list[tuple[int, Integrated]] = []
    others: dict[int, bool] = dict.fromkeys(intent.spaces, False)
    # which memories each event names; those of the others are looked at whatever goes
    about, at, always, damaged = array("q"), array("q"), array("q"), list[int]()
    for batch in _batches(tx):
        damaged.extend(batch.damaged)
        for seq, e in zip(batch.seqs, batch.events, strict=True):
            if type(e) is Learned:
                about.append(e.key)
                at.append(seq)
                ids[e.key] = (e.id, e.space)
                if e.context >= 0:
                    contexts.setdefault(e.context, set()).add(e.key)
                if e.key <= intent.spaces.get(e.space, 0):
                    gone.add(e.key)
                elif e.space in others:
                    others[e.space] = True
                continue
            if isinstance(e, _ALWAYS):
                always.append(seq)
            else:
                keys = touched(e)
                about.extend(keys)
                at.extend([seq] * len(keys))
            if isinstance(e, Updated):
                if isinstance(e.context, int) and e.context >= 0:
                    contexts.setdefault(e.context, set()).add(e.key)
            elif isinstance(e, Condensed):
                tiers.append(e)
            elif isinstance(e, Integrated):
                integrated.append((seq, e))
            elif isinstance(e, Purged):
                already.update(e.keys)
    named = set(gone)
    while more := {e.into for e in tiers if not gone.isdisjoint(e.keys)} - gone:
        gone |= more
    gone -= already
    voided = [(seq, e) for seq, e in integrated if e.key in gone]
    reached = {key for _, e in voided for key in e.keys} - gone
    named_in = np.isin(np.array(about, np.int64), np.array(sorted(gone | reached), np.int64))
    return _Plan(
        gone=gone,
        above=gone - named,
        contexts={n for n, keys in contexts.items() if keys <= gone},
        spaces={space for space, shared in others.items() if not shared},
        ids={key: ids[key] for key in gone if key in ids},
        undone={seq for seq, _ in voided},
        reached=reached,
        said=union(np.array(at, np.int64)[named_in], np.array(always, np.int64)).tolist(),
        damaged=damaged,
    )


def _changed(tx: Transaction, plan: _Plan, at: float) -> dict[int, AnyEvent]:
    """What comes in the place of each event that says anything of what goes."""
    changed: dict[int, AnyEvent] = {}
    cut = _Cut(plan)
    for seq, event in tx.some(plan.said):
        if event is None:
            raise CorruptionError(
                f"event {seq} could be read and no longer can: the log was not rewritten; purge again"
            )
        other = cut(event)
        if other is not event:
            changed[seq] = Void(at=event.at) if other is None else other
    if plan.damaged:
        about = linked(tx, plan.gone)
        changed |= {seq: Void(at=at) for seq in plan.damaged if seq in about}
    return dict(sorted(changed.items()))


class _Cut:
    """Events, in order, without what goes."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        self._keys = np.array(sorted(plan.gone), np.int64)
        self._own: dict[int, bytes] = {}
        """The vector of its text, of each memory that evidence which goes has moved."""

    def __call__(self, event: AnyEvent) -> AnyEvent | None:
        """The event itself, another, or None for nothing left of it."""
        plan = self._plan
        if isinstance(event, ContextSeen):
            if event.context not in plan.contexts:
                return event
            return msgspec.structs.replace(event, text=nameless(event.context), vector=bytes(len(event.vector)))
        if isinstance(event, NamespaceSeen):
            gone = event.space in plan.spaces
            return msgspec.structs.replace(event, labels=(nameless(event.space),)) if gone else event
        if isinstance(event, Related):
            return self._related(event)
        if isinstance(event, Undone):
            return self._undone(event)
        if isinstance(event, (Learned, Updated)) and event.key in plan.reached and isinstance(event.vector, bytes):
            self._own[event.key] = event.vector
        if plan.gone.isdisjoint(touched(event)):
            return event
        if isinstance(event, Outcomes):
            told = [share for share in shares(0, event) if share[0] not in plan.gone]
            return gathered(told, at=event.at) if told else None
        return _left(trimmed(event, plan.gone))

    def _related(self, event: Related) -> AnyEvent | None:
        sources, targets = (np.frombuffer(held, "<i8") for held in (event.sources, event.targets))
        fresh = [key for key in event.fresh if key not in self._plan.gone]
        lost = np.isin(sources, self._keys) | np.isin(targets, self._keys)
        if not lost.any() and len(fresh) == len(event.fresh):
            return event
        keep = ~lost
        if not keep.any() and not fresh:
            return None
        return msgspec.structs.replace(
            event,
            sources=sources[keep].tobytes(),
            targets=targets[keep].tobytes(),
            classes=np.frombuffer(event.classes, np.uint8)[keep].tobytes(),
            values=np.frombuffer(event.values, "<f4")[keep].tobytes(),
            fresh=fresh,
        )

    def _undone(self, event: Undone) -> AnyEvent | None:
        plan = self._plan
        if event.target in plan.undone:
            # without the integration there is nothing to take back
            return None
        left: AnyEvent | None = event
        if not plan.gone.isdisjoint(touched(event)) or not plan.gone.isdisjoint(event.superseded_by):
            left = _left(trimmed(event, plan.gone))
        if isinstance(left, Undone) and left.key in plan.gone:
            # of an integration that is damaged
            left = msgspec.structs.replace(left, key=0)
        if not isinstance(left, Undone) or plan.reached.isdisjoint(left.keys):
            return left
        # what was restored had been moved by the evidence that goes: those are the vectors of the texts again
        size = len(left.what) // len(left.keys)
        parts = [left.what[i * size : (i + 1) * size] for i in range(len(left.keys))]
        own = (self._own.get(key, part) for key, part in zip(left.keys, parts, strict=True))
        return msgspec.structs.replace(left, what=b"".join(own))


def _left(event: AnyEvent | None) -> AnyEvent | None:
    """None for an event that would name no memory any more."""
    return None if event is None or not touched(event) else event


def _batches(tx: Transaction) -> Iterator[Batch]:
    after = 0
    while after < tx.seq:
        batch = tx.batch(after)
        yield batch
        after = batch.upto
