"""The trained head: a text's vector and a few cheap features to the curve P(still valid at age d), offline.

A small ensemble of one-hidden-layer networks chooses the weights of a mixture (`scrubjay.encode.curves`); it was fitted
to real facts with their censoring and to hand-labelled everyday sentences (`python -m scrubjay.training`; the model
card is `data/heads/CARD.md`). Text unlike what it was trained on falls back in two steps, by its distance to the
nearest training prototypes: first its vector counts less beside its features, then the prior, the mean curve of the
training data, answers. The members' disagreement gives an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.curves import Floats, components, label_of, mixture_of, pi_tau, stretched, survival, weibull
from scrubjay.encode.features import NAMES, TIMES, features
from scrubjay.encode.weights import Weights, read_weights, write_weights
from scrubjay.errors import ArgumentError, DimensionError
from scrubjay.memory import Opinion, Origin, Perishability

FILES: Final = {"use-multilingual-v3": "use.npz", "minilm-l6-v2-int8": "minilm.npz"}
"""Head per embedder name."""
TEXT_ONLY: Final = "text.npz"
"""The head for every other embedder: it reads the text's features alone."""
CONTEXT_SHARE: Final = 0.15
"""Weight of a familiar context's own curve (chosen: there is no data with contexts to fit it)."""
GIVEN_SHARE: Final = 0.5
"""Weight of what a language model said (chosen)."""
TIME_SHARE: Final = 0.7
"""How much a time expression counts beside the vector where texts are compared with prototypes (chosen)."""
BEHIND: Final = 0.15
"""A prototype that lies further behind the nearest, in cosine, does not count."""
_CHUNK: Final = 1024
_Z90: Final = 1.6449
TIME_COLUMNS: Final = np.array([NAMES.index(name) for name in TIMES])
_NUMBERS: Final = count()


