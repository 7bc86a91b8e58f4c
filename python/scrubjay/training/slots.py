"""Training of the slot model: `python -m scrubjay.training.slots --data FOLDER [--embedder NAME] [--rows]`.

Writes `slot-<embedder>.npz` (`slot-text.npz` without one) for `scrubjay.slots.competition.SlotModel`. Facts of the
train subjects, plain relations, two thirds of the scenes and what the train families say of one subject are learned
from; the other subjects, scenes and families are only reported. A few networks with one hidden layer are fitted from
different starts by the weighted log loss (Adam, cosine step size, L2, noise on the inputs) and stored side by side as
one network whose logit is their mean. NumPy alone; the same data give the same weights.

`--rows` adds the rows of the model card: each kind and each source left out of the training.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.evaluate.cache import CachedEmbedder
from scrubjay.evaluate.metrics import auroc
from scrubjay.evaluate.validity import Facts, split_subjects, splits_leave_out
from scrubjay.protocols import Embedder
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.pair_columns import FEATURES, cosine_features
from scrubjay.slots.slot_features import pair_features
from scrubjay.slots.statements import statement
from scrubjay.training.observations import load_families
from scrubjay.training.slot_changes import change_pairs, load_changes
from scrubjay.training.slot_pairs import (
    Pairs,
    Vectors,
    fact_pairs,
    load_scenes,
    restated_pairs,
    scene_pairs,
    swapped_pairs,
)
from scrubjay.training.slot_relations import relation_pairs
from scrubjay.training.slot_subjects import subject_pairs
from scrubjay.training.sources import load_sources

SCENES: Final = ("slots.jsonl", "lives.jsonl", "plans.jsonl")


@dataclass(frozen=True)
class Fit:
    """How the networks are fitted (chosen on folds of the training scenes)."""

    hidden: int = 16
    members: int = 3
    epochs: int = 45
    batch: int = 512
    step: float = 3e-3
    decay: float = 1e-3
    noise: float = 0.2
    scenes: float = 3.0
    """Weight of all scene pairs against all fact pairs."""
    positives: float = 0.22
    """Share of the scenes' weight that competing pairs have."""
    restated: float = 0.3
    """Weight of all statements against their own words with other names and numbers."""
    restated_positives: float = 0.35
    """Share of it that competing pairs have."""
    subjects: float = 0.8
    """Weight of all pairs that share no more than their subject."""


def features(pairs: Pairs, vectors: Vectors | None) -> NDArray[np.float32]:
    """(pairs, columns) float32: the inputs of the model, with the cosine where there are vectors."""
    out = np.empty((len(pairs), len(FEATURES)), np.float32)
    step = 24
    for a in range(0, len(pairs), step):
        left, right = pairs.left[a : a + step], pairs.right[a : a + step]
        texts = list(dict.fromkeys(left + right))
        place = {t: i for i, t in enumerate(texts)}
        out[a : a + step] = pair_features(
            [statement(t) for t in texts],
            np.array([place[t] for t in left], np.intp),
            np.array([place[t] for t in right], np.intp),
        )
    if vectors is None:
        return out
    texts = pairs.texts
    place = {t: i for i, t in enumerate(texts)}
    table = vectors(texts)
    cosine = np.einsum("pd,pd->p", table[[place[t] for t in pairs.left]], table[[place[t] for t in pairs.right]])
    return np.concatenate([out, cosine_features(cosine.astype(np.float32))], axis=1)


def weights(facts: Pairs, scenes: Pairs, restated: Pairs, subjects: Pairs, fit: Fit) -> NDArray[np.float64]:
    """Kinds of facts count by the root of their size, together 1; the others by their weights of `fit`, persons and
    things of `subjects` alike."""
    counts = Counter(zip(facts.group, facts.same, strict=True))
    w = np.array([1 / np.sqrt(counts[k]) for k in zip(facts.group, facts.same, strict=True)])
    alike = Counter(subjects.group)
    return np.concatenate(
        [
            w / max(w.sum(), 1e-12),
            fit.scenes * _shares(scenes, fit.positives),
            fit.restated * _shares(restated, fit.restated_positives),
            [fit.subjects / (len(alike) * alike[kind]) for kind in subjects.group],
        ]
    )


