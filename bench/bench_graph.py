"""One hop of messages over a graph against scipy.sparse: N nodes of degree 16, random targets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array

from harness import Row, Target
from scrubjay import _core

DEGREE = 16
SIZES = [1_000, 10_000, 100_000, 1_000_000]


@cache
def graphs(n: int) -> tuple[_core.Graph, csr_array]:
    rng = np.random.default_rng(0)
    offsets = np.arange(n + 1) * DEGREE
    targets = rng.integers(0, n, n * DEGREE, np.int32)
    weights = rng.uniform(0, 1, n * DEGREE).astype(np.float32)
    return _core.Graph(offsets, targets, weights), csr_array((weights, targets, offsets.astype(np.int32)), (n, n))


def scores(n: int, queries: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.uniform(0, 1, n if queries is None else (queries, n)).astype(np.float32), rng.uniform(0, 1, n).astype(
        np.float32
    )


def equal(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_hop_of_one_query(versus: Callable[..., Row], n: int, threads: int) -> None:
    graph, matrix = graphs(n)
    score, utility = scores(n)
    versus(
        "graph",
        "one hop, degree 16, Q = 1",
        lambda: graph.hop(score, utility, threads=threads),
        {"scipy": lambda: matrix @ (score * utility)},
        n=n,
        equal=equal,
        threads=threads,
        items=n * DEGREE,
        targets=(Target("scipy", 2.0),) if (n, threads) == (1_000_000, 2) else (),
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_hop_of_sixteen_queries(versus: Callable[..., Row], n: int, threads: int) -> None:
    graph, matrix = graphs(n)
    score, utility = scores(n, 16)
    versus(
        "graph",
        "one hop, degree 16, Q = 16",
        lambda: graph.hop(score, utility, threads=threads),
        {"scipy": lambda: (matrix @ np.ascontiguousarray((score * utility).T)).T},
        n=n,
        equal=equal,
        threads=threads,
        items=n * DEGREE,
        targets=(Target("scipy", 5.0),) if (n, threads) == (1_000_000, 2) else (),
        rounds=5,
    )


@pytest.mark.parametrize("n", SIZES)
def test_strongest_neighbour(versus: Callable[..., Row], n: int) -> None:
    graph, matrix = graphs(n)
    score, _ = scores(n)
    versus(
        "graph",
        "strongest neighbour, degree 16",
        lambda: graph.strongest(score, threads=2),
        {"NumPy": lambda: np.maximum.reduceat(score[matrix.indices], matrix.indptr[:-1])},
        n=n,
        equal=equal,
        threads=2,
        items=n * DEGREE,
    )


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
def test_edge_weights(versus: Callable[..., Row], n: int) -> None:
    rng = np.random.default_rng(2)
    what = rng.standard_normal((n, 384), np.float32)
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    when = 1.7e9 + rng.uniform(0, 30 * 86400, n)
    i, j = rng.integers(0, n, (2, 4 * n), np.int32)
    day = 86400.0

    def numpy() -> np.ndarray:
        cosine = np.einsum("ij,ij->i", what[i], what[j])
        apart = np.abs(when[i] - when[j])
        time = np.where(apart < 7 * day, np.exp(-apart / day), 0)
        return 0.4 * np.where(cosine >= 0.6, np.clip(cosine, -1, 1), 0) + 0.3 * time

    versus(
        "graph",
        "edge weights, d = 384, 4 edges a node",
        lambda: _core.edge_weights(
            i, j, what, when, shares=(0.4, 0.3, 0.3), what_least=0.6, where_least=0.6, rate=1 / day, window=7 * day
        ),
        {"NumPy": numpy},
        n=n,
        equal=equal,
        threads=2,
        items=4 * n,
        rounds=5,
    )
