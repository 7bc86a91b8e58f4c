"""Scores of judged answers: accuracy by interval and class, the two gaps, and how good P(valid) is.

GenGap = Acc(I2) + Acc(I4) - 2 Acc(I3) is printed with its sign as in the source (eq. 16), next to what that says.
InterpGap = Acc(I3) - (Acc(I2) + Acc(I4)) / 2, minus the same for the system's own facts said to be always valid: the
design alone makes I3 easier or harder, and that part is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError
from scrubjay.evaluate import metrics
from scrubjay.evaluate.bootstrap import Interval, codes, draw_weights, statistic_interval
from scrubjay.evaluate.tgt.artefact import Benchmark, Instance, Query
from scrubjay.evaluate.tgt.judging import Verdict
from scrubjay.evaluate.tgt.schedule import HELD_OUT, INTERVALS, SEEN, TYPES

GENGAP_READING: Final = (
    "GenGap = Acc(I2) + Acc(I4) - 2 Acc(I3), as printed in the source. By this formula it is POSITIVE when I3 lies "
    "BELOW its neighbours: a memoriser of the seen cells gets +.30, the true schedule -.20, perfection 0. It is no "
    "goal: its standard error at 1,320 queries is .06 to .10."
)


class Outcome(msgspec.Struct, frozen=True):
    """One judged answer."""

    seed: int
    instance: str
    query: str
    interval: str
    type: str
    kind: str
    age: int
    valid: bool
    distractor: bool
    factual: bool
    staleness: bool
    p_valid: float | None = None
    """The system's P(valid) of its best hit; None where it has no such idea."""
    rank: int = 0
    """1-based rank of the target, 0 where it was not found."""

    @classmethod
    def of(
        cls, benchmark: Benchmark, instance: Instance, q: Query, verdict: Verdict, *, p_valid: float | None, rank: int
    ) -> Outcome:
        """The outcome of one query."""
        return cls(
            benchmark.seed, instance.id, q.id, q.interval, q.type, q.kind, q.age, q.valid, q.distractor,
            verdict.factual, verdict.staleness, p_valid, rank,
        )  # fmt: skip


class ProbabilityScore(msgspec.Struct, frozen=True):
    """How good P(valid) is over some queries."""

    n: int
    brier: float
    ece: float
    auroc: float
    auroc_within: float
    """Within the interval."""


class TgtScore(msgspec.Struct, frozen=True):
    """All numbers of one system on one or more benchmarks."""

    n: int
    instances: int
    seeds: int
    combined: Interval
    factual: float
    staleness: float
    accuracy: dict[str, Interval]
    """Combined accuracy by interval."""
    tgs: Interval
    """Mean of the five intervals' accuracies."""
    gen_gap: Interval
    gen_gap_error: float
    """Bootstrap standard error of gen_gap."""
    interp_gap: Interval
    seen: float
    """Combined accuracy over I1, I2, I4."""
    held_out: dict[str, float]
    """Combined accuracy at I3 (interpolation) and I5 (extrapolation)."""
    cells: dict[str, dict[str, float]]
    """Combined accuracy by class, then interval."""
    kinds: dict[str, float]
    """Combined accuracy by kind of query."""
    recall_at_5: float
    mrr: float
    validity: dict[str, ProbabilityScore] | None
    """P(valid) on "all", "seen", "I3" and "I5", over the answers that rest on the right fact."""
    staleness_at: dict[str, float] = {}
    """Staleness right by interval."""
    falsely_stale: dict[str, float] = {}
    """By class, share of the valid memories of which the answer says that they may be stale."""
    gen_gap_reading: str = GENGAP_READING
    """How to read the sign of gen_gap."""


