"""Candidates: probable lists are nearly the full scan's, say that they are probable, and keep up with the columns."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import scrubjay
from scrubjay.columns import FIELDS, LIVE, Columns
from scrubjay.errors import ArgumentTypeError
from scrubjay.recall import candidates as law
from scrubjay.recall import scan
from scrubjay.recall.candidates import DRIFT, Candidates
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.near_index import NearIndex, digests
from scrubjay.recall.pool import Question
from scrubjay.recall.ranking import Ranked, rank
from scrubjay.recall.scope import Scope, ScopeIndex
from scrubjay.store import candidates as kept
from scrubjay.verbs import candidates as keeping
from toys import Clock, WordHash

DIM = 64
NOW = 1.1e7


def shaped(rng: np.random.Generator, n: int, dim: int = DIM, topics: int = 200) -> np.ndarray:
    """Unit rows as embeddings lie: about topics, along few directions more than along the many others."""
    scale = np.arange(1, dim + 1, dtype=np.float32) ** -0.6
    topic = np.random.default_rng(3).standard_normal((topics, dim), np.float32) * scale
    x = topic[rng.integers(0, topics, n)] + 0.7 * scale * rng.standard_normal((n, dim), np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def append(columns: Columns, rng: np.random.Generator, n: int, spaces: int = 1) -> None:
    # no key is ever given twice
    last = columns.seq * 100_000
    given: dict[str, object] = {f.name: 0 for f in FIELDS} | {
        "until": np.inf,
        "key": np.arange(last + 1, last + 1 + n),
        "flags": LIVE | 2,
        "context": rng.integers(-1, len(columns.contexts), n),
        "space": rng.integers(0, spaces, n),
        "value": rng.choice([1.0, 1.0, 1.0, 0.5, 1.5], n),
        "importance": rng.uniform(0, 1, n),
        "a": rng.uniform(1, 9, n),
        "b": rng.uniform(1, 9, n),
        "stability": rng.uniform(1, 99, n),
        "difficulty": 5.0,
        "pi": rng.uniform(0.01, 1, n),
        "tau": rng.uniform(1e5, 1e7, n),
        "shape": 1.0,
        "when": rng.uniform(0, 1e7, n),
    }
    columns.append(given, shaped(rng, n, columns.dim))
    columns.seq += 1


def made(columns: Columns, *, wide: bool) -> Candidates:
    columns.take_turned()
    source = Candidates(NearIndex(columns.dim, wide=wide))
    caught_up(source, columns)
    return source


def caught_up(source: Candidates, columns: Columns) -> None:
    source.note(columns.take_turned())
    while (entries := source.next(columns, 4096)) is not None:
        source.index.enter(entries)
        source.entered()
    if source.index.crowded:
        source.index.arrange()
    source.learn(1.0)


def questions(rng: np.random.Generator, columns: Columns, n: int, weights: dict[str, float]) -> list[Question]:
    row = np.array([weights.get(name, 0.0) for name in FACTORS])
    contexts = columns.contexts[rng.integers(0, len(columns.contexts), n)] if len(columns.contexts) else [None] * n
    vectors = shaped(rng, n, columns.dim)
    return [Question(vector=vectors[i], context=contexts[i], weights=row, now=NOW) for i in range(n)]


def both(
    columns: Columns, asked: list[Question], source: Candidates, k: int = 10, scope: Scope | None = None
) -> tuple[list[Ranked], list[Ranked]]:
    """The full scan's answers, and those with candidates."""
    scope = ScopeIndex().scope(columns, None) if scope is None else scope
    exact = rank(columns, asked, k, scope=scope, scoring="paper", texts=list, slots=None)
    found: list[Ranked] = []
    for question in asked:
        source._pause = 0
        found += rank(columns, [question], k, scope=scope, scoring="paper", texts=list, slots=None, candidates=source)
    return exact, found


def recall(exact: list[Ranked], found: list[Ranked]) -> float:
    """Share of the exact list that the other has; of rows that score the same any will do."""
    return float(np.mean([(y.scores >= x.scores[-1] - 1e-9).mean() for x, y in zip(exact, found, strict=True)]))


@pytest.fixture(scope="module")
def large() -> tuple[Columns, Candidates]:
    rng = np.random.default_rng(0)
    columns = Columns(DIM)
    columns.append_contexts(shaped(rng, 300))
    append(columns, rng, 20_000)
    source = made(columns, wide=True)
    samples = [sample for seed in range(law.SAMPLES) if (sample := source.sample(columns, seed)) is not None]
    while source.judge([source.recall_of(columns, sample) for sample in samples]):
        pass
    assert source.recall >= law.GOOD
    return columns, source


