"""The verbs of the three channels: outcome, rate, rescore, due, configure, and the sessions of the active clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
import numpy as np

from scrubjay.dynamics.channels import MOST_WEIGHT, intervals, law_of
from scrubjay.dynamics.retrievability import DAY, retrievability
from scrubjay.encode.normal import check_text
from scrubjay.errors import ArgumentError, ArgumentTypeError, MemoryNotFoundError, shown
from scrubjay.events import AnyEvent, Configured, Outcome, Rated, Rescored, Session
from scrubjay.memory import MemoryUnit
from scrubjay.recall.hits import Hit
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.quarantine import settle

GRADES: Final = {"again": 0, "hard": 1, "good": 2, "easy": 3}
"""Grades by name: places in the thresholds of the store's law."""
CHUNK: Final = 4096
"""Memories per event."""
MAX_SOURCE_BYTES: Final = 1024
LEAST_WEIGHT: Final = 1e-6
MOST_STABILITY: Final = 1e9
"""Highest cap of stability that a store can have, in days."""


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that should be rehearsed."""

    memory: MemoryUnit
    retrievability: float
    """R at the time that was asked about."""
    overdue: float
    """Days since it was due."""


def check_signal(signal: object, thresholds: Sequence[float], *, argument: str = "signal") -> float:
    """A signal in [0, 1], or a grade by name."""
    if isinstance(signal, bool):
        raise ArgumentTypeError(f"{argument}: expected a number in [0, 1] or a grade, got bool; give 1.0 or 0.0")
    if isinstance(signal, str):
        if signal.lower() not in GRADES:
            raise ArgumentError(
                f"{argument}: expected a number in [0, 1] or one of {', '.join(GRADES)}, got {shown(signal)}"
            )
        return float(thresholds[GRADES[signal.lower()]])
    return check_fraction(signal, argument=argument)


def check_fraction(value: object, *, argument: str) -> float:
    """A finite number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"{argument}: expected a number, got {type(value).__name__}")
    if not 0.0 <= value <= 1.0:
        raise ArgumentError(f"{argument} = {shown(value)}: expected a number in [0, 1]")
    return float(value)


def check_weight(weight: object, *, argument: str = "weight") -> float:
    """A weight in [1e-6, 1e6]."""
    if isinstance(weight, bool) or not isinstance(weight, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"{argument}: expected a number, got {type(weight).__name__}")
    if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
        raise ArgumentError(f"{argument} = {shown(weight)}: expected a number in [{LEAST_WEIGHT:g}, {MOST_WEIGHT:g}]")
    return float(weight)


def check_source(source: object) -> str:
    """A source's name, "" for none."""
    if not isinstance(source, str):
        raise ArgumentTypeError(f"source: expected str, got {type(source).__name__}")
    return check_text(source, argument="source", max_bytes=MAX_SOURCE_BYTES, allow_blank=True)


def ids_of(given: object, *, argument: str = "ids") -> list[str]:
    """Distinct ids from an id, a memory, a hit, or a sequence of these (a search's hits)."""
    several = [given] if isinstance(given, (str, Hit, MemoryUnit)) else given
    if isinstance(several, (bytes, Mapping)) or not isinstance(several, Iterable):
        raise ArgumentTypeError(f"{argument}: expected ids, memories or hits, got {type(given).__name__}")
    out: list[str] = []
    try:
        every = iter(several)
    except TypeError:
        # a 0-d array says that it can be walked
        raise ArgumentTypeError(f"{argument}: expected ids, memories or hits, got {type(given).__name__}") from None
    for i, one in enumerate(every):
        if isinstance(one, Hit):
            out.append(one.memory.id)
        elif isinstance(one, MemoryUnit):
            out.append(one.id)
        elif isinstance(one, str):
            out.append(one)
        else:
            raise ArgumentTypeError(f"{argument}[{i}]: expected an id, a memory or a hit, got {type(one).__name__}")
    return list(dict.fromkeys(out))


def append_about(engine: Engine, keys: Sequence[int], events: Sequence[AnyEvent]) -> None:
    """Append events about living memories in one transaction, all or none."""
    with engine.log.write() as tx:
        living = tx.rows(list(dict.fromkeys(keys)))
        if len(living) < len(set(keys)):
            raise MemoryNotFoundError("ids: one of them was deleted by another writer meanwhile; nothing was written")
        tx.append(list(events))
    engine.refresh()


def _recorded(
    engine: Engine, given: object, namespace: tuple[str, ...] | None, made: Callable[..., Outcome | Rated]
) -> int:
    """Append what `made` makes of the memories, all at one time, a chunk an event; returns how many they are."""
    keys = [engine.key_of(id, namespace) for id in ids_of(given)]
    if keys:
        at = engine.clock()
        moment = engine.stamp(at)
        chunks = (keys[i : i + CHUNK] for i in range(0, len(keys), CHUNK))
        append_about(engine, keys, [made(at=at, keys=chunk, moment=moment) for chunk in chunks])
    return len(keys)


def outcome(
    engine: Engine, given: object, signal: object, *, weight: object, source: object, namespace: tuple[str, ...] | None
) -> int:
    """Record that memories were of use or not; see `facets.channels`."""
    engine.refresh()
    value = check_signal(signal, engine.columns.settings.thresholds)
    heavy, who = check_weight(weight), check_source(source)
    return _recorded(engine, given, namespace, partial(Outcome, signal=value, weight=heavy, source=who))


