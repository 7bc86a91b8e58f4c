from __future__ import annotations

import random

import numpy as np
import pytest

from scrubjay import fold
from scrubjay.columns import Columns
from scrubjay.errors import CorruptionError
from scrubjay.events import AnyEvent, Batch, Event, Forgotten, Integrated, Learned, Reinforced, Undone, Updated
from tests.store.helpers import DIM, context, learned, space, unit
from tests.store.model import Model


def batch(after: int, events: list[AnyEvent]) -> Batch:
    return Batch(
        after=after, upto=after + len(events), seqs=list(range(after + 1, after + 1 + len(events))), events=events
    )


def history(seed: int, n: int) -> list[AnyEvent]:
    """A mixed history in which about a third of the memories are deleted again."""
    draw = random.Random(seed)
    events: list[AnyEvent] = [space(), context(0)]
    living: list[int] = []
    key = contexts = 1
    while len(events) < n:
        kind = draw.random()
        at = draw.uniform(0, 1e9)
        if kind < 0.5 or not living:
            events.append(learned(key, at=at, context=draw.randrange(-1, contexts), value=draw.random()))
            living.append(key)
            key += 1
        elif kind < 0.7:
            events.append(Reinforced(at=at, key=draw.choice(living), count=draw.randrange(1, 2**31)))
        elif kind < 0.85:
            picked = draw.choice(living)
            events.append(
                Updated(at=at, key=picked, vector=unit(draw.randrange(10**6)).tobytes(), pinned=draw.random() < 0.5)
            )
        elif kind < 0.87:
            events.append(context(contexts))
            contexts += 1
        else:
            gone = draw.sample(living, min(len(living), draw.randrange(1, 4)))
            living = [k for k in living if k not in gone]
            events.append(Forgotten(at=at, keys=gone))
    return events


def folded(events: list[AnyEvent], cuts: list[int]) -> Columns:
    columns = Columns(DIM)
    for start, stop in zip([0, *cuts], [*cuts, len(events)], strict=True):
        fold.apply(columns, batch(start, events[start:stop]))
    return columns


@pytest.mark.parametrize("seed", range(5))
def test_fold_is_the_model_however_the_log_is_cut(seed):
    events = history(seed, 1500)
    model = Model()
    for event in events:
        model.apply(event)
    draw = random.Random(seed)
    whole = folded(events, [])
    model.check(whole)
    digests = {whole.digest(), folded(events, list(range(1, len(events)))).digest()}
    for pieces in (2, 7, 50):
        digests.add(folded(events, sorted(draw.sample(range(1, len(events)), pieces))).digest())
    assert len(digests) == 1


def corrections(seed: int, n: int) -> list[AnyEvent]:
    """A history full of supersessions, of their undoing, and of deletions that bring the superseded back."""
    draw = random.Random(seed)
    events: list[AnyEvent] = [space(), *[learned(i) for i in range(1, 31)]]
    living = list(range(1, 31))
    while len(events) < n:
        kind, at = draw.random(), draw.uniform(0, 1e9)
        few = sorted(draw.sample(living, min(len(living), draw.randrange(1, 4))))
        if kind < 0.35 or len(living) < 12:
            key = max([e.key for e in events if isinstance(e, Learned)]) + 1
            events.append(learned(key, at=at))
            affinities = np.array([draw.uniform(0.1, 1.0) for _ in few], "<f4").tobytes()
            events.append(
                Integrated(
                    at=at,
                    key=key,
                    learned=True,
                    vector=unit(key).tobytes(),
                    keys=few,
                    affinities=affinities,
                    superseded=few[:1] if draw.random() < 0.7 else [],
                    value_step=0.1,
                    pi_step=0.2,
                    tau_step=-0.1,
                    what_step=0.2,
                    pi_floor=1e-3,
                    tau_low=60.0,
                    tau_high=3e7,
                    window=1e8,
                )
            )
            living.append(key)
        elif kind < 0.55:
            events.append(Reinforced(at=at, key=few[0], when=draw.uniform(0, 1e9)))
        elif kind < 0.7:
            events.append(Updated(at=at, key=few[0], value=draw.random()))
        elif kind < 0.8:
            k = len(few)
            numbers = np.array([draw.random() for _ in few])
            events.append(
                Undone(
                    at=at,
                    target=1,
                    keys=few,
                    what=b"".join(unit(draw.randrange(10**6)).tobytes() for _ in few),
                    superseded_by=[draw.choice([0, draw.choice(living)]) for _ in range(k)],
                    **{name: numbers.astype("<f4").tobytes() for name in ("value", "pi", "tau", "spent")},
                    **{name: numbers.astype("<f8").tobytes() for name in ("spent_at", "updated")},
                )
            )
        else:
            living = [key for key in living if key not in few]
            events.append(Forgotten(at=at, keys=few))
    return events


