"""The verbs of the log as truth: rebuild, replay, the past, compact.

A what-if store is a log in memory that holds a part of this one's events, with its own columns; it shares the models.
The past is such a store that ends at an event; the last few are kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from scrubjay.columns import Columns
from scrubjay.errors import (
    ArgumentError,
    ArgumentTypeError,
    CorruptionError,
    MemoryNotFoundError,
    StoreError,
    shown,
)
from scrubjay.events import AnyEvent, Batch, Configured, ContextSeen, NamespaceSeen, Outcome, Outcomes, Void
from scrubjay.fold import RULES, apply, rebuild
from scrubjay.store.connect import fetch
from scrubjay.store.log import EventLog
from scrubjay.store.rewrite import rewrite
from scrubjay.store.snapshot import save
from scrubjay.store.view import BATCH_EVENTS, Transaction, View
from scrubjay.upkeep.compaction import gather, groups, summary
from scrubjay.upkeep.what_if import Without, until
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.outcome import changed

KEPT_PASTS: Final = 4
"""Past states that an open store remembers."""
LEAST_GROUP: Final = 2


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """What a rebuild found."""

    events: int
    memories: int
    same: bool
    """True where the state was what the log folds to, bit for bit."""


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction did."""

    gathered: int = 0
    """Events of outcomes that are now kept in fewer; nothing of them was lost."""
    summarised: int = 0
    """Events of outcomes of which only what they came to is left."""
    events: int = 0
    """Events that they are kept in now."""
    freed: int = 0
    """Bytes of events that were given back to the file for what is written next; 0 where they take no less now."""
    dropped: tuple[str, ...] = ()
    """In words, what was lost; empty unless it was asked for."""


def rebuild_columns(engine: Engine) -> Rebuilt:
    """Fold the log from its beginning and go on with that."""
    engine.refresh()
    with engine.gate.writing():
        fresh = rebuild(engine.log, upto=engine.columns.seq)
        same = fresh.digest() == engine.columns.digest()
        engine.columns.must_hold()
        engine.replace(fresh)
    return Rebuilt(events=fresh.seq, memories=fresh.live_count, same=same)


# -- other histories


def what_if(
    engine: Engine, *, at: float | None, upto: int | None, without: object, params: Mapping[str, Any] | None
) -> Engine:
    """An engine in memory over a part of the log; see `facets.timeline`."""
    sources, seqs = _left_out(without)
    with engine.log.read() as view:
        _can_be_left_out(view, seqs)
        last = view.seq if upto is None else min(_event(upto), view.seq)
        reach, wrong = (last, 0) if at is None else engine.log.stamps.until(view, at)
        last = min(last, reach)
    engine.refresh()
    settings = None if params is None else _imagined(engine, params)
    keep = Without(sources=sources, seqs=seqs, settings=settings)
    try:
        other = _copied(engine, last, keep)
    except ArgumentError as error:
        if not seqs:
            raise
        raise ArgumentError(f"without: what is left cannot stand without them: {error}") from error
    if keep.summarised and (sources or seqs or settings is not None):
        warnings.warn(
            f"{keep.summarised} outcomes were summarised by compact(summarise_before=...): they stay",
            stacklevel=4,
        )
    other.remark = _of_a_clock(wrong)
    return other


def _of_a_clock(wrong: int) -> str:
    if not wrong:
        return ""
    return (
        f"the store's clock was set: what it says of {wrong:,} events contradicts the order in which they were "
        "written, which decided what had been recorded then; history tells both, and replay(upto=) "
        "goes by the order alone"
    )


def _imagined(engine: Engine, params: Mapping[str, Any]) -> Configured:
    """The settings of another history, checked."""
    try:
        return changed(engine.columns.settings, params, at=0.0)
    except ArgumentError as error:
        told = str(error)
        raise type(error)(told if told.startswith("params") else f"params: {told}") from None


def past(engine: Engine, at: float) -> Engine:
    """The store as it was at a time; the last few are kept."""
    with engine.log.read() as view:
        last, wrong = engine.log.stamps.until(view, at)
        name = (view.epoch(), last)
    with engine.past_turn:
        held = engine.past.pop(name, None)
        if held is None:
            held = _copied(engine, last, Without(sources=frozenset(), seqs=frozenset(), settings=None))
        held.remark = _of_a_clock(wrong)
        engine.past[name] = held
        while len(engine.past) > KEPT_PASTS:
            # another thread may be looking at it: it ends with its last user
            engine.past.popitem(last=False)
    return held


def _left_out(without: object) -> tuple[frozenset[str], frozenset[int]]:
    several = [] if without is None else [without] if isinstance(without, (str, int)) else without
    if not isinstance(several, Sequence | set | frozenset) or isinstance(several, bytes):
        raise ArgumentTypeError(f"without: expected sources, event numbers or both, got {type(without).__name__}")
    for one in several:
        if isinstance(one, bool) or not isinstance(one, (str, int)):
            raise ArgumentTypeError(f"without: expected a source or an event's number, got {type(one).__name__}")
        if one == "":
            raise ArgumentError("without: an empty source; name the one to leave out")
    return frozenset(x for x in several if isinstance(x, str)), frozenset(x for x in several if isinstance(x, int))


