"""The k best of N memories by what, where and utility, exactly: streamed for one query, in tiles for many, by codes.

Every result is compared with the float64 brute force of the same N before anything is timed. Rows are random and unit:
their similarities lie close together, which is hard on codes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import faiss
import numpy as np
import pytest
from scipy.sparse import csr_array
from usearch.index import search as usearch_exact

from harness import Row, Target
from scrubjay import kernels

K = 10
NOW = 1e6
BLOCK = 1 << 15
Answer = tuple[np.ndarray, np.ndarray]


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d), np.float32)
    for start in range(0, n, BLOCK):
        part = x[start : start + BLOCK]
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return x


class Memories:
    """Columns of n memories, what is made of them on first use, and the same search in several hands."""

    def __init__(self, n: int, d: int) -> None:
        rng = np.random.default_rng(0)
        self.n, self.d = n, d
        self.what, self.where = unit(rng, n, d), unit(rng, n, d)
        self.value, self.pi = (rng.random(n, np.float32) for _ in range(2))
        self.tau = rng.uniform(60, 1e6, n).astype(np.float32)
        self.when = rng.random(n) * NOW
        self.queries, self.places = unit(rng, 64, d), unit(rng, 64, d)
        self.weights = np.tile(np.array([0.5, 0.3, 0.2, 0, 0, 0, 0, 0]), (64, 1))
        self.utility = (self.value * np.exp(-self.pi * (NOW - self.when) / self.tau)).astype(np.float32)
        self._made: dict[str, Any] = {}
        self._best: dict[int, Answer] = {}

    def made(self, kind: str) -> dict[str, Any]:
        """what and where of one storage, with codes or without."""
        if kind not in self._made:
            make = {"bfloat16": kernels.to_bf16, "int8": kernels.quantize8, "codes": kernels.codes}.get(kind)
            if kind == "codes":
                both = {"what_codes": make(self.what), "where_codes": make(self.where)}
                self._made[kind] = {"what": self.what, "where": self.where, **both}
            else:
                self._made[kind] = {
                    name: make(rows) if make else rows for name, rows in (("what", self.what), ("where", self.where))
                }
        return self._made[kind]

    def rank(self, q: int, kind: str, threads: int, **more: Any) -> kernels.Best:
        columns = {"value": self.value, "pi": self.pi, "tau": self.tau, "when": self.when, "now": np.full(q, NOW)}
        queries = {"queries": self.queries[:q], "weights": self.weights[:q], "contexts": self.places[:q]}
        return kernels.rank(k=K, threads=threads, **queries, **columns, **self.made(kind), **more)

    def numpy(self, q: int) -> Answer:
        """What a NumPy user would write: three factors, then the k best."""
        score = 0.5 * (self.queries[:q] @ self.what.T)
        score += 0.3 * (self.places[:q] @ self.where.T)
        score += np.float32(0.2) * (self.value * np.exp(-self.pi * ((NOW - self.when) / self.tau)).astype(np.float32))
        return top(score)

    def best(self, q: int) -> Answer:
        """The brute force in float64."""
        if q not in self._best:
            kept = None
            for start in range(0, self.n, BLOCK):
                part = slice(start, start + BLOCK)
                score = 0.5 * (self.queries[:q].astype(np.float64) @ self.what[part].T.astype(np.float64))
                score += 0.3 * (self.places[:q].astype(np.float64) @ self.where[part].T.astype(np.float64))
                age = (NOW - self.when[part]) / self.tau[part].astype(np.float64)
                score += 0.2 * self.value[part].astype(np.float64) * np.exp(-self.pi[part] * age)
                rows = np.tile(np.arange(start, start + score.shape[1]), (q, 1))
                if kept is not None:
                    rows, score = (np.concatenate(pair, axis=1) for pair in zip(kept, (rows, score), strict=True))
                order = np.argsort(-score, axis=1, kind="stable")[:, :K]
                kept = np.take_along_axis(rows, order, 1), np.take_along_axis(score, order, 1)
            assert kept is not None
            self._best[q] = kept
        return self._best[q]

    def check(self, q: int, kind: str) -> None:
        """The exact answer, whatever the plan."""
        found, (rows, scores) = self.rank(q, kind, 2), self.best(q)
        np.testing.assert_array_equal(found.rows, rows)
        np.testing.assert_allclose(found.scores, scores, rtol=1e-12)


def top(score: np.ndarray) -> Answer:
    rows = np.argpartition(score, -K, axis=1)[:, -K:]
    found = np.take_along_axis(score, rows, 1)
    order = np.argsort(-found, axis=1, kind="stable")
    return np.take_along_axis(rows, order, 1), np.take_along_axis(found, order, 1)


made = lru_cache(maxsize=1)(Memories)


@pytest.fixture
def memories(largest: int) -> Callable[[int, int], Memories]:
    """The memories of one size at a time; sizes above --largest are skipped."""

    def get(n: int, d: int) -> Memories:
        if n > largest:
            pytest.skip(f"--largest is below {n}")
        return made(n, d)

    return get


def same(ours: kernels.Best, peer: Answer) -> None:
    """The same rows, but for ties within a float32 peer's rounding."""
    rows, scores = peer[0], np.asarray(peer[1], np.float64)
    np.testing.assert_allclose(ours.scores, scores, atol=2e-6)
    assert (ours.rows == rows).mean() > 0.95


