"""The verb that adds.

Vectors and perishability are made before the transaction, which then only checks and appends. What a chunk's
transaction has committed is acknowledged through `progress`, never earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.intake import (
    Draft,
)
from scrubjay.errors import MemoryNotFoundError, StoreLockedError
from scrubjay.events import AnyEvent, ContextSeen, Learned, NamespaceSeen, Reinforced, Updated
from scrubjay.memory import MemoryUnit, Perishability, spoken
from scrubjay.protocols import Progress
from scrubjay.store.view import Transaction, View
from scrubjay.verbs import graph
from scrubjay.verbs.attempts import ATTEMPTS, StaleError
from scrubjay.verbs.ends import AHEAD, far_ahead, stated, stated_again
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.revise import renew
from scrubjay.verbs.texts import annotate, foreseen, judged, passages

CHUNK: Final = 1024
"""Memories per transaction."""
CHUNK_TEXT: Final = 8 << 20
"""Characters per transaction, about: what the vectors of its passages take stays bounded."""
Name: TypeAlias = tuple[tuple[str, ...], bytes]
Known: TypeAlias = dict[Name, int]
"""(namespace, digest) to the key of the memory that is there already."""


class _Prepared:
    """What a chunk needs beside its drafts: vectors of new texts and contexts, and their perishability."""

    def __init__(self) -> None:
        self.what: dict[tuple[tuple[str, ...], bytes], NDArray[np.float32]] = {}
        self.perishability: dict[tuple[tuple[str, ...], bytes], Perishability] = {}
        self.contexts: dict[str, NDArray[np.float32]] = {}
        self.annotations: dict[Name, str] = {}
        self.passages: dict[Name, tuple[bytes, bytes]] = {}


class Remembered(list[MemoryUnit]):
    """Memories, one per item that was added."""

    added = 0
    """How many of them are new; the others were there, or are another item's."""


def add_many(
    engine: Engine, drafts: Sequence[Draft], *, batch: int = CHUNK, progress: Progress | None = None
) -> Remembered:
    """Add every draft, in transactions of `batch`; returns the memories, one per draft, in order."""
    engine.embedder  # noqa: B018  refuses before anything is written
    keys: list[int] = []
    added = fresh = 0

    def count(tx: Transaction, chunk: list[int]) -> list[AnyEvent]:
        nonlocal fresh
        fresh = len({key for key in chunk if key >= tx.first_key})
        return []

    while len(keys) < len(drafts):
        part = _chunk(drafts, len(keys), batch)
        fresh = 0
        made = add_chunk(engine, part, then=count)
        added += fresh
        renew(engine, part, made)
        keys += made
        engine.refresh()
        if progress is not None:
            progress(len(keys), len(drafts))
    units = engine.units(keys)
    gone = [i for i, unit in enumerate(units) if unit is None]
    if gone:
        raise MemoryNotFoundError(f"items[{gone[0]}] was added and at once deleted by another writer")
    remembered = Remembered(unit for unit in units if unit is not None)
    remembered.added = added
    return remembered


def _chunk(drafts: Sequence[Draft], start: int, most: int) -> Sequence[Draft]:
    """The next drafts: at most `most`, fewer where their texts are long."""
    stop, length = start, 0
    while stop < min(len(drafts), start + most) and (stop == start or length < CHUNK_TEXT):
        length += len(drafts[stop].text)
        stop += 1
    return drafts[start:stop]


def add_chunk(
    engine: Engine,
    drafts: Sequence[Draft],
    *,
    vectors: Mapping[str, NDArray[np.float32]] | None = None,
    before: Callable[[Known], None] | None = None,
    advised: bool = True,
    then: Callable[[Transaction, list[int]], Sequence[AnyEvent]] | None = None,
    ordered: bool = False,
) -> list[int]:
    """Add a few drafts in one transaction; returns the key of each.

    `ordered`: with the events that they would have one after another; else edges are made among all of them.

    `vectors` holds those of texts that the caller has embedded already; not `advised`, no language model is asked what
    it thinks of them. `before(known)` is called ahead of the
    transaction with the keys of what is there already, `then(transaction, keys)` inside it: it gives further events,
    and may raise StaleError to have everything prepared again.
    """
    prepared = _Prepared()
    for _ in range(ATTEMPTS):
        with engine.log.read() as view:
            known = known_of(view, drafts)
        prepared = _prepare(engine, drafts, known, vectors or {}, prepared, advised=advised)
        edges = graph.plan(engine, _new(drafts, prepared), prepared.contexts, ordered=ordered)
        if before is not None:
            before(known)
        at = engine.clock()
        far = far_ahead(engine, known.values(), at)
        with suppress(StaleError), engine.log.write() as tx:
            events, keys = _events(engine, tx, drafts, prepared, at, far)
            if events is not None:
                if edges is not None:
                    named = {(d.namespace, d.dedupe): key for d, key in zip(drafts, keys, strict=True)}
                    if ordered:
                        events = graph.interleaved(events, edges, named, tx, at)
                    else:
                        events += graph.related(edges, named, tx, at)
                tx.append(events)
                if then is not None:
                    tx.append(list(then(tx, keys)))
                return keys
    raise StoreLockedError("items: other writers kept deleting what this call found; try again")


def _new(drafts: Sequence[Draft], prepared: _Prepared) -> list[graph.New]:
    """What the graph needs of the memories that are new, in the order in which they are first said."""
    given: dict[Name, Draft] = {}
    for draft in drafts:
        given.setdefault((draft.namespace, draft.dedupe), draft)
    return [
        graph.New(name, prepared.what[name], draft.when, draft.context)
        for name, draft in given.items()
        if name in prepared.what
    ]


