"""Metrics by their definitions: of a ranking, and of a probability.

Ranking metrics take the 1-based `ranks` of the relevant items in the full ranking, so that one pass over a ranking
serves every cut. Probability metrics take labels `y` (0/1), predictions `p` in [0, 1] and optional case weights (the
bootstrap draws groups by giving weights). Everything is float64.

>>> recall_at([2, 7], n_relevant=3, k=5)
0.3333333333333333
>>> round(ndcg_at([2], n_relevant=1, k=5), 4)
0.6309
>>> round(brier([1, 0], [0.8, 0.4]), 3)
0.1
>>> auroc([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
0.75
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.errors import ArgumentError

Floats = NDArray[np.float64]

# ---- a ranking -------------------------------------------------------------------------------------------------------


def precision_at(ranks: Sequence[int], k: int) -> float:
    """Relevant items among the first k, over k (also where fewer than k are relevant)."""
    return sum(r <= k for r in ranks) / k


def recall_at(ranks: Sequence[int], n_relevant: int, k: int) -> float:
    """Relevant items among the first k, over all relevant ones."""
    return sum(r <= k for r in ranks) / n_relevant


def reciprocal_rank(ranks: Sequence[int], k: int | None = None) -> float:
    """1 / rank of the first relevant item; 0 where there is none, or none among the first k."""
    first = min(ranks, default=0)
    return 0.0 if first == 0 or (k is not None and first > k) else 1.0 / first


def ndcg_at(ranks: Sequence[int], n_relevant: int, k: int) -> float:
    """Binary NDCG: sum of 1 / log2(1 + rank) over relevant items among the first k, over the best possible sum."""
    gain = sum(1.0 / float(np.log2(1 + r)) for r in ranks if r <= k)
    best = sum(1.0 / float(np.log2(1 + r)) for r in range(1, min(n_relevant, k) + 1))
    return gain / best


# ---- a probability ---------------------------------------------------------------------------------------------------


class Bin(NamedTuple):
    """One bin of a reliability diagram."""

    weight: float
    """Share of the cases."""
    predicted: float
    """Mean prediction."""
    observed: float
    """Share of labels that are 1."""


class Cases:
    """Labels and predictions, sorted once, so that a thousand bootstrap weightings are cheap.

    Every method takes case weights (all ones when left out) and answers NaN where it is not defined.
    """

    def __init__(self, y: ArrayLike, p: ArrayLike, stratum: ArrayLike | None = None) -> None:
        self.y, self.p = np.asarray(y, np.float64).ravel(), np.asarray(p, np.float64).ravel()
        if self.y.shape != self.p.shape:
            raise ArgumentError(f"p: {self.p.size} predictions for {self.y.size} labels; give one each")
        if not bool(np.all((self.p >= 0.0) & (self.p <= 1.0))):
            raise ArgumentError("p: predictions must lie in [0, 1] and hold no NaN")
        self._values, self._level = np.unique(self.p, return_inverse=True)
        strata = np.zeros(self.y.size, np.int64) if stratum is None else np.asarray(stratum).ravel()
        self._strata, self._stratum = np.unique(strata, return_inverse=True)

    def _weights(self, weight: ArrayLike | None) -> Floats:
        weights = np.ones_like(self.y) if weight is None else np.asarray(weight, np.float64).ravel()
        if weights.shape != self.y.shape:
            raise ArgumentError(f"weight: {weights.size} weights for {self.y.size} labels; give one each")
        return weights

    def _mean(self, values: Floats, weight: ArrayLike | None) -> float:
        weights = self._weights(weight)
        total = float(weights.sum())
        return float(np.dot(values, weights)) / total if total > 0 else float("nan")

    def brier(self, weight: ArrayLike | None = None) -> float:
        """Mean squared difference of label and prediction."""
        return self._mean((self.y - self.p) ** 2, weight)

    def log_loss(self, weight: ArrayLike | None = None, eps: float = 1e-6) -> float:
        """Mean of -ln of the probability given to what happened; predictions are kept `eps` away from 0 and 1."""
        p = np.clip(self.p, eps, 1.0 - eps)
        return self._mean(-np.where(self.y > 0.5, np.log(p), np.log1p(-p)), weight)

    def reliability(self, weight: ArrayLike | None = None, bins: int = 10) -> list[Bin]:
        """Equal-count bins by prediction. Equal predictions share a bin: the order of the cases does not matter."""
        weights = self._weights(weight)
        total = float(weights.sum())
        if total <= 0:
            return []
        mass = np.bincount(self._level, weights, self._values.size)
        middle = (np.cumsum(mass) - 0.5 * mass) / total
        which = np.minimum((middle * bins).astype(np.int64), bins - 1)[self._level]
        mass = np.bincount(which, weights, bins)
        predicted, observed = (np.bincount(which, weights * x, bins) for x in (self.p, self.y))
        return [
            Bin(float(mass[b] / total), float(predicted[b] / mass[b]), float(observed[b] / mass[b]))
            for b in np.flatnonzero(mass > 0)
        ]

    def ece(self, weight: ArrayLike | None = None, bins: int = 10) -> float:
        """Expected calibration error over equal-count bins: mean of |observed - predicted|, by bin weight."""
        table = self.reliability(weight, bins)
        return sum(b.weight * abs(b.observed - b.predicted) for b in table) if table else float("nan")

    def _areas(self, weights: Floats, level: NDArray[np.int64], rows: slice | NDArray[np.int64]) -> tuple[float, float]:
        size = int(level.max(initial=-1)) + 1
        positive = np.bincount(level, weights * self.y[rows], size)
        negative = np.bincount(level, weights * (1.0 - self.y[rows]), size)
        below = np.cumsum(negative) - negative
        return float(np.dot(positive, below + 0.5 * negative)), float(positive.sum() * negative.sum())

    def auroc(self, weight: ArrayLike | None = None) -> float:
        """Chance that a random positive gets a higher prediction than a random negative (ties: half)."""
        right, pairs = self._areas(self._weights(weight), self._level, slice(None))
        return right / pairs if pairs > 0 else float("nan")

    def auroc_within(self, weight: ArrayLike | None = None) -> float:
        """Mean of the strata's AUROC, each stratum by its cases; a stratum with one class only does not count.

        With the delay as the stratum this asks what pooled AUROC hides: does the predictor tell facts apart, or ages?
        """
        weights = self._weights(weight)
        total = area = 0.0
        for rows in self._rows:
            right, pairs = self._areas(weights[rows], self._level[rows], rows)
            if pairs > 0:
                mass = float(weights[rows].sum())
                total, area = total + mass, area + mass * right / pairs
        return area / total if total > 0 else float("nan")

    @cached_property
    def _rows(self) -> list[NDArray[np.int64]]:
        return [np.flatnonzero(self._stratum == s) for s in range(self._strata.size)]


def brier(y: ArrayLike, p: ArrayLike) -> float:
    """`Cases.brier` of all cases."""
    return Cases(y, p).brier()


def log_loss(y: ArrayLike, p: ArrayLike) -> float:
    """`Cases.log_loss` of all cases."""
    return Cases(y, p).log_loss()


def ece(y: ArrayLike, p: ArrayLike, bins: int = 10) -> float:
    """`Cases.ece` of all cases."""
    return Cases(y, p).ece(bins=bins)


def auroc(y: ArrayLike, p: ArrayLike) -> float:
    """`Cases.auroc` of all cases."""
    return Cases(y, p).auroc()


def auroc_within(y: ArrayLike, p: ArrayLike, stratum: ArrayLike) -> float:
    """`Cases.auroc_within` of all cases."""
    return Cases(y, p, stratum).auroc_within()
