"""Rows as bfloat16, as 8 bits, and the exact search by codes with proved bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from kernels.test_rank import ODD, problem, unit
from scrubjay import _core, isa
from scrubjay.errors import ArgumentError, ArgumentTypeError

Data = dict[str, Any]
ROWS = 6_200
"""More than the search needs to look at codes at all."""


def bfloat16(x: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 as float32, ties to even."""
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), x, rounded)


def widened(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def plane(half: np.ndarray, width: int) -> np.ndarray:
    """The four bits of each value: a block of 64 bytes holds 128."""
    blocks = half.reshape(len(half), -1, 64)
    return np.concatenate([blocks & 15, blocks >> 4], axis=2).reshape(len(half), -1)[:, :width].astype(np.int64)


def decoded(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What all 8 bits and the upper 4 stand for, turned and in float64, and the four rows of meta."""
    high, low, meta = _core.codes(rows)
    upper, lower = plane(high, 2 * high.shape[1]), plane(low, 2 * low.shape[1])
    scale = meta[0].astype(np.float64)[:, None]
    return scale * (16 * upper + lower - 128), scale * (16 * upper - 120.5), meta.astype(np.float64)


def nasty(d: int) -> np.ndarray:
    """Rows that are hard on codes: outliers, rounding ties, constants, the smallest and the largest values."""
    rng = np.random.default_rng(d)
    rows = [np.zeros(d), np.ones(d), -np.ones(d), np.full(d, 1e-40), np.full(d, 2.0**-101), np.full(d, 2.0**59)]
    outlier = np.full(d, 1e-3)
    outlier[0] = 1.0
    ties = (rng.integers(-127, 127, d) + 0.5) / 127
    ties[-1] = 1.0
    rows += [
        outlier,
        -outlier,
        ties,
        np.where(np.arange(d) % 2, 1.0, -1.0),
        np.eye(1, d)[0],
        1e-30 * rng.standard_normal(d),
    ]
    rows += [np.linspace(-1, 1, d), (16 * rng.integers(-7, 8, d) + 7.5) / 127, np.exp(-rng.uniform(0, 60, d))]
    return np.array(rows, np.float32)


@pytest.mark.parametrize("d", [1, 3, 63, 64, 65, 127, 128, 129, 384, 1000])
def test_residuals_are_within_what_is_stored(each_isa: str, d: int) -> None:
    rows = np.concatenate([nasty(d), unit(np.random.default_rng(1), 40, d)])
    fine, coarse, meta = decoded(rows)
    x = oracles.turned(rows)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), np.linalg.norm(rows.astype(np.float64), axis=1), rtol=1e-12)
    assert (np.linalg.norm(x - fine, axis=1) <= meta[1]).all()
    assert (np.linalg.norm(x - coarse, axis=1) <= meta[2]).all()
    assert (np.maximum.reduce([np.linalg.norm(y, axis=1) for y in (x, fine, coarse)]) <= meta[3]).all()
    # and not much above, or nothing would be gained
    assert (meta[1] <= np.linalg.norm(x - fine, axis=1) * 1.01 + 3e-6 * meta[3] + 1e-17).all()
    # a step of the scale is 1 / 127 of the largest value
    assert (np.abs(x - fine) <= 0.5001 * meta[0][:, None] + 1e-6 * meta[3][:, None] + 1e-17).all()


@pytest.mark.parametrize("d", [384, 768, 1024])
def test_rows_with_few_large_values_lose_little_in_four_bits(each_isa: str, d: int) -> None:
    rows = unit(np.random.default_rng(4), 200, d)
    rows[:, 5] = 2.0
    _, coarse, meta = decoded(rows)
    off = np.linalg.norm(oracles.turned(rows) - coarse, axis=1)
    assert (off < 0.2 * np.linalg.norm(rows, axis=1)).all()
    # the large value alone would set a scale at least twice as wide
    assert (meta[0] < 1.0 / 127).all()


def test_codes_are_the_same_bits_everywhere() -> None:
    rows = np.concatenate([nasty(100), unit(np.random.default_rng(1), 300, 100)])
    first, second = _core.codes(rows), _core.quantize8(rows)
    for name in isa.available():
        for threads in (1, 2, 5):
            with isa.using(name):
                for a, b in zip(first, _core.codes(rows, threads=threads), strict=True):
                    np.testing.assert_array_equal(a, b)
                for a, b in zip(second, _core.quantize8(rows, threads=threads), strict=True):
                    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("many", [1, 20])
def test_a_query_along_the_residual_loses_no_row(each_isa: str, upper: bool, many: int) -> None:
    """The worst case of the bound: the query points exactly at what the codes leave out.

    Each target row beats a crowd of rows whose score is known without error by one part in a million.
    """
    d, targets = 128, 40
    rng = np.random.default_rng(8)
    what = np.zeros((ROWS, d), np.float32)
    at = np.sort(rng.choice(ROWS, targets, replace=False))
    what[at] = unit(rng, targets, d)
    importance = np.zeros(ROWS, np.float32)
    fine, coarse, _ = decoded(what)
    turn = oracles.turned(np.eye(d))
    residual = (oracles.turned(what) - (coarse if upper else fine)) @ turn.T
    weights = np.zeros((many, 8))
    weights[:, 0] = weights[:, 6] = 1.0
    lost = 0
    for target in at[:12]:
        # 1000 times the residual: what the codes leave out decides, not the rounding
        query = (1000 * residual[target] / np.linalg.norm(residual[target])).astype(np.float32)
        score = float(query.astype(np.float64) @ what[target].astype(np.float64))
        importance[:] = -1e6
        importance[np.setdiff1d(np.arange(ROWS), at)] = np.float32(score - 1e-4 * abs(score))
        importance[target] = 0.0
        data = {"queries": query[None].repeat(many, 0), "what": what, "weights": weights, "importance": importance}
        high, low, bounds = _core.codes(what)
        rows, _, _, plan = _core.rank(k=1, **data, what_codes=(high, low, bounds), plan=True)
        assert ("sieve" if many == 1 else "tile+codes") in plan
        assert (rows == target).all()
        # the bound is needed: with a tenth of it the row would be missed
        bounds[1:3] *= np.float32(0.1)
        lost += int((_core.rank(k=1, **data, what_codes=(high, low, bounds))[0] != target).sum())
    if upper == (many == 1):  # few queries sieve by the upper halves, many by all 8 bits
        assert lost > 0


def coded(data: Data) -> Data:
    both = {"what_codes": _core.codes(data["what"])}
    if "where" in data and "where_index" not in data:
        both["where_codes"] = _core.codes(data["where"])
    return both


def check_codes(data: Data, k: int, plan: str | None = None, threads: tuple[int, ...] = (1, 2, 3)) -> None:
    codes = coded(data)
    *got, ran = _core.rank(k=k, **data, **codes, plan=True)
    for a, b in zip(got, _core.rank(k=k, **data), strict=True):
        np.testing.assert_array_equal(a, b)
    if plan:
        assert ran == plan
    for many in threads:
        for a, b in zip(_core.rank(k=k, **data, **codes, threads=many), got, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("q", "plan"), [(1, "sieve"), (5, "sieve"), (12, "tile+codes"), (40, "tile+codes")])
def test_codes_find_what_a_full_scan_finds(each_isa: str, q: int, plan: str) -> None:
    data = problem(ROWS, q, 100, 36)
    check_codes(data, 10, plan)
    rows, scores, _ = _core.rank(k=10, **data, **coded(data))
    expected = oracles.rank(k=10, **data)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_allclose(scores, expected[1], rtol=1e-12)


@pytest.mark.parametrize("q", [1, 20])
def test_codes_beside_everything_else_of_a_search(each_isa: str, q: int) -> None:
    rng = np.random.default_rng(3)
    data = problem(ROWS + 37, q, 70, 30, contexts=9)
    check_codes(data, 7, ("sieve" if q == 1 else "tile+codes") + "+contexts")
    data["live"] = rng.random(ROWS + 37) < 0.97
    check_codes(data, 7)
    data["rows"] = np.flatnonzero(rng.random(ROWS + 37) < 0.9)
    check_codes(data, 7)
    data["graph"] = rng.uniform(0, 1, (q, ROWS + 37)).astype(np.float32)
    check_codes(data, 300)
    check_codes(problem(100, q), 7)
    check_codes(problem(ROWS, q, contexts=ROWS), 7)
    empty = problem(0, q)
    check_codes(empty, 3)


@pytest.mark.parametrize("q", [1, 20])
def test_codes_of_rows_that_all_look_alike(each_isa: str, q: int) -> None:
    """One ulp apart: far below what codes can tell, so every row stays possible."""
    rng = np.random.default_rng(2)
    what = np.repeat(unit(rng, 1, 64), ROWS, 0)
    at = rng.integers(0, 64, ROWS)
    near = rng.integers(-2, 3, ROWS) * np.spacing(what[np.arange(ROWS), at])
    what[np.arange(ROWS), at] += near.astype(np.float32)
    queries = rng.integers(-3, 4, (q, 64)).astype(np.float32)
    check_codes({"queries": queries, "what": what, "weights": np.eye(1, 8).repeat(q, 0)}, 40)
    what[:] = what[0]
    check_codes({"queries": queries, "what": what, "weights": np.eye(1, 8).repeat(q, 0)}, 40)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([1, 3, 18]))
def test_bug_20_odd_numbers_in_rows_with_codes(seed: int, k: int, q: int) -> None:
    rng = np.random.default_rng(seed)
    data = problem(6_144, q, 19, 5, seed)
    for name in ("what", "where", "value", "importance", "graph", "when", "tau", "pi"):
        x = data[name]
        for at in rng.integers(0, x.size, 30):
            x.reshape(-1)[at] = x.dtype.type(rng.choice(ODD))
    if rng.random() < 0.3:
        data["queries"][0] *= np.float32(1e30)
    with np.errstate(all="ignore"):
        for name in isa.available():
            with isa.using(name):
                check_codes(data, k, threads=(2,))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 300), st.sampled_from([1, 2, 17]), st.floats(0, 1), st.floats(1e-3, 1e3)
)
def test_any_query_and_any_rows(seed: int, k: int, q: int, spread: float, size: float) -> None:
    """Clusters from loose to tight, rows of any size, queries near them or anywhere."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 200))
    centres = unit(rng, 4, d)
    what = centres[rng.integers(0, 4, 6_200)] + spread * unit(rng, 6_200, d)
    what = (what * size * rng.choice([1.0, 1.0, 1e-3], (6_200, 1))).astype(np.float32)
    what[rng.integers(0, 6_200, len(nasty(d)))] = nasty(d)
    queries = np.where(rng.random((q, 1)) < 0.5, what[rng.integers(0, 6_200, q)], unit(rng, q, d)).astype(np.float32)
    weights = np.zeros((q, 8))
    weights[:, [0, 6]] = rng.normal(size=(q, 2))
    importance = (size * rng.random(6_200) * rng.choice([0, 1])).astype(np.float32)
    check_codes({"queries": queries, "what": what, "weights": weights, "importance": importance}, k)


def test_bfloat16_is_the_nearest() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2**32, (300, 65), dtype=np.uint64).astype(np.uint32).view(np.float32)
    x[0, :10] = ODD
    got = _core.to_bf16(x)
    assert got.dtype == np.uint16
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(widened(got), bfloat16(x))
    assert np.isnan(widened(got)[np.isnan(x)]).all()
    assert _core.to_bf16(x[:0]).shape == (0, 65)


def stored(rows: np.ndarray, kind: str) -> tuple[Any, np.ndarray]:
    """Rows in a smaller store, and exactly what that stands for."""
    if kind == "bfloat16":
        bits = _core.to_bf16(rows)
        return bits, widened(bits)
    codes, meta = _core.quantize8(rows)
    width = rows.shape[1]
    assert codes.shape == (len(rows), -(-width // 64) * 64)
    assert (codes[:, width:] == 128).all()
    values = meta[0].astype(np.float64)[:, None] * (codes[:, :width].astype(np.float64) - 128)
    return (codes, meta), values


@pytest.mark.parametrize("kind", ["bfloat16", "int8"])
@pytest.mark.parametrize("q", [1, 3, 12, 33])
@pytest.mark.parametrize("n", [0, 1, 17, 700])
def test_smaller_stores_rank_exactly_what_they_hold(each_isa: str, kind: str, q: int, n: int) -> None:
    data = problem(n, q, 53, 70)
    what, what_values = stored(data["what"], kind)
    where, where_values = stored(data["where"], kind)
    got = _core.rank(k=9, **data | {"what": what, "where": where})
    want = oracles.rank(k=9, **data | {"what": what_values, "where": where_values})
    np.testing.assert_array_equal(got[2], want[2])
    np.testing.assert_array_equal(got[0], want[0])
    np.testing.assert_allclose(got[1], want[1], rtol=1e-12, atol=1e-14)
    terms = _core.contributions(hits=got[0], **data | {"what": what, "where": where})
    np.testing.assert_array_equal(terms.sum(axis=-1), np.where(got[0] >= 0, got[1], 0))


@pytest.mark.parametrize("kind", ["bfloat16", "int8"])
@pytest.mark.parametrize("q", [2, 20])
def test_smaller_stores_with_contexts_and_subsets(each_isa: str, kind: str, q: int) -> None:
    data = problem(600, q, 53, 70, contexts=11)
    data["rows"] = np.arange(5, 600, 3)
    what, what_values = stored(data["what"], kind)
    where, where_values = stored(data["where"], kind)
    got = _core.rank(k=9, **data | {"what": what, "where": where})
    want = oracles.rank(k=9, **data | {"what": what_values, "where": where_values})
    np.testing.assert_array_equal(got[0], want[0])
    np.testing.assert_allclose(got[1], want[1], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("q", [2, 20])
def test_bug_20_odd_numbers_in_bfloat16(each_isa: str, q: int) -> None:
    rng = np.random.default_rng(q)
    data = problem(300, q, 40)
    hit = rng.random(data["what"].shape) < 0.005
    data["what"][hit] = rng.choice(ODD, hit.sum()).astype("f")
    what, values = stored(data["what"], "bfloat16")
    with np.errstate(all="ignore"):
        got, want = _core.rank(k=9, **data | {"what": what}), oracles.rank(k=9, **data | {"what": values})
    np.testing.assert_array_equal(got[0], want[0])


def test_arguments_of_codes_and_stores() -> None:
    data = problem(30)
    high, low, meta = _core.codes(data["what"])

    def refused(match: str, error: type = ArgumentError, **changed: object) -> None:
        with pytest.raises(error, match=match):
            _core.rank(**{"k": 3, **data, **changed})

    refused("what_codes must be the tuple", ArgumentTypeError, what_codes=high)
    refused("what_codes must have 30 rows, got 29", what_codes=(high[:29], low, meta))
    refused("what_codes meta must have 4 rows, got 2", what_codes=(high, low, meta[:2]))
    refused("what_codes has rows of 64 values where 128 are needed", what=np.ones((30, 200), "f"),
            queries=np.ones((3, 200), "f"), what_codes=(high, low, meta))  # fmt: skip
    refused("for float32 rows only", what=_core.to_bf16(data["what"]), what_codes=(high, low, meta))
    refused("must be the tuple", ArgumentTypeError, what=(high,))
    with pytest.raises(ArgumentError, match="finite and below 2\\^60 to be kept in 8 bits, row 1 is not"):
        _core.quantize8(np.array([[1.0], [np.nan]], "f"))
    assert np.isinf(_core.codes(np.array([[1.0], [np.nan]], "f"))[2][3]).tolist() == [False, True]
    for function in (_core.codes, _core.quantize8, _core.to_bf16):
        with pytest.raises(ArgumentTypeError):
            function(np.ones((3, 3)))
        with pytest.raises(ArgumentError, match="threads"):
            function(np.ones((3, 3), "f"), threads=-1)
    assert [part.shape for part in _core.codes(np.ones((0, 3), "f"))] == [(0, 64), (0, 64), (4, 0)]
