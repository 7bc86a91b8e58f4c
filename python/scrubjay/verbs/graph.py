"""The graph's verbs: edges of what is being written, edges by hand, and looking at neighbours.

Neighbours are looked for before the transaction, among a bounded number of rows; the transaction appends them as one
Related event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.normal import check_text
from scrubjay.errors import ArgumentError, ArgumentTypeError, MemoryNotFoundError, shown
from scrubjay.events import AnyEvent, Learned, Linked, Reinforced, Related, Unlinked
from scrubjay.graph.edges import SHARES, Fresh, Offers, offers
from scrubjay.links import CLASSES
from scrubjay.memory import MemoryUnit
from scrubjay.sets import distinct, union
from scrubjay.store.view import Transaction
from scrubjay.verbs.engine import Engine

MAX_KIND: Final = 64
SINGLE: Final = 64
"""Up to so many memories at once, each also looks into the buckets next to its own."""

Name = tuple[tuple[str, ...], bytes]
"""Namespace and digest of a memory that has no key yet."""


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """One edge of a memory, as `neighbors` shows it."""

    memory: MemoryUnit
    """The neighbour."""
    weight: float
    """e = .40 e_S + .30 e_C + .30 e_T, plus what was linked by hand."""
    classes: dict[str, float]
    """Value of each class that holds: similarity, context, time."""
    kind: str | None = None
    """The word it was linked with by hand; None: by rule alone."""


class New(msgspec.Struct, frozen=True):
    """A memory that is about to be written."""

    name: Name
    vector: NDArray[np.float32]
    when: float
    context: str | None
    key: int = 0
    """Its key where it is there already: it is no neighbour of its own."""


Part: TypeAlias = tuple[list[Name], NDArray[np.int64], Offers]
"""New memories of a namespace, the keys of their candidates, and the offers."""
Ends: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.float32]]
"""Sources, targets, classes and values of edges."""


class Plan(msgspec.Struct, frozen=True):
    """Edges to be, as of event `seq`."""

    seq: int
    parts: list[Part]


def plan(
    engine: Engine, new: Sequence[New], contexts: Mapping[str, NDArray[np.float32]], *, ordered: bool = False
) -> Plan | None:
    """The edges of new memories; `contexts` has the vector of each of their contexts. None: no edges are made.

    `ordered`: each has edges to those before it alone, as if they were added one after another, and is a part.
    """
    if not engine.graph or not new:
        return None
    by_space: dict[tuple[str, ...], list[New]] = {}
    for one in new:
        by_space.setdefault(one.name[0], []).append(one)
    texts = {one.context for one in new if one.context is not None}
    with engine.log.read() as view:
        numbers = view.find_contexts(texts) if texts else {}
        spaces = {labels: view.find_space(labels) for labels in by_space}
    seq = engine.columns.seq
    parts = []
    for labels, group in by_space.items():
        make = _parts if ordered and len(group) > 1 else _part
        parts += make(engine, spaces[labels], group, contexts, numbers)
    return Plan(seq, parts)


def again(
    engine: Engine, key: int, *, vector: NDArray[np.float32] | None, where: NDArray[np.float32] | None, **given: Any
) -> Plan | None:
    """The edges of a memory whose text, `context` or `when` is about to be another; None: it has none to renew.

    `vector` and `where` are of the new text and context; what is not given stays as it is.
    """
    engine.refresh()
    with engine.log.read() as view:
        row = view.rows([key]).get(key)
        context = given.get("context", None if row is None else row.context_text)
        numbers = {} if context is None else view.find_contexts([context])
    with engine.gate.reading():
        columns = engine.columns
        at = columns.row(key)
        if row is None or at < 0 or not (engine.graph or columns.links.nbytes):
            return None
        seq = columns.seq
        what = columns.vectors[at].copy() if vector is None else vector
        if where is None:
            where = columns.where(np.array([at]))[0]
        when = float(given.get("when", columns.when[at]))
    if not engine.graph:
        return Plan(seq, [])
    new = New(((), b""), what, when, context, key)
    return Plan(seq, _part(engine, row.space, [new], {} if context is None else {context: where}, numbers))


def _part(
    engine: Engine,
    space: int | None,
    group: Sequence[New],
    contexts: Mapping[str, NDArray[np.float32]],
    numbers: Mapping[str, int],
) -> list[Part]:
    near, keys, where, context, further = _candidates(engine, space, group, contexts, numbers)
    fresh = Fresh(np.stack([one.vector for one in group]), context, np.array([one.when for one in group], np.float64))
    return [([one.name for one in group], keys, offers(fresh, near, where, further))]


def _parts(
    engine: Engine,
    space: int | None,
    group: Sequence[New],
    contexts: Mapping[str, NDArray[np.float32]],
    numbers: Mapping[str, int],
) -> list[Part]:
    """A part for each of the group, which sees those before it as candidates."""
    near, keys, where, context, further = _candidates(engine, space, group, contexts, numbers)
    apart = np.zeros(len(keys), np.bool_)
    for own in further:
        apart[own] = True
    shared = np.flatnonzero(~apart)
    # one's own candidates, then everybody's, then the new: the candidates of each are one slice
    start = max((len(own) for own in further), default=0)
    stop = start + len(shared)
    what = np.empty((stop + len(group), near.what.shape[1]), np.float32)
    number, when = np.empty(len(what), np.int64), np.empty(len(what))
    np.take(near.what, shared, axis=0, out=what[start:stop])
    number[start:stop], when[start:stop] = near.context[shared], near.when[shared]
    what[stop:], number[stop:], when[stop:] = [one.vector for one in group], context, [one.when for one in group]
    names = [one.name for one in group]
    parts = []
    for i in range(len(group)):
        own = further[i] if further else shared[:0]
        begin, end = start - len(own), stop + i
        what[begin:start], number[begin:start], when[begin:start] = near.what[own], near.context[own], near.when[own]
        mine, before = (Fresh(what[at], number[at], when[at]) for at in (slice(end, end + 1), slice(begin, end)))
        made = offers(mine, before, where, [np.arange(len(own))] if further else None)
        made = Offers(made.sources + i, made.targets, made.classes, made.values)
        parts.append((names[: i + 1], np.concatenate([keys[own], keys[shared]]), made))
    return parts


def _candidates(
    engine: Engine,
    space: int | None,
    group: Sequence[New],
    contexts: Mapping[str, NDArray[np.float32]],
    numbers: Mapping[str, int],
) -> tuple[Fresh, NDArray[np.int64], NDArray[np.float32], NDArray[np.int64], list[NDArray[np.int64]]]:
    """Copies of the rows that may become neighbours: (rows, their keys, context vectors, contexts of new, further)."""
    own = np.array(sorted(one.key for one in group if one.key), np.int64)
    columns = engine.columns
    with engine.gate.reading():
        rows = np.empty(0, np.int64)
        found: list[NDArray[np.int64]] = []
        if space is not None:
            with engine.recent_turn:
                recent = engine.recent
                recent.update(columns)
                rows = recent.window(space)
                known = {numbers[one.context] for one in group if one.context is not None and one.context in numbers}
                mates = [row for number in known for row in recent.mates(space, number)]
                rows = union(rows, np.array(mates, np.int64))
                if not recent.whole(space):
                    vectors = np.stack([one.vector for one in group])
                    found = recent.similar(space, vectors, wide=len(group) <= SINGLE)
        every = union(rows, np.concatenate(found)) if found else rows
        seen = columns.visible(every)
        if len(own):
            seen &= ~np.isin(columns.key[every], own)
        every = every[seen]
        apart = ~np.isin(every, rows, assume_unique=True) if found else np.zeros(len(every), np.bool_)
        further = [_places(every, apart, f) for f in found]
        number = columns.context[every].astype(np.int64)
        used = distinct(number[number >= 0])
        near = Fresh(columns.vectors[every], np.searchsorted(used, number), columns.when[every].copy())
        near.context[number < 0] = -1
        where = [columns.contexts[used]]
        keys = columns.key[every].copy()
    place = {int(n): i for i, n in enumerate(used.tolist())}
    context = np.full(len(group), -1, np.int64)
    for i, one in enumerate(group):
        if one.context is not None:
            name: Any = numbers.get(one.context, one.context)
            if name not in place:
                place[name] = len(place)
                where.append(contexts[one.context][None, :])
            context[i] = place[name]
    return near, keys, np.concatenate(where), context, further


def _places(every: NDArray[np.int64], apart: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places in `every`, rising and distinct, of those of the rows that are there and marked."""
    at = np.searchsorted(every, rows)
    at = at[at < len(every)]
    return np.asarray(at[(every[at] == rows[: len(at)]) & apart[at]], np.int64)


