"""Belief: Beta evidence over columns, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import Row, Target
from scrubjay import _core

SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]


def columns(n: int) -> tuple[np.ndarray, ...]:
    """a, b, signal, weight."""
    rng = np.random.default_rng(0)
    return tuple(rng.uniform(low, high, n).astype(np.float32) for low, high in ((0.5, 20), (0.5, 20), (0, 1), (0, 1)))


def close(ours: tuple[Any, ...], peer: tuple[Any, ...]) -> None:
    for a, b in zip(ours, peer, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def numpy_update(a: np.ndarray, b: np.ndarray, s: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ...]:
    return a + s * w, b + (1 - s) * w


def numpy_moments(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    total = a + b
    variance = a * b / (total**2 * (total + 1))
    return a / total, variance, np.sqrt(variance)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_update(versus: Callable[..., Row], n: int, threads: int) -> None:
    a, b, s, w = columns(n)
    out = np.empty(n, np.float32), np.empty(n, np.float32)
    versus(
        "belief",
        "update",
        lambda: _core.beta_update(a, b, s, w, out=out, threads=threads),
        {"NumPy": lambda: numpy_update(a, b, s, w)},
        n=n,
        threads=threads,
        equal=close,
    )


@pytest.mark.parametrize("n", SIZES)
def test_update_in_place(versus: Callable[..., Row], n: int) -> None:
    """No weight, so that the state stays what it is however often the call is repeated; the work is the same."""
    a, b, s, _ = columns(n)
    none = np.zeros(n, np.float32)

    def numpy() -> tuple[np.ndarray, ...]:
        np.add(a, s * none, out=a)
        np.add(b, (1 - s) * none, out=b)
        return a, b

    versus(
        "belief",
        "update in place",
        lambda: _core.beta_update(a, b, s, none, out=(a, b), threads=1),
        {"NumPy": numpy},
        n=n,
        equal=close,
        targets=(Target("ns", most=0.4),) if n == 1_000_000 else (),
    )


@pytest.mark.parametrize("n", SIZES)
def test_moments(versus: Callable[..., Row], n: int) -> None:
    a, b, _, _ = columns(n)
    out = tuple(np.empty(n, np.float32) for _ in range(3))
    versus(
        "belief",
        "mean, variance, bonus",
        lambda: _core.beta_moments(a, b, out=out, threads=1),
        {"NumPy": lambda: numpy_moments(a, b)},
        n=n,
        equal=close,
    )


@pytest.mark.parametrize("n", SIZES)
def test_an_outcome_and_what_it_says(versus: Callable[..., Row], n: int) -> None:
    a, b, s, w = columns(n)
    out = np.empty(n, np.float32), np.empty(n, np.float32)
    moments = tuple(np.empty(n, np.float32) for _ in range(3))

    def ours() -> tuple[np.ndarray, ...]:
        return (*_core.beta_update(a, b, s, w, out=out, moments=moments, threads=1), *moments)

    def numpy() -> tuple[np.ndarray, ...]:
        new = numpy_update(a, b, s, w)
        return *new, *numpy_moments(*new)

    versus(
        "belief",
        "update, mean, variance, bonus",
        ours,
        {"NumPy": numpy},
        n=n,
        equal=close,
        targets=(Target("NumPy", least=10),) if n == 1_000_000 else (),
    )
