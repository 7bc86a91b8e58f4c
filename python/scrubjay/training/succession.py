"""Training of the succession model: `python -m scrubjay.training.succession --data DATA [--rows] [--test WORLDS]`.

Learns from written worlds (`scrubjay/data/current.jsonl`): memories of some months, among them updates in ordinary
prose, and questions at a time, with the memories that answer them then and those that did before. Of each two of the
first memories that a search finds, the newer has taken the older one's place where the older did answer and the newer
does, and has not where the older one still answers or the newer never did. Worlds in which nothing changes
(`asked.jsonl`), and many worlds in one namespace, teach what takes nothing; real facts (DATA/validity, subjects for
training) that what is said of another subject takes none of this one's place. Adam with weight decay, noise on the
features, and hidden units left out; NumPy alone, the same data give the same weights.

`--rows` prints, for each of four parts of the worlds, what a model of the other parts makes of them; `--test` what the
new one makes of worlds that it has not learned from.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

import scrubjay
from scrubjay.evaluate.updates import make_updates
from scrubjay.evaluate.validity import split_subjects
from scrubjay.memorystore import MemoryStore
from scrubjay.protocols import Embedder
from scrubjay.recall.answers import WINDOW
from scrubjay.recall.succession import Succession, SuccessionModel, none_lost
from scrubjay.recall.succession_features import Seen, features
from scrubjay.training.adam import Adam
from scrubjay.training.answers import cached_embedder, load_worlds, scaling
from scrubjay.training.sources import load_sources

Array = NDArray[np.float32]
_DATA: Final = Path(__file__).parents[1] / "data"
_START: Final = 1.76e9
_DAY: Final = 86400.0
PARTS: Final = 4
BYSTANDS: Final = 2
"""What a pair is labelled with whose older memory never answered: nobody has taken its place."""


class Told(msgspec.Struct, frozen=True):
    """A memory of a world."""

    id: str
    when: str
    text: str


class Ask(msgspec.Struct, frozen=True):
    """A question at a time: the memories that answer it then, and those that did before."""

    text: str
    now: str
    current: list[str]
    over: list[str]


class Lives(msgspec.Struct, frozen=True):
    """A world whose facts change."""

    world: str
    memories: list[Told]
    questions: list[Ask]
    hand: str = ""
    """Who wrote it."""


class Pairs(NamedTuple):
    """Older and newer memories beside questions."""

    x: Array
    """(n, len(FEATURES))."""
    taken: Array
    """(n,) 1 where the newer has taken the older one's place, else 0."""
    weight: Array
    """(n,) how much each counts."""


@dataclass(frozen=True)
class Fit:
    """How a member is fitted (chosen by cross-validation over worlds)."""

    hidden: int = 16
    members: int = 4
    epochs: int = 30
    batch: int = 256
    step: float = 3e-3
    decay: float = 0.03
    noise: float = 0.2
    """Standard deviation of what is added to the features, in units of their own."""
    dropped: float = 0.1
    """Share of the hidden units that are left out."""
    unchanged: float = 0.0625
    """Weight of a pair of a world in which nothing changes."""
    mixed: float = 0.25
    """Weight of a pair of several worlds in one namespace."""
    aside: float = 0.1
    """Share of its weight that a pair has whose older memory never answered: there are many."""
    facts: float = 1.0
    """Weight of a pair of real facts, of which there are many of one wording."""


class _Listener:
    """Stands in for the model in a search: keeps what it is shown, and takes nothing."""

    def __init__(self) -> None:
        self.seen: Seen | None = None

    def find(self, seen: Seen) -> Succession:
        self.seen = seen
        return none_lost(len(seen.texts))


def load_lives(path: Path = _DATA / "current.jsonl") -> list[Lives]:
    """Worlds whose facts change."""
    return [msgspec.json.decode(line, type=Lives) for line in path.read_bytes().splitlines() if line.strip()]


def filled(store: MemoryStore, world: Lives) -> None:
    """Add a world's memories to a store, in a namespace of its own."""
    store.add_many({"text": one.text, "when": one.when, "namespace": world.world} for one in world.memories)


