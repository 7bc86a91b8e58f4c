"""The verbs that append: add, update, delete.

Vectors and perishability are made before the transaction, which then only checks and appends. What a chunk's
transaction has committed is acknowledged through `progress`, never earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from scrubjay.encode.intake import (
    Draft,
    check_context,
    check_flag,
    check_metadata,
    check_sensitive,
    check_value,
)
from scrubjay.encode.normal import check_text, normal_form, text_digest
from scrubjay.encode.passages import split_passages
from scrubjay.encode.perishability import check_perishability, classify_texts
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, MemoryNotFoundError, StoreLockedError, shown
from scrubjay.events import AnyEvent, Condensed, ContextSeen, Forgotten, Learned, NamespaceSeen, Reinforced, Updated
from scrubjay.memory import MemoryUnit, Perishability, spoken
from scrubjay.passages import packed
from scrubjay.protocols import Progress
from scrubjay.sets import distinct
from scrubjay.store.projection import Row
from scrubjay.store.view import Transaction, View
from scrubjay.verbs import graph
from scrubjay.verbs.ends import AHEAD, ends_of, far_ahead, stated, stated_again
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.heard import heard
from scrubjay.verbs.keyed import FIELDS, renewals
from scrubjay.verbs.taxonomy import meant, named

CHUNK: Final = 1024
"""Memories per transaction."""
CHUNK_TEXT: Final = 8 << 20
"""Characters per transaction, about: what the vectors of its passages take stays bounded."""
ATTEMPTS: Final = 8
"""How often a chunk is prepared again when another writer changed what it relied on."""
Name: TypeAlias = tuple[tuple[str, ...], bytes]
Known: TypeAlias = dict[Name, int]
"""(namespace, digest) to the key of the memory that is there already."""
MAX_ANNOTATION: Final = 400
"""Longest annotation, in characters (chosen)."""
KEPT: Final = UNSET
"""The default of `update`'s arguments: the field keeps its value."""


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


def renew(engine: Engine, drafts: Sequence[Draft], keys: Sequence[int]) -> None:
    """Update what other statements of the drafts change under their keys; `keys` are the memories'."""
    for id, space, given in renewals(engine, drafts, keys):
        update(engine, id, space, **(dict.fromkeys(FIELDS, KEPT) | given))


def _chunk(drafts: Sequence[Draft], start: int, most: int) -> Sequence[Draft]:
    """The next drafts: at most `most`, fewer where their texts are long."""
    stop, length = start, 0
    while stop < min(len(drafts), start + most) and (stop == start or length < CHUNK_TEXT):
        length += len(drafts[stop].text)
        stop += 1
    return drafts[start:stop]


class StaleError(Exception):
    """Another writer came between preparing and writing: prepare again."""


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
    contexts = engine.embed_contexts([d.context for d in new if d.context is not None])
    prepared.contexts |= {text: vector for text, (vector, _) in contexts.items()}
    none = np.zeros(what.shape[1], np.float32)
    where = np.stack([none if d.context is None else prepared.contexts[d.context] for d in new])
    asked = [i for i, d in enumerate(new) if d.perishability is None]
    told: dict[int, Perishability] = {}
    if asked:
        texts = [new[i].text for i in asked]
        answers = classify_texts(
            engine.adviser if advised and engine.adviser is not None else engine.perishability,
            texts,
            [new[i].context for i in asked],
            heard(engine, texts, what[asked]),
            where[asked],
        )
        told = dict(zip(asked, answers, strict=True))
    for i, (name, draft) in enumerate(zip(order, new, strict=True)):
        prepared.what[name] = what[i]
        prepared.perishability[name] = draft.perishability or meant(engine.columns.taxonomy, told[i])
    held = passages(engine, [d.text for d in new], [d.metadata for d in new])
    prepared.passages |= {name: one for name, one in zip(order, held, strict=True) if one[0]}
    return prepared


