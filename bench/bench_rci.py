"""Retroactive integration of one piece of evidence into N memories of 384 or 768 dimensions, of which it moves 1 %.

Evidence and steps are such that state stays in range however often it runs: each call integrates a small step, and the
columns are put back between the calls of a round by running the opposite evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import Row, Target
from scrubjay import _core

BOUNDS: dict[str, float] = {"pi_floor": 1e-3, "tau_low": 60.0, "tau_high": 365 * 86400.0}
STEPS: dict[str, float] = {"value_step": 1e-6, "pi_step": 0.0, "tau_step": 0.0, "what_step": 1e-6}
THETA = 0.6


def memories(n: int, d: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Columns of n memories, 1 % of them (spread evenly) near the evidence, the rest nowhere near it."""
    rng = np.random.default_rng(0)
    vector = rng.standard_normal(d).astype(np.float32)
    vector /= np.linalg.norm(vector)
    what = rng.standard_normal((n, d), np.float32)
    what[::100] = 0.4 * what[::100] + 1.5 * np.sqrt(d) * vector
    for start in range(0, n, 65536):
        block = what[start : start + 65536]
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return [what, *(rng.uniform(0.5, 1, n).astype(np.float32) for _ in range(2)), np.full(n, 1e5, np.float32)], vector


def numpy_rci(columns: list[np.ndarray], vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a NumPy user would write, with an index: only the rows that the gate lets through are touched."""
    what, value, pi, tau = columns
    rho = np.clip(what @ vector, -1, 1)
    rows = np.flatnonzero(rho > THETA)
    a = ((rho[rows] - THETA) / (1 - THETA)).astype(np.float32)
    value[rows] = np.maximum(0, value[rows] + a * STEPS["value_step"])
    pi[rows] = np.clip(pi[rows] + a * STEPS["pi_step"], 1e-3, 1)
    tau[rows] = np.clip(tau[rows] * np.maximum(0.1, 1 + a * STEPS["tau_step"]), 60, 365 * 86400)
    moved = what[rows]
    moved += (STEPS["what_step"] * a)[:, None] * (vector - moved)
    what[rows] = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return rows, a


def equal(ours: tuple[np.ndarray, ...], peers: tuple[np.ndarray, ...]) -> None:
    np.testing.assert_array_equal(ours[0], peers[0])
    np.testing.assert_allclose(ours[1], peers[1], atol=1e-4)


def run(columns: list[np.ndarray], vector: np.ndarray, **more: Any) -> tuple[np.ndarray, ...]:
    return _core.rci(*columns, vector, theta=THETA, **STEPS, **BOUNDS, **more)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("d", [384, 768])
@pytest.mark.parametrize("n", [1_000, 10_000, 100_000, 1_000_000])
def test_rci(versus: Callable[..., Row], n: int, d: int, threads: int) -> None:
    if n * d > 400_000_000:
        pytest.skip("d = 768 is measured up to 100k rows")
    columns, vector = memories(n, d)
    versus(
        "rci",
        f"integrate, d = {d}, 1 % moved",
        lambda: run(columns, vector, threads=threads),
        {"NumPy with an index": lambda: numpy_rci(columns, vector)},
        n=n,
        equal=equal,
        bytes_read=columns[0].nbytes,
        threads=threads,
        targets=(Target("limit", 0.85),) if (n, d, threads) == (1_000_000, 384, 1) else (),
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_rci_by_codes(versus: Callable[..., Row], n: int, threads: int) -> None:
    columns, vector = memories(n, 384)
    codes = _core.codes(columns[0])
    theirs, plainly = ([column.copy() for column in columns] for _ in range(2))

    def exact(ours: tuple[np.ndarray, ...], plain: tuple[np.ndarray, ...]) -> None:
        equal(ours, plain)
        for mine, fresh in zip(codes, _core.codes(columns[0]), strict=True):
            np.testing.assert_array_equal(mine, fresh)  # codes followed the rows that moved
        first, second = (_core.rci_gate(columns[0], vector, theta=THETA, codes=c) for c in (codes, None))
        np.testing.assert_array_equal(first, second)

    versus(
        "rci",
        "by codes, d = 384, 1 % moved",
        lambda: run(columns, vector, threads=threads, codes=codes),
        {
            "NumPy with an index": lambda: numpy_rci(theirs, vector),
            "our float32 scan": lambda: run(plainly, vector, threads=threads),
        },
        n=n,
        equal=exact,
        threads=threads,
        targets=(Target("NumPy with an index", 4.0),) if n == 1_000_000 else (),
    )
