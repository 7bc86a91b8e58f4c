"""What is made of texts ahead of their transaction: annotation, words to embed, passages, perishability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.passages import split_passages
from scrubjay.encode.perishability import classify_texts
from scrubjay.memory import Perishability, spoken
from scrubjay.passages import packed
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.heard import heard
from scrubjay.verbs.taxonomy import meant

MAX_ANNOTATION: Final = 400
"""Longest annotation, in characters (chosen)."""


def judged(
    engine: Engine,
    texts: Sequence[str],
    contexts: Sequence[str | None],
    what: NDArray[np.float32],
    where: NDArray[np.float32],
    *,
    advised: bool = True,
) -> list[Perishability]:
    """How long each text holds, as the store tells it today; not `advised`, no language model is asked.

    `what` and `where` (n, d) are the unit rows of texts and contexts, zeros for no context.
    """
    if not texts:
        return []
    model = engine.adviser if advised and engine.adviser is not None else engine.perishability
    told = classify_texts(model, texts, contexts, heard(engine, texts, what), where)
    return [meant(engine.columns.taxonomy, one) for one in told]


def passages(engine: Engine, texts: Sequence[str], metadata: Sequence[dict[str, Any]]) -> list[tuple[bytes, bytes]]:
    """The passages of each text as (spans, vectors) of an event, both empty for a short text."""
    spans = [split_passages(text) for text in texts]
    words = [
        spoken(text[a:b], about) for text, about, some in zip(texts, metadata, spans, strict=True) for a, b in some
    ]
    if not words:
        return [(b"", b"")] * len(texts)
    vectors = engine.embed(words, argument="passages", allow_zero=True).vectors
    ends = np.cumsum([len(some) for some in spans])
    return [packed(some, vectors[end - len(some) : end]) for some, end in zip(spans, ends.tolist(), strict=True)]


def annotate(engine: Engine, texts: Sequence[str], contexts: Sequence[str | None]) -> list[str]:
    """When each text will be useful, in one sentence; "" where nobody says. Called outside of any transaction."""
    if engine.annotator is None or not texts:
        return [""] * len(texts)
    said = list(engine.annotator(texts, contexts))
    return [" ".join(line.split())[:MAX_ANNOTATION] if isinstance(line, str) else "" for line in said]


def foreseen(text: str, annotation: str) -> str:
    """What is embedded of a text ("Caching for the Future", eq. 14); the text that is stored stays as it is."""
    return f"{text}\n{annotation}" if annotation else text
