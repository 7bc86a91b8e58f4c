from __future__ import annotations

import numpy as np
import pytest

import oracles
from scrubjay import _core
from scrubjay.errors import ArgumentError, ArgumentTypeError

DAY = 86400.0


def columns(n: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return (
        rng.uniform(0, 2, n).astype(np.float32),
        rng.uniform(1e-3, 1, n).astype(np.float32),
        rng.uniform(60, 365 * DAY, n).astype(np.float32),
        1.7e9 + rng.uniform(-400, 1, n) * DAY,
    )


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 1000])
def test_utility_equals_the_oracle(each_isa: str, n: int) -> None:
    value, pi, tau, when = columns(n)
    got = _core.utility(value, pi, tau, when, 1.7e9)
    np.testing.assert_allclose(got, oracles.utility(value, pi, tau, when, 1.7e9), rtol=2e-5, atol=1e-37)


def test_a_future_memory_has_age_zero(each_isa: str) -> None:
    one = np.ones(1, np.float32)
    assert _core.utility(2 * one, one, one * 60, np.array([1e9 + 50.0]), 1e9)[0] == 2.0


def test_sizes_and_types_are_checked() -> None:
    value, pi, tau, when = columns(4)
    with pytest.raises(ArgumentError, match="pi has 3 values"):
        _core.utility(value, pi[:3], tau, when, 0.0)
    with pytest.raises(ArgumentTypeError, match="value must be float32, got float64"):
        _core.utility(value.astype(np.float64), pi, tau, when, 0.0)
    with pytest.raises(ArgumentError, match="now must be finite"):
        _core.utility(value, pi, tau, when, float("nan"))
