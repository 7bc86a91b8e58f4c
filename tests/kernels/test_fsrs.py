from __future__ import annotations

import csv
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import oracles
from kernels.lanewise import SIZES, bits, on_each_isa, unaligned
from scrubjay import _core
from scrubjay.errors import ArgumentError, ArgumentTypeError

W6 = [
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
]
W5 = [
    *(0.40255, 1.18385, 3.173, 15.69105, 7.1949, 0.5345, 1.4604, 0.0046, 1.54575, 0.1192),
    *(1.01925, 1.9395, 0.11, 0.29605, 2.2698, 0.2315, 2.9898, 0.51655, 0.6621),
]
BOTH = pytest.mark.parametrize("weights", [W6, W5], ids=["fsrs-6", "fsrs-5"])
THIRDS = [0.0, 1 / 3, 2 / 3, 1.0]
BOUND = {np.float32: 1e-5, np.float64: 1e-13}


def law(weights: list[float] = W6, **changed: Any) -> _core.FsrsLaw:
    usual = {"thresholds": THIRDS, "wanted": 0.9, "same_day": 1.0, "most": np.inf, "longest": 36500.0}
    return _core.FsrsLaw(weights, **(usual | changed))


# Published traces: elapsed days, grade -> stability, difficulty, interval; retrievability just before where given.
TRACES: dict[str, list[tuple[float, int, float | None, tuple[float, ...], tuple[float, ...]]]] = {
    "A": [
        (0, 3, None, (2.3065, 2.11810397, 2), (3.173, 5.28243442, 3)),
        (3, 3, 0.88094796, (13.82690369, 2.11121424, 14), (10.73892585, 5.27296793, 11)),
        (10, 3, 0.92068408, (47.45203373, 2.10433139, 47), (32.61522229, 5.26354499, 33)),
        (30, 3, 0.92832785, (132.1682132, 2.09745543, 132), (90.26561259, 5.25416539, 90)),
    ],
    "B": [
        (0, 3, None, (2.3065, 2.11810397, 2), (3.173, 5.28243442, 3)),
        (3, 3, 0.88094796, (13.82690369, 2.11121424, 14), (10.73892585, 5.27296793, 11)),
        (15, 1, 0.89430842, (1.74017385, 7.39223813, 2), (2.34005701, 6.79056769, 2)),
        (2, 3, 0.89015778, (5.14144097, 7.38007426, 5), (6.22666038, 6.77416379, 6)),
    ],
    "C": [
        (0, 2, None, (1.2931, 5.11217071, 1), (1.18385, 6.48830527, 1)),
        (2, 2, 0.8673675, (4.46945535, 6.74045951, 4), (2.14821303, 7.04050155, 2)),
        (5, 4, 0.89211024, (20.67117267, 5.63650134, 21), (26.19571958, 6.54492905, 26)),
        (20, 3, 0.9022516, (55.8910307, 5.62609321, 56), (57.3308927, 6.52965508, 57)),
    ],
    "D": [
        (0, 3, None, (2.3065, 2.11810397, 2), (3.173, 5.28243442, 3)),
        (0, 3, 1.0, (2.3065, 2.11121424, 2), (4.46685806, 5.27296793, 4)),
        (0, 1, 1.0, (0.77508398, 7.39223813, 1), (2.2380233, 6.79056769, 2)),
        (1, 3, 0.88156355, (2.65067517, 7.38007426, 3), (4.27766273, 6.77416379, 4)),
    ],
    "E": [
        (0, 1, None, (0.212, 6.4133, 1), (0.40255, 7.1949, 1)),
        (1, 3, 0.76619573, (1.88678762, 6.40211507, 2), (2.26500944, 7.17663617, 2)),
        (2, 3, 0.89594692, (6.26916132, 6.39094132, 6), (5.79862744, 7.15845635, 6)),
        (7, 2, 0.89224718, (13.72258773, 7.58936704, 14), (8.28829063, 7.59932697, 8)),
    ],
    "F": [
        (0, 4, None, (8.2956, 1, 8), (15.69105, 3.22450159, 16)),
        (30, 4, 0.79177876, (136.32049945, 1, 136), (247.54900991, 2.13012146, 248)),
        (120, 1, 0.90851891, (4.56700152, 7.02698957, 5), (8.27951175, 4.67744495, 8)),
        (1, 2, 0.97045891, (5.8778773, 8.0116055, 6), (8.90874387, 5.53046178, 9)),
    ],
}


