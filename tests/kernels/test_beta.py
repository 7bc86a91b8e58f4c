from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import oracles
from kernels.lanewise import SIZES, bits, on_each_isa, unaligned
from scrubjay import _core
from scrubjay.errors import ArgumentError, ArgumentTypeError

EPS = {np.float32: 2.0**-23, np.float64: 2.0**-52}
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def columns(n: int, dtype: type, seed: int = 0) -> tuple[NDArray, ...]:
    rng = np.random.default_rng(seed)
    evidence = [np.exp(rng.uniform(-5, 8, n)) for _ in range(2)]
    return tuple(x.astype(dtype) for x in (*evidence, rng.uniform(0, 1, n), rng.uniform(0, 3, n)))


@DTYPES
@pytest.mark.parametrize("n", SIZES)
def test_update_and_moments_equal_the_oracle(each_isa: str, n: int, dtype: type) -> None:
    a, b, s, w = columns(n, dtype)
    for keep in (1.0, 0.95):
        got = _core.beta_update(a, b, s, w, keep=keep)
        wanted = oracles.beta_update(a, b, s, w, float(dtype(keep)))
        for x, y in zip(got, wanted, strict=True):
            assert x.dtype == dtype
            np.testing.assert_allclose(x, y, rtol=2 * EPS[dtype])
    for x, y in zip(_core.beta_moments(a, b), oracles.beta_moments(a, b), strict=True):
        np.testing.assert_allclose(x, y, rtol=4 * EPS[dtype])


@DTYPES
def test_the_moments_of_an_update_are_those_of_its_result(each_isa: str, dtype: type) -> None:
    a, b, s, w = columns(333, dtype)
    mean, variance, bonus = (np.empty(333, dtype) for _ in range(3))
    new_a, new_b = _core.beta_update(a, b, s, w, moments=(mean, variance, bonus))
    assert [bits(x) for x in (mean, variance, bonus)] == [bits(x) for x in _core.beta_moments(new_a, new_b)]
    only = np.empty(333, dtype)
    _core.beta_update(a, b, s, w, moments=(None, None, only))
    assert bits(only) == bits(bonus)


@DTYPES
def test_in_place_is_out_of_place(each_isa: str, dtype: type) -> None:
    a, b, s, w = (unaligned(x) for x in columns(100, dtype))
    wanted = _core.beta_update(a, b, s, w, keep=0.9)
    got = _core.beta_update(a, b, s, w, keep=0.9, out=(a, b))
    assert got[0] is a
    assert [bits(x) for x in (a, b)] == [bits(x) for x in wanted]


def test_one_weight_for_all_rows(each_isa: str) -> None:
    a, b, s, _ = columns(50, np.float64)
    got, wanted = _core.beta_update(a, b, s, 0.25), _core.beta_update(a, b, s, np.full(50, 0.25))
    assert [bits(x) for x in got] == [bits(x) for x in wanted]
    assert bits(_core.beta_update(a, b, s, 1)[0]) == bits(_core.beta_update(a, b, s, np.ones(50))[0])


def test_no_evidence(each_isa: str) -> None:
    zero = np.zeros(3)
    assert [x.tolist() for x in _core.beta_moments(zero, zero)] == [[0.5] * 3, [0.25] * 3, [0.5] * 3]
    huge = np.array([1e-300, 1e300, 3e18])
    mean, variance, _ = _core.beta_moments(huge, huge)
    assert mean.tolist() == [0.5] * 3
    assert np.all((variance >= 0) & (variance <= 0.25))


def test_nan_stays_in_its_row(each_isa: str) -> None:
    a, b, s, w = columns(40, np.float32)
    clean = _core.beta_update(a, b, s, w)
    a[17] = np.nan
    got = _core.beta_update(a, b, s, w)
    assert np.isnan(got[0][17])
    assert bits(np.delete(got[0], 17)) == bits(np.delete(clean[0], 17))
    assert np.isnan([x[17] for x in _core.beta_moments(a, b)]).all()


def test_all_instruction_sets_give_the_same_bits() -> None:
    for dtype in (np.float32, np.float64):
        a, b, s, w = columns(5000, dtype)
        seen = on_each_isa(
            lambda a=a, b=b, s=s, w=w: (*_core.beta_update(a, b, s, w, keep=0.9), *_core.beta_moments(a, b))
        )
        assert len(set(seen.values())) == 1


counts = st.floats(2.0**-20, 2.0**20, width=32)
units = st.floats(0, 1, width=32)


@given(counts, counts, units, units, st.floats(0, 2.0**20, width=32))
def test_better_signals_raise_the_mean_and_evidence_lowers_the_variance(
    a: float, b: float, s1: float, s2: float, w: float
) -> None:
    one = [np.array([x, x]) for x in (a, b)]
    s = np.array(sorted([s1, s2]))
    new = _core.beta_update(*one, s, w)
    mean, variance, bonus = _core.beta_moments(*new)
    assert mean[0] <= mean[1] * (1 + 1e-15)
    assert np.all((mean >= 0) & (mean <= 1) & (variance >= 0) & (variance <= 0.25) & (bonus <= 0.5))
    np.testing.assert_allclose(new[0] + new[1], a + b + w, rtol=1e-14)


@given(counts, counts)
def test_no_weight_changes_nothing(a: float, b: float) -> None:
    state = np.array([a]), np.array([b])
    got = _core.beta_update(*state, np.array([0.3]), 0.0)
    assert [bits(x) for x in got] == [bits(x) for x in state]


def test_bad_input_is_refused_before_anything_is_written() -> None:
    a, b, s, w = columns(40, np.float32)
    before = bits(a), bits(b)
    for bad in (np.nan, -0.001, 1.001, np.inf):
        broken = s.copy()
        broken[37] = bad
        with pytest.raises(ArgumentError, match=r"signal\[37\] is .*: it must be in \[0, 1\]"):
            _core.beta_update(a, b, broken, w, out=(a, b))
    for bad in (np.nan, -1.0, np.inf):
        broken = w.copy()
        broken[3] = bad
        with pytest.raises(ArgumentError, match=r"weight\[3\] is .*: it must be finite and at least 0"):
            _core.beta_update(a, b, s, broken, out=(a, b))
        with pytest.raises(ArgumentError, match="weight must be finite and at least 0"):
            _core.beta_update(a, b, s, bad, out=(a, b))
    with pytest.raises(ArgumentError, match=r"keep must be in \(0, 1\]"):
        _core.beta_update(a, b, s, w, keep=0.0)
    with pytest.raises(ArgumentError, match="b has 39 values but a has 40"):
        _core.beta_update(a, b[1:], s, w)
    with pytest.raises(ArgumentTypeError, match="signal must be float32, got float64"):
        _core.beta_update(a, b, s.astype(np.float64), w)
    with pytest.raises(ArgumentError, match=r"out\[0\] shares memory with out\[1\]"):
        _core.beta_update(a, b, s, w, out=(a, a))
    with pytest.raises(ArgumentTypeError, match="out must be a tuple of 2 arrays"):
        _core.beta_update(a, b, s, w, out=a)
    assert (bits(a), bits(b)) == before