def related(
    made: Plan, keys: Mapping[Name, int], tx: Transaction, at: float, fresh: Sequence[int] = ()
) -> list[AnyEvent]:
    """The planned edges as events of this transaction, whose new memories have these keys."""
    return _related(_ends(made, keys, tx), at, fresh)


def interleaved(
    events: Sequence[AnyEvent], made: Plan, keys: Mapping[Name, int], tx: Transaction, at: float
) -> list[AnyEvent]:
    """The events with each new memory's edges behind its own; the plan is an `ordered` one."""
    ends = _ends(made, keys, tx)
    own = {keys[names[-1]]: _related([edges], at) for (names, _, _), edges in zip(made.parts, ends, strict=True)}
    out: list[AnyEvent] = []
    for event in events:
        out.append(event)
        if isinstance(event, Learned | Reinforced):
            out += own.pop(event.key, ())
    return out


def _ends(made: Plan, keys: Mapping[Name, int], tx: Transaction) -> list[Ends]:
    """Sources, targets, classes and values of the edges of each part, by keys."""
    out: list[Ends] = []
    for names, candidates, offered in made.parts:
        own = np.array([keys[name] for name in names], np.int64)
        source, target = own[offered.sources], np.concatenate([candidates, own])[offered.targets]
        keep = source != target
        out.append((source[keep], target[keep], offered.classes[keep], offered.values[keep]))
    if tx.base != made.seq and out:
        # another writer came between: what it has deleted gets no edges
        new = [keys[name] for names, _, _ in made.parts for name in names]
        every = distinct(np.concatenate([target for _, target, _, _ in out]))
        living = np.array(sorted({*tx.ids_of(every.tolist()), *new}), np.int64)
        for i, ends in enumerate(out):
            keep = np.isin(ends[1], living)
            out[i] = (ends[0][keep], ends[1][keep], ends[2][keep], ends[3][keep])
    return out


