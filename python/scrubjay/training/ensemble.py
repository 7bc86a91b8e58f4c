"""The head made of its parts: members under random weights, the prior, prototypes, and when to fall back to the prior.

Members see the same observations under Bayesian-bootstrap weights, drawn per subject and per kind or family, so that
they disagree where the data leaves the answer open. Prototypes cover the training vectors (farthest point first). The
cosine at which head and prior count half each is fitted on kinds and families that were left out of a fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.features import features
from scrubjay.encode.head import TIME_COLUMNS, PerishabilityHead, look_of
from scrubjay.encode.weights import Weights
from scrubjay.training.network import Array, Fit, Member, Swaps, fit_member
from scrubjay.training.observations import Observations
from scrubjay.training.tilt import compressed, tilts

Log = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """Every choice of the training; chosen by leaving kinds and sources out of the train subjects."""

    fit: Fit = field(default_factory=Fit)
    members: int = 5
    plain: int = 2
    """Members that learn from facts alone and read the text alone: what they say is tilted by the facts near a text
    (`scrubjay.training.tilt`). None where the text is all that is read."""
    plain_noise: float = 0.1
    """Standard deviation of the noise added to their inputs."""
    plain_epochs: int = 48
    flatten: float = 0.5
    """How far kinds are levelled: see `observations.from_facts`."""
    everyday: float = 0.66
    """Share of the weight that goes to the everyday sentences."""
    directions: int = 96
    """Principal directions of the training vectors in which prototypes are compared: the rest is mostly names."""
    vector_scale: float = 22.0
    """Brings the entries of a unit vector to about 1."""
    feature_scale: float = 2.0
    prototypes: int = 3000
    """Made of the facts and of what has a time expression; the first sentence of each family is one itself."""
    strength: float = 4.0
    """Observations that the network's own answer counts for in a prototype's memory."""
    label: float = 16.0
    """Observations that a sentence's labelled horizon counts for there."""
    sharpness: float = 1.4
    """Power to which the memory of facts is raised: the network's own answer in it, its neighbours beside it and what
    else was nearest to it each make it vaguer than the one fact that is asked about. A sentence's label is vague."""
    fills: int = 4
    """Sentences made of each training pattern."""
    said: int = 4
    """Sentences made of each way to say something of a paraphrase group."""
    anchors: int = 1
    """Sentences with a time expression made of each."""
    wrappers: int = 2
    """Wrapped sentences made of each."""
    wrapped_facts: float = 0.2
    """Share of the facts that are also seen wrapped."""
    families: float = 3.0
    """Weight of a sentence of a family in families.jsonl: the newest, with the most kinds of things said."""
    patterns: float = 0.5
    """Weight of a sentence made from a pattern; one that was written by hand has 1."""
    made: float = 0.4
    """Weight of an anchored or wrapped sentence."""
    lasting: float = 4.5
    """How much more a sentence weighs that hardly ever ends (`LASTING`): few kinds of text hold for life, and what is
    learned of them has to reach the many that were not written down."""
    swaps: int = 2400
    """Pairs of sentences that mean the same but for words that do not matter."""
    folds: int = 3
    """Folds of left-out groups for the fallback's threshold; 0 keeps `DEFAULT_FAMILIAR`."""


LASTING: Final = 0.9
"""Share that never expires from which on a sentence is a lasting one."""
DEFAULT_FAMILIAR: Final = (0.26, 0.03)
DEFAULT_KNOWN: Final = (0.6, 0.05)
FACTS: Final = 0.5
"""Share of the members for facts beside facts: they and the rest err differently, and about as much."""
TRUSTED: Final = 0.05
"""How much less near to what is wholly trusted a text counts for the fallback; 0 in the head that reads the text alone.
It was chosen by leaving sources out: what facts showed of others was further from them than what sentences did."""
DEFAULT_RECALL: Final = (0.7, 0.05, 0.9, 45.0, 0.1)
TEXT_RECALL: Final = (0.6, 0.05, 0.9, 45.0, 0.0)
DEFAULT_FAINT: Final = (0.65, 0.05, 0.5, 1.0)
DEFAULT_SPREAD: Final = (1.5, 1.5, 0.35)
TEXT_SPREAD: Final = (1.5, 1.5, 1.0)


