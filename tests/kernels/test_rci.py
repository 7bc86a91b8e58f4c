from __future__ import annotations

import array
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import oracles
from scrubjay import _core, isa
from scrubjay.errors import ArgumentError, ArgumentTypeError

DAY = 86400.0
BOUNDS: dict[str, float] = {"pi_floor": 1e-3, "tau_low": 60.0, "tau_high": 365 * DAY}
STEPS: dict[str, float] = {"value_step": 0.3, "pi_step": -0.2, "tau_step": 0.4, "what_step": 0.2}
THETA = 0.3


def unit(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Unit rows around a direction, some close to it, some far."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (n, 1)) * np.ones(d) / np.sqrt(d) + rng.standard_normal((n, d)) / np.sqrt(d) * 0.7
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def columns(n: int, d: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed + 1)
    return [
        unit(n, d, seed),
        rng.uniform(0, 2, n).astype(np.float32),
        rng.uniform(1e-4, 1, n).astype(np.float32),
        np.exp(rng.uniform(np.log(60), np.log(365 * DAY), n)).astype(np.float32),
    ]


def evidence(d: int) -> np.ndarray:
    return unit(1, d, 77)[0] if d > 1 else np.ones(1, np.float32)


def run(c: list[np.ndarray], vector: np.ndarray, theta: float = THETA, **more: Any) -> tuple[np.ndarray, ...]:
    return _core.rci(*c, vector, theta=theta, **{**STEPS, **BOUNDS, **more})


@pytest.mark.parametrize("d", [1, 2, 15, 16, 17, 31, 64, 65, 384])
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_rci_equals_the_oracle(each_isa: str, n: int, d: int) -> None:
    c, vector = columns(n, d), evidence(d)
    before = [part.copy() for part in c]
    rows, affinities, kept = run(c, vector)
    a = oracles.affinity(before[0], vector, THETA)
    clear = np.abs(before[0].astype(np.float64) @ vector - THETA) > 1e-5
    np.testing.assert_array_equal(np.isin(np.arange(n), rows)[clear], (a > 0)[clear])
    np.testing.assert_allclose(affinities, a[rows], atol=2e-6)
    applied = np.zeros(n)
    applied[rows] = affinities
    want = oracles.rci(*before, vector, applied, tuple(STEPS.values()), (60, 365 * DAY))
    for got, expected, tolerance in zip(c, want, (1e-6, 1e-6, 1e-6, 1e-6), strict=True):
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=1e-6)
    assert (np.diff(rows) > 0).all()
    assert len(kept) == 0
    untouched = np.setdiff1d(np.arange(n), rows)
    for now, old in zip(c, before, strict=True):
        np.testing.assert_array_equal(now[untouched], old[untouched])


@pytest.mark.parametrize(("n", "d"), [(9000, 16), (300, 384), (90, 1000)])
def test_all_instruction_sets_threads_and_paths_give_the_same_bits(n: int, d: int) -> None:
    vector = evidence(d)
    seen = []
    for name in isa.available():
        with isa.using(name):
            for threads in (1, 2, 5):
                c = columns(n, d)
                found = run(c, vector, threads=threads)
                seen.append(b"".join(x.tobytes() for x in (*c, *found)))
            c = columns(n, d)
            rows, affinities = _core.rci_gate(c[0], vector, theta=THETA)
            kept = _core.rci_apply(*c, vector, rows, affinities, **STEPS, **BOUNDS)
            seen.append(b"".join(x.tobytes() for x in (*c, rows, affinities, kept)))
    assert len(set(seen)) == 1
    assert len(rows) > 10


@pytest.mark.parametrize(
    "make", [np.asarray, pa.array, lambda m: pa.array([x or None for x in m.tolist()], pa.bool_())]
)
def test_only_rows_of_the_mask_move(each_isa: str, make: Any) -> None:
    mask = np.random.default_rng(5).uniform(size=5001) < 0.5
    c = columns(5001, 20)
    before = [part.copy() for part in c]
    every, _ = _core.rci_gate(c[0], evidence(20), theta=THETA)
    rows, affinities = _core.rci_gate(c[0], evidence(20), theta=THETA, among=make(mask))
    np.testing.assert_array_equal(rows, every[mask[every]])
    moved, _, _ = run(c, evidence(20), among=make(mask))
    np.testing.assert_array_equal(moved, rows)
    for now, old in zip(c, before, strict=True):
        np.testing.assert_array_equal(now[~mask], old[~mask])
        assert (now[moved] != old[moved]).any()
    assert (affinities > 0).all()


