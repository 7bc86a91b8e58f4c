"""The trained head: a text's vector and a few cheap features to the curve P(still valid at age d), offline.

A small ensemble of one-hidden-layer networks chooses the weights of a mixture (`scrubjay.encode.curves`); it was fitted
to real facts with their censoring and to hand-labelled everyday sentences (`python -m scrubjay.training`; the model
card is `data/heads/CARD.md`). Text unlike what it was trained on falls back in two steps, by its distance to the
nearest training prototypes: first its vector counts less beside its features, then the prior, the mean curve of the
training data, answers. The members' disagreement gives an interval.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.curves import Floats, components, label_of, mixture_of, pi_tau, stretched, survival, weibull
from scrubjay.encode.features import NAMES, TIMES, features
from scrubjay.errors import ArgumentError, CorruptionError, DimensionError
from scrubjay.memory import Opinion, Origin, Perishability

FILES: Final = {"use-multilingual-v3": "use.npz", "minilm-l6-v2-int8": "minilm.npz"}
"""Head per embedder name."""
TEXT_ONLY: Final = "text.npz"
"""The head for every other embedder: it reads the text's features alone."""
FORMAT: Final = 2
"""Of files; those of format 1, with a hidden layer of tanh, are read too."""
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
_HALF: Final = ("bias", "output", "output_bias", "trust")
_BYTES: Final = {"basis": 0, "input": 0, "feature": 0, "prototypes": None}
"""Arrays that a file keeps in 8 bits, and the axis that shares a scale (None: both)."""
_LEVELS: Final = 63.0
"""Steps in which a file keeps the square roots of a memory."""
_OWN_PACE: Final = np.array([1.0, 0.0], np.float32)
_WHOLE: Final = np.ones(1, np.float32)
_NEVER_FAINT: Final = np.array([0.0, 1.0, 1.0, 0.0], np.float32)
_RECTIFIED: Final = np.ones(1, np.float32)
TIME_COLUMNS: Final = np.array([NAMES.index(name) for name in TIMES])
_PLAIN: Final = ("recall", "prior", "familiar", "spread", "pace", "faint", "rectified")
_FIELDS: Final = (*_HALF, *_BYTES, "memory", *_PLAIN)
_KNOWN: Final = frozenset(NAMES)


class Weights(NamedTuple):
    """A head's arrays, float32; M members of h hidden units, K components, P prototypes, F features, d the embedder's
    length, r directions of it that are read (both 0 for the head that reads the text alone)."""

    basis: NDArray[np.float32]
    """(d, r): orthonormal columns, the directions in which prototypes are compared."""
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
    """(P, r + time expressions, or F): rows of norm at most 1, what the training data looks like (`look`)."""
    memory: NDArray[np.float32]
    """(P, K): the mixture that the training data nearest to each prototype shows."""
    recall: NDArray[np.float32]
    """(5): cosine to the nearest prototype at which the memory counts half of its most, the logistic's width, the
    most, how much a prototype counts less by e for each unit of cosine that it lies behind the nearest (0: the
    nearest alone counts), and how much nearer a text with a time expression counts: what bounds it is the same.
    The memory sharpens what is well known and leaves the rest to the network."""
    prior: NDArray[np.float32]
    """(K): the mean mixture of the training data."""
    familiar: NDArray[np.float32]
    """(3): cosine to the nearest prototype at which head and prior count half each, the logistic's width, and how much
    less near a text counts beside what is wholly trusted: what facts show of a text unlike them is mostly their own."""
    spread: NDArray[np.float32]
    """(3), standard deviations in logits: factor on the members' disagreement, that of text far from the data, and a
    floor."""
    pace: NDArray[np.float32] = _OWN_PACE
    """(2): slope and shift of the logarithm of every horizon (`curves.stretched`), for a domain whose memories last
    longer or shorter than those of the training data, or differ less."""
    trust: NDArray[np.float32] = _WHOLE
    """(P), or (1) for all: how much of a prototype's memory counts, in [0, 1]: 1 beside real facts and time
    expressions, 0 beside other sentences, which are found by the names that they share and not by how long they
    hold."""
    faint: NDArray[np.float32] = _NEVER_FAINT
    """(4): cosine to the nearest prototype at which a text is half novel, the logistic's width, how much the vector of
    what is wholly novel counts (what an unfamiliar text is about says less than its features do; 1: never less), and
    how far that holds by the trust in what is near alone: of what is unlike all facts the vector says most."""
    rectified: NDArray[np.float32] = _RECTIFIED
    """(1): 1 where a hidden unit is max(0, z), 0 where it is tanh(z), as in heads of format 1."""


_NUMBERS: Final = count()


