"""Validity of real facts: censoring, splits and scores."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import validity as v


def row(subj="Ada", start="2020-01-01", end=None, censor="2021-01-01", kind="city", src="s", value="Rome"):
    return {
        "src": src, "kind": kind, "subj": subj, "attr": "city", "value": value, "text": f"{subj} lives in {value}.",
        "start": start, "end": end, "censor": censor,
    }  # fmt: skip


def labels(*rows, delays=v.DELAYS):
    ex = v.examples(v.from_rows(rows), delays)
    return list(zip(ex.fact.tolist(), ex.delay.tolist(), ex.valid.tolist(), strict=True))


def test_a_fact_is_valid_until_the_day_before_its_end():
    assert labels(row(end="2020-01-08"), delays=(6, 7, 8)) == [(0, 6, True), (0, 7, False), (0, 8, False)]


def test_an_open_fact_is_valid_up_to_its_censoring_and_dropped_beyond():
    assert labels(row(censor="2020-02-01"), delays=(30, 31, 32)) == [(0, 30, True), (0, 31, True)]


def test_censoring_drops_expired_facts_too():
    """Both facts are dropped at 90 days; keeping the one whose end is known would make all 90-day labels False."""
    rows = [row(end="2020-01-10", censor="2020-02-20"), row(end=None, censor="2020-02-20")]
    assert [d for _, d, _ in labels(*rows, delays=(7, 30, 90))] == [7, 30, 7, 30]


def test_observed_days_are_durations_of_survival_analysis():
    facts = v.from_rows([row(end="2020-01-11"), row(censor="2020-03-01"), row(start="2022-01-01")])
    assert facts.observed_days.tolist() == [10.0, 60.0, 0.0]
    assert facts.ended.tolist() == [True, False, False]
    assert facts.valid_at(facts.start + 10).tolist() == [False, True, True]


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xyz"), st.sampled_from("st")), max_size=40),
    st.integers(0, 5),
)
def test_no_split_leaks_a_subject(rows, seed):
    facts = v.from_rows([row(subj=s, kind=k, src=src) for s, k, src in rows])
    splits = [
        v.split_subjects(facts, seed=seed),
        *v.splits_leave_out(facts, "kind", seed=seed),
        *v.splits_leave_out(facts, "source", seed=seed),
    ]
    for split in splits:
        train = {v.subject_key(s) for s in facts.subject[split.train]}
        assert train.isdisjoint(v.subject_key(s) for s in facts.subject[split.test])
    assert np.union1d(splits[0].train, splits[0].test).size == len(facts)


def test_one_subject_under_two_spellings_is_one_subject():
    facts = v.from_rows([row(subj=s) for s in ("Bernie  Sanders", "bernie sanders", "Bernie Sanders ")] * 9)
    split = v.split_subjects(facts)
    assert split.train.size == 0 or split.test.size == 0


def test_leave_out_tests_add_up_and_never_train_on_what_is_left_out():
    facts = v.from_rows([row(subj=f"p{i}", kind="abc"[i % 3]) for i in range(300)])
    parts = list(v.splits_leave_out(facts, "kind"))
    assert sorted(np.concatenate([s.test for s in parts]).tolist()) == sorted(v.split_subjects(facts).test.tolist())
    for split in parts:
        assert set(facts.kind[split.train]).isdisjoint(facts.kind[split.test])
    with pytest.raises(ArgumentError, match="column"):
        list(v.splits_leave_out(facts, "subject"))


class Oracle:
    """Knows every end."""

    def __init__(self, facts):
        self.ends = dict(zip(facts.text, np.where(facts.ended, facts.end - facts.start, 10**9), strict=True))

    def predict(self, texts, delays_days):
        return np.array([float(self.ends[t] > d) for t, d in zip(texts, delays_days, strict=True)])


def test_scores_of_an_oracle_and_of_a_coin():
    rng = np.random.default_rng(5)
    dates = np.datetime64("2020-01-01") + rng.integers(1, 900, 200)
    facts = v.from_rows([row(subj=f"p{i}", end=str(d), censor="2025-01-01") for i, d in enumerate(dates)])
    best = v.evaluate(Oracle(facts), facts, v.split_subjects(facts), draws=20)
    assert best.brier.estimate == 0.0
    assert best.auroc_within.estimate == 1.0
    assert best.ece.estimate == 0.0
    test = facts.take(v.split_subjects(facts).test)
    ex = v.examples(test)
    coin = v.score(test, ex, np.full(len(ex), 0.5), draws=20)
    assert coin.brier.estimate == 0.25
    assert coin.auroc.estimate == coin.auroc_within.estimate == 0.5
    assert coin.ece.estimate == pytest.approx(abs(ex.valid.mean() - 0.5))
    assert coin.subjects == len(set(test.subject))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": "2019-01-01"}, "before its start"),
        ({"start": "last spring"}, "YYYY-MM-DD"),
        ({"start": "2020-13-40"}, "row 1"),
        ({"text": None}, "row 1"),
    ],
)
def test_a_row_that_is_no_fact_is_refused_by_its_number(change, message):
    with pytest.raises(ArgumentError, match=message):
        v.from_rows([{**row(), **change}])


def test_a_file_is_read_and_its_bad_line_is_named(tmp_path):
    good = tmp_path / "good.jsonl"
    good.write_text("\n".join(json.dumps(row(subj=s)) for s in ("Zoë", "李")) + "\n\n", encoding="utf-8")
    facts = v.load_facts([good, good])
    assert facts.subject.tolist() == ["Zoë", "李"] * 2
    assert len(facts.take(facts.subject == "李")) == 2
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps(row()) + "\n{}\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match=r"bad\.jsonl, line 2"):
        v.load_facts([bad])