def projection(vectors: Array, data: Observations, directions: int) -> Array:
    """(d, r): the r leading principal directions of the vectors, each text by its weight in the training."""
    if not vectors.shape[1]:
        return np.zeros((0, 0), np.float32)
    weight = np.bincount(data.text, data.weight, len(vectors))
    rows = np.flatnonzero(weight)
    moment = (vectors[rows].astype(np.float64) * weight[rows, None]).T @ vectors[rows].astype(np.float64)
    basis = np.linalg.eigh(moment)[1][:, ::-1][:, :directions]
    # The sign of an eigenvector is arbitrary: its largest entry is made positive.
    basis = basis * np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(basis.shape[1])])
    leading: Array = basis.astype(np.float32)
    return leading


def fit_weights(
    vectors: Array,
    texts: Sequence[str],
    data: Observations,
    recipe: Recipe,
    *,
    seed: int,
    anchors: NDArray[np.int64] | None = None,
    swaps: tuple[NDArray[np.int64], int] | None = None,
    log: Log = lambda _: None,
) -> Weights:
    """Train a head on observations of these texts and vectors (d = 0: the text alone).

    `anchors` are rows of texts that become prototypes themselves, each with a memory of its own: the sentences.
    `swaps` are pairs (s, 2) of rows of texts that mean the same, and the row from which on texts are sentences.
    """
    if not vectors.shape[1]:
        recipe = replace(recipe, fit=replace(recipe.fit, noise=recipe.fit.text_noise))
    fixed = np.zeros(0, np.int64) if anchors is None else np.intersect1d(anchors, data.text)
    basis = projection(vectors, data, recipe.directions)
    plane, marks = vectors @ basis, features(texts)
    x = np.hstack([vectors * recipe.vector_scale, marks * recipe.feature_scale]).astype(np.float32)
    shifts = None if swaps is None else Swaps(x[swaps[0][:, 1]] - x[swaps[0][:, 0]], swaps[1])
    members = _members(x, data, recipe, seed, recipe.members, log, shifts)
    look = look_of(plane, marks) if basis.size else unit_rows(marks)
    facts = np.arange(len(texts)) < (len(texts) if swaps is None else swaps[1])
    # what facts and time expressions show is the same whoever is spoken of
    counts = facts | marks[:, TIME_COLUMNS].any(axis=1)
    left = np.union1d(fixed, np.flatnonzero(~counts))
    prototypes = np.concatenate([unit_rows(look[fixed]), centroids(look, data, recipe.prototypes, seed, left)])
    prior = _prior(members, x, data)
    share = _share(prototypes, look, facts, data)
    familiar = _fit_familiar(x, look, data, recipe, seed, log) if recipe.folds else np.asarray(DEFAULT_FAMILIAR)
    d = vectors.shape[1]
    first = np.concatenate([m.input for m in members], axis=1)
    weights = Weights(
        basis=basis,
        input=(first[:d] * recipe.vector_scale).astype(np.float32),
        feature=(first[d:] * recipe.feature_scale).astype(np.float32),
        bias=np.concatenate([m.bias for m in members]),
        output=np.stack([m.output for m in members]),
        output_bias=np.stack([m.output_bias for m in members]),
        prototypes=prototypes,
        memory=_sharp(
            _memory(prototypes, look, members, x, data, recipe, fixed),
            1.0 + (recipe.sharpness - 1.0) * share,
        ),
        trust=_share(prototypes, look, counts, data),
        recall=np.asarray(DEFAULT_RECALL if basis.size else TEXT_RECALL, np.float32),
        prior=prior,
        familiar=np.asarray((*familiar, TRUSTED if basis.size else 0.0), np.float32),
        spread=np.asarray(DEFAULT_SPREAD if basis.size else TEXT_SPREAD, np.float32),
        faint=np.asarray(DEFAULT_FAINT, np.float32),
    )
    if not basis.size or not recipe.plain:
        return weights
    learned = data.take(np.flatnonzero(facts[data.text]))
    reads = np.ascontiguousarray(x[:, d:])
    quiet = replace(recipe.fit, noise=recipe.plain_noise, epochs=recipe.plain_epochs)
    plain = _members(reads, learned, replace(recipe, fit=quiet), seed, recipe.plain, log)
    return with_plain(weights, plain, reads, look, learned, share, recipe)


