"""`python -m scrubjay.training --data DIR`: train the heads, or print the rows of the model card.

DIR holds validity/endoflife.jsonl, congress.jsonl and yago.jsonl (default: the environment's SCRUBJAY_DATA).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from scrubjay.encode.head import FILES, TEXT_ONLY, PerishabilityHead
from scrubjay.evaluate.validity import split_subjects
from scrubjay.training.augment import expand, load_paraphrases, load_patterns
from scrubjay.training.ensemble import Recipe, head_of
from scrubjay.training.observations import load_everyday, load_families
from scrubjay.training.robustness import moved_rows, robustness_rows
from scrubjay.training.rows import Data, changed, everyday_row, real_rows, table, train
from scrubjay.training.sources import load_sources
from scrubjay.training.vectors import EMBEDDERS, TEXT, Vectors


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scrubjay.training", description="Train the perishability heads.")
    parser.add_argument("--data", type=Path, default=os.environ.get("SCRUBJAY_DATA"), help="folder with validity/")
    parser.add_argument("--embedder", choices=[*EMBEDDERS, TEXT, "all"], default="all")
    parser.add_argument("--out", type=Path, help="folder to write the heads to (none: do not train them)")
    parser.add_argument("--cache", type=Path, help="folder in which vectors are kept between runs")
    parser.add_argument("--rows", action="store_true", help="print the rows of the model card")
    parser.add_argument("--draws", type=int, default=200, help="bootstrap draws of the rows (default 200)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    if given.data is None:
        parser.error("give --data DIR or set SCRUBJAY_DATA")
    if given.out is None and not given.rows:
        parser.error("give --out DIR to train, --rows to print scores, or both")
    facts = load_sources(given.data)
    sentences, families = load_everyday(), [*load_families(), *load_families("results.jsonl")]
    recipe = Recipe()

    def log(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    for name in [*EMBEDDERS, TEXT] if given.embedder == "all" else [given.embedder]:
        data = Data(facts, sentences, families, Vectors(name, given.cache))
        file = FILES.get(name, TEXT_ONLY)
        if given.out is not None:
            head = train(data, split_subjects(facts).train, recipe, seed=given.seed, log=log)
            given.out.mkdir(parents=True, exist_ok=True)
            named = head_of(head.weights, embedder="" if name == TEXT else name, name=f"head-{file[:-4]}-1")
            named.write(given.out / file)
            log(f"{name}: wrote {given.out / file}")
        if given.rows:
            head = PerishabilityHead.read(given.out / file) if given.out is not None else PerishabilityHead.load(name)
            print(f"{name}\n| row | n | Brier | AUROC within delay | ECE | log loss |\n|---|---|---|---|---|---|")
            for label, scored in real_rows(data, recipe, shipped=head, draws=given.draws, log=log):
                print(table(label, scored), flush=True)
            patterns = expand(load_patterns(), 1, seed=given.seed)
            written = [("everyday", sentences), ("families held out whole", load_families()), ("patterns", patterns)]
            written.append(("results and endings", load_families("results.jsonl")))
            others = load_families("another_hand.jsonl")
            written += [(f"by another hand, the {h}", [s for s in others if s.hand == h]) for h in ("first", "second")]
            for label, some in *written, *changed(sentences, patterns):
                print(label, everyday_row(head, data.vectors, some), flush=True)
            groups = load_paraphrases()
            for what, moved in *robustness_rows(head, data.vectors, groups), *moved_rows(head, data.vectors, groups):
                print(what, moved, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
