"""RVT-R: which versions are stored, what is relevant, stale and to be abstained from; the replay shows no future."""

import numpy as np
import pytest

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import updates as u
from scrubjay.evaluate import validity as v
from scrubjay.evaluate.baselines import make_baseline
from scrubjay.evaluate.systems import DAY, Ranking

from .fakes import HashEmbedder


def version(subj, value, start, end, kind="office"):
    return {
        "src": "s", "kind": kind, "subj": subj, "attr": "office", "value": value, "start": start, "end": end,
        "text": f"The office of {subj} is {value}.", "censor": "2025-01-01",
    }  # fmt: skip


def many(n=40):
    rows = []
    for i in range(n):
        years = [2000 + j for j in range(6)]
        rows += [
            version(f"Dr {i}", f"room {i}-{y}", f"{y}-03-01", f"{y + 1}-03-01" if y < 2005 else None) for y in years
        ]
    return v.from_rows(rows)


def test_the_relevant_version_is_the_one_valid_at_the_time():
    facts = many()
    made = u.make_updates(facts, seed=1)
    assert (np.diff(facts.start[made.stored]) >= 0).all()
    assert 0.35 < len(made.stored) / len(facts) < 0.65
    halves = [bool(q.relevant) for q in made.questions]
    assert 0 < sum(halves) < len(halves)
    for q in made.questions:
        for r in q.relevant:
            assert facts.valid_at(q.day)[made.stored[r]]
        for r in q.stale:
            assert not facts.valid_at(q.day)[made.stored[r]]
            assert facts.start[made.stored[r]] < q.day
        assert {facts.subject[made.stored[r]] for r in q.relevant + q.stale} == {q.subject}
    assert [q.day for q in made.questions] == sorted(q.day for q in made.questions)
    assert u.make_updates(facts, seed=1).questions == made.questions
    assert u.make_updates(facts, seed=2).questions != made.questions
    assert len({(q.subject, q.day) for q in made.questions}) == len(made.questions)


def test_a_key_that_never_changed_is_no_update_and_a_returning_value_is_not_stale():
    steady = v.from_rows([version("A", "1", "2000-01-01", "2001-01-01"), version("A", "1", "2002-01-01", None)])
    with pytest.raises(ArgumentError, match="no key"):
        u.make_updates(steady)
    back = v.from_rows(
        [version("A", "1", "2000-01-01", "2001-01-01"), version("A", "2", "2001-01-01", "2002-01-01"),
         version("A", "1", "2002-01-01", None)]
    )  # fmt: skip
    made = u.make_updates(back, share=1.0, checkpoints=2, asks=3)
    last = next(q for q in made.questions if q.day == back.censor.max())
    assert (set(last.relevant), last.stale) == ({0, 2}, (1,))


class Spy:
    """Returns the newest memory first and remembers what it was shown."""

    name = "newest"

    def __init__(self):
        self.items, self.seen = [], []

    def close(self):
        pass

    def ingest(self, items):
        self.items += items

    def rank(self, queries, nows, k):
        for now in nows:
            assert all(item.when < now for item in self.items)
        self.seen.append((nows[0], len(self.items)))
        rows = np.arange(len(self.items))[::-1][:k]
        return [Ranking(rows, np.zeros(rows.size), np.full(rows.size, 0.25)) for _ in queries]


def test_the_replay_never_shows_the_future_and_stores_everything_once():
    made = u.make_updates(many(), seed=3)
    spy = Spy()
    u.evaluate(lambda: spy, made, draws=5)
    assert [item.when for item in spy.items] == (made.facts.start[made.stored[: len(spy.items)]] * DAY).tolist()
    assert len(spy.seen) == len({q.day for q in made.questions})


def test_scores_by_hand():
    facts = v.from_rows([
        version("A", "1", "2000-01-01", "2001-01-01"), version("A", "2", "2001-01-01", None),
        version("B", "3", "2000-01-01", "2001-06-01"), version("B", "4", "2001-06-01", "2001-07-01"),
    ])  # fmt: skip
    day = int(facts.start[1]) + 300
    made = u.Updates(
        facts, np.array([0, 2, 1]),
        (u.Question("?", day, "A", "office", (2,), (0,)), u.Question("?", day, "B", "office", (), (1,))),
    )  # fmt: skip

    class Fixed(Spy):
        def rank(self, queries, nows, k):
            return [
                Ranking(np.array([0, 2]), np.zeros(2), np.array([0.9, 0.8])),
                Ranking(np.array([1]), np.zeros(1), np.array([0.1])),
            ]

    score = u.evaluate(Fixed, made, draws=5)
    assert (score.answerable, score.abstain, score.stored) == (1, 1, 3)
    assert score.recall_at_1.estimate == 0.0
    assert score.recall_at_5.estimate == 1.0
    assert score.mrr.estimate == 0.5
    assert score.stale_at_1.estimate == 1.0
    assert score.newest_at_1 == 1.0
    assert score.abstention_auroc == 1.0
    assert score.abstention_brier == pytest.approx((0.81 + 0.01) / 2)


def test_an_older_version_may_outlast_the_newest():
    facts = v.from_rows([version("A", "club", "2000-01-01", None), version("A", "loan", "2001-01-01", "2002-01-01")])
    during, after = (int(facts.start[1]) + days for days in (30, 800))
    made = u.Updates(
        facts, np.array([0, 1]),
        (u.Question("?", during, "A", "team", (0, 1), ()), u.Question("?", after, "A", "team", (0,), (1,))),
    )  # fmt: skip
    score = u.evaluate(Spy, made, draws=5)
    assert score.newest_at_1 == score.recall_at_1.estimate == score.stale_at_1.estimate == 0.5


def test_recency_helps_where_values_change_and_only_there():
    pytest.importorskip("bm25s", reason="needs scrubjay[eval]")
    made = u.make_updates(many(), seed=1)
    got = {
        n: u.evaluate(lambda n=n: make_baseline(n, HashEmbedder()), made, draws=5) for n in ("dense", "dense_plus_365")
    }
    assert got["dense_plus_365"].recall_at_1.estimate > got["dense"].recall_at_1.estimate + 0.2
    assert got["dense"].abstention_auroc == 0.5


def test_questions_name_the_attribute():
    assert u.question_text("latest", "Node.js 16") == "What is the latest patch release of Node.js 16?"
    assert u.question_text("eoas", "Node.js 16") == u.question_text("support", "Node.js 16")
    assert u.question_text("office", "Ada") == "What is the office of Ada?"