@pytest.mark.parametrize("name", TRACES)
@BOTH
def test_published_traces(each_isa: str, weights: list[float], name: str) -> None:
    one = law(weights)
    for dtype, tolerance in ((np.float64, 1e-6), (np.float32, 1e-4)):
        s, d = np.zeros(1, dtype), np.zeros(1, dtype)
        for days, grade, before, six, five in TRACES[name]:
            elapsed = np.array([days], dtype)
            if before is not None and weights is W6:
                assert abs(_core.fsrs_retrievability(one, s, elapsed)[0] - before) < tolerance
            s, d, interval = _core.fsrs_review(one, s, d, elapsed, np.array([grade]), interval=True)
            wanted = six if weights is W6 else five
            assert abs(s[0] - wanted[0]) < tolerance
            assert abs(d[0] - wanted[1]) < tolerance
            assert interval[0] == wanted[2] == _core.fsrs_interval(one, s)[0]


def states(n: int, dtype: type = np.float64, seed: int = 0) -> tuple[NDArray, ...]:
    """Stability, difficulty, elapsed, grade; an eighth are first reviews, an eighth of the same day."""
    rng = np.random.default_rng(seed)
    s = np.exp(rng.uniform(np.log(0.001), np.log(36500), n))
    d = rng.choice([1.0, 10.0, 5.0], n) + rng.uniform(-4, 4, n)
    t = s * np.exp(rng.uniform(-7, 4, n))
    t = np.where(rng.random(n) < 0.125, rng.uniform(-1, 1, n), t)
    s = np.where(rng.random(n) < 0.125, 0, s)
    d = np.where(s == 0, 0, np.clip(d, 1, 10))
    return s.astype(dtype), d.astype(dtype), t.astype(dtype), rng.integers(1, 5, n).astype(np.uint8)


def other_weights(seed: int, version: int = 6) -> list[float]:
    rng = np.random.default_rng(seed)
    low = [*[0.001] * 4, 1, *[0.001] * 3, 0, 0, *[0.001] * 4, 0, 0, 1, 0, 0, 0, 0.1]
    high = [*[100] * 4, 10, 4, 4, 0.75, 4.5, 0.8, 3.5, 5, 0.25, 0.9, 4, 1, 6, 2, 2, 0.8, 0.8]
    return [float(x) for x in rng.uniform(low, high)][: 21 if version == 6 else 19]


@pytest.mark.parametrize("dtype", BOUND)
@BOTH
@pytest.mark.parametrize("n", SIZES)
def test_reviews_equal_the_oracle(each_isa: str, n: int, weights: list[float], dtype: type) -> None:
    s, d, t, g = states(n, dtype, n)
    got_s, got_d = _core.fsrs_review(law(weights), s, d, t, g)
    with np.errstate(all="ignore"):
        want_s, want_d = oracles.fsrs_review(weights, s, d, t, g)
    assert got_s.dtype == got_d.dtype == dtype
    np.testing.assert_allclose(got_s, want_s, rtol=BOUND[dtype])
    np.testing.assert_allclose(got_d, want_d, rtol=BOUND[dtype])


@pytest.mark.parametrize("version", [5, 6])
@pytest.mark.parametrize("seed", range(5))
def test_other_weights_equal_the_oracle(seed: int, version: int) -> None:
    weights = other_weights(seed, version)
    s, d, t, g = states(2000, seed=seed)
    got = _core.fsrs_review(law(weights), s, d, t, g)
    with np.errstate(all="ignore"):
        wanted = oracles.fsrs_review(weights, s, d, t, g)
    for x, y in zip(got, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)


@pytest.mark.parametrize("dtype", BOUND)
@BOTH
@pytest.mark.parametrize("n", SIZES)
def test_signals_equal_the_oracle(each_isa: str, n: int, weights: list[float], dtype: type) -> None:
    s, d, t, _ = states(n, dtype, n + 1)
    for thresholds in (THIRDS, [0.0, 0.2, 0.7, 1.0]):
        rng = np.random.default_rng(n)
        x = np.where(rng.random(n) < 0.3, rng.choice(thresholds, n), rng.uniform(0, 1, n)).astype(dtype)
        got = _core.fsrs_signal(law(weights, thresholds=thresholds), s, d, t, x)
        with np.errstate(all="ignore"):
            wanted = oracles.fsrs_signal(weights, [float(dtype(v)) for v in thresholds], s, d, t, x.astype(np.float64))
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=10 * BOUND[dtype])