Shown = tuple[int, Seen, NDArray[np.int8]]
"""A number, what the model would see, and (m, m) what `labelled` says of its pairs."""


def lives_seen(worlds: Iterable[Lives], embedder: Embedder) -> list[Shown]:
    """For each question the number of its world, what the model would see, and what `labelled` says of its pairs."""
    out = []
    for number, world in enumerate(worlds):
        with scrubjay.open(":memory:", embedder=embedder) as store:
            filled(store, world)
            name = {one.text: one.id for one in world.memories}
            for ask in world.questions:
                seen = _seen(store, ask.text, world.world, ask.now)
                if seen is not None and ask.current:
                    out.append((number, seen, labelled([name[t] for t in seen.stored], ask.current, ask.over)))
    return out


def labelled(names: Sequence[str], current: Sequence[str], over: Sequence[str]) -> NDArray[np.int8]:
    """(m, m): whether the second has taken the first one's place, 1 or 0; BYSTANDS where the first never answered, -1
    where nobody can say.

    >>> labelled(["old", "new", "other"], ["new"], ["old"]).tolist()
    [[1, 1, 0], [0, -1, 0], [2, 2, 2]]
    """
    answers, was = np.isin(names, list(current)), np.isin(names, list(over))
    out = np.full((len(names), len(names)), BYSTANDS, np.int8)
    out[was] = 0
    out[np.ix_(was, was | answers)] = 1
    out[answers] = 0
    out[np.ix_(answers, answers)] = -1
    return out


def mixed(worlds: Sequence[Lives]) -> Lives:
    """Several worlds as one: what is told of others is no answer, however alike it is.

    >>> one = Lives("a", [Told("1", "2026-01-01", "Ada is in Rome.")], [Ask("where is Ada?", "2026-01-02", ["1"], [])])
    >>> both = mixed([one, msgspec.structs.replace(one, world="b")])
    >>> [told.id for told in both.memories], both.questions[1].current
    (['a 1', 'b 1'], ['b 1'])
    """
    replace = msgspec.structs.replace
    memories, questions = [], []
    for one in worlds:
        memories += [replace(told, id=f"{one.world} {told.id}") for told in one.memories]
        questions += [
            replace(
                ask, current=[f"{one.world} {id}" for id in ask.current], over=[f"{one.world} {id}" for id in ask.over]
            )
            for ask in one.questions
        ]
    return Lives("+".join(one.world for one in worlds)[:100], memories, questions)


def unchanged_seen(embedder: Embedder, *, share: int = 3, together: int = 1) -> list[Shown]:
    """What the model would see of every `share`-th world of `asked.jsonl`, its facts told in any order over months,
    `together` worlds in one namespace."""
    rng = np.random.default_rng(together)
    worlds = load_worlds()[::share]
    out = []
    for a in range(0, len(worlds), together):
        facts = [fact for world in worlds[a : a + together] for fact in world.facts]
        with scrubjay.open(":memory:", embedder=embedder) as store:
            when = _START + np.cumsum(rng.exponential(6 * _DAY, len(facts)) + 3600.0)
            order = rng.permutation(len(facts)).tolist()
            store.add_many(
                {"text": facts[i].text, "when": t, "namespace": "world"}
                for i, t in zip(order, when.tolist(), strict=True)
            )
            now = float(when[-1] + rng.exponential(20 * _DAY))
            for fact in facts:
                for question in fact.asks:
                    seen = _seen(store, question, "world", now)
                    if seen is not None and fact.text in seen.stored:
                        out.append((0, seen, labelled(seen.stored, [fact.text], [])))
    return out


def facts_seen(folder: Path, embedder: Embedder) -> list[Shown]:
    """What the model would see of updates of real facts, each asked at some times, of subjects for training."""
    facts = load_sources(folder)
    updates = make_updates(facts.take(split_subjects(facts).train), asks=1)
    texts = [str(updates.facts.text[row]) for row in updates.stored]
    start = updates.facts.start[updates.stored]
    out, done = [], 0
    with scrubjay.open(":memory:", embedder=embedder) as store:
        for day in sorted({question.day for question in updates.questions}):
            due = int(np.searchsorted(start, day, side="left"))
            store.add_many({"text": texts[i], "when": float(start[i]) * _DAY} for i in range(done, due))
            done = due
            for question in updates.questions:
                if question.day == day and question.relevant:
                    seen = _seen(store, question.text, (), day * _DAY)
                    if seen is not None:
                        current, over = ({texts[i] for i in some} for some in (question.relevant, question.stale))
                        out.append((0, seen, labelled(seen.stored, [*current], [*(over - current)])))
    return out


