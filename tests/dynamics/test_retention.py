from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.lanewise import on_each_isa
from scrubjay.dynamics import retention as law
from scrubjay.dynamics.retention import Retention, Usage
from scrubjay.errors import ArgumentError

histories = st.lists(st.booleans(), max_size=60)


def run(history: list[bool]) -> Usage:
    state = law.learned(1)
    for used in history:
        state = law.interacted(state, np.array([used]))
    return state


def test_a_trace() -> None:
    state = law.learned(3)
    for used in ([True, False, False], [True, False, True], [False, False, False]):
        state = law.interacted(state, np.array(used))
    assert state.idle.tolist() == [1, 3, 1]
    np.testing.assert_allclose(state.worth, [0.5 + 0.15 + 0.105, 0.5, 0.65])
    assert state.uses.tolist() == [2, 0, 1]
    wanted = np.exp([-1 / ((0.755 + 0.2 + 0.1) * 10), -3 / 6, -1 / ((0.65 + 0.1 + 0.1) * 10)])
    np.testing.assert_allclose(law.retention(state), wanted, rtol=1e-14)


@given(histories)
def test_a_use_brings_everything_back_and_nothing_else_does(history: list[bool]) -> None:
    before = run(history)
    faded, used = (law.interacted(before, np.array([x])) for x in (False, True))
    assert law.retention(used)[0] == 1.0
    assert 0 < law.retention(faded)[0] < law.retention(before)[0] <= 1
    assert before.worth[0] <= used.worth[0] <= 1
    assert faded.worth[0] == before.worth[0]


@given(histories, st.integers(0, 100))
def test_what_was_used_more_fades_slower(history: list[bool], idle: int) -> None:
    often = run([*history, True])
    rarely = run([*history[:-1], False]) if history else law.learned(1)
    rested = [Usage(np.array([float(idle)]), s.worth, s.uses) for s in (often, rarely)]
    assert law.retention(rested[0])[0] >= law.retention(rested[1])[0]


def test_a_new_memory_is_accessible_for_thirteen_interactions() -> None:
    assert [bool(law.accessible(run([False] * n))[0]) for n in (0, 13, 14)] == [True, True, False]


def test_all_instruction_sets_give_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    state = Usage(
        rng.integers(0, 50, 999).astype(float), rng.uniform(0, 1, 999), rng.integers(0, 20, 999).astype(float)
    )
    assert len(set(on_each_isa(lambda: (law.retention(state),)).values())) == 1


def test_arguments_are_checked() -> None:
    for bad in ({"start": 1.1}, {"gain": -0.1}, {"eps": 0.0}, {"temperature": float("nan")}, {"most_uses": 0.0}):
        with pytest.raises(ArgumentError, match=f"{next(iter(bad))} must be in"):
            Retention(**bad)
    with pytest.raises(ArgumentError, match="used has 3 values but there are 2 memories"):
        law.interacted(law.learned(2), np.zeros(3, bool))
    with pytest.raises(ArgumentError, match="rows must be >= 0"):
        law.learned(-1)
