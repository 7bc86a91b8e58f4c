"""What a stated end leaves of a memory: nothing behind the end, everything before its edge.

    e(t) = 1 for t <= end - edge,  0 for t >= end,  between them 1 - x^2 (3 - 2 x) with x = (t - end) / edge + 1

The factor multiplies the validity that the memory has by its own curve; without an end (infinity) it is 1.

>>> import numpy as np
>>> term(np.array([100.0, 100.0, np.inf]), np.array([20.0, 0.0, 0.0]), 90.0).tolist()
[0.5, 1.0, 1.0]
>>> term(np.array([100.0]), np.array([0.0]), 100.0).tolist()
[0.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.columns import ORIGINS, Columns
from scrubjay.events import Reinforced
from scrubjay.memory import Origin

_BY_USER: Final = ORIGINS.index(Origin.USER)


def term(until: ArrayLike, edge: ArrayLike, now: ArrayLike) -> NDArray[np.float64]:
    """Share in [0, 1] that is left at `now`; all three in seconds since the epoch, `edge` >= 0, broadcast together."""
    end, width, time = np.broadcast_arrays(
        np.asarray(until, np.float64), np.asarray(edge, np.float64), np.asarray(now, np.float64)
    )
    out = np.ones(end.shape)
    near = time > end - width
    near |= time >= end
    x = np.ones(end.shape)
    np.divide(time - end, width, out=x, where=near & (width > 0.0))
    x = np.where(width > 0.0, np.clip(x + 1.0, 0.0, 1.0), 1.0)
    out[near] = (1.0 - x * x * (3.0 - 2.0 * x))[near]
    return out


def remaining(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,): `term` of each row at `now`."""
    until = columns.until[rows]
    if not np.isfinite(until).any():
        return np.ones(len(rows))
    return term(until, columns.edge[rows], now)


def worth(columns: Columns, now: float, rows: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
    """(n,) float32: V of every memory, or of `rows`, times what its stated end leaves of it: V itself where none has an
    end."""
    value: NDArray[np.float32] = columns.value if rows is None else columns.value[rows]
    until = columns.until if rows is None else columns.until[rows]
    edge = columns.edge if rows is None else columns.edge[rows]
    ended = np.flatnonzero(until <= now + float(edge.max(initial=0.0)))
    if not len(ended):
        return value
    out = np.array(value, np.float32)
    out[ended] *= remaining(columns, ended if rows is None else rows[ended], now).astype(np.float32)
    return out


def set_end(columns: Columns, row: int, until: float | None, edge: float) -> None:
    """For the fold: a memory is over at `until` by its own words, None for no end."""
    columns.writable("until")[row] = np.inf if until is None else until
    columns.writable("edge")[row] = edge


def said_again(columns: Columns, rows: NDArray[np.int64], events: Sequence[Reinforced]) -> None:
    """For the fold: what is said again with a later end ends later, unless the user has chosen how it lasts.

    `rows` are those of the events' memories, -1 where there is none.
    """
    for row, event in zip(rows.tolist(), events, strict=True):
        if row < 0 or event.until is None or columns.origin[row] == _BY_USER:
            continue
        before = float(columns.until[row])
        if before == np.inf or before < event.until:
            set_end(columns, row, event.until, event.edge)
