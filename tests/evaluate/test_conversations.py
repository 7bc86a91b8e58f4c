"""Retrieval on conversations: evidence parsing, metrics by hand, scopes."""

import json

import numpy as np
import pytest

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import conversations as c
from scrubjay.evaluate.baselines import RECIPES, make_baseline
from scrubjay.evaluate.systems import DAY, Item, Ranking, top_rows

from .fakes import HashEmbedder

pytest.importorskip("bm25s", reason="needs scrubjay[eval]")


@pytest.mark.parametrize(
    ("evidence", "ids"),
    [
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        (["D1:3", "D1:3"], ["D1:3"]),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
        (["D"], []),
        ([], []),
    ],
)
def test_evidence_parsing(evidence, ids):
    assert c.parse_evidence(evidence) == ids


def sample(**change):
    turn = lambda key, text, **more: {"speaker": "Ann", "dia_id": key, "text": text, **more}  # noqa: E731
    return {
        "sample_id": "talk",
        "conversation": {
            "speaker_a": "Ann",
            "session_2_date_time": "9:05 am on 1 June, 2023",
            "session_2": [turn("D2:1", "The kayak is red."), turn("D2:2", "A heron sat there.")],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [turn("D1:1", "I bought a kayak."), turn("D1:02", "Look", blip_caption="a lake at dawn")],
            "session_3_date_time": "1:00 pm on 2 June, 2023",
        },
        "qa": [
            {"question": "kayak?", "answer": "red", "evidence": ["D1:1; D2:1"], "category": 1},
            {"question": "heron?", "answer": 2023, "evidence": ["D:2:02", "D77:1"], "category": 4},
            {"question": "lake?", "evidence": ["D1:2"], "category": 5, "adversarial_answer": "no"},
            {"question": "nothing?", "answer": "x", "evidence": [], "category": 4},
            {"question": "elsewhere?", "answer": "x", "evidence": ["D9:9"], "category": 4},
        ],
        **change,
    }


def test_a_sample_is_read_by_the_rules():
    talk = c.parse_conversation(sample(), "talk")
    assert [t.id for t in talk.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert talk.turns[1].text == "Ann: Look [a lake at dawn]"
    assert talk.turns[0].when == np.datetime64("2023-05-08T13:56").astype("datetime64[s]").astype(float)
    assert [(q.relevant, q.category, q.answer) for q in talk.questions] == [((0, 2), 1, "red"), ((3,), 4, "2023"),
                                                                           ((1,), 5, "no")]  # fmt: skip
    assert talk.dropped == 2


def test_text_with_date_and_context_stays_inside_its_session():
    talk = c.parse_conversation(sample(), "talk")
    assert c.items(talk, date=True)[0].text == "08 May 2023: Ann: I bought a kayak."
    windowed = [i.text for i in c.items(talk, window=1)]
    assert windowed[1] == "Ann: I bought a kayak. Ann: Look [a lake at dawn]"
    assert windowed[2] == "Ann: The kayak is red. Ann: A heron sat there."


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"qa": [{"evidence": ["D1:1"]}]}, "question"),
        ({"conversation": {"session_1": []}}, "session_1_date_time"),
        ({"conversation": {"session_1_date_time": "soon", "session_1": []}}, "no date-time"),
        ({"conversation": None}, "LoCoMo layout"),
    ],
)
def test_another_layout_is_refused_with_what_is_missing(broken, message):
    with pytest.raises(ArgumentError, match=message):
        c.parse_conversation(sample(**broken), "talk")


def test_files_and_iso_dates_are_read(tmp_path):
    one = sample()
    one["conversation"]["session_1_date_time"] = "2023-05-08T13:56:00Z"
    path = tmp_path / "own.json"
    path.write_text(json.dumps([one]), encoding="utf-8")
    (talk,) = c.load_conversations(path)
    assert talk.id == "talk"
    assert talk.turns[0].when == c.parse_conversation(sample(), "x").turns[0].when
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ArgumentError, match="list"):
        c.load_conversations(path)
    path.write_text("[{]", encoding="utf-8")
    with pytest.raises(ArgumentError, match="no JSON"):
        c.load_conversations(path)


