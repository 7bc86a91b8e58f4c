"""The trained head: a text's vector and a few cheap features to the curve P(still valid at age d), offline.

A small ensemble of one-hidden-layer networks chooses the weights of a mixture (`scrubjay.encode.curves`); it was fitted
to real facts with their censoring and to hand-labelled everyday sentences (`python -m scrubjay.training`; the model
card is `data/heads/CARD.md`). Text unlike anything it was trained on falls back to the prior, the mean curve of the
training data, by its distance to the nearest training prototypes, and the members' disagreement gives an interval.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.curves import Floats, components, label_of, pi_tau, survival, weibull
from scrubjay.encode.features import NAMES, features
from scrubjay.errors import ArgumentError, CorruptionError, DimensionError
from scrubjay.memory import Origin, Perishability

FILES: Final = {"use-multilingual-v3": "use.npz", "minilm-l6-v2-int8": "minilm.npz"}
"""Head per embedder name."""
TEXT_ONLY: Final = "text.npz"
"""The head for every other embedder: it reads the text's features alone."""
FORMAT: Final = 1
_CHUNK: Final = 4096
_Z90: Final = 1.6449
_FIELDS: Final = ("input", "bias", "feature", "output", "output_bias", "prototypes", "prior", "familiar", "spread")


class Weights(NamedTuple):
    """A head's arrays, float32; M members of h hidden units, K components, P prototypes, d the embedder's length."""

    input: NDArray[np.float32]
    """(d, M h): vector to hidden."""
    bias: NDArray[np.float32]
    """(M h)."""
    feature: NDArray[np.float32]
    """(F, M h): text features to hidden."""
    output: NDArray[np.float32]
    """(M, h, K): hidden to the logits of the mixture."""
    output_bias: NDArray[np.float32]
    """(M, K)."""
    prototypes: NDArray[np.float32]
    """(P, d or F): unit rows, what the training data looks like."""
    prior: NDArray[np.float32]
    """(K): the mean mixture of the training data."""
    familiar: NDArray[np.float32]
    """(2): cosine to the nearest prototype at which head and prior count half each, and the logistic's width."""
    spread: NDArray[np.float32]
    """(2): factor on the members' disagreement, and the standard deviation (in logits) of the prior."""


class Curves(NamedTuple):
    """n validity curves with what is needed for their intervals."""

    mixture: NDArray[np.float32]
    """(n, K): weights of the components."""
    members: NDArray[np.float32]
    """(n, M, K): each member's mixture, before the prior."""
    familiarity: NDArray[np.float32]
    """(n): share of the head (the rest is the prior), in [0, 1]."""
    spread: NDArray[np.float32]
    """(2): see `Weights.spread`."""

    def at(self, ages_seconds: ArrayLike) -> Floats:
        """P(still valid): ages (n) or (n, a), or (a,) with n = 1, in seconds; same shape as the ages. Negative: 0."""
        return survival(self.mixture, _ages(ages_seconds, len(self.mixture)))

    def interval(self, ages_seconds: ArrayLike) -> tuple[Floats, Floats]:
        """Lower and upper end of the 90 % interval of `at`: what the members and the distance to the training data
        leave open about the probability itself (not about the single outcome)."""
        ages = _ages(ages_seconds, len(self.mixture))
        parts = components(ages)
        p = np.einsum("n...k,nk->n...", parts, self.mixture)
        each = np.einsum("n...k,nmk->nm...", parts, self.members)
        logit = _logit(p)
        share = self.familiarity.astype(np.float64).reshape((-1,) + (1,) * (ages.ndim - 1))
        disagreement = _logit(each).std(axis=1) * self.spread[0]
        half = _Z90 * np.sqrt((share * disagreement) ** 2 + ((1.0 - share) * self.spread[1]) ** 2 + 1e-12)
        low, high = _expit(logit - half), _expit(logit + half)
        return np.minimum(low, p), np.maximum(high, p)