class Parts(NamedTuple):
    """What answers are made of: share (apart plain + (1 - apart) answer) + (1 - share) prior, where answer is
    network (1 - recalled) + memory recalled."""

    hidden: NDArray[np.float32]
    """(n, M, h): the last hidden layer."""
    place: NDArray[np.int64]
    """(m), m >= n: the prototypes near each text, text by text."""
    near: NDArray[np.float32]
    """(m): how much each counts; a text's sum to 1."""
    start: NDArray[np.int64]
    """(n): where each text's prototypes begin."""
    recalled: NDArray[np.float32]
    """(n): share of their memory in the head's answer."""
    share: NDArray[np.float32]
    """(n): share of the head in the answer."""
    novelty: NDArray[np.float32]
    """(n): 0 beside a prototype, 1 far from all."""
    apart: NDArray[np.float32]
    """(n): share of the members that read the text alone, beside facts that are known."""
    plain: NDArray[np.float32]
    """(p, n, K): what those say, tilted by what the facts near each text show."""

    def weight(self) -> NDArray[np.float32]:
        """(n): share of the network in the answer."""
        weight: NDArray[np.float32] = self.share * (1.0 - self.recalled) * (1.0 - self.apart)
        return weight

    def rest(self, memory: NDArray[np.float32], prior: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, K): all of the answer but the network's share of it."""
        recalled = self.share * self.recalled * (1.0 - self.apart)
        answer: NDArray[np.float32] = recalled[:, None] * self.remembered(memory)
        answer += (1.0 - self.share)[:, None] * prior
        if len(self.plain):
            answer += (self.share * self.apart / np.float32(len(self.plain)))[:, None] * self.plain.sum(axis=0)
        return answer

    def remembered(self, memory: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, K): what the prototypes near each text remember, of the memory (P, K)."""
        if not self.start.size:
            return np.zeros((0, memory.shape[1]), memory.dtype)
        result: NDArray[np.float32] = np.add.reduceat(memory[self.place] * self.near[:, None], self.start, axis=0)
        return result


class Curves(NamedTuple):
    """n validity curves with what is needed for their intervals."""

    mixture: NDArray[np.float32]
    """(n, K): weights of the components."""
    members: NDArray[np.float32]
    """(n, M, K): each member's own mixture, before memory and prior."""
    own: NDArray[np.float32]
    """(n): share of the members in the answer; the rest is memory, prior, context and what was given."""
    familiarity: NDArray[np.float32]
    """(n): share of the head (the rest is the prior), in [0, 1]."""
    novelty: NDArray[np.float32]
    """(n): 0 beside a training prototype, 1 far from all."""
    spread: NDArray[np.float32]
    """(3): see `Weights.spread`."""

    def at(self, ages_seconds: ArrayLike) -> Floats:
        """P(still valid): ages (n) or (n, a), or (a,) with n = 1, in seconds; same shape as the ages. Negative: 0."""
        return survival(self.mixture, _ages(ages_seconds, len(self.mixture)))

    def interval(self, ages_seconds: ArrayLike) -> tuple[Floats, Floats]:
        """Lower and upper end of the 90 % interval of `at`: what the members' disagreement and the distance to the
        training data leave open about the probability itself (not about the single outcome)."""
        ages = _ages(ages_seconds, len(self.mixture))
        parts = components(ages)
        p = np.clip(np.einsum("n...k,nk->n...", parts, self.mixture), 0.0, 1.0)
        each = np.einsum("n...k,nmk->nm...", parts, self.members)
        own, novelty = (x.astype(np.float64).reshape((-1,) + (1,) * (ages.ndim - 1)) for x in (self.own, self.novelty))
        # Each member's answer: what all share, and its own opinion in place of their mean.
        answers = _logit(p[:, None] + own[:, None] * (each - each.mean(axis=1, keepdims=True)))
        factor, far, floor = self.spread.tolist()
        deviation = np.sqrt((factor * answers.std(axis=1)) ** 2 + (far * novelty) ** 2 + floor**2)
        low, high = _expit(_logit(p) - _Z90 * deviation), _expit(_logit(p) + _Z90 * deviation)
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
        self.number: Final = next(_NUMBERS)
        """No other head of the process has it."""
        self._reads_vectors = weights.basis.shape[0] > 0
        self._both = np.ascontiguousarray(np.hstack([weights.input, weights.basis]))
        slope, shift = weights.pace.tolist()
        self._pace = None if (slope, shift) == (1.0, 0.0) else stretched(slope, shift)

    @classmethod
    def load(cls, embedder_name: str) -> PerishabilityHead:
        """The shipped head for this embedder; for an unknown one the head that reads the text alone."""
        file = FILES.get(embedder_name, TEXT_ONLY)
        entry = resources.files("scrubjay") / "data" / "heads" / file
        with resources.as_file(entry) as path:
            return cls.read(path)

    @classmethod
    def read(cls, path: str | Path | BinaryIO) -> PerishabilityHead:
        """A head from its .npz file, by name or open. Raises CorruptionError where it is no head of this format."""
        weights, embedder, name = read_weights(path)
        return cls(weights, embedder=embedder, name=name)

    def write(self, path: str | Path | BinaryIO) -> None:
        """The head as .npz, to a file by name or open: large arrays in 8 bits, others in half precision. Overwrites."""
        write_weights(path, self.weights, self.embedder, self.name)

    # ---- inference ---------------------------------------------------------------------------------------------------

    def curve(
        self,
        what: NDArray[np.float32],
        texts: Sequence[str],
        *,
        where: NDArray[np.float32] | None = None,
        contexts: Sequence[str | None] | None = None,
        given: Sequence[Opinion | None] | None = None,
    ) -> Curves:
        """The curves of n texts with their vectors (n, d), unit rows.

        A context (with its vector in `where`) is read like a text and mixed in with `CONTEXT_SHARE` of the weight, less
        where it is unfamiliar. `given` holds what a language model said of a text: one more opinion, mixed in with
        `GIVEN_SHARE`.
        """
        curves = self._answer(what, texts, where, contexts, members=True)
        if given is not None:
            curves = _with_given(curves, given)
        return curves

    def _answer(
        self,
        what: NDArray[np.float32],
        texts: Sequence[str],
        where: NDArray[np.float32] | None,
        contexts: Sequence[str | None] | None,
        *,
        members: bool = False,
    ) -> Curves:
        curves = self._curve(what, texts, members=members)
        return curves if contexts is None or not any(contexts) else self._with_contexts(curves, where, contexts)

    def parts(self, what: NDArray[np.float32], texts: Sequence[str]) -> Parts:
        """What an answer is made of, for `refit`: everything that stays as it is when the last layer moves."""
        w = self.weights
        x = features(texts)
        hidden = x @ w.feature + w.bias
        if self._reads_vectors:
            product = np.asarray(what, np.float32) @ self._both
            look = look_of(product[:, hidden.shape[1] :], x)
        else:
            product = np.zeros_like(hidden)
            look = _unit(x)
        cosine = look @ w.prototypes.T
        place, near, start, nearest = neighbours(cosine, float(w.recall[3]))
        novelty = 1.0 - _logistic(nearest, w.faint)
        timed = w.recall[4] * x[:, TIME_COLUMNS].any(axis=1)
        recalled = w.recall[2] * _logistic(nearest + timed, w.recall)
        trust = np.ones_like(nearest)
        apart, plain = self._plain(x, place, near, start, nearest)
        if w.trust.size > 1 and start.size:
            # the memory of what is trusted less counts less beside that of the others, and all of it beside the network
            near = near * w.trust[place]
            trust = np.add.reduceat(near, start)
            recalled *= trust
            near /= np.repeat(np.maximum(trust, np.float32(1e-9)), np.diff(np.append(start, place.size)))
        faint = (1.0 - w.faint[2]) * novelty * (1.0 - w.faint[3] * (1.0 - trust))
        hidden += (1.0 - faint)[:, None] * product[:, : hidden.shape[1]]
        return Parts(
            (np.maximum(hidden, 0.0) if w.rectified[0] else np.tanh(hidden)).reshape(len(texts), *w.output.shape[:2]),
            place,
            near,
            start,
            recalled,
            _logistic(nearest - w.familiar[2] * trust, w.familiar),
            novelty,
            apart,
            plain,
        )

    def _plain(
        self,
        x: NDArray[np.float32],
        place: NDArray[np.int64],
        near: NDArray[np.float32],
        start: NDArray[np.int64],
        nearest: NDArray[np.float32],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """`Parts.apart` and `Parts.plain`."""
        w = self.weights
        p, h, k = w.plain_output.shape
        if not p or not start.size:
            return np.zeros_like(nearest), np.zeros((p, len(x), k), np.float32)
        factual = near * w.factual[place]
        known = np.add.reduceat(factual, start)
        tilt = np.add.reduceat(w.tilt[place] * factual[:, None], start, axis=0)
        hidden = np.maximum(x @ w.plain_feature + w.plain_bias, 0.0).reshape(len(x), p, h)
        plain = np.matmul(hidden.transpose(1, 0, 2), w.plain_output) + w.plain_output_bias[:, None, :]
        plain += (tilt / np.maximum(known, np.float32(1e-9))[:, None]) @ w.tilts
        return known * _logistic(nearest, w.known), _softmax(plain)

    def _with_contexts(
        self, curves: Curves, where: NDArray[np.float32] | None, contexts: Sequence[str | None]
    ) -> Curves:
        number: dict[str, int] = {}
        first: list[int] = []
        rows, which = [], []
        for row, context in enumerate(contexts):
            if context:
                if context not in number:
                    number[context] = len(number)
                    first.append(row)
                rows.append(row)
                which.append(number[context])
        d = self.weights.basis.shape[0]
        if self._reads_vectors and (where is None or where.shape[1] != d):
            return curves
        vectors = np.zeros((len(first), d), np.float32) if where is None else where[first]
        said = self._curve(vectors, list(number), members=False)
        share = (CONTEXT_SHARE * said.familiarity[which])[:, None]
        mixture, own = curves.mixture.copy(), curves.own.copy()
        mixture[rows] += share * (said.mixture[which] - mixture[rows])
        own[rows] *= 1.0 - share[:, 0]
        return curves._replace(mixture=mixture, own=own)

    def _curve(self, what: NDArray[np.float32], texts: Sequence[str], *, members: bool = True) -> Curves:
        """Without the members (an empty axis) where no interval is wanted: they are most of the memory."""
        if len(what) != len(texts):
            raise ArgumentError(f"what, texts: {len(what)} vectors for {len(texts)} texts; give one each")
        if self._reads_vectors and what.shape[1] != self.weights.basis.shape[0]:
            raise DimensionError(
                f"what: vectors of length {what.shape[1]}, but this head reads {self.embedder} "
                f"({self.weights.basis.shape[0]}); load the head of your embedder"
            )
        w = self.weights
        n, (m, _, k) = len(texts), w.output.shape
        mixture = np.empty((n, k), np.float32)
        each = np.empty((m if members else 0, n, k), np.float32)
        own, share, novelty = (np.empty(n, np.float32) for _ in range(3))
        for start in range(0, n, _CHUNK):
            rows = slice(start, min(start + _CHUNK, n))
            parts = self.parts(what[rows], texts[rows])
            network = np.matmul(parts.hidden.transpose(1, 0, 2), w.output)
            network += w.output_bias[:, None, :]
            _softmax(network)
            weight = parts.weight()
            share[rows], novelty[rows] = parts.share, parts.novelty
            own[rows] = weight + parts.share * parts.apart
            answer = parts.rest(w.memory, w.prior)
            answer += network.sum(axis=0) * (weight / np.float32(m))[:, None]
            mixture[rows] = answer if self._pace is None else answer @ self._pace
            if members:
                if len(parts.plain):
                    # each member speaks for what is no fact, one of the others for what is
                    part = (weight / np.maximum(own[rows], np.float32(1e-9)))[:, None]
                    network = part * network + (1.0 - part) * parts.plain[np.arange(m) % len(parts.plain)]
                each[:, rows] = network if self._pace is None else network @ self._pace
        return Curves(mixture, each.transpose(1, 0, 2), own, share, novelty, w.spread)

    def p_valid(self, what: NDArray[np.float32], texts: Sequence[str], ages_seconds: ArrayLike) -> Floats:
        """P(still valid) of each text at its age or ages in seconds: (n) or (n, a), by the full curve."""
        return self._curve(what, texts, members=False).at(ages_seconds)

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],
        what: NDArray[np.float32],
        where: NDArray[np.float32],
        *,
        given: Sequence[Opinion | None] | None = None,
    ) -> list[Perishability]:
        """One value per text: the Weibull curve nearest to the text's curve, as pi, tau (`curves.pi_tau`) and shape,
        with the label of that pi (`curves.BOUNDS`). `given` as in `curve`; it is kept in the value."""
        if not len(texts) == len(contexts) == len(what) == len(where):
            raise ArgumentError(
                f"texts, contexts, what and where must be equally long, got {len(texts)}, {len(contexts)}, "
                f"{len(what)} and {len(where)}"
            )
        curves = self._answer(what, texts, where, contexts)
        if given is not None:
            curves = _with_given(curves, given)
        scale, shape = weibull(curves.mixture)
        pi, tau = pi_tau(scale)
        return [
            Perishability(label=label_of(p), pi=p, tau=t, shape=s, origin=Origin.HEAD, said=said)
            for p, t, s, said in zip(
                pi.tolist(), tau.tolist(), shape.tolist(), given or [None] * len(texts), strict=True
            )
        ]