def _seen(store: MemoryStore, question: str, namespace: str | tuple[()], now: str | float) -> Seen | None:
    listener = _Listener()
    store._engine.succession = listener  # type: ignore[assignment]
    store.search(question, k=WINDOW, namespace=namespace, now=now)
    return listener.seen


def pairs_of(seen: Seen, taken: NDArray[np.int8], weight: float, aside: float = Fit.aside) -> Pairs:
    """The pairs of which somebody can say whether the newer has taken the older one's place; those whose older memory
    never answered weigh `aside` times as much."""
    known = seen.newer & (taken >= 0)
    x = features(seen)[known]
    label = taken[known]
    counts = np.where(label == BYSTANDS, weight * aside, weight).astype(np.float32)
    return Pairs(x, (label == 1).astype(np.float32), counts)


def joined(parts: Sequence[Pairs]) -> Pairs:
    """Pairs of several questions as one."""
    return Pairs(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def fit(data: Pairs, how: Fit | None = None, *, seed: int = 0) -> dict[str, Array]:
    """Weights for `SuccessionModel`: members with other beginnings, side by side as one network."""
    how = how or Fit()
    mean, scale = scaling(data.x)
    z = data._replace(x=np.clip((data.x - mean) * scale, -4, 4).astype(np.float32))
    direct, bias, inner, inner_bias, outer = zip(
        *(_member(z, how, seed * 1000 + i) for i in range(how.members)), strict=True
    )
    share = np.float32(1 / how.members)
    return {
        "mean": mean, "scale": scale, "direct": np.sum(direct, axis=0) * share, "bias": np.sum(bias, axis=0) * share,
        "inner": np.concatenate(inner, axis=1), "inner_bias": np.concatenate(inner_bias),
        "outer": np.concatenate(outer) * share,
    }  # fmt: skip


def _member(data: Pairs, how: Fit, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    n, f = data.x.shape
    h = how.hidden
    weight = data.weight / data.weight.mean()

    def normal(shape: tuple[int, ...], size: float) -> Array:
        drawn: Array = rng.standard_normal(shape, dtype=np.float32) * np.float32(size)
        return drawn

    p = [np.zeros(f, np.float32), np.full(1, -3.0, np.float32), normal((f, h), f**-0.5), np.zeros(h, np.float32),
         normal((h,), 0.3)]  # fmt: skip
    decay = (how.decay, 0.0, how.decay, 0.0, how.decay)
    adam = Adam(p)
    steps = how.epochs * -(-n // how.batch)
    for _ in range(how.epochs):
        order = rng.permutation(n)
        for a in range(0, n, how.batch):
            some = order[a : a + how.batch]
            x = data.x[some] + how.noise * rng.standard_normal((len(some), f), dtype=np.float32)
            kept = (rng.random(h) >= how.dropped).astype(np.float32) / np.float32(1 - how.dropped)
            direct, bias, inner, inner_bias, outer = p
            hidden = np.tanh(x @ inner + inner_bias)
            z = x @ direct + (hidden * kept) @ outer + bias
            slope = ((1 / (1 + np.exp(-z)) - data.taken[some]) * weight[some] / len(some)).astype(np.float32)
            back = np.outer(slope, outer * kept) * (1 - hidden * hidden)
            slopes = [slope @ x, slope.sum().reshape(1), x.T @ back, back.sum(axis=0), slope @ (hidden * kept)]
            moves = adam.moves(slopes)
            rate = how.step * 0.5 * (1 + np.cos(np.pi * adam.done / steps))
            for i, move in enumerate(moves):
                p[i] -= (rate * (move + decay[i] * p[i])).astype(np.float32)
    return p


class Scores(NamedTuple):
    """What searches of worlds whose facts change give."""

    questions: int
    current: float
    """Share of the questions whose first hit answers now."""
    updates: float
    """The same of those that an older memory answered before."""
    unchanged: float
    """The same of the others."""
    over: float
    """Share of the questions whose first hit is over."""
    brier: float
    """Of `valid` of the memories that answer, or did."""

    def __str__(self) -> str:
        return (
            f"n {self.questions} right {self.current:.3f} (updates {self.updates:.3f}, others {self.unchanged:.3f})"
            f" over {self.over:.3f} Brier of valid {self.brier:.3f}"
        )


def scores(worlds: Iterable[Lives], embedder: Embedder, model: SuccessionModel | None) -> Scores:
    """How often the first hit is what is true at the time, with a model or without one."""
    right: list[tuple[bool, bool, bool]] = []
    error = []
    for world in worlds:
        with scrubjay.open(":memory:", embedder=embedder) as store:
            filled(store, world)
            store._engine.succession = model
            name = {one.text: one.id for one in world.memories}
            for ask in world.questions:
                if not ask.current:
                    continue
                hits = store.search(ask.text, k=WINDOW, namespace=world.world, now=ask.now)
                first = name[hits[0].memory.text]
                right.append((first in ask.current, bool(ask.over), first in ask.over))
                for hit in hits:
                    one = name[hit.memory.text]
                    if one in ask.current or one in ask.over:
                        error.append((hit.valid - (one in ask.current)) ** 2)
    table = np.array(right, bool)
    changed = table[:, 1]
    return Scores(
        len(table), float(table[:, 0].mean()), float(table[changed, 0].mean()), float(table[~changed, 0].mean()),
        float(table[:, 2].mean()), float(np.mean(error)),
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m scrubjay.training.succession", description="Train the succession model."
    )
    parser.add_argument("--embedder", choices=("use", "minilm"), default="use")
    parser.add_argument("--data", default=os.environ.get("SCRUBJAY_DATA"), help="folder that holds validity/*.jsonl")
    parser.add_argument("--out", type=Path, default=_DATA / "heads", help="folder of the weights")
    parser.add_argument("--test", type=Path, help="worlds that are not learned from, to print the scores of")
    parser.add_argument("--rows", action="store_true", help="print what is made of each part by a model of the others")
    given = parser.parse_args(arguments)
    if not given.data:
        parser.error("--data: give the folder of the data sets, or set SCRUBJAY_DATA")
    embedder, how = cached_embedder(given.embedder), Fit()
    worlds = load_lives()
    lives = [(number, pairs_of(seen, taken, 1.0)) for number, seen, taken in lives_seen(worlds, embedder)]
    still = [(unchanged_seen(embedder), how.unchanged), (unchanged_seen(embedder, together=6), how.unchanged)]
    still.append((facts_seen(Path(given.data), embedder), how.facts))
    beside = [pairs_of(seen, taken, weight) for some, weight in still for _, seen, taken in some]

    def learned(but: int | None = None) -> dict[str, Array]:
        kept = [world for i, world in enumerate(worlds) if i % PARTS != but]
        many = [pairs_of(seen, taken, how.mixed) for _, seen, taken in lives_seen([mixed(kept)], embedder)]
        return fit(joined([*(pairs for number, pairs in lives if number % PARTS != but), *many, *beside]), how)

    if given.rows:
        for part in range(PARTS):
            model = SuccessionModel(learned(part), embedder=embedder.name)
            print(f"part {part}, without:", scores(worlds[part::PARTS], embedder, None))
            print(f"part {part}, by the others':", scores(worlds[part::PARTS], embedder, model), flush=True)
    made = learned()
    path = given.out / f"succession-{embedder.name}.npz"
    given.out.mkdir(parents=True, exist_ok=True)
    np.savez(path, **made)  # type: ignore[arg-type]
    print(f"{path}: {path.stat().st_size} bytes")
    if given.test is not None:
        model = SuccessionModel(made, embedder=embedder.name)
        print("without:", scores(load_lives(given.test), embedder, None))
        print("not learned from:", scores(load_lives(given.test), embedder, model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
