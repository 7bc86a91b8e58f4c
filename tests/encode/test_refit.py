"""Refitting a head to a store: only where held-out memories say that it helps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY, DICTIONARY, components, likelihood, stretched, survival
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
    before = head.p_valid(what[:6], texts[:6], 400 * DAY)
    assert np.all(p >= before)
    assert p.mean() > 0.8
    assert 1.0 - p.mean() < 0.5 * (1.0 - before.mean())


def test_what_a_store_has_seen_is_trusted(head: PerishabilityHead) -> None:
    what, texts = memories(1500)
    count = len(head.weights.prototypes)
    unsure = PerishabilityHead(
        head.weights._replace(trust=np.zeros(count, np.float32)), embedder=head.embedder, name="unsure"
    )
    result = refit(unsure, what, texts, np.full(1500, 3.0 * DAY), np.ones(1500, bool))
    assert result.improved
    trust = result.head.weights.trust
    assert trust.shape == (count,)
    assert bool(np.all((trust >= 0.0) & (trust < 1.0)))
    assert trust.max() > 0.5
    assert unsure.weights.trust.max() == 0.0
    familiar = unsure.weights.familiar
    assert result.head.weights.familiar.tolist() == [*familiar[:2].tolist(), 0.0]
    assert result.head.parts(what[:9], texts[:9]).recalled.max() > 0.0


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


def test_versions_of_one_subject_are_held_out_together(head: PerishabilityHead) -> None:
    what, texts = memories(1500)
    over = np.ones(1500, bool)
    # each subject has its own pace, so that its versions tell of each other: by texts the gain looks surer than it is
    days = np.repeat(np.random.default_rng(5).choice([1.0, 4000.0], 75), 20)
    known = [f"subject {i // 20}" for i in range(1500)]
    by_text = refit(head, what, texts, days * DAY, over)
    by_subject = refit(head, what, texts, days * DAY, over, subjects=known)
    assert by_subject.error > 1.3 * by_text.error
    alone = refit(head, what, texts, days * DAY, over, subjects=["one"] * 1500)
    assert alone.head is head
    assert np.isnan(alone.before)
    own = refit(head, what, texts, days * DAY, over, subjects=texts)
    assert own.error == by_text.error


def test_refuses_what_is_no_observation(head: PerishabilityHead) -> None:
    what, texts = memories(3)
    with pytest.raises(ArgumentError, match="equally long"):
        refit(head, what, texts, [1.0], [True])
    with pytest.raises(ArgumentError, match="subjects: 1 for"):
        refit(head, what, texts, [1.0] * len(texts), [True] * len(texts), subjects=["one"])
    with pytest.raises(ArgumentError, match="negative or NaN"):
        refit(head, what, texts, [1.0, np.nan, 2.0], [True] * 3)


def test_an_end_that_was_found_out_later_fell_in_between(head: PerishabilityHead) -> None:
    at = components(np.array([2.0, 9.0]) * DAY)
    seen = likelihood(np.array([9.0]) * DAY, np.array([True]), np.array([2.0]) * DAY)
    np.testing.assert_allclose(seen[0], np.maximum(at[0] - at[1], 1e-9), atol=1e-6)
    exact = likelihood(np.array([9.0]) * DAY, np.array([True]), np.array([np.nan]))
    assert np.array_equal(exact, likelihood(np.array([9.0]) * DAY, np.array([True])))


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (0.4, 0.3), (2.0, -1.0), (0.5, 40.0), (1.0, -40.0)])
def test_stretched_mixtures_stay_mixtures_in_their_order(slope: float, shift: float) -> None:
    moved = stretched(slope, shift)
    np.testing.assert_allclose(moved.sum(axis=1), 1.0, rtol=1e-6)
    assert bool((moved >= 0.0).all())
    assert moved[-1, -1] == 1.0
    place = moved @ np.arange(len(DICTIONARY))
    assert bool((np.diff(place) >= -1e-4).all())
    # a time that is stretched as the scales are sees the same survival, where the dictionary is fine
    mixture = np.zeros((1, len(DICTIONARY)))
    mixture[0, [40, 50]] = 0.5
    if abs(shift) < 2 and slope <= 1.0:
        age = np.array([[np.exp(np.log(30 * DAY) + slope * np.log(d / 30.0) + shift) for d in (20.0, 120.0)]])
        before = survival(mixture, np.array([[20.0, 120.0]]) * DAY)
        assert np.abs(survival(mixture @ moved, age) - before).max() < 0.15


def test_learns_the_pace_of_a_domain_whose_memories_differ_less(head: PerishabilityHead) -> None:
    what, texts = memories(1200)
    result = refit(
        head, what, texts, np.full(1200, 25.0 * DAY), np.ones(1200, bool), since=np.full(1200, 4.0 * DAY), pace=True
    )
    assert result.improved
    slope, _ = result.head.weights.pace.tolist()
    assert slope < 1.0
    probe = result.head.p_valid(what, texts, np.tile([2.0 * DAY, 40.0 * DAY], (1200, 1)))
    assert float(np.mean(probe[:, 0])) > 0.8
    assert float(np.mean(probe[:, 1])) < 0.2


def test_a_second_refit_goes_on_from_the_pace_of_the_first(head: PerishabilityHead) -> None:
    what, texts = memories(900)
    seconds, over, since = np.full(900, 25.0 * DAY), np.ones(900, bool), np.full(900, 4.0 * DAY)
    once = refit(head, what, texts, seconds, over, since=since, pace=True).head
    twice = refit(once, what, texts, seconds, over, since=since, pace=True)
    assert twice.before == pytest.approx(
        refit(head, what, texts, seconds, over, since=since, pace=True).after, abs=1e-4
    )
    assert np.log(twice.head.weights.pace[0] / once.weights.pace[0]) < 0.5
    # what a store has seen by itself is no fair sample: the pace stays
    assert np.array_equal(refit(once, what, texts, seconds, over).head.weights.pace, once.weights.pace)


def test_a_head_keeps_its_pace_in_its_file_and_an_old_file_has_none(head: PerishabilityHead, tmp_path: Path) -> None:
    what, texts = memories(3)
    paced = PerishabilityHead(
        head.weights._replace(pace=np.array([0.5, 1.0], np.float32)), embedder=head.embedder, name="paced"
    )
    paced.write(tmp_path / "paced.npz")
    again = PerishabilityHead.read(tmp_path / "paced.npz")
    ages = np.tile([DAY, 300 * DAY], (3, 1))
    np.testing.assert_allclose(again.p_valid(what, texts, ages), paced.p_valid(what, texts, ages), atol=0.02)
    assert np.abs(again.p_valid(what, texts, ages) - head.p_valid(what, texts, ages)).max() > 0.05
    low, high = again.curve(what, texts).interval(ages)
    assert bool((low <= high).all())
    with np.load(tmp_path / "paced.npz", allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files if key != "pace"}
    np.savez(tmp_path / "old.npz", **arrays)
    old = PerishabilityHead.read(tmp_path / "old.npz")
    assert old.weights.pace.tolist() == [1.0, 0.0]


def test_what_a_store_has_seen_is_no_fact_of_the_training(head: PerishabilityHead) -> None:
    """Beside what it has seen the members for facts answer less, and as much as before elsewhere."""
    what, texts = memories(1500)
    count, k = len(head.weights.prototypes), head.weights.prior.size
    weights = head.weights._replace(
        plain_feature=np.zeros((head.weights.feature.shape[0], 1), np.float32),
        plain_bias=np.zeros(1, np.float32),
        plain_output=np.zeros((1, 1, k), np.float32),
        plain_output_bias=np.zeros((1, k), np.float32),
        factual=np.ones(count, np.float32),
        tilt=np.zeros((count, 1), np.float32),
        tilts=np.zeros((1, k), np.float32),
        known=np.array([-2.0, 0.05], np.float32),
    )
    facts = PerishabilityHead(weights, embedder=head.embedder, name="facts")
    result = refit(facts, what, texts, np.full(1500, 3.0 * DAY), np.ones(1500, bool))
    assert result.improved
    factual = result.head.weights.factual
    assert factual.min() < 0.5
    assert factual.max() == 1.0