def _shares(pairs: Pairs, positives: float) -> NDArray[np.float64]:
    same = np.array(pairs.same, bool)
    share = np.where(same, positives / max(same.sum(), 1), (1 - positives) / max((~same).sum(), 1))
    return np.asarray(share, np.float64)


def fit_network(
    x: NDArray[np.float32], same: NDArray[np.bool_], weight: NDArray[np.float64], fit: Fit, *, seed: int = 0
) -> dict[str, NDArray[np.float32]]:
    """Weights for `SlotModel` from inputs (n, d), labels and weights."""
    mean, spread = x.mean(0), x.std(0)
    scale = np.where(spread > 1e-3, 1 / np.maximum(spread, 1e-3), 1.0).astype(np.float32)
    z = np.clip((x - mean) * scale, -4, 4).astype(np.float32)
    w = (weight / weight.mean()).astype(np.float32)
    parts = [_fit_member(z, same.astype(np.float32), w, fit, seed * 1000 + i) for i in range(fit.members)]
    return {
        "mean": mean.astype(np.float32),
        "scale": scale,
        "inner": np.concatenate([p[0] for p in parts], axis=1),
        "inner_bias": np.concatenate([p[1] for p in parts]),
        "outer": np.concatenate([p[2] for p in parts]) / np.float32(fit.members),
        "outer_bias": np.mean([p[3] for p in parts], axis=0).astype(np.float32),
    }


