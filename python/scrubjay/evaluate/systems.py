"""What is compared: anything that takes memories in and ranks them for a question.

A system is ingested once and asked many times. `rank` is all that it must answer; `survival` may be None where a system
has no idea of validity, and then everything it finds counts as valid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

DAY = 86400.0


class Item(msgspec.Struct, frozen=True):
    """A memory as every system is given it."""

    text: str
    when: float
    """Seconds since the epoch."""
    context: str | None = None
    metadata: dict[str, str] | None = None
    """What an importer would know of it besides: date and thread of a turn."""


@dataclass(frozen=True)
class Ranking:
    """The best memories for one query, best first."""

    rows: NDArray[np.int64]
    """Numbers of the items, in the order of their ingestion."""
    scores: NDArray[np.float64]
    p_valid: NDArray[np.float64]
    """P(the memory still holds at the time of the query), in [0, 1]."""


class Answer(msgspec.Struct, frozen=True):
    """What a system says to one query."""

    text: str
    p_valid: float
    row: int = -1
    """Number of the item that it rests on, -1 for none."""


class System(Protocol):
    """A memory system under test."""

    @property
    def name(self) -> str:
        """As it appears in the tables."""
        ...

    def ingest(self, items: Sequence[Item]) -> None:
        """Add memories; may be called again for later ones."""
        ...

    def rank(self, queries: Sequence[str], nows: Sequence[float], k: int) -> list[Ranking]:
        """For each query at its time, the best k (fewer where there are not as many)."""
        ...

    def answer(self, query: str, now: float, ranking: Ranking | None = None) -> Answer:
        """One answer in words; a ranking of the same query that is at hand already saves a search."""
        ...

    def survival(self, ages: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """(items, ages): P(still holds at the age in seconds), or None where the system has no such idea."""
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


Factory: TypeAlias = Callable[[], System]
"""Makes a fresh, empty system."""


def top_answer(items: Sequence[Item], ranking: Ranking) -> Answer:
    """The answer of a retrieval system: the text of its best hit, nothing where it has none."""
    if ranking.rows.size == 0:
        return Answer("", 1.0)
    row = int(ranking.rows[0])
    return Answer(items[row].text, float(ranking.p_valid[0]), row)


def top_rows(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Rows of the k best scores, best first, equal scores by row (so that a ranking never depends on chance)."""
    k = min(k, scores.size)
    if k < scores.size:
        edge = np.partition(scores, scores.size - k)[scores.size - k]
        rows = np.flatnonzero(scores >= edge)
    else:
        rows = np.arange(scores.size)
    return rows[np.lexsort((rows, -scores[rows]))][:k].astype(np.int64)
