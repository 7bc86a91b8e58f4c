"""Which memory has taken whose place, as the fold keeps it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import CURRENT, Columns
from scrubjay.events import AnyEvent, Forgotten, Integrated, Undone


def succeeded(columns: Columns, changes: Sequence[AnyEvent]) -> set[int]:
    """Keys of memories that have taken another's place, or may do so within the batch."""
    if not any(type(e) is Forgotten for e in changes):
        return set()
    by = columns.superseded_by
    keys = set(by[by != 0].tolist())
    for e in changes:
        if isinstance(e, Integrated):
            keys.add(e.key)
        elif isinstance(e, Undone):
            keys.update(e.superseded_by)
    return keys


def supersede(columns: Columns, rows: NDArray[np.int64], by: int) -> None:
    """Have the memory of key `by` take the place of those in these rows."""
    columns.writable("superseded_by")[rows] = by
    columns.writable("flags")[rows] &= np.uint8(~CURRENT & 0xFF)


def reinstate(columns: Columns, rows: NDArray[np.int64]) -> None:
    """Have the memories in these rows hold again."""
    columns.writable("superseded_by")[rows] = 0
    columns.writable("flags")[rows] |= np.uint8(CURRENT)
