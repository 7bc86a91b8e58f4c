"""A list that does not say one thing many times, and that no single source can fill.

- `mmr`: maximal marginal relevance (Carbonell and Goldstein, "The Use of MMR", 1998): the next hit is the one with the
  best (1 - mmr) score / best score - mmr (cosine to the nearest hit taken so far).
- `collapse`: of hits that say the same words, the best stays. What counts is the text, never the cosine: the words must
  be the same, in the same order, but for case, punctuation and words that add nothing. A negation, a number, a name, a
  tense or one other word makes two statements of it, so that no correction is dropped for what it corrects.
- `per_source`: at most so many hits whose metadata name the same "source": a flood from one place displaces nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.recall.hits import Hit

EMPTY_WORDS: Final = frozenset(
    ("a", "an", "the", "also", "just", "really", "very", "please", "so", "well", "oh", "ok", "okay")
)
"""Words without which a text says the same."""

_WORD: Final = re.compile(r"(?:(?<!\S)-(?=\d))?[^\W_]+(?:[-.,:/'’@+&_][^\W_]+)*|[^\w\s.,;:!\"'’()\[\]{}-]")


class Diversity(msgspec.Struct, frozen=True, kw_only=True):
    """How varied a list of hits must be; the default asks for nothing.

    Raises ArgumentError or ArgumentTypeError for a value out of range.

    >>> Diversity(collapse=True, per_source=2).mmr
    0.0
    """

    mmr: float = 0.0
    """In [0, 1): 0 ranks by score alone."""
    collapse: bool = False
    """Leave out what a better hit says in the same words."""
    per_source: int | None = None
    """Most hits of one metadata["source"], >= 1; None: no limit."""

    def __post_init__(self) -> None:
        if isinstance(self.mmr, bool) or not isinstance(self.mmr, (int, float)):
            raise ArgumentTypeError(f"mmr: expected a number, got {type(self.mmr).__name__}")
        if not 0.0 <= self.mmr < 1.0:
            raise ArgumentError(f"mmr = {shown(self.mmr)}: expected a number in [0, 1)")
        if not isinstance(self.collapse, bool):
            raise ArgumentTypeError(f"collapse: expected bool, got {type(self.collapse).__name__}")
        if self.per_source is not None:
            if isinstance(self.per_source, bool) or not isinstance(self.per_source, int):
                raise ArgumentTypeError(f"per_source: expected an int or None, got {type(self.per_source).__name__}")
            if self.per_source < 1:
                raise ArgumentError(f"per_source = {self.per_source}: expected at least 1")


def said(text: str) -> tuple[str, ...]:
    """What two texts must share to say the same.

    >>> said("The deploy is allowed.") == said("the deploy is ALLOWED!")
    True
    >>> said("The deploy is not allowed.") == said("The deploy is allowed.")
    False
    """
    return tuple(word for word in _WORD.findall(text.casefold()) if word not in EMPTY_WORDS)


def choose(hits: Sequence[Hit], vectors: NDArray[np.float32], k: int, law: Diversity) -> list[int]:
    """Positions of the at most k hits that are kept, in their new order.

    `hits` are best first and `vectors` (n, d) their unit what-vectors, zeros where unknown.
    """
    left = list(range(len(hits)))
    if law.collapse:
        first: dict[tuple[str, ...], int] = {}
        for i in left:
            first.setdefault(said(hits[i].memory.text) or (hits[i].memory.id,), i)
        left = sorted(first.values())
    best = max((hits[i].score for i in left), default=0.0)
    taken: list[int] = []
    counts: Counter[str] = Counter()
    near = np.zeros(len(hits))
    while left and len(taken) < k:
        if law.mmr and taken and best > 0.0:
            gains = [(1.0 - law.mmr) * hits[i].score / best - law.mmr * near[i] for i in left]
            i = left.pop(int(np.argmax(gains)))
        else:
            i = left.pop(0)
        source = _source(hits[i])
        if law.per_source is not None and source is not None:
            if counts[source] >= law.per_source:
                continue
            counts[source] += 1
        taken.append(i)
        if law.mmr:
            near = np.maximum(near, vectors.astype(np.float64) @ vectors[i].astype(np.float64))
    return taken


def _source(hit: Hit) -> str | None:
    source = hit.memory.metadata.get("source")
    if isinstance(source, bool) or not isinstance(source, (str, int, float)):
        return None
    return f"{type(source).__name__}:{source}"
