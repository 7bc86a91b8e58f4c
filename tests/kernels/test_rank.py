from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from scrubjay import _core, isa
from scrubjay.errors import ArgumentError, ArgumentTypeError

DAY = 86400.0
NOW = 1.7e9
Data = dict[str, np.ndarray]


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d)).astype(np.float32)
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def problem(n: int, q: int = 3, d1: int = 20, d2: int = 12, seed: int = 0, contexts: int = 0) -> Data:
    """Every factor; `contexts` > 0: that many distinct ones, some rows without."""
    rng = np.random.default_rng(seed)
    data = {
        "queries": unit(rng, q, d1),
        "what": unit(rng, n, d1),
        "weights": rng.uniform(0, 1, (q, 8)),
        "contexts": unit(rng, q, d2),
        "where": unit(rng, contexts or n, d2),
        "value": rng.uniform(0, 2, n).astype(np.float32),
        "pi": rng.uniform(1e-3, 1, n).astype(np.float32),
        "tau": rng.uniform(60, 365 * DAY, n).astype(np.float32),
        "when": NOW + rng.uniform(-400, 1, n) * DAY,
        "now": NOW + rng.uniform(0, 9, q) * DAY,
    }
    if contexts:
        data["where_index"] = rng.integers(-1, contexts, n).astype(np.int32)
    for name in ("graph", "usefulness", "retrievability", "importance", "exploration"):
        data[name] = rng.uniform(0, 1, n).astype(np.float32)
    return data


@pytest.fixture(params=[3, 20])
def many(request: pytest.FixtureRequest) -> int:
    """Few queries are scanned for one by one, many at once: two plans with one answer."""
    return int(request.param)


