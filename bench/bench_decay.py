"""Decay: utility, retrievability and the exponential over columns, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import Row, Target
from scrubjay import _core

SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
NOW = 1.7e9
DAY = 86400.0


def columns(n: int) -> tuple[np.ndarray, ...]:
    """value, pi, tau, when, shape."""
    rng = np.random.default_rng(0)
    return (
        rng.uniform(0, 2, n).astype(np.float32),
        rng.uniform(1e-3, 1, n).astype(np.float32),
        rng.uniform(60, 365 * DAY, n).astype(np.float32),
        NOW - rng.uniform(0, 400 * DAY, n),
        rng.uniform(0.5, 2, n).astype(np.float32),
    )


def near(atol: float) -> Callable[[Any, Any], None]:
    return lambda ours, peer: np.testing.assert_allclose(ours, peer, rtol=2e-5, atol=atol)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_utility(versus: Callable[..., Row], n: int, threads: int) -> None:
    value, pi, tau, when, _ = columns(n)
    out = np.empty(n, np.float32)

    def numpy_float32() -> np.ndarray:
        age = np.maximum(0.0, NOW - when).astype(np.float32)
        return value * np.exp(-(pi * age / tau))

    def numpy_float64() -> np.ndarray:
        return value * np.exp(-(pi * np.maximum(0.0, NOW - when) / tau))

    versus(
        "decay",
        "utility",
        lambda: _core.utility(value, pi, tau, when, NOW, out=out, threads=threads),
        {"NumPy float32": numpy_float32, "NumPy": numpy_float64},
        n=n,
        threads=threads,
        equal=near(1e-6),
        targets=(Target("ns", most=0.4), Target("NumPy float32", least=3)) if (n, threads) == (1_000_000, 1) else (),
    )


@pytest.mark.parametrize("n", SIZES)
def test_utility_with_a_shape(versus: Callable[..., Row], n: int) -> None:
    value, pi, tau, when, shape = columns(n)
    out = np.empty(n, np.float32)

    def numpy() -> np.ndarray:
        age = np.maximum(0.0, NOW - when).astype(np.float32)
        return value * np.exp(-((pi * age / tau) ** shape))

    versus(
        "decay",
        "utility with a Weibull shape",
        lambda: _core.utility(value, pi, tau, when, NOW, shape=shape, out=out, threads=1),
        {"NumPy float32": numpy},
        n=n,
        equal=near(1e-6),
    )


@pytest.mark.parametrize("n", SIZES)
def test_retrievability(versus: Callable[..., Row], n: int) -> None:
    _, _, _, last, _ = columns(n)
    stability = np.random.default_rng(1).uniform(0.1, 1000, n).astype(np.float32)
    out = np.empty(n, np.float32)
    factor = 0.9 ** (1 / -0.1542) - 1

    def numpy() -> np.ndarray:
        days = (np.maximum(0.0, NOW - last) / DAY).astype(np.float32)
        return (1 + np.float32(factor) * days / stability) ** np.float32(-0.1542)

    versus(
        "decay",
        "retrievability",
        lambda: _core.retrievability(stability, last, NOW, curve=-0.1542, out=out, threads=1),
        {"NumPy float32": numpy},
        n=n,
        equal=near(1e-6),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", SIZES)
def test_exp(versus: Callable[..., Row], n: int, dtype: type) -> None:
    x = np.random.default_rng(0).uniform(-50, 0, n).astype(dtype)
    out, peer_out = np.empty(n, dtype), np.empty(n, dtype)
    versus(
        "decay",
        f"exp, {np.dtype(dtype).name}",
        lambda: _core.exp(x, out=out, threads=1),
        {"NumPy": lambda: np.exp(x, out=peer_out)},
        n=n,
        equal=near(0),
    )
