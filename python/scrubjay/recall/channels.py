"""The channel factors of rows, as the ranking kernel takes them; only those that have a weight are computed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.dynamics.channels import channel_columns
from scrubjay.recall.factors import FACTORS

CHANNELS: Final = ("usefulness", "retrievability", "importance", "exploration")
FIRST: Final = FACTORS.index("usefulness")


def channels_of(columns: Columns, rows: NDArray[np.int64] | None, moment: float) -> dict[str, NDArray[np.float32]]:
    """The four channels of some rows (None: all of them) at `moment` of the store's clock: float32 in [0, 1]."""
    pick: Any = slice(None) if rows is None else rows
    found = channel_columns(
        np.ascontiguousarray(columns.a[pick]),
        np.ascontiguousarray(columns.b[pick]),
        np.ascontiguousarray(columns.stability[pick]),
        np.ascontiguousarray(columns.reviewed[pick]),
        moment,
        columns.settings,
    )
    return found | {"importance": np.ascontiguousarray(columns.importance[pick])}


def weighted(
    columns: Columns, rows: NDArray[np.int64] | None, moment: float, weights: NDArray[np.float64]
) -> dict[str, NDArray[np.float32]]:
    """Channel columns of full length for a scan with these (q, 8) weights; rows that the scan will not see are 0."""
    if not weights[:, FIRST:].any():
        return {}
    asked = [name for i, name in enumerate(CHANNELS) if weights[:, FIRST + i].any()]
    found = channels_of(columns, rows, moment)
    if rows is None:
        return {name: found[name] for name in asked}
    out = {}
    for name in asked:
        # zeros take address space alone: a small namespace costs what it holds
        out[name] = np.zeros(len(columns), np.float32)
        out[name][rows] = found[name]
    return out


def parts(
    columns: Columns, rows: NDArray[np.int64], moment: float, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(k, 4): what each channel brings to the score of rows."""
    if not weights[FIRST:].any() or not len(rows):
        return np.zeros((len(rows), len(CHANNELS)))
    found = channels_of(columns, rows, moment)
    return np.stack([weights[FIRST + i] * found[name].astype(np.float64) for i, name in enumerate(CHANNELS)], axis=1)