@pytest.mark.parametrize("dtype", BOUND)
def test_a_signal_at_a_threshold_is_that_grade(each_isa: str, dtype: type) -> None:
    s, d, t, g = states(500, dtype)
    at = np.take(THIRDS, g - 1).astype(dtype)
    by_grade, by_signal = _core.fsrs_review(law(), s, d, t, g), _core.fsrs_signal(law(), s, d, t, at)
    assert bits(by_grade[0]) == bits(by_signal[0])
    np.testing.assert_allclose(by_grade[1], by_signal[1], rtol=BOUND[dtype])


def test_real_grades_are_signals_with_thresholds_one_to_four() -> None:
    s, d, t, g = states(300)
    real = law(thresholds=[1.0, 2.0, 3.0, 4.0])
    assert bits(_core.fsrs_signal(real, s, d, t, g.astype(np.float64))[0]) == bits(
        _core.fsrs_review(real, s, d, t, g)[0]
    )


stabilities = st.floats(0.001, 36500)
difficulties = st.floats(1, 10)
ratios = st.floats(0, 50)


@settings(deadline=None)
@given(stabilities, difficulties, ratios, st.booleans())
def test_a_better_signal_never_gives_less_stability_and_there_is_no_jump(
    s: float, d: float, ratio: float, first: bool
) -> None:
    x = np.linspace(0, 1, 1201)
    rows = [np.full(len(x), v) for v in (0.0 if first else s, d, s * ratio)]
    for weights in (W6, W5):
        new_s, new_d = _core.fsrs_signal(law(weights), *rows, x)
        assert np.all(np.diff(new_s) >= -1e-13 * new_s[:-1])
        assert np.all(np.diff(new_d) <= 1e-14 * new_d[:-1])
        # Each third of the signals is one straight line of 400 steps; the floor of .001 can only shorten it.
        assert np.all(np.diff(new_s) <= (np.diff(new_s[::400]).max() + 0.001) / 399.9)
        assert np.all((new_d >= 1) & (new_d <= 10) & (new_s >= 0.001))


@settings(deadline=None)
@given(stabilities, difficulties, ratios)
def test_laws_of_memory(s: float, d: float, ratio: float) -> None:
    one = law()
    four = [np.full(4, v) for v in (s, d, max(1.0, s * ratio))]
    new_s, new_d = _core.fsrs_review(one, *four, np.array([1, 2, 3, 4]))
    assert new_s[0] <= max(s, 0.001)
    assert s * (1 - 1e-14) <= new_s[1] <= new_s[2] * (1 + 1e-14) <= new_s[3] * (1 + 2e-14)
    assert new_d[0] >= new_d[1] >= new_d[2] >= new_d[3]
    # A success the closer to forgetting it came, the more it strengthens; an easier memory gains more.
    later = _core.fsrs_review(one, four[0], four[1], four[2] * 1.5, np.array([1, 2, 3, 4]))[0]
    assert np.all(later[1:] >= new_s[1:] * (1 - 1e-13))
    if d < 9:
        harder = _core.fsrs_review(one, four[0], four[1] + 1, four[2], np.array([1, 2, 3, 4]))[0]
        assert np.all(harder[1:] <= new_s[1:] * (1 + 1e-13))


@settings(deadline=None)
@given(stabilities, ratios, ratios)
def test_retrievability_falls_with_time_and_is_nine_tenths_at_stability(s: float, a: float, b: float) -> None:
    for weights in (W6, W5):
        t = s * np.array([0.0, *sorted([a, b]), 1.0])
        r = _core.fsrs_retrievability(law(weights), np.full(4, s), t)
        assert r[0] == 1.0
        assert 0 < r[2] <= r[1] <= 1
        assert abs(r[3] - 0.9) < 1e-15


