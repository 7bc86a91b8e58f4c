"""The real system behind the protocol, and its switches."""

import numpy as np
import pytest

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import conversations as c
from scrubjay.evaluate import tgt
from scrubjay.evaluate.ours import DEPTH, FULL, MECHANISMS, VARIANTS, Ours, ablated
from scrubjay.evaluate.systems import DAY, Item
from scrubjay.evaluate.tgt import metrics, run

from .fakes import HashEmbedder
from .test_conversations import sample

ITEMS = [
    Item("Ada is at the north desk today", 0.0),
    Item("Ada was born in Rome", 0.0),
    Item("Bo likes ramen", 10 * DAY),
]


def system(settings=FULL):
    made = Ours("ours", HashEmbedder(), settings)
    made.ingest(ITEMS)
    return made


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_ranks_all_memories_at_each_time_and_answers(variant):
    made = system(VARIANTS[variant][1])
    rankings = made.rank(["Rome", "ramen", "Rome"], [20 * DAY, 11 * DAY, 11 * DAY], 9)
    assert [sorted(r.rows.tolist()) for r in rankings] == [[0, 1, 2]] * 3
    for r in rankings:
        assert (np.diff(r.scores) <= 0).all()
        assert ((r.p_valid >= 0) & (r.p_valid <= 1)).all()
    assert made.rank(["Rome"], [0.0], 1)[0].rows.size == 1
    assert made.answer("born in Rome", DAY).text in [i.text for i in ITEMS]
    survival = made.survival(np.array([0.0, DAY, 1e4 * DAY]))
    assert survival.shape == (3, 3)
    assert (survival[:, 0] == 1.0).all()
    assert (np.diff(survival, axis=1) <= 0).all()
    made.close()


def test_a_repeated_text_is_one_memory_that_stands_for_all_its_items():
    made = Ours("ours", HashEmbedder())
    made.ingest([Item("same words", 0.0), Item("other", 0.0), Item("same words", DAY)])
    (ranking,) = made.rank(["same words"], [2 * DAY], 9)
    assert ranking.rows.tolist() == [0, 2, 1]
    assert ranking.p_valid[0] == ranking.p_valid[1]


def test_decay_off_means_that_nothing_goes_stale_and_one_rate_that_all_do_alike():
    keywords = system(VARIANTS["ours_keywords"][1]).survival(np.array([DAY]))[:, 0]
    assert keywords[0] < 0.01 < 0.99 < keywords[1]
    off = system(ablated(["decay"])).survival(np.array([3650 * DAY]))[:, 0]
    assert (off > 0.98).all()
    alike = system(ablated(["types"])).survival(np.array([30 * DAY]))[:, 0]
    np.testing.assert_allclose(alike, np.exp(-1))


def test_a_factor_that_is_switched_off_adds_nothing():
    made = system(ablated(["when", "graph"]))
    hits = made._store.search_many(["Rome"], now=DAY, weights=made._weights("Rome", DAY))[0]
    assert all(hit.factors["when"] == hit.factors["graph"] == 0.0 for hit in hits)
    assert any(hit.factors["what"] > 0 for hit in hits)


def test_mechanisms_add_up_and_unknown_ones_are_refused():
    both = ablated(["decay", "competition"])
    assert (both.perishability, both.scoring) == ("none", "paper")
    assert ablated(["decay", "types"]) == ablated(["types", "decay"]) == ablated(["decay"])
    assert all(ablated([name]) != FULL for name in MECHANISMS)
    with pytest.raises(ArgumentError, match="decay"):
        ablated(["memory"])


def test_it_runs_on_conversations_and_on_the_tgt():
    talk = c.parse_conversation(sample(), "talk")
    score = c.evaluate(lambda: Ours("ours", HashEmbedder()), [talk], draws=5)
    assert 0 < score.overall["MRR"].estimate <= 1
    assert DEPTH >= 10
    benchmark = tgt.generate(3, 4, unique_keys=True)
    done = run.run(lambda: Ours("ours", HashEmbedder()), benchmark)
    scored = metrics.score(done.outcomes, draws=5)
    assert scored.n == 264
    assert done.expiry is not None
    assert done.curves is not None
    assert scored.validity is not None
    assert len(done.curves["A"]) == len(run.CURVE_AGES)
