"""exp, log and power of our own: within their bounds, monotone, the same bits on every instruction set.

The test over every float32 takes about four minutes for all instruction sets: run it with -m slow.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.lanewise import SIZES, bits, on_each_isa, unaligned
from scrubjay import _core, isa
from scrubjay.errors import ArgumentError, ArgumentTypeError

F32 = NDArray[np.float32]
LOWEST = int(np.float32(104.0).view(np.uint32))
"""Bits of |x| for the smallest x whose exp32 is tested; -x runs from 0 to it."""
LARGEST = int(np.float32(np.inf).view(np.uint32))


def minus(first: int, last: int, step: int = 1) -> F32:
    """-x for the float32 x of these bit patterns, from the most negative up to -0."""
    return -np.arange(last, first - 1, -step, np.int64).astype(np.uint32).view(np.float32)


def plus(first: int, last: int, step: int = 1) -> F32:
    return np.arange(first, last, step, np.int64).astype(np.uint32).view(np.float32)


def ulps(got: F32, exact: NDArray[np.float64]) -> float:
    return float(
        np.max(np.abs(got - exact) / np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64), initial=0)
    )


def check_exp(x: F32) -> None:
    """`x` rises."""
    got = _core.exp(x)
    assert ulps(got, np.exp(x.astype(np.float64))) <= 1.0
    assert np.all(got[1:] >= got[:-1])


def check_log(x: F32) -> None:
    """`x` rises and is positive and finite."""
    got = _core.log(x)
    exact = np.log(x.astype(np.float64))
    assert ulps(got[exact != 0], exact[exact != 0]) <= 1.0
    assert np.all(got[exact == 0] == 0)
    assert np.all(got[1:] >= got[:-1])


def around(points: NDArray[np.floating], reach: int) -> Iterator[tuple[int, int]]:
    for point in np.abs(points).astype(np.float32):
        center = int(point.view(np.uint32))
        yield max(0, center - reach), center + reach


HALVES = np.arange(1, 151) * np.log(2) - np.log(1.5)
"""Where exp's reduction goes over to the next power of two."""
CELLS = np.array([(43 + 2 * j) / 64 for j in range(11)] + [(33 + 2 * j) / 32 for j in range(6)])
"""The borders of log's table cells, in one binade."""


def test_exp_is_within_an_ulp_and_monotone(each_isa: str) -> None:
    for first in range(0, LOWEST, 1 << 20):
        check_exp(minus(first, min(first + 6000, LOWEST)))
    for first, last in around(np.concatenate([HALVES, [87.33655, 103.972, 103.2789]]), 300):
        check_exp(minus(first, min(last, LOWEST)))


def test_log_is_within_an_ulp_and_monotone(each_isa: str) -> None:
    for first in range(1, LARGEST, 1 << 21):
        check_log(plus(first, min(first + 6000, LARGEST)))
    binades = 2.0 ** np.array([-149, -140, -127, -126, -2, -1, 0, 1, 2, 127])
    for first, last in around(np.outer(binades, CELLS).ravel(), 300):
        check_log(plus(max(first, 1), min(last, LARGEST)))


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["exp", "log"])
def test_every_float32_on_every_instruction_set(name: str) -> None:
    """All of [-104, 0] for exp (1.1e9 values), all positive numbers for log (2.1e9).

    The bound and the order are checked on the widest instruction set, every other one must give its bits.
    """
    chunk = 1 << 21
    function, check = (_core.exp, check_exp) if name == "exp" else (_core.log, check_log)
    for first in range(0, LOWEST + 1, chunk) if name == "exp" else range(1, LARGEST, chunk):
        # One value of the next chunk, so that the order is checked across the seam.
        last = min(first + chunk, LOWEST if name == "exp" else LARGEST - 1)
        x = minus(first, last) if name == "exp" else plus(first, last + 1)
        with isa.using(isa.available()[-1]):
            check(x)
            wanted = function(x, threads=1).tobytes()
        for other in isa.available()[:-1]:
            with isa.using(other):
                assert function(x, threads=1).tobytes() == wanted, other


def test_exp32_above_zero(each_isa: str) -> None:
    x = np.linspace(0, 88.72, 200_001).astype(np.float32)
    assert ulps(_core.exp(x), np.exp(x.astype(np.float64))) <= 1.0


