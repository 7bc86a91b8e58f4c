"""Questions in a frame find as much as plain ones: "What should I remember about Ada's employer for the board meeting?"

    python bench/bench_frames.py [--embedder minilm] [--asked 240]

The made-up subjects of `bench/questions.jsonl` (English) are asked for attributes by the attribute's name, plainly
and in frames. Nothing is trained on it. A hit is right where it is of the subject and the attribute.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

import scrubjay
from bench_asking import NOW, lines
from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.encode.universal import UniversalEncoder

FRAMES = (
    "What is {t}?",
    "What should I know about {t}?",
    "What should I remember about {t} for the board meeting?",
    "What do I need to know about {t} before the call?",
    "Tell me about {t}.",
    "Remind me of {t}.",
    "Has {t} changed recently?",
    "Is {t} still the same?",
    "Please look up {t}.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", choices=("use", "minilm"), default="use")
    parser.add_argument("--asked", type=int, default=240)
    given = parser.parse_args()
    said, asked = lines()
    english = [one for one in asked if one.language == "en"]
    some = random.Random(3).sample(english, min(given.asked, len(english)))
    encoder = UniversalEncoder() if given.embedder == "use" else MiniLMEncoder()
    with scrubjay.open(":memory:", embedder=encoder) as store:
        units = store.add_many([{"text": one.text, "when": NOW + 60 * i} for i, one in enumerate(said)])
        of = {unit.id: (one.subject, one.attribute) for one, unit in zip(said, units, strict=True)}
        for frame in FRAMES:
            texts = [frame.replace("{t}", f"{one.subject[2]}'s {one.attribute.replace('_', ' ')}") for one in some]
            ranks = []
            found = store.search_many(texts, k=10, now=NOW + 60 * len(said))
            for one, hits in zip(some, found, strict=True):
                keys = [of[hit.memory.id] for hit in hits]
                target = one.subject, one.attribute
                ranks.append(keys.index(target) + 1 if target in keys else np.inf)
            rank = np.array(ranks)
            print(f"R@1 {(rank == 1).mean():.3f} R@5 {(rank <= 5).mean():.3f} MRR {(1 / rank).mean():.3f}  {frame}")


if __name__ == "__main__":
    main()
