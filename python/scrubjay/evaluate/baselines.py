"""Baselines that need no model, as a table of formulas: a similarity, a curve over age, and a way to join the two.

The curve is also the baseline's P(valid); without a curve everything counts as valid. Each query is asked as if it were
the first: what the formulas call an access is the ingestion, so that no result depends on the order of the questions.

>>> [round(float(CURVES[name](5 * DAY)), 3) for name in ("memorybank", "recency", "act_r")]
[0.368, 0.846, 0.309]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate.similarity import Bm25, Dense, Joined, RandomOrder, Similarity
from scrubjay.evaluate.systems import DAY, Answer, Item, Ranking, top_answer, top_rows
from scrubjay.protocols import Embedder

Floats = NDArray[np.float64]
Curve = Callable[[Any], Any]
"""Age in seconds to [0, 1]."""
Join = Callable[[Floats, Floats], Floats]
"""Similarity and curve of one query's items to scores."""

HALF_LIFE_MAX: Final = 274.0 * DAY
HALF_LIFE_MIN: Final = 15.0 * 60.0

CURVES: Final[dict[str, Curve]] = {
    # B5: one global exponential
    "recency": lambda age: np.exp(-age / (30.0 * DAY)),
    "recency_365": lambda age: np.exp(-age / (365.0 * DAY)),
    # Generative Agents: .995 an hour since the last access
    "generative_agents": lambda age: 0.995 ** (age / 3600.0),
    # MemoryBank: R = exp(-t / (5 S)), S = 1 before any recall, t in days
    "memorybank": lambda age: np.exp(-age / (5.0 * DAY)),
    # HLR: p = 2^(-t/h), h = 2^(theta x) within [15 min, 274 d]; without features the longest half-life
    "hlr": lambda age: 2.0 ** (-age / HALF_LIFE_MAX),
    # ACT-R: B = ln t^-d, d = .5, t in days; as a probability its logistic, t^-.5 / (1 + t^-.5)
    "act_r": lambda age: 1.0 / (1.0 + np.sqrt(age / DAY)),
}


def _scaled(values: Floats) -> Floats:
    spread = float(values.max() - values.min()) if values.size else 0.0
    return (values - values.min()) / spread if spread > 0 else np.zeros_like(values)


def _multiply(similarity: Floats, curve: Floats) -> Floats:
    return similarity * curve


def _tenth(similarity: Floats, curve: Floats) -> Floats:
    return similarity + 0.1 * curve


def _min_max(similarity: Floats, curve: Floats) -> Floats:
    """Generative Agents: each min-max scaled, equal weights; importance is equal for all without a model, so it adds
    nothing."""
    return _scaled(similarity) + _scaled(curve)


def _activation(similarity: Floats, curve: Floats) -> Floats:
    """ACT-R: base level plus spreading activation, B = ln(p / (1 - p)) recovered from its logistic."""
    p = np.clip(curve, 1e-12, 1.0 - 1e-12)
    return similarity + np.log(p / (1.0 - p))


class Recipe(NamedTuple):
    """One baseline."""

    title: str
    similarity: str
    curve: str | None = None
    join: Join = _multiply


RECIPES: Final[dict[str, Recipe]] = {
    "random": Recipe("random (B0)", "random"),
    "bm25": Recipe("BM25 (B2)", "bm25"),
    "dense": Recipe("dense (B3)", "dense"),
    "rrf": Recipe("BM25 + dense, RRF (B4)", "rrf"),
    "dense_recency": Recipe("dense x exp(-age/30d) (B5)", "dense", "recency"),
    "zsum": Recipe("BM25 + dense, z-scores", "zsum"),
    "dense_plus_30": Recipe("dense + .1 exp(-age/30d)", "dense", "recency", _tenth),
    "dense_plus_365": Recipe("dense + .1 exp(-age/365d)", "dense", "recency_365", _tenth),
    "generative_agents": Recipe("Generative Agents", "dense", "generative_agents", _min_max),
    "memorybank": Recipe("MemoryBank", "dense", "memorybank"),
    "hlr": Recipe("HLR", "dense", "hlr"),
    "act_r": Recipe("ACT-R", "dense", "act_r", _activation),
}
"""Every baseline by the name that the command line takes."""


class Baseline:
    """A system made from a recipe."""

    def __init__(self, recipe: Recipe, similarity: Similarity) -> None:
        self._recipe, self._similarity = recipe, similarity
        self._items: list[Item] = []
        self._when = np.zeros(0)
        self._fresh = True

    @property
    def name(self) -> str:
        """The recipe's title."""
        return self._recipe.title

    def ingest(self, items: Sequence[Item]) -> None:
        """Add memories; they are indexed at the next question."""
        self._items += items
        self._when = np.array([item.when for item in self._items])
        self._fresh = False

    def _curve(self, ages: Floats) -> Floats:
        name = self._recipe.curve
        return np.ones_like(ages) if name is None else np.asarray(CURVES[name](np.maximum(ages, 0.0)), np.float64)

    def rank(self, queries: Sequence[str], nows: Sequence[float], k: int) -> list[Ranking]:
        """For each query at its time, the best k."""
        if not self._fresh:
            self._similarity.index([item.text for item in self._items])
            self._fresh = True
        if not self._items:
            return [Ranking(np.zeros(0, np.int64), np.zeros(0), np.zeros(0)) for _ in queries]
        found: list[Ranking] = []
        for begin in range(0, len(queries), 256):
            table = self._similarity.scores(queries[begin : begin + 256])
            for similarity, now in zip(table, nows[begin : begin + 256], strict=True):
                p = self._curve(now - self._when)
                scores = similarity if self._recipe.curve is None else self._recipe.join(similarity, p)
                rows = top_rows(scores, k)
                found.append(Ranking(rows, scores[rows], p[rows]))
        return found

    def answer(self, query: str, now: float, ranking: Ranking | None = None) -> Answer:
        """The best hit's text."""
        return top_answer(self._items, ranking or self.rank([query], [now], 1)[0])

    def survival(self, ages: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The same curve for every item; None without a curve."""
        if self._recipe.curve is None:
            return None
        return np.broadcast_to(self._curve(np.asarray(ages, np.float64)), (len(self._items), len(ages)))

    def close(self) -> None:
        """Nothing is held."""


def make_baseline(name: str, embedder: Embedder, *, seed: int = 0) -> Baseline:
    """A fresh baseline by its name in `RECIPES`."""
    recipe = RECIPES.get(name)
    if recipe is None:
        raise ArgumentError(f"name: there is no baseline {shown(name)}; give one of {', '.join(RECIPES)}")
    similarity: Similarity
    if recipe.similarity == "random":
        similarity = RandomOrder(seed)
    elif recipe.similarity == "bm25":
        similarity = Bm25()
    elif recipe.similarity == "dense":
        similarity = Dense(embedder)
    else:
        similarity = Joined(embedder, recipe.similarity)
    return Baseline(recipe, similarity)
