"""A clock that is set back in mid-run: nothing fails, no age is negative, and what was written later stays later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import scrubjay
from toys import Clock, WordHash

START = 1.7e9
BACK = (2.0, 3600.0, 10 * 86400.0, 90 * 365.25 * 86400.0)


@pytest.mark.parametrize("back", BACK)
def test_a_clock_that_is_set_back(tmp_path: Path, back: float) -> None:
    clock = Clock(START)
    with scrubjay.open(tmp_path / "s", embedder=WordHash(32), clock=clock) as store:
        rome = store.add("Ana lives in Rome")
        store.outcome(rome, 1.0)
        clock.now -= back
        oslo = store.add("Ana lives in Oslo", when=START + 1.0)
        store.outcome([rome, oslo], 0.5)
        store.update(rome.id, text="Ana lives in Bern", when=START)
        store.integrate("Ana lives in Oslo", when=START + 2.0)
        store.consolidate()
        for now in (None, START, START + 86400.0):
            hits = store.search("where does Ana live", now=now)
            assert all(np.isfinite(hit.score) and 0.0 <= hit.valid <= 1.0 for hit in hits)
            assert all(np.isfinite(value) for hit in hits for value in hit.factors.values())
        units = store.list()
        assert all(u.stability > 0.0 and u.due >= u.reviewed for u in units)
        assert ((store.validity([u.id for u in units]) >= 0.0) & (store.validity([u.id for u in units]) <= 1.0)).all()
        seqs = [entry.seq for entry in store.history(rome.id)]
        assert seqs == sorted(seqs)
        assert [entry.at for entry in store.history(rome.id)][:1] == [START]
        # what is true is told by `when`, whatever the clock says
        assert store.search("where does Ana live", now=START + 60.0)[0].memory.text == "Ana lives in Oslo"
        assert store.rebuild().same
    with scrubjay.open(tmp_path / "s", embedder=WordHash(32), clock=clock) as again:
        assert again.rebuild().same
        clock.now = START + 60.0
        assert again.search("where does Ana live")[0].memory.text == "Ana lives in Oslo"
