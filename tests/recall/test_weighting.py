"""Learned weights: the rule as the prior, an improvement where there is one to find, nothing handed out where not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Hits, errors
from scrubjay.recall import weighting
from scrubjay.recall.factors import TERMS, Weights
from scrubjay.recall.weighting import FEATURES, LIMIT, Judged, WeightHead, fit_weights, query_features
from toys import Clock, WordHash

RULE = Weights(what=0.5, where=0.2, when=0.3, lexical=0.2)


def searches(n: int, *, seed: int = 0, noise: bool = False) -> list[Judged]:
    """What is of use is what has the words, for questions of "who"; what is similar, for all others."""
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        who = i % 2 == 0
        query = f"{'Who' if who else 'What'} is number {i} about?"
        values = rng.random((10, len(TERMS)))
        best = int(rng.integers(10)) if noise else int(values[:, TERMS.index("lexical" if who else "what")].argmax())
        out.append(Judged(query, False, RULE.terms(), values, np.arange(10) == best))
    return out


def test_what_is_learned_ranks_better_and_only_where_it_holds() -> None:
    fit = fit_weights(searches(400))
    assert fit.searches == 400
    assert fit.head is not None
    assert fit.after > fit.before + fit.error
    who, what = (fit.head.weights(f"{word} is number 3 about?", RULE) for word in ("Who", "What"))
    assert who.lexical is not None
    assert what.lexical is not None
    assert who.lexical / who.what > 3 * RULE.terms()[-1] / RULE.what
    assert what.what / what.lexical > 3 * RULE.what / RULE.terms()[-1]
    right = {True: 0, False: 0}
    for j in searches(200, seed=1):
        for learned in (False, True):
            weights = fit.head.weights(j.query, RULE).terms() if learned else j.weights
            right[learned] += bool(j.good[int((j.values @ weights).argmax())])
    assert right[True] > right[False] + 40


def test_noise_is_not_learned() -> None:
    improved = sum(fit_weights(searches(120, seed=seed, noise=True)).head is not None for seed in range(6))
    assert improved <= 2


def test_the_gradient_is_that_of_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of descent from theta lowers the loss that a plain float64 loop computes."""
    judged = searches(60)
    pairs = weighting._stack(judged)
    theta = np.random.default_rng(0).standard_normal((len(TERMS), len(FEATURES))) * 0.1
    plain = []
    for j in judged:
        factor = np.exp(np.clip(theta @ query_features(j.query), -LIMIT, LIMIT))
        s = (j.values * j.weights) @ factor
        margins = (s[j.good][:, None] - s[~j.good][None, :]) / weighting.TEMPERATURE
        plain.append(np.log1p(np.exp(-margins)).mean())
    np.testing.assert_allclose(weighting._losses(pairs, theta), plain, rtol=1e-9)
    monkeypatch.setattr(weighting, "_STEPS", 25)
    assert weighting._losses(pairs, weighting._descend(pairs)).mean() < weighting._losses(pairs, theta * 0).mean()


@pytest.mark.parametrize("n", [0, 10, 39])
def test_few_searches_teach_nothing(n: int) -> None:
    fit = fit_weights(searches(n))
    assert fit.head is None
    assert np.isnan(fit.before)
    assert f"{n} questions" in fit.why


def test_a_question_that_is_asked_again_counts_once() -> None:
    few = fit_weights(searches(39) * 5)
    assert few.head is None
    assert "39 questions" in few.why
    once, again = fit_weights(searches(60)), fit_weights(searches(60) * 5)
    assert again.searches == 5 * once.searches
    assert again.error == pytest.approx(once.error, rel=0.5, abs=1e-9)  # not smaller by the root of five


def test_searches_without_a_choice_are_left_out() -> None:
    one = searches(1)[0]
    every, none = (one._replace(good=np.full(10, good)) for good in (True, False))
    assert fit_weights([every, none] * 100).searches == 0


def test_the_same_searches_give_the_same_head() -> None:
    assert fit_weights(searches(100)) == fit_weights(searches(100))


@given(st.text(max_size=200), st.booleans())
def test_features_lie_between_nought_and_one(query: str, context: bool) -> None:
    x = query_features(query, context=context)
    assert x.shape == (len(FEATURES),)
    assert ((x >= 0.0) & (x <= 1.0)).all()
    head = WeightHead(theta=tuple(tuple(5.0 for _ in FEATURES) for _ in TERMS))
    moved = head.weights(query, RULE, context=context).terms()
    assert moved.sum() == pytest.approx(RULE.terms().sum())
    assert (moved <= RULE.terms() * np.exp(2 * LIMIT) + 1e-9).all()
    assert (moved[RULE.terms() == 0.0] == 0.0).all()


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"null", b'{"theta": []}', b'{"theta": [[1.0]]}', b'{"theta": [], "extra": 1}', b"\xff"],
)
def test_foreign_json_is_refused(data: bytes) -> None:
    with pytest.raises(errors.ArgumentError, match="data"):
        WeightHead.from_json(data)


def test_another_version_is_refused() -> None:
    head = WeightHead(theta=tuple(tuple(0.0 for _ in FEATURES) for _ in TERMS))
    assert WeightHead.from_json(head.to_json()) == head
    with pytest.raises(errors.ArgumentError, match="again"):
        WeightHead.from_json(head.to_json().replace(b'"version":1', b'"version":2'))


def test_a_store_learns_from_judged_searches_and_uses_it() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(), clock=Clock(1.7e9), graph=False) as store:
        for i in range(60):
            store.add(f"topic{i} stands in the archive", when=1.6e9 + i)
            store.add(f"topic{i} topic{i} belongs to somebody", when=1.6e9 + i)
        lists = []
        for i in range(60):
            hits = store.search(f"Who looks after topic{i}?", k=20)
            assert hits.weights is not None
            lists.append(
                (hits, [h.memory.id for h in hits if "belongs" in h.memory.text and f"topic{i} " in h.memory.text])
            )
        rule = store.search("Who looks after topic3?").weights
        fit = store.fit_weights(lists, use=False)
        assert fit.searches == 60
        assert store.weighting is None
        store.weighting = WeightHead(theta=tuple(tuple(float(t == 0) for _ in FEATURES) for t in range(len(TERMS))))
        moved = store.search("Who looks after topic3?").weights
        assert moved.what > rule.what
        assert moved.terms().sum() == pytest.approx(rule.terms().sum())
        given = store.search("Who looks after topic3?", weights={"what": 1.0}).weights
        assert given.what == 1.0
        with pytest.raises(errors.ArgumentTypeError, match="weighting"):
            store.weighting = "rule"  # type: ignore[assignment]
        for wrong in ([("hits", [])], [lists[0][0]], [(lists[0][0], "id")]):
            with pytest.raises(errors.ArgumentTypeError, match="searches"):
                store.fit_weights(wrong)  # type: ignore[arg-type]
        with pytest.raises(errors.ArgumentError, match="weights"):
            store.fit_weights([(Hits(), [])])