def rate(
    engine: Engine, given: object, rating: object, *, weight: object, source: object, namespace: tuple[str, ...] | None
) -> int:
    """Judge memories; see `facets.channels`."""
    engine.refresh()
    value, heavy, who = check_fraction(rating, argument="rating"), check_weight(weight), check_source(source)
    return _recorded(engine, given, namespace, partial(Rated, rating=value, weight=heavy, source=who))


def rescore(
    engine: Engine,
    ratings: object,
    *,
    weight: object,
    source: object,
    namespace: tuple[str, ...] | None,
    everything: Callable[[], list[MemoryUnit]],
) -> int:
    """Judge memories anew; see `facets.channels`."""
    engine.refresh()
    heavy, who = check_weight(weight), check_source(source)
    pairs: list[tuple[str, Any]]
    if callable(ratings):
        pairs = [(unit.id, ratings(unit)) for unit in everything()]
    elif isinstance(ratings, Mapping):
        pairs = [(id, rating) for id, rating in ratings.items()]
    else:
        raise ArgumentTypeError(
            f"ratings: expected a mapping of id to rating or a function, got {type(ratings).__name__}"
        )
    told = [
        (ids_of(id, argument="ratings")[0], check_fraction(rating, argument=f"ratings[{str(id)!r:.60}]"))
        for id, rating in pairs
        if rating is not None
    ]
    keys = [engine.key_of(id, namespace) for id, _ in told]
    if not keys:
        return 0
    at = engine.clock()
    moment = engine.stamp(at)
    events = [
        Rescored(at=at, keys=[key], rating=rating, weight=heavy, source=who, moment=moment)
        for key, (_, rating) in zip(keys, told, strict=True)
    ]
    append_about(engine, keys, events)
    return len(keys)


def due(engine: Engine, namespace: tuple[str, ...], now: float, limit: int) -> list[Due]:
    """The memories that should be rehearsed, the most forgotten first; see `facets.channels`."""
    engine.refresh()
    moment = engine.moment(now)
    with engine.gate.reading():
        columns = engine.columns
        scope = engine.scope(namespace)
        if not scope.count:
            return []
        rows = scope.listed(columns)
        law = law_of(columns.settings)
        stability = columns.stability[rows]
        days = np.maximum(0.0, moment - columns.reviewed[rows]) / DAY
        late = days - intervals(stability, law)
        ripe = np.flatnonzero((late >= 0.0) & (moment >= columns.reviewed[rows]))
        r = retrievability(stability[ripe], days[ripe], law)
        order = np.lexsort((rows[ripe], r))[:limit]
        keys = columns.key[rows[ripe[order]]].tolist()
        recall, overdue = r[order].tolist(), late[ripe[order]].tolist()
    units = engine.units(keys, labels=namespace)
    return [
        Due(memory=unit, retrievability=x, overdue=y)
        for unit, x, y in zip(units, recall, overdue, strict=True)
        if unit is not None
    ]


def configure(engine: Engine, changes: Mapping[str, Any]) -> Configured:
    """Put other laws in force; see `facets.channels`."""
    return settle(engine, lambda settings: changed(settings, changes, at=settings.at))


def changed(settings: Configured, changes: Mapping[str, Any], *, at: float) -> Configured:
    """Settings with some fields replaced, checked. A new law starts from its own published weights."""
    if not isinstance(changes, Mapping):
        raise ArgumentTypeError(f"params: expected a mapping of parameters, got {type(changes).__name__}")
    known_names = [name for name in Configured.__struct_fields__ if name not in ("at", "quarantined")]
    unknown = [name for name in changes if name not in known_names]
    if unknown:
        known = ", ".join(known_names)
        raise ArgumentError(f"{shown(unknown[0])}: no such parameter; known are {known}")
    fields = dict(changes)
    if not isinstance(fields.get("law", ""), str):
        raise ArgumentTypeError(f"law: expected a name, got {type(fields['law']).__name__}")
    if "law" in fields and fields["law"] != settings.law:
        fields.setdefault("weights", ())
    for name in ("weights", "thresholds"):
        if name in fields:
            flat = isinstance(fields[name], np.ndarray) and fields[name].ndim == 0
            if flat or not isinstance(fields[name], (Sequence, np.ndarray)):
                raise ArgumentTypeError(f"{name}: expected numbers, got {type(fields[name]).__name__}")
            fields[name] = tuple(_number(name, x) for x in fields[name])
    for name in ("wanted", "same_day", "most", "keep"):
        if name in fields:
            fields[name] = _number(name, fields[name])
    new = msgspec.structs.replace(settings, at=at, **fields)
    if not 1.0 <= new.most <= MOST_STABILITY:
        raise ArgumentError(f"most = {shown(new.most)}: expected days in [1, {MOST_STABILITY:g}]")
    law_of(new)
    return new


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"{name}: expected numbers, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(f"{name}: a number beyond any range") from None


def session(engine: Engine, *, running: bool) -> float:
    """Start or stop the clock of active time; returns the active seconds so far."""
    if engine.log.meta.clock != "active":
        raise ArgumentError(
            'clock: this store keeps wall time; sessions are of stores made with scrubjay.open(..., time="active")'
        )
    engine.refresh()
    at = engine.clock()
    with engine.log.write() as tx:
        held = engine.columns.session
        active = held.active
        if held.running:
            # one that was never ended counts until the last thing that happened in it
            last = tx.batch(tx.seq - 1, tx.seq).events if running else []
            until = at if not running else max((e.at for e in last), default=held.at)
            active += max(0.0, min(until, at) - held.at)
        tx.append([Session(at=at, active=active, running=running)])
    engine.refresh()
    return active