def faiss_flat(m: Memories, *, blas_from: int, threads: int) -> Callable[[int], Answer]:
    """faiss' exact index over `what` alone: one of the three factors."""
    index = faiss.IndexFlatIP(m.d)
    index.add(m.what)
    usual = faiss.omp_get_max_threads(), faiss.cvar.distance_compute_blas_threshold

    def search(q: int) -> Answer:
        faiss.omp_set_num_threads(threads)
        faiss.cvar.distance_compute_blas_threshold = blas_from
        try:
            scores, rows = index.search(m.queries[:q], K)
        finally:
            faiss.omp_set_num_threads(usual[0])
            faiss.cvar.distance_compute_blas_threshold = usual[1]
        return rows, scores

    return search


def one_vector(m: Memories, q: int, peers: dict[str, Callable[[int], Answer]]) -> None:
    """Peers that look at `what` alone answer that question as we do."""
    weights = np.eye(1, 8).repeat(q, 0)
    ours = kernels.rank(m.queries[:q], m.what, weights, K)
    for peer in peers.values():
        same(ours, peer(q))


def small(n: int) -> bool:
    return n < 100_000


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("n", "d"), [(1_000, 384), (10_000, 384), (100_000, 384), (1_000_000, 384), (500_000, 768)])
def test_one_query_by_full_scan(
    memories: Callable[[int, int], Memories], versus: Callable[..., Row], n: int, d: int, threads: int
) -> None:
    m = memories(n, d)
    m.check(1, "float32")
    large = n >= 500_000
    row = versus(
        "rank",
        f"Q = 1, float32, d = {d}",
        lambda: m.rank(1, "float32", threads),
        {"NumPy": lambda: m.numpy(1)} if threads == 2 else {},
        n=n,
        equal=same,
        bytes_read=2 * m.what.nbytes,
        threads=threads,
        alone=threads == 1,
        targets=(Target("limit", 0.90),) if large else (),
    )
    if large and threads == 1:  # one thread is steady, two share a bandwidth that other work takes part of
        assert row.share >= 0.85, row.line()
    if large and threads == 2:
        assert row.ratios["NumPy"] >= 2.5, row.line()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_one_query_by_codes(
    memories: Callable[[int, int], Memories], versus: Callable[..., Row], n: int, threads: int
) -> None:
    m = memories(n, 384)
    m.check(16, "codes")
    m.check(1, "codes")
    peers: dict[str, Callable[[], Any]] = {"our float32 scan": lambda: m.rank(1, "float32", threads)}
    targets = (Target("our float32 scan", 4.0),)
    if threads == 2:
        flat = {
            "faiss flat": faiss_flat(m, blas_from=20, threads=2),
            "faiss flat, 1 thread": faiss_flat(m, blas_from=20, threads=1),
        }
        one_vector(m, 1, flat)
        peers |= {"NumPy": lambda: m.numpy(1)} | {name: (lambda peer=peer: peer(1)) for name, peer in flat.items()}
        targets = (Target("NumPy", 8.0), *(Target(name, 5.0) for name in flat))
    versus(
        "rank",
        "Q = 1, exact by codes, d = 384",
        lambda: m.rank(1, "codes", threads),
        peers,
        n=n,
        threads=threads,
        targets=targets if n == 1_000_000 else (),
        alone=threads == 1,
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("kind", "least"), [("float32", 0.90), ("bfloat16", 0.85), ("int8", 0.75)])
@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_tiles(
    memories: Callable[[int, int], Memories], versus: Callable[..., Row], n: int, kind: str, least: float, threads: int
) -> None:
    m = memories(n, 384)
    if kind == "float32":
        m.check(64, kind)
    else:
        found = m.rank(64, kind, threads)
        np.testing.assert_allclose(found.scores, m.best(64)[1], atol=3e-2)
    versus(
        "rank",
        f"Q = 64, {kind} tiles, d = 384",
        lambda: m.rank(64, kind, threads),
        n=n,
        multiply_adds=2.0 * n * 384 * 64,
        kind=kind,
        threads=threads,
        targets=(Target("limit", least),) if n == 1_000_000 else (),
        rounds=7,
        alone=threads == 1,
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_many_queries_by_codes(
    memories: Callable[[int, int], Memories], versus: Callable[..., Row], n: int, threads: int
) -> None:
    """The share is of the float32 multiply-add peak: more than 1, for the products are of 8 bits."""
    m = memories(n, 384)
    m.check(64, "codes")
    row = versus(
        "rank",
        "Q = 64, exact by codes, d = 384",
        lambda: m.rank(64, "codes", threads),
        n=n,
        multiply_adds=2.0 * n * 384 * 64,
        threads=threads,
        targets=(Target("limit", 2.5),) if n == 1_000_000 else (),
        rounds=7,
        alone=threads == 1,
    )
    assert row.share > 0


@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_many_queries_against_peers(
    memories: Callable[[int, int], Memories], versus: Callable[..., Row], n: int
) -> None:
    m = memories(n, 384)
    m.check(64, "codes")
    flat = {
        "faiss flat": faiss_flat(m, blas_from=20, threads=2),
        "faiss flat, BLAS at 1 thread": faiss_flat(m, blas_from=1, threads=1),
    }

    def usearch(q: int) -> Answer:
        found = usearch_exact(m.what, m.queries[:q], K, "ip", exact=True, threads=2)
        return found.keys.astype(np.int64), 1.0 - found.distances

    flat["usearch exact"] = usearch
    one_vector(m, 64, flat)
    peers: dict[str, Callable[[], Any]] = {"NumPy": lambda: m.numpy(64)}
    peers |= {name: (lambda peer=peer: peer(64)) for name, peer in flat.items()}
    least = {"NumPy": 9.0, "faiss flat": 20.0, "faiss flat, BLAS at 1 thread": 3.5, "usearch exact": 20.0}
    row = versus(
        "rank",
        "Q = 64, exact by codes, peers",
        lambda: m.rank(64, "codes", 2),
        peers,
        n=n,
        threads=2,
        targets=tuple(Target(*pair) for pair in least.items()) if n == 1_000_000 else (),
        rounds=5 if small(n) else 3,
    )
    if n >= 100_000:
        assert row.ratios["NumPy"] >= 3.0, row.line()


@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_four_factors_with_the_graph(
    memories: Callable[[int, int], Memories], versus: Callable[..., Row], n: int
) -> None:
    """S0 of every memory, one hop of S0 U over its edges, then the k best by all four factors."""
    m, degree, q = memories(n, 384), 16, 64
    rng = np.random.default_rng(2)
    offsets, targets = np.arange(n + 1) * degree, rng.integers(0, n, n * degree, np.int32)
    share = np.full(n * degree, 1.0 / degree, np.float32)
    graph, matrix = (
        kernels.Graph(offsets, targets, share),
        csr_array((share, targets, offsets.astype(np.int32)), (n, n)),
    )
    weights = m.weights.copy()
    weights[:, 3] = 0.25

    def ours() -> kernels.Best:
        columns = {"utility": m.utility, "graph": graph, "contexts": m.places}
        return kernels.rank(m.queries, weights=weights, k=K, threads=2, **columns, **m.made("codes"))

    def numpy() -> Answer:
        score = 0.5 * (m.queries @ m.what.T)
        score += 0.3 * (m.places @ m.where.T)
        score += np.float32(0.2) * m.utility
        score += np.float32(0.25) * (matrix @ (score * m.utility).T).T
        return top(score)

    versus(
        "rank",
        f"Q = {q}, four factors with a graph",
        ours,
        {"NumPy + scipy": numpy},
        n=n,
        equal=same,
        threads=2,
        targets=(Target("NumPy + scipy", 6.0),) if n == 1_000_000 else (),
        rounds=5 if small(n) else 3,
    )