def relative(got: NDArray[np.float64], exact: NDArray[np.longdouble]) -> float:
    """In units of 2^-52."""
    return float(np.max(np.abs((got.astype(np.longdouble) - exact) / exact))) * 2.0**52


def test_float64_is_within_its_bounds(each_isa: str) -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-708, 709, 50_000), rng.uniform(-1, 1, 50_000), rng.uniform(-1e-9, 1e-9, 1000)])
    assert relative(_core.exp(x), np.exp(x.astype(np.longdouble))) <= 2.0
    x = np.concatenate([np.exp(rng.uniform(-745, 709, 50_000)), rng.uniform(0.5, 2, 50_000)])
    x = x[(x != 1) & (x > 0)]
    assert relative(_core.log(x), np.log(x.astype(np.longdouble))) <= 3.0
    y = rng.uniform(-3, 3, len(x))
    kept = (np.abs(y * np.log2(x)) < 1000) & (x > 1e-300)
    exact = x[kept].astype(np.longdouble) ** y[kept].astype(np.longdouble)
    assert relative(_core.power(x[kept], y[kept]), exact) <= 2.0


def test_edges(each_isa: str) -> None:
    inf, nan = np.inf, np.nan
    for dtype in (np.float32, np.float64):
        x = np.array([-inf, -1000, -0.0, 0.0, 1000, inf, nan], dtype)
        np.testing.assert_array_equal(_core.exp(x), np.array([0, 0, 1, 1, inf, inf, nan], dtype))
        x = np.array([-inf, -1, -0.0, 0.0, 1, inf, nan], dtype)
        np.testing.assert_array_equal(_core.log(x), np.array([nan, nan, -inf, -inf, 0, inf, nan], dtype))
    x = np.array([0.0, 0, 0, 1, 7, inf, inf, nan, 2, 2, -1])
    y = np.array([0.5, 0, -2, 9, 0, 2, -2, 1, nan, 3, 2])
    np.testing.assert_array_equal(_core.power(x, y), [0, 1, inf, 1, 1, inf, 0, nan, nan, 8, nan])


@pytest.mark.parametrize("n", SIZES)
def test_sizes_and_memory(each_isa: str, n: int) -> None:
    rng = np.random.default_rng(n)
    for dtype in (np.float32, np.float64):
        x = rng.uniform(0.1, 5, n).astype(dtype)
        np.testing.assert_allclose(_core.exp(x), np.exp(x), rtol=3e-7)
        np.testing.assert_allclose(_core.log(x), np.log(x), rtol=3e-7, atol=1e-9)
        assert bits(_core.exp(unaligned(x))) == bits(_core.exp(x))
        held = x.copy()
        assert _core.exp(held, out=held) is held
        assert bits(held) == bits(_core.exp(x))


def test_all_instruction_sets_give_the_same_bits() -> None:
    rng = np.random.default_rng(2)
    strange = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 1.0, -1.0, 88.72, 88.73, -103.9, -104.1]
    a = np.concatenate([rng.uniform(-110, 90, 20_000), np.exp(rng.uniform(-103, 88, 20_000)), strange]).astype(
        np.float32
    )
    b = np.concatenate([rng.uniform(-760, 720, 20_000), rng.lognormal(0, 200, 20_000), strange])
    y = rng.uniform(-5, 5, len(b))
    seen = on_each_isa(
        lambda: (_core.exp(a), _core.exp(b), _core.log(a), _core.log(b), _core.power(np.abs(b), y)),
    )
    assert len(set(seen.values())) == 1


@given(st.floats(-104, 0, width=32), st.floats(-104, 0, width=32))
def test_exp_never_turns_an_order_around(a: float, b: float) -> None:
    low, high = _core.exp(np.array(sorted([a, b]), np.float32))
    assert 0 <= low <= high <= 1


def test_arguments_are_checked() -> None:
    x = np.ones(4, np.float32)
    with pytest.raises(ArgumentTypeError, match="x must be float32, got int64"):
        _core.exp(np.arange(3))
    with pytest.raises(ArgumentError, match="out has 3 values but the input has 4"):
        _core.exp(x, out=np.ones(3, np.float32))
    with pytest.raises(ArgumentTypeError, match="out is changed in place: it must be a writable, C-contiguous float32"):
        _core.exp(x, out=np.ones(4))
    memory = np.ones(5, np.float32)
    with pytest.raises(ArgumentError, match="out overlaps x without being the same array"):
        _core.exp(memory[:4], out=memory[1:])