class Parts(NamedTuple):
    """What answers are made of: share (network (1 - recalled) + memory recalled) + (1 - share) prior."""

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
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays: dict[str, NDArray[Any]] = {key: file[key] for key in file.files}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise CorruptionError(f"{path}: not a readable head ({error})") from error
        arrays.setdefault("pace", _OWN_PACE)
        arrays.setdefault("trust", _WHOLE)
        arrays.setdefault("rectified", np.zeros(1, np.float32))
        if "recall" in arrays:
            arrays.setdefault("faint", np.append(arrays["recall"][:2], 1.0))
        needed = {*_FIELDS, "format", "name", "embedder", "features"}
        known = not needed - arrays.keys() and int(arrays["format"]) in (1, FORMAT)
        if not known or not set(arrays["features"].tolist()) <= _KNOWN:
            raise CorruptionError(f"{path}: a head of another format or of other features; train it again")
        arrays["prototypes_scale"] = arrays.pop("prototype_scale", arrays.get("prototypes_scale", np.float32(1.0)))
        for field in _BYTES:
            arrays[field] = arrays[field].astype(np.float32) * arrays.get(f"{field}_scale", np.float32(1.0))
        for field, size in (("recall", 5), ("familiar", 3), ("faint", 4)):
            # a head from before a law of these goes on without it
            arrays[field] = np.append(arrays[field], np.zeros(max(0, size - arrays[field].size)))
        names = arrays["features"].tolist()
        if names != list(NAMES):
            # a head of fewer features goes on as it was: the new ones say nothing to it
            place = [NAMES.index(name) for name in names]
            arrays["feature"] = _spread_out(arrays["feature"], place, 0)
            if not arrays["basis"].shape[0]:
                arrays["prototypes"] = _spread_out(arrays["prototypes"], place, 1)
        # The file keeps square roots in steps, or half precision: every mixture is made to sum to 1 again.
        roots = arrays["memory"].dtype == np.uint8
        arrays["memory"] = arrays["memory"].astype(np.float32) ** (2 if roots else 1)
        arrays["memory"] /= np.maximum(arrays["memory"].sum(axis=1, keepdims=True), np.float32(1e-6))
        weights = Weights(**{field: np.asarray(arrays[field], np.float32) for field in _FIELDS})
        return cls(weights, embedder=str(arrays["embedder"]) or None, name=str(arrays["name"]))

    def write(self, path: str | Path | BinaryIO) -> None:
        """The head as .npz, to a file by name or open: large arrays in 8 bits, others in half precision. Overwrites."""
        w = self.weights
        arrays: dict[str, NDArray[Any]] = {field: getattr(w, field).astype(np.float16) for field in _HALF}
        arrays |= {field: getattr(w, field) for field in _PLAIN}
        for field, axis in _BYTES.items():
            rows: NDArray[np.float32] = getattr(w, field)
            scale = np.maximum(np.abs(rows).max(axis=axis, initial=0.0), np.float32(1e-12)) / np.float32(127.0)
            arrays |= {field: np.round(rows / scale).astype(np.int8), f"{field}_scale": scale}
        arrays |= {
            "memory": np.round(np.sqrt(np.clip(w.memory, 0.0, 1.0)) * _LEVELS).astype(np.uint8),
            "format": np.asarray(FORMAT, np.int32),
            "embedder": np.asarray(self.embedder or "", np.str_),
            "name": np.asarray(self.name, np.str_),
            "features": np.asarray(NAMES, np.str_),
        }
        if isinstance(path, (str, Path)):
            with open(path, "wb") as file:
                np.savez_compressed(file, allow_pickle=False, **arrays)
        else:
            np.savez_compressed(path, allow_pickle=False, **arrays)

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
        )

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
            network -= network.max(axis=2, keepdims=True)
            np.exp(network, out=network)
            network /= network.sum(axis=2, keepdims=True)
            own[rows] = parts.share * (1.0 - parts.recalled)
            share[rows], novelty[rows] = parts.share, parts.novelty
            answer = network.sum(axis=0) * (own[rows] / np.float32(m))[:, None]
            answer += (parts.share * parts.recalled)[:, None] * parts.remembered(w.memory)
            answer += (1.0 - parts.share)[:, None] * w.prior
            mixture[rows] = answer if self._pace is None else answer @ self._pace
            if members:
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


def _spread_out(rows: NDArray[Any], place: list[int], axis: int) -> NDArray[Any]:
    """Zeros for all `NAMES` along the axis, with these rows at their places."""
    shape = list(rows.shape)
    shape[axis] = len(NAMES)
    out = np.zeros(shape, rows.dtype)
    out[(slice(None),) * axis + (place,)] = rows
    return out


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