def _can_be_left_out(view: View, seqs: frozenset[int]) -> None:
    for seq in sorted(seqs):
        if not 1 <= seq <= view.seq:
            raise MemoryNotFoundError(
                f"without: event {shown(seq)}: no such event, the last is {view.seq}; history and results name them"
            )
        found = view.batch(seq - 1, seq).events
        if found and isinstance(found[0], NamespaceSeen | ContextSeen):
            raise ArgumentError(
                f"without: event {seq} says which number a namespace or context has, and others go by it; "
                "name the events about memories, as history does"
            )


def _event(upto: object) -> int:
    if isinstance(upto, bool) or not isinstance(upto, int):
        raise ArgumentTypeError(f"upto: expected the number of an event, got {type(upto).__name__}")
    if upto < 0:
        raise ArgumentError(f"upto = {shown(upto)}: expected the number of an event, 0 for an empty store")
    return upto


def _copied(engine: Engine, last: int, keep: Without) -> Engine:
    meta = engine.log.meta
    log = EventLog.open(":memory:", embedder=meta.embedder, dim=meta.dim, clock=meta.clock, durability="normal")
    try:
        columns = Columns(meta.dim)
        start: list[AnyEvent] = [] if keep.settings is None else [keep.settings]
        for events in _chunks(start, _history(engine.log, last), keep):
            with log.write() as tx:
                batch = tx.append(events)
            apply(columns, batch)
        return engine.beside(log, columns)
    except BaseException:
        log.close()
        raise


def _chunks(
    start: list[AnyEvent], history: Iterator[list[tuple[int, AnyEvent]]], keep: Without
) -> Iterator[list[AnyEvent]]:
    if start:
        yield start
    for pairs in history:
        events = list(keep(pairs))
        if events:
            yield events


def _history(log: EventLog, upto: int) -> Iterator[list[tuple[int, AnyEvent]]]:
    """Numbered events up to `upto`, batch by batch; also what compaction has moved behind it."""
    last = upto
    for batch in log.tail(0, upto):
        _undamaged(batch)
        yield list(zip(batch.seqs, batch.events, strict=True))
    end = min(log.seq, last + BATCH_EVENTS)
    while last < end:
        with log.read() as view:
            behind = view.batch(last, end)
        moved = (
            (seq, until(e, upto)) for seq, e in zip(behind.seqs, behind.events, strict=True) if isinstance(e, Outcomes)
        )
        yield [(seq, e) for seq, e in moved if e is not None]
        last = behind.upto


def _undamaged(batch: Batch) -> None:
    if batch.damaged:
        raise CorruptionError(f"event {batch.damaged[0]} is damaged: run verify(repair=True), or restore a backup")


# -- compaction


def compact(engine: Engine, before: float | None) -> Compaction:
    """Keep outcomes in fewer events; see `facets.timeline`."""
    engine.refresh()
    with engine.log.write() as tx:
        state = Columns(tx._dim)
        placed: dict[int, AnyEvent] = {}
        counts = {"gather": 0, "sum": 0}
        lost = made = 0
        for batch in _batches(tx):
            _undamaged(batch)
            pairs = list(zip(batch.seqs, batch.events, strict=True))
            for kind, group in groups(pairs, lambda e: _kind(e, before), lambda e: RULES[type(e)].alone):
                if kind == "gather" and len(group) < LEAST_GROUP:
                    continue
                slot = group[-1][0]
                if kind == "sum":
                    _advance(state, pairs, slot)
                    if state.settings.keep != 1.0:
                        continue
                    whole = summary(group, state)
                    lost += sum(whole.counts)
                    event: AnyEvent = whole if whole.keys else Void(at=whole.at)
                else:
                    event = gather(group)
                counts[kind] += len(group)
                made += 1
                placed |= {seq: Void(at=e.at) for seq, e in group[:-1]}
                placed[slot] = event
            _advance(state, pairs, batch.upto)
        if not placed:
            return Compaction()
        size = _size(tx)
        epoch = rewrite(tx, placed)
        fresh = Columns(tx._dim)
        for batch in _batches(tx):
            apply(fresh, batch)
        if fresh.digest() != state.digest():
            raise StoreError("compaction would change the state of the store: nothing was changed")
        freed = max(0, size - _size(tx))
    with engine.gate.writing():
        engine.replace(fresh, epoch=epoch)
        if not engine.log.in_memory:
            save(engine.log, engine.columns, epoch=epoch)
    engine.refresh()
    dropped = (f"of {lost} outcomes: signals, weights, sources and times; what they came to is kept",) if lost else ()
    return Compaction(gathered=counts["gather"], summarised=counts["sum"], events=made, freed=freed, dropped=dropped)


def _kind(event: AnyEvent, before: float | None) -> str | None:
    if before is not None and isinstance(event, Outcome | Outcomes) and event.at < before:
        return "sum"
    return "gather" if isinstance(event, Outcome) else None


def _advance(state: Columns, pairs: Sequence[tuple[int, AnyEvent]], upto: int) -> None:
    """Fold events of one batch into the state, up to one of them."""
    part = [(seq, e) for seq, e in pairs if state.seq < seq <= upto]
    if upto > state.seq:
        apply(state, Batch(after=state.seq, upto=upto, seqs=[seq for seq, _ in part], events=[e for _, e in part]))


def _batches(tx: Transaction) -> Iterator[Batch]:
    after = 0
    while after < tx.seq:
        batch = tx.batch(after)
        yield batch
        after = batch.upto


def _size(tx: Transaction) -> int:
    ((size,),) = fetch(tx._db, "SELECT coalesce(sum(length(body)), 0) FROM events")
    return int(size)
