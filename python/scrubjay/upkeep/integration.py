"""Retroactive integration over columns: whom evidence reaches, how far it may move them, what it supersedes.

The law itself is `scrubjay.dynamics.integration`. Here are the rules around it:

- Pinned, sensitive and superseded memories, and those of other namespaces, are not reached.
- A memory has a budget of affinity per window: within `WINDOW` seconds all integrations together move it by at most
  `BUDGET` full-affinity steps, so that no flood of evidence drives a horizon to its floor.
- Of the memories that the evidence resembles most, those that state the same subject and attribute by the model
  (`scrubjay.slots.competition`) and by their words (`scrubjay.slots.agreement`), and are about an earlier time, lose
  their place to it; of a sentence of several clauses by those of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.codes import CODED_ROWS, WIDEST, Codes
from scrubjay.columns import ARCHIVED, CURRENT, LIVE, PINNED, SENSITIVE, Columns
from scrubjay.dynamics.integration import Integration, gate
from scrubjay.encode.clauses import clauses
from scrubjay.slots.agreement import LEAST_FRAME, agree
from scrubjay.slots.competition import SlotModel
from scrubjay.slots.outcomes import outcome
from scrubjay.slots.plans import planned
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement
from scrubjay.slots.vocabulary import single

BUDGET: Final = 3.0
"""Sum of affinities that integrations may use of a memory within `WINDOW` (chosen)."""
WINDOW: Final = 30 * 86400.0
"""Seconds (chosen)."""
LEAST_AFFINITY: Final = 1e-6
"""What is left of a budget below it moves nothing."""
POOL: Final = 256
"""Memories most like the evidence among which it may supersede some (chosen): as many as a search compares. Where a
hundred speak of one subject, the one that is contradicted is often not among the first few dozen."""
RELATED: Final = 0.3
"""Least cosine of a memory that evidence may supersede (chosen): below it no two statements share a slot."""


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that evidence moves, and those most like it."""

    rows: NDArray[np.int64]
    """Ascending."""
    affinities: NDArray[np.float32]
    """In (0, 1], within each memory's budget."""
    held_back: int
    """Memories whose budget allowed less than their affinity."""
    nearest: NDArray[np.int64]
    """At most `POOL` rows of cosine above `RELATED`, most alike first, of two alike the lower row."""
    complete: bool
    """True where these are all of them."""


def reach(
    columns: Columns,
    vector: NDArray[np.float32],
    space: int,
    at: float,
    law: Integration,
    *,
    without: Sequence[int] = (),
) -> Reach:
    """Whom the evidence reaches in namespace number `space` at time `at`; nothing is changed.

    One pass of the gate kernel. `without` are row numbers that are left out.
    """
    flags = columns.flags
    among = (flags & (LIVE | CURRENT | PINNED | SENSITIVE | ARCHIVED)) == (LIVE | CURRENT)
    among &= columns.space == space
    among[list(without)] = False
    least = min(law.theta, RELATED)
    seen, alike = gate(
        columns.what, vector, msgspec.structs.replace(law, theta=least), among=among, codes=_codes(columns)
    )
    # where the law's own threshold is the lower one, the pass saw more than can be superseded
    related = int(np.count_nonzero(least + alike.astype(np.float64) * (1.0 - least) > RELATED))
    best = _best(seen, alike)
    affinities = alike
    if law.theta > least:
        # the pass told how far each cosine is above `least`; what is left is arithmetic
        rho = least + alike.astype(np.float64) * (1.0 - least)
        affinities = ((rho - law.theta) / (1.0 - law.theta)).astype(np.float32)
        over = affinities > LEAST_AFFINITY
        seen, affinities = seen[over], affinities[over]
    spent = np.where(at - columns.spent_at[seen] > WINDOW, np.float32(0), columns.spent[seen])
    left = np.maximum(np.float32(0), np.float32(BUDGET) - spent)
    allowed = np.minimum(affinities, left)
    keep = allowed > LEAST_AFFINITY
    return Reach(
        rows=seen[keep],
        affinities=allowed[keep],
        held_back=int(np.count_nonzero(allowed < affinities)),
        nearest=best,
        complete=related <= POOL,
    )


def _best(rows: NDArray[np.int64], alike: NDArray[np.float32]) -> NDArray[np.int64]:
    some = np.arange(len(rows))
    if len(rows) > POOL:
        some = np.flatnonzero(alike >= np.partition(alike, len(alike) - POOL)[len(alike) - POOL])
    return rows[some[np.lexsort((rows[some], -alike[some]))[:POOL]]]


def _codes(columns: Columns) -> Codes | None:
    return columns.codes() if len(columns) >= CODED_ROWS and columns.dim <= WIDEST else None


def superseded(
    slots: SlotModel,
    text: str,
    vector: NDArray[np.float32],
    when: float,
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    whens: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Which of m memories the evidence takes the place of: same subject and attribute, and about an earlier time."""
    if not len(texts):
        return np.zeros(0, np.bool_)
    same = slots.same_slot([text, *texts], np.vstack([vector[None, :], vectors]), with_first=True)
    agreed = [_agrees(text, other, float(c)) for other, c in zip(texts, same[0, 1:], strict=True)]
    return np.array(agreed, np.bool_) & (whens < when)


def _agrees(text: str, memory: str, probability: float) -> bool:
    """Whether the evidence agrees, or what is so by the change that it tells of, or else a clause of its one sentence,
    the whole of which lets the memory fall."""
    if agree(text, memory, probability):
        return True
    state = outcome(text)
    if state and agree(state, memory, probability):
        return True
    whole = statement(text)
    if probability < LEAST_FRAME or planned(text) or not single(whole) or stands(whole, statement(memory)):
        return False
    said = clauses(text)
    return len(said) > 1 and any(agree(clause, memory, probability) for clause in said)