def check(data: Data, k: int, **more: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    got = _core.rank(k=k, **data, **more)
    rows, scores, counts = oracles.rank(k=k, **data)
    np.testing.assert_array_equal(got[2], counts)
    np.testing.assert_array_equal(got[0], rows)
    np.testing.assert_allclose(got[1], scores, rtol=1e-12, atol=1e-14)
    return got


@pytest.mark.parametrize("n", [0, 1, 7, 15, 16, 17, 33, 127, 128, 129, 700])
@pytest.mark.parametrize("q", [1, 3, 12, 33])
def test_rank_is_brute_force(each_isa: str, n: int, q: int) -> None:
    check(problem(n, q), 10)


@pytest.mark.parametrize("d", [1, 15, 16, 17, 63, 64, 65, 384])
@pytest.mark.parametrize("q", [2, 20])
def test_any_width(each_isa: str, d: int, q: int) -> None:
    check(problem(300, q, d, d), 5)


@pytest.mark.parametrize("contexts", [1, 5, 299, 300])
def test_distinct_contexts_are_the_same_as_their_rows(each_isa: str, contexts: int, many: int) -> None:
    data = problem(300, many, contexts=contexts)
    rows, scores, counts = check(data, 7)
    at = data.pop("where_index")
    data["where"] = np.where(at[:, None] >= 0, data["where"][at], np.float32(0))
    for a, b in zip(_core.rank(k=7, **data), (rows, scores, counts), strict=True):
        np.testing.assert_array_equal(a, b)


def test_no_contexts_at_all(many: int) -> None:
    data = problem(40, many, contexts=3)
    data["where"], data["where_index"] = data["where"][:0], np.full(40, -1, np.int32)
    check(data, 7)


def test_factors_come_and_go(each_isa: str, many: int) -> None:
    data = problem(200, many)
    for gone in (("contexts",), ("where", "contexts"), ("value", "pi", "tau", "when"), ("graph",), ("importance",)):
        check({name: x for name, x in data.items() if name not in gone}, 6)


@pytest.mark.parametrize("q", [9, 27])
def test_each_query_has_its_own_weights_and_a_weight_of_zero_reads_nothing(each_isa: str, q: int) -> None:
    data = problem(200, q)
    data["weights"] = np.eye(9, 8)[np.arange(q) % 9]
    data["graph"][:] = np.nan
    check({name: x for name, x in data.items() if name != "graph"}, 6)
    _, _, counts = _core.rank(k=6, **data)
    np.testing.assert_array_equal(counts, np.where(np.arange(q) % 9 == 3, 0, 6))


def test_graph_of_each_query(each_isa: str, many: int) -> None:
    data = problem(150, many)
    data["graph"] = np.random.default_rng(5).uniform(0, 1, (many, 150)).astype(np.float32)
    check(data, 6)


def test_utility_replaces_the_fused_decay(each_isa: str, many: int) -> None:
    data = problem(150, many)
    data["now"][:] = NOW
    utility = _core.utility(data["value"], data["pi"], data["tau"], data["when"], NOW)
    rows, _, _ = check(data, 6)
    for name in ("value", "pi", "tau", "when", "now"):
        del data[name]
    assert (check(data | {"utility": utility}, 6)[0] == rows).all()


def test_shape_stretches_the_decay(each_isa: str, many: int) -> None:
    data = problem(150, many)
    data["shape"] = np.random.default_rng(5).uniform(0.3, 3, 150).astype(np.float32)
    check(data, 6)
    data["shape"][::7] = [-1.0, 0.0, 1e-3, 100.0, 1e30, np.inf, np.nan] * 3 + [1.0]
    with np.errstate(all="ignore"):
        check(data, 6)
    one = data | {"shape": np.ones(150, np.float32)}
    del data["shape"]
    np.testing.assert_array_equal(check(one, 6)[0], check(data, 6)[0])


@pytest.mark.parametrize("bits", [False, True])
def test_only_live_and_picked_rows(each_isa: str, bits: bool, many: int) -> None:
    data = problem(300, many, contexts=4)
    rng = np.random.default_rng(3)
    live = rng.random(300) < 0.5
    data["live"] = np.packbits(live, bitorder="little") if bits else live
    check(data, 6)
    data["rows"] = np.flatnonzero(rng.random(300) < 0.3)
    check(data, 6)
    data["graph"] = rng.uniform(0, 1, (many, 300)).astype(np.float32)
    data["shape"] = rng.uniform(0.5, 2, 300).astype(np.float32)
    check(data, 6)
    check(data | {"rows": np.zeros(0, np.int64)}, 6)
    check(data | {"live": np.zeros(300, bool)}, 6)


def test_bug_16_k_beyond_the_rows_and_absurd_k() -> None:
    data = problem(5)
    check(data, 10)
    for huge in (2**40, 2**63, 2**70):
        assert _core.rank(k=huge, **data)[0].shape == (3, 5)
    for k in (0, -1, -(2**70)):
        with pytest.raises(ArgumentError, match="k must be at least 1"):
            _core.rank(k=k, **data)
    for k in (1.5, True, "3", None):
        with pytest.raises(ArgumentTypeError, match="k must be a whole number"):
            _core.rank(k=k, **data)
    empty = {name: x[:0] if name not in ("queries", "weights", "contexts", "now") else x for name, x in data.items()}
    rows, scores, counts = _core.rank(k=10, **empty)
    assert rows.shape == scores.shape == (3, 0)
    assert not counts.any()


def same_everywhere(data: Data, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first = check(data, k)
    for threads in (1, 2, 8):
        for a, b in zip(_core.rank(k=k, **data, threads=threads), first, strict=True):
            np.testing.assert_array_equal(a, b)
    return first


def test_bits_do_not_depend_on_threads_or_isa(many: int) -> None:
    data = problem(10_000, many, 32, 32)
    first = same_everywhere(data, 50)
    for name in isa.available():
        with isa.using(name):
            for a, b in zip(_core.rank(k=50, **data), first, strict=True):
                np.testing.assert_array_equal(a, b)


def test_ties_go_by_row(each_isa: str, many: int) -> None:
    data = problem(1, many)
    data = {name: np.repeat(x, 9_000, 0) if len(x) == 1 else x for name, x in data.items()}
    rows, _, _ = _core.rank(k=12, **data, threads=2)
    np.testing.assert_array_equal(rows, [np.arange(12)] * many)
    rows, _, _ = _core.rank(k=9_000, **data, threads=2)
    np.testing.assert_array_equal(rows, [np.arange(9_000)] * many)


def test_near_ties_of_one_ulp(each_isa: str, many: int) -> None:
    rng = np.random.default_rng(2)
    row = unit(rng, 1, 64)[0]
    what = np.repeat(row[None], 3_000, 0)
    at = rng.integers(0, 64, 3_000)
    ulps = rng.integers(-2, 3, 3_000)
    what[np.arange(3_000), at] += (ulps * np.spacing(what[np.arange(3_000), at])).astype(np.float32)
    data = {
        "queries": rng.integers(-3, 4, (many, 64)).astype(np.float32),
        "what": what,
        "weights": np.eye(1, 8).repeat(many, 0),
    }
    check(data, 40)


ODD = [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e30, 1e-45, 1e-38, 0.0, -0.0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 12))
def test_bug_20_odd_numbers_never_disturb_the_rest(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    data = problem(n, int(rng.choice([2, 18])), 19, 5, seed)
    for name in ("what", "where", "value", "importance", "graph", "when", "tau", "pi"):
        x = data[name]
        hit = rng.random(x.shape) < 0.01
        x[hit] = rng.choice(ODD, hit.sum()).astype(x.dtype)
    if rng.random() < 0.3:
        data["queries"][0] *= np.float32(1e30)
    with np.errstate(all="ignore"):
        for name in isa.available():
            with isa.using(name):
                check(data, k)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 400), st.integers(1, 20), st.integers(1, 5), st.sampled_from([3, 17]))
