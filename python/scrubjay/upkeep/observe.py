"""Implicit usefulness: which of the memories that were found did an answer use?

Nobody says so, but an answer that used a memory repeats something of it. Two measures in [0, 1] are taken of each:

    overlap     share of its content words that the answer has, each weighed by how few of the found memories have it
    similarity  the largest cosine between it and a sentence of the answer

A memory is credited when its overlap reaches `LEXICAL`, or its similarity to a sentence reaches `SEMANTIC` and no other
memory is closer to that sentence by more than `MARGIN`. The signal of its outcome rises in a straight line from
`LEAST_SIGNAL` at a threshold to 1 at full overlap or similarity. What is not credited gets no outcome at all: that an
answer did not need a memory says nothing against it.

Source: survey of persistent agent memory, open problem 8.2. The measures and thresholds are chosen here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

LEXICAL: Final = 0.5
"""Least overlap."""
SEMANTIC: Final = 0.75
"""Least similarity."""
MARGIN: Final = 0.05
LEAST_SIGNAL: Final = 2 / 3
"""Signal at a threshold: Good."""
WEIGHT: Final = 0.25
"""Weight of an outcome that nobody stated."""
SOURCE: Final = "observed"
MOST_PIECES: Final = 4096

_ENDS: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|[\n;•]+")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_WIDE: Final = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]")
_COMMON: Final = """
a an and are as at be been but by can did do does for from had has have he her his i if in into is it its just me my no
not of on or our she so than that the their them then there they this to too up us was we were what when where which who
will with would you your
"""
STOP: Final = frozenset(_COMMON.split())
"""English words that carry no content."""


class Credit(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer used a memory."""

    id: str = ""
    overlap: float
    similarity: float
    signal: float
    """Of the outcome that was recorded; 0 for none."""


def pieces(answer: str) -> list[str]:
    """The sentences of an answer.

    >>> pieces("Use the VPN. Then deploy!\\nDone")
    ['Use the VPN.', 'Then deploy!', 'Done']
    """
    return [piece for piece in (part.strip() for part in _ENDS.split(answer)) if _WORD.search(piece)]


def content(text: str) -> set[str]:
    """The content words of a text; of scripts without spaces, pairs of neighbouring characters.

    >>> sorted(content("The deploy needs the VPN"))
    ['deploy', 'needs', 'vpn']
    >>> sorted(content("会議は四階"))
    ['は四', '会議', '四階', '議は']
    """
    words: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _WIDE.search(word):
            words |= {word[i : i + 2] for i in range(max(1, len(word) - 1))}
        elif word not in STOP:
            words.add(word)
    return words


def credit(
    said: Sequence[str],
    said_vectors: NDArray[np.float32],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    *,
    lexical: float = LEXICAL,
    semantic: float = SEMANTIC,
) -> list[Credit]:
    """How an answer's sentences used memories, one value per memory.

    Args:
        said: (p) sentences, with `said_vectors` (p, d) unit rows or zeros.
        texts: (m) memories, with `vectors` (m, d) unit rows.
        lexical, semantic: the thresholds, in [0, 1].

    >>> axes = np.eye(2, dtype=np.float32)
    >>> told = credit(["deploy needs the VPN"], axes[:1], ["the deploy needs VPN", "tea at four"], axes)
    >>> [round(c.signal, 2) for c in told]
    [1.0, 0.0]
    """
    words = [content(text) for text in texts]
    answer = set().union(*(content(piece) for piece in said)) if said else set()
    spread: dict[str, int] = {}
    for some in words:
        for word in some:
            spread[word] = spread.get(word, 0) + 1
    near = np.clip(vectors.astype(np.float64) @ said_vectors.astype(np.float64).T, 0.0, 1.0)
    best = near.max(axis=0, initial=0.0)
    out = []
    for i, some in enumerate(words):
        rare = {word: 1.0 / spread[word] for word in sorted(some)}
        total = sum(rare.values())
        overlap = sum(w for word, w in rare.items() if word in answer) / total if total else 0.0
        similarity = float(near[i].max(initial=0.0))
        own = near[i][near[i] >= best - MARGIN].max(initial=0.0)
        signal = max(_line(overlap, lexical), _line(float(own), semantic))
        out.append(Credit(overlap=overlap, similarity=similarity, signal=signal))
    return out


def _line(value: float, threshold: float) -> float:
    if value < threshold or value <= 0.0:
        return 0.0
    part = 1.0 if threshold >= 1.0 else (value - threshold) / (1.0 - threshold)
    return min(1.0, LEAST_SIGNAL + (1.0 - LEAST_SIGNAL) * part)
