"""The rows of the model card: a head trained without the test subjects, scored by `scrubjay.evaluate.validity`.

Three splits of the real facts (subjects, kind left out, source left out) and, apart from them, the held-out third of
the everyday sentences. In the strict row the everyday families that resemble the left-out kind go with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY, survival, weibull
from scrubjay.encode.head import PerishabilityHead
from scrubjay.evaluate.validity import (
    Examples,
    Facts,
    Split,
    ValidityScore,
    examples,
    score,
    split_subjects,
    splits_leave_out,
)
from scrubjay.training.augment import (
    ANCHORS,
    anchored,
    augmented,
    expand,
    expand_groups,
    expires,
    load_paraphrases,
    load_patterns,
    swapped,
    wrapped,
)
from scrubjay.training.ensemble import LASTING, Log, Recipe, fit_weights, head_of
from scrubjay.training.observations import Sentence, from_facts, from_sentences, join, spearman
from scrubjay.training.vectors import Vectors

LEFT_OUT: dict[str, str | None] = {"subjects": None, "kind left out": "kind", "source left out": "source"}
"""Rows of the card and the column that each leaves out."""
BUCKETS = np.array([0.5, 10.0, 120.0, 3 * 365.0, 15 * 365.0]) * DAY
"""Edges in seconds between the six buckets of everyday horizons: hours, days, months, years, decades, beyond."""


@dataclass(frozen=True)
class Data:
    """All that a fit needs."""

    facts: Facts
    sentences: Sequence[Sentence]
    families: Sequence[Sentence]
    vectors: Vectors


def train(
    data: Data, rows: NDArray[np.int64], recipe: Recipe, *, seed: int = 0, without: str = "", log: Log = lambda _: None
) -> PerishabilityHead:
    """A head from these facts and the train part of the sentences (without the families that are like `without`)."""
    facts = data.facts.take(rows)
    written, families = (
        [s for s in some if s.part == "train" and (not without or s.like != without)]
        for some in (data.sentences, data.families)
    )
    patterns = [s for s in expand(load_patterns(), recipe.fills, seed=seed) if s.part == "train"]
    patterns += [s for s in expand_groups(load_paraphrases(), recipe.said, seed=seed) if s.part == "train"]
    shares = [(written, 1.0), (families, recipe.families), (patterns, recipe.patterns)]
    plain = [s for some, _ in shares for s in some]
    shares.append((augmented(plain, seed=seed, anchors=recipe.anchors, wrappers=recipe.wrappers), recipe.made))
    sentences = [s for some, _ in shares for s in some]
    weights = [w * (recipe.lasting if s.never >= LASTING else 1.0) for some, w in shares for s in some]
    rng = np.random.default_rng([seed, 13])
    again = np.sort(rng.permutation(len(facts))[: int(recipe.wrapped_facts * len(facts))])
    every = facts.take(np.concatenate([np.arange(len(facts)), again]))
    texts = [str(t) for t in facts.text] + [wrapped(str(facts.text[i]), rng) for i in again]
    texts += [s.text for s in sentences]
    seen = join(from_facts(every, flatten=recipe.flatten), from_sentences(sentences, weights), recipe.everyday)
    pairs = swapped([*load_patterns(), *load_paraphrases()], recipe.swaps, seed=seed)
    first = len(texts)
    texts += [text for pair in pairs for text in pair]
    swaps = (np.arange(first, len(texts), dtype=np.int64).reshape(-1, 2), len(every))
    anchors = len(every) + _firsts(plain)
    vectors = data.vectors(texts)
    return head_of(fit_weights(vectors, texts, seen, recipe, seed=seed, anchors=anchors, swaps=swaps, log=log))


def _firsts(sentences: Sequence[Sentence]) -> NDArray[np.int64]:
    """The first sentence of each family: it becomes a prototype itself."""
    first: dict[str, int] = {}
    for i, s in enumerate(sentences):
        first.setdefault(s.family, i)
    return np.array(list(first.values()), np.int64)


def predict(
    head: PerishabilityHead, vectors: Vectors, facts: Facts, ex: Examples, *, kept: bool = False
) -> NDArray[np.float64]:
    """P(valid) for the examples of these facts: by the full curve, or (`kept`) by pi, tau and shape in float32."""
    texts = [str(t) for t in facts.text]
    if not texts:
        return np.zeros(0)
    curves = head.curve(vectors(texts), texts)
    ages = ex.delay.astype(np.float64) * DAY
    if not kept:
        return survival(curves.mixture[ex.fact], ages)
    scale, shape = (x.astype(np.float32).astype(np.float64)[ex.fact] for x in weibull(curves.mixture))
    p: NDArray[np.float64] = np.exp(-((ages / scale) ** shape))
    return p


def real_rows(
    data: Data,
    recipe: Recipe,
    *,
    shipped: PerishabilityHead | None = None,
    draws: int = 200,
    log: Log = lambda _: None,
) -> Iterator[tuple[str, ValidityScore]]:
    """Name and score of each row; `shipped` is scored on the subject split in place of a head trained here."""
    for name, column in LEFT_OUT.items():
        for strict in (False, True) if column == "kind" else (False,):
            splits: list[Split] = (
                [split_subjects(data.facts)] if column is None else list(splits_leave_out(data.facts, column))
            )
            facts, full, kept = [], [], []
            for split in splits:
                head = shipped if column is None and shipped is not None else None
                if head is None:
                    light = recipe if column is None else replace(recipe, folds=0, members=1)
                    without = split.name.rsplit(" ", 1)[-1] if strict else ""
                    head = train(data, split.train, light, without=without, log=log)
                test = data.facts.take(split.test)
                ex = examples(test)
                facts.append(split.test)
                full.append(predict(head, data.vectors, test, ex))
                kept.append(predict(head, data.vectors, test, ex, kept=True))
                log(f"{name}: {split.name}")
            pooled = data.facts.take(np.concatenate(facts))
            ex = examples(pooled)
            label = f"{name}, strict" if strict else name
            yield label, score(pooled, ex, np.concatenate(full), draws=draws)
            yield f"{label}, by pi tau shape", score(pooled, ex, np.concatenate(kept), draws=draws)


class EverydayScore(msgspec.Struct, frozen=True):
    """The held-out everyday sentences, by the horizon (the age at which P falls to one half)."""

    n: int
    rank_correlation: float
    """Spearman's, of the mean of P over log-spaced ages from ten minutes to a century."""
    bucket: float
    """Share in the right bucket of `BUCKETS`."""
    near_bucket: float
    """Share in the right bucket or next to it."""
    distance: float
    """Mean absolute difference of predicted and labelled P over those ages."""


