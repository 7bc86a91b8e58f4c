"""Metric definitions against examples worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import metrics as m
from scrubjay.evaluate.bootstrap import draw_weights, interval, paired, statistic_interval

# ranking: three relevant items, found at ranks 1, 3 and 7


def test_precision_divides_by_k_and_recall_by_the_relevant():
    assert m.precision_at([1, 3, 7], 5) == 2 / 5
    assert m.recall_at([1, 3, 7], 3, 5) == 2 / 3
    assert m.recall_at([1, 3, 7], 3, 10) == 1.0
    assert m.precision_at([], 5) == 0.0


def test_reciprocal_rank_full_and_cut():
    assert m.reciprocal_rank([7, 3]) == 1 / 3
    assert m.reciprocal_rank([7], 5) == 0.0
    assert m.reciprocal_rank([7]) == 1 / 7
    assert m.reciprocal_rank([]) == 0.0


def test_ndcg_by_hand():
    gain = 1.0 + 1.0 / np.log2(4)  # ranks 1 and 3; rank 7 lies beyond the cut
    best = 1.0 + 1.0 / np.log2(3) + 1.0 / np.log2(4)
    assert m.ndcg_at([1, 3, 7], 3, 5) == pytest.approx(gain / best)
    assert m.ndcg_at([1, 2, 3, 4, 5], 9, 5) == 1.0  # nine relevant, only five fit


# probability


def test_brier_and_log_loss_by_hand():
    assert m.brier([1, 0, 1], [0.9, 0.2, 0.5]) == pytest.approx((0.01 + 0.04 + 0.25) / 3)
    assert m.log_loss([1, 0], [0.5, 0.75]) == pytest.approx((np.log(2) + np.log(4)) / 2)
    assert m.log_loss([0], [1.0]) == pytest.approx(-np.log(1e-6), rel=1e-6)


def test_auroc_counts_pairs_and_halves_ties():
    # pairs: (.9>.8) 1, (.9>.4) 1, (.4<.8) 0, (.4=.4) half
    assert m.auroc([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.4]) == 2.5 / 4
    assert np.isnan(m.auroc([1, 1], [0.1, 0.2]))
    assert m.auroc([1, 0, 1], [0.3, 0.3, 0.3]) == 0.5


def test_auroc_within_ignores_what_the_stratum_explains():
    y, p, delay = [1, 1, 0, 0, 1, 0, 0, 0], [0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1], [7] * 4 + [365] * 4
    assert m.auroc(y, p) > 0.6
    assert m.auroc_within(y, p, delay) == 0.5
    # a stratum of one class does not count
    assert m.auroc_within([1, 0, 1, 1], [0.9, 0.1, 0.2, 0.3], [1, 1, 2, 2]) == 1.0


def test_ece_equal_count_bins_by_hand():
    # two bins of two: predictions .1 .2 (observed .5) and .8 .9 (observed 1)
    assert m.ece([0, 1, 1, 1], [0.1, 0.2, 0.8, 0.9], bins=2) == pytest.approx((abs(0.5 - 0.15) + abs(1 - 0.85)) / 2)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0])), min_size=1, max_size=60))
def test_metrics_do_not_depend_on_the_order_of_cases(cases):
    y, p = [c[0] for c in cases], [c[1] for c in cases]
    for f in (m.ece, m.brier, m.auroc, m.log_loss):
        assert f(y[::-1], p[::-1]) == pytest.approx(f(y, p), nan_ok=True)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=40))
def test_an_integer_weight_is_a_repetition(cases):
    y, p, w = (np.array(x) for x in zip(*cases, strict=True))
    weighted, repeated = m.Cases(y, p), m.Cases(np.repeat(y, w), np.repeat(p, w))
    for name in ("brier", "log_loss", "auroc", "ece", "auroc_within"):
        assert getattr(weighted, name)(w) == pytest.approx(getattr(repeated, name)(), nan_ok=True)


@pytest.mark.parametrize("p", [[1.2], [-0.1], [float("nan")], [0.1, 0.2]])
def test_predictions_that_are_no_probabilities_are_refused(p):
    with pytest.raises(ArgumentError, match="p:"):
        m.brier([1], p)


# bootstrap


def test_a_draw_keeps_a_group_together():
    group = np.array([0, 1, 0, 2, 1])
    for w in draw_weights(group, draws=50, seed=3):
        assert w[0] == w[2]
        assert w[1] == w[4]
        assert w[0] + w[1] + w[3] == 3


def test_grouping_widens_the_interval_of_dependent_cases():
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], 50)
    by_group = interval(values, np.repeat(np.arange(6), 50).tolist(), seed=1)
    by_case = interval(values, list(range(300)), seed=1)
    assert by_group.high - by_group.low > 3 * (by_case.high - by_case.low)
    assert by_group.estimate == by_case.estimate == 0.5
    assert (by_group.n, by_group.groups) == (300, 6)


def test_the_fast_mean_agrees_with_the_general_statistic():
    values, groups = np.array([0.0, 1.0, 3.0, 2.0, 5.0]), ["a", "a", "b", "c", "b"]
    fast = interval(values, groups, draws=400, seed=9)
    slow = statistic_interval(lambda w: float(w @ values / w.sum()), groups, draws=400, seed=9)
    assert (fast.estimate, fast.low, fast.high) == pytest.approx((slow.estimate, slow.low, slow.high))


def test_paired_difference_and_its_p_value():
    rng = np.random.default_rng(0)
    theirs = rng.random(400)
    groups = np.repeat(np.arange(40), 10).tolist()
    better = paired(theirs + 0.1 + 0.05 * rng.standard_normal(400), theirs, groups, seed=1)
    same = paired(theirs + 0.05 * rng.standard_normal(400), theirs, groups, seed=1)
    assert better.low > 0.05
    assert better.p_value is not None
    assert better.p_value < 0.01
    assert same.low < 0 < same.high
    assert same.p_value is not None
    assert same.p_value > 0.05
    three = paired([1.0] * 9, [0.0] * 9, [0, 1, 2] * 3, seed=1)
    assert three.p_value == 0.25  # three groups of one sign: flipping signs gives no less
    with pytest.raises(ArgumentError, match="same cases"):
        paired([1.0], [1.0, 2.0], ["a"])
