"""Which passage of a long memory a hit names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.recall.hits import Passage
from scrubjay.recall.passages import telling
from scrubjay.recall.pool import LEXICAL
from scrubjay.recall.ranking import Ranked
from scrubjay.store.tokens import query_words
from scrubjay.verbs.engine import Engine


class Spans(NamedTuple):
    """The passages of a memory beside a query."""

    where: NDArray[np.int32]
    """(k, 2): where each begins and ends in the text, in characters."""
    likeness: NDArray[np.float64]
    """(k,): how near each is to the query."""
    share: float
    """Weight of words beside that of likeness."""


def spans_of(engine: Engine, answer: Ranked, weights: NDArray[np.float64]) -> list[Spans | None]:
    """The passages of each row of an answer, None for a short memory. The caller holds the gate."""
    said = answer.passages
    if said is None:
        return [None] * len(answer.rows)
    share = float(weights[LEXICAL] / weights[0])
    span = engine.columns.passages.span
    places = [said.places_of(row) for row in answer.rows.tolist()]
    return [
        Spans(span[said.at[at]], said.likeness[at].astype(np.float64), share) if at.stop > at.start else None
        for at in places
    ]


def passage_of(query: str, text: str, spans: Spans | None) -> Passage | None:
    """The passage that answers; None for a short memory."""
    if spans is None or spans.where[-1, 1] > len(text):  # another writer has just changed it
        return None
    at = telling(text, spans.where, spans.likeness, query_words(query), spans.share)
    start, stop = spans.where[at].tolist()
    return Passage(text[start:stop], start, stop)
