"""The matrix product whose rows depend on nothing but themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from scrubjay import isa
from scrubjay.errors import ArgumentError, ArgumentTypeError
from scrubjay.kernels import pack, product


def random(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def bound(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    sizes = np.abs(rows).astype(np.float64) @ np.abs(matrix).astype(np.float64)
    return (rows.shape[1] + 1) * 2.0**-24 * sizes + 1e-44


@pytest.mark.parametrize("count", [0, 1, 3, 4, 11, 12, 13, 47, 48, 49, 100])
@pytest.mark.parametrize(("inner", "width"), [(1, 1), (15, 16), (16, 17), (64, 100), (257, 31)])
def test_it_is_the_product(each_isa: str, count: int, inner: int, width: int) -> None:
    rows, matrix = random(1, count, inner), random(2, inner, width)
    result = product(rows, pack(matrix))
    assert result.shape == (count, -(-width // 16) * 16)
    exact = rows.astype(np.float64) @ matrix.astype(np.float64)
    assert (np.abs(result[:, :width] - exact) <= bound(rows, matrix)).all()
    assert not result[:, width:].any()


@given(st.integers(1, 130), st.integers(1, 70), st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_a_row_has_the_same_bits_wherever_it_stands(count: int, inner: int, width: int, seed: int) -> None:
    rows, panels = random(seed, count, inner), pack(random(seed + 1, inner, width))
    together = product(rows, panels)
    assert np.array_equal(product(rows[::-1], panels)[::-1], together)
    place = seed % count
    assert np.array_equal(product(rows[place : place + 1], panels)[0], together[place])
    for name in isa.available():
        with isa.using(name):
            assert np.array_equal(product(rows, panels), together), name


def test_threads_change_no_bit() -> None:
    rows, panels = random(3, 1000, 256), pack(random(4, 256, 320))
    alone = product(rows, panels, threads=1)
    for threads in (0, 2, 3, 8):
        assert np.array_equal(product(rows, panels, threads=threads), alone)


def test_rows_may_stand_apart_or_overlap(each_isa: str) -> None:
    values, panels = random(5, 40, 24), pack(random(6, 8, 20))
    assert np.array_equal(product(values[::3, 4:12], panels), product(values[::3, 4:12].copy(), panels))
    line = random(7, 200)
    windows = as_strided(line, (193, 8), (4, 4))
    assert np.array_equal(product(windows, panels), product(windows.copy(), panels))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_stay_in_their_row(each_isa: str, value: float) -> None:
    rows, panels = random(8, 30, 33), pack(random(9, 33, 40))
    clean = product(rows, panels)
    rows[7, 5] = value
    spoiled = product(rows, panels)
    assert not np.isfinite(spoiled[7, :40]).any()
    assert np.array_equal(np.delete(spoiled, 7, axis=0), np.delete(clean, 7, axis=0))


def test_what_does_not_fit_is_refused() -> None:
    rows, panels = random(10, 3, 8), pack(random(11, 8, 5))
    with pytest.raises(ArgumentError, match="panel"):
        product(rows[:, :7], panels)
    with pytest.raises(ArgumentError, match="threads"):
        product(rows, panels, threads=-1)
    for wrong in (rows.astype(np.float64), rows[0], [[1.0]], None):
        with pytest.raises(ArgumentTypeError, match="rows"):
            product(wrong, panels)
    with pytest.raises(ArgumentTypeError):
        pack(rows[0])


def test_packing_keeps_every_value() -> None:
    matrix = random(12, 5, 37)
    panels = pack(matrix)
    assert panels.shape == (3, 80)
    back = panels.reshape(3, 5, 16).transpose(1, 0, 2).reshape(5, 48)
    assert np.array_equal(back[:, :37], matrix)
    assert not back[:, 37:].any()
