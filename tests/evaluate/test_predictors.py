"""Rows of the validity test: censoring in the fits, oracles that are told the kind, predictors that are not."""

import numpy as np
import pytest

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import predictors as p
from scrubjay.evaluate import validity as v
from scrubjay.memory import Perishability

from .fakes import HashEmbedder
from .test_validity import row

DAYS, ENDED = np.array([10.0, 20.0, 30.0, 40.0]), np.array([True, True, False, True])


def test_the_exponential_counts_days_at_risk_of_censored_facts():
    curve = p.exponential(DAYS, ENDED)
    assert curve(np.array([50.0]))[0] == pytest.approx(np.exp(-3 / 100 * 50))
    assert p.exponential(np.array([0.0]), np.array([True]))(np.array([1.0]))[0] == pytest.approx(np.exp(-1))
    assert p.exponential(DAYS, np.zeros(4, bool))(np.array([1e6]))[0] == 1.0


def test_kaplan_meier_by_hand():
    pytest.importorskip("lifelines", reason="needs scrubjay[eval]")
    # 4 at risk at 10, 3 at 20; the one censored at 30 leaves the risk set; 1 at risk at 40
    curve = p.kaplan_meier(DAYS, ENDED)
    np.testing.assert_allclose(curve(np.array([5.0, 10.0, 20.0, 35.0, 40.0])), [1.0, 3 / 4, 1 / 2, 1 / 2, 0.0])
    with pytest.raises(ArgumentError, match="at least one"):
        p.kaplan_meier(np.zeros(0), np.zeros(0, bool))


def facts():
    short = [row(subj=f"build {i}", kind="build", end="2020-01-21", censor="2030-01-01") for i in range(20)]
    long = [row(subj=f"river {i}", kind="river", censor="2030-01-01") for i in range(20)]
    return v.from_rows([{**r, "text": f"{r['subj']} is green"} for r in short + long])


def test_rows_rank_as_they_should_on_two_kinds():
    pytest.importorskip("lifelines", reason="needs scrubjay[eval]")
    every = facts()
    train, test = every.take(np.arange(40) % 2 == 0), every.take(np.arange(40) % 2 == 1)
    ex = v.examples(test)
    scores = {}
    for r in p.standard_rows(HashEmbedder()):
        if isinstance(r, p.NearestTexts):
            r = p.NearestTexts(HashEmbedder(), k=5)
        r.fit(train)
        scores[r.name] = v.score(test, ex, r.predict(test, ex), draws=2)
    assert scores["oracle: known kind, Kaplan-Meier"].brier.estimate == 0.0
    assert scores["oracle: known kind, exponential"].auroc_within.estimate == 1.0
    assert scores["5 nearest texts, exponential"].auroc_within.estimate > 0.95
    for blind in ("constant", "global exponential", "global Kaplan-Meier", "ours: keyword classes, exp(-pi d/tau)"):
        assert scores[blind].auroc_within.estimate == 0.5
    assert scores["global Kaplan-Meier"].brier.estimate < scores["constant"].brier.estimate


def test_an_unknown_kind_gets_the_global_curve():
    every = facts()
    oracle = p.KnownKind("oracle", p.exponential)
    oracle.fit(every.take(every.kind == "river"))
    builds = every.take(every.kind == "build")
    assert (oracle.predict(builds, v.examples(builds)) == 1.0).all()


def test_predictors_see_the_text_alone():
    every = facts()
    hidden = v.from_rows([{**row(subj="?", kind="?", value="?"), "text": str(t)} for t in every.text])
    for r in (p.NearestTexts(HashEmbedder(), k=5), p.keyword_rule()):
        r.fit(every)
        np.testing.assert_array_equal(
            r.predict(every, v.Examples(np.arange(40), np.full(40, 30), np.ones(40, bool))),
            r.predict(hidden, v.Examples(np.arange(40), np.full(40, 30), np.ones(40, bool))),
        )


def test_the_keyword_row_is_the_rule():
    days = np.array([30, 90])
    some = v.from_rows([row(subj="a"), {**row(subj="b"), "text": "The meeting is today"}])
    got = p.keyword_rule().predict(some, v.Examples(np.array([0, 1]), days, np.ones(2, bool)))
    np.testing.assert_allclose(got, [np.exp(-0.1 * 30 / 45), np.exp(-0.9 * 90 * 12)], rtol=1e-9)


def test_holds_is_the_weibull_curve():
    weibull = Perishability(label="factual", pi=0.5, tau=100.0, shape=2.0)
    got = p.holds([weibull], np.zeros(3, np.int64), np.array([0.0, 200.0, 1e300]))
    np.testing.assert_allclose(got, [1.0, np.exp(-1.0), 0.0])
