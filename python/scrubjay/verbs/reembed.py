"""Another embedder for a store: every vector of its log made anew from the texts, and put in place at once.

Vectors are made beside the log (`scrubjay.store.staging`) while others read and write. The swap is one transaction that
rewrites each event that holds a vector, so that a fold of the log gives the new ones and never calls an embedder; it
folds the log before it commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET

from scrubjay.columns import Columns
from scrubjay.encode.embedding import embed_texts
from scrubjay.encode.passages import Span, split_passages
from scrubjay.errors import CorruptionError, StoreError
from scrubjay.events import AnyEvent, Batch, ContextSeen, Fitted, Integrated, Learned, Undone, Updated
from scrubjay.fold import apply
from scrubjay.memory import spoken
from scrubjay.protocols import Clock, Embedder, Progress
from scrubjay.store import staging
from scrubjay.store.log import EventLog
from scrubjay.store.manifest import held_manifest
from scrubjay.store.rewrite import remade, restate
from scrubjay.store.snapshot import discard, save
from scrubjay.store.staging import Staged, text_key
from scrubjay.store.view import Transaction, View
from scrubjay.verbs.texts import foreseen

ROUNDS: Final = 64
"""How often what was added meanwhile is embedded ahead of the swap; the rest is embedded while others wait."""


class Reembedded(msgspec.Struct, frozen=True, kw_only=True):
    """What a re-embedding did."""

    texts: int
    """Distinct texts that this call has embedded; 0 where there was nothing to do."""
    resumed: int
    """Distinct texts whose vectors an interrupted call had left."""
    memories: int
    """Living memories."""
    changed: bool
    """False where the store was this embedder's already."""
    embedder: str
    dim: int
    before: str
    """The embedder until now."""
    before_dim: int


class Told(NamedTuple):
    """What the vectors of an event are of."""

    texts: list[str]
    passages: Sequence[str] = ()
    spans: list[Span] | None = None
    """Of the passages; None: the event says nothing of them."""


class _Said(NamedTuple):
    text: str
    metadata: Mapping[str, object]
    embedded: str
    """What its vector is of."""

    def told(self, *, whole: bool = True) -> Told:
        """With its passages."""
        spans = split_passages(self.text)
        passages = [spoken(self.text[a:b], dict(self.metadata)) for a, b in spans]
        return Told([self.embedded] if whole else [], passages, spans)


class Texts:
    """What the vectors of events are of. Takes the events of a log in their order.

    >>> from scrubjay.memory import Perishability
    >>> events = [
    ...     Learned(at=0.0, key=1, id=b"", space=0, text="tea", dedupe=b"", vector=b"", when=0.0,
    ...             perishability=Perishability(label="factual", pi=0.1, tau=1.0)),
    ...     Updated(at=1.0, key=1, text="mate", vector=b""),
    ... ]
    >>> texts = Texts(lambda key: events[0])
    >>> [texts.of(event).texts for event in events]
    [['tea'], ['mate']]
    """

    def __init__(self, learned: Callable[[int], Learned | None]) -> None:
        self._learned = learned
        self._changed: dict[int, _Said] = {}

    def of(self, event: AnyEvent) -> Told:
        """The texts of an event's vectors, in their order."""
        if isinstance(event, ContextSeen):
            return Told([event.text])
        if isinstance(event, Learned):
            return _first(event).told()
        if isinstance(event, Updated):
            said = self._changed[event.key] = self._after(event)
            whole = event.vector is not UNSET
            return said.told(whole=whole) if whole or event.spans is not UNSET else Told([])
        if isinstance(event, Integrated):
            return Told([self._now(event.key).embedded])
        if isinstance(event, Undone):
            return Told([self._now(key).embedded for key in event.keys])
        return Told([])

    def _now(self, key: int) -> _Said:
        said = self._changed.get(key)
        if said is None:
            event = self._learned(key)
            if event is None:
                raise CorruptionError(f"the event that made memory {key} cannot be read: run verify(repair=True)")
            said = _first(event)
        return said

    def _after(self, event: Updated) -> _Said:
        said = self._now(event.key)
        text = said.text if event.text is UNSET else event.text
        metadata = said.metadata if event.metadata is UNSET else event.metadata
        if event.vector is UNSET:
            return _Said(text, metadata, said.embedded)
        line = "" if event.annotation is UNSET else event.annotation
        return _Said(text, metadata, foreseen(spoken(text, dict(metadata)), line))


def _first(event: Learned) -> _Said:
    embedded = foreseen(spoken(event.text, event.metadata), event.annotation)
    return _Said(event.text, event.metadata, embedded)


def with_vectors(event: AnyEvent, told: Told, made: Mapping[str, bytes]) -> AnyEvent | None:
    """The event with other vectors, found by their texts, in the place of its own; None where it stays as it is."""
    replace = msgspec.structs.replace
    vectors = [made[text] for text in told.texts]
    held: dict[str, bytes] = {}
    if told.spans is not None:
        held["passages"] = b"".join([made[text] for text in told.passages])
        held["spans"] = np.asarray(told.spans, "<i4").tobytes()
    if isinstance(event, ContextSeen):
        return replace(event, vector=vectors[0])
    if isinstance(event, Learned):
        return replace(event, vector=vectors[0], **held)
    if isinstance(event, Updated):
        return replace(event, **held, **({"vector": vectors[0]} if vectors else {})) if held else None
    if isinstance(event, Integrated):
        # how far evidence reached was the old embedder's measure: vectors are those of the texts again
        return replace(event, vector=vectors[0], what_step=0.0)
    if isinstance(event, Undone):
        return replace(event, what=b"".join(vectors))
    if isinstance(event, Fitted) and event.head:
        # it reads the old embedder's vectors
        return replace(event, head=b"")
    return None