class Fixed:
    """Ranks in the order of ingestion, backwards."""

    name = "backwards"

    def __init__(self):
        self.n, self.nows = 0, []

    def close(self):
        pass

    def ingest(self, items):
        self.n += len(items)

    def rank(self, queries, nows, k):
        self.nows += nows
        rows = np.arange(self.n)[::-1][:k]
        return [Ranking(rows, -np.arange(rows.size) * 1.0, np.ones(rows.size)) for _ in queries]


def test_the_six_metrics_of_a_fixed_ranking_by_hand():
    talks = [c.parse_conversation(sample(), n) for n in ("one", "two")]
    own = c.evaluate(Fixed, talks, draws=50)
    assert (own.n, own.dropped, own.pool, own.scope) == (6, 4, 4, "conversation")
    # backwards: rows 3 2 1 0 -> question 1 finds its two turns at 2 and 4, question 2 at 1, question 3 at 3
    first = {"P@5": 0.4, "R@5": 1.0, "R@10": 1.0, "MRR": 0.5, "MRR@5": 0.5,
             "NDCG@5": (1 / np.log2(3) + 1 / np.log2(5)) / (1 + 1 / np.log2(3))}  # fmt: skip
    for name, value in first.items():
        assert own.per_question[name][0] == pytest.approx(value)
    assert own.overall["MRR"].estimate == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert own.overall["MRR"].groups == 2
    assert own.by_category["adversarial"]["MRR"] == pytest.approx(1 / 3)
    assert own.clusters == ("one",) * 3 + ("two",) * 3

    shared = c.evaluate(Fixed, talks, scope="shared", draws=50)
    assert shared.pool == 8
    # the first conversation's turns now come after the second's four
    assert shared.per_question["MRR"][:3] == pytest.approx((1 / 6, 1 / 5, 1 / 7))
    assert shared.per_question["MRR@5"][:3] == pytest.approx((0.0, 1 / 5, 0.0))
    assert shared.per_question["MRR"][3:] == pytest.approx((1 / 2, 1, 1 / 3))


def test_questions_are_asked_a_day_after_the_last_turn():
    system = Fixed()
    talk = c.parse_conversation(sample(), "talk")
    c.evaluate(lambda: system, [talk], draws=2)
    assert set(system.nows) == {talk.turns[-1].when + DAY}
    with pytest.raises(ArgumentError, match="scope"):
        c.evaluate(lambda: system, [talk], scope="all")


# ---- baselines -------------------------------------------------------------------------------------------------------

ITEMS = [
    Item("the old kayak is red", 0.0),
    Item("the new kayak is blue", 100 * DAY),
    Item("a heron on the lake", 100 * DAY),
    Item("", 100 * DAY),
]


@pytest.mark.parametrize("name", RECIPES)
def test_every_baseline_ranks_all_once_and_holds_its_tongue_without_memories(name):
    system = make_baseline(name, HashEmbedder())
    assert system.rank(["kayak"], [0.0], 5)[0].rows.size == 0
    assert system.answer("kayak", 0.0).row == -1
    system.ingest(ITEMS[:2])
    system.rank(["kayak"], [0.0], 5)
    system.ingest(ITEMS[2:])
    (ranking,) = system.rank(["blue kayak"], [101 * DAY], 99)
    assert sorted(ranking.rows.tolist()) == [0, 1, 2, 3]
    assert (np.diff(ranking.scores) <= 0).all()
    assert ((ranking.p_valid >= 0) & (ranking.p_valid <= 1)).all()
    if name != "random":
        assert ranking.rows[0] == 1
        assert system.answer("blue kayak", 101 * DAY).text == ITEMS[1].text
    (again,) = make_baseline(name, HashEmbedder()).rank(["blue kayak"], [0.0], 1)
    assert again.rows.size == 0
    empty = system.rank(["", "!?"], [0.0, 0.0], 2)
    assert [r.rows.size for r in empty] == [2, 2]


