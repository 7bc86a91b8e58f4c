"""Refitting a head to a store: only where held-out memories say that it helps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY, components
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.refit import refit
from scrubjay.errors import ArgumentError

VERBS = ("is in", "works at", "likes", "owns", "visits", "paints")


@pytest.fixture(scope="module")
def head() -> PerishabilityHead:
    return PerishabilityHead.load("an embedder without a head")


def memories(n: int) -> tuple[NDArray[np.float32], list[str]]:
    texts = [f"Person{i} {VERBS[i % len(VERBS)]} place{i * 7 % 101}" for i in range(n)]
    return np.zeros((n, 4), np.float32), texts


def test_learns_what_a_store_has_seen_and_leaves_the_old_head(head: PerishabilityHead) -> None:
    what, texts = memories(1500)
    rng = np.random.default_rng(0)
    slow = np.array(["likes" in t for t in texts])
    days = np.where(slow, 900.0, 3.0) * rng.weibull(2.0, size=1500)
    ended = days < 1000
    before = {key: value.copy() for key, value in head.weights._asdict().items()}
    result = refit(head, what, texts, np.minimum(days, 1000.0) * DAY, ended)
    assert result.improved
    assert result.after > result.before + 0.2 > result.before + result.error
    assert result.head is not head
    assert all(np.array_equal(value, before[key]) for key, value in head.weights._asdict().items())
    probe = ["Person9001 likes place7", "Person9002 visits place9"]
    p = result.head.p_valid(what[:2], probe, [30 * DAY, 30 * DAY])
    old = head.p_valid(what[:2], probe, [30 * DAY, 30 * DAY])
    assert p[0] > p[1] + 0.12
    assert p[1] < old[1] - 0.2
    again = refit(head, what, texts, np.minimum(days, 1000.0) * DAY, ended)
    assert np.array_equal(again.head.weights.output, result.head.weights.output)


def test_censored_memories_are_not_taken_for_ended(head: PerishabilityHead) -> None:
    what, texts = memories(1000)
    result = refit(head, what, texts, np.full(1000, 400 * DAY), np.zeros(1000, bool))
    assert result.improved
    p = result.head.p_valid(what[:6], texts[:6], 400 * DAY)
    assert np.all(p >= head.p_valid(what[:6], texts[:6], 400 * DAY))
    assert p.mean() > 0.9


def test_nothing_to_learn_changes_nothing(head: PerishabilityHead) -> None:
    """Durations drawn from the head's own curves: there is no gain, or none worth the name."""
    what, texts = memories(3000)
    mixture = head.curve(what, texts).mixture.astype(np.float64)
    grid = np.geomspace(60.0, 40000 * DAY, 400)
    curve = mixture @ components(grid).T
    u = np.random.default_rng(3).random((3000, 1))
    below = curve < u
    seconds = np.where(below.any(axis=1), grid[below.argmax(axis=1)], grid[-1])
    result = refit(head, what, texts, seconds, below.any(axis=1))
    assert result.after - result.before < 0.02
    assert (result.head is head) == (not result.improved)


def test_too_little_to_check_changes_nothing(head: PerishabilityHead) -> None:
    what, texts = memories(100)
    result = refit(head, what, texts, np.full(100, DAY), np.ones(100, bool))
    assert result.head is head
    assert not result.improved
    same = refit(head, np.zeros((900, 4), np.float32), ["one text"] * 900, np.full(900, DAY), np.ones(900, bool))
    assert same.head is head


def test_refuses_what_is_no_observation(head: PerishabilityHead) -> None:
    what, texts = memories(3)
    with pytest.raises(ArgumentError, match="equally long"):
        refit(head, what, texts, [1.0], [True])
    with pytest.raises(ArgumentError, match="negative or NaN"):
        refit(head, what, texts, [1.0, np.nan, 2.0], [True] * 3)