@pytest.mark.parametrize("seed", range(8))
def test_corrections_fold_alike_however_the_log_is_cut(seed):
    events = corrections(seed, 600)
    one_by_one = folded(events, list(range(1, len(events))))
    assert (one_by_one.superseded_by != 0).any()
    digests = {one_by_one.digest(), folded(events, []).digest()}
    draw = random.Random(seed)
    for pieces in (1, 3, 40):
        digests.add(folded(events, sorted(draw.sample(range(1, len(events)), pieces))).digest())
    assert len(digests) == 1


def test_compaction_during_a_fold_changes_nothing(monkeypatch):
    events = history(11, 800)
    calm = folded(events, list(range(10, 800, 10)))
    monkeypatch.setattr("scrubjay.columns.WASTE_ROWS", 0)
    monkeypatch.setattr("scrubjay.columns.WASTE_SHARE", 0.0)
    eager = folded(events, list(range(10, 800, 10)))
    assert eager.generation > 10 > calm.generation
    assert eager.digest() == calm.digest()


def test_evidence_saturates():
    columns = folded([learned(1), *[Reinforced(at=0.0, key=1, count=2**31 - 1)] * 3], [2])
    assert columns.evidence.tolist() == [2**31 - 1]


def test_the_last_time_of_a_run_stays():
    runs = [Reinforced(at=5.0, key=1), Reinforced(at=9.0, key=2), Reinforced(at=3.0, key=1)]
    columns = folded([learned(1), learned(2), *runs], [])
    assert columns.updated.tolist() == [3.0, 9.0]
    assert columns.evidence.tolist() == [3, 2]


class Unheard(Event, frozen=True, kw_only=True, tag="unheard"):
    """An event of a version to come."""


def test_an_unknown_event_is_named_and_changes_nothing():
    columns = folded([learned(1)], [])
    before = columns.digest()
    with pytest.raises(CorruptionError, match="Unheard"):
        fold.apply(columns, batch(1, [learned(2), Unheard(at=0.0)]))
    assert columns.digest() == before


def test_a_batch_must_follow():
    columns = folded([learned(1)], [])
    for after in (0, 2):
        with pytest.raises(CorruptionError, match="the columns are at 1"):
            fold.apply(columns, batch(after, [learned(2)]))
    assert len(columns) == 1


def test_keys_must_rise_and_contexts_be_known():
    with pytest.raises(CorruptionError, match="do not rise"):
        folded([learned(2), learned(1)], [])
    with pytest.raises(CorruptionError, match="context 3"):
        folded([learned(1, context=3)], [])
    with pytest.raises(CorruptionError, match="do not continue"):
        folded([context(1)], [])
    with pytest.raises(CorruptionError, match="bytes"):
        folded([learned(1, vector=b"short")], [])


def test_what_depends_on_a_damaged_event_is_passed_over_and_counted():
    columns = Columns(DIM)
    events = [learned(2, context=1), Reinforced(at=1.0, key=1), Updated(at=1.0, key=1, value=9.0), context(2)]
    late = [Forgotten(at=1.0, keys=[1, 2]), learned(3, context=0)]
    fold.apply(columns, Batch(after=0, upto=7, seqs=[4, 5, 6, 7], events=events, damaged=[1, 2, 3]))
    fold.apply(columns, batch(7, late))
    assert columns.damaged == [1, 2, 3]
    assert columns.orphans == 3
    assert columns.key[columns.live()].tolist() == [3]
    # the contexts that were lost are rows of zeros, so that every number has one
    assert columns.contexts.shape == (3, DIM)
    assert not columns.contexts[:2].any()
    assert columns.contexts[2].tobytes() == context(2).vector


def test_a_bulk_fold_takes_no_step_per_row_in_the_columns():
    n = 20_000
    rng = np.random.default_rng(0)
    what = rng.standard_normal((n, DIM)).astype(np.float32)
    what /= np.linalg.norm(what, axis=1, keepdims=True)
    template = learned(1)
    events: list[AnyEvent] = [
        Learned(
            **{f: getattr(template, f) for f in template.__struct_fields__ if f not in ("key", "vector", "when")},
            key=i + 1,
            vector=what[i].tobytes(),
            when=float(i),
        )
        for i in range(n)
    ]
    columns = folded(events, [8000, 16_000])
    assert np.array_equal(columns.what, what)
    assert np.array_equal(columns.when, np.arange(n))