WEIGHTS = [
    {"what": 1.0},
    {"what": 0.6, "when": 0.4},
    {"what": 0.5, "where": 0.5},
    {"what": 0.2, "where": 0.8},
    {"where": 1.0},
    {"what": 0.4, "where": 0.3, "when": 0.3},
    {"what": 0.5, "importance": 0.3, "usefulness": 0.2},
    {"what": 0.5, "retrievability": 0.3, "exploration": 0.2},
    {"when": 1.0},
    {"importance": 1e6, "what": 1e-3},
]


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda w: "+".join(w))
def test_recall_is_high_for_any_weights(large: tuple[Columns, Candidates], weights: dict[str, float]) -> None:
    columns, source = large
    asked = questions(np.random.default_rng(1), columns, 60, weights)
    exact, found = both(columns, asked, source)
    assert recall(exact, found) >= 0.97
    for right, got in zip(exact, found, strict=True):
        # what both have scores the same, and what is said to be proved is the full scan's
        _, here, there = np.intersect1d(got.rows, right.rows, return_indices=True)
        np.testing.assert_allclose(got.scores[here], right.scores[there], rtol=1e-12)
        assert got.exact != got.probable
        if got.exact:
            np.testing.assert_array_equal(got.rows, right.rows)
        assert got.plan == "candidates" or not got.probable


def test_most_questions_need_a_few_rows_alone(large: tuple[Columns, Candidates]) -> None:
    columns, source = large
    _, found = both(columns, questions(np.random.default_rng(2), columns, 50, {"what": 1.0}), source)
    assert all(answer.plan == "candidates" and answer.probable and not answer.exact for answer in found)
    assert max(answer.scanned for answer in found) < 0.02 * len(columns)


def test_what_needs_no_direction_is_proved(large: tuple[Columns, Candidates]) -> None:
    """The list of the other factors is exact, and so is what rests on it alone."""
    columns, source = large
    exact, found = both(columns, questions(np.random.default_rng(2), columns, 20, {"importance": 1.0}), source)
    assert all(answer.exact for answer in found)
    assert {answer.plan for answer in found} == {"candidates"}
    for right, got in zip(exact, found, strict=True):
        np.testing.assert_array_equal(got.rows, right.rows)


def test_a_question_that_a_row_answers_perfectly_is_proved(large: tuple[Columns, Candidates]) -> None:
    columns, source = large
    row = np.zeros(len(FACTORS))
    row[0] = 1.0
    at = np.array([17, 4711])
    asked = [Question(vector=columns.what[i], context=None, weights=row, now=NOW) for i in at]
    _, found = both(columns, asked, source, k=1)
    assert [answer.rows.tolist() for answer in found] == [[17], [4711]]
    assert not any(answer.probable and answer.exact for answer in found)


