"""The queries of a search as vectors: each as it stands, and what is read of it beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.embedding import Embedded
from scrubjay.recall.answer_features import Query, asked_by
from scrubjay.recall.asking import EMBEDDERS, unnamed
from scrubjay.recall.reading import plainly
from scrubjay.verbs.engine import Engine


class Asked(NamedTuple):
    """n queries."""

    embedded: Embedded
    """Vectors and norms (n) of the texts as they stand."""
    bare: dict[int, NDArray[np.float32]]
    """By the query's number the vector of its words without names, for those that have one."""
    queries: list[Query]
    """(n) as the answer model reads them."""


def queries_of(engine: Engine, texts: Sequence[str], law: str) -> Asked:
    """The texts of queries as a search takes them; all are embedded by one call."""
    apart = law != "paper" and engine.embedder.name in EMBEDDERS
    plain = {i: words for i, text in enumerate(texts) if apart and (words := plainly(text))}
    read = [plain.get(i, text) for i, text in enumerate(texts)]
    bare = {i: words for i, text in enumerate(read) if apart and (words := unnamed(text))}
    every = [*texts, *plain.values(), *bare.values()]
    vectors, norms = engine.embed(every, argument="queries", allow_zero=True)
    n, m = len(texts), len(texts) + len(plain)
    what = dict(enumerate(vectors[:n])) | dict(zip(plain, vectors[n:m], strict=True))
    named = dict(zip(bare, vectors[m:], strict=True))
    queries = [asked_by(text, what[i], named.get(i)) for i, text in enumerate(read)]
    return Asked(Embedded(vectors[:n], norms[:n]), named, queries)