def known_of(view: View, drafts: Sequence[Draft]) -> Known:
    """Key of each draft's memory that is there already."""
    by_space: dict[tuple[str, ...], list[bytes]] = {}
    for draft in drafts:
        by_space.setdefault(draft.namespace, []).append(draft.dedupe)
    found: Known = {}
    for labels, digests in by_space.items():
        number = view.find_space(labels)
        if number is not None:
            found |= {(labels, digest): key for digest, key in view.find_dedupe(number, digests).items()}
    return found


def _prepare(
    engine: Engine,
    drafts: Sequence[Draft],
    known: Known,
    vectors: Mapping[str, NDArray[np.float32]],
    prepared: _Prepared,
    *,
    advised: bool,
) -> _Prepared:
    """Embed and classify what is new and not prepared yet, a distinct text once."""
    fresh = {
        (d.namespace, d.dedupe): d
        for d in reversed(drafts)
        if (d.namespace, d.dedupe) not in known and (d.namespace, d.dedupe) not in prepared.what
    }
    if not fresh:
        return prepared
    order = list(reversed(fresh))
    new = [fresh[name] for name in order]
    if all(d.text in vectors for d in new):
        what = np.stack([vectors[d.text] for d in new])
    else:
        said = annotate(engine, [d.text for d in new], [d.context for d in new])
        prepared.annotations |= {name: line for name, line in zip(order, said, strict=True) if line}
        words = [foreseen(spoken(d.text, d.metadata), line) for d, line in zip(new, said, strict=True)]
        what = engine.embed(words, argument="text").vectors
    contexts = engine.embed_known([d.context for d in new if d.context is not None])
    prepared.contexts |= {text: vector for text, (vector, _) in contexts.items()}
    none = np.zeros(what.shape[1], np.float32)
    where = np.stack([none if d.context is None else prepared.contexts[d.context] for d in new])
    asked = [i for i, d in enumerate(new) if d.perishability is None]
    texts, about = [new[i].text for i in asked], [new[i].context for i in asked]
    told = dict(zip(asked, judged(engine, texts, about, what[asked], where[asked], advised=advised), strict=True))
    for i, (name, draft) in enumerate(zip(order, new, strict=True)):
        prepared.what[name] = what[i]
        prepared.perishability[name] = draft.perishability or told[i]
    held = passages(engine, [d.text for d in new], [d.metadata for d in new])
    prepared.passages |= {name: one for name, one in zip(order, held, strict=True) if one[0]}
    return prepared


def _events(
    engine: Engine, tx: Transaction, drafts: Sequence[Draft], prepared: _Prepared, at: float, far: frozenset[int]
) -> tuple[list[AnyEvent] | None, list[int]]:
    """The chunk as events, and the key of each draft; None for the events when something must be prepared again.
    `far`: the keys of memories that are to begin far ahead."""
    known = known_of(tx, drafts)
    moment = engine.stamp(at)
    spaces, contexts = _numbers(tx, drafts)
    events: list[AnyEvent] = []
    keys: list[int] = []
    said: dict[int, str] = {}
    new = sum((d.namespace, d.dedupe) not in known for d in drafts)
    ids = iter(engine.ids.many(new))
    key, space, number = tx.next_key, tx.next_space, tx.next_context
    for draft in drafts:
        name = (draft.namespace, draft.dedupe)
        if name in known:
            until, edge = stated_again(tx, known[name], draft, said)
            if known[name] in far and draft.when < at + AHEAD:
                # what is said again holds when it is said, whatever year was written before
                events.append(Updated(at=at, key=known[name], when=draft.when))
            events.append(Reinforced(at=at, key=known[name], when=draft.when, until=until, edge=edge))
            keys.append(known[name])
            continue
        if name not in prepared.what:
            return None, []
        if draft.namespace not in spaces:
            spaces[draft.namespace], space = space, space + 1
            events.append(NamespaceSeen(at=at, space=spaces[draft.namespace], labels=draft.namespace))
        if draft.context is not None and draft.context not in contexts:
            contexts[draft.context], number = number, number + 1
            vector = prepared.contexts[draft.context].astype("<f4").tobytes()
            events.append(ContextSeen(at=at, context=contexts[draft.context], text=draft.context, vector=vector))
        until, edge = stated(draft)
        events.append(
            Learned(
                at=at,
                key=key,
                id=next(ids),
                space=spaces[draft.namespace],
                text=draft.text,
                dedupe=draft.dedupe,
                vector=prepared.what[name].astype("<f4").tobytes(),
                context=-1 if draft.context is None else contexts[draft.context],
                when=draft.when,
                perishability=prepared.perishability[name],
                value=draft.value,
                metadata=draft.metadata,
                pinned=draft.pinned,
                sensitive=draft.sensitive,
                layer=draft.layer,
                annotation=prepared.annotations.get(name, ""),
                spans=prepared.passages.get(name, (b"", b""))[0],
                passages=prepared.passages.get(name, (b"", b""))[1],
                moment=moment,
                importance=draft.importance,
                source=draft.source,
                caller=draft.caller,
                until=until,
                edge=edge,
            )
        )
        known[name], said[key] = key, draft.text
        keys.append(key)
        key += 1
    return events, keys


def _numbers(tx: Transaction, drafts: Sequence[Draft]) -> tuple[dict[tuple[str, ...], int], dict[str, int]]:
    spaces: dict[tuple[str, ...], int] = {}
    for labels in {d.namespace for d in drafts}:
        number = tx.find_space(labels)
        if number is not None:
            spaces[labels] = number
    return spaces, tx.find_contexts({d.context for d in drafts if d.context is not None})
