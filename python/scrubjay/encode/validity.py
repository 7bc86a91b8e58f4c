"""P(still holds) of stored memories, by the whole curve of the head wherever the head has decided.

A memory keeps pi, tau and shape: one Weibull curve. The head's own curve is a mixture and says more: that a fact falls
fast and then stays, or holds until a fixed term. Where the head gave the values, its curve is made again from the text
and the vector; what has happened to the memory since (reinforcement, integration) moved tau / pi, and the curve is
stretched by as much:

    v(age) = S(age scale / (tau / pi)),    scale = that of the Weibull curve nearest to S

so that a memory whose tau was halved is as old after half the time. Everything else, and every memory of a store whose
perishability model has no curves, keeps exp(-(pi age / tau)^shape) of "Caching for the Future", eq. 3.

Where the words name an end (`scrubjay.encode.ends`), either curve counts as far as `scrubjay.dynamics.term` lets it:
mostly believed before that end, nothing behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.columns import ORIGINS, Columns
from scrubjay.dynamics.term import kept as kept_until
from scrubjay.encode.curves import Floats, weibull
from scrubjay.encode.head import Curves, PerishabilityHead
from scrubjay.memory import Opinion, Origin
from scrubjay.remembered import Recent

HEAD = ORIGINS.index(Origin.HEAD)


@runtime_checkable
class CurveModel(Protocol):
    """A perishability model that knows whole curves: `scrubjay.encode.head.PerishabilityHead` does."""

    def curve(
        self,
        what: NDArray[np.float32],
        texts: Sequence[str],
        *,
        where: NDArray[np.float32] | None = None,
        contexts: Sequence[str | None] | None = None,
        given: Sequence[Opinion | None] | None = None,
    ) -> Curves:
        """The curves of n texts with their unit vectors (n, d)."""
        ...


class Kept(NamedTuple):
    """What the columns say of n memories, copied out so that no lock is needed to go on."""

    pi: Floats
    tau: Floats
    """Seconds."""
    shape: Floats
    when: Floats
    """Seconds since the epoch."""
    by_head: NDArray[np.bool_]
    what: NDArray[np.float32]
    where: NDArray[np.float32]
    said: tuple[Opinion | None, ...] = ()
    """What a language model said of each, () for nothing of any."""
    until: ArrayLike = np.inf
    """Seconds since the epoch: when each is over by its own words."""
    edge: ArrayLike = 0.0
    """Seconds before that."""

    @classmethod
    def of(cls, columns: Columns, rows: NDArray[np.int64]) -> Kept:
        """The rows' values; the caller holds whatever keeps the columns still."""
        return cls(
            columns.pi[rows].astype(np.float64),
            columns.tau[rows].astype(np.float64),
            columns.shape[rows].astype(np.float64),
            columns.when[rows].astype(np.float64),
            columns.origin[rows] == HEAD,
            columns.vectors[rows],
            columns.where(rows),
            tuple(columns.opinion(row) for row in rows.tolist()) if (columns.said_label[rows] >= 0).any() else (),
            columns.until[rows].astype(np.float64),
            columns.edge[rows].astype(np.float64),
        )


class Validity(NamedTuple):
    """Probabilities with their 90 % intervals, (n) or (n, a)."""

    p: Floats
    low: Floats
    """NaN where nothing is known of the probability's own uncertainty: the user or a rule gave the values."""
    high: Floats


