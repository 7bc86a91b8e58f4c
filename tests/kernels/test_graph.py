from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from scrubjay import _core, isa
from scrubjay.errors import ArgumentError, ArgumentTypeError

DAY = 86400.0
TERMS: dict[str, Any] = {
    "shares": (0.4, 0.3, 0.3),
    "what_least": 0.6,
    "where_least": 0.6,
    "rate": 1 / DAY,
    "window": 7 * DAY,
}


def csr(degrees: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, targets, weights of a random graph (self loops and duplicate edges included)."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    targets = rng.integers(0, max(1, len(degrees)), offsets[-1]).astype(np.int32)
    return offsets, targets, rng.uniform(0, 1, offsets[-1]).astype(np.float32)


def values(n: int, queries: int | None = None, seed: int = 1) -> np.ndarray:
    shape = n if queries is None else (queries, n)
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def bound(offsets: np.ndarray, targets: np.ndarray, weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The kernel's stated error."""
    degree = np.diff(offsets)
    return (degree / 4 + 4) * 2.0**-24 * oracles.hop(offsets, targets, np.abs(weights), np.abs(x)) + 1e-38


DEGREES = {
    "none": [],
    "one node": [0],
    "one loop": [1],
    "no edges": [0] * 50,
    "every small degree": list(range(40)),
    "mixed": [0, 3, 0, 0, 17, 1, 4, 5, 0] * 7,
    "hub": [0] * 20 + [100_000] + [2] * 300,
}


@pytest.mark.parametrize("name", DEGREES)
def test_a_hop_equals_the_oracle(each_isa: str, name: str) -> None:
    parts = csr(DEGREES[name])
    graph = _core.Graph(*parts)
    n = len(DEGREES[name])
    score, utility = values(n), np.abs(values(n, seed=2))
    for x, got in ((score, graph.hop(score)), (score * utility, graph.hop(score, utility))):
        assert (np.abs(got - oracles.hop(*parts, x)) <= bound(*parts, x)).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("queries", [1, 2, 5, 6, 7, 15, 16, 17, 33])
@pytest.mark.parametrize("name", ["none", "one loop", "every small degree", "mixed", "hub"])
def test_a_batch_gives_the_bits_of_single_queries(name: str, queries: int, threads: int) -> None:
    graph = _core.Graph(*csr(DEGREES[name]))
    n = len(DEGREES[name])
    score, utility = values(n, queries), values(n, seed=2)
    for u in (None, utility):
        together = graph.hop(score, u, threads=threads)
        assert together.shape == (queries, n)
        for q in range(queries):
            np.testing.assert_array_equal(together[q], graph.hop(score[q], u, threads=1))


@pytest.mark.parametrize("queries", [None, 3, 16])
def test_all_instruction_sets_and_threads_give_the_same_bits(queries: int | None) -> None:
    parts = csr([(7 * i) % 23 for i in range(5000)])
    score, utility = values(5000, queries), values(5000, seed=2)
    seen = []
    for name in isa.available():
        with isa.using(name):
            seen += [_core.Graph(*parts).hop(score, utility, threads=t).tobytes() for t in (1, 2, 4)]
    assert len(set(seen)) == 1


def test_a_subset_of_nodes_gives_the_same_bits(each_isa: str) -> None:
    graph = _core.Graph(*csr(DEGREES["mixed"]))
    n = graph.nodes
    score, utility, rows = values(n, 3), values(n, seed=2), np.array([5, 0, n - 1, 5, 4])
    for u in (None, utility):
        np.testing.assert_array_equal(graph.hop(score, u, rows=rows), graph.hop(score, u)[:, rows])
        np.testing.assert_array_equal(graph.hop(score[0], u, rows=rows), graph.hop(score[0], u)[rows])
    assert graph.hop(score, rows=rows[:0]).shape == (3, 0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", DEGREES)
def test_the_strongest_neighbour(each_isa: str, name: str, weighted: bool) -> None:
    parts = csr(DEGREES[name])
    x = values(len(DEGREES[name]))
    x[::5] = np.nan
    got = _core.Graph(*parts).strongest(x, weighted=weighted)
    np.testing.assert_array_equal(got, oracles.strongest(*parts, x, weighted).astype(np.float32))


def test_the_strongest_of_several_queries_and_of_infinities() -> None:
    graph = _core.Graph(np.array([0, 1, 1]), np.array([1]), np.ones(1, np.float32))
    x = np.array([[5.0, -np.inf], [1.0, np.nan], [1.0, -3.0]], np.float32)
    np.testing.assert_array_equal(graph.strongest(x), [[-np.inf, 0], [0, 0], [-3, 0]])


def test_bug_20_nan_and_infinity_reach_only_those_who_point_at_them(each_isa: str) -> None:
    n = 64
    ring = _core.Graph(np.arange(n + 1), (np.arange(n) + 1) % n, np.ones(n, np.float32))
    for bad in (np.nan, np.inf, -np.inf, 3e38, 1e-45):
        for queries in (None, 16):
            x = np.ones(n if queries is None else (queries, n), np.float32)
            x[..., 10] = bad
            want = np.ones_like(x)
            want[..., 9] = np.float32(bad)
            np.testing.assert_array_equal(ring.hop(x), want)


def test_duplicates_add_up_and_loops_count() -> None:
    graph = _core.Graph.from_edges(
        np.array([0, 0, 1, 0]), np.array([1, 1, 1, 0]), np.array([0.5, 0.25, 2.0, 4.0], np.float32), 3
    )
    np.testing.assert_array_equal(graph.hop(np.array([1, 10, 100], np.float32)), [4 + 7.5, 20, 0])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60), st.integers(10, 12))
def test_from_edges_keeps_every_edge_in_order(edges: list[tuple[int, int]], nodes: int) -> None:
    sources = np.array([e[0] for e in edges], np.int64)
    targets = np.array([e[1] for e in edges], np.int32)
    weights = np.arange(len(edges), dtype=np.float32)
    graph = _core.Graph.from_edges(sources, targets, weights, nodes)
    order = np.argsort(sources, kind="stable")
    np.testing.assert_array_equal(graph.targets, targets[order])
    np.testing.assert_array_equal(graph.weights, weights[order])
    np.testing.assert_array_equal(graph.offsets, np.searchsorted(sources[order], np.arange(nodes + 1)))
    again = _core.Graph(graph.offsets, graph.targets, graph.weights)
    assert (again.nodes, again.edges) == (nodes, len(edges))


GOOD = (np.array([0, 2, 3]), np.array([1, 0, 1]), np.ones(3, np.float32))


@pytest.mark.parametrize(
    ("at", "bad", "why"),
    [
        (0, np.array([0, 2, 4]), r"offsets must end at the number of edges, 3, got 4"),
        (0, np.array([1, 2, 3]), r"offsets must start at 0, got 1"),
        (0, np.array([0, 4, 3]), r"offsets must not fall, got 3 after 4 at position 2"),
        (0, np.array([0, -1, 3]), r"offsets must not fall, got -1 after 0 at position 1"),
        (0, np.array([0, 2**62, 3]), r"offsets must not fall"),
        (0, np.zeros(0, np.int64), r"offsets must have one value more"),
        (0, np.array([0.0, 2.0, 3.0]), r"offsets must be int64, got float64"),
        (0, np.array([[0, 2, 3]]), r"offsets must have 1 axis, got 2"),
        (1, np.array([1, 0, 2]), r"targets must be row numbers below 2, got 2 at position 2"),
        (1, np.array([1, -1, 0]), r"targets must be row numbers below 2, got -1 at position 1"),
        (1, np.array([2**32, 0, 1]), r"targets must be row numbers below 2, got 4294967296"),
        (1, np.array([1, -128, 1], np.int8)[::-1], r"targets must be row numbers below 2"),
        (1, np.array([1, 0, 1], np.uint64), r"targets must be int32, got uint64"),
        (1, np.array([1.0, 0, 1]), r"targets must be int32, got float64"),
        (1, np.array([1, 0]), r"weights has 3 values but targets has 2"),
        (2, np.array([1, np.nan, 1], np.float32), r"weights must be finite, got nan at position 1"),
        (2, np.array([1, 1, -np.inf], np.float32), r"weights must be finite, got -inf at position 2"),
        (2, np.ones(3), r"weights must be float32, got float64"),
        (2, np.ones(4, np.float32), r"weights has 4 values but targets has 3"),
    ],
)
def test_bad_graphs_are_refused_by_name(at: int, bad: np.ndarray, why: str) -> None:
    parts = list(GOOD)
    parts[at] = bad
    with pytest.raises(ArgumentError, match=why):
        _core.Graph(*parts)


def test_bad_calls_are_refused_by_name() -> None:
    graph = _core.Graph(*GOOD)
    two = np.ones(2, np.float32)
    with pytest.raises(ArgumentError, match="score has 3 values a row but the graph has 2 nodes"):
        graph.hop(np.ones((4, 3), np.float32))
    with pytest.raises(ArgumentError, match="utility has 1 values"):
        graph.hop(two, two[:1])
    with pytest.raises(ArgumentError, match="rows must be row numbers below 2, got 2"):
        graph.hop(two, rows=np.array([2]))
    with pytest.raises(ArgumentTypeError, match="score must have 1 or 2 axes, got 3"):
        graph.hop(np.ones((1, 1, 2), np.float32))
    with pytest.raises(ArgumentError, match="threads must be 0"):
        graph.hop(two, threads=-1)
    with pytest.raises(ArgumentError, match="nodes must be from 0"):
        _core.Graph.from_edges(GOOD[1][:0], GOOD[1][:0], two[:0], -1)
    with pytest.raises(ArgumentError, match="sources must be row numbers below 0"):
        _core.Graph.from_edges(GOOD[1], GOOD[1], GOOD[2], 0)


def test_a_graph_is_its_own_and_its_arrays_keep_it_alive() -> None:
    offsets, targets, weights = (part.copy() for part in GOOD)
    graph = _core.Graph(offsets, targets, weights)
    targets[:] = 99
    offsets[:] = 99
    np.testing.assert_array_equal(graph.hop(np.array([1, 10], np.float32)), [11, 10])
    kept = graph.targets
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 7
    del graph
    gc.collect()
    np.testing.assert_array_equal(kept, [1, 0, 1])


def test_arrow_and_strided_scores() -> None:
    graph = _core.Graph(pa.array([0, 2, 3]), pa.array([1, 0, 1], pa.int32()), pa.array([1, 1, 1], pa.float32()))
    x = values(2, 16)
    want = graph.hop(x)
    rows = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 2)
    np.testing.assert_array_equal(graph.hop(rows), want)
    np.testing.assert_array_equal(graph.hop(np.concatenate([x, x], 1)[:, :2]), want)
    np.testing.assert_array_equal(graph.hop(np.asfortranarray(x)), want)


