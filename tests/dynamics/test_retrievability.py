from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.lanewise import on_each_isa
from scrubjay.dynamics import retrievability as law
from scrubjay.dynamics import survey
from scrubjay.dynamics.retrievability import FSRS_5, FSRS_6, LAWS, Fsrs
from scrubjay.dynamics.survey import Survey
from scrubjay.errors import ArgumentError

DAY = 86400.0
EACH = pytest.mark.parametrize("name", LAWS)
stabilities, difficulties, ratios = st.floats(0.01, 36500), st.floats(1, 10), st.floats(0, 30)


def survey_oracle(s: NDArray, d: NDArray, t: NDArray, x: NDArray, p: Survey) -> tuple[NDArray, NDArray]:
    lost = 1 - (1 + 0.5 * t / s) ** -0.5
    success = s * (1 + np.exp(p.a) * (11 - d) * s**p.b * np.expm1(p.c * lost))
    lapse = np.minimum(s, d**p.g * s**p.h * lost**p.e * np.exp(p.f * (1 - x)))
    return np.maximum(0.001, (1 - x) * lapse + x * success), np.clip(d - (10 - d) * 2 * p.k * (x - 0.5) / 9, 1, 10)


def test_the_surveys_form_equals_its_formula() -> None:
    rng = np.random.default_rng(0)
    s, d, x = np.exp(rng.uniform(-4, 9, 500)), rng.uniform(1, 10, 500), rng.uniform(0, 1, 500)
    t = s * rng.uniform(0, 5, 500)
    for p in (Survey(), Survey(a=1.0, b=-0.3, c=2.0, e=0.5, f=-1.0, g=-0.5, h=0.6, k=3.0)):
        got, wanted = survey.outcome(s, d, t, x, p), survey_oracle(s, d, t, x, p)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_the_difference_of_the_forms_is_the_documented_one() -> None:
    ten = np.array([10.0])
    assert law.retrievability(ten, ten, LAWS["survey"])[0] == pytest.approx(0.8165, abs=1e-4)
    for name in ("fsrs-6", "fsrs-5"):
        assert law.retrievability(ten, ten, LAWS[name])[0] == pytest.approx(0.9, abs=1e-12)
    never_left = survey.outcome(ten, np.array([5.0]), np.zeros(1), np.zeros(1), Survey())
    assert never_left[0][0] == 0.001


@EACH
@settings(deadline=None)
@given(s=stabilities, d=difficulties, ratio=ratios)
def test_stability_never_falls_and_difficulty_never_rises_as_the_signal_rises(
    name: str, s: float, d: float, ratio: float
) -> None:
    x = np.linspace(0, 1, 601)
    new_s, new_d = law.outcome(*(np.full(601, v) for v in (s, d, s * ratio)), x, LAWS[name])
    assert np.all(np.diff(new_s) >= -1e-12 * new_s[:-1])
    assert np.all(np.diff(new_d) <= 1e-12)
    assert np.all(np.diff(new_s) <= (new_s[-1] - new_s[0]) / 150 + 1e-5)
    assert new_s[0] <= max(s, 0.001) or (name != "survey" and s * ratio < 1)
    assert np.all((new_d >= 1) & (new_d <= 10))


@EACH
def test_a_column_for_ranking_is_the_law(name: str) -> None:
    rng = np.random.default_rng(1)
    s = np.exp(rng.uniform(-3, 8, 400)).astype(np.float32)
    last = 1.7e9 - rng.uniform(-1, 900, 400) * DAY
    days = law.elapsed(last, 1.7e9)
    wanted = law.retrievability(s.astype(np.float64), days, LAWS[name])
    np.testing.assert_allclose(law.at(s, last, 1.7e9, LAWS[name]), wanted, atol=5e-7)
    hours = law.at(s, last, 1.7e9, LAWS[name], day=3600.0)
    np.testing.assert_allclose(
        hours, law.retrievability(s.astype(np.float64), law.elapsed(last, 1.7e9, day=3600.0), LAWS[name]), atol=5e-7
    )


@EACH
def test_all_instruction_sets_give_the_same_bits(name: str) -> None:
    rng = np.random.default_rng(2)
    s, d, x = np.exp(rng.uniform(-4, 9, 999)), rng.uniform(1, 10, 999), rng.uniform(0, 1, 999)
    t = s * rng.uniform(0, 5, 999)
    assert len(set(on_each_isa(lambda: law.outcome(s, d, t, x, LAWS[name])).values())) == 1


def test_a_learnt_memory_has_a_day_of_stability() -> None:
    s, d = (np.array([v]) for v in law.LEARNED)
    assert law.retrievability(s, np.array([1.0]))[0] == pytest.approx(0.9)
    better, worse = (law.outcome(s, d, np.array([1.0]), np.array([x]))[0][0] for x in (1.0, 0.0))
    assert worse < 1 < better


def test_reviews_by_grade_are_of_fsrs_alone() -> None:
    one = np.ones(1)
    with pytest.raises(ArgumentError, match="a review by grade is of FSRS alone"):
        law.review(one, one, one, np.array([3]), LAWS["survey"])
    with pytest.raises(ArgumentError, match="an interval is of FSRS alone"):
        law.interval(one, LAWS["survey"])
    with pytest.raises(ArgumentError, match="law must be one of fsrs-6, fsrs-5, survey, got 'sm-2'"):
        law.named("sm-2")
    assert law.named("survey") is LAWS["survey"]


def test_results_may_go_into_the_state() -> None:
    for name in LAWS:
        s, d = np.full(3, 10.0), np.full(3, 5.0)
        x = np.array([0.0, 0.5, 1.0])
        wanted = law.outcome(s, d, s, x, LAWS[name])
        got = law.outcome(s, d, s.copy(), x, LAWS[name], out=(s, d))
        assert got[0] is s
        np.testing.assert_array_equal(np.array(got), np.array(wanted))


def test_parameters_are_checked() -> None:
    with pytest.raises(ArgumentError, match=r"weights\[20\] must be in"):
        Fsrs(weights=(*FSRS_6[:20], 3.0))
    with pytest.raises(ArgumentError, match="thresholds must rise"):
        Fsrs(thresholds=(0.0, 0.5, 0.4, 1.0))
    with pytest.raises(ArgumentError, match="most must be in"):
        Fsrs(weights=FSRS_5, most=0.5)
    for bad in ({"b": 0.1}, {"f": 0.1}, {"h": 1.5}, {"a": float("nan")}):
        with pytest.raises(ArgumentError, match=f"{next(iter(bad))} must be in"):
            Survey(**bad)
    with pytest.raises(ArgumentError, match="most must be at least 1"):
        Survey(most=0.0)
    ok = np.array([1.0, 1.0])
    for column, name in enumerate(["stability", "difficulty", "elapsed", "signal"]):
        columns = [ok.copy() for _ in range(4)]
        columns[column][1] = np.nan
        with pytest.raises(ArgumentError, match=rf"{name}\[1\] is "):
            survey.outcome(*columns, Survey())


def test_a_peers_stability_counts_by_trust_and_up_to_our_maximum() -> None:
    mine = np.array([10.0, 10.0, 50000.0])
    assert law.imported(mine, np.array([30.0, 1e308, 0.0]), 0.5).tolist() == [15.0, 18250.0, 50000.0]
    for bad in (np.nan, np.inf, -1.0):
        with pytest.raises(ArgumentError, match=r"other\[0\] is .*: it must be finite"):
            law.imported(mine[:1], np.array([bad]), 0.5)
    with pytest.raises(ArgumentError, match="trust must be in"):
        law.imported(mine, mine, 2.0)
