"""Events rewritten in place: what compaction and re-embedding do to the log. Sequence numbers stay, the epoch rises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from scrubjay.events import AnyEvent, touched
from scrubjay.store.guard import check
from scrubjay.store.meta import StoreMeta, read_meta, write_meta
from scrubjay.store.view import Transaction, event_crc

_encode: Final = msgspec.msgpack.Encoder().encode


def rewrite(tx: Transaction, events: Mapping[int, AnyEvent]) -> int:
    """Put events in the place of those of the given numbers, within the caller's transaction; returns the new epoch.

    What is derived from the old ones must follow from the new ones too, but for the index of `history`.
    """
    restate(tx, events, tx._dim)
    with tx.database() as db:
        cursor = db.cursor()
        links = [(key, seq) for seq, event in events.items() for key in touched(event)]
        # the index is by key: one pass over it, not one per event
        cursor.execute("CREATE TEMP TABLE rewritten (seq INTEGER PRIMARY KEY)")
        cursor.executemany("INSERT INTO rewritten (seq) VALUES (?)", ((seq,) for seq in events))
        cursor.execute("DELETE FROM event_keys WHERE seq IN (SELECT seq FROM rewritten)")
        cursor.execute("DROP TABLE rewritten")
        cursor.executemany("INSERT INTO event_keys (key, seq) VALUES (?, ?)", links)
    return remade(tx).epoch


def restate(tx: Transaction, events: Mapping[int, AnyEvent], dim: int) -> None:
    """Put events with vectors of `dim` numbers in the place of those of the given numbers; the epoch stays."""
    check(list(events.values()), dim)
    with tx.database() as db:
        db.cursor().executemany(
            "UPDATE events SET body = ?2, crc = ?3 WHERE seq = ?1",
            ((seq, body, event_crc(seq, body)) for seq, body in ((seq, _encode(e)) for seq, e in events.items())),
        )


def remade(tx: Transaction, embedder: str | None = None, dim: int | None = None) -> StoreMeta:
    """Raise the epoch, and record another embedder where one is given; returns what the store is now."""
    with tx.database() as db:
        meta = read_meta(db, tx._path)
        meta = msgspec.structs.replace(
            meta,
            epoch=meta.epoch + 1,
            embedder=meta.embedder if embedder is None else embedder,
            dim=meta.dim if dim is None else dim,
        )
        write_meta(db, meta)
    return meta
