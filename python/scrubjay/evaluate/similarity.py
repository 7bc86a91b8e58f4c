"""Similarities of a query with every item: BM25, cosine, and the ways to join them.

Each takes a query and gives one float64 score per item, higher is better. BM25 is the package bm25s with stems by
snowballstemmer (extra [eval]); nothing here knows of time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import MissingExtraError
from scrubjay.protocols import Embedder

Floats = NDArray[np.float64]
RRF_K: Final = 60.0
_WORD = re.compile(r"\w+")


class Similarity(Protocol):
    """Scores all items for a query."""

    def index(self, texts: Sequence[str]) -> None:
        """Replace the items."""
        ...

    def scores(self, queries: Sequence[str]) -> Floats:
        """(queries, items) float64."""
        ...


class Bm25:
    """BM25 (k1 1.2, b .75) over stemmed words, Lucene's form of the inverse document frequency."""

    def __init__(self, *, k1: float = 1.2, b: float = 0.75, language: str = "english") -> None:
        try:
            import bm25s
            import snowballstemmer
        except ImportError as error:
            raise MissingExtraError("BM25", "eval") from error
        self._make: Any = lambda: bm25s.BM25(k1=k1, b=b, method="lucene")
        self._stem: Any = snowballstemmer.stemmer(language)
        self._stems: dict[str, str] = {}
        self._model: Any = None
        self._size = 0

    def _tokens(self, text: str) -> list[str]:
        words = _WORD.findall(text.lower())
        for word in words:
            if word not in self._stems:
                self._stems[word] = self._stem.stemWord(word)
        return [self._stems[word] for word in words]

    def index(self, texts: Sequence[str]) -> None:
        """Replace the items."""
        self._size = len(texts)
        corpus = [self._tokens(text) for text in texts]
        self._model = None
        if any(corpus):
            self._model = self._make()
            self._model.index(corpus, show_progress=False)

    def scores(self, queries: Sequence[str]) -> Floats:
        """(queries, items): 0 where no word is shared."""
        out = np.zeros((len(queries), self._size))
        for row, query in enumerate(queries):
            words = [w for w in self._tokens(query) if self._model is not None and w in self._model.vocab_dict]
            if words:
                out[row] = self._model.get_scores(words)
        return out


class Dense:
    """Cosine of the embedder's unit vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = np.zeros((0, embedder.dim), np.float32)

    def index(self, texts: Sequence[str]) -> None:
        """Replace the items."""
        self._vectors = unit(self._embedder.embed(texts)) if texts else self._vectors[:0]

    def scores(self, queries: Sequence[str]) -> Floats:
        """(queries, items) in [-1, 1]."""
        if not queries:
            return np.zeros((0, self._vectors.shape[0]))
        return np.asarray(unit(self._embedder.embed(queries)) @ self._vectors.T, np.float64)


class Joined:
    """BM25 and cosine joined by a rule of `JOINS`."""

    def __init__(self, embedder: Embedder, rule: str) -> None:
        self._parts = (Bm25(), Dense(embedder))
        self._join = JOINS[rule]

    def index(self, texts: Sequence[str]) -> None:
        """Replace the items."""
        for part in self._parts:
            part.index(texts)

    def scores(self, queries: Sequence[str]) -> Floats:
        """(queries, items)."""
        lexical, dense = (part.scores(queries) for part in self._parts)
        return self._join(lexical, dense)


class RandomOrder:
    """A random order per query that depends on the seed, the query and the number of items alone."""

    def __init__(self, seed: int = 0) -> None:
        self._seed, self._size = seed, 0

    def index(self, texts: Sequence[str]) -> None:
        """Replace the items."""
        self._size = len(texts)

    def scores(self, queries: Sequence[str]) -> Floats:
        """(queries, items) uniform in [0, 1)."""
        rows = [np.random.default_rng([self._seed, *q.encode()]).random(self._size) for q in queries]
        return np.stack(rows) if rows else np.zeros((0, self._size))


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows at unit norm; a row of zeros stays zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)


def reciprocal_rank_fusion(lexical: Floats, dense: Floats) -> Floats:
    """Sum of 1 / (60 + rank), rank from 1; an item that shares no word with the query has no lexical rank."""
    out = np.zeros_like(dense)
    for scores, listed in ((lexical, lexical > 0), (dense, np.ones_like(dense, bool))):
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None, :], axis=1)
        out += np.where(listed, 1.0 / (RRF_K + ranks), 0.0)
    return out


def z_sum(lexical: Floats, dense: Floats) -> Floats:
    """Mean of the two z-scores within the query; a constant column counts 0."""

    def z(scores: Floats) -> Floats:
        spread = scores.std(axis=1, keepdims=True)
        return np.asarray((scores - scores.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0))

    return 0.5 * (z(lexical) + z(dense)) if dense.size else dense


JOINS: Final = {"rrf": reciprocal_rank_fusion, "zsum": z_sum}
