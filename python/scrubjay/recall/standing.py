"""How memories stand at a time: whether they have begun, were replaced or are over, and what age has left of them.

>>> import numpy as np
>>> validity(Columns(dim=2), np.empty(0, np.int64), 0.0).tolist()
[]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import CURRENT, Columns
from scrubjay.dynamics.term import remaining, standing
from scrubjay.slots.statements import statement

SKEW: Final = 300.0
"""Seconds by which a memory may be ahead of `now` and still count as begun: clocks differ (chosen)."""

QUESTION: Final = 0.7
"""What is left of the when-term of a memory that only asks (chosen): enough to be found, behind what would answer."""


def replaced(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.bool_]:
    """(k,): True for memories that an integration has superseded for good, by something that holds at `now`."""
    taken: NDArray[np.bool_] = (columns.flags[rows] & CURRENT) == 0
    lost = np.flatnonzero(taken)
    if len(lost):
        by = columns.rows(columns.superseded_by[rows[lost]])
        taken[lost] = (by < 0) | (columns.when[by] <= now + SKEW)
    return taken


def begun(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.bool_]:
    """(k,): False for memories of a time more than SKEW after `now`: what they say does not hold yet."""
    known: NDArray[np.bool_] = columns.when[rows] <= now + SKEW
    return known


def present(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,) in [0, 1]: 0 for what has not begun at `now`, or is over by its own words."""
    return begun(columns, rows, now) * remaining(columns, rows, now)


def taking(
    left: NDArray[np.float64], texts: Sequence[str], appointed: Callable[[str], bool] | None
) -> NDArray[np.float64]:
    """(k,) in [0, 1]: what memories of which `left` remains take of others' places. What is over by its own words takes
    none any more, but what had a time appointed has it for good: an earlier appointment does not hold again.

    >>> taking(np.zeros(2), ["I am in Rome until Friday.", "The launch is on 20 March."], lambda text: "launch" in text)
    array([0., 1.])
    """
    if appointed is None:
        return left
    over = np.array([share < 1.0 and appointed(text) for share, text in zip(left, texts, strict=True)], bool)
    return np.where(over, 1.0, left)


def validity(columns: Columns, rows: NDArray[np.int64], now: float) -> NDArray[np.float64]:
    """(k,) float64 in [0, 1]: U / V of eq. 3 for each row at `now` (an age below 0 counts as 0); where it names an
    end, what `scrubjay.dynamics.term` makes of that."""
    return standing(columns, rows, now)


def asks(text: str) -> bool:
    """Whether a text is a question and nothing else: it states nothing, and is no answer.

    >>> asks("Is the standup in room Kestrel?"), asks("The standup is in room Heron.")
    (True, False)
    """
    return text.rstrip(" \n\t\"')»”").endswith(("?", "？")) and statement(text).asks
