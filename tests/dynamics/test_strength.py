from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.lanewise import on_each_isa
from scrubjay.dynamics import strength as law
from scrubjay.dynamics.strength import DAY, HOUR, TripleCopy
from scrubjay.errors import ArgumentError

TABLE = {1: 0.727, 6: 0.717, 24: 0.679, 72: 0.589, 168: 0.695, 336: 0.879, 720: 0.912}
"""The source's table of retention: hours -> strength, a mean over seeds whose S0 is .912 by its last entry."""


def test_the_sources_table_of_retention() -> None:
    hours = np.array(list(TABLE))
    got = law.strength(hours * HOUR, 0.912)
    np.testing.assert_allclose(got, list(TABLE.values()), atol=1.5e-3)
    printed = law.strength(hours * HOUR, 0.912, TripleCopy(deep_form="log"))
    assert printed[-1] > 1.5 * TABLE[720]


def test_the_three_copies_equal_their_formulas() -> None:
    age = np.array([0.0, 1.0, HOUR, 5 * HOUR, DAY, 9 * DAY, 1000 * DAY])
    for form, deep in (("tanh", np.tanh(age / (7 * DAY))), ("log", np.log1p(age / (7 * DAY)))):
        got = law.copies(age, 2.0, TripleCopy(deep_form=form))
        wanted = (2 * np.exp(-age / (4 * HOUR)), 1.6 * np.exp(-age / (14 * DAY)), 2 * deep)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)


@given(st.floats(-1e6, 1e10), st.floats(0, 100))
def test_strength_stays_between_nothing_and_the_start(age: float, start: float) -> None:
    three = law.copies(np.array([age]), start)
    assert all(0 <= copy[0] <= start for copy in three)
    assert law.strength(np.array([age]), start)[0] == max(copy[0] for copy in three)


def test_the_leading_copy_goes_from_fast_to_medium_to_deep() -> None:
    age = np.array([0.0, 2.0, 30.0 * HOUR, 60 * DAY])
    assert np.argmax(np.array(law.copies(age)), axis=0).tolist() == [0, 0, 1, 2]


def test_all_instruction_sets_give_the_same_bits() -> None:
    age = np.random.default_rng(0).uniform(0, 100 * DAY, 999)
    assert len(set(on_each_isa(lambda: tuple(law.copies(age))).values())) == 1


def test_arguments_are_checked() -> None:
    for bad in ({"fast": 0.0}, {"medium": float("inf")}, {"deep": float("nan")}, {"medium_share": 1.5}):
        with pytest.raises(ArgumentError, match=f"{next(iter(bad))} must be"):
            TripleCopy(**bad)
    with pytest.raises(ArgumentError, match=r"age\[1\] is nan"):
        law.strength(np.array([0.0, np.nan]))
    with pytest.raises(ArgumentError, match="initial must be >= 0"):
        law.strength(np.array([0.0]), -1.0)