def test_rank_is_brute_force_on_few_values(seed: int, n: int, k: int, values: int, q: int) -> None:
    """Small whole numbers: sums are exact, so ties are many and real."""
    rng = np.random.default_rng(seed)
    data = {
        "queries": rng.integers(-values, values + 1, (q, 6)).astype(np.float32),
        "what": rng.integers(-values, values + 1, (n, 6)).astype(np.float32),
        "weights": rng.integers(-2, 3, (q, 8)).astype(np.float64),
        "importance": rng.integers(0, values + 1, n).astype(np.float32),
    }
    check(data, k)


def test_contributions_sum_to_the_score(each_isa: str) -> None:
    data = problem(200, contexts=9)
    rows, scores, _ = _core.rank(k=300, **data, live=np.arange(200) % 2 == 0)
    terms = _core.contributions(hits=rows, **data)
    there = rows >= 0
    np.testing.assert_array_equal(terms.sum(axis=-1)[there], scores[there])
    assert not terms[~there].any()
    want = np.take_along_axis(oracles.factors(**data), np.maximum(rows, 0)[..., None], axis=1)
    np.testing.assert_allclose(terms[there], want[there], rtol=1e-12, atol=1e-14)


def test_arguments_are_checked() -> None:
    good = problem(8, contexts=2)

    def refused(match: str, error: type = ArgumentError, **changed: object) -> None:
        with pytest.raises(error, match=match):
            _core.rank(**{"k": 3, **good, **changed})

    refused("what has rows of 20 values but queries has rows of 7", queries=good["queries"][:, :7].copy())
    refused(
        "queries must be finite, got nan in row 0",
        queries=np.where(np.arange(20) == 2, np.nan, good["queries"]).astype("f"),
    )
    refused("weights must have 8 columns", weights=good["weights"][:, :4].copy())
    refused("weights must be finite", weights=good["weights"] * np.inf)
    refused("contexts has 2 values but queries has 3", contexts=good["contexts"][:2])
    refused("where has rows of 12 values but contexts has rows of 3", contexts=good["contexts"][:, :3].copy())
    refused("where_index must be from -1 to 1, got 2", where_index=np.full(8, 2, np.int32))
    refused("where_index must be from -1 to 1, got -2", where_index=np.full(8, -2, np.int32))
    refused("where_index needs where", where=None)
    refused("value, pi, tau and when belong together", tau=None)
    refused("now is needed", now=None)
    refused("now must be finite", now=good["now"] * np.nan)
    refused("importance has 7 values but what has 8", importance=good["importance"][:7])
    refused("live has 7 values", live=np.ones(7, bool))
    refused("live as uint8 holds a bit a row", live=np.ones(2, np.uint8))
    refused("rows must be ascending row numbers below 8, got 8 at position 1", rows=np.array([1, 8]))
    refused("rows must be ascending row numbers below 8, got 1 at position 1", rows=np.array([1, 1]))
    refused("threads must be 0", threads=-1)
    refused("unknown keyword colour", ArgumentTypeError, colour=3)


