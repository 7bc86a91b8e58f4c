"""Training of the answer model: `python -m scrubjay.training.answers [--embedder use|minilm] [--out DIR] [--rows]`.

Learns from written worlds (`scrubjay/data/asked.jsonl`): statements about a few subjects, questions in other words that
one of them answers, and questions that none does. Each world is a namespace; a search finds the candidates, as it does
for whoever uses the model, and the loss is the cross-entropy of the right one among them, or of none. Adam with weight
decay, noise on features and vectors, and hidden units left out; NumPy alone, the same data give the same weights.

`--rows` prints, for each hand that wrote, what a model that was trained on the others' worlds makes of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

import scrubjay
from scrubjay.evaluate.cache import CachedEmbedder
from scrubjay.evaluate.metrics import auroc
from scrubjay.protocols import Embedder
from scrubjay.recall.answer_features import FEATURES, Query, features
from scrubjay.recall.answers import WINDOW, AnswerModel, shares_of
from scrubjay.recall.asking import unnamed
from scrubjay.training.adam import Adam

Array = NDArray[np.float32]
_DATA: Final = Path(__file__).parents[1] / "data"
_START: Final = 1.7e9
_HOUR: Final = 3600.0
_NONE: Final = -1


class Fact(msgspec.Struct, frozen=True):
    """A statement and questions that it answers."""

    text: str
    asks: list[str]


class World(msgspec.Struct, frozen=True):
    """Statements about one to four subjects."""

    world: str
    facts: list[Fact]
    hand: str = ""
    """Who wrote it."""
    unanswered: list[str] = []
    """Questions about the same subjects that no statement answers."""


class Asked(NamedTuple):
    """A question, the texts that a search found for it (best first), and which of them answers."""

    hand: str
    query: Query
    texts: list[str]
    target: int
    """Place in `texts`; -1 where none of them answers."""
    answerable: bool
    """Whether a statement of the world does."""


@dataclass(frozen=True)
class Fit:
    """How a member is fitted (chosen by cross-validation over worlds)."""

    hidden: int = 16
    rank: int = 56
    members: int = 2
    epochs: int = 12
    batch: int = 128
    step: float = 2e-3
    decay: tuple[float, float] = (1e-2, 3.0)
    """Of the weights of features and of those of vectors."""
    noise: tuple[float, float] = (0.2, 0.02)
    """Standard deviation of what is added to features and to each entry of a vector."""
    dropped: float = 0.3
    """Share of the question's hidden units that are left out."""
    others: float = 0.3
    """Weight of other questions' answers as wrong ones."""
    gain: float = 3.0
    """What the product of vectors is multiplied by."""
    sharp: float = 16.0
    """What their cosine is multiplied by where other questions' answers are compared."""


def load_worlds(name: str | Path = "asked.jsonl") -> list[World]:
    """Written worlds: a file of `scrubjay/data`, or a path."""
    path = name if isinstance(name, Path) else _DATA / name
    return [msgspec.json.decode(line, type=World) for line in path.read_bytes().splitlines() if line.strip()]


def search_worlds(worlds: Sequence[World], embedder: Embedder) -> list[Asked]:
    """Every question of every world with what a search of that world finds first."""
    out = []
    with scrubjay.open(":memory:", embedder=embedder) as store:
        for number, world in enumerate(worlds):
            space = ("world", str(number))
            store.add_many(
                {"text": fact.text, "when": _START + i * _HOUR, "namespace": space}
                for i, fact in enumerate(world.facts)
            )
            pairs = [(question, fact.text) for fact in world.facts for question in fact.asks]
            pairs += [(question, "") for question in world.unanswered]
            questions = [question for question, _ in pairs]
            bare = [unnamed(question) or question for question in questions]
            vectors, apart = embedder.embed(questions), embedder.embed(bare)
            now = _START + (len(world.facts) + 1) * _HOUR
            found = store.search_many(questions, k=WINDOW, namespace=space, now=now)
            for (question, answer), words, v, b, hits in zip(pairs, bare, vectors, apart, found, strict=True):
                # by everything else: what an earlier model made of them is no part of the order
                plain = sorted(hits, key=lambda hit: hit.factors["answer"] - hit.score)
                texts = [hit.memory.text for hit in plain]
                target = texts.index(answer) if answer in texts else _NONE
                out.append(Asked(world.hand, Query(question, v, b, words), texts, target, bool(answer)))
    return out


