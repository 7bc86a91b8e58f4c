"""Directions that are learned: what is kept by them tells nearness, however the vectors lie."""

from __future__ import annotations

import numpy as np
import pytest

from recall.test_candidates import append, shaped
from scrubjay.columns import Columns
from scrubjay.recall import axes as law
from scrubjay.recall.axes import Axes, learn, sample
from scrubjay.recall.near_index import NearIndex


def uniform(rng: np.random.Generator, n: int, dim: int) -> np.ndarray:
    x = rng.standard_normal((n, dim), np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize(("dim", "whole"), [(1, True), (3, True), (64, True), (256, True), (200, False)])
def test_the_basis_is_orthonormal_and_the_same_again(dim: int, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not whole:  # as for vectors of very many numbers
        monkeypatch.setattr(law, "_WHOLE", 100)
        monkeypatch.setattr(law, "NUMBERS", (20, 40, 60))
    some = shaped(np.random.default_rng(1), 300, dim)
    axes = learn(some)
    p = len(axes.basis)
    assert axes.basis.shape == (p, dim)
    assert p == dim or p in law.NUMBERS
    np.testing.assert_allclose(axes.basis @ axes.basis.T, np.eye(p), atol=2e-5)
    np.testing.assert_array_equal(learn(some).basis, axes.basis)
    np.testing.assert_allclose(axes.centre, some.mean(axis=0), atol=1e-6)
    about = (some - axes.centre) / axes.radius
    outside = 1.0 - ((about @ axes.basis.T) ** 2).sum() / max((about**2).sum(), 1e-9)
    # it is told of vectors that the directions were not learned from
    assert outside - 1e-3 <= axes.lost <= outside + 0.2


def test_vectors_along_few_directions_take_few_numbers_and_others_take_all() -> None:
    rng = np.random.default_rng(2)
    few = learn(shaped(rng, 2000, 400))
    assert len(few.basis) <= 180
    assert 0.0 < few.shift < 0.5
    every = learn(uniform(rng, 2000, 300))
    assert len(every.basis) >= 240


@pytest.mark.parametrize("common", [0.0, 1.0, 3.0])
def test_what_all_have_in_common_takes_no_room_and_changes_no_order(common: float) -> None:
    rng = np.random.default_rng(4)
    columns = Columns(96)
    append(columns, rng, 2000)
    away = uniform(rng, 1, 96)
    x = columns.what + np.float32(common) * away
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    columns.movable(np.arange(2000))[:] = x
    index = NearIndex(96, wide=False)
    index.enter(index.entries(columns, np.arange(2000)))
    axes = index.axes
    assert axes is not None
    assert axes.radius <= min(1.3, 1.5 / max(common, 0.1))
    # all of what tells the rows apart is kept, however little it is of the whole
    assert index.lost <= law.LOST + 0.02
    asked = x[::40] + 0.3 / max(1.0, common) / np.sqrt(96) * rng.standard_normal((50, 96))
    asked = (asked / np.linalg.norm(asked, axis=1, keepdims=True)).astype(np.float32)
    shares = []
    for q, near in zip(asked, index.near(columns, index.questions(asked, None), 64), strict=True):
        right = x @ q
        shares.append(np.isin(np.argsort(-right)[:10], near.rows).mean())
        worst = float(right[near.rows[:64]].min())
        assert near.last + index.common(q) + axes.shift >= worst - 0.1 * axes.radius
    assert np.mean(shares) >= 0.97


def test_one_vector_or_none_with_a_direction_will_do() -> None:
    assert learn(np.zeros((1, 100), np.float32)).basis.shape[1] == 100
    assert learn(np.ones((1, 3), np.float32)).basis.shape == (3, 3)
    assert sample(0).tolist() == []
    assert len(np.unique(sample(10**6))) == law.SAMPLE


def test_near_vectors_have_more_in_common_than_is_kept_by_about_the_shift() -> None:
    rng = np.random.default_rng(3)
    some = shaped(rng, 3000, 512, topics=20)
    axes = learn(some)
    kept = ((some - axes.centre) @ axes.basis.T) @ (some[:200] @ axes.basis.T).T + some[:200] @ axes.centre
    more = some @ some[:200].T - kept
    near = np.argsort(-(some @ some[:200].T), axis=0)[:16]
    assert np.take_along_axis(more, near, 0).mean() == pytest.approx(axes.shift, abs=0.03)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("dim", [2, 8, 60, 61, 200])
def test_what_is_kept_tells_the_product_with_any_weights(wide: bool, dim: int) -> None:
    """All of it is told but what lies outside of the directions, and the error of 8 bits."""
    rng = np.random.default_rng(dim)
    columns = Columns(dim)
    if wide:
        columns.append_contexts(shaped(rng, 20, dim))
    append(columns, rng, 400)
    index = NearIndex(dim, wide=wide)
    index.enter(index.entries(columns, np.arange(400)))
    basis = index.axes.basis if isinstance(index.axes, Axes) else None
    assert basis is not None
    for what, where in ((1.0, 0.0), (0.3, 0.7), (0.0, 1.0), (1e6, 1e-3), (1e-3, 0.0)):
        vector = np.float32(what) * shaped(rng, 1, dim)
        context = np.float32(where) * columns.contexts[3:4] if wide else None
        right = (columns.what @ basis.T) @ (basis @ vector[0])
        if context is not None:
            there = np.array([columns.where(np.array([row]))[0] for row in range(400)])
            right = right + (there @ basis.T) @ (basis @ context[0])
        found = index.near(columns, index.questions(vector, context), 400)[0]
        size = float(np.hypot(what, 2.0 * where if wide else 0.0))
        if not wide and not what:
            continue
        assert found.last == -np.inf
        assert sorted(found.rows.tolist()) == list(range(400))
        # the order is that of the products, as far as 8 bits tell
        falling = right[found.rows]
        assert (np.maximum.accumulate(falling[::-1])[::-1] - falling).max() <= 0.06 * size


def test_others_than_there_were_make_an_index_strange() -> None:
    rng = np.random.default_rng(5)
    columns = Columns(400)
    append(columns, rng, 2000)
    index = NearIndex(400, wide=False)
    index.enter(index.entries(columns, np.arange(2000)))
    assert not index.strange
    index.usual = index.lost
    assert index.usual <= law.LOST + 0.02
    append(columns, rng, 1000)
    index.enter(index.entries(columns, np.arange(2000, 3000)))
    assert not index.strange
    append(columns, rng, 2000)
    columns.movable(np.arange(3000, 5000))[3000:] = uniform(rng, 2000, 400)
    index.enter(index.entries(columns, np.arange(3000, 5000)))
    assert index.strange