def everyday_row(head: PerishabilityHead, vectors: Vectors, sentences: Sequence[Sentence]) -> EverydayScore:
    """Score a head on the held-out part of the sentences."""
    held = [s for s in sentences if s.part == "held_out"]
    texts = [s.text for s in held]
    ages = np.geomspace(600.0, 36500.0 * DAY, 80)
    truth = np.stack([s.survival(ages) for s in held])
    found = head.curve(vectors(texts), texts).at(np.tile(ages, (len(held), 1)))

    def bucket(p: NDArray[np.float64]) -> NDArray[np.int64]:
        median = np.where((p <= 0.5).any(axis=1), ages[np.argmax(p <= 0.5, axis=1)], np.inf)
        return np.digitize(median, BUCKETS)

    miss = np.abs(bucket(truth) - bucket(found))
    return EverydayScore(
        n=len(held),
        rank_correlation=spearman(truth.mean(axis=1), found.mean(axis=1)),
        bucket=float((miss == 0).mean()),
        near_bucket=float((miss <= 1).mean()),
        distance=float(np.abs(truth - found).mean()),
    )


def changed(sentences: Sequence[Sentence], patterns: Sequence[Sentence]) -> Iterator[tuple[str, list[Sentence]]]:
    """What is held out once more, with a random time expression and inside a random wrapping."""
    held = [s for s in [*sentences, *patterns] if s.part == "held_out"]
    rng = np.random.default_rng(14)
    free = [s for s in held if expires(s)]
    yield (
        "with a time expression",
        [anchored(s, ANCHORS[int(rng.integers(len(ANCHORS)))], leading=bool(rng.random() < 0.4)) for s in free],
    )
    yield "wrapped", [msgspec.structs.replace(s, text=wrapped(s.text, rng)) for s in held]


Report = Callable[[str], None]


def table(name: str, s: ValidityScore) -> str:
    """One line of the card's table."""

    def cell(x: object) -> str:
        value, low, high = (getattr(x, f) for f in ("estimate", "low", "high"))
        return f"{value:.4f} [{low:.4f}, {high:.4f}]"

    return f"| {name} | {s.n} | {cell(s.brier)} | {cell(s.auroc_within)} | {cell(s.ece)} | {cell(s.log_loss)} |"