def reembed(
    path: str,
    embedder: Embedder,
    *,
    batch: int,
    progress: Progress | None,
    force: bool,
    timeout: float,
    clock: Clock,
) -> Reembedded:
    """Give the store in a folder another embedder; see `scrubjay.facets.reembed`."""
    name, dim = embedder.name, int(embedder.dim)
    with EventLog.open(path, timeout=timeout) as log:
        before = log.meta
        if (before.embedder, before.dim) == (name, dim) and not force:
            return _already(log)
        with staging.open_staged(path, before, name, dim, timeout=timeout) as staged:
            work = _Work(embedder, staged, batch)
            seq = work.prepare(log, progress)
            fresh = work.swap(log, clock)
            staged.remove()
    with EventLog.open(path, embedder=name, dim=dim, timeout=timeout) as log, suppress(StoreError):
        # a cache: without it the next open folds the log
        save(log, fresh)
    if progress is not None:
        progress(max(seq, fresh.seq - 1), max(seq, fresh.seq - 1))
    return Reembedded(
        texts=len(work.made),
        resumed=len(work.resumed),
        memories=fresh.live_count,
        changed=True,
        embedder=name,
        dim=dim,
        before=before.embedder,
        before_dim=before.dim,
    )


def _already(log: EventLog) -> Reembedded:
    """Nothing to do, but for what a call left that was killed behind its swap."""
    meta = log.meta
    staging.discard_done(log.path, meta)
    held = None if log.snapshot_folder is None else held_manifest(log.snapshot_folder)
    if held is not None and (held.embedder, held.dim) != (meta.embedder, meta.dim):
        discard(log)
    with log.read() as view:
        memories = view.living()
    return Reembedded(
        texts=0,
        resumed=0,
        memories=memories,
        changed=False,
        embedder=meta.embedder,
        dim=meta.dim,
        before=meta.embedder,
        before_dim=meta.dim,
    )


class _Work:
    """One call's embedding, and what it has made."""

    def __init__(self, embedder: Embedder, staged: Staged, batch: int) -> None:
        self._embedder, self._staged, self._batch = embedder, staged, batch
        self._length = 4 * int(embedder.dim)
        self.made: set[bytes] = set()
        self.resumed: set[bytes] = set()

    def prepare(self, log: EventLog, progress: Progress | None) -> int:
        """Make the vectors of what is in the log, and of what others add meanwhile; returns the last event."""
        after = 0
        views: list[View] = []
        texts = Texts(lambda key: views[-1].learned(key))
        for _ in range(ROUNDS):
            with log.read() as view:
                end = view.seq
            start = after
            while after < end:
                with log.read() as view:
                    views.append(view)
                    events = view.batch(after, min(end, after + self._batch))
                    named = _named(events, texts)
                    views.clear()
                self._all(named)
                after = events.upto
                if progress is not None:
                    progress(after, end)
            if end - start <= self._batch:
                break
        return after

    def _all(self, named: Sequence[tuple[int, Told]]) -> dict[str, bytes]:
        """The vectors of all that events tell, by text."""
        whole = [text for _, told in named for text in told.texts]
        parts = [text for _, told in named for text in told.passages]
        # a stretch of signs alone may have no direction, a memory may not
        found = self._vectors(whole) | self._vectors(parts, allow_zero=True)
        return {text: found[text_key(text)] for text in (*whole, *parts)}

    def _vectors(self, texts: Sequence[str], *, allow_zero: bool = False) -> dict[bytes, bytes]:
        """The vectors of texts by digest: those that are there, and the others made and kept."""
        wanted = {text_key(text): text for text in texts}
        found = self._staged.take(wanted, self._length)
        self.resumed |= found.keys() - self.made
        missing = [(digest, text) for digest, text in wanted.items() if digest not in found]
        for start in range(0, len(missing), self._batch):
            part = missing[start : start + self._batch]
            words = [text for _, text in part]
            answer = embed_texts(self._embedder, words, batch=self._batch, allow_zero=allow_zero).vectors
            fresh = {digest: answer[i].astype("<f4").tobytes() for i, (digest, _) in enumerate(part)}
            self._staged.put(fresh)
            self.made |= fresh.keys()
            found |= fresh
        return found

    def swap(self, log: EventLog, clock: Clock) -> Columns:
        """Put the new vectors in place, all at once; returns what the log folds to then."""
        with log.write() as tx:
            texts = Texts(tx.learned)
            for events in _batches(tx):
                named = _named(events, texts)
                made = self._all(named)
                changed: dict[int, AnyEvent] = {}
                for (seq, told), event in zip(named, events.events, strict=True):
                    other = with_vectors(event, told, made)
                    if other is not None:
                        changed[seq] = other
                restate(tx, changed, self._length // 4)
            # a new event, so that no handle takes what it has folded for the newest; the shipped head is in force
            tx.append([Fitted(at=clock())])
            remade(tx, self._embedder.name, self._length // 4)
            fresh = Columns(self._length // 4)
            for events in _batches(tx):
                apply(fresh, events)
            if fresh.damaged or fresh.orphans or fresh.live_count != tx.living():
                raise StoreError(f"store {log.path!r}: it would not be whole with the new vectors: nothing was changed")
        return fresh


def _named(batch: Batch, texts: Texts) -> list[tuple[int, Told]]:
    """Each event's number with what its vectors are of."""
    if batch.damaged:
        raise CorruptionError(f"event {batch.damaged[0]} is damaged: run verify(repair=True), or restore a backup")
    return [(seq, texts.of(event)) for seq, event in zip(batch.seqs, batch.events, strict=True)]


def _batches(tx: Transaction) -> Iterator[Batch]:
    after = 0
    while after < tx.seq:
        batch = tx.batch(after)
        yield batch
        after = batch.upto
