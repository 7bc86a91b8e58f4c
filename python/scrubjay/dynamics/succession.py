"""Which memory has taken whose place, as the fold keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import CURRENT, Columns
from scrubjay.events import AnyEvent, Forgotten, Integrated, Undone
from scrubjay.sets import distinct


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


def bequeath(columns: Columns, keys: Sequence[int]) -> None:
    """Hand on what memories of these keys, which are about to be forgotten, have taken the place of.

    A memory whose successor goes passes to the successor's own, and without one it is current again: deleting a
    correction must not lose both.
    """
    lost = np.flatnonzero(columns.superseded_by)
    lost = lost[np.isin(columns.superseded_by[lost], keys)]
    if not len(lost):
        return
    gone = set(keys)
    by = columns.writable("superseded_by")
    for key in distinct(by[lost]).tolist():
        passed = {key}
        heir = _heir(columns, key)
        while heir in gone and heir not in passed:
            passed.add(heir)
            heir = _heir(columns, heir)
        rows = lost[columns.superseded_by[lost] == key]
        if heir == 0 or heir in gone:
            reinstate(columns, rows)
        else:
            by[rows] = heir


def pass_on(restored: Columns, successors: Mapping[int, int], evidence: int) -> None:
    """Give memories that are restored without an integration the successor that they have beside it.

    `successors` holds, by key, who has their place with it. Where that is the evidence itself, its own successor takes
    it: of a chain whose middle goes both ends stay.
    """
    for row in np.flatnonzero(restored.superseded_by == 0).tolist():
        key = int(restored.key[row])
        heir = successors.get(key, 0)
        heir = successors.get(evidence, 0) if heir == evidence else heir
        if heir not in (0, key):
            supersede(restored, np.array([row]), heir)


def _heir(columns: Columns, key: int) -> int:
    row = columns.row(key)
    return 0 if row < 0 else int(columns.superseded_by[row])
