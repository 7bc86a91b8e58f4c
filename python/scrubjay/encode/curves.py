"""Validity curves as mixtures: P(still valid at age d) = sum_k w_k exp(-(d / scale_k)^shape_k).

The components form one fixed dictionary (`DICTIONARY`), log-spaced from two minutes to a century, and one that never
expires; a head only chooses the weights. Any mixture of it is a survival curve: 1 at age 0, never rising. What one
Weibull curve can say of it is what `Perishability` keeps, see `weibull` and `pi_tau`.

>>> flat = np.full((1, len(DICTIONARY)), 1.0 / len(DICTIONARY))
>>> survival(flat, [[0.0, DAY]]).round(2).tolist()
[[1.0, 0.9]]
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.perishability import MAX_SHAPE
from scrubjay.memory import MAX_HORIZON, MIN_HORIZON, MIN_PERISHABILITY

Floats = NDArray[np.float64]
DAY: Final = 86400.0

NEVER: Final = 1e9 * DAY
"""Scale of the component that stands for "never expires"."""
DICTIONARY: Final[Floats] = np.concatenate(
    [np.geomspace(120.0, 0.7 * DAY, 8), np.geomspace(DAY, 40000.0 * DAY, 76), [NEVER]]
)
"""Scales of the components, in seconds: 15 % apart from a day on, so that a fixed term of two years can be told."""
SHAPES: Final[Floats] = np.concatenate([np.full(8, 2.0), np.full(76, 9.0), [1.0]])
"""Their Weibull shapes."""
PIVOT: Final = 30.0 * DAY
"""Scale that a change of slope leaves where it is (chosen)."""

EDGES: Final[Floats] = DAY * np.concatenate(
    [[0.0], np.geomspace(0.0015, 0.7, 12), np.geomspace(1.0, 40000.0, 96), [1e8]]
)
"""Edges in seconds of the intervals in which an end is located: about 12 % wide, never finer than a day's record."""

ANCHORS: Final = (
    (60.0, 1.0),
    (7200.0 / 0.9, 0.9),
    (DAY / 0.6, 0.6),
    (10 * DAY / 0.3, 0.3),
    (45 * DAY / 0.1, 0.1),
    (3650 * DAY, 0.05),
    (MAX_HORIZON / MIN_PERISHABILITY, MIN_PERISHABILITY),
)
"""(tau / pi in seconds, pi): the rows of the keyword rule and the ends of the domain; `pi_tau` goes through them."""
BOUNDS: Final = ((0.75, "ephemeral"), (0.45, "task_specific"), (0.175, "procedural"), (0.0, "factual"))
"""Lower bound of pi per label: the middles of the gaps between the taxonomy's ranges."""

# Where a curve is compared with its Weibull approximation: 40 ages from a minute to a thousand years.
_AGES: Final[Floats] = np.geomspace(MIN_HORIZON, MAX_HORIZON / MIN_PERISHABILITY, 40)


def components(ages: ArrayLike) -> Floats:
    """(..., K) float64: each component's survival at these ages in seconds (negative: 0). A NaN age gives NaN."""
    age = np.maximum(np.asarray(ages, np.float64), 0.0)[..., None]
    # an age beyond any is infinite: nothing survives it
    with np.errstate(over="ignore"):
        result: Floats = np.exp(-((age / DICTIONARY) ** SHAPES))
    return result


def survival(weights: NDArray[np.floating], ages: ArrayLike) -> Floats:
    """(n, ...) P(still valid) of n mixtures (n, K), each at its own ages (n, ...) in seconds."""
    result: Floats = np.clip(np.einsum("n...k,nk->n...", components(ages), weights), 0.0, 1.0)
    return result


def likelihood(seconds: Floats, ended: NDArray[np.bool_], since: Floats | None = None) -> NDArray[np.float32]:
    """(n, K): each component's probability of ending in the interval of `EDGES` around `seconds`, or of still holding
    then; a mixture's likelihood is the row times its weights.

    Where `since` (n,) is no NaN, an end was only found out at `seconds`: it fell between `since` and then.

    >>> bool(likelihood(np.array([0.0]), np.array([False])).min() == 1.0)
    True
    >>> found = likelihood(np.array([1e12]), np.array([True]), np.array([0.0]))  # ended at some time, nobody knows when
    >>> found[0, :-1].round(3).min().tolist()
    1.0
    """
    cell = np.clip(np.searchsorted(EDGES, seconds, side="right") - 1, 0, EDGES.size - 2)
    at_edges = components(EDGES)
    end = at_edges[cell] - at_edges[cell + 1]
    if since is not None:
        between = components(np.minimum(since, seconds)) - components(seconds)
        end = np.where(np.isnan(since)[:, None], end, between)
    result = np.where(ended[:, None], end, components(seconds))
    return np.maximum(result, 1e-9).astype(np.float32)