def validity(
    model: object, kept: Kept, ages: ArrayLike, texts: Sequence[str], contexts: Sequence[str | None]
) -> Validity:
    """P(still holds) of n memories with these texts at `ages`, (n) or (n, a) seconds; below 0 counts as 0.

    >>> from scrubjay.encode.perishability import KeywordRule
    >>> one, row = np.ones(1), np.zeros((1, 4), np.float32)
    >>> kept = Kept(one, one * 3600.0, one, one * 0.0, np.array([True]), row, row)
    >>> validity(KeywordRule(), kept, [3600.0], ["The build is running"], [None]).p.round(3).tolist()
    [0.368]
    """
    age = np.maximum(0.0, np.asarray(ages, np.float64))
    shape = (-1,) + (1,) * (age.ndim - 1)
    with np.errstate(over="ignore"):
        p = np.exp(-((age * (kept.pi / kept.tau).reshape(shape)) ** kept.shape.reshape(shape)))
    low, high = np.full(p.shape, np.nan), np.full(p.shape, np.nan)
    rows = np.flatnonzero(kept.by_head)
    chosen = rows.tolist()
    if chosen and isinstance(model, CurveModel):
        curves, scale = _curves(
            model,
            kept.what[rows],
            [texts[i] for i in chosen],
            kept.where[rows],
            [contexts[i] for i in chosen],
            [kept.said[i] if kept.said else None for i in chosen],
        )
        stretch = scale * kept.pi[rows] / kept.tau[rows]
        stretched = age[rows] * stretch.reshape(shape)
        p[rows] = np.where(stretched > 0.0, curves.at(stretched), 1.0)  # a mixture in float32 sums to 1 - 1e-8
        low[rows], high[rows] = curves.interval(stretched)
        low[rows], high[rows] = np.minimum(low[rows], p[rows]), np.maximum(high[rows], p[rows])
    if np.isfinite(kept.until).any():
        until, edge, when = (
            np.broadcast_to(np.asarray(x, np.float64), kept.pi.shape).reshape(shape)
            for x in (kept.until, kept.edge, kept.when)
        )
        return Validity(*(kept_until(x, when, until, edge, when + age) for x in (p, low, high)))
    return Validity(p, low, high)


class _Curve(NamedTuple):
    """A row of `Curves`, and the scale of the Weibull curve nearest to it."""

    mixture: NDArray[np.float32]
    members: NDArray[np.float32]
    own: NDArray[np.float32]
    familiarity: NDArray[np.float32]
    novelty: NDArray[np.float32]
    scale: NDArray[np.float64]


_KNOWN: Final[Recent[int, _Curve]] = Recent(1 << 12)
"""The last curves that a head made, by numbers of the head and what it read: 2 kB each."""


def _curves(
    model: CurveModel,
    what: NDArray[np.float32],
    texts: Sequence[str],
    where: NDArray[np.float32],
    contexts: Sequence[str | None],
    said: Sequence[Opinion | None],
) -> tuple[Curves, Floats]:
    """Curves of n memories and the scales (n,) of the Weibull curves nearest to them; a head makes none twice."""

    def made(some: Sequence[int]) -> tuple[Curves, Floats]:
        given = [said[i] for i in some]
        curves = model.curve(
            what[some],
            [texts[i] for i in some],
            where=where[some],
            contexts=[contexts[i] for i in some],
            given=given if any(given) else None,
        )
        return curves, weibull(curves.mixture).scale

    if not isinstance(model, PerishabilityHead):
        return made(range(len(texts)))
    told = (
        hash((model.number, text, row.tobytes(), context, place.tobytes() if context else b"", opinion))
        for text, row, context, place, opinion in zip(texts, what, contexts, where, said, strict=True)
    )
    names = list(told)
    known = {name: _KNOWN.get(name) for name in names}
    new = [i for i, name in enumerate(names) if known[name] is None]
    if new:
        curves, scale = made(new)
        for i, *row in zip(new, *curves[:5], scale.tolist(), strict=True):
            # a copy: a view would keep the whole batch
            known[names[i]] = curve = _Curve._make(map(np.array, row))
            _KNOWN.keep(names[i], curve)
    found = [one for name in names if (one := known[name]) is not None]
    mixture, members, own, familiarity, novelty, scales = (np.array(each) for each in zip(*found, strict=True))
    return Curves(mixture, members, own, familiarity, novelty, model.weights.spread), scales
