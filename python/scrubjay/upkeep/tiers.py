"""Tiers: raw memories, summaries of clusters of them, abstracts of clusters of summaries.

Clusters come from the graph: edges between memories whose cosine reaches a threshold, and edges by hand, are taken from
the strongest on; two clusters become one while they stay within `LARGEST`. An edge between two summaries has the cosine
of their mean vectors. The same memories and edges give the same clusters.

A summary's text is a language model's, or by the extractive rule: the sentences nearest to the cluster's mean vector,
each unlike those before it, in the order of time. Raw memories are not touched: a tier is another way to them.

Source: three-channel memory, section 5.8. The thresholds and the rule are chosen here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import Columns
from scrubjay.graph.edges import neighbours

SIMILAR: Final = 0.55
"""Least cosine of an edge within a summary's cluster."""
KINDRED: Final = 0.35
"""Least cosine of two summaries within an abstract's cluster."""
LARGEST: Final = 32
LEAST: Final = 2
"""Fewest memories of a summary."""
ABSTRACT: Final = 6
"""Fewest memories below an abstract."""
SENTENCES: Final = 3
SAME: Final = 0.95
"""Sentences that are nearer to each other than this say the same."""

Rows = NDArray[np.int64]


def clusters(count: int, a: Rows, b: Rows, weight: NDArray[np.float64], *, largest: int = LARGEST) -> list[list[int]]:
    """Clusters of 0..count-1 by edges, taken from the heaviest on; those of one are left out.

    >>> clusters(4, np.array([0, 2]), np.array([1, 3]), np.array([0.9, 0.8]))
    [[0, 1], [2, 3]]
    """
    head = list(range(count))
    size = [1] * count

    def find(x: int) -> int:
        while head[x] != x:
            head[x] = head[head[x]]
            x = head[x]
        return x

    low, high = np.minimum(a, b), np.maximum(a, b)
    for i in np.lexsort((high, low, -weight)).tolist():
        x, y = sorted((find(int(low[i])), find(int(high[i]))))
        if x != y and size[x] + size[y] <= largest:
            head[y] = x
            size[x] += size[y]
    held: dict[int, list[int]] = {}
    for i in range(count):
        held.setdefault(find(i), []).append(i)
    return [members for members in held.values() if len(members) > 1]


def edges_among(columns: Columns, rows: Rows) -> tuple[Rows, Rows, NDArray[np.float64]]:
    """Edges between some rows, by places in `rows`, that are near enough; edges by hand always are."""
    none = np.empty(0, np.int64)
    if columns.links.empty or len(rows) < 2:
        return none, none, np.empty(0)
    found = neighbours(columns.links, rows, columns.live(), columns.key)
    place = np.full(len(columns), -1, np.int64)
    place[rows] = np.arange(len(rows))
    to = place[found.rows]
    keep = to >= 0
    a, b = found.at[keep], to[keep]
    cosine = np.einsum("ij,ij->i", columns.vectors[rows[a]], columns.vectors[rows[b]], dtype=np.float64)
    keys = columns.key[rows]
    hand = columns.links.hand
    by_hand = np.array([int(y) in hand.get(int(x), ()) for x, y in zip(keys[a], keys[b], strict=True)], np.bool_)
    near = (cosine >= SIMILAR) | by_hand
    return a[near], b[near], np.where(by_hand, np.maximum(cosine, SIMILAR), cosine)[near]


def kindred(means: NDArray[np.float64], *, least: float = KINDRED) -> tuple[Rows, Rows, NDArray[np.float64]]:
    """Pairs of mean vectors that are near enough, with their cosine.

    >>> a, b, cosine = kindred(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, -1.0]]))
    >>> a.tolist(), b.tolist(), cosine.tolist()
    ([0], [1], [0.8])
    """
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    unit = means / np.where(norms > 0, norms, 1.0)
    firsts, seconds, values = [], [], []
    for start in range(0, len(unit), 512):
        near = unit[start : start + 512] @ unit.T
        a, b = np.nonzero(near >= least)
        keep = a + start < b
        firsts.append(a[keep] + start)
        seconds.append(b[keep])
        values.append(near[a[keep], b[keep]])
    if not firsts:
        none = np.empty(0, np.int64)
        return none, none, np.empty(0)
    return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(values)


def extract(sentences: Sequence[str], vectors: NDArray[np.float32], *, most: int = SENTENCES) -> str:
    """The extractive rule over sentences in the order of time, with their unit vectors.

    >>> axes = np.eye(2, dtype=np.float32)
    >>> extract(["Tea.", "Tea!", "Coffee."], axes[[0, 0, 1]], most=2)
    'Tea. Coffee.'
    """
    wide = vectors.astype(np.float64)
    mean = wide.mean(axis=0)
    chosen: list[int] = []
    for i in np.lexsort((np.arange(len(wide)), -(wide @ mean))).tolist():
        if all(wide[i] @ wide[j] < SAME for j in chosen):
            chosen.append(i)
        if len(chosen) == most:
            break
    return " ".join(sentences[i] for i in sorted(chosen))
