"""The plan of a search changes its speed alone: codes keep up with the columns, and the answer is the full scan's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import scrubjay
from scrubjay import _core
from scrubjay.codes import CODED_ROWS, RowCodes
from scrubjay.columns import FIELDS, LIVE, Columns
from scrubjay.recall import ranking, scan
from scrubjay.recall.ranking import Question
from scrubjay.recall.scope import ScopeIndex
from toys import WordHash

DIM = 24


def random_rows(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.standard_normal((n, DIM)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def append(columns: Columns, rng: np.random.Generator, n: int, spaces: int = 1) -> None:
    last = int(columns.key[-1]) if len(columns) else 0
    given: dict[str, object] = {f.name: 0 for f in FIELDS} | {
        "until": np.inf,
        "key": np.arange(last + 1, last + 1 + n),
        "flags": LIVE | 2,
        "context": rng.integers(-1, len(columns.contexts), n),
        "space": rng.integers(0, spaces, n),
        "value": rng.uniform(0, 1, n),
        "pi": rng.uniform(0.01, 1, n),
        "tau": rng.uniform(1e5, 1e7, n),
        "shape": 1.0,
        "when": rng.uniform(0, 1e7, n),
    }
    columns.append(given, random_rows(rng, n))
    columns.seq += 1


class Kept(RuleBasedStateMachine):
    """Whatever is done to the columns, their codes are the codes of their rows, bit for bit."""

    def __init__(self) -> None:
        super().__init__()
        self.columns = Columns(DIM)
        self.rng = np.random.default_rng(1)

    @rule(n=st.integers(0, 40))
    def more(self, n: int) -> None:
        append(self.columns, self.rng, n)

    @rule(share=st.floats(0, 1))
    def move(self, share: float) -> None:
        rows = np.flatnonzero(self.rng.random(len(self.columns)) < share)
        self.columns.movable(rows)[rows] = random_rows(self.rng, len(rows))

    @rule(share=st.floats(0, 1))
    def delete(self, share: float) -> None:
        living = np.flatnonzero(self.columns.live())
        self.columns.forget(living[self.rng.random(len(living)) < share])

    @rule()
    def squeeze(self) -> None:
        self.columns.compact()

    @rule()
    def look(self) -> None:
        for got, want in zip(self.columns.codes(), _core.codes(self.columns.what), strict=True):
            np.testing.assert_array_equal(got, want)

    @invariant()
    def bounded(self) -> None:
        held = self.columns._codes
        assert sum(map(len, held._moved)) <= held._n


TestKept = Kept.TestCase
TestKept.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def test_codes_that_were_given_out_stay_through_growth_and_compaction() -> None:
    rng = np.random.default_rng(0)
    columns = Columns(DIM)
    append(columns, rng, 100)
    given = columns.codes()
    before = [part.copy() for part in given]
    append(columns, rng, 3000)
    columns.codes()
    columns.forget(np.arange(50))
    columns.compact()
    columns.codes()
    for a, b in zip(given, before, strict=True):
        np.testing.assert_array_equal(a, b)
    assert columns.nbytes > Columns(DIM).nbytes


def test_threads_that_ask_first_at_once_get_the_same_codes() -> None:
    rows = random_rows(np.random.default_rng(2), 20_000)
    codes = RowCodes()
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: codes.of(rows), range(16)):
            for a, b in zip(got, _core.codes(rows), strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("contexts", [0, 30, 7000])
@pytest.mark.parametrize("part", ["all", "some dead", "half a space", "small space"])
def test_search_by_codes_is_the_full_scan(
    count: int, contexts: int, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    columns = Columns(DIM)
    if contexts:
        columns.append_contexts(random_rows(rng, contexts))
    append(columns, rng, 16_000, {"half a space": 2, "small space": 20}.get(part, 1))
    if part == "some dead":
        columns.forget(np.arange(0, 16_000, 5))
    questions = [
        Question(
            vector=random_rows(rng, 1)[0],
            context=random_rows(rng, 1)[0] if contexts and i % 3 != 1 else None,
            weights=np.array([0.6, 0.2, 0.3, 0, 0, 0, 0, 0]),
            now=1.1e7,
        )
        for i in range(count)
    ]

    def answers() -> list[ranking.Ranked]:
        return ranking.rank(
            columns,
            questions,
            10,
            scope=ScopeIndex().scope(columns, 0),
            scoring="paper",
            texts=lambda rows: [""] * len(rows),
            slots=None,
        )

    first = answers()
    columns.movable(first[0].rows)[first[0].rows] = random_rows(rng, 10)
    append(columns, rng, 100)
    fast = answers()
    monkeypatch.setattr(scan, "CODED_ROWS", 10**9)
    plain = answers()
    for a, b in zip(fast, plain, strict=True):
        np.testing.assert_array_equal(a.rows, b.rows)
        np.testing.assert_array_equal(a.scores, b.scores)
        np.testing.assert_array_equal(a.contributions, b.contributions)
    small = part == "small space"
    assert (fast[0].plan.startswith("sieve") or "codes" in fast[0].plan) != small
    assert "sieve" not in plain[0].plan
    assert "codes" not in plain[0].plan
    if small:
        assert fast[0].plan.endswith("+subset")


def test_a_store_says_how_it_looked(tmp_path: Path) -> None:
    texts = [f"w{i % 83} v{i % 97} u{i}" for i in range(CODED_ROWS + 200)]
    with scrubjay.open(tmp_path / "m", embedder=WordHash(32), graph=False) as store:
        store.add_many(texts)
        hits = store.search("w3 v5", scoring="paper")
        assert hits.plan == "sieve"
        assert hits.exact
        many = store.search_many(["w3 v5", "v9 u17"] * 8, scoring="paper")
        assert {one.plan for one in many} == {"tile+codes"}
        assert [hit.memory.id for hit in many[0]] == [hit.memory.id for hit in hits]
        target = hits[0].memory.id
        store.update(target, text="nothing like it")
        assert target not in [hit.memory.id for hit in store.search("w3 v5", scoring="paper")]
        assert store.search("nothing like it", scoring="paper")[0].memory.id == target
        assert "plan='sieve+lexical'" in repr(store.search("w3"))


def test_every_event_that_moves_a_vector_moves_its_codes() -> None:
    with scrubjay.open(":memory:", embedder=WordHash(32)) as store:
        first = store.add("the planning meeting is in room 3")
        store.add("the office cat is called Miso")
        columns = store._engine.columns
        columns.codes()

        def checked() -> None:
            store._engine.refresh()
            for a, b in zip(columns.codes(), _core.codes(columns.what), strict=True):
                np.testing.assert_array_equal(a, b)

        def held() -> list[np.ndarray]:
            return [part[..., :2].copy() if len(part) == 4 else part[:2].copy() for part in columns.codes()]

        before = held()
        done = store.integrate("the planning meeting is in room 9")
        assert len(done.affected) >= 1
        checked()
        assert not all(np.array_equal(a, b) for a, b in zip(before, held(), strict=True))
        store.undo(done.event)
        checked()
        for a, b in zip(before, held(), strict=True):
            np.testing.assert_array_equal(a, b)
        store.update(first.id, text="lunch is at noon")
        checked()
        assert not all(np.array_equal(a, b) for a, b in zip(before, held(), strict=True))
