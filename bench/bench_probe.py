"""The door and the limits: what a call costs at least, and that a plain dot product runs at the read limit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from harness import Row
from scrubjay import _core


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000, 1_000_000])
def test_dot(versus: Callable[..., Row], n: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n, 384), np.float32)
    query = rng.standard_normal(384, np.float32)
    versus(
        "similarity",
        "dot, one query, d = 384",
        lambda: _core.dot(rows, query),
        {"NumPy": lambda: rows @ query},
        n=n,
        equal=lambda a, b: np.testing.assert_allclose(a, b, atol=1e-3),
        bytes_read=rows.nbytes,
    )
