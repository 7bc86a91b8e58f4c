"""The four-factor score whose graph term is one hop over the rest: one native search equals the float64 brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from scrubjay import _core, isa, kernels
from scrubjay.errors import ArgumentError

Data = dict[str, np.ndarray]
Parts = tuple[np.ndarray, np.ndarray, np.ndarray]
ODD = [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e30, 1e-45, 0.0, -0.0]


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d)).astype(np.float32)
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def problem(n: int, q: int, d: int = 20, seed: int = 0, contexts: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    data = {
        "queries": unit(rng, q, d),
        "what": unit(rng, n, d),
        "weights": rng.uniform(-1, 1, (q, 8)),
        "contexts": unit(rng, q, 9),
        "where": unit(rng, contexts or n, 9),
        "utility": rng.uniform(-0.5, 2, n).astype(np.float32),
        "importance": rng.uniform(0, 1, n).astype(np.float32),
    }
    if contexts:
        data["where_index"] = rng.integers(-1, contexts, n).astype(np.int32)
    return data


def edges(n: int, degrees: np.ndarray | int, seed: int = 1) -> Parts:
    """A random graph with self loops, duplicate edges, weights of either sign and some of 0."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(np.broadcast_to(degrees, n))]).astype(np.int64)
    weights = rng.uniform(-1, 1, offsets[-1]).astype(np.float32)
    weights[rng.random(len(weights)) < 0.1] = 0
    return offsets, rng.integers(0, max(n, 1), offsets[-1]).astype(np.int32), weights


def brute(data: Data, parts: Parts, k: int, live: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows and scores in float64: S0, then one hop of e S0 U from the living, then the k best."""
    offsets, targets, weights = parts
    n = len(data["what"])
    alive = np.ones(n, bool) if live is None else live
    first = oracles.factors(**data).sum(axis=-1)
    sources = np.repeat(np.arange(n), np.diff(offsets))
    counts = alive[targets] & (weights != 0)
    sources, targets, weights = sources[counts], targets[counts], weights[counts].astype(np.float64)
    rows, scores = [], []
    for q in range(len(first)):
        with np.errstate(all="ignore"):
            brought = first[q] * data["utility"].astype(np.float64)
            graph = np.bincount(sources, weights * brought[targets], n)
        weight = data["weights"][q, 3]
        total = first[q] + (weight * graph if weight else 0.0)
        order = [i for i in np.argsort(-total, kind="stable") if alive[i] and not np.isnan(total[i])][:k]
        rows.append(order + [-1] * (min(k, n) - len(order)))
        scores.append([total[i] for i in order] + [-np.inf] * (min(k, n) - len(order)))
    width = min(k, n)
    shape = len(first), width
    return np.array(rows, np.int64).reshape(shape), np.array(scores, np.float64).reshape(shape)


def check(data: Data, parts: Parts, k: int, **more: Any) -> tuple[np.ndarray, ...]:
    got = _core.rank(k=k, graph=_core.Graph(*parts), **data, **more)
    rows, scores = brute(data, parts, k, more.get("live"))
    np.testing.assert_allclose(got[1], scores, rtol=1e-10, atol=1e-12)
    # neighbours with equal scores to the last bits may change places
    differ = got[0] != rows
    if differ.any():
        again = _core.contributions(hits=rows, graph=_core.Graph(*parts), **data).sum(axis=-1)
        np.testing.assert_allclose(got[1][differ], again[differ], rtol=1e-12, atol=1e-14)
    return got


@pytest.mark.parametrize("n", [0, 1, 15, 16, 95, 96, 97, 700])
@pytest.mark.parametrize("q", [1, 16, 33, 70])
def test_it_is_brute_force(each_isa: str, n: int, q: int) -> None:
    check(problem(n, q), edges(n, np.arange(n) % 7), 10)


@pytest.mark.parametrize("contexts", [0, 5])
@pytest.mark.parametrize("coded", [False, True])
def test_by_codes_and_by_distinct_contexts(each_isa: str, contexts: int, coded: bool) -> None:
    n, q = 7_000, 20
    data, parts = problem(n, q, 64, contexts=contexts), edges(n, 5)
    more: dict[str, Any] = {}
    if coded:
        more = {"what_codes": _core.codes(data["what"])} | (
            {} if contexts else {"where_codes": _core.codes(data["where"])}
        )
    found = check(data, parts, 10, **more)
    best = kernels.rank(k=10, graph=_core.Graph(*parts), **data, **more)  # type: ignore[arg-type]
    assert best.plan == "tile" + "+codes" * coded + "+contexts" * bool(contexts) + "+graph"
    for a, b in zip(found, best[:3], strict=True):
        np.testing.assert_array_equal(a, b)


def test_threads_and_instruction_sets_give_one_answer() -> None:
    data, parts = problem(9_000, 40, 32), edges(9_000, np.arange(9_000) % 23)
    codes = {"what_codes": _core.codes(data["what"]), "where_codes": _core.codes(data["where"])}
    first = _core.rank(k=25, graph=_core.Graph(*parts), **data)
    for name in isa.available():
        for threads in (1, 2, 8):
            for more in ({}, codes):
                with isa.using(name):
                    got = _core.rank(k=25, graph=_core.Graph(*parts), threads=threads, **data, **more)
                np.testing.assert_array_equal(got[0], first[0])
                np.testing.assert_allclose(got[1], first[1], rtol=1e-12)


def test_the_dead_neither_rank_nor_bring_anything(each_isa: str) -> None:
    data, parts = problem(400, 6), edges(400, 9)
    live = np.random.default_rng(4).random(400) < 0.5
    data["what"][~live] = np.nan
    with np.errstate(all="ignore"):
        check(data, parts, 12, live=live)


@pytest.mark.parametrize("heavy", [0.25, 1e3])
def test_many_best_rows_that_codes_cannot_tell_apart(each_isa: str, heavy: float) -> None:
    data = problem(7_000, 17, 32)
    data["weights"][:, 3] = heavy
    check(data, edges(7_000, 6), 400, what_codes=_core.codes(data["what"]), where_codes=_core.codes(data["where"]))


def test_a_hub_whose_neighbours_are_thousands(each_isa: str) -> None:
    degrees = np.full(300, 2)
    degrees[7] = 20_000
    check(problem(300, 3), edges(300, degrees), 8)


def test_an_adversary_that_only_the_hop_lifts(each_isa: str) -> None:
    """All rows score alike without the hop; one neighbour's last bits decide."""
    n, d = 6_500, 64
    rng = np.random.default_rng(3)
    row = unit(rng, 1, d)[0]
    what = np.repeat(row[None], n, 0)
    what[np.arange(n), rng.integers(0, d, n)] *= np.float32(1 + 2**-20)
    weights = np.zeros((20, 8))
    weights[:, 0], weights[:, 3] = 1.0, 0.5
    data = {
        "queries": rng.integers(-3, 4, (20, d)).astype(np.float32),
        "what": what,
        "weights": weights,
        "utility": np.ones(n, np.float32),
    }
    check(data, edges(n, 3), 30, what_codes=_core.codes(what))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 12), st.sampled_from([1, 18]))