def _fit_member(
    x: NDArray[np.float32], y: NDArray[np.float32], w: NDArray[np.float32], fit: Fit, seed: int
) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    n, d = x.shape
    h = fit.hidden
    p = [
        (rng.standard_normal((d, h)) / np.sqrt(d)).astype(np.float32),
        np.zeros(h, np.float32),
        (rng.standard_normal(h) / np.sqrt(h)).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    first = [np.zeros_like(a) for a in p]
    second = [np.zeros_like(a) for a in p]
    step = 0
    for epoch in range(fit.epochs):
        order = rng.permutation(n)
        rate = fit.step * 0.5 * (1 + np.cos(np.pi * epoch / fit.epochs))
        for a in range(0, n, fit.batch):
            rows = order[a : a + fit.batch]
            z = x[rows] + fit.noise * rng.standard_normal((rows.size, d), dtype=np.float32)
            hidden = np.tanh(z @ p[0] + p[1])
            logit = np.clip(hidden @ p[2] + p[3], -30, 30)
            g = w[rows] * (1 / (1 + np.exp(-logit)) - y[rows]) / rows.size
            back = np.outer(g, p[2]) * (1 - hidden * hidden)
            slope = [z.T @ back + fit.decay * p[0], back.sum(0), hidden.T @ g + fit.decay * p[2], g.sum(keepdims=True)]
            step += 1
            for i in range(4):
                first[i] += 0.1 * (slope[i] - first[i])
                second[i] += 0.001 * (slope[i] ** 2 - second[i])
                p[i] -= (rate * (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)).astype(
                    np.float32
                )
    return p


def train(
    facts: Facts, near: Vectors, vectors: Vectors | None, *, fit: Fit | None = None, seed: int = 0
) -> dict[str, NDArray[np.float32]]:
    """Weights from facts (one side of a split), plain relations, and the scenes and families that are not held out.
    `near` gives the vectors that find hard negatives, `vectors` those of the model's embedder (None: texts alone)."""
    fit = fit or Fit()
    scenes = [s for name in SCENES for s in load_scenes(name) if not s.held_out]
    from_scenes = scene_pairs(scenes, seed=seed)
    from_scenes.extend(swapped_pairs(scenes, seed=seed))
    pairs = fact_pairs(facts, near, seed=seed)
    pairs.extend(relation_pairs(seed=seed))
    pairs.extend(change_pairs(load_changes(), seed=seed))
    restated = restated_pairs(scenes, seed=seed)
    shared = subject_pairs(load_families(), near, seed=seed)
    weight = weights(pairs, from_scenes, restated, shared, fit)
    for more in (from_scenes, restated, shared):
        pairs.extend(more)
    return fit_network(features(pairs, vectors), np.array(pairs.same, bool), weight, fit, seed=seed)


def scores(model: SlotModel, pairs: Pairs, vectors: Vectors | None) -> str:
    """One line: AUROC, and precision, recall and false positives of c >= .5 and c >= .8."""
    same = np.array(pairs.same, bool)
    p = model.probability(features(pairs, vectors))
    line = (
        f"n {len(pairs)} compete {int(same.sum())} auroc {auroc(same, p) if same.any() and not same.all() else 0:.4f}"
    )
    for floor in (0.5, 0.8):
        hit = p >= floor
        line += (
            f" | c >= {floor}: precision {same[hit].mean() if hit.any() else 1:.3f}"
            f" recall {hit[same].mean() if same.any() else 1:.3f} false {hit[~same].mean():.4f}"
        )
    return line


def _embedder(name: str) -> Embedder:
    if name == "use":
        from scrubjay.encode.universal import UniversalEncoder

        return UniversalEncoder()
    from scrubjay.encode.minilm import MiniLMEncoder

    return MiniLMEncoder()


def report(facts: Facts, near: Vectors, vectors: Vectors | None, say: Callable[[str], Any]) -> None:
    """The rows of the model card: each kind and each source left out, then the held-out third of the scenes."""
    name = "with vectors" if vectors is not None else None
    for column in ("source", "kind"):
        for split in splits_leave_out(facts, column):
            model = SlotModel(train(facts.take(split.train), near, vectors), embedder=name)
            say(f"{split.name}: {scores(model, fact_pairs(facts.take(split.test), near, seed=1), vectors)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scrubjay.training.slots", description="Train the slot model.")
    parser.add_argument("--data", default=os.environ.get("SCRUBJAY_DATA"), help="folder that holds validity/*.jsonl")
    parser.add_argument("--embedder", choices=("none", "use", "minilm"), default="none")
    parser.add_argument(
        "--out", default=str(Path(__file__).parents[1] / "data" / "heads"), help="folder of the weights"
    )
    parser.add_argument("--rows", action="store_true", help="report each kind and source left out as well")
    given = parser.parse_args(arguments)
    if not given.data:
        parser.error("--data: give the folder of the data sets, or set SCRUBJAY_DATA")
    facts = load_sources(given.data)
    finder = CachedEmbedder(_embedder("use" if given.embedder == "none" else given.embedder))
    near: Vectors = finder.embed
    vectors = None if given.embedder == "none" else near
    split = split_subjects(facts)
    made = train(facts.take(split.train), near, vectors)
    name = "text" if vectors is None else finder.name
    path = Path(given.out) / f"slot-{name}.npz"
    np.savez(path, **made)  # type: ignore[arg-type]
    model = SlotModel(made, embedder=None if vectors is None else name)
    print(f"{path}: {path.stat().st_size} bytes")
    print("test subjects:", scores(model, fact_pairs(facts.take(split.test), near, seed=1), vectors))
    print("held-out changes:", scores(model, change_pairs(load_changes(), held_out=True), vectors))
    for name in SCENES:
        held = scene_pairs([s for s in load_scenes(name) if s.held_out])
        print(f"held-out scenes of {name}:", scores(model, held, vectors))
    restated = restated_pairs([s for name in SCENES for s in load_scenes(name) if s.held_out])
    print("held-out scenes in other names:", scores(model, restated, vectors))
    print("held-out families:", scores(model, subject_pairs(load_families(), near, held_out=True), vectors))
    if given.rows:
        report(facts, near, vectors, print)
    return 0


if __name__ == "__main__":
    sys.exit(main())
