"""What a stated end makes of a memory: nothing behind the end, and before it what its own words promise.

    e(t) = 1 for t <= end - edge,  0 for t >= end,  between them 1 - x^2 (3 - 2 x) with x = (t - end) / edge + 1
    v'(t) = e(t) (1 - DOUBT y (1 - v(t))),  y = (t - when) / (end - when) in [0, 1]

e multiplies the validity v' that the memory has before its end. What says until when it holds is mostly believed until
then, so that the memory's own curve v, which knows nothing of the end, counts for the share DOUBT y that grows evenly
from 0 to DOUBT: v' is never below v and never rises with time. Without an end (infinity) v' is v.

>>> import numpy as np
>>> term(np.array([100.0, 100.0, np.inf]), np.array([20.0, 0.0, 0.0]), 90.0).tolist()
[0.5, 1.0, 1.0]
>>> term(np.array([100.0]), np.array([0.0]), 100.0).tolist()
[0.0]
>>> kept(0.0, 0.0, np.array([100.0, np.inf]), 0.0, 50.0).tolist()
[0.925, 0.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.columns import ORIGINS, Columns
from scrubjay.events import Reinforced
from scrubjay.memory import Origin

DOUBT: Final = 0.15
"""Share of its own curve that counts at the end that a memory names (chosen): 1 - DOUBT or more is left just before."""
_BY_USER: Final = ORIGINS.index(Origin.USER)


def term(until: ArrayLike, edge: ArrayLike, now: ArrayLike) -> NDArray[np.float64]:
    """Share in [0, 1] that is left at `now`; all three in seconds since the epoch, `edge` >= 0, broadcast together."""
    end, width, time = np.broadcast_arrays(
        np.asarray(until, np.float64), np.asarray(edge, np.float64), np.asarray(now, np.float64)
    )
    out = np.where(time < end, 1.0, 0.0)
    within = (end - width < time) & (time < end)
    x = np.clip((time[within] - end[within]) / width[within] + 1.0, 0.0, 1.0)
    out[within] = 1.0 - x * x * (3.0 - 2.0 * x)
    return out


def promised(held: ArrayLike, when: ArrayLike, until: ArrayLike, now: ArrayLike) -> NDArray[np.float64]:
    """P(still holds) of memories that by their own curve is `held`, in [0, 1], where they name an end, before `term`.

    `when`, `until` and `now` are in seconds since the epoch; all are broadcast together.
    """
    own, start, end, time = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (held, when, until, now)))
    ends = np.isfinite(end)
    if not ends.any():
        return np.array(own)
    gone = np.ones(end.shape)
    np.divide(time - start, end - start, out=gone, where=ends & (end > start))
    return np.where(ends, 1.0 - DOUBT * np.clip(gone, 0.0, 1.0) * (1.0 - own), own)


def kept(held: ArrayLike, when: ArrayLike, until: ArrayLike, edge: ArrayLike, now: ArrayLike) -> NDArray[np.float64]:
    """v' in [0, 1]: `promised` times `term`, broadcast together."""
    return promised(held, when, until, now) * term(until, edge, now)


def remaining(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,): `term` of each row at `now`."""
    until, left = columns.until[rows], np.ones(len(rows))
    ends = np.flatnonzero(np.isfinite(until))
    if len(ends):
        left[ends] = term(until[ends], columns.edge[rows[ends]], now)
    return left


def own(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,): exp(-(pi age / tau)^shape) of each row at `now`, whatever end it names; an age below 0 counts as 0."""
    age = np.maximum(0.0, now - columns.when[rows])
    pace = columns.pi[rows].astype(np.float64) * age / columns.tau[rows].astype(np.float64)
    return np.asarray(np.exp(-(pace ** columns.shape[rows].astype(np.float64))))


def standing(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,): v' of each row at `now`."""
    held, until = own(columns, rows, now), columns.until[rows]
    ends = np.flatnonzero(np.isfinite(until))
    if len(ends):
        some = rows[ends]
        held[ends] = kept(held[ends], columns.when[some], until[ends], columns.edge[some], now)
    return held


def aged(
    columns: Columns, now: float, rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """(n,) float32 and (n,) seconds: V and `when` of all memories, or of `rows`, for a kernel that lets V fall.

    Those that name an end have V v' and no age at `now`, so that the kernel takes nothing more from them.
    """
    value: NDArray[np.float32] = columns.value if rows is None else columns.value[rows]
    when: NDArray[np.float64] = columns.when if rows is None else columns.when[rows]
    until = columns.until if rows is None else columns.until[rows]
    ends = np.flatnonzero(np.isfinite(until))
    if not len(ends):
        return value, when
    left = standing(columns, ends if rows is None else rows[ends], now)
    value, when = np.array(value, np.float32), np.array(when, np.float64)
    value[ends] = (value[ends].astype(np.float64) * left).astype(np.float32)
    when[ends] = now
    return value, when


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
