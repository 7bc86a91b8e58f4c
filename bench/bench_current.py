"""What is true now comes first: worlds of some months whose facts change in ordinary prose.

    python bench/bench_current.py [--worlds bench/current.jsonl] [--embedder minilm]

Each world is a namespace with its memories in the order of their times. Of each question, asked at a time, it is
counted whether the first hit answers it then, or did before: by a search, by one that knows no succession, by cosine,
and by the newest of the memories whose cosine is at most .1 less than the best one's. Nothing is trained on
`bench/current.jsonl`, six worlds by another author than those that were learned from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from scrubjay.protocols import Embedder
from scrubjay.recall.succession import SuccessionModel
from scrubjay.training.answers import cached_embedder
from scrubjay.training.succession import Ask, Lives, load_lives, scores

BEHIND = 0.1


def by_cosine(world: Lives, embedder: Embedder, pick: Callable[[np.ndarray], int]) -> list[tuple[Ask, str]]:
    """The memory that a rule picks by the cosines of what is there at the time, oldest first."""
    told = sorted(world.memories, key=lambda one: one.when)
    vectors = embedder.embed([one.text for one in told])
    questions = embedder.embed([ask.text for ask in world.questions])
    out = []
    for ask, vector in zip(world.questions, questions, strict=True):
        there = sum(one.when <= ask.now for one in told)
        if ask.current:
            out.append((ask, told[pick(vectors[:there] @ vector)].id))
    return out


def newest(cosine: np.ndarray) -> int:
    """The last of those near the best."""
    return int(np.flatnonzero(cosine >= cosine.max() - BEHIND)[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=Path, default=Path(__file__).parent / "current.jsonl")
    parser.add_argument("--embedder", choices=("use", "minilm"), default="use")
    given = parser.parse_args()
    embedder, worlds = cached_embedder(given.embedder), load_lives(given.worlds)
    print("search:          ", scores(worlds, embedder, SuccessionModel.load(embedder.name)))
    print("no succession:   ", scores(worlds, embedder, None))
    for label, pick in (("cosine:          ", lambda cosine: int(cosine.argmax())), ("newest of near:  ", newest)):
        found = [one for world in worlds for one in by_cosine(world, embedder, pick)]
        right = np.array([id in ask.current for ask, id in found])
        changed = np.array([bool(ask.over) for ask, _ in found])
        over = np.mean([id in ask.over for ask, id in found])
        print(
            f"{label} n {len(right)} right {right.mean():.3f} (updates {right[changed].mean():.3f}, others"
            f" {right[~changed].mean():.3f}) over {over:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
