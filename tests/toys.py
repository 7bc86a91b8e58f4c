"""Small deterministic stand-ins for the outside: an embedder of hashed words, a clock that is told the time."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

NOW = 1.7e9
"""When a test's clock starts."""


class WordHash:
    """Each word adds one fixed random direction: texts that share words are near. Counts its calls."""

    def __init__(self, dim: int = 64, name: str = "word-hash-1") -> None:
        self.name = name
        self.dim = dim
        self.calls: list[int] = []
        self._words: dict[str, NDArray[np.float64]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(len(texts))
        out = np.zeros((len(texts), self.dim))
        for i, text in enumerate(texts):
            for word in text.lower().split() or [text]:
                out[i] += self._direction(word)
        return out.astype(np.float32)

    def _direction(self, word: str) -> NDArray[np.float64]:
        if word not in self._words:
            seed = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")
            self._words[word] = np.random.default_rng(seed).normal(size=self.dim)
        return self._words[word]


class Clock:
    """Says the time it was set to."""

    def __init__(self, now: float = 1.7e9) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
