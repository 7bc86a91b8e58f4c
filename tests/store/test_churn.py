"""Memories that come and go: what is gone takes no room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay.columns import WASTE_ROWS, WASTE_SHARE
from scrubjay.fold import rebuild
from scrubjay.store.connect import fetch
from toys import Clock, WordHash

CYCLES = 12
ADDED, LEFT = 400, 20
LONG = " ".join(f"word{i} of a long text that ends here." for i in range(60))


def cycle(store: Any, number: int, living: list[str], *, purge: bool) -> list[str]:
    """Add, search and delete; the ids that are left."""
    items = [
        {
            "text": f"note {number} {i}" + (LONG if i % 40 == 0 else ""),
            "namespace": f"u{i % 4}",
            "context": f"desk {i % 9}",
            "metadata": {"page": i, "thread": f"t{i % 11}"},
        }
        for i in range(ADDED)
    ]
    living += [memory.id for memory in store.add_many(items)]
    store.search("note 3", namespace="u3", k=3)
    order = np.random.default_rng(number).permutation(len(living)).tolist()
    gone, kept = [living[i] for i in order[:-LEFT]], [living[i] for i in order[-LEFT:]]
    assert store.delete(gone, purge=True).done if purge else store.delete(gone) == len(gone)
    store.search("note 3", namespace="u3", k=3)
    return kept


def counts(store: Any) -> dict[str, int]:
    tables = ("memories", "lexical_sizes", "marks")
    with store._engine.log.read() as view:
        found = {name: int(fetch(view._db, f"SELECT count(*) FROM {name}")[0][0]) for name in tables}
        found["words"] = int(fetch(view._db, "SELECT count(DISTINCT doc) FROM lexical_terms")[0][0])
    return found


def files(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("purge", [False, True])
def test_cycles_of_adding_and_deleting_keep_memory_flat(tmp_path: Path, purge: bool) -> None:
    living: list[str] = []
    held, folder = [], []
    with scrubjay.open(tmp_path / "s", embedder=WordHash(32), clock=Clock(), durability="normal") as store:
        columns = lambda: store._engine.columns  # noqa: E731
        for number in range(CYCLES):
            living = cycle(store, number, living, purge=purge)
            found = counts(store)
            assert found["memories"] == found["lexical_sizes"] == found["words"] == len(living) == len(store)
            assert found["marks"] == 2 * len(living)
            dead = len(columns()) - len(living)
            assert dead <= max(WASTE_ROWS, WASTE_SHARE * len(columns())) + ADDED
            assert len(columns().passages) * 4 * 32 <= columns().passages.nbytes
            held.append(columns().nbytes)
            folder.append(files(tmp_path / "s"))
        # as many rows as there ever were at once, with the slack of their growth, and no more
        each = store.stats().column_bytes / max(1, len(columns()))
        assert max(held[CYCLES // 2 :]) <= 1.2 * max(held[: CYCLES // 2]) + each * WASTE_ROWS
        assert columns().contexts.shape[0] <= 9 * (CYCLES if purge else 1)
        assert rebuild(store._engine.log).digest() == columns().digest()
        if purge:
            # what is left of each is an id and an empty place in the log; at some time a snapshot is written
            assert max(folder) <= folder[0] + 120 * ADDED * CYCLES + (1 << 19)
    # the log that is written ahead ends with the handle
    assert sum(file.stat().st_size for file in (tmp_path / "s").glob("*-wal")) == 0
