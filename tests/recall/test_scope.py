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
