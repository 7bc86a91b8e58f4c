"""The cluster bootstrap: what is drawn again is the conversation, the subject or the instance, never the query.

>>> b = interval([0.0, 1.0, 1.0, 0.0], groups=["a", "b", "b", "a"], seed=1, draws=200)
>>> b.estimate, b.low, b.high, b.groups
(0.5, 0.0, 1.0, 2)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.errors import ArgumentError

Statistic = Callable[[NDArray[np.float64]], float]
"""Case weights to a number."""


class Interval(msgspec.Struct, frozen=True):
    """An estimate with its bootstrap percentile interval."""

    estimate: float
    low: float
    high: float
    n: int
    """Cases."""
    groups: int
    """Groups that were drawn."""
    p_value: float | None = None
    """Of a paired difference, two-sided: twice the smaller share of draws on either side of 0, but never below
    2^(1 - groups), the least that flipping the signs of so few groups could give."""


def codes(groups: Sequence[Hashable]) -> NDArray[np.int64]:
    """Groups as numbers from 0, in order of their first appearance."""
    seen: dict[Hashable, int] = {}
    return np.fromiter((seen.setdefault(g, len(seen)) for g in groups), np.int64, len(groups))


def draw_weights(group: NDArray[np.int64], *, draws: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """For each draw, how often each case's group was drawn (groups with replacement, as many as there are)."""
    rng = np.random.default_rng(seed)
    count = int(group.max()) + 1 if group.size else 0
    for _ in range(draws):
        times = np.bincount(rng.integers(0, count, count), minlength=count).astype(np.float64)
        yield times[group]


def statistic_interval(
    statistic: Statistic, groups: Sequence[Hashable], *, draws: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Percentile interval of any statistic of the case weights; draws where it is NaN are left out."""
    group = codes(groups)
    if group.size == 0:
        raise ArgumentError("groups: no cases; give at least one")
    values = np.array([statistic(w) for w in draw_weights(group, draws=draws, seed=seed)])
    values = values[~np.isnan(values)]
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]) if values.size else (np.nan, np.nan)
    return Interval(statistic(np.ones(group.size)), float(low), float(high), group.size, int(group.max()) + 1)


def _ratio(values: NDArray[np.float64], group: NDArray[np.int64], draws: int, seed: int) -> NDArray[np.float64]:
    """Means of the draws, by the groups' sums (much faster than case by case)."""
    count = int(group.max()) + 1
    sums, sizes = np.bincount(group, values, count), np.bincount(group, minlength=count)
    rng = np.random.default_rng(seed)
    out = np.empty(draws)
    for i in range(draws):
        times = np.bincount(rng.integers(0, count, count), minlength=count)
        out[i] = times @ sums / (times @ sizes)
    return out


def interval(
    values: ArrayLike, groups: Sequence[Hashable], *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Mean of the cases with its interval; the groups are drawn."""
    v = np.asarray(values, np.float64)
    if v.size == 0 or v.size != len(groups):
        raise ArgumentError(f"groups: {len(groups)} groups for {v.size} values; give one group per value, at least one")
    group = codes(groups)
    low, high = np.quantile(_ratio(v, group, draws, seed), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(v.mean()), float(low), float(high), v.size, int(group.max()) + 1)


def paired(
    ours: ArrayLike, theirs: ArrayLike, groups: Sequence[Hashable], *, draws: int = 2000, seed: int = 0
) -> Interval:
    """Mean difference ours - theirs over the same cases: interval and two-sided p-value from the same draws."""
    a, b = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if a.shape != b.shape:
        raise ArgumentError(
            f"theirs: {b.size} values against {a.size}; a paired test needs the same cases in one order"
        )
    base = interval(a - b, groups, draws=draws, seed=seed)
    means = _ratio(a - b, codes(groups), draws, seed)
    tail = min(int((means <= 0).sum()), int((means >= 0).sum()))
    p = min(1.0, max(2.0 * (tail + 1) / (draws + 1), 2.0 ** (1 - base.groups)))
    return Interval(base.estimate, base.low, base.high, base.n, base.groups, p)
