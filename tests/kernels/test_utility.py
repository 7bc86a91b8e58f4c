from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from kernels.lanewise import SIZES, bits, on_each_isa, unaligned
from scrubjay import _core
from scrubjay.errors import ArgumentError, ArgumentTypeError

DAY = 86400.0
NOW = 1.7e9


def columns(n: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return (
        rng.uniform(0, 2, n).astype(np.float32),
        rng.uniform(1e-3, 1, n).astype(np.float32),
        np.exp(rng.uniform(np.log(60), np.log(365 * DAY), n)).astype(np.float32),
        NOW + rng.uniform(-400, 1, n) * DAY,
    )


def shapes(n: int) -> np.ndarray:
    return np.random.default_rng(7).choice([0.2, 0.5, 0.9, 1.0, 1.5, 3.0], n).astype(np.float32)


@pytest.mark.parametrize("n", SIZES)
def test_utility_equals_the_oracle(each_isa: str, n: int) -> None:
    value, pi, tau, when = columns(n)
    got = _core.utility(value, pi, tau, when, NOW)
    assert np.all(np.abs(got - oracles.utility(value, pi, tau, when, NOW)) <= 3 * 2.0**-24 * value)
    assert np.all((got >= 0) & (got <= value))


@pytest.mark.parametrize("n", SIZES)
def test_a_shape_equals_the_oracle_and_shape_one_the_exponential(each_isa: str, n: int) -> None:
    value, pi, tau, when = columns(n)
    shape = shapes(n)
    got = _core.utility(value, pi, tau, when, NOW, shape=shape)
    assert np.all(np.abs(got - oracles.shaped_utility(value, pi, tau, when, shape, NOW)) <= 8 * 2.0**-24 * value)
    plain = _core.utility(value, pi, tau, when, NOW)
    assert bits(_core.utility(value, pi, tau, when, NOW, shape=np.ones(n, np.float32))) == bits(plain)
    assert bits(got[shape == 1]) == bits(plain[shape == 1])


def test_the_decay_is_exp_bit_for_bit(each_isa: str) -> None:
    """The kernel takes e^-x by a shorter way; it must be the function that is tested over every float32."""
    ages = np.concatenate([np.linspace(0, 110, 200_001), 2.0 ** np.arange(-150, 7)]).astype(np.float32)
    one = np.ones(len(ages), np.float32)
    assert bits(_core.utility(one, one, one, -ages.astype(np.float64), 0.0)) == bits(_core.exp(-ages))


def test_a_million_rows(each_isa: str) -> None:
    value, pi, tau, when = columns(1_000_000)
    got = _core.utility(value, pi, tau, when, NOW)
    assert np.all(np.abs(got - oracles.utility(value, pi, tau, when, NOW)) <= 3 * 2.0**-24 * value)


def test_all_instruction_sets_give_the_same_bits() -> None:
    value, pi, tau, when = columns(10_000)
    shape = shapes(10_000)
    value[:3], pi[3:6], when[6:9], tau[9:12] = np.nan, 0.0, [np.nan, np.inf, -np.inf], [np.inf, 1e-40, np.nan]
    seen = on_each_isa(
        lambda: (
            _core.utility(value, pi, tau, when, NOW),
            _core.utility(value, pi, tau, when, NOW, shape=shape),
        )
    )
    assert len(set(seen.values())) == 1


def test_a_future_memory_has_age_zero(each_isa: str) -> None:
    one = np.ones(1, np.float32)
    for shape in (None, one * 0.5):
        assert _core.utility(2 * one, one, one * 60, np.array([1e9 + 50.0]), 1e9, shape=shape)[0] == 2.0


def test_the_age_is_not_rounded_to_float32_seconds(each_isa: str) -> None:
    one = np.ones(2, np.float32)
    when = np.array([NOW - 3.0, NOW - 100.0])
    np.testing.assert_allclose(_core.utility(one, one, 60 * one, when, NOW), np.exp([-3 / 60, -100 / 60]), rtol=1e-6)


def test_zero_infinity_and_nan(each_isa: str) -> None:
    f = np.float32
    nan, inf = np.nan, np.inf
    rows = [
        # value, pi, tau, when, wanted
        (2.0, 0.0, 60.0, 0.0, 2.0),
        (0.0, 1.0, 60.0, 0.0, 0.0),
        (2.0, 1.0, inf, 0.0, 2.0),
        (2.0, 1.0, 60.0, -inf, 0.0),
        (2.0, 1.0, 60.0, inf, 2.0),
        (nan, 1.0, 60.0, 0.0, nan),
        (2.0, nan, 60.0, 0.0, nan),
        (2.0, 1.0, nan, 0.0, nan),
        (2.0, 1.0, 60.0, nan, nan),
    ]
    value, pi, tau, when, wanted = (np.array(c) for c in zip(*rows, strict=True))
    args = (value.astype(f), pi.astype(f), tau.astype(f), when)
    np.testing.assert_array_equal(_core.utility(*args, NOW), wanted.astype(f))
    half = np.full(len(rows), 0.5, f)
    np.testing.assert_array_equal(_core.utility(*args, NOW, shape=half), wanted.astype(f))
    assert np.isnan(_core.utility(*args, NOW, shape=np.full(len(rows), nan, f))).all()


unit = st.floats(2.0**-10, 1, width=32)
ages = st.floats(0, 4e7)
taus = st.floats(60, 3.2e7, width=32)


@given(unit, unit, taus, taus, ages, ages)
def test_utility_falls_with_age_and_pi_and_grows_with_tau(
    pi1: float, pi2: float, tau1: float, tau2: float, age1: float, age2: float
) -> None:
    pi1, pi2, tau1, tau2, age1, age2 = *sorted([pi1, pi2]), *sorted([tau1, tau2]), *sorted([age1, age2])
    f = np.float32
    pi = np.array([pi1, pi2, pi1, pi1], f)
    tau = np.array([tau1, tau1, tau2, tau1], f)
    when = NOW - np.array([age1, age1, age1, age2])
    base, worse, longer, older = _core.utility(np.ones(4, f), pi, tau, when, NOW)
    assert 0 <= worse <= base <= longer <= 1
    assert older <= base


def test_results_may_go_into_an_input(each_isa: str) -> None:
    value, pi, tau, when = columns(100)
    wanted = _core.utility(value, pi, tau, when, NOW)
    out = np.empty(100, np.float32)
    assert _core.utility(value, pi, tau, when, NOW, out=out) is out
    moved = [unaligned(x) for x in (value, pi, tau, when)]
    assert bits(_core.utility(*moved, NOW, out=moved[0])) == bits(wanted) == bits(out) == bits(moved[0])


def test_retrievability_equals_the_oracle(each_isa: str) -> None:
    rng = np.random.default_rng(3)
    for n in SIZES:
        stability = np.exp(rng.uniform(-6, 8, n)).astype(np.float32)
        last = NOW - stability * DAY * rng.uniform(0, 30, n)
        for curve in (-0.1542, -0.5):
            got = _core.retrievability(stability, last, NOW, curve=curve)
            assert np.all(np.abs(got - oracles.retrievability(stability, last, NOW, curve, DAY)) <= 4e-7)
    f = np.float32
    got = _core.retrievability(
        np.array([1, 1, 0, np.nan, 1, 0], f), NOW - np.array([DAY, -5, 9, 9, np.nan, 0]), NOW, curve=-0.5
    )
    np.testing.assert_allclose(got, np.array([0.9, 1, 0, np.nan, np.nan, 0]), atol=1e-7)
    hours = _core.retrievability(np.ones(1, f), np.array([NOW - 3600.0]), NOW, curve=-0.5, day=3600.0)
    assert abs(hours[0] - 0.9) < 1e-7


def test_retrievability_has_the_same_bits_everywhere() -> None:
    rng = np.random.default_rng(4)
    stability = np.exp(rng.uniform(-6, 8, 5000)).astype(np.float32)
    last = NOW - rng.uniform(-1, 400, 5000) * DAY
    seen = on_each_isa(lambda: (_core.retrievability(stability, last, NOW, curve=-0.1542),))
    assert len(set(seen.values())) == 1


def test_sizes_and_types_are_checked() -> None:
    value, pi, tau, when = columns(4)
    with pytest.raises(ArgumentError, match="pi has 3 values"):
        _core.utility(value, pi[:3], tau, when, 0.0)
    with pytest.raises(ArgumentError, match="shape has 3 values"):
        _core.utility(value, pi, tau, when, 0.0, shape=pi[:3])
    with pytest.raises(ArgumentTypeError, match="value must be float32, got float64"):
        _core.utility(value.astype(np.float64), pi, tau, when, 0.0)
    with pytest.raises(ArgumentError, match="now must be finite"):
        _core.utility(value, pi, tau, when, float("nan"))
    with pytest.raises(ArgumentError, match="out overlaps when"):
        _core.utility(value, pi, tau, when, 0.0, out=when.view(np.float32)[:4])
    with pytest.raises(ArgumentError, match=r"curve must be in \[-10, -0.01\]"):
        _core.retrievability(value, when, 0.0, curve=0.5)
