"""Comparing those alone that can come first gives the same first ones as comparing all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.recall.contest import Edges, contest


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12), st.booleans())
def test_the_first_k_are_those_of_comparing_all(seed, n, k, linked):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(1000)[:n]
    base, use = rng.uniform(-0.3, 1, n).round(1), rng.uniform(0, 1, n).round(1)
    takes = np.where(rng.random(n) < 0.5, rng.random(n), 0.0)
    known = np.where(rng.random(n) < 0.2, 0.5, 0.0)
    e = rng.integers(0, 3 * n) if linked else 0
    edges = Edges(rng.integers(0, n, e), rng.integers(0, n, e))
    weight = rng.random(e)
    compared = rng.random(n) < 0.9
    if compared.sum() < k:
        compared[:] = True
    every = np.maximum(known, np.where(compared, takes, 0.0))
    lost = known.copy()
    asked = []

    def score(lost, due):
        brings = (base + 0.5 * use * (1 - lost)) * use * (1 - lost)
        brings = np.where(due, np.maximum(brings, 0), brings)
        met = brings + np.bincount(edges.at, weight * brings[edges.of], n)
        spread = met / (1 + np.bincount(edges.at, weight, n))
        return base + 0.5 * use * (1 - lost) + 0.3 * np.where(due, np.maximum(spread, 0), spread) * (1 - lost)

    def bound(due):
        # of what is due any neighbour may still bring as little as nothing, or as much as it does now
        return score(lost, due)

    def taken(some):
        asked.extend(some.tolist())
        return takes[some]

    def first(scores):
        return np.lexsort((rows, np.where(compared, -scores, np.inf)))[:k]

    found = contest(k, rows, lost, taken, bound, compared=compared, edges=edges)
    whole = score(every, np.zeros(n, bool))
    np.testing.assert_array_equal(first(found), first(whole))
    np.testing.assert_array_equal(found[first(found)], whole[first(whole)])
    np.testing.assert_array_equal(lost[first(found)], every[first(found)])
    assert len(asked) == len(set(asked))
    assert compared[asked].all()


@pytest.mark.parametrize("n", [50, 500])
def test_where_nobody_loses_the_first_alone_are_compared(n):
    asked = []
    scores = np.linspace(1, 0, n)
    found = contest(
        5, np.arange(n), np.zeros(n), lambda some: np.zeros(asked.append(some.size) or some.size), lambda due: scores
    )
    np.testing.assert_array_equal(found, scores)
    assert asked == [5]


def test_an_empty_pool_has_no_scores():
    assert contest(3, np.empty(0, np.int64), np.empty(0), np.zeros_like, lambda due: np.empty(0)).size == 0