class Inputs(NamedTuple):
    """What a network is fitted to, a row for each question."""

    x: Array
    """(n, WINDOW, features)."""
    mask: NDArray[np.bool_]
    """(n, WINDOW)."""
    target: NDArray[np.int64]
    """(n,) -1 for none."""
    vectors: Array
    """(n, WINDOW, d)."""
    asked: Array
    """(n, 2 d): the question without its names, and whole."""

    def of(self, some: NDArray[Any]) -> Inputs:
        """The rows `some`."""
        return Inputs(*(part[some] for part in self))


def inputs(asked: Sequence[Asked], embedder: Embedder) -> Inputs:
    """The inputs of the model for each question."""
    texts = list(dict.fromkeys(text for one in asked for text in one.texts))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    n, d = len(asked), embedder.dim
    out = Inputs(
        np.zeros((n, WINDOW, len(FEATURES)), np.float32),
        np.zeros((n, WINDOW), bool),
        np.array([one.target for one in asked], np.int64),
        np.zeros((n, WINDOW, d), np.float32),
        np.array([np.concatenate([one.query.bare, one.query.vector]) for one in asked], np.float32).reshape(n, 2 * d),
    )
    for i, one in enumerate(asked):
        m = len(one.texts)
        if m:
            rows = np.array([vectors[text] for text in one.texts], np.float32)
            out.x[i, :m], out.mask[i, :m], out.vectors[i, :m] = features(one.query, one.texts, rows), True, rows
    return out


def scaling(x: Array) -> tuple[Array, Array]:
    """(f) the mean of each column of x (n, f), and the factor that gives it unit spread; 0 for one that is constant."""
    mean, spread = x.mean(axis=0), x.std(axis=0)
    return mean, np.where(spread > 1e-3, 1 / np.maximum(spread, 1e-3), 0.0).astype(np.float32)


def fit(data: Inputs, how: Fit | None = None, *, seed: int = 0) -> dict[str, Array]:
    """Weights for `AnswerModel`: members with other beginnings, side by side as one network."""
    how = how or Fit()
    seen = data.x[data.mask]
    mean, scale = scaling(seen)
    z = data._replace(x=np.clip((data.x - mean) * scale, -4, 4).astype(np.float32))
    parts = [_member(z, how, seed * 1000 + i) for i in range(how.members)]
    share = np.float32(1 / how.members)
    direct, bias, inner, inner_bias, outer, question, question_bias, answer = zip(*parts, strict=True)
    made = {
        "mean": mean,
        "scale": scale,
        "direct": np.sum(direct, axis=0) * share,
        "bias": np.sum(bias, axis=0) * share,
        "inner": np.concatenate(inner, axis=1),
        "inner_bias": np.concatenate(inner_bias),
        "outer": np.concatenate(outer) * share,
        "question": np.concatenate(question, axis=1),
        "question_bias": np.concatenate(question_bias),
        "answer": np.concatenate(answer) * share * np.float32(how.gain),
    }
    large = ("question", "answer")
    return {name: part.astype(np.float16 if name in large else np.float32) for name, part in made.items()}


