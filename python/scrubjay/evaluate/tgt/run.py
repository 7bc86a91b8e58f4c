"""Run a system on a benchmark: ingest an instance's pool, ask its queries, judge the answers.

Sessions become seconds by one number, `session` (a day unless stated). That number may be fitted on I1, I2 and I4 by
log loss of P(valid) and nothing else: then I3 and I5 show what the system's idea of validity says about ages that
nobody fitted it to.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.evaluate import metrics
from scrubjay.evaluate.systems import DAY, Answer, Factory, Item, System
from scrubjay.evaluate.tgt.artefact import Benchmark, Instance, Query
from scrubjay.evaluate.tgt.judging import Verdict, judge, with_note
from scrubjay.evaluate.tgt.metrics import Outcome
from scrubjay.evaluate.tgt.schedule import EXPIRY, SEEN, TYPES
from scrubjay.protocols import Progress

EPOCH: Final = 1_700_000_000.0
"""Session 0, in seconds since 1970 (any fixed time does)."""
SESSION_GRID: Final = tuple(float(x) for x in np.geomspace(60.0, 30 * DAY, 49))
"""Lengths of a session that a fit chooses from."""
RANKED: Final = 10

JudgeFunction = Callable[[Query, str], Verdict]


def heuristic(query: Query, answer: str) -> Verdict:
    """The judge without a model."""
    return judge(answer, reference=query.answer, valid=query.valid)


class Expiry(msgspec.Struct, frozen=True):
    """At which age, in sessions, P(valid) of a class falls below one half."""

    median: float
    inside: float
    """Share of the memories whose crossing lies in the class's window."""
    window: tuple[float, float]


class TgtRun(msgspec.Struct, frozen=True):
    """What a system did on one benchmark."""

    system: str
    session: float
    outcomes: tuple[Outcome, ...]
    expiry: dict[str, Expiry] | None
    curves: dict[str, tuple[tuple[float, float, float], ...]] | None
    """By class, the quartiles of P(valid) over its memories at each of `CURVE_AGES`."""
    milliseconds: float
    """Mean time of a query, ingestion left out (of this machine: not to be compared between runs)."""


def pool(instance: Instance, session: float) -> list[Item]:
    """The memories as a system gets them."""
    return [Item(m.text, EPOCH + m.created * session) for m in instance.memories]


def _answers(system: System, instance: Instance, session: float) -> list[tuple[Answer, int]]:
    """Answer and rank of the target for each query."""
    row = {m.id: i for i, m in enumerate(instance.memories)}
    nows = [EPOCH + q.now * session for q in instance.queries]
    rankings = system.rank([q.text for q in instance.queries], nows, RANKED)
    out: list[tuple[Answer, int]] = []
    for q, now, ranking in zip(instance.queries, nows, rankings, strict=True):
        place = np.flatnonzero(ranking.rows == row[q.target])
        out.append((system.answer(q.text, now, ranking), int(place[0]) + 1 if place.size else 0))
    return out


def run(
    factory: Factory,
    benchmark: Benchmark,
    *,
    session: float = DAY,
    judge_with: JudgeFunction = heuristic,
    progress: Progress | None = None,
) -> TgtRun:
    """Run a system; each instance gets a fresh one."""
    outcomes: list[Outcome] = []
    crossings: dict[str, list[float]] = {t: [] for t in TYPES}
    shapes: dict[str, list[NDArray[np.float64]]] = {t: [] for t in TYPES}
    spent, name, blind = 0.0, "", False
    for done, instance in enumerate(benchmark.instances, 1):
        system = factory()
        name = system.name
        system.ingest(pool(instance, session))
        survival = system.survival(AGES * session)
        blind = blind or survival is None
        begin = time.perf_counter()
        answers = _answers(system, instance, session)
        spent += time.perf_counter() - begin
        for q, (answer, rank) in zip(instance.queries, answers, strict=True):
            verdict = judge_with(q, with_note(answer.text, answer.p_valid))
            p = None if survival is None else answer.p_valid
            outcomes.append(Outcome.of(benchmark, instance, q, verdict, p_valid=p, rank=rank))
        if survival is not None:
            for memory, curve in zip(instance.memories, survival, strict=True):
                crossings[memory.type].append(_crossing(curve))
                shapes[memory.type].append(curve[_CURVE_ROWS])
        system.close()
        if progress is not None:
            progress(done, len(benchmark.instances))
    expiry = None if blind else {t: _expiry(t, ages) for t, ages in crossings.items()}
    curves = None if blind else {t: _quartiles(shape) for t, shape in shapes.items()}
    return TgtRun(name, session, tuple(outcomes), expiry, curves, 1000.0 * spent / max(1, len(outcomes)))


AGES: Final = np.concatenate([np.arange(0.0, 130.0, 0.25), np.geomspace(130.0, 1e6, 200)])
"""Ages in sessions at which curves are read."""
CURVE_AGES: Final = tuple(float(a) for a in range(0, 81, 2))
"""Ages in sessions of the curves in the report."""
_CURVE_ROWS: Final = np.searchsorted(AGES, CURVE_AGES)


def _quartiles(curves: Sequence[NDArray[np.float64]]) -> tuple[tuple[float, float, float], ...]:
    table = np.quantile(np.array(curves), [0.25, 0.5, 0.75], axis=0)
    return tuple((float(low), float(middle), float(high)) for low, middle, high in table.T)


def _crossing(curve: NDArray[np.float64]) -> float:
    below = np.flatnonzero(curve < 0.5)
    return float(AGES[below[0]]) if below.size else math.inf


def _expiry(kind: str, ages: Sequence[float]) -> Expiry:
    low, high = EXPIRY[kind]
    inside = [low < a < high or (a == high == math.inf) for a in ages]
    return Expiry(float(np.median(ages)), float(np.mean(inside)), (low, high))


def fit_session(factory: Factory, benchmark: Benchmark) -> float | None:
    """The length of a session (of `SESSION_GRID`) that gives P(valid) of the targets the least log loss on I1, I2 and
    I4; None for a system without an idea of validity. I3 and I5 are never looked at."""
    labels: list[bool] = []
    columns: list[NDArray[np.float64]] = []
    for instance in benchmark.instances:
        system = factory()
        system.ingest(pool(instance, DAY))
        row = {m.id: i for i, m in enumerate(instance.memories)}
        seen = [q for q in instance.queries if q.interval in SEEN]
        ages = sorted({q.age for q in seen})
        grid = np.array([[a * s for a in ages] for s in SESSION_GRID])
        survival = system.survival(grid.ravel())
        system.close()
        if survival is None:
            return None
        table = survival.reshape(len(instance.memories), *grid.shape)
        for q in seen:
            labels.append(q.valid)
            columns.append(table[row[q.target], :, ages.index(q.age)])
    losses = [metrics.log_loss(labels, p) for p in np.clip(np.array(columns).T, 0.0, 1.0)]
    return SESSION_GRID[int(np.argmin(losses))]