def _with_given(curves: Curves, given: Sequence[Opinion | None]) -> Curves:
    rows = [row for row, p in enumerate(given) if p is not None]
    if not rows:
        return curves
    said = [p for p in given if p is not None]
    opinion = mixture_of([p.tau / p.pi for p in said], [1.0] * len(said))
    mixture, own = curves.mixture.copy(), curves.own.copy()
    mixture[rows] += GIVEN_SHARE * (opinion - mixture[rows])
    own[rows] *= 1.0 - GIVEN_SHARE
    return curves._replace(mixture=mixture, own=own)


def _ages(ages_seconds: ArrayLike, n: int) -> Floats:
    ages = np.asarray(ages_seconds, np.float64)
    if ages.ndim == 0:
        ages = np.full(n, float(ages))
    if ages.shape[0] != n:
        raise ArgumentError(f"ages_seconds: {ages.shape[0]} rows for {n} texts; give one row each")
    if bool(np.isnan(ages).any()):
        raise ArgumentError("ages_seconds: NaN is no age; give seconds >= 0")
    return ages


def look_of(plane: NDArray[np.float32], marks: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, r + T) what prototypes are compared by: the vector in r directions and the text's time expressions, so that
    "I'm at the airport right now" is not taken for "I work at the airport". Norm at most 1."""
    times = marks[:, TIME_COLUMNS] * np.float32(TIME_SHARE)
    scale = 1.0 / np.sqrt(1.0 + np.einsum("ij,ij->i", times, times))
    look: NDArray[np.float32] = np.hstack([plane, times]) * scale[:, None].astype(np.float32)
    return look


def neighbours(
    cosine: NDArray[np.float32], sharpness: float
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
    """(place, near, start) of `Parts` and the cosine to the nearest (n), from cosines (n, P), P >= 1.

    A prototype counts exp(sharpness (its cosine - the nearest's)), lowered so that it is 0 at `BEHIND`: none enters or
    leaves with a jump.
    """
    nearest = cosine.max(axis=1)
    if sharpness <= 0.0:
        place = cosine.argmax(axis=1)
        return place, np.ones(len(place), np.float32), np.arange(len(place)), nearest
    row, place = np.nonzero(cosine >= (nearest - np.float32(BEHIND))[:, None])
    floor = np.exp(np.float32(-sharpness * BEHIND))
    near = np.exp(np.float32(sharpness) * (cosine[row, place] - nearest[row])) - floor
    start = np.searchsorted(row, np.arange(len(cosine)))
    near = (near / np.add.reduceat(near, start)[row] if start.size else near).astype(np.float32)
    return place, near, start, nearest


def _softmax(z: NDArray[np.float32]) -> NDArray[np.float32]:
    """In place, along the last axis."""
    z -= z.max(axis=-1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(axis=-1, keepdims=True)
    return z


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-6))
    return unit


def _logistic(cosine: NDArray[np.float32], at: NDArray[np.float32]) -> NDArray[np.float32]:
    value: NDArray[np.float32] = 1.0 / (1.0 + np.exp(np.clip((at[0] - cosine) / at[1], -30.0, 30.0)))
    return value


def _logit(p: Floats) -> Floats:
    q = np.clip(p, 1e-6, 1.0 - 1e-6)
    result: Floats = np.log(q) - np.log1p(-q)
    return result


def _expit(x: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-x))
    return result
