"""The verbs of tiers: condense raw memories into summaries and abstracts, and search by way of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import CONDENSED, CURRENT, LIVE, Columns
from scrubjay.encode.normal import check_text, key_digest
from scrubjay.encode.perishability import classify_texts
from scrubjay.errors import ArgumentError, EmbeddingError, ModelReplyError, StoreLockedError
from scrubjay.events import AnyEvent, Condensed, Forgotten, Learned
from scrubjay.memory import MemoryUnit, Tier
from scrubjay.recall.hits import Hits
from scrubjay.sets import distinct
from scrubjay.store.ids import to_text
from scrubjay.upkeep import tiers as law
from scrubjay.upkeep.observe import pieces
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.heard import heard
from scrubjay.verbs.quarantine import trusted_rows

Summarise = Callable[[list[str]], str]
"""Texts to one that says what they say."""
WIDTH: Final = 4
"""Tiers that a search descends into, at each level."""
EXTRACTIVE: Final = "extractive-1"
MEANWHILE: Final = "other writers came between: condense again"


class Condensation(msgspec.Struct, frozen=True, kw_only=True):
    """What condensing did."""

    summaries: list[MemoryUnit]
    """All that there are now; `metadata["members"]` are the ids below each."""
    abstracts: list[MemoryUnit]
    fresh: int
    """How many of both are new."""
    removed: int
    """How many of both had other members before."""
    degraded: int
    """How many the extractive rule wrote, because the function that was given failed."""


class _Tier(msgspec.Struct):
    """A summary or abstract to be."""

    tier: Tier
    rows: list[int]
    """Raw memories below it."""
    below: list[int]
    """Places of the summaries below it."""
    key: int = 0
    text: str = ""
    degraded: bool = False


def condense(engine: Engine, namespace: tuple[str, ...], summarise: Summarise | None) -> Condensation:
    """Make the tiers of a namespace what its memories say now; see `facets.tiers`."""
    engine.refresh()
    space = engine.space(namespace)
    if space is None:
        return Condensation(summaries=[], abstracts=[], fresh=0, removed=0, degraded=0)
    with engine.gate.reading():
        columns = engine.columns
        seq = columns.seq
        flags = columns.flags
        current = columns.visible() & ((flags & CURRENT) != 0) & (columns.space == space)
        rows = trusted_rows(engine, np.flatnonzero(current), namespace)
        wanted = _plan(columns, rows)
        held = _held(columns, space)
        keys, when = columns.key.copy(), columns.when.copy()
    kept: dict[int, _Tier] = {}
    for tier in wanted:
        members = frozenset(keys[tier.rows].tolist())
        tier.key = held.pop((int(tier.tier), members), 0)
        if tier.key:
            kept[tier.key] = tier
    fresh = [tier for tier in wanted if not tier.key]
    read = sorted({row for tier in fresh for row in tier.rows})
    texts = _texts(engine, keys, read)
    if len(texts) < len(read):
        raise StoreLockedError(MEANWHILE)
    for tier in fresh:
        _write(engine, tier, [texts[row] for row in sorted(tier.rows, key=lambda r: (when[r], r))], summarise)
    fresh = [tier for tier in fresh if tier.text]
    vectors = engine.embed([t.text for t in fresh], argument="text").vectors if fresh else np.empty((0, 0), np.float32)
    told = _perishabilities(engine, fresh, vectors)
    at = engine.clock()
    with engine.log.write() as tx:
        if tx.seq != seq:
            raise StoreLockedError(MEANWHILE)
        events: list[AnyEvent] = []
        if held:
            events.append(Forgotten(at=at, keys=sorted(held.values())))
        ids = engine.ids.many(len(fresh))
        key = tx.next_key
        for i, tier in enumerate(fresh):
            tier.key = key + i
            raw = [to_text(row.id) for _, row in sorted(tx.rows(keys[tier.rows].tolist()).items())]
            by = EXTRACTIVE if summarise is None or tier.degraded else "given"
            metadata: dict[str, Any] = {"members": raw, "by": by}
            events.append(
                Learned(
                    at=at,
                    key=tier.key,
                    id=ids[i],
                    space=space,
                    text=tier.text,
                    dedupe=key_digest(f"tier {int(tier.tier)} {ids[i].hex()}"),
                    vector=vectors[i].astype("<f4").tobytes(),
                    when=float(when[tier.rows].max()),
                    perishability=told[i],
                    metadata=metadata | ({"degraded": True} if tier.degraded else {}),
                    tier=tier.tier,
                    moment=engine.stamp(at),
                )
            )
        for tier in wanted:
            if not tier.key:
                continue
            below = [wanted[i].key for i in tier.below if wanted[i].key] or keys[tier.rows].tolist()
            if tier.key not in kept or any(wanted[i].key not in kept for i in tier.below):
                events.append(Condensed(at=at, keys=sorted({tier.key, *below}), into=tier.key))
        tx.append(events)
    engine.refresh()
    units = engine.units([tier.key for tier in wanted if tier.key], labels=namespace)
    there = [unit for unit in units if unit is not None]
    return Condensation(
        summaries=[unit for unit in there if unit.tier is Tier.SUMMARY],
        abstracts=[unit for unit in there if unit.tier is Tier.ABSTRACT],
        fresh=len(fresh),
        removed=len(held),
        degraded=sum(tier.degraded for tier in fresh),
    )


def _plan(columns: Columns, rows: NDArray[np.int64]) -> list[_Tier]:
    """The tiers that the memories should have: summaries first."""
    out = [
        _Tier(Tier.SUMMARY, [int(rows[i]) for i in members], [])
        for members in law.clusters(len(rows), *law.edges_among(columns, rows))
        if len(members) >= law.LEAST
    ]
    if not out:
        return out
    means = np.stack([columns.vectors[tier.rows].astype(np.float64).mean(axis=0) for tier in out])
    for places in law.clusters(len(out), *law.kindred(means)):
        below = [row for i in places for row in out[i].rows]
        if len(below) >= law.ABSTRACT:
            out.append(_Tier(Tier.ABSTRACT, below, places))
    return out


def _held(columns: Columns, space: int) -> dict[tuple[int, frozenset[int]], int]:
    """Key of each tier that is there, by its kind and the raw memories below it."""
    own = np.flatnonzero((columns.space == space) & ((columns.flags & (LIVE | CONDENSED)) == (LIVE | CONDENSED)))
    members: dict[int, set[int]] = {key: set() for key in columns.key[own].tolist()}
    parts = np.flatnonzero((columns.part_of != 0) & ((columns.flags & (LIVE | CONDENSED)) == LIVE))
    above = dict(zip(columns.key[own].tolist(), columns.part_of[own].tolist(), strict=True))
    for key, into in zip(columns.key[parts].tolist(), columns.part_of[parts].tolist(), strict=True):
        while into in members:
            members[into].add(key)
            into = above[into]
    kinds = dict(zip(columns.key[own].tolist(), columns.tier[own].tolist(), strict=True))
    return {(kinds[key], frozenset(some)): key for key, some in members.items()}


def _texts(engine: Engine, keys: NDArray[np.int64], rows: Sequence[int]) -> dict[int, str]:
    with engine.log.read() as view:
        found = view.rows(keys[list(rows)].tolist())
    return {row: found[key].text for row, key in zip(rows, keys[list(rows)].tolist(), strict=True) if key in found}


def _write(engine: Engine, tier: _Tier, texts: list[str], summarise: Summarise | None) -> None:
    if summarise is not None:
        with suppress(ModelReplyError, ArgumentError, TimeoutError, ConnectionError):
            tier.text = check_text(summarise(list(texts)), argument="summary")
            return
        tier.degraded = True
    sentences = list(dict.fromkeys(piece for text in texts for piece in pieces(text) or [text]))
    with suppress(EmbeddingError):
        vectors = engine.embed(sentences, argument="text", allow_zero=True).vectors
        tier.text = law.extract(sentences, vectors, most=law.SENTENCES)


def _perishabilities(engine: Engine, fresh: Sequence[_Tier], vectors: NDArray[np.float32]) -> list[Any]:
    if not fresh:
        return []
    none, texts = np.zeros_like(vectors), [t.text for t in fresh]
    return classify_texts(engine.perishability, texts, [None] * len(fresh), heard(engine, texts, vectors), none)


# -- searching


class Descent(msgspec.Struct, frozen=True, kw_only=True):
    """A search by way of the tiers: what it went through, and the raw memories that it came to."""

    abstracts: list[tuple[MemoryUnit, float]]
    """Those that were opened, with their cosine to the query, best first."""
    summaries: list[tuple[MemoryUnit, float]]
    hits: Hits


def way(
    engine: Engine, query: str, namespace: tuple[str, ...], start: Tier, width: int
) -> tuple[list[tuple[int, float]], list[tuple[int, float]], NDArray[np.int64] | None]:
    """(key, cosine) of the abstracts and summaries to open, and the keys of the raw memories below; None: no tiers."""
    engine.refresh()
    vector = engine.embed([query], argument="query", allow_zero=True).vectors[0].astype(np.float64)
    space = engine.space(namespace)
    with engine.gate.reading():
        columns = engine.columns
        own = (columns.flags & (LIVE | CONDENSED)) == (LIVE | CONDENSED)
        own &= columns.space == (-1 if space is None else space)
        of = [np.flatnonzero(own & (columns.tier == int(tier))) for tier in (Tier.ABSTRACT, Tier.SUMMARY)]

        def best(rows: NDArray[np.int64]) -> list[tuple[int, float]]:
            cosine = columns.vectors[rows].astype(np.float64) @ vector
            order = np.lexsort((rows, -cosine))[:width]
            return list(zip(columns.key[rows[order]].tolist(), cosine[order].tolist(), strict=True))

        if not len(of[1]):
            return [], [], None
        abstracts, summaries = [], of[1]
        if start is Tier.ABSTRACT and len(of[0]):
            abstracts = best(of[0])
            # a summary without an abstract stands beside the abstracts
            inside = np.isin(columns.part_of[summaries], [0, *(key for key, _ in abstracts)])
            summaries = summaries[inside]
        opened = best(summaries)
        below = np.flatnonzero(np.isin(columns.part_of, [key for key, _ in opened]) & columns.visible())
        return abstracts, opened, columns.key[below]


def descend(
    engine: Engine, query: str, namespace: tuple[str, ...], start: Tier, width: int, search: Callable[[Any], Hits]
) -> Descent:
    """Search by way of the tiers; `search` looks among the keys that it is given, or at all for None."""
    abstracts, summaries, keys = way(engine, query, namespace, start, width)
    found = search(keys)
    if keys is None:
        hits = Hits(
            found, query=query, plan=found.plan, exact=found.exact, notes=[*found.notes, "no tiers: all was searched"]
        )
        return Descent(abstracts=[], summaries=[], hits=hits)
    note = f"only {len(keys)} memories below {len(summaries)} summaries were searched"
    path = ">".join([*(["abstract"] if abstracts else []), "summary", found.plan])
    told = []
    for level in (abstracts, summaries):
        units = engine.units([key for key, _ in level], labels=namespace)
        told.append([(unit, cosine) for unit, (_, cosine) in zip(units, level, strict=True) if unit is not None])
    hits = Hits(found, query=query, plan=path, exact=False, notes=[*found.notes, note])
    return Descent(abstracts=told[0], summaries=told[1], hits=hits)


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
