"""The verbs of upkeep that need a store: fitting its law of forgetting to its own outcomes, and implicit usefulness."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

import numpy as np

from scrubjay.columns import Columns
from scrubjay.errors import ArgumentError, ArgumentTypeError
from scrubjay.events import Learned, Outcome, Outcomes
from scrubjay.recall.hits import Hit
from scrubjay.upkeep import observe as observing
from scrubjay.upkeep.compaction import shares
from scrubjay.upkeep.fit import Fit, Reviews, fit, ordered, read_reviews
from scrubjay.upkeep.observe import Credit
from scrubjay.verbs import outcome
from scrubjay.verbs.engine import Engine

LEARNING_GRADE: Final = 3
"""What learning a memory counts as, where its outcomes are taken as reviews: Good (chosen)."""


def reviews_of(engine: Engine) -> Reviews:
    """The store's own outcomes as reviews: learning counts as Good, a signal as the nearest grade."""
    engine.refresh()
    thresholds = np.array(engine.columns.settings.thresholds)
    card: list[int] = []
    signal: list[float] = []
    time: list[float] = []
    for batch in engine.log.tail():
        for seq, event in zip(batch.seqs, batch.events, strict=True):
            if isinstance(event, Learned):
                card.append(event.key)
                signal.append(float(thresholds[LEARNING_GRADE - 1]))
                time.append(event.at if event.moment is None else event.moment)
            elif isinstance(event, Outcome | Outcomes):
                for key, _, said, _, moment, _, _ in shares(seq, event):
                    card.append(key)
                    signal.append(said)
                    time.append(moment)
    nearest = np.abs(np.array(signal)[:, None] - thresholds[None, :]).argmin(axis=1) + 1 if card else []
    return ordered(card, nearest, time)


def fit_fsrs(engine: Engine, source: object, held_out: float, use: bool) -> Fit:
    """Fit FSRS-6; see `facets.upkeep`."""
    if source is None:
        reviews = reviews_of(engine)
    elif isinstance(source, Reviews):
        reviews = source
    elif isinstance(source, (str, os.PathLike)):
        reviews = read_reviews(source)
    else:
        raise ArgumentTypeError(f"reviews: expected None, a CSV file or Reviews, got {type(source).__name__}")
    found = fit(reviews, held_out=held_out)
    if use:
        outcome.configure(engine, {"law": "fsrs-6", "weights": found.weights})
    return found


def observe(
    engine: Engine, answer: str, hits: Sequence[Hit], *, weight: float, source: str, lexical: float, semantic: float
) -> list[Credit]:
    """Credit the memories that an answer used; see `facets.upkeep`."""
    if not isinstance(hits, Sequence) or isinstance(hits, (str, bytes)) or not all(isinstance(h, Hit) for h in hits):
        raise ArgumentTypeError("hits: expected the hits of a search")
    heavy = outcome.check_weight(weight)
    least = [outcome.check_fraction(lexical, argument="lexical"), outcome.check_fraction(semantic, argument="semantic")]
    units = list({hit.memory.id: hit.memory for hit in hits}.values())
    pieces = observing.pieces(answer)
    if not units or not pieces:
        return []
    if len(pieces) > observing.MOST_PIECES:
        raise ArgumentError(f"answer: {len(pieces)} sentences; at most {observing.MOST_PIECES}")
    said = engine.embed(pieces, argument="answer", allow_zero=True).vectors
    engine.refresh()
    keys = [engine.key_of(unit.id, unit.namespace) for unit in units]
    with engine.gate.reading():
        columns: Columns = engine.columns
        rows = columns.rows(keys)
        what = columns.vectors[np.maximum(rows, 0)]
    credits = observing.credit(pieces, said, [unit.text for unit in units], what, lexical=least[0], semantic=least[1])
    credits = [
        Credit(id=unit.id, overlap=c.overlap, similarity=c.similarity, signal=c.signal)
        for unit, c in zip(units, credits, strict=True)
    ]
    who = outcome.check_source(source)
    at = engine.clock()
    events = [
        Outcome(at=at, keys=[key], signal=c.signal, weight=heavy, source=who, moment=engine.stamp(at))
        for key, c in zip(keys, credits, strict=True)
        if c.signal > 0
    ]
    if events:
        outcome.append_about(engine, [e.keys[0] for e in events], events)
    return [c for c in credits if c.signal > 0]