def passages(engine: Engine, texts: Sequence[str], metadata: Sequence[dict[str, Any]]) -> list[tuple[bytes, bytes]]:
    """The passages of each text as (spans, vectors) of an event, both empty for a short text."""
    spans = [split_passages(text) for text in texts]
    words = [
        spoken(text[a:b], about) for text, about, some in zip(texts, metadata, spans, strict=True) for a, b in some
    ]
    if not words:
        return [(b"", b"")] * len(texts)
    vectors = engine.embed(words, argument="passages", allow_zero=True).vectors
    ends = np.cumsum([len(some) for some in spans])
    return [packed(some, vectors[end - len(some) : end]) for some, end in zip(spans, ends.tolist(), strict=True)]


def annotate(engine: Engine, texts: Sequence[str], contexts: Sequence[str | None]) -> list[str]:
    """When each text will be useful, in one sentence; "" where nobody says. Called outside of any transaction."""
    if engine.annotator is None or not texts:
        return [""] * len(texts)
    said = list(engine.annotator(texts, contexts))
    return [" ".join(line.split())[:MAX_ANNOTATION] if isinstance(line, str) else "" for line in said]


def foreseen(text: str, annotation: str) -> str:
    """What is embedded of a text ("Caching for the Future", eq. 14); the text that is stored stays as it is."""
    return f"{text}\n{annotation}" if annotation else text


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

    Another text holds from now on unless `when` says since when.
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
        where = engine.embed_contexts([new_context])[new_context][0]
    line = annotate(engine, [new_text], [new_context or None])[0] if isinstance(new_text, str) else ""
    for _ in range(ATTEMPTS):
        with engine.log.read() as view:
            said = _said(view, key, new_text, patch)
            before = _living(view, key)
        vector = None if said is None else engine.embed([foreseen(said, line)], argument="text").vectors[0]
        if vector is not None:
            fields["annotation"] = line
            fields["vector"] = vector.astype("<f4").tobytes()
        if vector is not None or new_text is not UNSET:
            text = before.text if isinstance(new_text, UnsetType) else new_text
            about = before.metadata if isinstance(patch, UnsetType) else before.metadata | patch
            fields["spans"], fields["passages"] = passages(engine, [text], [about])[0]
        if when is UNSET:
            other = new_text is not UNSET and normal_form(new_text) != normal_form(before.text)
            fields["when"] = engine.clock() if other else UNSET
        fields |= ends_of(engine, key, before.text, fields, new_text)
        edges = None
        if vector is not None or not (new_context is UNSET and fields["when"] is UNSET):
            changed: dict[str, Any] = {} if new_context is UNSET else {"context": new_context}
            changed |= {} if fields["when"] is UNSET else {"when": fields["when"]}
            edges = graph.again(engine, key, vector=vector, where=where, **changed)
        seq, above = (0, []) if vector is None else tiers_above(engine, [key])
        at = engine.clock()
        with suppress(StaleError), engine.log.write() as tx:
            if _said(tx, key, new_text, patch) != said:
                raise StaleError
            tx.append(_update_events(tx, at, key, fields, new_text, new_context, patch, where))
            if edges is not None:
                tx.append(graph.related(edges, {((), b""): key}, tx, at, fresh=[key]))
            if vector is not None:
                unmoved(tx, seq, [key, *above])
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


def unmoved(tx: Transaction, seq: int, keys: Sequence[int]) -> None:
    """Raise StaleError where others have put any of the memories below another summary since event `seq`."""
    if tx.base > seq:
        for key in tx.touched_since(seq).intersection(keys):
            if any(told.seq > seq and isinstance(told.event, Condensed) for told in tx.history(key)):
                raise StaleError


def tiers_above(engine: Engine, keys: Sequence[int]) -> tuple[int, list[int]]:
    """The summaries and abstracts that memories are part of, and the event as of which."""
    engine.refresh()
    with engine.gate.reading():
        found: dict[int, None] = {}
        rows = engine.columns.rows(keys)
        while len(rows := rows[rows >= 0]):
            above = distinct(engine.columns.part_of[rows])
            above = above[above != 0]
            found |= dict.fromkeys(above.tolist())
            rows = engine.columns.rows(above)
        return engine.columns.seq, list(found)
