"""The verbs that take memories out of sight; their events stay in the log (`scrubjay.verbs.purge` ends that)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from scrubjay.columns import CONDENSED
from scrubjay.errors import MemoryNotFoundError, StoreLockedError
from scrubjay.events import Forgotten
from scrubjay.memory import Subtree
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.write import ATTEMPTS, StaleError, tiers_above, unmoved

DELETE_CHUNK: Final = 4096


def delete(engine: Engine, ids: Sequence[str], namespace: tuple[str, ...] | None) -> int:
    """Delete the memories of those ids, all or none; returns how many."""
    keys = [engine.key_of(id, namespace) for id in dict.fromkeys(ids)]
    if keys:
        engine.log.ballast.spent_on(lambda: _delete(engine, keys))
    return len(keys)


def _delete(engine: Engine, keys: Sequence[int]) -> None:
    for _ in range(ATTEMPTS):
        seq, over = tiers_above(engine, keys)
        with suppress(StaleError), engine.log.write() as tx:
            living = tx.rows(keys)
            if len(living) < len(keys):
                raise MemoryNotFoundError(
                    "ids: one of them was deleted by another writer meanwhile; nothing was deleted"
                )
            unmoved(tx, seq, [*keys, *over])
            # a summary says what those said that it is of
            above = [key for key in over if key not in living]
            tx.append([Forgotten(at=engine.clock(), keys=[*keys, *sorted(tx.rows(above))])])
            break
    else:
        raise StoreLockedError("ids: other writers kept condensing them; try again")
    engine.refresh()


def delete_all(engine: Engine, where: tuple[str, ...] | Subtree) -> int:
    """Delete every memory of a namespace, or of one and all below it; returns how many."""
    engine.refresh()
    spaces = engine.spaces(where)
    if not spaces:
        return 0
    with engine.gate.reading():
        columns = engine.columns
        # the archived ones too
        doomed: list[int] = columns.key[columns.live() & np.isin(columns.space, spaces)].tolist()
        condensed = set(columns.key[(columns.flags & CONDENSED) != 0].tolist())
    return engine.log.ballast.spent_on(lambda: _delete_living(engine, doomed, condensed))


def _delete_living(engine: Engine, doomed: Sequence[int], condensed: set[int]) -> int:
    total = 0
    with engine.log.write() as tx:
        for start in range(0, len(doomed), DELETE_CHUNK):
            living = sorted(tx.rows(doomed[start : start + DELETE_CHUNK]))
            if living:
                tx.append([Forgotten(at=engine.clock(), keys=living)])
            total += len([key for key in living if key not in condensed])
    engine.refresh()
    return total