class PerishabilityHead:
    """Fits `scrubjay.protocols.PerishabilityModel`. Deterministic, and the same for a text in whatever batch.

    >>> head = PerishabilityHead.load("some-embedder")
    >>> vectors = np.zeros((2, 8), dtype=np.float32)
    >>> texts = ["The build is running right now.", "Water boils at 100 degrees."]
    >>> p = head.p_valid(vectors, texts, [30 * 86400.0] * 2)
    >>> bool(p[0] < p[1])
    True
    """

    def __init__(self, weights: Weights, *, embedder: str | None, name: str) -> None:
        self.name = name
        self.embedder = embedder
        """The embedder whose vectors it reads, or None where it reads the text alone."""
        self.weights = weights
        self._reads_vectors = weights.input.shape[0] > 0
        self._both = np.ascontiguousarray(
            np.hstack([weights.input, weights.prototypes.T]) if self._reads_vectors else weights.input
        )

    @classmethod
    def load(cls, embedder_name: str) -> PerishabilityHead:
        """The shipped head for this embedder; for an unknown one the head that reads the text alone."""
        file = FILES.get(embedder_name, TEXT_ONLY)
        entry = resources.files("scrubjay") / "data" / "heads" / file
        with resources.as_file(entry) as path:
            return cls.read(path)

    @classmethod
    def read(cls, path: str | Path) -> PerishabilityHead:
        """A head from its .npz file. Raises CorruptionError where the file is no head of this format."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays: dict[str, NDArray[Any]] = {key: file[key] for key in file.files}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise CorruptionError(f"{path}: not a readable head ({error})") from error
        needed = {*_FIELDS, "format", "name", "embedder", "features"}
        if needed - arrays.keys() or int(arrays["format"]) != FORMAT or arrays["features"].tolist() != list(NAMES):
            raise CorruptionError(f"{path}: a head of another format or of other features; train it again")
        scale = arrays.pop("prototype_scale", np.float32(1.0))
        arrays["prototypes"] = arrays["prototypes"].astype(np.float32) * scale
        weights = Weights(**{field: np.asarray(arrays[field], np.float32) for field in _FIELDS})
        return cls(weights, embedder=str(arrays["embedder"]) or None, name=str(arrays["name"]))

    # ---- inference ---------------------------------------------------------------------------------------------------

    def curve(self, what: NDArray[np.float32], texts: Sequence[str]) -> Curves:
        """The curves of n texts with their vectors (n, d), unit rows."""
        if len(what) != len(texts):
            raise ArgumentError(f"what, texts: {len(what)} vectors for {len(texts)} texts; give one each")
        if self._reads_vectors and what.shape[1] != self.weights.input.shape[0]:
            raise DimensionError(
                f"what: vectors of length {what.shape[1]}, but this head reads {self.embedder} "
                f"({self.weights.input.shape[0]}); load the head of your embedder"
            )
        w = self.weights
        n, (m, _h, k) = len(texts), w.output.shape
        mixture = np.empty((n, k), np.float32)
        members = np.empty((n, m, k), np.float32)
        share = np.empty(n, np.float32)
        for start in range(0, n, _CHUNK):
            rows = slice(start, min(start + _CHUNK, n))
            mixture[rows], members[rows], share[rows] = self._forward(what[rows], texts[rows])
        return Curves(mixture, members, share, w.spread)

    def _forward(
        self, what: NDArray[np.float32], texts: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        w = self.weights
        m, h, _ = w.output.shape
        x = features(texts)
        hidden = x @ w.feature
        if self._reads_vectors:
            product = np.asarray(what, np.float32) @ self._both
            hidden += product[:, : m * h]
            nearest = product[:, m * h :].max(axis=1)
        else:
            unit = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)
            nearest = (unit @ w.prototypes.T).max(axis=1)
        hidden = np.tanh(hidden + w.bias, out=hidden)
        logits = np.matmul(hidden.reshape(-1, m, h).transpose(1, 0, 2), w.output).transpose(1, 0, 2) + w.output_bias
        members = np.exp(logits - logits.max(axis=2, keepdims=True))
        members /= members.sum(axis=2, keepdims=True)
        share = 1.0 / (1.0 + np.exp(np.clip((w.familiar[0] - nearest) / w.familiar[1], -30.0, 30.0)))
        mixture = share[:, None] * members.mean(axis=1) + (1.0 - share)[:, None] * w.prior
        return mixture.astype(np.float32), members.astype(np.float32), share.astype(np.float32)

    def p_valid(self, what: NDArray[np.float32], texts: Sequence[str], ages_seconds: ArrayLike) -> Floats:
        """P(still valid) of each text at its age or ages in seconds: (n) or (n, a), by the full curve."""
        return self.curve(what, texts).at(ages_seconds)

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],
        what: NDArray[np.float32],
        where: NDArray[np.float32],
    ) -> list[Perishability]:
        """One value per text: the Weibull curve nearest to the text's curve, as pi, tau (`curves.pi_tau`) and shape,
        with the label of that pi (`curves.BOUNDS`). The context is not read: see the model card."""
        if not len(texts) == len(contexts) == len(what) == len(where):
            raise ArgumentError(
                f"texts, contexts, what and where must be equally long, got {len(texts)}, {len(contexts)}, "
                f"{len(what)} and {len(where)}"
            )
        scale, shape = weibull(self.curve(what, texts).mixture)
        pi, tau = pi_tau(scale)
        return [
            Perishability(label=label_of(p), pi=p, tau=t, shape=s, origin=Origin.HEAD)
            for p, t, s in zip(pi.tolist(), tau.tolist(), shape.tolist(), strict=True)
        ]


def _ages(ages_seconds: ArrayLike, n: int) -> Floats:
    ages = np.asarray(ages_seconds, np.float64)
    if ages.ndim == 0:
        ages = np.full(n, float(ages))
    if ages.shape[0] != n:
        raise ArgumentError(f"ages_seconds: {ages.shape[0]} rows for {n} texts; give one row each")
    if bool(np.isnan(ages).any()):
        raise ArgumentError("ages_seconds: NaN is no age; give seconds >= 0")
    return ages


def _logit(p: Floats) -> Floats:
    q = np.clip(p, 1e-6, 1.0 - 1e-6)
    result: Floats = np.log(q) - np.log1p(-q)
    return result


def _expit(x: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-x))
    return result