def test_curves_of_the_formulas_by_hand():
    from scrubjay.evaluate.baselines import CURVES

    hour = 3600.0
    assert CURVES["generative_agents"](10 * hour) == pytest.approx(0.995**10)
    assert CURVES["memorybank"](5 * DAY) == pytest.approx(np.exp(-1))
    assert CURVES["hlr"](274 * DAY) == pytest.approx(0.5)
    # ACT-R: logistic of ln(t^-.5), at 4 days t^-.5 = .5
    assert CURVES["act_r"](4 * DAY) == pytest.approx(0.5 / 1.5)
    assert CURVES["recency"](30 * DAY) == pytest.approx(np.exp(-1))


def test_a_baseline_knows_validity_only_by_its_curve():
    blind, aged = make_baseline("dense", HashEmbedder()), make_baseline("memorybank", HashEmbedder())
    for system in (blind, aged):
        system.ingest(ITEMS)
    assert blind.survival(np.array([1.0])) is None
    assert blind.rank(["kayak"], [1e9], 1)[0].p_valid[0] == 1.0
    survival = aged.survival(np.array([0.0, 5 * DAY]))
    assert survival is not None
    assert survival.shape == (4, 2)
    np.testing.assert_allclose(survival[0], [1.0, np.exp(-1)])
    (ranking,) = aged.rank(["kayak"], [105 * DAY], 4)
    np.testing.assert_allclose(ranking.p_valid[ranking.rows == 0], np.exp(-21))


def test_bm25_against_the_formula_on_stems():
    from scrubjay.evaluate.similarity import Bm25

    index = Bm25()
    index.index(["kayaks kayaking", "one kayak and a lake", "the lake"])
    got = index.scores(["kayak"])[0]
    lengths, tf = np.array([2, 5, 2]), np.array([2, 1, 0])
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    want = idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * lengths / lengths.mean()))
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_rrf_and_z_scores_by_hand():
    from scrubjay.evaluate.similarity import reciprocal_rank_fusion, z_sum

    lexical, dense = np.array([[3.0, 0.0, 1.0]]), np.array([[0.1, 0.9, 0.5]])
    want = [1 / 61 + 1 / 63, 1 / 61, 1 / 62 + 1 / 62]
    np.testing.assert_allclose(reciprocal_rank_fusion(lexical, dense)[0], want)
    z = lambda x: (x - x.mean()) / x.std()  # noqa: E731
    np.testing.assert_allclose(z_sum(lexical, dense)[0], (z(lexical[0]) + z(dense[0])) / 2)
    assert z_sum(np.zeros((1, 3)), dense)[0].argmax() == 1


def test_top_rows_breaks_ties_by_row():
    assert top_rows(np.array([1.0, 2.0, 2.0, 0.0, 2.0]), 2).tolist() == [1, 2]
    assert top_rows(np.array([0.5, 0.5]), 9).tolist() == [0, 1]


def test_an_unknown_baseline_names_the_known_ones():
    with pytest.raises(ArgumentError, match="bm25"):
        make_baseline("bm26", HashEmbedder())


# ---- the real data ---------------------------------------------------------------------------------------------------


def test_bm25_on_the_development_conversations(data):
    """The three conversations agree with what is measured on all ten (.112 .488 .578 .413 .402) within .02."""
    talks = c.load_conversations(data / "locomo" / "locomo-dev.json")
    assert [(len(t.turns), len(t.questions), t.dropped) for t in talks] == [(419, 197, 2), (369, 105, 0), (629, 260, 0)]
    score = c.evaluate(lambda: make_baseline("bm25", HashEmbedder()), talks, draws=20)
    got = [score.overall[m].estimate for m in ("P@5", "R@5", "R@10", "MRR", "NDCG@5")]
    np.testing.assert_allclose(got, [0.112, 0.488, 0.578, 0.413, 0.402], atol=0.02)
    assert sum(int(row["n"]) for row in score.by_category.values()) == 562
