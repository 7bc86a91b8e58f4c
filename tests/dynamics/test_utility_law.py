from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.dynamics import utility as law
from scrubjay.errors import ArgumentError

F = np.float32
pis, taus, shapes = st.floats(2.0**-10, 1, width=32), st.floats(60, 3e7, width=32), st.floats(0.25, 4, width=32)


@given(pis, taus, shapes)
def test_half_of_the_value_is_left_at_the_half_life(pi: float, tau: float, shape: float) -> None:
    columns = np.array([pi], F), np.array([tau], F)
    for bend in (None, np.array([shape], F)):
        age = law.half_life(*columns, shape=bend)
        assert abs(law.validity(*columns, age, shape=bend)[0] - 0.5) < 1e-6


@given(pis, taus, st.floats(0, 1e8), st.floats(0, 1e8))
def test_validity_falls_with_age(pi: float, tau: float, one: float, other: float) -> None:
    first, second = law.validity(np.full(2, pi, F), np.full(2, tau, F), np.array(sorted([one, other])))
    assert 1 >= first >= second >= 0


def test_nothing_stable_has_a_half_life() -> None:
    assert law.half_life(np.zeros(1, F), np.full(1, 60, F)).tolist() == [np.inf]


def test_the_domain_is_checked_by_row() -> None:
    one = np.ones(3, F)
    when = np.zeros(3)

    def broken(value: float) -> np.ndarray:
        return np.array([1, value, 1], F)

    for value, message in [
        (-1.0, r"value\[1\] is -1: it must be in \[0, "),
        (np.nan, r"value\[1\] is nan"),
        (np.inf, r"value\[1\] is inf"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            law.utility(broken(value), one, one, when, 0.0)
    with pytest.raises(ArgumentError, match=r"pi\[1\] is 1.5: it must be in \[0, 1\]"):
        law.utility(one, broken(1.5), one, when, 0.0)
    with pytest.raises(ArgumentError, match=r"tau\[1\] is 0: it must be in \(0, "):
        law.utility(one, one, broken(0), when, 0.0)
    with pytest.raises(ArgumentError, match=r"shape\[1\] is 0"):
        law.utility(one, one, one, when, 0.0, shape=broken(0))