def test_a_log_is_replayed_in_any_order_and_repetition() -> None:
    c, vector = columns(50, 24), evidence(24)
    rows = np.array([7, 3, 7, 49], np.int32)
    affinities = np.array([0.5, 1.0, 0.25, 0.0], np.float32)
    one_by_one = [part.copy() for part in c]
    _core.rci_apply(*c, vector, rows, affinities, **STEPS, **BOUNDS)
    for i in range(4):
        _core.rci_apply(*one_by_one, vector, rows[i : i + 1], affinities[i : i + 1], **STEPS, **BOUNDS)
    for a, b in zip(c, one_by_one, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_half_turn_keeps_the_vector_and_says_so(each_isa: str) -> None:
    vector = np.array([1, 0, 0], np.float32)
    c = columns(4, 3)
    c[0][1] = -vector
    c[0][2] = vector
    rows = np.array([1, 2])
    steps = {**STEPS, "what_step": 0.5}
    kept = _core.rci_apply(*c, vector, rows, np.ones(2, np.float32), **steps, **BOUNDS)
    np.testing.assert_array_equal(kept, [1])
    np.testing.assert_array_equal(c[0][1:3], [-vector, vector])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 3e38])
def test_bug_20_a_spoilt_row_spoils_no_other(each_isa: str, bad: float) -> None:
    c, clean, vector = columns(100, 24), columns(100, 24), evidence(24)
    c[0][40, 3] = bad
    rows, _, kept = run(c, vector)
    want, _, _ = run(clean, vector)
    assert set(rows) - {40} == set(want) - {40}
    others = np.arange(100) != 40
    for a, b in zip(c, clean, strict=True):
        np.testing.assert_array_equal(a[others], b[others])
    if 40 in rows:
        np.testing.assert_array_equal(kept, [40])
        assert c[0][40, 3] == np.float32(bad)
    assert np.isnan(c[0][40, 3]) == np.isnan(bad)


def test_bug_20_zero_and_tiny_rows(each_isa: str) -> None:
    vector = np.array([0, 1, 0], np.float32)
    c = columns(3, 3)
    c[0][:] = [[0, 0, 0], [1e-40, 1e-40, 0], [0, 1, 0]]
    rows, affinities, _ = run(c, vector, theta=0.0)
    assert rows.tolist() == [1, 2] or rows.tolist() == [2]
    assert affinities[-1] == 1.0
    assert np.isfinite(c[0]).all()


def test_an_affinity_never_exceeds_one() -> None:
    long = np.full((1, 3), 0.5774, np.float32)
    rows, affinities = _core.rci_gate(long, long[0], theta=0.6)
    assert rows.tolist() == [0]
    assert affinities[0] == 1.0


@pytest.mark.parametrize("theta", [-1.0, 0.0, 0.6, 0.999])
def test_on_the_threshold_nothing_moves(each_isa: str, theta: float) -> None:
    what = np.array([[np.float32(theta), 0.0]], np.float32)
    rows, _ = _core.rci_gate(what, np.array([1, 0], np.float32), theta=theta)
    assert len(rows) == 0


def test_limits_of_the_updates() -> None:
    vector = np.array([1, 0], np.float32)

    def after(value: float, pi: float, tau: float, **steps: float) -> list[float]:
        c = [vector[None].copy(), *(np.array([x], np.float32) for x in (value, pi, tau))]
        _core.rci_apply(*c, vector, np.array([0]), np.ones(1, np.float32), **{**STEPS, **steps}, **BOUNDS)
        return [float(part[0]) for part in c[1:]]

    floor = float(np.float32(1e-3))
    assert after(0.1, 0.1, 100, value_step=-1.0, pi_step=-1.0, tau_step=-5.0) == [0.0, floor, 60.0]
    assert after(0.1, 0.9, 365 * DAY, value_step=0.0, pi_step=1.0, tau_step=5.0)[1:] == [1.0, 365 * DAY]
    assert after(0.5, 0.25, 1000, value_step=0.25, pi_step=0.5, tau_step=-5.0) == [0.75, 0.75, 100.0]
    low = float(np.float32(5e-4))
    assert after(0.5, low, 1000, value_step=0.0, pi_step=0.0, tau_step=0.0) == [0.5, low, 1000.0]


def spoilt(**change: Any) -> tuple[list[Any], dict[str, Any]]:
    names = ("what", "value", "pi", "tau", "vector")
    given: dict[str, Any] = dict(zip(names, [*columns(6, 4), evidence(4)], strict=True))
    given = {**given, "theta": THETA, **STEPS, **BOUNDS, **change}
    return [given.pop(name) for name in names], given