def _member(data: Inputs, how: Fit, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    n, _, f = data.x.shape
    d, h, r = data.vectors.shape[2], how.hidden, how.rank

    def normal(shape: tuple[int, ...], size: float) -> Array:
        drawn: Array = rng.standard_normal(shape, dtype=np.float32) * np.float32(size)
        return drawn

    p = [
        np.zeros(f, np.float32), np.full(1, -2.0, np.float32),
        normal((f, h), f**-0.5), np.zeros(h, np.float32), normal((h,), 0.3 * h**-0.5),
        normal((2 * d, r), 0.5**0.5), np.zeros(r, np.float32), normal((r, d), 0.01),
    ]  # fmt: skip
    of_features, of_vectors = how.decay
    decay = [of_features, 0.0, of_features, 0.0, of_features, of_vectors, 0.0, of_vectors]
    adam = Adam(p)
    batch = min(how.batch, n)
    # noise is a stretch of a pool that begins anywhere: drawing it anew costs more than all the rest
    pool = normal((2 * batch * WINDOW * max(f, d),), 1.0)

    def noise(shape: tuple[int, ...], size: float) -> Array:
        count = int(np.prod(shape))
        at = int(rng.integers(0, pool.size - count))
        taken: Array = pool[at : at + count].reshape(shape) * np.float32(size)
        return taken

    steps = how.epochs * (n // batch)
    for _ in range(how.epochs):
        order = rng.permutation(n)
        for start in range(0, n - batch + 1, batch):
            some = data.of(order[start : start + batch])
            some = some._replace(
                x=some.x + noise(some.x.shape, how.noise[0]),
                vectors=some.vectors + noise(some.vectors.shape, how.noise[1]),
                asked=some.asked + noise(some.asked.shape, how.noise[1]),
            )
            kept = ((rng.random((batch, r)) > how.dropped) / (1.0 - how.dropped)).astype(np.float32)
            moves = adam.moves(_slopes(p, some, kept, how))
            rate = how.step * min(1.0, adam.done / 30) * 0.5 * (1 + np.cos(np.pi * adam.done / steps))
            for i, move in enumerate(moves):
                p[i] -= (rate * (move + decay[i] * p[i])).astype(np.float32)
    return p


def _slopes(p: Sequence[Array], some: Inputs, kept: Array, how: Fit) -> list[Array]:
    """The gradient of the mean loss of a batch, a part for each of the parameters."""
    direct, bias, inner, inner_bias, outer, question, question_bias, answer = p
    n = len(some.x)
    hidden = np.tanh(some.x @ inner + inner_bias)
    raw = some.asked @ question + question_bias
    active = np.maximum(raw, 0.0) * kept
    turned = active @ answer
    z = some.x @ direct + hidden @ outer + bias + np.einsum("nd,nkd->nk", turned, some.vectors) * how.gain
    right = np.flatnonzero(some.target >= 0)
    wanted = np.zeros(z.shape, np.float32)
    wanted[right, some.target[right]] = 1.0
    slope = shares_of(np.where(some.mask, z, -1e9).astype(np.float64)) - wanted
    slope = np.where(some.mask, slope / n, 0.0).astype(np.float32)
    of_turned = np.einsum("nk,nkd->nd", slope, some.vectors) * how.gain
    # the answers of the batch's other questions are wrong ones
    answers = some.vectors[right, some.target[right]]
    d = answers.shape[1]
    each = some.asked[right, :d] @ answers.T * how.sharp + turned[right] @ answers.T * how.gain
    each = np.exp(each - each.max(axis=1, keepdims=True))
    each /= each.sum(axis=1, keepdims=True)
    each[np.arange(len(right)), np.arange(len(right))] -= 1.0
    of_turned[right] += how.others / n * how.gain * (each @ answers)
    back = slope[..., None] * outer * (1 - hidden * hidden)
    of_raw = (of_turned @ answer.T) * kept * (raw > 0.0)
    return [
        np.einsum("nk,nkf->f", slope, some.x),
        slope.sum().reshape(1),
        np.tensordot(some.x, back, ([0, 1], [0, 1])),
        back.sum(axis=(0, 1)),
        np.einsum("nk,nkh->h", slope, hidden),
        some.asked.T @ of_raw,
        of_raw.sum(axis=0),
        active.T @ of_turned,
    ]  # fmt: skip


class Scores(NamedTuple):
    """What a model makes of questions."""

    questions: int
    first: float
    """Share of the answerable ones whose answer comes first; `before`: by the search alone."""
    before: float
    five: float
    """The same among the first five."""
    five_before: float
    answered: float
    """AUROC of `answered`: answerable against not."""
    brier: float
    """Of `answered`."""
    error: float
    """Expected calibration error of `answered`, in tenths."""

    def __str__(self) -> str:
        return (
            f"n {self.questions} R@1 {self.before:.3f} -> {self.first:.3f} R@5 {self.five_before:.3f} ->"
            f" {self.five:.3f} answered: AUROC {self.answered:.3f} Brier {self.brier:.3f} ECE {self.error:.3f}"
        )


def scores(model: AnswerModel, asked: Sequence[Asked], embedder: Embedder) -> Scores:
    """How well the shares order the candidates, and tell whether there is an answer."""
    texts = list(dict.fromkeys(text for one in asked for text in one.texts))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    ranks, before, sums = [], [], []
    for one in asked:
        share = model.shares(one.query, one.texts, np.array([vectors[text] for text in one.texts], np.float32))
        sums.append(float(share.sum()))
        if one.answerable:
            found = one.target >= 0
            before.append(one.target if found else WINDOW)
            ranks.append(int((share > share[one.target]).sum()) if found else WINDOW)
    rank, plain, p = np.array(ranks), np.array(before), np.array(sums)
    there = np.array([one.answerable for one in asked], bool)
    bins = np.array_split(np.argsort(p, kind="stable"), 10)
    return Scores(
        len(asked),
        float((rank == 0).mean()),
        float((plain == 0).mean()),
        float((rank < 5).mean()),
        float((plain < 5).mean()),
        auroc(there, p) if there.any() and not there.all() else float("nan"),
        float(((p - there) ** 2).mean()),
        float(sum(abs(p[b].mean() - there[b].mean()) * len(b) for b in bins if len(b)) / len(p)),
    )


def cached_embedder(name: str) -> CachedEmbedder:
    """The embedder `use` or `minilm`, which remembers what it has read."""
    if name == "use":
        from scrubjay.encode.universal import UniversalEncoder

        return CachedEmbedder(UniversalEncoder())
    from scrubjay.encode.minilm import MiniLMEncoder

    return CachedEmbedder(MiniLMEncoder())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scrubjay.training.answers", description="Train the answer model.")
    parser.add_argument("--embedder", choices=("use", "minilm"), default="use")
    parser.add_argument("--out", type=Path, default=_DATA / "heads", help="folder of the weights")
    parser.add_argument("--test", type=Path, help="worlds that are not learned from, to print the scores of")
    parser.add_argument("--rows", action="store_true", help="print what is made of each hand's worlds by the others'")
    given = parser.parse_args(arguments)
    embedder = cached_embedder(given.embedder)
    asked = search_worlds(load_worlds(), embedder)
    data = inputs(asked, embedder)
    if given.rows:
        hands = np.array([one.hand for one in asked])
        for hand in dict.fromkeys(hands.tolist()):
            model = AnswerModel(fit(data.of(hands != hand)), embedder=embedder.name)
            own = [one for one in asked if one.hand == hand]
            print(f"{hand}, by the others':", scores(model, own, embedder), flush=True)
    made = fit(data)
    path = given.out / f"answer-{embedder.name}.npz"
    given.out.mkdir(parents=True, exist_ok=True)
    np.savez(path, **made)  # type: ignore[arg-type]
    print(f"{path}: {path.stat().st_size} bytes")
    if given.test is not None:
        model = AnswerModel(made, embedder=embedder.name)
        print("not learned from:", scores(model, search_worlds(load_worlds(given.test), embedder), embedder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
