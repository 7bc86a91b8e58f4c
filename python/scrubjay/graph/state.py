"""The fold of edges: strictly in the order of the log, bulk by bulk.

Offers of edges are gathered until something ends an edge or a memory; what a row keeps of many offers does not depend
on their order (`scrubjay.links`), so that a batch of any length gives the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.events import AnyEvent, Forgotten, Linked, Related, Unlinked
from scrubjay.sets import distinct

_OURS: Final = (Related, Linked, Unlinked)


def fold_links(columns: Columns, changes: Sequence[AnyEvent]) -> None:
    """Fold what the events say of edges. Rows that the batch creates are there; nothing else of it is folded yet.

    Edges of memories that are not there, which only a damaged log names, are passed over.
    """
    links = columns.links
    if links.empty and not any(isinstance(e, _OURS) for e in changes):
        return
    alive = columns.live()
    pending: list[Related] = []
    for e in changes:
        if isinstance(e, Related):
            if e.fresh:
                _offer(columns, pending, alive)
                for row in _living(columns, e.fresh, alive):
                    _refresh(columns, row, e)
            pending.append(e)
        elif isinstance(e, Linked):
            if len(_living(columns, e.keys, alive)) == len(e.keys):
                links.tie(e.keys[0], e.keys[1], e.weight, e.kind)
        elif isinstance(e, Unlinked):
            _offer(columns, pending, alive)
            links.untie(*e.keys)
            rows = _living(columns, e.keys, alive)
            if len(rows) == len(e.keys):
                links.cut(*rows)
        elif isinstance(e, Forgotten):
            _offer(columns, pending, alive)
            for key, row in zip(e.keys, columns.rows(e.keys).tolist(), strict=True):
                links.forget(key)
                if row >= 0 and alive[row]:
                    links.drop(row)
                    alive[row] = False
    _offer(columns, pending, alive)


def _living(columns: Columns, keys: Sequence[int], alive: NDArray[np.bool_]) -> list[int]:
    return [row for row in columns.rows(keys).tolist() if row >= 0 and alive[row]]


def _refresh(columns: Columns, row: int, e: Related) -> None:
    """End a row's edges, and those entries of it that only its new neighbours still keep."""
    columns.links.drop(row)
    sources, targets = (np.frombuffer(keys, "<i8") for keys in (e.sources, e.targets))
    for other in columns.rows(distinct(np.concatenate([sources, targets]))).tolist():
        if other >= 0 and other != row:
            columns.links.cut(other, row)


def _offer(columns: Columns, pending: list[Related], alive: NDArray[np.bool_]) -> None:
    if not pending:
        return
    sources = columns.rows(np.frombuffer(b"".join(e.sources for e in pending), "<i8"))
    targets = columns.rows(np.frombuffer(b"".join(e.targets for e in pending), "<i8"))
    classes = np.frombuffer(b"".join(e.classes for e in pending), np.uint8)
    values = np.frombuffer(b"".join(e.values for e in pending), "<f4").astype(np.float32, copy=False)
    pending.clear()
    columns.links.relate(sources, targets, classes, values, columns.key, alive)
