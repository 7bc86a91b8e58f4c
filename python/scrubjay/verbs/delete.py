"""The verbs that take memories out of sight; their events stay in the log (`scrubjay.verbs.purge` ends that)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from scrubjay.columns import CONDENSED
from scrubjay.errors import MemoryNotFoundError, StoreFullError, StoreLockedError
from scrubjay.events import Forgotten
from scrubjay.memory import Subtree
from scrubjay.remembered import forget_texts
from scrubjay.store.view import Transaction
from scrubjay.verbs.attempts import ATTEMPTS, StaleError, condenses, undisturbed
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.tiers import tiers_above

DELETE_CHUNK: Final = 4096


def delete(engine: Engine, ids: Sequence[str], namespace: tuple[str, ...] | None) -> int:
    """Delete the memories of those ids, all or none; returns how many.

    On a disk that is too full for all at once they are deleted in several commits.
    """
    keys = [engine.key_of(id, namespace) for id in dict.fromkeys(ids)]
    if keys:
        gone, hindrance = _in_pieces(engine, keys, lambda some, _: _delete(engine, some, whole=len(some) == len(keys)))
        _all_gone(engine, hindrance, len(gone))
    return len(keys)


def _delete(engine: Engine, keys: Sequence[int], *, whole: bool) -> list[int]:
    for _ in range(ATTEMPTS):
        seq, over = tiers_above(engine, keys)
        with suppress(StaleError), engine.log.write() as tx:
            living = tx.rows(keys)
            if whole and len(living) < len(keys):
                raise MemoryNotFoundError(
                    "ids: one of them was deleted by another writer meanwhile; nothing was deleted"
                )
            undisturbed(tx, seq, [*keys, *over], condenses)
            # a summary says what those said that it is of
            above = [key for key in over if key not in living]
            gone = [*(key for key in keys if key in living), *sorted(tx.ids_of(above))]
            tx.append([Forgotten(at=engine.clock(), keys=gone)] if gone else [])
            forget_texts(row.text for row in living.values())
            break
    else:
        raise StoreLockedError("ids: other writers kept condensing them; try again")
    engine.refresh()
    return list(keys)


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
    forgotten, hindrance = forget(engine, doomed)
    gone = len([key for key in forgotten if key not in condensed])
    _all_gone(engine, hindrance, gone)
    return gone


def _all_gone(engine: Engine, hindrance: StoreFullError | None, gone: int) -> None:
    if hindrance is not None:
        raise StoreFullError(
            f"store {engine.log.path!r}: the disk is full; {gone} memories were deleted and the others were not: free "
            "some space and repeat"
        ) from hindrance


def forget(
    engine: Engine, doomed: Sequence[int], first: Callable[[Transaction], None] | None = None
) -> tuple[list[int], StoreFullError | None]:
    """Take memories out of sight: all at once where there is room, else in as many commits as the room asks for.

    `first` is called with the transaction of the first commit. Returns those that this call has taken, and what kept
    it from the others. StoreFullError: nothing at all was written.
    """
    return _in_pieces(engine, doomed, lambda some, begins: _forget(engine, some, first if begins else None))


def _in_pieces(
    engine: Engine, doomed: Sequence[int], some: Callable[[Sequence[int], bool], list[int]]
) -> tuple[list[int], StoreFullError | None]:
    """What `some` has deleted of all at once, or of as many at a time as there is room for, and what kept it from more.

    It is told whether it is the first. StoreFullError: nothing at all was written.
    """
    try:
        return engine.log.ballast.spent_on(lambda: some(doomed, True)), None
    except StoreFullError:
        if len(doomed) < 2:
            raise
    done: list[int] = []
    start, size = 0, len(doomed) // 2
    while start < len(doomed):
        try:
            # while there is some room: the log may have to grow by what the write-ahead file holds
            engine.log.make_room()
            done += some(doomed[start : start + size], not start)
            start += size
        except StoreFullError as error:
            if size == 1:
                if not start:
                    raise
                return done, error
            size //= 2
    return done, None


def _forget(engine: Engine, doomed: Sequence[int], first: Callable[[Transaction], None] | None) -> list[int]:
    done: list[int] = []
    with engine.log.write() as tx:
        if first is not None:
            first(tx)
        for start in range(0, len(doomed), DELETE_CHUNK):
            living = tx.rows(doomed[start : start + DELETE_CHUNK])
            if living:
                tx.append([Forgotten(at=engine.clock(), keys=sorted(living))])
                forget_texts(row.text for row in living.values())
            done += sorted(living)
    engine.refresh()
    return done
