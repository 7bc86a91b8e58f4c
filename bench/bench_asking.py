"""The first hit has the right attribute: questions about made-up attributes, their names compared apart or not.

    python bench/bench_asking.py [--embedder minilm] [--asked 400]
    python bench/bench_asking.py --worlds bench/asked.jsonl

The second form asks the questions of written worlds, each in its own namespace, the first hits asked whether they
answer (weight "answer") or not, and tells how well `Hits.answered` knows questions that nothing answers. In
`bench/few.jsonl` there are three persons of twelve facts each, and half of the questions have no answer, most of those
of an attribute that another person has.

Everything that `bench/questions.jsonl` says (attributes of persons, teams, projects, services, devices, places,
documents and events; statements and questions in other words; six languages) is stored of every third name, and some
of its questions are asked. Nothing is trained on it. A hit is right where it is of the subject and the attribute.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import scrubjay
from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.evaluate.metrics import auroc
from scrubjay.protocols import Embedder
from scrubjay.recall import factors, lexical
from scrubjay.recall.answers import UNLIKELY
from scrubjay.recall.asking import unnamed
from scrubjay.training.answers import load_worlds

NOW = 1.7e9


class Line(NamedTuple):
    text: str
    language: str
    subject: tuple[str, str, str]
    attribute: str


def lines(seed: int = 5) -> tuple[list[Line], list[Line]]:
    """One statement and one question of each attribute of every third name."""
    rows: list[dict[str, Any]] = [
        json.loads(row) for row in (Path(__file__).parent / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    names = {(row["language"], row["about"]): row["names"] for row in rows if "names" in row}
    rng = random.Random(seed)
    said, asked = [], []
    for row in rows:
        for name in [] if "names" in row else names[row["language"], row["about"]]:
            subject = row["language"], row["about"], name
            if zlib.crc32(":".join(subject).encode()) % 3:
                continue
            one = rng.choice(row["said"]).replace("{s}", name).replace("{v}", rng.choice(row["values"]))
            two = rng.choice(row["asked"]).replace("{s}", name)
            said.append(Line(one[0].upper() + one[1:], row["language"], subject, row["attribute"]))
            asked.append(Line(two[0].upper() + two[1:], row["language"], subject, row["attribute"]))
    return said, asked


def ask_worlds(path: Path, encoder: Embedder) -> None:
    """Recall of the answers of written worlds, and whether gaps are told."""
    worlds = load_worlds(path)
    for share in (0.0, factors.ANSWER_SHARE):
        factors.ANSWER_SHARE = share  # type: ignore[misc]
        ranks, there, told, first = [], [], [], []
        with scrubjay.open(":memory:", embedder=encoder) as store:
            for number, world in enumerate(worlds):
                space = str(number)
                texts = [{"text": fact.text, "when": NOW + i, "namespace": space} for i, fact in enumerate(world.facts)]
                store.add_many(texts)
                asked = [(ask, fact.text) for fact in world.facts for ask in fact.asks]
                asked += [(ask, "") for ask in world.unanswered]
                found = store.search_many([ask for ask, _ in asked], namespace=space, now=NOW + 3600.0)
                for (_, answer), hits in zip(asked, found, strict=True):
                    there.append(bool(answer))
                    told.append(hits.answered or 0.0)
                    first.append(max((hit.answers or 0.0 for hit in hits), default=0.0))
                    if answer:
                        order = [hit.memory.text for hit in hits]
                        ranks.append(order.index(answer) + 1 if answer in order else np.inf)
        rank, real, p = np.array(ranks), np.array(there), np.array(told)
        line = f"weight {share:g}: n {len(rank)} R@1 {(rank == 1).mean():.3f} R@5 {(rank <= 5).mean():.3f}"
        print(f"{line} MRR {(1 / rank).mean():.3f}", flush=True)
        if share:
            low = p < UNLIKELY
            tenths = [b for b in np.array_split(np.argsort(p, kind="stable"), 10) if len(b)]
            error = sum(abs(p[b].mean() - real[b].mean()) * len(b) for b in tenths) / len(p)
            print(
                f"answered: AUROC {auroc(real, p):.3f} (of the best share {auroc(real, np.array(first)):.3f})", end=" "
            )
            print(f"Brier {((p - real) ** 2).mean():.3f} ECE {error:.3f}", end=" ")
            print(f"said to have none: {low[~real].mean():.2f} of the unanswered, {low[real].mean():.3f} of the others")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", choices=("use", "minilm"), default="use")
    parser.add_argument("--asked", type=int, default=400)
    parser.add_argument("--worlds", type=Path)
    given = parser.parse_args()
    encoder = UniversalEncoder() if given.embedder == "use" else MiniLMEncoder()
    if given.worlds is not None:
        ask_worlds(given.worlds, encoder)
        return
    said, asked = lines()
    asked = random.Random(0).sample(asked, min(given.asked, len(asked)))
    with scrubjay.open(":memory:", embedder=encoder) as store:
        units = store.add_many([{"text": one.text, "when": NOW + 60 * i} for i, one in enumerate(said)])
        of = {unit.id: (one.subject, one.attribute) for one, unit in zip(said, units, strict=True)}
        for near in (0.0, lexical.NEAR):
            lexical.NEAR = near  # type: ignore[misc]
            found = store.search_many([one.text for one in asked], k=10, now=NOW + 60 * len(said))
            for label, some in (("with names", True), ("others", False)):
                right = []
                for one, hits in zip(asked, found, strict=True):
                    if bool(unnamed(one.text)) != some:
                        continue
                    keys = [of[hit.memory.id] for hit in hits]
                    target = one.subject, one.attribute
                    rank = keys.index(target) + 1 if target in keys else 0
                    right.append((rank == 1, 1 / rank if rank else 0.0, keys[0][0] == one.subject))
                first, mrr, subject = np.mean(right, axis=0)
                print(
                    f"near {near:g}, {label}: n {len(right)} R@1 {first:.3f} MRR {mrr:.3f} subject {subject:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
