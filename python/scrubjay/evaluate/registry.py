"""Systems and embedders by the names that the command line takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import scrubjay
from scrubjay.encode.minilm import MiniLMEncoder
from scrubjay.encode.universal import UniversalEncoder
from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate.baselines import RECIPES, make_baseline
from scrubjay.evaluate.cache import CachedEmbedder
from scrubjay.evaluate.ours import VARIANTS, Ours, Settings
from scrubjay.evaluate.readers import ModelOnly, Rag
from scrubjay.evaluate.runs import check_names, digest
from scrubjay.evaluate.systems import Factory, System
from scrubjay.evaluate.tgt.artefact import Benchmark
from scrubjay.evaluate.tgt.fitted import fitted
from scrubjay.protocols import Embedder, LanguageModel, Progress

SPEAKERS: Final = ("b1", "b6", "b7")
"""Baselines that need a model: alone, over dense retrieval, and with ages in the prompt."""
FITTED: Final = "ours_fitted"
"""Ours after a fit to other seeds of the same test: only the TGT has such."""
SYSTEMS: Final = (*RECIPES, *VARIANTS, FITTED, *SPEAKERS)

EMBEDDERS: Final = {"universal": UniversalEncoder, "minilm": MiniLMEncoder}


class Candidate(NamedTuple):
    """A system that is to be compared."""

    name: str
    title: str
    make: Factory
    key: str
    """What its results depend on: two names of the same settings share theirs."""
    learn: Callable[[Benchmark], AbstractContextManager[Factory]] | None = None
    """Makes, for a benchmark, fresh systems that have learned from others like it; None: `make` needs none."""


def open_embedder(name: str, folder: str | Path | None = None, *, progress: Progress | None = None) -> CachedEmbedder:
    """An embedder by name, its vectors kept in the cache folder."""
    if name not in EMBEDDERS:
        raise ArgumentError(f"embedder: {shown(name)} is unknown; known are {', '.join(EMBEDDERS)}")
    return CachedEmbedder(EMBEDDERS[name](), folder, progress=progress)


def candidate(name: str, embedder: Embedder, *, model: LanguageModel | None = None, seed: int = 0) -> Candidate:
    """A system by its name in `SYSTEMS`. Raises ArgumentError for one that needs a model where none is given."""
    if name in RECIPES:
        return Candidate(name, RECIPES[name].title, partial(make_baseline, name, embedder, seed=seed), f"{name} {seed}")
    if name in VARIANTS:
        title, settings = VARIANTS[name]
        return ours(name, title, embedder, settings)
    check_names([name], SYSTEMS, "systems")
    if name == FITTED:
        title = "ours, fitted to other seeds"
        return Candidate(name, title, _nothing_to_learn, name, partial(fitted, title, embedder))
    if model is None:
        raise ArgumentError(f"systems: {name} answers through a model; configure one (see `scrubjay evaluate --help`)")
    if name == "b1":
        return Candidate(name, ModelOnly.name, partial(ModelOnly, model), f"{name} {model.name}")
    given, ages = model, name == "b7"

    def speak() -> Rag:
        return Rag(make_baseline("dense", embedder), given, ages=ages)

    return Candidate(name, speak().name, speak, f"{name} {model.name}")


def _nothing_to_learn() -> System:
    raise ArgumentError(f"systems: {FITTED} learns from other seeds of the TGT; no other test has such")


def ours(name: str, title: str, embedder: Embedder, settings: Settings) -> Candidate:
    """The real system with these settings."""
    key = f"ours {settings.perishability} {settings.scoring} {' '.join(sorted(settings.without))}"
    return Candidate(name, title, partial(Ours, title, embedder, settings), key)


def candidates(
    names: Sequence[str], embedder: Embedder, *, model: LanguageModel | None = None, seed: int = 0
) -> list[Candidate]:
    """Systems by name, each once."""
    return [candidate(n, embedder, model=model, seed=seed) for n in check_names(names, SYSTEMS, "systems")]


def code_digest() -> str:
    """Digest of the installed package: a result that was stored under it is a result of this very code."""
    root = Path(scrubjay.__file__).parent
    files = sorted(p for p in root.rglob("*") if p.suffix in (".py", ".so", ".pyd", ".npz", ".jsonl"))
    return digest("".join(f"{p.relative_to(root)}:{digest(p.read_bytes())}" for p in files).encode())
