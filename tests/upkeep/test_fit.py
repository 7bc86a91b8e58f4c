"""Fitting FSRS: what is predicted equals a card-by-card loop, and fitted weights predict held-out reviews better."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import scrubjay
from scrubjay import errors
from scrubjay.dynamics import retrievability as law
from scrubjay.upkeep import fit
from toys import Clock, WordHash

DAY = 86400.0
pytest.importorskip("fsrs_rs_python", reason="the optimiser is an extra")


def simulated(weights: tuple[float, ...], cards: int = 300, seed: int = 0) -> fit.Reviews:
    """Reviews of people who forget by the law with these weights."""
    rng = np.random.default_rng(seed)
    card, grade, time = [], [], []
    theirs = law.Fsrs(weights=weights)
    for c in range(cards):
        now, s, d = float(rng.uniform(0, 400)), np.zeros(1), np.zeros(1)
        t = 0.0
        for step in range(int(rng.integers(3, 10))):
            if step:
                t = float(np.ceil(s[0] * rng.uniform(0.3, 2.5)))
                now += t
                r = law.retrievability(s, np.array([t]), theirs)[0]
                g = 1 if rng.uniform() > r else int(rng.choice([2, 3, 4], p=[0.1, 0.8, 0.1]))
            else:
                g = int(rng.choice([1, 3]))
            s, d = law.review(s, d, np.array([t]), np.array([g]), theirs)
            card.append(c)
            grade.append(g)
            time.append(now * DAY)
    return fit.ordered(card, grade, time)


def test_predictions_equal_a_loop_over_cards() -> None:
    reviews = simulated(law.FSRS_6, 40)
    wanted = []
    state: dict[int, tuple[float, float, float, int, int]] = {}
    for card, grade, time in zip(*(x.tolist() for x in reviews), strict=True):
        s, d, last, seen, lapses = state.get(card, (0.0, 0.0, time, 0, 0))
        t = math.floor((time - last) / DAY)
        if seen and t >= 1:
            wanted.append((law.retrievability(np.array([s]), np.array([float(t)]))[0], grade > 1, t, seen + 1, lapses))
        new = law.review(np.array([s]), np.array([d]), np.array([float(t)]), np.array([grade]))
        state[card] = (new[0][0], new[1][0], time, seen + 1, lapses + (grade == 1 and seen > 0))
    told = fit.predict(reviews)
    assert list(zip(*(x.tolist() for x in told[:5]), strict=True)) == wanted


def test_quality_is_its_formula() -> None:
    told = fit.predict(simulated(law.FSRS_6, 60))
    found = fit.quality(told)
    loss = [-math.log(p if y else 1 - p) for p, y in zip(told.probability, told.recalled, strict=True)]
    assert found.log_loss == pytest.approx(sum(loss) / len(loss))
    bins: dict[tuple[int, ...], list[tuple[float, bool]]] = defaultdict(list)
    for p, y, t, i, k in zip(*(x.tolist() for x in told[:5]), strict=True):
        name = (
            math.floor(math.log(t, 3.62)),
            math.floor(math.log(i, 1.89)),
            math.floor(math.log(k, 1.73)) if k else -1,
        )
        bins[name].append((p, y))
    total = sum(len(v) * (np.mean([p for p, _ in v]) - np.mean([y for _, y in v])) ** 2 for v in bins.values())
    assert found.rmse_bins == pytest.approx(math.sqrt(total / len(loss)))
    assert math.isnan(fit.quality(fit.predict(fit.ordered([1], [3], [0.0]))).log_loss)


def test_fitted_weights_find_who_forgets_otherwise() -> None:
    weights = (0.1, 0.3, 0.6, 2.0, *law.FSRS_6[4:20], 0.4)
    found = fit.fit(simulated(weights))
    assert found.better
    assert found.after.rmse_bins < found.before.rmse_bins
    assert found.before.reviews == found.after.reviews > 200
    assert len(found.weights) == 21


def test_real_reviews_are_predicted_better_after_the_fit(data: Path) -> None:
    with scrubjay.open(":memory:", embedder=WordHash()) as store:
        found = store.fit_fsrs(data / "fsrs" / "reviews.csv", use=True)
        assert found.better
        assert found.after.log_loss < 0.4512
        assert found.after.rmse_bins < found.before.rmse_bins < 0.09
        assert store._engine.columns.settings.weights == found.weights


def test_a_store_is_fitted_to_its_own_outcomes() -> None:
    clock = Clock(1.7e9)
    rng = np.random.default_rng(3)
    with scrubjay.open(":memory:", embedder=WordHash(), clock=clock) as store:
        units = store.add_many([f"fact {i}" for i in range(40)])
        for day in range(1, 41):
            clock.now = 1.7e9 + day * DAY
            for unit in units:
                if rng.uniform() < 0.2:
                    store.outcome(unit, float(rng.uniform() < 0.7))
        told = store.fit_fsrs()
        store.compact()
        assert store.fit_fsrs() == told
        assert told.fitted_on > 100


def test_what_is_no_review_log_is_refused(tmp_path: Path) -> None:
    with scrubjay.open(":memory:", embedder=WordHash()) as store:
        for text, told in (
            ("a,b\n1,2\n", "'card_id' is missing"),
            ("card_id,review_rating,review_time\n1,9,5\n", "grades are 1"),
            ("card_id,review_rating,review_time\n1,3,soon\n", "line 2 is no review"),
            ("card_id,review_rating,review_time\n1,3\n", "line 2 is no review"),
        ):
            file = tmp_path / "r.csv"
            file.write_text(text)
            with pytest.raises(errors.ArgumentError, match=told):
                store.fit_fsrs(file)
        with pytest.raises(errors.ArgumentError, match="at least 32"):
            store.fit_fsrs()
        with pytest.raises(errors.ArgumentTypeError, match="reviews"):
            store.fit_fsrs(7)  # type: ignore[arg-type]
        with pytest.raises(errors.ArgumentError, match="held_out"):
            store.fit_fsrs(simulated(law.FSRS_6, 50), held_out=1.0)
