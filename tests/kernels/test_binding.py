from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from kernels.lanewise import bits, on_each_isa
from scrubjay import _core
from scrubjay.errors import ArgumentError

NOW = 1.7e9


def rows(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    what, where = (rng.standard_normal((n, d)) for _ in range(2))
    unit = [(x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32) for x in (what, where)]
    return *unit, NOW - rng.uniform(0, 1e8, n), rng.uniform(60, 3e7, n)


@pytest.mark.parametrize("d", [2, 3, 15, 16, 17, 33, 384])
def test_binding_equals_the_oracle(each_isa: str, d: int) -> None:
    for n in (0, 1, 5):
        what, where, when, tau = rows(n, d)
        for period in (10.0, 2 * np.pi):
            got = _core.binding(what, where, when, tau, period=period)
            np.testing.assert_allclose(got, oracles.binding(what, where, when, tau, period), atol=2e-6)


def test_all_instruction_sets_give_the_same_bits() -> None:
    what, where, when, tau = rows(50, 100)
    assert len(set(on_each_isa(lambda: (_core.binding(what, where, when, tau),)).values())) == 1


def test_strided_rows_and_an_out(each_isa: str) -> None:
    what, where, when, tau = rows(9, 20)
    wanted = _core.binding(what, where, when, tau)
    wide = np.zeros((9, 50), np.float32)
    wide[:, 3:23] = what
    out = np.empty((9, 20), np.float32)
    assert _core.binding(wide[:, 3:23], where, when, tau, out=out) is out
    assert bits(out) == bits(wanted)


def test_zero_rows_and_nan(each_isa: str) -> None:
    what, where, _, _ = rows(3, 16)
    what[0], where[0] = 0, 0
    what[1, 5] = np.nan
    got = _core.binding(what, where, np.array([-50.0, 0.0, 0.0]), np.zeros(3))
    np.testing.assert_allclose(got[0], np.full(16, 0.25), atol=1e-7)
    assert np.isnan(got[1]).any()
    assert np.isfinite(got[2]).all()
    np.testing.assert_allclose(np.linalg.norm(got[[0, 2]], axis=1), 1, atol=1e-6)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.floats(0, 4e9), st.floats(0, 3e7))
def test_time_moves_only_the_first_two_components(seed: int, when: float, tau: float) -> None:
    what, where, _, _ = rows(2, 24, seed)
    same = np.array([1.0, 1.0])
    a = _core.binding(what, where, same, same)
    b = _core.binding(what, where, when * same, tau * same)
    assert bits(a[:, 2:]) == bits(b[:, 2:])
    log = np.log(2.0)
    shift = b[:, :2] - a[:, :2] + log
    np.testing.assert_allclose(shift, np.tile([np.log(when + 1) % 10, np.log(tau + 1) % 10], (2, 1)), atol=3e-6)


def test_arguments_are_checked() -> None:
    what, where, when, tau = rows(3, 8)
    with pytest.raises(ArgumentError, match="where has 3 rows of 7 values but what has 3 of 8: project"):
        _core.binding(what, where[:, :7], when, tau)
    with pytest.raises(ArgumentError, match=r"tau\[1\] is -1: it must be finite and at least 0"):
        _core.binding(what, where, when, np.array([1.0, -1.0, 1.0]))
    with pytest.raises(ArgumentError, match=r"when\[2\] is nan: it must be finite"):
        _core.binding(what, where, np.array([1.0, 1.0, np.nan]), tau)
    with pytest.raises(ArgumentError, match="at least 2 values"):
        _core.binding(what[:, :1], where[:, :1], when, tau)
    with pytest.raises(ArgumentError, match="period must be in"):
        _core.binding(what, where, when, tau, period=0.0)
