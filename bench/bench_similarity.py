"""Products of N rows of 384 or 768 dimensions, their smaller stores, and binding, against NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from harness import Row
from scrubjay import kernels

SIZES = [1_000, 10_000, 100_000, 1_000_000]


def rows_of(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, d), np.float32) / np.float32(np.sqrt(d))


def near(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("d", [384, 768])
@pytest.mark.parametrize("n", SIZES)
def test_dot(versus: Callable[..., Row], largest: int, n: int, d: int) -> None:
    if n > largest:
        pytest.skip(f"--largest is below {n}")
    rows = rows_of(n, d)
    query = rows[0].copy()
    versus(
        "similarity",
        f"dot, d = {d}",
        lambda: kernels.dot(rows, query),
        {"NumPy": lambda: rows @ query},
        n=n,
        equal=near,
        bytes_read=rows.nbytes,
    )


@pytest.mark.parametrize("n", SIZES[:2])
def test_product(versus: Callable[..., Row], n: int) -> None:
    rows, matrix = rows_of(n, 384), rows_of(384, 384)
    panels = kernels.pack(matrix)
    versus(
        "similarity",
        "product with 384 x 384",
        lambda: kernels.product(rows, panels, threads=2),
        {"NumPy": lambda: rows @ matrix},
        n=n,
        equal=near,
        multiply_adds=n * 384.0 * 384.0,
        threads=2,
    )


def bfloat16(rows: np.ndarray) -> np.ndarray:
    bits = rows.view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)


def eight_bits(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
    return (np.rint(rows / scale) + 128).astype(np.uint8), scale


def close_codes(ours: kernels.Rows8, theirs: tuple[np.ndarray, np.ndarray]) -> None:
    np.testing.assert_allclose(ours.meta[0], theirs[1][:, 0], rtol=1e-6)
    assert np.abs(ours.codes.astype(int) - theirs[0]).max() <= 1  # a half may round either way


@pytest.mark.parametrize("n", SIZES[:3])
def test_smaller_stores(versus: Callable[..., Row], n: int) -> None:
    rows = rows_of(n, 384)
    np.testing.assert_array_equal(kernels.to_bf16(rows), bfloat16(rows))
    versus(
        "similarity",
        "to 8 bits, d = 384",
        lambda: kernels.quantize8(rows, threads=1),
        {"NumPy": lambda: eight_bits(rows)},
        n=n,
        equal=close_codes,
        alone=True,
    )


@pytest.mark.parametrize("n", SIZES[:3])
def test_codes(versus: Callable[..., Row], n: int) -> None:
    """8 bits in two planes, with three bounds a row: against 8 bits alone."""
    rows = rows_of(n, 384)
    versus(
        "similarity",
        "codes with bounds, d = 384",
        lambda: kernels.codes(rows, threads=1),
        {"NumPy, 8 bits alone": lambda: eight_bits(rows)},
        n=n,
        alone=True,
    )


@pytest.mark.parametrize("n", SIZES[:3])
def test_binding(versus: Callable[..., Row], n: int) -> None:
    what, where = rows_of(n, 384), rows_of(n, 384)[::-1].copy()
    when, tau = np.linspace(0, 1.7e9, n), np.linspace(60, 3e7, n)

    def numpy() -> np.ndarray:
        h = 0.55 * what + 0.35 * where + 0.10 / (1 + np.exp(-(what * where)))
        h /= np.linalg.norm(h, axis=1, keepdims=True)
        h[:, 0] += np.log(when + 1) % 10
        h[:, 1] += np.log(tau + 1) % 10
        return h

    versus(
        "similarity",
        "binding, d = 384",
        lambda: kernels.binding(what, where, when, tau, threads=1),
        {"NumPy": numpy},
        n=n,
        equal=near,
        alone=True,
    )