def _related(ends: Sequence[Ends], at: float, fresh: Sequence[int] = ()) -> list[AnyEvent]:
    if not fresh and not any(len(source) for source, _, _, _ in ends):
        return []
    return [
        Related(
            at=at,
            sources=b"".join(source.astype("<i8").tobytes() for source, _, _, _ in ends),
            targets=b"".join(target.astype("<i8").tobytes() for _, target, _, _ in ends),
            classes=b"".join(classes.tobytes() for _, _, classes, _ in ends),
            values=b"".join(values.astype("<f4").tobytes() for _, _, _, values in ends),
            fresh=list(fresh),
        )
    ]


def _pair(engine: Engine, a: object, b: object, namespace: tuple[str, ...] | None) -> tuple[int, int]:
    keys = []
    for name, id in (("a", a), ("b", b)):
        if not isinstance(id, str):
            raise ArgumentTypeError(f"{name}: expected an id, got {type(id).__name__}")
        keys.append(engine.key_of(id, namespace))
    if keys[0] == keys[1]:
        raise ArgumentError("b: the same memory as a; an edge needs two")
    return keys[0], keys[1]


def link(engine: Engine, a: str, b: str, *, weight: object, kind: object, namespace: tuple[str, ...] | None) -> None:
    """Link two memories of one namespace by hand."""
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise ArgumentTypeError(f"weight: expected a number, got {type(weight).__name__}")
    if not 1e-6 <= weight <= 1.0:
        raise ArgumentError(f"weight = {shown(weight)}: expected a number in (0, 1]; `unlink` ends an edge")
    word = check_text(kind, argument="kind", max_bytes=MAX_KIND)
    if not word.isprintable() or word != word.strip():
        raise ArgumentError("kind: a control character, or white space at an end; give a word or a few on one line")
    keys = _pair(engine, a, b, namespace)
    with engine.log.write() as tx:
        rows = tx.rows(keys)
        if len(rows) < 2:
            raise MemoryNotFoundError("a, b: one of them was deleted by another writer meanwhile")
        if rows[keys[0]].space != rows[keys[1]].space:
            raise ArgumentError("b: of another namespace than a; edges never cross namespaces")
        tx.append([Linked(at=engine.clock(), keys=list(keys), weight=float(weight), kind=word)])
    engine.refresh()


def unlink(engine: Engine, a: str, b: str, *, namespace: tuple[str, ...] | None) -> bool:
    """End every edge between two memories; returns whether there was one."""
    keys = _pair(engine, a, b, namespace)
    engine.refresh()
    with engine.gate.reading():
        columns = engine.columns
        rows = columns.rows(keys)
        there = keys[1] in columns.links.hand.get(keys[0], ())
        if (rows >= 0).all():
            there |= bool((columns.links.of_row(int(rows[0]), columns.live())[0] == rows[1]).any())
    if not there:
        return False
    with engine.log.write() as tx:
        if len(tx.rows(keys)) < 2:
            raise MemoryNotFoundError("a, b: one of them was deleted by another writer meanwhile")
        tx.append([Unlinked(at=engine.clock(), keys=list(keys))])
    engine.refresh()
    return True


def neighbors(engine: Engine, id: str, *, limit: int, namespace: tuple[str, ...] | None) -> list[Edge]:
    """The neighbours of a memory, the strongest edge first; archived ones too."""
    if not isinstance(id, str):
        raise ArgumentTypeError(f"id: expected str, got {type(id).__name__}")
    engine.refresh()
    key = engine.key_of(id, namespace)
    with engine.gate.reading():
        columns = engine.columns
        row = columns.row(key)
        if row < 0:
            raise MemoryNotFoundError(f"id {shown(id)}: no such memory")
        rows, classes, values = columns.links.of_row(row, columns.live())
        found: dict[int, dict[str, float]] = {}
        for other, kind, value in zip(columns.key[rows].tolist(), classes.tolist(), values.tolist(), strict=True):
            found.setdefault(other, {})[CLASSES[kind]] = value
        hand = dict(columns.links.hand.get(key, {}))
    shares = dict(zip(CLASSES, SHARES.tolist(), strict=True))
    weights = {
        other: sum(shares[name] * value for name, value in found.get(other, {}).items()) + hand.get(other, (0.0, ""))[0]
        for other in {*found, *hand}
    }
    best = sorted(weights, key=lambda other: (-weights[other], other))[:limit]
    return [
        Edge(
            memory=unit,
            weight=weights[other],
            classes=found.get(other, {}),
            kind=hand[other][1] if other in hand else None,
        )
        for other, unit in zip(best, engine.units(best), strict=True)
        if unit is not None
    ]
