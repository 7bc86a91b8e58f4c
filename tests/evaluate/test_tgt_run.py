"""Running a system on the TGT: what it is shown, how sessions become seconds, where P(valid) crosses one half."""

import numpy as np
import pytest

import scrubjay
from scrubjay.evaluate import tgt
from scrubjay.evaluate.systems import DAY, Answer, Ranking
from scrubjay.evaluate.tgt import fitted, metrics, run, schedule

from .fakes import HashEmbedder

BENCHMARK = tgt.generate(4, 4, unique_keys=True)
TRUTH = {m.text: m for i in BENCHMARK.instances for m in i.memories}
QUERIES = [q for i in BENCHMARK.instances for q in i.queries]


class Schedule:
    """Knows the right memory and its drawn perishability, in units of `session` seconds."""

    name = "schedule"
    asked = DAY
    """The length of a session in the run."""

    def __init__(self, session=DAY):
        self.items, self.session = [], session

    def ingest(self, items):
        self.items += items

    def _p(self, item, age):
        m = TRUTH[item.text]
        return float(np.exp(-m.pi * max(age, 0.0) / self.session / m.tau))

    def rank(self, queries, nows, k):
        out = []
        for query, now in zip(queries, nows, strict=True):
            session = round((now - run.EPOCH) / self.asked)
            asked = {q.target for q in QUERIES if q.text == query and q.now == session}
            row = next(i for i, item in enumerate(self.items) if TRUTH[item.text].id in asked)
            p = self._p(self.items[row], now - self.items[row].when)
            out.append(Ranking(np.array([row]), np.ones(1), np.array([p])))
        return out

    def answer(self, query, now, ranking=None):
        row = int(ranking.rows[0])
        return Answer(self.items[row].text, float(ranking.p_valid[0]), row)

    def survival(self, ages):
        return np.array([[self._p(item, age) for age in ages.tolist()] for item in self.items])

    def close(self):
        pass


def test_drawn_parameters_give_the_true_schedule():
    done = run.run(Schedule, BENCHMARK)
    score = metrics.score(done.outcomes, draws=5)
    assert score.combined.estimate == pytest.approx(60 / 66)
    assert score.factual == score.mrr == score.recall_at_5 == 1.0
    assert score.gen_gap.estimate == pytest.approx(-0.2)
    for kind, (low, high) in schedule.EXPIRY.items():
        assert low <= done.expiry[kind].median <= high + 0.5
        assert done.expiry[kind].inside > 0.9
    median = [point[1] for point in done.curves["A"]]
    assert median[0] == 1.0
    assert median == sorted(median, reverse=True)


def test_ages_are_in_sessions_whatever_a_session_is():
    class Hourly(Schedule):
        asked = 3600.0

    done = run.run(lambda: Hourly(3600.0), BENCHMARK, session=3600.0)
    assert metrics.score(done.outcomes, draws=5).combined.estimate == pytest.approx(60 / 66)


def test_the_fit_finds_the_length_of_a_session_from_seen_intervals_alone():
    found = run.fit_session(lambda: Schedule(5 * 3600.0), BENCHMARK)
    # stale distractors at young ages pull towards longer sessions
    assert 0.8 < found / (5 * 3600.0) < 1.6

    class Blind(Schedule):
        def survival(self, ages):
            return None

    assert run.fit_session(Blind, BENCHMARK) is None
    blind = run.run(Blind, BENCHMARK)
    assert blind.expiry is None
    assert metrics.score(blind.outcomes, draws=5).validity is None


def test_the_fit_never_asks_about_held_out_ages():
    asked = []

    class Spy(Schedule):
        def survival(self, ages):
            asked.append(len(ages))
            return super().survival(ages)

    run.fit_session(Spy, BENCHMARK)
    seen = [{q.age for q in i.queries if q.interval in schedule.SEEN} for i in BENCHMARK.instances]
    assert asked == [len(ages) * len(run.SESSION_GRID) for ages in seen]


def test_a_curve_that_never_falls_never_expires():
    class Stone(Schedule):
        def survival(self, ages):
            return np.ones((len(self.items), len(ages)))

    done = run.run(Stone, BENCHMARK)
    assert done.expiry["D"].median == float("inf")
    assert done.expiry["D"].inside == 1.0
    assert done.expiry["A"].inside == 0.0


def test_what_is_told_to_learn_from_is_of_seen_intervals_and_true_of_their_time():
    instance = tgt.generate(7, 1).instances[0]
    with scrubjay.open(":memory:", embedder=HashEmbedder()) as store:
        told = fitted.checks(store, instance, ("a",))
        texts = {unit.id: unit for unit in store.list(limit=1000, namespace=("a",))}
    seen = [q for q in instance.queries if q.interval in schedule.SEEN]
    assert len(told) == len(seen) == 42
    ages = [(at - texts[id].when) / DAY for id, at, _ in told]
    assert {schedule.interval_of(age) for age in ages} == set(schedule.SEEN)
    assert [holds for *_, holds in told] == [q.valid for q in seen]


def test_a_fitted_system_learns_from_other_seeds_and_answers_for_each_instance_alone():
    benchmark = tgt.generate(101, 4)  # the first of the seeds that are learned from, unless it is asked about
    learned = []

    class Watched(HashEmbedder):
        def embed(self, texts):
            learned.extend(texts)
            return super().embed(texts)

    with fitted.fitted("fitted", Watched(), benchmark, seeds=2) as make:
        before = set(learned)
        assert not before & {m.text for i in benchmark.instances for m in i.memories}
        done = run.run(make, benchmark)
        ours = make()
        assert ours.name == "fitted"
        ours.ingest(run.pool(benchmark.instances[0], DAY)[:3])
        assert len(ours.rank(["Where is everybody?"], [run.EPOCH + 9 * DAY], 10)[0].rows) == 3
    score = metrics.score(done.outcomes, draws=20)
    assert score.n == 4 * 66
    assert set(score.staleness_at) == set(schedule.INTERVALS)
    right = [o for o in done.outcomes if o.valid and o.type == "D"]
    assert score.falsely_stale["D"] == pytest.approx(1.0 - np.mean([o.staleness for o in right]))