def test_odd_numbers_reach_their_neighbours_and_nobody_else(seed: int, n: int, k: int, q: int) -> None:
    rng = np.random.default_rng(seed)
    data, parts = problem(n, q, 19, seed), edges(n, rng.integers(0, 6, n), seed)
    for name in ("what", "where", "importance", "utility"):
        x = data[name]
        hit = rng.random(x.shape) < 0.01
        x[hit] = rng.choice(ODD, hit.sum()).astype(x.dtype)
    if rng.random() < 0.3:
        data["queries"][0] *= np.float32(1e30)
    with np.errstate(all="ignore"):
        for name in isa.available():
            with isa.using(name):
                check(data, parts, k)


def test_terms_sum_to_the_score_and_a_weight_of_zero_reads_no_edge(each_isa: str) -> None:
    data, parts = problem(200, 20), edges(200, 4)
    graph = _core.Graph(*parts)
    rows, scores, _ = _core.rank(k=9, graph=graph, **data)
    terms = _core.contributions(hits=rows, graph=graph, **data)
    np.testing.assert_array_equal(terms.sum(axis=-1), scores)
    assert np.abs(terms[..., 3]).max() > 0
    data["weights"][:, 3] = 0
    got = _core.rank(k=9, graph=graph, plan=True, **data)
    assert got[3] == "tile"
    for a, b in zip(got[:3], _core.rank(k=9, **data), strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_does_not_go_together_is_refused() -> None:
    data, graph = problem(8, 2), _core.Graph(*edges(8, 2))
    with pytest.raises(ArgumentError, match="graph has 8 nodes but what has 7 rows"):
        _core.rank(k=3, graph=graph, **problem(7, 2))
    with pytest.raises(ArgumentError, match="graph as a Graph needs utility"):
        _core.rank(k=3, graph=graph, **{name: x for name, x in data.items() if name != "utility"})
    with pytest.raises(ArgumentError, match="rows cannot go with graph as a Graph"):
        _core.rank(k=3, graph=graph, rows=np.arange(3), **data)