def test_scrubjay_threads_is_honoured_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = problem(5_000, 2, 64, 64)
    first = _core.rank(k=5, **data)
    monkeypatch.setenv("SCRUBJAY_THREADS", "3")
    np.testing.assert_array_equal(_core.rank(k=5, **data)[0], first[0])
    for wrong in ("0", "-1", "two", "2000"):
        monkeypatch.setenv("SCRUBJAY_THREADS", wrong)
        with pytest.raises(ArgumentError, match="SCRUBJAY_THREADS must be a whole number"):
            _core.rank(k=5, **data)


def in_child(work: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Runs `work` in a fork; False when it fails, dies or hangs."""
    import signal
    import time

    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_bug_14_and_22_a_fork_searches_with_threads_of_its_own() -> None:
    data = problem(20_000, 2, 32, 32)
    first = _core.rank(k=5, **data, threads=4)[0]
    assert in_child(lambda: np.array_equal(_core.rank(k=5, **data, threads=4)[0], first))
    np.testing.assert_array_equal(_core.rank(k=5, **data, threads=4)[0], first)


def test_threads_of_python_search_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    data = problem(20_000, 2, 32, 32)
    first = _core.rank(k=5, **data)[0]
    with ThreadPoolExecutor(4) as pool:
        for rows, _, _ in pool.map(lambda _: _core.rank(k=5, **data, threads=2), range(24)):
            np.testing.assert_array_equal(rows, first)


def test_slices_are_read_where_they_stand() -> None:
    data = problem(200, 4)
    wide = {name: np.full((2 * len(x), x.shape[1] + 3), np.nan, x.dtype) for name, x in data.items() if x.ndim == 2}
    views = {name: x[::2, : data[name].shape[1]] for name, x in wide.items()}
    for name, view in views.items():
        view[:] = data[name]
    wide_graph = np.full((8, 205), np.nan, np.float32)
    wide_graph[::2, :200] = np.random.default_rng(1).uniform(0, 1, (4, 200))
    check(data | views | {"graph": wide_graph[::2, :200]}, 5)


@pytest.mark.parametrize("count", [1, 3, 40])
def test_each_query_over_its_own_rows_is_that_query_alone(count: int) -> None:
    rng = np.random.default_rng(count)
    what = rng.standard_normal((300, 24), np.float32)
    queries, weights = rng.standard_normal((count, 24), np.float32), rng.uniform(0, 1, (count, 8))
    each = [np.sort(rng.choice(300, size, replace=False)) for size in rng.integers(0, 60, count)]
    each[0] = np.empty(0, np.int64)
    more = {"utility": rng.random(300, np.float32), "live": rng.random(300) < 0.8}
    parts = np.cumsum([0, *map(len, each)])
    together = _core.rank(queries, what, weights, 9, rows=np.concatenate(each), parts=parts, **more)
    for q, rows in enumerate(each):
        alone = _core.rank(queries[q : q + 1], what, weights[q : q + 1], 9, rows=rows, **more)
        k = int(alone[2][0])
        assert together[2][q] == k
        np.testing.assert_array_equal(together[0][q, :k], alone[0][0, :k])
        np.testing.assert_array_equal(together[1][q, :k], alone[1][0, :k])
        assert (together[0][q, k:] == -1).all()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([0, 2], "queries and one more"),
        ([0, 2, 1], "rise"),
        ([1, 2, 3], "rise"),
        ([0, 1, 4], "rise"),
        ([0, 1, 2], "rise"),
        ([0, 3, 3], "ascending"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: list[int], message: str) -> None:
    what = np.ones((4, 2), np.float32)
    with pytest.raises(ValueError, match=message):
        _core.rank(what[:2], what, np.ones((2, 8)), 2, rows=np.array([1, 3, 0]), parts=np.array(parts))
    with pytest.raises(ValueError, match="parts needs rows"):
        _core.rank(what[:2], what, np.ones((2, 8)), 2, parts=np.array([0, 0, 0]))