@pytest.mark.parametrize("together", [7, 64])
def test_many_questions_at_once_are_answered_as_one_by_one(
    large: tuple[Columns, Candidates], monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    columns, source = large
    monkeypatch.setattr(scan, "TOGETHER", together)
    asked = questions(np.random.default_rng(4), columns, 40, {"what": 0.7, "where": 0.3})
    scope = ScopeIndex().scope(columns, None)
    exact, alone = both(columns, asked, source)
    source._pause = 0
    many = rank(columns, asked, 10, scope=scope, scoring="paper", texts=list, slots=None, candidates=source)
    for one, other in zip(alone, many, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.contributions, other.contributions)
        assert (one.plan, one.exact, one.probable, one.scanned) == (
            other.plan, other.exact, other.probable, other.scanned
        )  # fmt: skip
    assert all(answer.plan == "candidates" for answer in many)
    assert recall(exact, many) >= 0.97


def test_a_small_scope_is_scanned_and_a_large_one_is_found_within(large: tuple[Columns, Candidates]) -> None:
    columns, source = large
    rng = np.random.default_rng(5)
    asked = questions(rng, columns, 30, {"what": 1.0})
    few = np.sort(rng.choice(len(columns), 900, replace=False))
    exact, found = both(columns, asked, source, scope=Scope(count=len(few), rows=few))
    assert all(answer.exact and not answer.probable for answer in found)
    assert recall(exact, found) == 1.0
    third = np.sort(rng.choice(len(columns), len(columns) // 3, replace=False))
    exact, found = both(columns, asked, source, scope=Scope(count=len(third), rows=third))
    assert all(len(answer.rows) == 10 and np.isin(answer.rows, third).all() for answer in found)
    assert recall(exact, found) >= 0.97
    assert {answer.plan for answer in found} == {"candidates"}


def test_of_vectors_that_lie_along_no_directions_the_recall_is_told_as_it_is() -> None:
    rng = np.random.default_rng(8)
    columns = Columns(128)
    append(columns, rng, 3000)
    rows = np.arange(3000)
    uniform = rng.standard_normal((3000, 128), np.float32)
    columns.movable(rows)[rows] = uniform / np.linalg.norm(uniform, axis=1, keepdims=True)
    source = made(columns, wide=False)
    assert source.index.axes is not None
    assert len(source.index.axes.basis) >= 120
    samples = [sample for seed in range(law.SAMPLES) if (sample := source.sample(columns, seed)) is not None]
    while source.judge([source.recall_of(columns, sample) for sample in samples]):
        pass
    told = source.recall
    others = [sample for seed in range(500, 560) if (sample := source.sample(columns, seed)) is not None]
    exact, found = both(columns, [sample.question for sample in others], source)
    assert recall(exact, found) >= told - 0.03
    # where it is poor, all rows are scanned
    source.judge([law.POOR - 0.01])
    _, found = both(columns, [sample.question for sample in others[:5]], source)
    assert all(answer.exact and answer.plan != "candidates" for answer in found)


def islands(rng: np.random.Generator, groups: int, each: int, dim: int, apart: float) -> np.ndarray:
    """Unit rows in groups that have nothing in common: along an axis or against it, `apart` from its middle."""
    group = np.repeat(np.arange(groups), each)
    rng.shuffle(group)
    x = np.zeros((len(group), dim))
    x[np.arange(len(group)), group % dim] = np.where(group < dim, 1.0, -1.0)
    x += apart / np.sqrt(dim) * rng.standard_normal(x.shape) + 1e-9
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("apart", [0.0, 0.1], ids=["same", "alike"])
@pytest.mark.parametrize("noise", [0.3, 0.8])
def test_a_group_far_from_all_others_is_found_or_all_rows_are_scanned(apart: float, noise: float) -> None:
    rng = np.random.default_rng(12)
    columns = Columns(96)
    append(columns, rng, 4032)
    rows = np.arange(4032)
    columns.movable(rows)[rows] = x = islands(rng, 168, 24, 96, apart)
    source = made(columns, wide=False)
    vectors = x[rng.choice(4032, 80, replace=False)] + noise / np.sqrt(96) * rng.standard_normal((80, 96))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    what = np.eye(1, len(FACTORS))[0]
    exact, found = both(columns, [Question(vector=v, context=None, weights=what, now=NOW) for v in vectors], source)
    assert min((y.scores >= x.scores[-1] - 1e-6).mean() for x, y in zip(exact, found, strict=True)) >= 0.8
    assert recall(exact, found) >= 0.99


def test_the_recall_that_is_told_is_that_of_the_worst_kind_of_question() -> None:
    source = Candidates(NearIndex(8, wide=False))
    kinds = np.ones((6, law.KINDS))
    kinds[:, 2] = [1, 0.5, 1, 0.4, 1, 0.9]
    source.judge(kinds.ravel().tolist())
    assert source.recall == pytest.approx(0.8)
    assert source.measured == kinds.size
    # one search that went wrong does not outweigh what was measured, many do
    source.judge([1.0] * law.SAMPLES)
    source.learn(0.0)
    assert source.recall == pytest.approx(1.0 - 1.0 / law.FEW)
    for _ in range(law.FEW):
        source.learn(0.0)
    assert source.recall == 0.0
    # searches that go well do not hide a kind that goes ill
    source.judge(kinds.ravel().tolist())
    for _ in range(law.FEW):
        source.learn(1.0)
    assert source.recall == pytest.approx(0.8)


def test_samples_are_of_every_kind_and_of_what_was_asked(large: tuple[Columns, Candidates]) -> None:
    columns, source = large
    plain = Candidates(source.index)
    asked = questions(np.random.default_rng(77), columns, 3, {"what": 0.7, "when": 0.3})
    plain.find(columns, asked[:1], 64, ScopeIndex().scope(columns, None), False)
    lately = plain.sample(columns, law.KINDS - 1)
    assert lately is not None
    np.testing.assert_allclose(lately.question.vector, asked[0].vector, atol=1e-6)
    nearest = []
    for seed in range(3 * law.KINDS):
        sample = plain.sample(columns, seed)
        assert sample is not None
        assert np.linalg.norm(sample.question.vector) == pytest.approx(1.0, abs=1e-5)
        nearest.append(float((columns.what @ sample.question.vector).max()))
    by_kind = np.reshape(nearest, (3, law.KINDS)).mean(axis=0)
    # at a row with little noise is nearer than with much
    assert by_kind[1] == pytest.approx(1 / np.hypot(1, law.NOISE[0]), abs=0.03)
    assert by_kind[2] == pytest.approx(1 / np.hypot(1, law.NOISE[1]), abs=0.08)


def test_rows_that_have_gone_are_not_found() -> None:
    rng = np.random.default_rng(13)
    columns = Columns(DIM)
    append(columns, rng, 3000)
    source = made(columns, wide=False)
    columns.forget(np.arange(0, 3000, 2))
    columns.seq += 1
    source.note(columns.take_turned())
    asked = questions(rng, columns, 40, {"what": 1.0})
    exact, found = both(columns, asked, source)
    assert recall(exact, found) >= 0.97
    assert all((columns.flags[answer.rows] & LIVE).all() for answer in found)


def test_rows_that_came_moved_or_went_are_seen_before_the_index_knows() -> None:
    rng = np.random.default_rng(6)
    columns = Columns(DIM)
    append(columns, rng, 8000)
    source = made(columns, wide=False)
    new = shaped(rng, 60)
    append(columns, rng, 20)
    rows = np.concatenate([np.arange(len(columns) - 20, len(columns)), rng.choice(8000, 40, replace=False)])
    columns.movable(rows)[rows] = new
    gone = rng.choice(8000, 500, replace=False)
    gone = np.setdiff1d(gone, rows)
    columns.forget(gone)
    columns.seq += 1
    source.note(columns.take_turned())
    weights = np.eye(1, len(FACTORS))[0]
    asked = [Question(vector=vector, context=None, weights=weights, now=NOW) for vector in new]
    for _ in ("before", "after"):
        exact, found = both(columns, asked, source)
        assert [answer.rows[0] for answer in found] == rows.tolist()
        assert recall(exact, found) >= 0.97
        assert not any(np.isin(gone, answer.rows).any() for answer in found)
        caught_up(source, columns)
        assert len(source.outside(columns)) == 0
    columns.compact()
    columns.seq += 1
    exact, found = both(columns, asked, source)
    assert recall(exact, found) >= 0.97
    assert source.index.waste(columns) == len(gone) + 40


def test_a_row_that_moves_little_stays_until_it_has_moved_far() -> None:
    rng = np.random.default_rng(7)
    columns = Columns(DIM)
    append(columns, rng, 2000)
    source = made(columns, wide=False)
    away = shaped(rng, 1)[0]
    steps = 0
    while len(source.index) == 2000:
        assert steps < 200
        row = columns.what[5] + np.float32(0.002) * away
        columns.movable(np.array([5]))[5] = row / np.linalg.norm(row)
        caught_up(source, columns)
        steps += 1
        assert source.index.drift <= DRIFT
    assert steps > 3
    assert source.index.keys[2000] == columns.key[5]
    assert source.index.waste(columns) == 1


class KeptUp(RuleBasedStateMachine):
    """Whatever is done to the columns, each living row is outside of the index or lies in it as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(1)
        self.columns = Columns(8)
        self.columns.append_contexts(shaped(self.rng, 5, 8))
        self.columns.take_turned()
        self.source = Candidates(NearIndex(8, wide=True))

    @rule(n=st.integers(0, 40))
    def more(self, n: int) -> None:
        append(self.columns, self.rng, n)

    @rule(share=st.floats(0, 1), far=st.booleans())
    def move(self, share: float, far: bool) -> None:
        rows = np.flatnonzero(self.rng.random(len(self.columns)) < share)
        step = shaped(self.rng, len(rows), 8) * np.float32(1.0 if far else 0.005)
        fresh = self.columns.what[rows] + step
        self.columns.movable(rows)[rows] = fresh / np.linalg.norm(fresh, axis=1, keepdims=True)

    @rule(share=st.floats(0, 0.5))
    def tell_another_context(self, share: float) -> None:
        rows = np.flatnonzero(self.rng.random(len(self.columns)) < share)
        self.columns.writable("context")[rows] = self.rng.integers(-1, 5, len(rows))
        self.columns.turned(rows)

    @rule(share=st.floats(0, 0.5))
    def delete(self, share: float) -> None:
        living = np.flatnonzero(self.columns.live())
        self.columns.forget(living[self.rng.random(len(living)) < share])

    @rule()
    def squeeze(self) -> None:
        self.columns.compact()

    @rule(count=st.integers(1, 50), meanwhile=st.booleans())
    def enter(self, count: int, meanwhile: bool) -> None:
        entries = self.source.next(self.columns, count)
        if entries is not None:
            if meanwhile:  # what was copied is entered after the rows have turned once more
                self.move(0.3, True)
                self.source.note(self.columns.take_turned())
            self.source.index.enter(entries)
            self.source.entered()

    @invariant()
    def held_or_outside(self) -> None:
        columns, index = self.columns, self.source.index
        self.source.note(columns.take_turned())
        living = np.flatnonzero(columns.live())
        inside = np.setdiff1d(living, self.source.outside(columns))
        held = {int(key): slot for slot, key in enumerate(index.keys.tolist()) if key}
        slots = [held[int(key)] for key in columns.key[inside]]
        np.testing.assert_array_equal(index.slots.digests[slots], digests(columns, inside))
        used = [key for key in index.keys.tolist() if key]
        assert len(used) == len(set(used))
        assert index.waste(columns) == len(index) - len(np.flatnonzero(columns.live()[columns.key <= index.last_key]))


TestKeptUp = KeptUp.TestCase
TestKeptUp.settings = settings(max_examples=25, stateful_step_count=25, suppress_health_check=list(HealthCheck))


# -- in a store

WORDS = [f"word{i}" for i in range(300)]


def texts(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{' '.join(rng.choice(WORDS, 6))} {seed}-{i}" for i in range(n)]


def opened(path: Path | str, **options: object) -> scrubjay.MemoryStore:
    options = {"candidates": True, "graph": False, "clock": Clock()} | options
    return scrubjay.open(path, embedder=WordHash(32), **options)  # type: ignore[arg-type]


def ready(store: scrubjay.MemoryStore) -> scrubjay.MemoryStore:
    """The store once its candidates are made."""
    keeper = store._engine.candidates
    assert keeper is not None
    store.search("word1")
    keeper.settle()
    assert store.stats().candidates.state == "ready", store.stats().candidates
    return store


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 1,500 memories with its index beside it."""
    path = tmp_path_factory.mktemp("candidates") / "store"
    with opened(path) as store:
        store.add_many(texts(1500, 1))
        ready(store)
    return path


def found(store: scrubjay.MemoryStore, seed: int = 9, n: int = 20) -> list[list[str]]:
    return [[hit.memory.text for hit in hits] for hits in store.search_many(texts(n, seed), now=1.7e9)]


def files(path: Path) -> list[Path]:
    return sorted((path / kept.FOLDER).iterdir())


def test_a_store_says_what_it_does(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with opened(path, candidates=False) as store:
        right = found(store)
        assert store.stats().candidates.state == "off"
    with opened(path) as store:
        hits = store.search("word1 word2")
        assert hits.plan.startswith("scan")
        assert hits.exact
        assert not hits.notes
        ready(store)
        hits = store.search("word1 word2", weights={"what": 1.0, "lexical": 0.0})
        assert hits.plan.startswith("candidates")
        assert not hits.exact
        assert "expected recall" in hits.notes[0]
        stats = store.stats().candidates
        assert (stats.rows, stats.outside, stats.kept) == (1500, 0, True)
        assert stats.recall is not None
        assert stats.recall > 0.95
        assert stats.measured == law.SAMPLES
        assert np.mean([set(a) == set(b) for a, b in zip(found(store), right, strict=True)]) > 0.8
        assert store.search("word1", namespace="nobody").plan == "empty"
    with opened(path, candidates=None) as store:
        # there are not enough memories for it to pay
        assert store.search("word1").exact
        assert store.stats().candidates.state == "few"
    with pytest.raises(ArgumentTypeError, match="candidates"):
        opened(path, candidates="yes")


@pytest.mark.parametrize("scoring", ["competitive", "paper"])
def test_a_store_answers_many_queries_as_one_by_one(folder: Path, scoring: str) -> None:
    queries = texts(12, 4)
    with ready(opened(folder, read_only=True)) as store:
        keeper = store._engine.candidates
        assert keeper is not None
        assert keeper._current is not None
        together = store.search_many(queries, scoring=scoring, now=1.7e9)
        alone = []
        for query in queries:
            # whether the one before needed the full scan is no matter of this one
            keeper._current._pause = 0
            alone.append(store.search(query, scoring=scoring, now=1.7e9))
    for one, other in zip(alone, together, strict=True):
        assert [(hit.memory.id, hit.score, hit.factors, hit.valid) for hit in one] == [
            (hit.memory.id, hit.score, hit.factors, hit.valid) for hit in other
        ]
        assert (one.plan, one.exact) == (other.plan, other.exact)
    assert any(hits.plan.startswith("candidates") for hits in together)


def test_what_words_alone_decide_is_proved(folder: Path) -> None:
    """A memory that was not looked at shares no word with the query, so it cannot reach those that share all."""
    with ready(opened(folder, read_only=True)) as store:
        hits = store.search("word1 word2", k=1, weights={"what": 0.2, "lexical": 1.0})
    with opened(folder, candidates=False, read_only=True) as store:
        right = store.search("word1 word2", k=1, weights={"what": 0.2, "lexical": 1.0})
    assert hits.exact
    assert hits.plan.startswith("candidates")
    assert not hits.notes
    assert [hit.memory.id for hit in hits] == [hit.memory.id for hit in right]


def test_who_asks_once_makes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody chose, candidates are made from so many values on, and from the fourth search of a handle on."""
    monkeypatch.setattr(keeping, "VALUES", 1100 * 32)
    with opened(tmp_path / "store", candidates=None) as store:
        keeper = store._engine.candidates
        assert keeper is not None
        store.add_many(texts(1099, 1))
        for _ in range(keeping.PATIENCE):
            store.search("word1")
        assert keeper._worker is None
        store.add_many(texts(200, 2))
        for _ in range(keeping.PATIENCE):
            store.search("word1")
        keeper.settle()
        assert store.stats().candidates.state == "ready"
    with opened(tmp_path / "store", candidates=None) as store:
        assert store.search("word1").exact
        assert store._engine.candidates is not None
        assert store._engine.candidates._worker is None


def test_a_store_in_memory_has_them_too() -> None:
    with opened(":memory:") as store:
        store.add_many(texts(1200, 1))
        assert not ready(store).search("word1 word2", weights={"what": 1.0, "lexical": 0.0}).exact
        assert not store.stats().candidates.kept


def test_an_index_that_was_kept_is_not_made_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with opened(path, candidates=False) as store:
        added = store.add_many(texts(30, 2))
        store.delete([store.list(limit=1)[0].id])
        store.update(added[0].id, text="word7 word7 word7 changed")
    entered: list[int] = []
    enter = NearIndex.enter
    monkeypatch.setattr(NearIndex, "enter", lambda self, e, **kw: (entered.append(len(e.keys)), enter(self, e, **kw)))
    with ready(opened(path)) as store:
        assert sum(entered) == 30
        assert store.search("word7 word7 word7 changed")[0].memory.text == "word7 word7 word7 changed"
        right = found(store)
    with opened(path, candidates=False) as store:
        assert found(store) == right


def test_a_row_that_moved_while_nobody_kept_count_is_entered_anew(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with opened(path, candidates=False) as store:
        old = store.list(limit=3)
        store.update(old[1].id, text="something else entirely")
        store.update(old[2].id, context="a context that did not change its words")
    with ready(opened(path)) as store:
        hits = store.search("something else entirely", k=1, weights={"what": 1.0})
        assert hits[0].memory.id == old[1].id
        keeper = store._engine.candidates
        assert keeper is not None
        assert keeper._current is not None
        assert keeper._current.index.wide


def region(path: Path, name: str) -> Path:
    return next(file for file in files(path) if file.name.startswith(name))


CHILD = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from recall.test_candidates import found, opened, ready
with opened(Path({path!r})) as store:
    store.search("word1")
    store._engine.candidates.settle()
    store.search("word1")
    print(store.stats().candidates.state, hash(str(found(store))))
"""


def in_a_child(path: Path) -> str:
    code = CHILD.format(tests=str(Path(__file__).parents[1]), path=str(path))
    env = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("part", ["index", "manifest"])
@pytest.mark.parametrize("fault", ["flip", "short", "long", "gone", "empty", "other"])
def test_a_damaged_index_is_made_anew_and_never_parsed(folder: Path, tmp_path: Path, part: str, fault: str) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with opened(path, candidates=False) as store:
        right = found(store)
    file = region(path, part)
    data = bytearray(file.read_bytes())
    rng = np.random.default_rng(len(part) + len(fault))
    if fault == "flip":
        for at in rng.integers(0, len(data), 3):
            data[at] ^= 1 << int(rng.integers(8))
    elif fault == "short":
        del data[len(data) // 2 :]
    elif fault == "long":
        data += b"\0" * 64
    elif fault == "empty":
        data.clear()
    elif fault == "other":
        data[:] = rng.bytes(len(data))
    file.unlink() if fault == "gone" else file.write_bytes(data)
    # what a killed process has left
    (path / kept.FOLDER / f"index-{'0' * 16}.bin.part").write_bytes(b"half")
    with kept_log(path) as log:
        held, why = kept.load(log)
        assert held is None
        assert why
    with opened(path) as store:
        assert found(store) == right
        ready(store)
        assert store.stats().candidates.kept
    with kept_log(path) as log:
        assert kept.load(log)[0] is not None
    assert len(files(path)) == 2


SLOTS = [name for name, _, sizes in kept.ARRAYS if sizes[0] == "slots"]


def kept_log(path: Path) -> scrubjay.store.EventLog:
    return scrubjay.store.EventLog.open(path, embedder="word-hash-1", dim=32)


def test_another_process_uses_it_and_overwrites_nothing(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with ready(opened(path)) as store:
        store.add_many(texts(400, 3))
        store.search("word1")
        keeper = store._engine.candidates
        assert keeper is not None
        before = in_a_child(path)
        assert before.startswith("ready")
        keeper.settle()
    held = {file.name: file.stat().st_mtime_ns for file in files(path)}
    assert in_a_child(path).startswith("ready")
    assert {file.name: file.stat().st_mtime_ns for file in files(path)} == held
    with kept_log(path) as log:
        larger, _ = kept.load(log)
        assert larger is not None
        assert larger.shape.slots == 1900
        # one of fewer memories does not take its place
        arrays = {name: part[:5] if name in SLOTS else part for name, part in larger.arrays.items()}
        shape = msgspec.structs.replace(larger.shape, slots=5, last_key=5)
        assert not kept.save(log, shape, arrays, epoch=log.epoch)
    assert {file.name: file.stat().st_mtime_ns for file in files(path)} == held


def test_a_log_that_is_rewritten_drops_it(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with ready(opened(path)) as store:
        engine = store._engine
        keeper = engine.candidates
        assert keeper is not None
        assert keeper._current is not None
        with engine.gate.writing():
            engine.replace(Columns(32), epoch=engine.epoch)
        assert keeper._current is None
        engine.refresh()
        assert store.search("word1").exact
    with kept_log(path) as log:
        kept.discard(log)
        assert kept.load(log) == (None, "absent")
    assert files(path) == []


def test_what_is_purged_is_in_no_index(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(folder, tmp_path / "store"))
    with ready(opened(path)) as store:
        keeper = store._engine.candidates
        assert keeper is not None
        assert keeper._current is not None
        former = weakref.ref(keeper._current.index)
        gone = store.list(limit=1)[0]
        store.delete([gone.id], purge=True)
        assert files(path) == []
        gc.collect()
        assert former() is None
        ready(store)
        assert store.stats().candidates.rows == len(store) == 1499
        assert all(hit.memory.id != gone.id for hit in store.search(gone.text))
    with kept_log(path) as log:
        held, _ = kept.load(log)
        assert held is not None
        assert len(held.arrays["keys"]) == 1499


def test_what_is_of_another_store_goes_when_the_store_is_opened(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "store"
    with opened(path, candidates=False) as store:
        store.add_many(texts(3, 1))
    shutil.copytree(folder / kept.FOLDER, path / kept.FOLDER)
    with opened(path, read_only=True):
        assert len(files(path)) == 2
    with opened(path):
        assert files(path) == []


def test_a_full_disk_takes_nothing_from_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(kept, "_finished", full)
        with ready_with(tmp_path / "store", 1200) as store:
            assert not store.stats().candidates.kept
            assert store.search("word1 word2").plan.startswith("candidates")
        assert files(tmp_path / "store") == []
    with ready(opened(tmp_path / "store")) as store:
        assert store.stats().candidates.kept


def test_deleted_rows_leave_the_index_and_free_its_memory(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as store:
        ids = [memory.id for memory in store.add_many(texts(4000, 1))]
        before = ready(store).stats().candidates
        keeper = store._engine.candidates
        assert keeper is not None
        assert keeper._current is not None
        former = weakref.ref(keeper._current.index)
        store.delete(ids[: len(ids) * 2 // 3])
        for _ in range(keeping.EVERY + 1):
            store.search("word1")
        keeper.settle()
        after = ready(store).stats().candidates
        assert after.rows == len(store) == len(ids) - len(ids) * 2 // 3
        gc.collect()
        assert after.bytes <= before.bytes
        assert former() is None
        right = found(store)
    with opened(tmp_path / "store", candidates=False) as store:
        assert np.mean([set(a) == set(b) for a, b in zip(found(store), right, strict=True)]) > 0.8


def test_adding_while_searching_in_threads_loses_nothing(tmp_path: Path) -> None:
    """Every acknowledged memory is found at once, whether the index knows it yet or not."""
    with ready_with(tmp_path / "store", 1200) as store:
        wrong: list[str] = []
        done = threading.Event()

        def look() -> None:
            rng = np.random.default_rng()
            while not done.is_set():
                hits = store.search(" ".join(rng.choice(WORDS, 4)))
                if len(hits) != 10:
                    wrong.append(f"{len(hits)} hits")

        readers = [threading.Thread(target=look) for _ in range(2)]
        for reader in readers:
            reader.start()
        try:
            for i in range(12):
                (memory, *_) = store.add_many([f"marker{i} {text}" for text in texts(100, 50 + i)])
                if store.search(memory.text, k=1)[0].memory.id != memory.id:
                    wrong.append(memory.text)
        finally:
            done.set()
            for reader in readers:
                reader.join()
        assert not wrong
        keeper = store._engine.candidates
        assert keeper is not None
        store.search("word1")
        keeper.settle()
        assert store.stats().candidates.outside <= keeping.LATE


def ready_with(path: Path, n: int) -> scrubjay.MemoryStore:
    store = opened(path)
    store.add_many(texts(n, 1))
    return ready(store)


@pytest.mark.parametrize("killed", [False, True])
def test_what_was_made_of_an_unfinished_index_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """Whether its store was closed, or copied as a killed process leaves it."""
    monkeypatch.setattr(keeping, "BATCH", 256)
    monkeypatch.setattr(keeping, "CHECKPOINT", 256 if killed else 1 << 15)
    entered: list[int] = []
    begun, enter = threading.Event(), NearIndex.enter
    store = opened(tmp_path / "store")
    keeper = store._engine.candidates
    assert keeper is not None

    def held(self: NearIndex, entries: object, **options: object) -> None:
        if sum(entered) == 512:
            begun.set()
            keeper._stop.wait()
        enter(self, entries, **options)  # type: ignore[arg-type]
        entered.append(len(entries.keys))  # type: ignore[attr-defined]

    monkeypatch.setattr(NearIndex, "enter", held)
    store.add_many(texts(1500, 1))
    store.search("word1")
    begun.wait()
    path = tmp_path / "store"
    if killed:
        path = Path(shutil.copytree(path, tmp_path / "copy"))
    store.close()
    done = 512 if killed else sum(entered)
    assert 512 <= done < 1500
    entered.clear()
    monkeypatch.setattr(NearIndex, "enter", lambda self, e, **kw: (entered.append(len(e.keys)), enter(self, e, **kw)))
    with ready(opened(path)) as again:
        assert sum(entered) == 1500 - done
        assert again.stats().candidates.rows == 1500
        made = found(again)
    with opened(path, candidates=False) as plain:
        assert found(plain) == made


def test_an_index_that_is_there_and_not_used_is_told_of() -> None:
    with opened(":memory:") as store:
        store.add_many(texts(1500, 1))
        ready(store)
        assert not any(note.startswith("scanned") for note in store.search("word1").notes)
        current = store._engine.candidates._current  # type: ignore[union-attr]
        assert current is not None
        current.judge([law.POOR - 0.1])
        hits = store.search("word1")
        assert hits.plan != "candidates"
        assert [note for note in hits.notes if note.startswith("scanned: there is an index")]
        assert store.stats().candidates.state == "poor"


def test_closing_ends_the_work_in_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, enter = threading.Event(), NearIndex.enter

    def slow(self: NearIndex, entries: object, **options: object) -> None:
        begun.set()
        enter(self, entries, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(NearIndex, "enter", slow)
    store = opened(tmp_path / "store")
    store.add_many(texts(1500, 1))
    store.search("word1")
    assert begun.wait(30)
    store.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "scrubjay-candidates"]
    del store
    gc.collect()
    with opened(tmp_path / "store") as again:
        assert len(ready(again)) == 1500