def unit(n: int, d: int, seed: int) -> np.ndarray:
    """Rows of unit norm, many of them close to one another."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal(d) + rng.uniform(0, 2, (n, 1)) * rng.standard_normal((n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("edges", [0, 1, 15, 16, 17, 1000])
def test_edge_weights_equal_the_oracle(each_isa: str, edges: int) -> None:
    rng = np.random.default_rng(3)
    what, where = unit(60, 40, 1), unit(60, 33, 2)
    when = 1.7e9 + rng.uniform(0, 20, 60) * DAY
    i, j = rng.integers(0, 60, (2, edges))
    got = _core.edge_weights(i, j, what, when, where, **TERMS)
    want = oracles.edge_weights(i, j, what, where, when, TERMS["shares"], 0.6, rate=1 / DAY, window=7 * DAY)
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-7)
    np.testing.assert_array_equal(got, _core.edge_weights(j, i, what, when, where, **TERMS))
    assert ((got >= 0) & (got <= 1 + 1e-6)).all()


def test_each_class_of_edge_alone() -> None:
    what = np.array([[1, 0], [0.6, 0.8], [0.59, 0.81], [0, 0], [np.nan, 0]], np.float32)
    when = np.array([0.0, DAY, 6.999 * DAY, 7 * DAY, np.nan])
    i, j = np.zeros(5, np.int64), np.arange(5)
    only = {**TERMS, "shares": (1.0, 0.0, 0.0)}
    np.testing.assert_allclose(_core.edge_weights(i, j, what, when, **only), [1, 0.6, 0, 0, 0], atol=1e-7)
    only["shares"] = (0.0, 0.0, 1.0)
    near = [1, np.exp(-1), np.exp(-6.999), 0, 0]
    np.testing.assert_allclose(_core.edge_weights(i, j, what, when, **only), near, atol=1e-7)
    only["shares"] = (0.0, 1.0, 0.0)
    index = np.array([0, 0, 1, -1, -7], np.int32)
    where = np.array([[0, 1], [1, 0]], np.float32)
    got = _core.edge_weights(i, j, what, when, where, where_index=index, **only)
    np.testing.assert_array_equal(got, [1, 1, 0, 0, 0])


def test_a_cosine_above_one_is_clamped() -> None:
    what = np.full((1, 3), np.float32(1 / np.sqrt(3)) * np.float32(1.0001), np.float32)
    got = _core.edge_weights(np.array([0]), np.array([0]), what, np.zeros(1), **{**TERMS, "shares": (1.0, 0.0, 0.0)})
    assert got[0] == 1.0


WHERE = np.ones((1, 2), np.float32)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"sources": np.array([5])}, "sources must be row numbers below 2, got 5"),
        ({"targets": np.array([-1])}, "targets must be row numbers below 2, got -1"),
        ({"targets": np.array([0, 1])}, "targets has 2 values but sources has 1"),
        ({"when": np.zeros(3)}, "when has 3 values but what has 2"),
        ({"where": np.ones((3, 2), np.float32)}, "where has 3 values but what has 2"),
        ({"where_index": np.array([0, 0], np.int32)}, "where_index needs where"),
        (
            {"where": np.ones((1, 2), np.float32), "where_index": np.array([0, 1], np.int32)},
            "where_index must be below 1",
        ),
        ({"rate": -1.0}, "rate must be finite and at least 0"),
        ({"rate": np.inf}, "rate must be finite"),
        ({"window": np.nan}, "window must be at least 0"),
        ({"what_least": 1.5}, "what_least must be from -1"),
        ({"where_least": np.nan}, "where_least must be from -1"),
        ({"shares": (0.4, 0.3, -0.1)}, r"shares\[2\] must be from 0"),
    ],
)
def test_bad_edges_are_refused_by_name(change: dict[str, Any], why: str) -> None:
    good: dict[str, Any] = {
        "sources": np.array([0]),
        "targets": np.array([1]),
        "what": np.ones((2, 2), np.float32),
        "when": np.zeros(2),
        **TERMS,
    }
    with pytest.raises(ArgumentError, match=why):
        _core.edge_weights(**{**good, **change})


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(0, 200))
def test_a_hop_is_linear_in_its_weights(seed: int, nodes: int, edges: int) -> None:
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, nodes, (2, edges))
    w = rng.integers(0, 8, edges).astype(np.float32)
    x = rng.integers(-8, 8, nodes).astype(np.float32)
    one, two = (_core.Graph.from_edges(i, j, part, nodes).hop(x) for part in (w, 2 * w))
    np.testing.assert_array_equal(2 * one, two)
    np.testing.assert_array_equal(one, np.bincount(i, w * x[j], nodes))