def _accuracy(correct: NDArray[np.float64], rows: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    total = float(weight[rows].sum())
    return float(correct[rows] @ weight[rows]) / total if total > 0 else float("nan")


def score(outcomes: Sequence[Outcome], *, draws: int = 1000, seed: int = 0) -> TgtScore:
    """Score outcomes; the bootstrap draws instances (of all seeds)."""
    if not outcomes:
        raise ArgumentError("outcomes: none were given")
    groups = [(o.seed, o.instance) for o in outcomes]

    def column(get: Callable[[Outcome], Any], dtype: Any = np.float64) -> NDArray[Any]:
        return np.array([get(o) for o in outcomes], dtype)

    correct = column(lambda o: o.factual and o.staleness)
    # the same facts, always said to be valid
    plain = column(lambda o: o.factual and o.valid)
    stale_right, holds = column(lambda o: o.staleness), column(lambda o: o.valid, bool)
    interval, kind = column(lambda o: o.interval, object), column(lambda o: o.type, object)
    question = column(lambda o: o.kind, object)
    at = {name: interval == name for name in INTERVALS}
    everything = np.ones(len(outcomes), bool)
    ones = np.ones(len(outcomes))

    def gen_gap(w: NDArray[np.float64]) -> float:
        acc = {name: _accuracy(correct, at[name], w) for name in ("I2", "I3", "I4")}
        return acc["I2"] + acc["I4"] - 2.0 * acc["I3"]

    def interp_gap(w: NDArray[np.float64]) -> float:
        moved = {name: _accuracy(correct - plain, at[name], w) for name in ("I2", "I3", "I4")}
        return moved["I3"] - 0.5 * (moved["I2"] + moved["I4"])

    def ci(statistic: Callable[[NDArray[np.float64]], float]) -> Interval:
        return statistic_interval(statistic, groups, draws=draws, seed=seed)

    gaps = [gen_gap(w) for w in draw_weights(codes(groups), draws=draws, seed=seed)]
    ranks = [[o.rank] if o.rank else [] for o in outcomes]
    return TgtScore(
        n=len(outcomes),
        instances=len(set(groups)),
        seeds=len({o.seed for o in outcomes}),
        combined=ci(lambda w: _accuracy(correct, everything, w)),
        factual=float(column(lambda o: o.factual).mean()),
        staleness=float(column(lambda o: o.staleness).mean()),
        accuracy={name: ci(lambda w, name=name: _accuracy(correct, at[name], w)) for name in INTERVALS},  # type: ignore[misc]
        tgs=ci(lambda w: float(np.mean([_accuracy(correct, at[name], w) for name in INTERVALS]))),
        gen_gap=ci(gen_gap),
        gen_gap_error=float(np.std(gaps)),
        interp_gap=ci(interp_gap),
        seen=_accuracy(correct, np.isin(interval, SEEN), ones),
        held_out={name: _accuracy(correct, at[name], ones) for name in HELD_OUT},
        cells={t: {name: _accuracy(correct, at[name] & (kind == t), ones) for name in INTERVALS} for t in TYPES},
        kinds={k: _accuracy(correct, question == k, ones) for k in sorted(set(question))},
        recall_at_5=float(np.mean([metrics.recall_at(r, 1, 5) for r in ranks])),
        mrr=float(np.mean([metrics.reciprocal_rank(r) for r in ranks])),
        validity=_validity(outcomes),
        staleness_at={name: _accuracy(stale_right, at[name], ones) for name in INTERVALS},
        falsely_stale={t: _accuracy(1.0 - stale_right, holds & (kind == t), ones) for t in TYPES},
    )


def _validity(outcomes: Sequence[Outcome]) -> dict[str, ProbabilityScore] | None:
    """Scores of P(valid) where the answer rests on the right fact: a probability about another memory has no label."""
    if any(o.p_valid is None for o in outcomes):
        return None
    parts = {"all": tuple(INTERVALS), "seen": SEEN, "I3": ("I3",), "I5": ("I5",)}
    out: dict[str, ProbabilityScore] = {}
    for name, intervals in parts.items():
        chosen = [o for o in outcomes if o.interval in intervals and o.factual]
        p = [o.p_valid if o.p_valid is not None else 1.0 for o in chosen]
        cases = metrics.Cases([o.valid for o in chosen], p, [o.interval for o in chosen])
        out[name] = ProbabilityScore(len(chosen), cases.brier(), cases.ece(), cases.auroc(), cases.auroc_within())
    return out
