"""The head made of its parts: members under random weights, the prior, prototypes, and when to fall back to the prior.

Members see the same observations under Bayesian-bootstrap weights, drawn per subject and per kind or family, so that
they disagree where the data leaves the answer open. Prototypes cover the training vectors (farthest point first). The
cosine at which head and prior count half each is fitted on kinds and families that were left out of a fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DICTIONARY
from scrubjay.encode.features import NAMES, features
from scrubjay.encode.head import FORMAT, PerishabilityHead, Weights
from scrubjay.training.network import Array, Fit, Member, fit_member
from scrubjay.training.observations import Observations

Log = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """Every choice of the training; chosen by leaving kinds and sources out of the train subjects."""

    fit: Fit = field(default_factory=Fit)
    members: int = 4
    flatten: float = 0.5
    """How far kinds are levelled: see `observations.from_facts`."""
    everyday: float = 0.3
    """Share of the weight that goes to the everyday sentences."""
    vector_scale: float = 22.0
    """A unit vector of some hundred dimensions times this has entries of about 1."""
    feature_scale: float = 2.0
    prototypes: int = 384
    folds: int = 4
    """Folds of left-out groups for the fallback's threshold; 0 keeps the default threshold."""


DEFAULT_FAMILIAR: Final = (0.25, 0.03)
DEFAULT_SPREAD: Final = (1.0, 1.5)


def inputs(vectors: Array, texts: Sequence[str], recipe: Recipe) -> Array:
    """(n, d + F): what the network reads; d may be 0."""
    return np.hstack([vectors * recipe.vector_scale, features(texts) * recipe.feature_scale]).astype(np.float32)


def fit_weights(
    vectors: Array, texts: Sequence[str], data: Observations, recipe: Recipe, *, seed: int, log: Log = lambda _: None
) -> Weights:
    """Train a head on observations of these texts and vectors (d = 0: the text alone)."""
    x = inputs(vectors, texts, recipe)
    members = _members(x, data, recipe, seed, recipe.members, log)
    look = familiar_rows(vectors, texts)
    used = np.unique(data.text)
    prior = _prior(members, x, data)
    familiar = _fit_familiar(x, look, data, recipe, seed, log) if recipe.folds else np.asarray(DEFAULT_FAMILIAR)
    d, f = vectors.shape[1], len(NAMES)
    first = np.concatenate([m.input for m in members], axis=1)
    return Weights(
        input=(first[:d] * recipe.vector_scale).astype(np.float32),
        feature=(first[d : d + f] * recipe.feature_scale).astype(np.float32),
        bias=np.concatenate([m.bias for m in members]),
        output=np.stack([m.output for m in members]),
        output_bias=np.stack([m.output_bias for m in members]),
        prototypes=look[used][farthest(look[used], recipe.prototypes)],
        prior=prior,
        familiar=np.asarray(familiar, np.float32),
        spread=np.asarray(DEFAULT_SPREAD, np.float32),
    )


def familiar_rows(vectors: Array, texts: Sequence[str]) -> Array:
    """(n, d) unit rows in which familiarity is measured: the vectors, or the features where there are none."""
    rows = vectors if vectors.shape[1] else features(texts)
    unit: Array = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)).astype(np.float32)
    return unit


def farthest(rows: Array, count: int) -> NDArray[np.int64]:
    """Row numbers of a cover: from the row nearest to the mean on, always the row least like those taken."""
    count = min(count, len(rows))
    taken = [int(np.argmax(rows @ rows.mean(axis=0)))]
    nearest = rows @ rows[taken[0]]
    while len(taken) < count:
        taken.append(int(np.argmin(nearest)))
        np.maximum(nearest, rows @ rows[taken[-1]], out=nearest)
    return np.asarray(taken, np.int64)


def _members(x: Array, data: Observations, recipe: Recipe, seed: int, count: int, log: Log) -> list[Member]:
    result = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        weight = data.weight.copy()
        if count > 1:
            weight *= rng.exponential(size=int(data.subject.max()) + 1)[data.subject]
            weight *= rng.exponential(size=int(data.group.max()) + 1)[data.group] + 0.5
        result.append(
            fit_member(x, data.text, data.likelihood, weight / weight.sum(), recipe.fit, seed * 1000 + number)
        )
        log(f"member {number + 1} of {count}")
    return result


def _prior(members: Sequence[Member], x: Array, data: Observations) -> Array:
    weight = np.bincount(data.text, data.weight, len(x))
    rows = np.flatnonzero(weight)
    mean = np.mean([m.mixture(x[rows]) for m in members], axis=0)
    total = weight[rows] @ mean
    prior: Array = (total / total.sum()).astype(np.float32)
    return prior


def _fit_familiar(
    x: Array, look: Array, data: Observations, recipe: Recipe, seed: int, log: Log
) -> tuple[float, float]:
    """Middle and width of the fallback's logistic that give left-out groups the best likelihood."""
    fold = np.random.default_rng([seed, 77]).permutation(int(data.group.max()) + 1)[data.group] % recipe.folds
    nearest, own, base, weight = [], [], [], []
    for number in range(recipe.folds):
        kept, out = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        part = data.take(kept)
        member = _members(x, part, recipe, seed + 500 + number, 1, lambda _: None)
        prior = _prior(member, x, part)
        rows = look[np.unique(part.text)]
        cover = rows[farthest(rows, recipe.prototypes)]
        nearest.append((look[data.text[out]] @ cover.T).max(axis=1))
        own.append((member[0].mixture(x[data.text[out]]) * data.likelihood[out]).sum(axis=1))
        base.append(data.likelihood[out] @ prior)
        # Each group counts by the square root of its weight: the largest kinds do not decide alone.
        total = np.bincount(data.group[out], data.weight[out])[data.group[out]]
        weight.append(data.weight[out] / np.sqrt(total))
        log(f"fallback: fold {number + 1} of {recipe.folds}")
    s, a, b, w = (np.concatenate(v) for v in (nearest, own, base, weight))
    best, choice = -np.inf, DEFAULT_FAMILIAR
    for middle in np.linspace(0.22, 0.45, 24):
        for width in (0.02, 0.03, 0.04):
            share = 1.0 / (1.0 + np.exp(np.clip((middle - s) / width, -30, 30)))
            gain = float(w @ np.log(share * a + (1.0 - share) * b))
            if gain > best:
                best, choice = gain, (float(middle), float(width))
    log(f"fallback: half at cosine {choice[0]:.3f}, width {choice[1]}, left-out groups")
    return choice


def save(weights: Weights, path: Path, *, embedder: str, name: str) -> None:
    """Write a head as .npz: half precision, prototypes as 8-bit, no pickle."""
    scale = float(np.abs(weights.prototypes).max()) / 127.0
    arrays: dict[str, Any] = {
        key: value.astype(np.float16)
        for key, value in weights._asdict().items()
        if key not in ("prototypes", "familiar", "spread", "prior")
    }
    arrays |= {
        "prototypes": np.round(weights.prototypes / scale).astype(np.int8),
        "prototype_scale": np.float32(scale),
        "prior": weights.prior,
        "familiar": weights.familiar,
        "spread": weights.spread,
        "format": np.int32(FORMAT),
        "embedder": np.str_(embedder),
        "name": np.str_(name),
        "features": np.asarray(NAMES),
        "dictionary": DICTIONARY,
    }
    np.savez_compressed(path, **arrays)


def head_of(weights: Weights, *, embedder: str = "", name: str = "head") -> PerishabilityHead:
    """A head that was not saved, for scores."""
    return PerishabilityHead(weights, embedder=embedder or None, name=name)
