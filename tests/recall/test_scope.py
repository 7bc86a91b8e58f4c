"""Which rows a search may see: the index follows its columns, also where rows go without a new event."""

from __future__ import annotations

import numpy as np
import pytest

import scrubjay
from scrubjay.columns import Columns
from scrubjay.recall.scope import ScopeIndex
from toys import WordHash


def _columns(texts: list[str], gone: list[int]) -> Columns:
    with scrubjay.open(":memory:", embedder=WordHash()) as store:
        ids = [unit.id for unit in store.add_many([{"text": text} for text in texts])]
        store.delete([ids[i] for i in gone])
        columns: Columns = store._engine.columns
    return columns


@pytest.mark.parametrize("space", [None, 0])
def test_rows_that_are_squeezed_out_at_the_same_event_leave_the_scope(space: int | None) -> None:
    columns = _columns([f"tea {i}" for i in range(5)], [1, 3])
    number = space if space is None else int(columns.space[0])
    index = ScopeIndex()
    before = index.scope(columns, number)
    assert before.live is not None
    assert len(before.live) == len(columns) == 5
    seq = columns.seq
    columns.compact()
    after = index.scope(columns, number)
    assert columns.seq == seq
    assert len(columns) == 3
    assert after.count == 3
    assert after.holds(np.arange(3)).all()
    assert after.live is None or len(after.live) == 3


@pytest.mark.parametrize("kind", ["all", "masked", "rows", "few"])
def test_the_newest_up_to_now_is_that_of_a_plain_look(kind: str) -> None:
    rng = np.random.default_rng(3)
    names = {"all": ["a"], "masked": ["a", "a", "a", "b"], "rows": ["a", "b", "c"], "few": ["a", "b", "c"]}[kind]
    times = rng.integers(-5, 40, 60).astype(float)
    with scrubjay.open(":memory:", embedder=WordHash()) as store:
        store.add_many(
            [
                {"text": f"tea {i}", "when": float(at), "namespace": names[i % len(names)]}
                for i, at in enumerate(times.tolist())
            ]
        )
        columns: Columns = store._engine.columns
    index = ScopeIndex()
    mine = columns.when[columns.space == 0]
    scope = index.several(columns, ("a",), np.array([0])) if kind == "few" else index.scope(columns, 0)
    for now in [*rng.permutation(np.arange(-7.0, 42.0, 0.5)).tolist(), 12.0, 12.0, -np.inf]:
        past = mine[mine <= now]
        assert scope.latest(columns, now) == (past.max() if len(past) else None)


def test_a_scope_without_memories_has_no_newest() -> None:
    assert ScopeIndex().scope(_columns([], []), None).latest(_columns([], []), 5.0) is None


@pytest.mark.parametrize("ahead", ["2099-01-01", "2026-02-05", "2026-02-02T12:00:30"])
def test_what_is_dated_after_now_does_not_set_the_weight_of_the_when_term(ahead: str) -> None:
    with scrubjay.open(":memory:", embedder=WordHash()) as store:
        store.add("The build is green.", when="2026-02-01T10:00")
        store.add("The build is red.", when="2026-02-02T10:00")
        asked = {"now": "2026-02-02T12:00"}
        alone = store.search("is the build green?", **asked).weights
        past = store.search("is the build green?", now="2026-02-01T12:00").weights
        store.add("Lorem ipsum.", when=ahead)
        assert store.search("is the build green?", **asked).weights == alone
        assert alone is not None
        assert past == alone, "two hours after the newest that was there then"
        before = store.search("is the build green?", now="2025-01-01").weights
        assert before is not None
        assert before.when < alone.when, "nothing was known yet: no time has passed since"