def stretched(slope: float, shift: float) -> NDArray[np.float32]:
    """(K, K): what mixtures are multiplied with so that a component of scale s has, as near as the dictionary comes,

        ln s' = ln PIVOT + slope (ln s - ln PIVOT) + shift

    Slope 1 and shift 0 change nothing, what never expires stays so, and the order of scales is kept for slope > 0.

    >>> bool(np.array_equal(stretched(1.0, 0.0), np.eye(len(DICTIONARY))))
    True
    >>> halved = np.zeros((1, len(DICTIONARY))); halved[0, 60] = 1.0
    >>> p = survival(halved @ stretched(1.0, float(np.log(0.5))), [[0.5 * DICTIONARY[60]]])
    >>> bool(abs(p[0, 0] - np.exp(-1.0)) < 0.02)
    True
    """
    scales = np.log(DICTIONARY[:-1])
    pivot = float(np.log(PIVOT))
    # slope 1 must not move a scale by a rounding
    moved = scales + (slope - 1.0) * (scales - pivot) + shift
    place = np.interp(moved, scales, np.arange(scales.size, dtype=np.float64))
    low = np.minimum(place.astype(np.int64), scales.size - 2)
    part = place - low
    result = np.zeros((DICTIONARY.size, DICTIONARY.size), np.float32)
    rows = np.arange(scales.size)
    result[rows, low] = 1.0 - part
    result[rows, low + 1] = part
    result[-1, -1] = 1.0
    return result


def mixture_of(scale: ArrayLike, shape: ArrayLike) -> NDArray[np.float32]:
    """(n, K): Weibull curves as mixtures, each component with the probability that falls nearest to its scale."""
    edges = np.sqrt(DICTIONARY[:-1] * DICTIONARY[1:])
    scales, shapes = np.atleast_1d(np.asarray(scale, np.float64)), np.atleast_1d(np.asarray(shape, np.float64))
    left = np.exp(-np.minimum((edges[None, :] / scales[:, None]) ** shapes[:, None], 700.0))
    ends = np.ones((scales.size, 1))
    return -np.diff(np.hstack([ends, left, 0.0 * ends]), axis=1).astype(np.float32)


class Weibull(NamedTuple):
    """One curve exp(-(age / scale)^shape) per row."""

    scale: Floats
    """Seconds, in [MIN_HORIZON, MAX_HORIZON / MIN_PERISHABILITY]."""
    shape: Floats


def weibull(weights: NDArray[np.floating]) -> Weibull:
    """(n, K) mixtures to the Weibull curves nearest to them: least squares of S over log-spaced ages.

    The start is the straight line through ln(-ln S) against ln(age); damped Gauss-Newton steps on ln(scale) and
    ln(shape) follow, the same number for every row, so that a row does not depend on its batch.
    """
    s = np.clip(np.asarray(weights, np.float64) @ _COMPONENTS.T, 1e-9, 1.0 - 1e-9)
    hazard = -np.log(s)
    weight = (s * hazard) ** 2 + 1e-12
    total = weight.sum(1)
    y = np.log(hazard)
    mean_x, mean_y = weight @ _LOG_AGES / total, (weight * y).sum(1) / total
    dx = _LOG_AGES[None, :] - mean_x[:, None]
    slope = (weight * dx * y).sum(1) / np.maximum((weight * dx * dx).sum(1), 1e-12)
    log_shape = np.log(np.clip(slope, 1.0 / MAX_SHAPE, MAX_SHAPE))
    log_scale = np.clip(mean_x - mean_y / np.exp(log_shape), _LOG_AGES[0], _LOG_AGES[-1])
    for _ in range(_GAUSS_NEWTON):
        shape = np.exp(log_shape)[:, None]
        distance = _LOG_AGES[None, :] - log_scale[:, None]
        risk = np.exp(np.clip(shape * distance, -50.0, 5.0))
        fall = np.exp(-risk) * risk * shape
        miss = s - np.exp(-risk)
        down = -fall * distance
        aa, ab, bb = (fall * fall).sum(1) + 1e-4, (fall * down).sum(1), (down * down).sum(1) + 1e-4
        ga, gb = (fall * miss).sum(1), (down * miss).sum(1)
        det = aa * bb - ab * ab
        moved = log_scale + np.clip((bb * ga - ab * gb) / det, -0.7, 0.7)
        log_scale = np.clip(moved, _LOG_AGES[0], _LOG_AGES[-1])
        # where the scale is at its end, the shape alone is left to fit
        step = np.where(moved == log_scale, (aa * gb - ab * ga) / det, gb / bb)
        log_shape = log_shape + np.clip(step, -0.4, 0.4)
        log_shape = np.clip(log_shape, -_MAX_LOG_SHAPE, _MAX_LOG_SHAPE)
    return Weibull(np.exp(log_scale), np.exp(log_shape))


def pi_tau(scale: ArrayLike) -> tuple[Floats, Floats]:
    """A scale tau / pi in seconds as (pi, tau): pi by linear interpolation over ln(scale) through `ANCHORS`, less where
    tau would pass MAX_HORIZON.

    >>> [round(float(x), 3) for x in pi_tau(7200.0 / 0.9)]
    [0.9, 7200.0]
    """
    scales = np.clip(np.asarray(scale, np.float64), ANCHORS[0][0], ANCHORS[-1][0])
    pi: Floats = np.interp(np.log(scales), [np.log(a) for a, _ in ANCHORS], [p for _, p in ANCHORS])
    tau = np.clip(pi * scales, MIN_HORIZON, MAX_HORIZON)
    return np.clip(tau / scales, MIN_PERISHABILITY, 1.0), tau


def label_of(pi: float) -> str:
    """The taxonomy's label for a pi, by `BOUNDS`."""
    return next(label for bound, label in BOUNDS if pi >= bound)


_COMPONENTS: Final[Floats] = components(_AGES)
_LOG_AGES: Final[Floats] = np.log(_AGES)
_MAX_LOG_SHAPE: Final = float(np.log(MAX_SHAPE))
_GAUSS_NEWTON: Final = 16
