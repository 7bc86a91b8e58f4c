"""The law of the three channels over columns, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.lanewise import on_each_isa
from scrubjay.dynamics import channels as law
from scrubjay.dynamics import retrievability
from scrubjay.dynamics.channels import UNIT, Channels, counted, experienced, turns
from scrubjay.errors import ArgumentError
from scrubjay.events import Configured

DAY = 86400.0
PLAIN = Configured(at=0.0)
signals, weights = st.floats(0, 1), st.floats(1e-6, 1e3)


def fresh(n: int) -> Channels:
    return Channels(np.full(n, 0.5), np.full(n, 0.5), np.full(n, 1.0), np.full(n, 5.0), np.zeros(n))


def loop(n: int, told: list[tuple[int, float, float, float]], settings: Configured) -> Channels:
    """One outcome after the other, one memory at a time."""
    state = fresh(n)
    for row, signal, weight, moment in told:
        good, bad = counted(np.array([signal]), np.array([weight]))
        state.a[row] = settings.keep * state.a[row] + good[0]
        state.b[row] = settings.keep * state.b[row] + bad[0]
        days = max(0.0, moment - state.reviewed[row]) / DAY
        s, d = (x[row : row + 1].copy() for x in (state.stability, state.difficulty))
        new = retrievability.outcome(s, d, np.array([days]), np.array([signal]), law.law_of(settings))
        part = min(1.0, weight)
        if part == 1.0:
            state.stability[row], state.difficulty[row] = new[0][0], new[1][0]
        else:
            state.stability[row] = s[0] + part * (new[0][0] - s[0])
            state.difficulty[row] = d[0] + part * (new[1][0] - d[0])
        state.reviewed[row] = max(state.reviewed[row], moment)
    return state


def arrays(told: list[tuple[int, float, float, float]]) -> tuple[np.ndarray, ...]:
    rows, *rest = zip(*told, strict=True)
    return np.array(rows, np.int64), *(np.array(x, np.float64) for x in rest)


outcomes = st.lists(st.tuples(st.integers(0, 3), signals, weights, st.floats(0, 1e8)), min_size=1, max_size=30)


@pytest.mark.parametrize("name", retrievability.LAWS)
@pytest.mark.parametrize("keep", [1.0, 0.9])
@given(told=outcomes, cut=st.integers(0, 30))
def test_columns_and_a_loop_give_the_same_bits_however_outcomes_are_batched(
    name: str, keep: float, told: list[tuple[int, float, float, float]], cut: int
) -> None:
    settings = Configured(at=0.0, law=name, keep=keep)
    wanted, got = loop(4, told, settings), fresh(4)
    for part in (told[:cut], told[cut:]):
        if part:
            experienced(got, *arrays(part), settings)
    for a, b in zip(got, wanted, strict=True):
        assert a.tobytes() == b.tobytes()


@given(told=st.lists(st.tuples(signals, weights), min_size=1, max_size=40), seed=st.integers(0, 99))
def test_evidence_does_not_depend_on_the_order_by_a_single_bit_and_adds_up(
    told: list[tuple[float, float]], seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(len(told))
    ends = []
    for way in (range(len(told)), order):
        a, b = np.full(1, 0.5), np.full(1, 0.5)
        for i in way:
            good, bad = counted(np.array([told[i][0]]), np.array([told[i][1]]))
            a += good
            b += bad
        ends.append((a[0], b[0]))
    assert ends[0] == ends[1]
    assert sum(ends[0]) - 1.0 == sum(round(w / UNIT) for _, w in told) * UNIT
    assert ends[0][0] == pytest.approx(0.5 + sum(s * w for s, w in told), abs=2 * UNIT * len(told))


@given(s=signals, w=weights)
def test_a_signal_counts_for_what_it_is_worth(s: float, w: float) -> None:
    good, bad = (x[0] for x in counted(np.array([s]), np.array([w])))
    assert good >= 0
    assert bad >= 0
    assert good + bad == pytest.approx(w, abs=UNIT)
    assert good == pytest.approx(s * w, abs=UNIT * 1.01)
    mirrored = counted(np.array([1.0]), np.array([w]))
    assert mirrored[1][0] == 0.0


@given(s=signals, step=st.floats(0, 1e-3), w=st.floats(0.001, 1), days=st.floats(0, 100))
def test_a_small_change_of_the_signal_changes_every_channel_a_little(
    s: float, step: float, w: float, days: float
) -> None:
    """No cliff: usefulness moves by at most the step; S by at most 240 days and D by 16 per unit of signal here."""
    ends = []
    for signal in (s, min(1.0, s + step)):
        state = fresh(1)
        experienced(state, *arrays([(0, signal, w, days * DAY)]), PLAIN)
        ends.append(state)
    moved = min(1.0, s + step) - s
    low, high = ends
    u = [float(x.a[0] / (x.a[0] + x.b[0])) for x in ends]
    assert -2 * UNIT <= u[1] - u[0] <= moved + 2 * UNIT
    assert -1e-9 <= high.stability[0] - low.stability[0] <= 240 * moved + 1e-6
    assert -16 * moved - 1e-6 <= high.difficulty[0] - low.difficulty[0] <= 1e-9


@given(w=st.floats(1e-6, 1), s=signals)
def test_a_weak_outcome_is_a_part_of_a_review(w: float, s: float) -> None:
    whole, part = fresh(1), fresh(1)
    experienced(whole, *arrays([(0, s, 1.0, 3 * DAY)]), PLAIN)
    experienced(part, *arrays([(0, s, w, 3 * DAY)]), PLAIN)
    assert part.stability[0] == pytest.approx(1 + w * (whole.stability[0] - 1), rel=1e-12)
    assert part.difficulty[0] == pytest.approx(5 + w * (whole.difficulty[0] - 5), rel=1e-12)


def test_the_monotonicity_table_of_the_survey() -> None:
    """Section 6.3: more evidence for, more usefulness; more time, less retrievability; all of [0, 1] is reached."""
    a, b = np.linspace(0.5, 50, 200), np.full(200, 3.0)
    columns = law.channel_columns(a, b, np.full(200, 2.0), -np.linspace(0, 1e8, 200), 0.0, PLAIN)
    assert (np.diff(columns["usefulness"]) > 0).all()
    assert (np.diff(columns["retrievability"]) < 0).all()
    more = law.channel_columns(np.full(200, 3.0), np.linspace(0.5, 50, 200), b, b, 0.0, PLAIN)
    assert (np.diff(more["usefulness"]) < 0).all()
    ends = law.channel_columns(
        np.array([1e6, 1e-6]), np.array([1e-6, 1e6]), np.ones(2), np.array([0.0, -1e30]), 0.0, PLAIN
    )
    assert ends["usefulness"].tolist() == pytest.approx([1, 0], abs=1e-9)
    assert ends["retrievability"][0] == 1.0
    assert ends["retrievability"][1] < 0.01
    for column in (*columns.values(), *more.values(), *ends.values()):
        assert ((column >= 0) & (column <= 1)).all()


@pytest.mark.parametrize("name", ["fsrs-6", "fsrs-5"])
def test_retrievability_at_its_stability_is_nine_tenths_and_the_due_time_lies_there(name: str) -> None:
    settings = Configured(at=0.0, law=name)
    s = np.array([1.0, 10.0, 333.0])
    r = law.channel_columns(s, s, s, -s * DAY, 0.0, settings)["retrievability"]
    np.testing.assert_allclose(r, 0.9, atol=1e-6)
    np.testing.assert_allclose(law.intervals(s, law.law_of(settings)), s)


def test_all_instruction_sets_give_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    rows, signal, weight = rng.integers(0, 50, 999), rng.uniform(0, 1, 999), rng.uniform(0.1, 2, 999)
    moment = np.sort(rng.uniform(0, 1e8, 999))

    def run() -> tuple[np.ndarray, ...]:
        state = fresh(50)
        experienced(state, rows, signal, weight, moment, PLAIN)
        return tuple(state)

    assert len(set(on_each_isa(run).values())) == 1


@given(st.lists(st.integers(0, 5), max_size=50))
def test_turns_keep_the_order_of_each_row(rows: list[int]) -> None:
    found = turns(np.array(rows, np.int64))
    assert sorted(i for turn in found for i in turn.tolist()) == list(range(len(rows)))
    for turn in found:
        assert len({rows[i] for i in turn}) == len(turn)
    at = {i: t for t, turn in enumerate(found) for i in turn.tolist()}
    for i in range(len(rows)):
        assert at[i] == rows[:i].count(rows[i])


def test_settings_are_checked() -> None:
    for bad in (
        {"law": "sm-2"},
        {"weights": (1.0,) * 20},
        {"law": "survey", "weights": (1.0,)},
        {"wanted": 2.0},
        {"thresholds": (0.0, 0.9, 0.5, 1.0)},
    ):
        with pytest.raises(ArgumentError):
            law.law_of(Configured(at=0.0, **bad))