def test_retrievability_and_interval_equal_the_oracle(each_isa: str) -> None:
    for dtype, bound in ((np.float64, 1e-14), (np.float32, 1e-6)):
        for n in SIZES:
            s, _, t, _ = states(n, dtype, n)
            s = np.where(s == 0, dtype(3), s)
            for weights in (W6, W5):
                factor, curve = oracles.fsrs_curve(weights)
                t64, s64 = np.maximum(t.astype(np.float64), 0), s.astype(np.float64)
                got = _core.fsrs_retrievability(law(weights), s, t)
                np.testing.assert_allclose(got, (1 + factor * t64 / s64) ** curve, atol=bound)
                for wanted in (0.9, 0.7, 0.97):
                    days = s64 / factor * (wanted ** (1 / curve) - 1)
                    interval = _core.fsrs_interval(law(weights, wanted=wanted, longest=3000.0), s)
                    clear = np.abs(days - np.floor(days) - 0.5) > 1e-4
                    np.testing.assert_array_equal(interval[clear], np.clip(np.round(days), 1, 3000)[clear])
    assert _core.fsrs_retrievability(law(), np.zeros(2), np.array([0.0, 5.0])).tolist() == [0.0, 0.0]


def test_an_interval_leads_to_the_wanted_retrievability() -> None:
    s = np.array([40.0, 400.0, 4000.0])
    for wanted in (0.7, 0.8, 0.95):
        one = law(wanted=wanted)
        np.testing.assert_allclose(_core.fsrs_retrievability(one, s, _core.fsrs_interval(one, s)), wanted, atol=0.01)


def test_a_cap_of_stability() -> None:
    s, d, t, g = states(200)
    capped = _core.fsrs_review(law(most=100.0), s, d, t, g)[0]
    assert bits(capped) == bits(np.minimum(100.0, _core.fsrs_review(law(), s, d, t, g)[0]))


def test_all_instruction_sets_give_the_same_bits() -> None:
    for dtype in (np.float64, np.float32):
        s, d, t, g = states(5000, dtype)
        x = np.random.default_rng(1).uniform(0, 1, 5000).astype(dtype)
        for weights in (W6, W5, other_weights(3)):
            one = law(weights)
            seen = on_each_isa(
                lambda one=one, s=s, d=d, t=t, g=g, x=x: (
                    *_core.fsrs_review(one, s, d, t, g, interval=True),
                    *_core.fsrs_signal(one, s, d, t, x),
                    _core.fsrs_retrievability(one, s, t),
                )
            )
            assert len(set(seen.values())) == 1


def test_in_place_unaligned_and_any_integer_grades(each_isa: str) -> None:
    for dtype in (np.float64, np.float32):
        s, d, t, g = states(700, dtype)
        wanted = _core.fsrs_review(law(), s, d, t, g, interval=True)
        for kind in (np.int8, np.int16, np.int64, np.uint32):
            assert bits(_core.fsrs_review(law(), s, d, t, g.astype(kind))[0]) == bits(wanted[0])
        s, d, t = (unaligned(v) for v in (s, d, t))
        days = np.empty(700, dtype)
        got = _core.fsrs_review(law(), s, d, t, g, interval=True, out=(s, d, days))
        assert got[0] is s
        assert [bits(v) for v in (s, d, days)] == [bits(v) for v in wanted]


def test_a_row_does_not_depend_on_its_neighbours(each_isa: str) -> None:
    s, d, t, g = states(300)
    x = np.random.default_rng(1).uniform(0, 1, 300)
    all_s, signal_s = _core.fsrs_review(law(), s, d, t, g)[0], _core.fsrs_signal(law(), s, d, t, x)[0]
    for i in range(0, 300, 37):
        one = slice(i, i + 1)
        assert _core.fsrs_review(law(), s[one], d[one], t[one], g[one])[0][0] == all_s[i]
        assert _core.fsrs_signal(law(), s[one], d[one], t[one], x[one])[0][0] == signal_s[i]


