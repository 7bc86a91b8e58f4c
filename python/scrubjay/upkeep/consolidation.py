"""Which memories a session's end puts aside: those that are worth little and that nothing worthwhile leans on.

    keep m if U(m, now) > least_utility or Phi(m) > least_support,    Phi(m) = sum over its neighbours of e U

Pinned memories and those of a sensitive class are kept whatever U says: a policy outranks perishability. What is put
aside is archived, not deleted, and can be restored.

Source: "Caching for the Future", section 3.8, eq. 15; both thresholds are chosen here.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import PINNED, SENSITIVE, Columns
from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.graph.csr import Csr
from scrubjay.recall.standing import validity

LEAST_UTILITY: Final = 0.05
"""eps (chosen)."""
LEAST_SUPPORT: Final = 0.10
"""eps_G (chosen)."""


class Sifted(msgspec.Struct, frozen=True):
    """The memories that were looked at, and what becomes of them."""

    rows: NDArray[np.int64]
    """That are put aside, ascending."""
    utility: NDArray[np.float64]
    """U of `rows`."""
    support: NDArray[np.float64]
    """Phi of `rows`."""
    looked: int
    immune: int
    """Kept although both are small: pinned, or of a sensitive class."""
    hubs: int
    """Kept for their neighbours alone."""


def check_least(value: object, *, argument: str) -> float:
    """A threshold: a finite number >= 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentTypeError(f"{argument}: expected a number, got {type(value).__name__}")
    if not 0.0 <= value <= 1e9:
        raise ArgumentError(f"{argument} = {shown(value)}: expected a number in [0, 1e9]")
    return float(value)


def sift(
    columns: Columns, csr: Csr, now: float, *, space: int | None, least_utility: float, least_support: float
) -> Sifted:
    """What consolidation at `now` would put aside, in namespace number `space` or everywhere. Nothing is changed."""
    every = np.arange(len(columns))
    visible = columns.visible()
    worth = np.zeros(len(columns))
    seen = every[visible]
    worth[seen] = columns.value[seen].astype(np.float64) * validity(columns, seen, now)
    here = seen if space is None else seen[columns.space[seen] == space]
    faded = here[worth[here] <= least_utility]
    if not len(faded):
        return Sifted(faded, np.empty(0), np.empty(0), len(here), 0, 0)
    support = csr.hop(columns, worth.astype(np.float32))[faded].astype(np.float64)
    leaned = support > least_support
    immune = (columns.flags[faded] & (PINNED | SENSITIVE)) != 0
    gone = ~leaned & ~immune
    return Sifted(
        rows=faded[gone],
        utility=worth[faded][gone],
        support=support[gone],
        looked=len(here),
        immune=int(np.count_nonzero(immune & ~leaned)),
        hubs=int(np.count_nonzero(leaned)),
    )
