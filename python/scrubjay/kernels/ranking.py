"""Rank: the exact best rows by the one linear score over eight factors, and the terms of that score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.kernels.graph import Graph
from scrubjay.protocols import Array

Vectors = Array | tuple[Array, Array]
"""Rows of float32 or of bfloat16 as uint16, or `Rows8`."""


class Best(NamedTuple):
    """The best rows of each query."""

    rows: NDArray[np.int64]
    """(queries, k), best first; only the first `counts` of a query count."""
    scores: NDArray[np.float64]
    """(queries, k)."""
    counts: NDArray[np.int64]
    """(queries,), fewer than k where fewer rows may rank."""
    plan: str
    """How it was found: the result does not depend on it."""


def rank(
    queries: Array,
    what: Vectors,
    weights: Array,
    k: int,
    *,
    contexts: Array | None = None,
    where: Vectors | None = None,
    where_index: Array | None = None,
    value: Array | None = None,
    pi: Array | None = None,
    tau: Array | None = None,
    when: Array | None = None,
    shape: Array | None = None,
    now: Array | None = None,
    utility: Array | None = None,
    graph: Array | Graph | None = None,
    usefulness: Array | None = None,
    retrievability: Array | None = None,
    importance: Array | None = None,
    exploration: Array | None = None,
    live: Array | None = None,
    rows: Array | None = None,
    what_codes: tuple[Array, Array, Array] | None = None,
    where_codes: tuple[Array, Array, Array] | None = None,
    threads: int = 0,
) -> Best:
    """The k rows of highest score, exactly: as if every score were computed in float64.

    score = sum over the factors of weight times factor: what and where are products with the query's vectors, when is
    V exp(-(pi age / tau)^shape), the rest are columns. A factor of weight 0, or without data, is not read.

    Args:
        queries: (q, d) float32, finite.
        what: (n, d) float32, unit rows; read in place where rows are contiguous. Or (n, d) uint16, bfloat16 from
            `to_bf16`; or `Rows8` from `quantize8`: what is ranked is then what those stand for. `where` likewise.
        weights: (q, 8) float64, finite, in the order what, where, when, graph, usefulness, retrievability, importance,
            exploration.
        k: how many, >= 1; at most the rows that may rank are returned.
        contexts: (q, d2) float32; where: (n, d2) float32, or (contexts, d2) with where_index: (n,) int32, -1 for none.
        value, pi, tau: (n,) float32; when: (n,) float64, seconds; now: (q,) float64, seconds: all five or none.
        shape: (n,) float32, the exponent; None: 1.
        utility: (n,) float32, instead of the six above.
        graph: (n,) or (q, n) float32. Or a `Graph` of n nodes: the factor is then one hop over the rest of the score,
            the sum over a row's edges of e_ij S0_j U_j, with `utility` as U and S0 in place of the source's circular S.
            Dead rows and edges of weight 0 bring nothing. It takes 4 (q + 16) bytes a row, 64 queries at a time.
        usefulness, retrievability, importance, exploration: (n,) float32.
        live: (n,) bool, or one bit a row, least significant first: others never rank.
        rows: (m,) int64, ascending: only these may rank.
        what_codes, where_codes: from `codes`, of float32 `what` and `where`: the same answer, an eighth of the reading.
            Codes of other rows than those given make the answer wrong.
        threads: how many may share the work; 0: as SCRUBJAY_THREADS says, or every CPU.

    Returns:
        A `Best`. `plan` is "scan", "sieve" (the codes' upper halves, then all bits, then float64), "tile" (many queries
        at once) or "tile+codes"; "+contexts" where distinct contexts are scored once, "+graph" for a hop, "+subset"
        for `rows`.
        Ties go to the lower row; NaN never ranks.

    Raises:
        ArgumentTypeError: another dtype or number of axes, or an unknown keyword.
        ArgumentError: sizes that do not fit, k < 1, a query or weight that is not finite, columns given by halves, a
            `Graph` with `rows` or without `utility`.

    Source: "Caching for the Future", eq. 5 and 8, with the factors of three-channel memory.

    >>> import numpy as np
    >>> what = np.eye(3, dtype=np.float32)
    >>> weights = np.array([[1.0, 0, 0, 0, 0, 0, 0.5, 0]])
    >>> best = rank(what[:1], what, weights, 2, importance=np.array([0, 0.5, 1], np.float32))
    >>> best.rows.tolist(), best.scores.tolist()
    ([[0, 2]], [[1.0, 0.5]])

    Row 2 is found by its edge to row 0 alone:

    >>> from scrubjay.kernels import Graph
    >>> graph = Graph.from_edges(np.array([2]), np.array([0]), np.ones(1, np.float32), nodes=3)
    >>> weights[0, 3] = 0.25
    >>> rank(what[:1], what, weights, 2, graph=graph, utility=np.ones(3, np.float32)).rows.tolist()
    [[0, 2]]
    """
    return Best(
        *_core.rank(
            queries,
            what,
            weights,
            k,
            contexts=contexts,
            where=where,
            where_index=where_index,
            value=value,
            pi=pi,
            tau=tau,
            when=when,
            shape=shape,
            now=now,
            utility=utility,
            graph=graph._native if isinstance(graph, Graph) else graph,
            usefulness=usefulness,
            retrievability=retrievability,
            importance=importance,
            exploration=exploration,
            live=live,
            rows=rows,
            what_codes=what_codes,
            where_codes=where_codes,
            threads=threads,
            plan=True,
        )
    )


def contributions(
    queries: Array,
    what: Vectors,
    weights: Array,
    hits: Array,
    *,
    contexts: Array | None = None,
    where: Vectors | None = None,
    where_index: Array | None = None,
    value: Array | None = None,
    pi: Array | None = None,
    tau: Array | None = None,
    when: Array | None = None,
    shape: Array | None = None,
    now: Array | None = None,
    utility: Array | None = None,
    graph: Array | Graph | None = None,
    usefulness: Array | None = None,
    retrievability: Array | None = None,
    importance: Array | None = None,
    exploration: Array | None = None,
) -> NDArray[np.float64]:
    """What each factor brings to the score of given rows.

    Args:
        hits: (q, k) int64, rows of each query, -1 for none.
        queries, what, weights, ...: as in `rank`.

    Returns:
        (q, k, 8) float64 in the order of the weights; `numpy.sum` over the last axis is the score to the bit.

    Raises:
        ArgumentTypeError, ArgumentError: as in `rank`, or a hit that is no row.

    Source: "Caching for the Future", eq. 5.

    >>> import numpy as np
    >>> what, weights = np.eye(2, dtype=np.float32), np.array([[0.5, 0, 0, 0, 0, 0, 2, 0]])
    >>> terms = contributions(what[:1], what, weights, np.array([[0, 1]]), importance=np.array([0, 0.25], np.float32))
    >>> terms[0, :, [0, 6]].tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    return _core.contributions(
        queries,
        what,
        weights,
        hits,
        contexts=contexts,
        where=where,
        where_index=where_index,
        value=value,
        pi=pi,
        tau=tau,
        when=when,
        shape=shape,
        now=now,
        utility=utility,
        graph=graph._native if isinstance(graph, Graph) else graph,
        usefulness=usefulness,
        retrievability=retrievability,
        importance=importance,
        exploration=exploration,
    )
