"""Reference rows: what strategies get that are handed the right fact and differ in what they say about validity.

Combined accuracy: perfect 1.000, true schedule .909, always valid .636, always stale .364, memoriser of the seen cells
.818, type only .773, age only (> 25 sessions) .727. The true schedule loses the distractors, which none foresees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from scrubjay.evaluate.tgt.artefact import Benchmark, Query
from scrubjay.evaluate.tgt.judging import judge, with_note
from scrubjay.evaluate.tgt.metrics import Outcome
from scrubjay.evaluate.tgt.schedule import SEEN, interval_of, valid

Strategy = Callable[[Query], float]
"""A query with its ground truth to P(valid)."""


def _majority(kind: str) -> bool:
    """What a class is more often, over all intervals and with the distractors."""
    votes = [valid(kind, interval) for interval in ("I1", "I2", "I3", "I4", "I5")]
    votes += [False, False] if kind == "A" else []
    return 2 * sum(votes) > len(votes)


def _memoriser(query: Query) -> bool:
    """Knows the seen cells by heart and nothing in between: at a held-out age it answers as at the longest seen age.

    A and B look alike in the seen cells (valid, valid, stale), and so do C and D (valid throughout).
    """
    return valid(query.type, query.interval if query.interval in SEEN else "I4")


STRATEGIES: Final[dict[str, Strategy]] = {
    "perfect": lambda q: float(q.valid),
    "true schedule": lambda q: float(valid(q.type, interval_of(q.age) or q.interval)),
    "always valid": lambda _: 1.0,
    "always stale": lambda _: 0.0,
    "memoriser of the seen cells": lambda q: float(_memoriser(q)),
    "type only": lambda q: float(_majority(q.type)),
    "age only (> 25 sessions)": lambda q: float(q.age <= 25),
}
"""The seven rows by name."""


def outcomes(benchmark: Benchmark, strategy: Strategy) -> list[Outcome]:
    """The judged answers of a strategy that always finds the right fact."""
    found: list[Outcome] = []
    for instance in benchmark.instances:
        texts = {m.id: m.text for m in instance.memories}
        for q in instance.queries:
            p = strategy(q)
            verdict = judge(with_note(texts[q.target], p), reference=q.answer, valid=q.valid)
            found.append(Outcome.of(benchmark, instance, q, verdict, p_valid=p, rank=1))
    return found