def test_bad_input_is_refused_before_anything_is_written() -> None:
    s, d, t, g = states(50)
    s[20], d[20] = 5.0, 5.0
    state, before = (s, d), (bits(s), bits(d))

    def run(s: NDArray = s, d: NDArray = d, t: NDArray = t, g: NDArray = g) -> None:
        _core.fsrs_review(law(), s, d, t, g, out=state)

    def broken(column: NDArray, value: float) -> NDArray:
        copy = column.copy()
        copy[20] = value
        return copy

    for bad in (np.nan, -1.0, np.inf):
        with pytest.raises(ArgumentError, match=r"stability\[20\] is .*: it must be finite and at least 0"):
            run(s=broken(s, bad))
    for bad in (np.nan, 0.0, 10.5):
        with pytest.raises(ArgumentError, match=r"difficulty\[20\] is .*: it must be in \[1, 10\]"):
            run(d=broken(d, bad))
    for bad in (np.nan, np.inf):
        with pytest.raises(ArgumentError, match=r"elapsed\[20\] is .*: it must be finite"):
            run(t=broken(t, bad))
    for bad in (0, 5, 255):
        with pytest.raises(ArgumentError, match=rf"grade\[20\] is {bad}: it must be 1 \(Again\)"):
            run(g=broken(g, bad))
    with pytest.raises(ArgumentError, match=r"grade\[20\] is -3"):
        run(g=broken(g.astype(np.int64), -3))
    with pytest.raises(ArgumentTypeError, match="grade must be uint8, got float64"):
        run(g=g.astype(np.float64))
    with pytest.raises(ArgumentError, match=r"signal\[20\] is nan: it must be in \[0, 1\]"):
        _core.fsrs_signal(law(), s, d, t, broken(np.zeros(50), np.nan), out=(s, d))
    with pytest.raises(ArgumentError, match="difficulty has 49 values"):
        run(d=d[1:])
    assert (bits(s), bits(d)) == before


def test_a_law_is_checked() -> None:
    with pytest.raises(ArgumentError, match="weights must be 21 numbers"):
        law(W6[:20])
    with pytest.raises(ArgumentError, match=r"weights\[20\] must be in \[0.1, 0.8\], got 0.9"):
        law([*W6[:20], 0.9])
    with pytest.raises(ArgumentError, match=r"weights\[3\] must be in"):
        law([*W6[:3], float("nan"), *W6[4:]])
    with pytest.raises(ArgumentError, match="thresholds must rise"):
        law(thresholds=[0.0, 0.5, 0.5, 1.0])
    with pytest.raises(ArgumentError, match="wanted must be in"):
        law(wanted=1.0)
    assert law(W6).version == 6
    assert law(W5).version == 5


def test_a_real_history_card_by_card_equals_py_fsrs(data: Path) -> None:
    """Every review of the published data set: whole days as py-fsrs counts them, no learning steps, no fuzz."""
    fsrs = pytest.importorskip("fsrs", reason="py-fsrs is not installed: pip install 'scrubjay[bench]'")
    cards: dict[str, list[tuple[datetime, int]]] = defaultdict(list)
    with (data / "fsrs" / "reviews.csv").open() as file:
        for row in csv.DictReader(file):
            cards[row["card_id"]].append((datetime.fromisoformat(row["review_time"]), int(row["review_rating"])))
    histories = [sorted(h, key=lambda review: review[0]) for h in cards.values()]
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    peers = []
    for history in histories:
        card, trace = fsrs.Card(), []
        for at, rating in history:
            card, _ = scheduler.review_card(card, fsrs.Rating(rating), at)
            trace.append((card.stability, card.difficulty, (card.due - at).days))
        peers.append(trace)

    # All cards at once: step k reviews every card that has a k-th review.
    histories, peers = zip(*sorted(zip(histories, peers, strict=True), key=lambda p: -len(p[0])), strict=True)
    s, d = np.zeros(len(histories)), np.zeros(len(histories))
    compared = 0
    for k in range(len(histories[0])):
        n = sum(len(h) > k for h in histories)
        days = [float((h[k][0] - h[k - 1][0]).days) if k else 0.0 for h in histories[:n]]
        grades = np.array([h[k][1] for h in histories[:n]])
        *_, interval = _core.fsrs_review(
            law(), s[:n], d[:n], np.array(days), grades, interval=True, out=(s[:n], d[:n], np.empty(n))
        )
        wanted = np.array([p[k] for p in peers[:n]])
        np.testing.assert_allclose(s[:n], wanted[:, 0], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(d[:n], wanted[:, 1], rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(interval, wanted[:, 2])
        compared += n
    assert compared == sum(len(h) for h in histories) > 12_000
