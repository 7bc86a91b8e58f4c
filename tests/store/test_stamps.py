"""Which readings of a clock are believed where they contradict the order of the log."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from scrubjay.events import TaxonomySet
from scrubjay.store.log import EventLog
from scrubjay.store.stamps import believed

readings = st.lists(st.integers(0, 9).map(float), max_size=9)


def rises(at: list[float]) -> bool:
    return all(a <= b for a, b in pairwise(at))


@given(readings)
def test_the_fewest_readings_are_disbelieved(at: list[float]) -> None:
    mask = believed(np.array(at))
    assert rises([t for t, right in zip(at, mask, strict=True) if right])
    longest = max(n for n in range(len(at) + 1) if any(rises([*some]) for some in combinations(at, n)))
    assert mask.sum() == longest


@given(readings, st.lists(st.integers(-1, 10).map(float), min_size=1, max_size=4))
def test_until_is_the_prefix_that_the_believed_readings_name(at: list[float], asked: list[float]) -> None:
    with EventLog.open(":memory:", embedder="toy", dim=2) as log:
        for i, time in enumerate(at):
            with log.write() as tx:
                tx.append([TaxonomySet(at=time, label="factual", pi=0.5, tau=86400.0)])
            if i % 3 == 0:
                # what was read before is not read again, and a later event may change what is believed
                with log.read() as view:
                    log.stamps.until(view, 5.0)
        runs = [i for i in range(len(at)) if i + 1 == len(at) or at[i + 1] != at[i]]
        right = [i for i, keep in zip(runs, believed(np.array([at[i] for i in runs])), strict=True) if keep]
        for time in asked:
            with log.read() as view:
                got = log.stamps.until(view, time)[0]
            before = [i for i in right if at[i] <= time]
            if not before:
                assert got == 0
                continue
            last = before[-1]
            behind = min((i for i in right if i > last), default=None)
            first_behind = len(at) if behind is None else 1 + max(i for i in runs if i < behind)
            assert got == (first_behind if at[last] < time else last + 1)


def test_a_damaged_event_has_no_reading(tmp_path: Path) -> None:
    with EventLog.open(tmp_path / "s", embedder="toy", dim=2) as log:
        for time in (1.0, 2.0, 3.0):
            with log.write() as tx:
                tx.append([TaxonomySet(at=time, label="factual", pi=0.5, tau=86400.0)])
        with log.write() as tx:
            tx._db.execute("UPDATE events SET body = x'c1' WHERE seq = 2")
        with log.read() as view:
            assert [log.stamps.until(view, t)[0] for t in (0.5, 1.0, 2.0, 3.0)] == [0, 1, 1, 3]
