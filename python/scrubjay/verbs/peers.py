"""The verbs of peers: export what this store knows, merge what another one does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from scrubjay.dynamics.channels import evidence_of
from scrubjay.encode.intake import Draft, check_draft
from scrubjay.encode.normal import check_text, text_digest
from scrubjay.errors import ArgumentError
from scrubjay.events import AnyEvent, PeerMerged
from scrubjay.files import WRITE, named, read_named
from scrubjay.store.view import Transaction, View
from scrubjay.store.whole import write_whole
from scrubjay.upkeep.merge import FORMAT, MAX_BYTES, Counted, Known, PeerFile, before, counted, own, read
from scrubjay.verbs import write
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.outcome import check_fraction

CHUNK: Final = 4096
"""Memories per event."""


class Merge(msgspec.Struct, frozen=True, kw_only=True):
    """What a merge did."""

    peer: str
    merged: int
    """Memories that took the peer's view over."""
    known: int
    """Memories that had this very view already."""
    unknown: int
    """Memories of the peer that this namespace does not have."""
    added: int
    """Memories that were added first, because they were unknown."""
    capped: int
    """Memories whose evidence counts for less than the trust would allow, by the cap."""


def export(engine: Engine, path: str | os.PathLike[str], namespace: tuple[str, ...], texts: bool) -> int:
    """Write a peer's file; see `facets.peers`."""
    engine.refresh()
    with engine.gate.reading():
        columns = engine.columns
        rows = engine.scope(namespace).listed(columns)
        keys = columns.key[rows].tolist()
        stability, when, upto = columns.stability[rows].tolist(), columns.when[rows].tolist(), columns.seq
    evidence = own(event for batch in engine.log.tail(0, upto) for event in batch.events)
    told: list[Known] = []
    with engine.log.read() as view:
        for start in range(0, len(keys), CHUNK):
            held = view.rows(keys[start : start + CHUNK])
            for i in range(start, min(start + CHUNK, len(keys))):
                row = held.get(keys[i])
                if row is None or row.dedupe is None:
                    continue
                good, bad = evidence.get(keys[i], (0.0, 0.0))
                text, time = (row.text, when[i]) if texts else ("", 0.0)
                told.append(Known(row.dedupe.hex(), good, bad, stability[i], text, time))
    file = PeerFile(FORMAT, engine.log.meta.uuid, upto, told)
    with named(path, WRITE):
        write_whole(os.fspath(path), msgspec.json.encode(file))
    return len(told)


def merge(
    engine: Engine,
    path: str | os.PathLike[str],
    *,
    trust: object,
    namespace: tuple[str, ...],
    peer: str | None,
    add: bool,
) -> Merge:
    """Merge a peer's file; see `facets.peers`."""
    share = check_fraction(trust, argument="trust")
    if peer is not None:
        peer = check_text(peer, argument="peer", max_bytes=256)
    file = read(read_named(path, MAX_BYTES + 1))
    if file.peer == engine.log.meta.uuid:
        raise ArgumentError("file: this store wrote it; what it knows is here already")
    name = check_text(file.peer if peer is None else peer, argument="peer", max_bytes=256)
    added = _add(engine, file, namespace, name) if add and share > 0 else 0
    engine.refresh()
    told = counted(file.memories, share, evidence_of(engine.columns.settings), engine.columns.settings.most)
    digests = [bytes.fromhex(known.digest) for known in file.memories]
    says = [text_digest(known.text) if known.text else b"" for known in file.memories]
    merged = known = 0
    at = engine.clock()
    with engine.log.write() as tx:
        space = tx.find_space(namespace)
        there = {} if space is None else tx.find_dedupe(space, {*digests, *filter(None, says)})
        # what is said of a text by its digest goes before what is said of it by a key that is not known here
        found = {there[digest]: i for i, digest in enumerate(digests) if digest in there}
        for i, digest in enumerate(digests):
            if digest not in there and says[i] in there:
                found.setdefault(there[says[i]], i)
        places = sorted(found.items())
        for start in range(0, len(places), CHUNK):
            part = places[start : start + CHUNK]
            event, done = _event(tx, part, told, name, file.upto, share, at, engine.stamp(at))
            merged, known = merged + done, known + len(part) - done
            if event is not None:
                tx.append([event])
    engine.refresh()
    return Merge(
        peer=name, merged=merged, known=known, unknown=len(digests) - len(places), added=added, capped=told.capped
    )


def _event(
    tx: Transaction,
    places: Sequence[tuple[int, int]],
    told: Counted,
    peer: str,
    upto: int,
    trust: float,
    at: float,
    moment: float | None,
) -> tuple[AnyEvent | None, int]:
    """The event for some memories, (key, place in `told`), and how many of them take something over."""
    keys: list[int] = []
    columns: list[tuple[float, float, float, float, float]] = []
    for key, i in places:
        held = before(_merges(tx, key), peer, key)
        if trust <= held.seen.get(upto, -1.0):
            continue
        newer = upto >= max(held.seen, default=-1)
        good, bad = (float(told.good[i]), float(told.bad[i])) if newer else (held.good, held.bad)
        keys.append(key)
        columns.append((good, bad, good - held.good, bad - held.bad, float(told.stability[i])))
    if not keys:
        return None, 0
    packed = [np.array(values, "<f8").tobytes() for values in zip(*columns, strict=True)]
    event = PeerMerged(
        at=at,
        peer=peer,
        upto=upto,
        trust=trust,
        keys=keys,
        good=packed[0],
        bad=packed[1],
        good_step=packed[2],
        bad_step=packed[3],
        stability=packed[4],
        moment=moment,
    )
    return event, len(keys)


def _merges(view: View, key: int) -> list[PeerMerged]:
    return [recorded.event for recorded in view.history(key) if isinstance(recorded.event, PeerMerged)]


def _add(engine: Engine, file: PeerFile, namespace: tuple[str, ...], peer: str) -> int:
    """Add the peer's memories that the namespace does not have, as far as their text is there.

    A file's digest is only a claim: what is added is known again by its text, so that it never stands in the way of
    another one. Nor does a memory come from the future.
    """
    now = engine.clock()
    drafts: dict[bytes, tuple[Draft, bytes]] = {}
    for i, known in enumerate(file.memories):
        if known.text:
            item = {
                "text": known.text,
                "when": min(known.when, now),
                "namespace": namespace,
                "metadata": {"peer": peer},
            }
            draft = check_draft(item, now, argument=f"memories[{i}]")
            drafts.setdefault(draft.dedupe, (draft, bytes.fromhex(known.digest)))
    with engine.log.read() as view:
        space = view.find_space(namespace)
        names = {name for said, (_, told) in drafts.items() for name in (said, told)}
        there = {} if space is None else view.find_dedupe(space, names)
    fresh = [draft for said, (draft, told) in drafts.items() if said not in there and told not in there]
    if fresh:
        write.add_many(engine, fresh)
    return len(fresh)