def with_plain(
    weights: Weights,
    plain: Sequence[Member],
    reads: Array,
    look: Array,
    facts: Observations,
    share: Array,
    recipe: Recipe,
) -> Weights:
    """The weights with members that read the text alone, of texts `reads` (n, F), and their tilts by the facts among
    them, of which each prototype stands for a `share` (P)."""
    answer = np.mean([m.mixture(reads[facts.text]) for m in plain], axis=0)
    tilt, directions = compressed(tilts(weights.prototypes, look[facts.text], answer, facts.likelihood), share)
    return weights._replace(
        plain_feature=(np.concatenate([m.input for m in plain], axis=1) * recipe.feature_scale).astype(np.float32),
        plain_bias=np.concatenate([m.bias for m in plain]),
        plain_output=np.stack([m.output for m in plain]),
        plain_output_bias=np.stack([m.output_bias for m in plain]),
        factual=np.float32(FACTS) * share,
        tilt=tilt,
        tilts=directions,
        known=np.asarray(DEFAULT_KNOWN, np.float32),
    )


def unit_rows(rows: Array) -> Array:
    """Rows scaled to unit norm; a row of zeros stays."""
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


def centroids(look: Array, data: Observations, count: int, seed: int, fixed: NDArray[np.int64]) -> Array:
    """(P, r) rows of norm at most 1: a quarter of them covers the training texts, the rest is where texts are dense;
    then each is moved to the direction of what is nearest to it. Texts in `fixed` are left out."""
    rows = np.unique(look[np.setdiff1d(data.text, fixed)], axis=0)
    cover = farthest(rows, count // 4)
    rest = np.setdiff1d(np.arange(len(rows)), cover)
    drawn = np.random.default_rng([seed, 78]).permutation(rest)[: count - len(cover)]
    middle = unit_rows(rows[np.concatenate([cover, drawn])])
    for _ in range(8):
        place = (rows @ middle.T).argmax(axis=1)
        order = np.argsort(place, kind="stable")
        found, start = np.unique(place[order], return_index=True)
        total = np.zeros_like(middle)
        total[found] = np.add.reduceat(rows[order], start, axis=0)
        middle = np.where(np.any(total != 0, axis=1, keepdims=True), unit_rows(total), middle)
    return middle


def _memory(
    prototypes: Array,
    look: Array,
    members: Sequence[Member],
    x: Array,
    data: Observations,
    recipe: Recipe,
    fixed: NDArray[np.int64],
) -> Array:
    """Each prototype's mixture by expectation-maximisation on the observations nearest to it, with the network's mean
    answer there as the prior. Weights do not matter: only near things are compared."""
    texts = np.unique(data.text)
    place = np.zeros(len(look), np.int64)
    place[texts] = (look[texts] @ prototypes.T).argmax(axis=1)
    answer = np.mean([m.mixture(x[texts]) for m in members], axis=0)
    base = np.zeros((len(prototypes), answer.shape[1]))
    np.add.at(base, place[texts], answer)
    base += 1e-9
    base /= base.sum(axis=1, keepdims=True)
    # A sentence's label is spread over several observations: together they count as `label`.
    size = np.bincount(data.text, minlength=len(look)) / np.where(
        np.isin(np.arange(len(look)), fixed), recipe.label, 1.0
    )
    order = np.argsort(place[data.text], kind="stable")
    seen, cell, size = data.likelihood[order], place[data.text][order], size[data.text][order, None]
    found, start = np.unique(cell, return_index=True)
    mixture = base.copy()
    for _ in range(15):
        part = mixture[cell] * seen
        part /= part.sum(axis=1, keepdims=True) * size
        total = recipe.strength * base
        total[found] += np.add.reduceat(part, start, axis=0)
        mixture = total / total.sum(axis=1, keepdims=True)
    memory: Array = mixture.astype(np.float32)
    return memory


def _sharp(memory: Array, power: Array) -> Array:
    """Mixtures (P, K), each raised to its power (P)."""
    mixture = memory ** power[:, None]
    sharp: Array = (mixture / mixture.sum(axis=1, keepdims=True)).astype(np.float32)
    return sharp


def _share(prototypes: Array, look: Array, which: NDArray[np.bool_], data: Observations) -> Array:
    """(P): the share of these among the texts nearest to each prototype."""
    texts = np.unique(data.text)
    place = (look[texts] @ prototypes.T).argmax(axis=1)
    every = np.bincount(place, minlength=len(prototypes))
    share: Array = (np.bincount(place, which[texts], len(prototypes)) / np.maximum(every, 1)).astype(np.float32)
    return share


def _members(
    x: Array, data: Observations, recipe: Recipe, seed: int, count: int, log: Log, swaps: Swaps | None = None
) -> list[Member]:
    result = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        weight = data.weight.copy()
        if count > 1:
            # half of the Bayesian bootstrap: members that drop whole subjects and families know less each
            weight *= 0.5 + 0.5 * rng.exponential(size=int(data.subject.max()) + 1)[data.subject]
            weight *= 0.5 + 0.5 * rng.exponential(size=int(data.group.max()) + 1)[data.group]
        result.append(
            fit_member(x, data.text, data.likelihood, weight / weight.sum(), recipe.fit, seed * 1000 + number, swaps)
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
        quick = replace(recipe, fit=replace(recipe.fit, epochs=max(1, recipe.fit.epochs // 3)))
        member = _members(x, part, quick, seed + 500 + number, 1, lambda _: None)
        prior = _prior(member, x, part)
        rows = look[np.unique(part.text)]
        cover = unit_rows(rows[farthest(rows, min(recipe.prototypes, 768) // 2)])
        nearest.append((look[data.text[out]] @ cover.T).max(axis=1))
        own.append((member[0].mixture(x[data.text[out]]) * data.likelihood[out]).sum(axis=1))
        base.append(data.likelihood[out] @ prior)
        # Each group counts by the square root of its weight: the largest kinds do not decide alone.
        total = np.bincount(data.group[out], data.weight[out])[data.group[out]]
        weight.append(data.weight[out] / np.sqrt(total))
        log(f"fallback: fold {number + 1} of {recipe.folds}")
    s, a, b, w = (np.concatenate(v) for v in (nearest, own, base, weight))
    best, choice = -np.inf, DEFAULT_FAMILIAR
    for middle in np.linspace(0.26, 0.45, 20):
        for width in (0.02, 0.03, 0.04):
            share = 1.0 / (1.0 + np.exp(np.clip((middle - s) / width, -30, 30)))
            gain = float(w @ np.log(share * a + (1.0 - share) * b))
            if gain > best:
                best, choice = gain, (float(middle), float(width))
    log(f"fallback: half at cosine {choice[0]:.3f}, width {choice[1]}, left-out groups")
    return choice


def head_of(weights: Weights, *, embedder: str = "", name: str = "head") -> PerishabilityHead:
    """A head that was not saved, for scores."""
    return PerishabilityHead(weights, embedder=embedder or None, name=name)
