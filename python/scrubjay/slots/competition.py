"""Memories that compete: the when-term acts between statements of the same subject and attribute, not on age alone.

Pushing every old memory down ruins recall wherever most memories stay true. Here a memory loses its when-term to a
NEWER memory that states the same thing, in proportion to the probability that it does; age alone costs almost nothing.

    c_ij     = P(i and j state the same subject and attribute: at most one holds at a time), symmetric, c_ii = 0
    s_i      = 1 - prod over j with when_i < when_j <= now of (1 - c_ij w_j),   c_ij below `FLOOR` counts as 0
    U'_i     = V_i (1 - s_i) (1 - rho (1 - v_i)),    v_i = the head's validity at the memory's age
    valid_i  = v_i (1 - s_i)

w_j is what the end that j's own words name has left of it (`scrubjay.dynamics.term`): what is over gives the place
back.

The form of U' generalises eq. 3 of "Caching for the Future": with s = 0 and rho = 1 it is V_i v_i, the paper's utility.

>>> import numpy as np
>>> c = np.array([[0, 0.9, 0], [0.9, 0, 0], [0, 0, 0]])
>>> s = supersession(c, np.array([10.0, 20.0, 5.0]), now=30.0)
>>> s.round(3).tolist()
[0.9, 0.0, 0.0]
>>> when_term(np.ones(3), s, np.array([0.5, 1.0, 0.0])).round(3).tolist()
[0.099, 1.0, 0.985]
>>> supersession(c, np.array([10.0, 20.0, 5.0]), now=15.0).tolist()  # asked about the past: the successor is unknown
[0.0, 0.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.errors import ArgumentError
from scrubjay.remembered import remembered
from scrubjay.sets import distinct
from scrubjay.shipped import shipped_arrays
from scrubjay.slots.changes import SURE
from scrubjay.slots.forms import Form, Forms, form_of
from scrubjay.slots.known import KnownPairs, names_of
from scrubjay.slots.pair_columns import FEATURES, cosine_features
from scrubjay.slots.slot_features import BAND, Kind, Pair, kinds_of
from scrubjay.slots.statements import statement

RHO: Final = 0.015
"""Share of the when-term that age alone can take (measured on conversations: .05 costs .017 of R@5, .015 .001)."""
FLOOR: Final = 0.6
"""Competition below it is noise: many small probabilities must not add up to a supersession."""
OFFICE: Final = 0.9
"""Least c of two offices of one subject in one body: who became chairman is treasurer no more (chosen)."""
LEAST: Final = 0.5
"""What is less likely than it is 0: nobody reads more of it, and no law need be asked whether both stand."""
_COSINE_GATE: Final = 0.45
"""Pairs that share no content word and no attribute of their subject, and lie below this cosine, are not examined:
c = 0."""
_CLIP: Final = 4.0
_BLOCK: Final = 4096
"""Pairs examined at once: their features stay in the cache."""


def supersession(
    c: ArrayLike,
    when: ArrayLike,
    now: float,
    *,
    of: NDArray[np.intp] | None = None,
    sure: ArrayLike | None = None,
    order: ArrayLike | None = None,
    floor: float = FLOOR,
) -> NDArray[np.float64]:
    """s (r,) in [0, 1]: the probability that a newer memory has taken a memory's place.

    `c` (r, m) in [0, 1] competition of the memories at `of` (r,), by default of all, with each, itself not read;
    `when` (m,) seconds; only memories with when <= now supersede, and of two with the same time the one that is later
    in `order` (m,), neither without it; `sure` (m,) in [0, 1], 1 by default: how far each memory is itself believed
    (w_j). Entries of c below `floor`, and NaN, count as 0. Raises ArgumentError for shapes that differ.
    """
    matrix, times = np.asarray(c, np.float64), np.asarray(when, np.float64)
    m = times.size
    rows = np.arange(m) if of is None else of
    if times.ndim != 1 or matrix.shape != (rows.size, m):
        raise ArgumentError(
            f"c: shape {matrix.shape} does not fit when of shape {times.shape}; give {(rows.size, m)} and (m,)"
        )
    weight = np.ones(m) if sure is None else np.asarray(sure, np.float64)
    if weight.shape != (m,):
        raise ArgumentError(f"sure: shape {weight.shape} does not fit when of shape {times.shape}; give (m,)")
    counts = newer(times, now, of=rows, order=order) & (matrix >= floor)
    loss = np.where(counts, np.clip(matrix, 0, 1) * np.clip(np.nan_to_num(weight), 0, 1)[None, :], 0.0)
    return np.asarray(1.0 - np.prod(1.0 - loss, axis=1), np.float64)


def newer(
    when: NDArray[np.float64], now: float, *, of: NDArray[np.intp] | None = None, order: ArrayLike | None = None
) -> NDArray[np.bool_]:
    """(r, m): which memories may by their times have taken the place of those at `of` (r,); see `supersession`.

    >>> newer(np.array([10.0, 20.0, 30.0]), 25.0, of=np.array([0])).tolist()
    [[False, True, False]]
    """
    times, rows = when[None, :], np.arange(when.size) if of is None else of
    later: NDArray[np.bool_] = times > when[rows, None]
    if order is not None:
        written = np.asarray(order)
        later |= (times == when[rows, None]) & (written[None, :] > written[rows, None])
    return later & (times <= now)


def successors(
    c: ArrayLike, when: ArrayLike, now: float, *, order: ArrayLike | None = None, floor: float = FLOOR
) -> NDArray[np.int64]:
    """(m,) the place of the newest memory that competes with each and is newer than it, -1 for none.

    Arguments as of `supersession`.

    >>> c = np.array([[0, 0.9, 0], [0.9, 0, 0], [0, 0, 0]])
    >>> successors(c, np.array([10.0, 20.0, 5.0]), now=30.0).tolist()
    [1, -1, -1]
    """
    matrix, times = np.asarray(c, np.float64), np.asarray(when, np.float64)
    counts = newer(times, now, order=order) & (matrix >= floor)
    age = np.lexsort((np.arange(times.size) if order is None else np.asarray(order), times))
    last = np.empty(times.size, np.int64)
    last[age] = np.arange(times.size)
    best = np.where(counts, last[None, :], -1).argmax(axis=1) if times.size else np.empty(0, np.int64)
    return np.where(counts.any(axis=1), best, -1).astype(np.int64)


def when_term(value: ArrayLike, superseded: ArrayLike, validity: ArrayLike, *, rho: float = RHO) -> NDArray[np.float64]:
    """U' (m,) = V (1 - s) (1 - rho (1 - v)): the competition-aware utility.

    `value` >= 0, `superseded` s and `validity` v in [0, 1], `rho` in [0, 1]. A memory without a competitor keeps at
    least 1 - rho of its value however old it is. Raises ArgumentError for a rho outside [0, 1].
    """
    if not 0.0 <= rho <= 1.0:
        raise ArgumentError(f"rho: {rho} is outside [0, 1]; it is the share of the when-term that age alone can take")
    v, s, valid_now = (np.asarray(x, np.float64) for x in (value, superseded, validity))
    return np.asarray(v * (1.0 - s) * (1.0 - rho * (1.0 - valid_now)), np.float64)


def valid(validity: ArrayLike, superseded: ArrayLike) -> NDArray[np.float64]:
    """P(a memory still holds) (m,) = v (1 - s): not expired by itself, and not replaced by a newer one."""
    v, s = np.asarray(validity, np.float64), np.asarray(superseded, np.float64)
    return np.asarray(np.clip(v, 0.0, 1.0) * (1.0 - s), np.float64)


class SlotModel:
    """P(two memories state the same subject and attribute), from their texts and what-vectors alone.

    A small network (one hidden layer) over the features of `scrubjay.slots.pair_columns`, trained by
    `python -m scrubjay.training.slots`. Threads may share it.

    >>> model = SlotModel.load()
    >>> c = model.same_slot(["I love Chinese food.", "I hate Chinese food.", "My bike is blue."])
    >>> bool(c[0, 1] > 0.5), bool(c[0, 2] < 0.1)
    (True, True)
    """

    def __init__(self, weights: dict[str, NDArray[np.float32]], *, embedder: str | None) -> None:
        columns = len(FEATURES) + (3 if embedder is not None else 0)
        hidden = weights["inner"].shape[-1]
        for name, shape in {
            "mean": (columns,), "scale": (columns,), "inner": (columns, hidden), "inner_bias": (hidden,),
            "outer": (hidden,), "outer_bias": (1,),
        }.items():  # fmt: skip
            if weights[name].shape != shape:
                raise ArgumentError(
                    f"weights: {name} has shape {weights[name].shape} where {shape} is needed; train again"
                )
        self._w = weights
        self.embedder: Final = embedder
        """Name of the embedder whose cosines the model was trained with; None: it reads texts alone."""
        self.known: Final = KnownPairs()
        """What it has found for the last pairs."""

    @classmethod
    def load(cls, embedder_name: str | None = None) -> SlotModel:
        """The shipped model for an embedder, or the one that needs none where there is none for it."""
        return _load(embedder_name)

    def same_slot(
        self, texts: Sequence[str], vectors: ArrayLike | None = None, *, with_first: bool = False
    ) -> NDArray[np.float32]:
        """c (m, m) float32, symmetric, in [0, 1], zero on the diagonal.

        `vectors` (m, d): the unit what-vectors of the texts, by the model's embedder; needed where the model has one,
        otherwise not read. c of a pair depends on that pair alone, and is 0 below `LEAST`. The same words again are
        one statement: c = 1; a question states nothing, and what states many things (`Statement.sundry`) competes
        with nothing else: c = 0. `with_first`: only pairs with the first text are examined, all others are 0.
        Raises ArgumentError where vectors are missing or do not fit the texts.
        """
        pairs = Pairs(self, texts, vectors)
        if not with_first:
            return pairs.rows(np.arange(len(texts)))
        c = np.zeros((len(texts), len(texts)), np.float32)
        c[:1] = pairs.rows(np.arange(min(1, len(texts))))
        c[:, :1] = c[:1].T
        return c

    def probability(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """(pairs,) float32 from rows of features (pairs, columns)."""
        w = self._w
        x = np.clip((features - w["mean"]) * w["scale"], -_CLIP, _CLIP)
        # sums in float64: rounded, they are the same for a pair in whatever batch
        hidden = np.tanh((x.astype(np.float64) @ w["inner"] + w["inner_bias"]).astype(np.float32))
        z = hidden.astype(np.float64) @ w["outer"] + w["outer_bias"]
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(z, -30, 30))), np.float32)


class Said(NamedTuple):
    """What pairs of a text are told by, without its words."""

    form: Form
    states: bool
    """False for a text that only asks, or has no words: it states nothing."""
    sundry: bool
    """It states many things: as a whole it has no slot, whatever it shares with others."""


@remembered(room=1 << 24, longest=4000, beside=600)
def said(text: str) -> Said:
    """What a text says, for its pairs with others (pure; the last texts are remembered).

    >>> said("Is the office open?").states, said("The office is open.").states
    (False, True)
    """
    what = statement(text)
    return Said(form_of(what), not what.asks and what.ids.size > 0, what.sundry)


class Pairs:
    """P(same slot) among texts: a pair is examined when a row that it belongs to is first asked for, and what the model
    has found for a pair it tells of the same two texts and vectors again.

    >>> pairs = Pairs(SlotModel.load(None), ["I love tea.", "I hate tea.", "My bike is blue."])
    >>> c = pairs.rows(np.array([0]))
    >>> c.shape, bool(c[0, 1] > 0.5)
    ((1, 3), True)
    """

    def __init__(
        self,
        model: SlotModel,
        texts: Sequence[str],
        vectors: ArrayLike | None = None,
        *,
        earlier: Pairs | None = None,
    ) -> None:
        """`earlier` pairs of the same model, of which some texts may be the same."""
        self._model, self._texts = model, texts
        self._vectors: NDArray[np.float32] | None = None
        if model.embedder is not None:
            if vectors is None:
                raise ArgumentError(f"vectors: the model for {model.embedder} needs them; or use SlotModel.load(None)")
            rows = np.asarray(vectors, np.float32)
            if rows.ndim != 2 or rows.shape[0] != len(texts):
                raise ArgumentError(f"vectors: shape {rows.shape} does not fit {len(texts)} texts; give (m, d)")
            self._vectors = rows
        self._names = names_of(texts, self._vectors)
        self._said = [said(text) for text in texts]
        self._forms: Forms | None = None
        self._states = np.array([one.states for one in self._said], np.bool_)
        self._sundry = np.array([one.sundry for one in self._said], np.bool_)
        self._c = np.zeros((len(texts), len(texts)), np.float32)
        self._known = np.eye(len(texts), dtype=np.bool_)
        if earlier is not None and len(earlier._names) and len(texts):
            self._take(earlier)

    def _take(self, earlier: Pairs) -> None:
        """Take over what is known of pairs."""
        order = np.argsort(earlier._names)
        at = order[np.minimum(np.searchsorted(earlier._names, self._names, sorter=order), len(order) - 1)]
        same = np.flatnonzero(earlier._names[at] == self._names)
        # what is said twice now may have been said once
        there, first = np.unique(at[same], return_index=True)
        here = same[first]
        for mine, told in ((self._c, earlier._c), (self._known, earlier._known)):
            mine[np.ix_(here, here)] = told[np.ix_(there, there)]

    def rows(self, which: NDArray[np.intp], wanted: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """c (r, m) of the texts at `which` (r,) with each, of pairs that are not `wanted` (r, m) 0 or c."""
        due = ~self._known[which] if wanted is None else wanted & ~self._known[which]
        some = np.flatnonzero(due.any(axis=1))
        for a in range(0, some.size, BAND):
            rows = some[a : a + BAND]
            # a part of it may have been another band's
            left = due[rows] & ~self._known[which[rows]]
            if left.any():
                self._find(which[rows], left)
        return np.asarray(self._c[which])

    def _find(self, rows: NDArray[np.intp], due: NDArray[np.bool_]) -> None:
        """Find c of the pairs of some rows that are `due` (r, m)."""
        # of two that are both among the rows, once
        both = due[:, rows]
        due[:, rows] = both & ((rows[:, None] < rows) | ~both.T)
        p, q = np.nonzero(due)
        self._known[rows[p], q] = self._known[q, rows[p]] = True
        stating = self._states[rows[p]] & self._states[q]
        p, q = p[stating], q[stating]
        i, known = rows[p], self._model.known
        names = known.names(self._names[i], self._names[q])
        c = known.get(names)
        new = np.flatnonzero(np.isnan(c))
        if new.size:
            cosine = None
            if self._vectors is not None:
                cosine = _cosines(self._vectors, i[new], q[new])
            for a in range(0, new.size, _BLOCK):
                some = new[a : a + _BLOCK]
                c[some] = self._examined(i[some], q[some], None if cosine is None else cosine[a : a + _BLOCK])
            known.keep(names[new], c[new])
        self._c[i, q] = self._c[q, i] = c

    def _examined(
        self, i: NDArray[np.intp], j: NDArray[np.intp], cosine: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """(pairs,): c of statements that state something."""
        if self._forms is None:
            self._forms = Forms([one.form for one in self._said])
        kinds, pairs, place = kinds_of(self._forms, lambda at: statement(self._texts[at]), i, j)
        columns = [np.array(each) for each in list(zip(*kinds, strict=True))[:-1]]
        near, restated, office, _, agreement, features = (each[place] for each in columns)
        if cosine is not None:
            near |= cosine >= _COSINE_GATE
        out = np.where(near & restated, np.float32(1.0), np.float32(0.0))
        some = np.flatnonzero(near & ~restated & ~self._sundry[i] & ~self._sundry[j])
        x, place = features[some], place[some]
        if cosine is not None:
            x = np.concatenate([x, cosine_features(cosine[some])], axis=1)
        c = self._model.probability(x) * agreement[some].astype(np.float32)
        c = np.where(office[some], np.maximum(c, OFFICE), c)

        def holding(law: Callable[[Kind, Pair], bool], among: NDArray[np.bool_]) -> NDArray[np.bool_]:
            # laws cost more than the model: each is asked of those kinds alone of which some c may still change
            holds = np.zeros(len(kinds), bool)
            asked = np.zeros(len(kinds), bool)
            asked[place[among]] = True
            for kind in np.flatnonzero(asked).tolist():
                holds[kind] = law(kinds[kind], pairs[kind])
            return among & holds[place]

        c[holding(Kind.replaced, c < SURE)] = SURE
        c[c < LEAST] = 0.0
        c[holding(Kind.stands, c > 0.0)] = 0.0
        out[some] = c
        return np.asarray(out, np.float32)


def _cosines(vectors: NDArray[np.float32], left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float32]:
    """(pairs,) of unit vectors; in float64 before they are rounded, as of `SlotModel.probability`."""
    some, others = distinct(left), distinct(right)
    every = vectors[some].astype(np.float64) @ vectors[others].astype(np.float64).T
    found = every[np.searchsorted(some, left), np.searchsorted(others, right)]
    return np.asarray(np.clip(np.nan_to_num(found), -1, 1), np.float32)


class Rounds:
    """Pairs of the candidates of one question, which are others in each round, though most stay.

    >>> rounds = Rounds(SlotModel.load(None))
    >>> rounds.among(["I love tea.", "I hate tea."]).rows(np.array([0])).shape
    (1, 2)
    """

    def __init__(self, model: SlotModel) -> None:
        self._model = model
        self._last: Pairs | None = None

    def among(self, texts: Sequence[str], vectors: ArrayLike | None = None) -> Pairs:
        """The pairs of a round."""
        self._last = Pairs(self._model, texts, vectors, earlier=self._last)
        return self._last


@lru_cache(maxsize=8)
def _load(embedder_name: str | None) -> SlotModel:
    for name in (embedder_name, None):
        weights = shipped_arrays(f"slot-{name or 'text'}.npz")
        if weights is not None:
            return SlotModel(weights, embedder=name)
    raise ArgumentError("scrubjay/data/heads/slot-text.npz is missing from the installation; install scrubjay again")
