"""The graph stage of a search: what the neighbours of the candidates bring them, and who comes in by an edge.

    Phi_i = sum over the neighbours j of e_ij S0_j U_j,    score_i = S0_i + delta Phi_i

S0 is the score without this term ("Caching for the Future", eq. 8, with S0 where the source's S is circular), U the
when-term of the law in use. Under scoring "paper" Phi is this sum: with degree d it lies in [-d, d] times the largest
S0 U. Under "competitive" it is the mean of the memory's own S0 U (weight 1) and its neighbours' (weights e_ij), so that
it never exceeds the largest S0 U, a memory gains nothing by the number of its neighbours, and one that has lost its
place loses as much of it. The U of a neighbour outside of the pool is taken as if it had no competitor.

All neighbours of the candidates are scored. Those that the scan had not found, and that Phi could lift into the list,
come in: at most `ENTER` of them. A row that was neither scanned into the pool nor is a neighbour of it has only
neighbours outside of the pool, none of which scores above the pool's last bound: that bounds its Phi, and is how a list
is proved exact.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import LIVE, VISIBLE, Columns
from scrubjay.graph.edges import Neighbours, neighbours
from scrubjay.links import WIDTH, Alive
from scrubjay.recall.factors import FACTORS
from scrubjay.recall.once import Once
from scrubjay.recall.pool import WHEN, Pool, Question, Utility, contributions
from scrubjay.recall.scope import Scope
from scrubjay.sets import without

ENTER: Final = 16
"""Most memories that come in by an edge alone (chosen)."""

GRAPH: Final = FACTORS.index("graph")

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Field(msgspec.Struct, frozen=True):
    """What is known of the surroundings of a pool of candidates."""

    pool: Neighbours
    """Edges of the pool."""
    others: Rows
    """Neighbours that are not in the pool, ascending."""
    score: Floats
    """S0 of `others`."""
    brings: Floats
    """S0 U of `others`."""
    enter: Rows
    """Those of the others that should be candidates."""
    further: Neighbours
    """Edges of `enter`."""
    beyond: Rows
    """Neighbours of `enter` that are in neither list, ascending."""
    beyond_brings: Floats
    missed: float
    """No other neighbour that may be an answer can score above this; -inf where all have been looked at."""


class Surroundings:
    """What the rounds of one question ask of rows: their edges by rule, and S0 and U of neighbours, `utility` giving U
    as far as it is known without competitors."""

    def __init__(self, columns: Columns, question: Question, utility: Utility) -> None:
        self._columns = columns
        self._visible = Alive(columns.flags, VISIBLE, LIVE)
        self.utility = utility

        def scored(rows: Rows) -> tuple[Floats, Floats]:
            use = utility(rows)
            return contributions(columns, question, rows, use).sum(axis=1), use

        self._near = Once(lambda rows: columns.links.near(rows, self._visible))
        self._scored = Once(scored)

    def edges(self, rows: Rows) -> Neighbours:
        """All edges of some rows to visible ones."""
        other, value = self._near(rows)
        return neighbours(self._columns.links, rows, self._visible, self._columns.key, (other, value))

    def score(self, rows: Rows) -> tuple[Floats, Floats]:
        """S0 and U of some rows."""
        base, use = self._scored(rows)
        return base, use


def field(
    columns: Columns,
    question: Question,
    scope: Scope,
    pool: Pool,
    k: int,
    *,
    known: Surroundings,
    room: float,
    bounded: bool,
) -> Field:
    """Look around a pool of candidates for what may belong to the k best.

    Competitors may take up to `room` from a score; `bounded` names the law: a mean in place of a sum.
    """
    rows, delta = pool.rows, float(question.weights[GRAPH])
    around = known.edges(rows)
    others = without(around.rows, rows)
    base, use = known.score(others)
    brings = base * use
    nothing = Neighbours(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    may = others[scope.holds(others)]
    if not len(may):
        return Field(around, others, base, brings, may, nothing, np.empty(0, np.int64), np.empty(0), -np.inf)
    edges = known.edges(may)
    order = np.argsort(rows)
    at = np.minimum(np.searchsorted(rows[order], edges.rows), len(rows) - 1)
    pooled = rows[order][at] == edges.rows
    cap = ceiling(columns, pool.bound)
    message = np.where(pooled, np.maximum(pool.scores[order][at], 0.0) * _largest(columns), cap)
    total = np.bincount(edges.at, edges.weights, len(may))
    upper = np.bincount(edges.at, edges.weights * message, len(may))
    own = np.searchsorted(others, may)
    if bounded:
        upper = (brings[own] + upper) / (1.0 + total)
    most = base[own] + delta * np.maximum(upper, 0.0)
    parts = pool.parts.copy()
    parts[:, WHEN] = question.weights[WHEN] * known.utility(rows)
    now = parts.sum(axis=1)
    least = float(np.partition(now, -k)[-k]) - room if len(now) >= k else -np.inf
    best = np.argsort(-most, kind="stable")
    best = best[most[best] > least]
    chosen = np.sort(best[:ENTER])
    missed = float(most[best[ENTER]]) if len(best) > ENTER else -np.inf
    enter = may[chosen]
    kept = np.isin(edges.at, chosen)
    further = Neighbours(np.searchsorted(chosen, edges.at[kept]), edges.rows[kept], edges.weights[kept])
    beyond = without(further.rows, np.concatenate([rows, others]))
    far, far_use = known.score(beyond)
    return Field(around, others, base, brings, enter, further, beyond, far * far_use, missed)


def phi(found: Field, rows: Rows, brings: Floats, *, bounded: bool) -> Floats:
    """Phi of the pool and, behind it, of those that came in; `brings` is S0 U of these `rows`."""
    n = len(rows) - len(found.enter)
    names = np.concatenate([rows, found.others, found.beyond])
    values = np.concatenate([brings, found.brings, found.beyond_brings])
    # of a row that is named twice the first value counts: that of the rows themselves
    unique, first = np.unique(names, return_index=True)
    at = np.concatenate([found.pool.at, found.further.at + n])
    target = np.concatenate([found.pool.rows, found.further.rows])
    weight = np.concatenate([found.pool.weights, found.further.weights])
    message = values[first][np.searchsorted(unique, target)]
    total = np.asarray(np.bincount(at, weight * message, len(rows)), np.float64)
    if bounded:
        # the mean of what it brings itself and what its neighbours do: an edge more is no gain by itself
        return np.asarray((brings + total) / (1.0 + np.bincount(at, weight, len(rows))), np.float64)
    return total


def edges_among(found: Field, rows: Rows) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(e,), (e,): the places among `rows` (n,), as `phi` has them, of both ends of each edge between two of them."""
    n = len(rows) - len(found.enter)
    at = np.concatenate([found.pool.at, found.further.at + n])
    target = np.concatenate([found.pool.rows, found.further.rows])
    order = np.argsort(rows)
    to = order[np.minimum(np.searchsorted(rows[order], target), len(rows) - 1)]
    here = rows[to] == target
    return at[here], to[here]


def ceiling(columns: Columns, bound: float) -> float:
    """No row whose S0 is at most `bound` has a larger S0 U."""
    return max(0.0, bound) * _largest(columns)


def degree(columns: Columns) -> float:
    """No Phi by the law as printed is larger than this times the largest S0 U among the neighbours."""
    return WIDTH + columns.links.heaviest()


def _largest(columns: Columns) -> float:
    return float(columns.value.max()) if len(columns) else 0.0
