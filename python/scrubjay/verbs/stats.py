"""How a store stands."""

from __future__ import annotations

import msgspec
import numpy as np

from scrubjay import isa
from scrubjay.columns import ARCHIVED, CURRENT, DEGRADED, LIVE
from scrubjay.memory import LABELS, Subtree
from scrubjay.sets import distinct
from scrubjay.verbs.candidates import CandidateStats
from scrubjay.verbs.engine import Engine


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """How a store stands, or a part of its namespaces."""

    memories: int
    namespaces: int
    contexts: int
    events: int
    superseded: int
    archived: int
    """Memories that consolidation has put aside."""
    degraded: int
    """Memories whose perishability is a fallback's."""
    labels: dict[str, int]
    embedder: str
    dim: int
    durability: str
    isa: str
    column_bytes: int
    """Bytes of memory that the columns hold."""
    mapped_bytes: int
    """Bytes of vectors that are mapped from a file, not held."""
    resident_bytes: int
    """How many of those lie in memory now, in the system's cache of the file."""
    model: str
    """Name of the language model that is heard, "" for none."""
    model_calls: int
    """How often this handle has called it."""
    model_refusals: dict[str, int]
    """How many of its answers this handle could not use, by kind."""
    damaged_events: int
    """Events that this handle has met and could not read; none of `unread_events` is among them."""
    unread_events: int
    """Events that the snapshot has stood for when the store was opened: `verify` reads every event."""
    candidates: CandidateStats
    path: str
    passages: int = 0
    """Passages of long memories."""
    quarantined: tuple[str, ...] = ()
    """Sources whose memories answer only who asks for them."""
    ballast: int = 0
    """Bytes beside the log that a deletion may take on a full disk: a megabyte; less on a small disk, down to none."""


def stats(engine: Engine, where: tuple[str, ...] | Subtree | None = None) -> Stats:
    """How the store stands now; `where` leaves the memories of other namespaces out."""
    engine.refresh()
    spaces = engine.spaces(Subtree(()) if where is None else where)
    with engine.gate.reading():
        columns = engine.columns
        live = (columns.flags & LIVE) != 0
        contexts, passages = len(columns.contexts), len(columns.passages)
        if where is not None:
            live &= np.isin(columns.space, spaces)
            contexts = len(distinct(columns.context[live & (columns.context >= 0)]))
            table = columns.passage_rows()
            passages = int(table.size[live[table.key]].sum())
        counts = np.bincount(columns.label[live], minlength=len(LABELS)).tolist()
        return Stats(
            memories=int(np.count_nonzero(live)),
            namespaces=len(spaces),
            contexts=contexts,
            events=columns.seq,
            archived=int(np.count_nonzero(live & ((columns.flags & ARCHIVED) != 0))),
            superseded=int(np.count_nonzero(live & ((columns.flags & CURRENT) == 0))),
            degraded=int(np.count_nonzero(live & ((columns.flags & DEGRADED) != 0))),
            labels=dict(zip(LABELS, counts, strict=True)),
            embedder=engine.log.meta.embedder,
            dim=columns.dim,
            durability=engine.log.durability,
            isa=isa.active(),
            column_bytes=columns.nbytes,
            mapped_bytes=columns.mapped_bytes,
            resident_bytes=columns.resident_bytes,
            model=engine.model,
            model_calls=engine.ledger.calls,
            model_refusals=engine.ledger.kinds,
            damaged_events=len(columns.damaged),
            unread_events=engine.unread,
            candidates=CandidateStats(state="off") if engine.candidates is None else engine.candidates.stats(columns),
            path=engine.log.path,
            passages=passages,
            quarantined=columns.settings.quarantined,
            ballast=engine.log.ballast.held,
        )
