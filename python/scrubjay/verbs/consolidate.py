"""consolidate, restore, forgotten: putting memories aside, getting them back, and saying why."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec
import numpy as np

from scrubjay.columns import ARCHIVED, LIVE
from scrubjay.errors import ArgumentError, MemoryNotFoundError, StoreLockedError
from scrubjay.events import AnyEvent, Pruned, Restored
from scrubjay.memory import MemoryUnit
from scrubjay.store.ids import to_text
from scrubjay.upkeep.consolidation import sift
from scrubjay.verbs.attempts import ATTEMPTS, StaleError
from scrubjay.verbs.engine import Engine

CHUNK: Final = 1024
"""Memories per Pruned event."""


class Aside(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that is put aside, and why."""

    id: str
    utility: float
    """U when it was decided."""
    support: float
    """Phi when it was decided: the sum of e U over its neighbours."""
    reason: str


class Consolidation(msgspec.Struct, frozen=True, kw_only=True):
    """What a consolidation did, or with `dry_run` would do."""

    now: float
    looked: int
    """Memories that were looked at."""
    pruned: list[Aside]
    """What was put aside; `restore` brings it back."""
    hubs: int
    """Kept for what leans on them alone."""
    immune: int
    """Kept because they are pinned or of a sensitive class."""
    dry_run: bool

    def __str__(self) -> str:
        verb = "would put aside" if self.dry_run else "put aside"
        head = f"{verb} {len(self.pruned)} of {self.looked}; kept {self.hubs} hubs and {self.immune} immune"
        return "\n".join([head, *(f"{one.id}  {one.reason}" for one in self.pruned)])


class Archived(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was put aside, as `forgotten` shows it."""

    memory: MemoryUnit
    at: float
    """When: seconds since the epoch."""
    utility: float
    support: float
    reason: str


def consolidate(
    engine: Engine,
    *,
    now: float,
    namespace: tuple[str, ...] | None,
    dry_run: bool,
    least_utility: float,
    least_support: float,
) -> Consolidation:
    """Put aside what is worth little; see `facets.consolidation`."""
    for _ in range(ATTEMPTS):
        engine.refresh()
        space = None if namespace is None else engine.space(namespace)
        with engine.gate.reading(), engine.recent_turn:
            columns = engine.columns
            if namespace is not None and space is None:
                return Consolidation(now=now, looked=0, pruned=[], hubs=0, immune=0, dry_run=dry_run)
            found = sift(
                columns, engine.csr, now, space=space, least_utility=least_utility, least_support=least_support
            )
            keys = columns.key[found.rows].tolist()
            seq = columns.seq
        with engine.log.read() as view:
            rows = view.rows(keys)
        worth, support = found.utility.tolist(), found.support.tolist()
        reason = f"utility <= {least_utility:g} and support <= {least_support:g}"
        done = Consolidation(
            now=now,
            looked=found.looked,
            pruned=[
                Aside(
                    id=to_text(rows[key].id),
                    utility=u,
                    support=phi,
                    reason=f"utility {u:.3g} <= {least_utility:g} and support {phi:.3g} <= {least_support:g}",
                )
                for key, u, phi in zip(keys, worth, support, strict=True)
                if key in rows
            ],
            hubs=found.hubs,
            immune=found.immune,
            dry_run=dry_run,
        )
        if dry_run or not keys:
            return done
        at = engine.clock()
        events: list[AnyEvent] = [
            Pruned(
                at=at,
                keys=keys[i : i + CHUNK],
                utilities=worth[i : i + CHUNK],
                support=support[i : i + CHUNK],
                least_utility=least_utility,
                least_support=least_support,
                reason=reason,
            )
            for i in range(0, len(keys), CHUNK)
        ]
        with suppress(StaleError), engine.log.write() as tx:
            if tx.base != seq:
                raise StaleError
            tx.append(events)
            break
    else:
        raise StoreLockedError("consolidate: other writers kept coming between; try again")
    engine.refresh()
    return done


def restore(engine: Engine, ids: Sequence[str], namespace: tuple[str, ...] | None) -> int:
    """Bring memories back, all or none; returns how many had been put aside."""
    keys = sorted({engine.key_of(id, namespace) for id in ids})
    engine.refresh()
    with engine.gate.reading():
        rows = engine.columns.rows(keys)
        flags = engine.columns.flags
        aside = [k for k, row in zip(keys, rows.tolist(), strict=True) if row >= 0 and flags[row] & ARCHIVED]
    if not aside:
        return 0
    with engine.log.write() as tx:
        if len(tx.rows(aside)) < len(aside):
            raise MemoryNotFoundError("ids: one of them was deleted by another writer meanwhile; nothing was restored")
        tx.append([Restored(at=engine.clock(), keys=aside)])
    engine.refresh()
    return len(aside)


def forgotten(engine: Engine, *, namespace: tuple[str, ...] | None, limit: int, after: str | None) -> list[Archived]:
    """A page of what was put aside, in the order in which it was added."""
    engine.refresh()
    start = 0 if after is None else engine.key_of(after, namespace, deleted=True)
    space = None if namespace is None else engine.space(namespace)
    if namespace is not None and space is None:
        return []
    with engine.gate.reading():
        columns = engine.columns
        aside = (columns.flags & (LIVE | ARCHIVED)) == (LIVE | ARCHIVED)
        if space is not None:
            aside &= columns.space == space
        keys = columns.key[np.flatnonzero(aside)]
    page = keys[np.searchsorted(keys, start, side="right") :][:limit].tolist()
    out = []
    for key, unit in zip(page, engine.units(page), strict=True):
        with engine.log.read() as view:
            told = [r.event for r in view.history(key) if isinstance(r.event, Pruned)]
        if unit is None or not told:
            continue
        last = told[-1]
        i = last.keys.index(key)
        out.append(
            Archived(memory=unit, at=last.at, utility=last.utilities[i], support=last.support[i], reason=last.reason)
        )
    return out


def check_dry_run(dry_run: object) -> bool:
    """A bool."""
    if not isinstance(dry_run, bool):
        raise ArgumentError(f"dry_run: expected bool, got {type(dry_run).__name__}")
    return dry_run