ONE = np.ones(6, np.float32)


def listed(part: Any) -> list[Any]:
    return part.to_pylist() if isinstance(part, pa.Array) else np.array(part).tolist()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"what": np.ones((6, 4))}, "what is changed in place.*float32 array, got float64"),
        ({"what": np.asfortranarray(unit(6, 4))}, "what is changed in place.*got strided"),
        ({"what": unit(6, 8)[:, ::2]}, "what is changed in place.*got strided"),
        ({"what": unit(6, 4).astype(">f4")}, "what is changed in place.*got >f4"),
        (
            {"what": pa.FixedSizeListArray.from_arrays(pa.array(unit(6, 4).ravel()), 4)},
            "what is changed in place.*got Fix",
        ),
        ({"what": unit(6, 4).tolist()}, "what is changed in place.*got list"),
        ({"value": ONE.tobytes()}, "value is changed in place.*got uint8"),
        ({"value": np.frombuffer(ONE.tobytes(), np.float32)}, "value is changed in place.*read-only"),
        ({"value": pa.array(ONE)}, "value is changed in place.*got FloatArray"),
        ({"pi": ONE[:5]}, "pi has 5 values but what has 6"),
        ({"tau": np.ones((6, 1), np.float32)}, "tau must have 1 axis, got 2"),
        ({"value": ONE, "pi": ONE}, "value is changed in place and shares memory with pi"),
        ({"vector": np.ones(3, np.float32)}, "vector has 3 values but a row of what has 4"),
        ({"vector": np.array([1, np.nan, 0, 0], np.float32)}, "vector must be finite, got nan at position 1"),
        ({"theta": 1.0}, "theta must be from -1 to below 1"),
        ({"theta": 1 - 1e-12}, "theta must be from -1 to below 1"),
        ({"theta": np.nan}, "theta must be from"),
        ({"value_step": np.inf}, "value_step must be finite"),
        ({"pi_step": np.nan}, "pi_step must be finite"),
        ({"tau_step": 1e39}, "tau_step must be finite"),
        ({"what_step": 1.01}, "what_step must be from 0 to 1"),
        ({"what_step": -0.1}, "what_step must be from 0 to 1"),
        ({"pi_floor": 2.0}, "pi_floor must be from 0 to 1"),
        ({"tau_low": 0.0}, "tau_low and tau_high must be finite"),
        ({"tau_low": 100.0, "tau_high": 99.0}, "tau_low and tau_high must be finite"),
        ({"tau_high": np.inf}, "tau_low and tau_high must be finite"),
        ({"among": np.ones(5, bool)}, "among has 5 values but there are 6 rows"),
        ({"among": np.ones(6)}, "among must be bool, got float64"),
        ({"among": pa.array([1, 0, 1, 0, 1, 0])}, "among must be one bool a row"),
        ({"threads": -2}, "threads must be 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(change: dict[str, Any], why: str) -> None:
    positional, named = spoilt(**change)
    before = [listed(part) for part in positional[:4]]
    with pytest.raises(ArgumentError, match=why):
        _core.rci(*positional, **named)
    assert [listed(part) for part in positional[:4]] == before


def test_evidence_that_is_a_row_of_the_matrix_is_refused() -> None:
    c = columns(6, 4)
    with pytest.raises(ArgumentError, match="what is changed in place and shares memory with vector: pass a copy"):
        run(c, c[0][2])
    run(c, c[0][2].copy())


@pytest.mark.parametrize(
    ("rows", "affinities", "why"),
    [
        ([6], [1.0], "rows must be row numbers below 6, got 6"),
        ([-1], [1.0], "rows must be row numbers below 6, got -1"),
        ([0], [1.5], "affinities must be from 0 to 1, got 1.5"),
        ([0, 1], [0.5, np.nan], "affinities must be from 0 to 1, got nan at position 1"),
        ([0, 1], [1.0], "affinities has 1 values but rows has 2"),
    ],
)
def test_a_bad_log_is_refused_before_anything_is_written(rows: list[int], affinities: list[float], why: str) -> None:
    c = columns(6, 4)
    before = [part.copy() for part in c]
    with pytest.raises(ArgumentError, match=why):
        _core.rci_apply(*c, evidence(4), np.array(rows), np.array(affinities, np.float32), **STEPS, **BOUNDS)
    for part, old in zip(c, before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_a_writable_buffer_is_changed_where_it_stands() -> None:
    c = columns(6, 4)
    plain = [part.copy() for part in c]
    raw = array.array("f", c[1].tolist())
    rows, _, _ = run([c[0], raw, c[2], memoryview(c[3])], evidence(4))
    run(plain, evidence(4))
    assert len(rows) > 0
    np.testing.assert_array_equal(np.array(raw, np.float32), plain[1])
    np.testing.assert_array_equal(c[3], plain[3])


def test_the_gate_reads_strided_and_arrow_rows() -> None:
    what, vector = unit(50, 12), evidence(12)
    want = _core.rci_gate(what, vector, theta=THETA)
    for given in (
        np.concatenate([what, what], 1)[:, :12],
        np.repeat(what, 2, 0)[::2],
        pa.FixedSizeListArray.from_arrays(pa.array(what.ravel()), 12),
    ):
        for a, b in zip(_core.rci_gate(given, vector, theta=THETA), want, strict=True):
            np.testing.assert_array_equal(a, b)
    with pytest.raises(ArgumentTypeError, match="what must be float32"):
        _core.rci_gate(what.astype(np.float64), vector, theta=THETA)


def coded(c: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    return _core.codes(c[0])


@pytest.mark.parametrize("theta", [-1.0, -0.2, 0.0, 0.3, 0.6, 0.95])
@pytest.mark.parametrize(("n", "d"), [(0, 8), (1, 1), (100, 15), (5000, 64), (700, 130), (300, 384)])
def test_codes_change_nothing_but_the_time(each_isa: str, n: int, d: int, theta: float) -> None:
    c, plain, vector = columns(n, d), columns(n, d), evidence(d)
    codes = coded(c)
    for a, b in zip(
        _core.rci_gate(c[0], vector, theta=theta, codes=codes), _core.rci_gate(c[0], vector, theta=theta), strict=True
    ):
        np.testing.assert_array_equal(a, b)
    among = np.arange(n) % 4 > 0
    for threads in (1, 3):
        found = run(c, vector, theta, codes=codes, among=among, threads=threads)
        want = run(plain, vector, theta, among=among)
        for a, b in zip((*found, *c), (*want, *plain), strict=True):
            np.testing.assert_array_equal(a, b)
        for a, b in zip(codes, coded(c), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3e38, 1e-40, 0.0])
def test_codes_lose_no_row_that_is_on_the_edge_or_spoilt(each_isa: str, bad: float) -> None:
    d, vector = 96, evidence(96)
    what = unit(3000, d)
    what[:2000] += np.float32(10.0) ** np.random.default_rng(3).uniform(-9, 0, (2000, 1)).astype(np.float32) * vector
    what[::7, 5] = 40.0
    what[::11] = bad
    dots = _core.dot(what, vector)
    with np.errstate(over="ignore", invalid="ignore"):
        edges = [float(x) for x in dots[np.isfinite(dots) & (np.abs(dots) < 0.99)][::150]]
    codes = _core.codes(what)
    for theta in [*edges, *(float(np.nextafter(np.float32(x), np.float32(-1))) for x in edges)]:
        got = _core.rci_gate(what, vector, theta=theta, codes=codes)
        for a, b in zip(got, _core.rci_gate(what, vector, theta=theta), strict=True):
            np.testing.assert_array_equal(a, b)


def test_codes_follow_a_replayed_log() -> None:
    c, vector = columns(60, 40), evidence(40)
    codes = coded(c)
    _core.rci_apply(*c, vector, np.array([3, 9, 3]), np.ones(3, np.float32), **STEPS, **BOUNDS, codes=codes)
    for a, b in zip(codes, coded(c), strict=True):
        np.testing.assert_array_equal(a, b)


def test_codes_that_do_not_fit_are_refused_before_anything_is_written() -> None:
    c, vector = columns(20, 40), evidence(40)
    before = [part.copy() for part in c]
    high, low, meta = coded(c)
    frozen = high.copy()
    frozen.setflags(write=False)
    for bad, why in (
        ((high, low), "tuple"),
        (3, "tuple"),
        ((high[:19].copy(), low, meta), "codes high must have 20 rows"),
        ((high, low, meta[:3].copy()), "codes meta must have 4 rows"),
        ((frozen, low, meta), "codes high is changed in place.*read-only"),
        ((high, high, meta), "shares memory"),
    ):
        with pytest.raises(ArgumentError, match=why):
            run(c, vector, codes=bad)
    for part, old in zip(c, before, strict=True):
        np.testing.assert_array_equal(part, old)
