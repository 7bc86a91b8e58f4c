from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.dynamics import evidence
from scrubjay.dynamics.evidence import Evidence
from scrubjay.errors import ArgumentError

outcomes = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 10)), max_size=20)
counts = st.floats(0, 1e9)


def fold(events: list[tuple[float, float]], law: Evidence = evidence.DEFAULT) -> tuple[float, float]:
    a, b = evidence.learned(1, law)
    for signal, weight in events:
        a, b = evidence.observed(a, b, np.array([signal]), weight, law)
    return float(a[0]), float(b[0])


@given(outcomes)
def test_outcomes_add_up_in_any_order(events: list[tuple[float, float]]) -> None:
    forth, back = fold(events), fold(events[::-1])
    np.testing.assert_allclose(forth, back, rtol=1e-12)
    np.testing.assert_allclose(sum(forth), 1 + sum(w for _, w in events), rtol=1e-12)


@given(outcomes, st.floats(0, 1), st.floats(2.0**-10, 10))
def test_good_outcomes_raise_usefulness_and_every_outcome_lowers_doubt(
    events: list[tuple[float, float]], signal: float, weight: float
) -> None:
    before = [np.array([x]) for x in fold(events)]
    after = evidence.observed(*before, np.array([signal]), weight)
    mean, moved = evidence.usefulness(*before)[0], evidence.usefulness(*after)[0]
    assert min(mean, signal) - 1e-12 <= moved <= max(mean, signal) + 1e-12
    assert 0 <= evidence.variance(*after)[0] <= 0.25
    assert evidence.exploration(*after)[0] ** 2 == pytest.approx(evidence.variance(*after)[0])


def test_rescoring_takes_no_outcome_away() -> None:
    a, b = evidence.observed(*evidence.learned(1), np.array([1.0]), 5.0)
    rated = evidence.observed(a, b, np.array([0.0]), 1.0)
    assert (rated[0][0], rated[1][0]) == (5.5, 1.5)


def test_forgetting_brings_the_mean_to_the_recent_outcomes() -> None:
    law = Evidence(keep=0.9)
    a, b = fold([(1.0, 1.0)] * 50 + [(0.0, 1.0)] * 50, law)
    assert evidence.usefulness(np.array([a]), np.array([b]))[0] < 0.01
    assert a + b < 10.5


@given(counts, counts, counts, counts, st.floats(0, 1))
def test_a_peer_brings_at_most_its_share(a: float, b: float, other_a: float, other_b: float, trust: float) -> None:
    mine = np.array([a]), np.array([b])
    theirs = np.array([other_a]), np.array([other_b])
    new_a, new_b = evidence.imported(*mine, *theirs, trust)
    added = (new_a[0] - a) + (new_b[0] - b)
    slack = 1e-9 * (a + b + 1)
    assert -slack <= added <= min(trust * (other_a + other_b), 100.0) * (1 + 1e-12) + slack
    assert new_a[0] >= a
    assert new_b[0] >= b


def test_bad_peers_are_refused() -> None:
    one = np.ones(2)
    for bad in (np.nan, np.inf, -1.0):
        with pytest.raises(ArgumentError, match=r"other_b\[1\] is .*: it must be finite and at least 0"):
            evidence.imported(one, one, one, np.array([1.0, bad]), 0.5)
    for trust in (np.nan, -0.1, 1.1):
        with pytest.raises(ArgumentError, match=r"trust must be in \[0, 1\]"):
            evidence.imported(one, one, one, one, trust)
    huge = evidence.imported(np.zeros(1), np.zeros(1), np.array([1.7e308]), np.array([1.7e308]), 1.0)
    assert [x.tolist() for x in huge] == [[50.0], [50.0]]


def test_parameters_are_checked() -> None:
    for bad in ({"initial": 0.0}, {"initial": float("nan")}, {"keep": 1.5}, {"most_imported": float("inf")}):
        with pytest.raises(ArgumentError, match=next(iter(bad))):
            Evidence(**bad)
    with pytest.raises(ArgumentError, match="rows must be >= 0"):
        evidence.learned(-1)
