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

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.errors import ArgumentError
from scrubjay.slots.changes import SURE
from scrubjay.slots.slot_features import FEATURES, PairTable, cosine_features
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
_BLOCK: Final = 1024
"""Pairs examined at once: their features stay in the cache."""


def supersession(
    c: ArrayLike,
    when: ArrayLike,
    now: float,
    *,
    sure: ArrayLike | None = None,
    order: ArrayLike | None = None,
    floor: float = FLOOR,
) -> NDArray[np.float64]:
    """s (m,) in [0, 1]: the probability that a newer memory has taken a memory's place.

    `c` (m, m) in [0, 1] competition, its diagonal is not read; `when` (m,) seconds; only memories with when <= now
    supersede, and of two with the same time the one that is later in `order` (m,), neither without it; `sure` (m,) in
    [0, 1], 1 by default: how far each memory is itself believed (w_j). Entries of c below `floor`, and NaN, count as 0.
    Raises ArgumentError for shapes that differ.
    """
    matrix, times = np.asarray(c, np.float64), np.asarray(when, np.float64)
    m = times.size
    if times.ndim != 1 or matrix.shape != (m, m):
        raise ArgumentError(f"c: shape {matrix.shape} does not fit when of shape {times.shape}; give (m, m) and (m,)")
    weight = np.ones(m) if sure is None else np.asarray(sure, np.float64)
    if weight.shape != (m,):
        raise ArgumentError(f"sure: shape {weight.shape} does not fit when of shape {times.shape}; give (m,)")
    counts = _newer(times, now, order) & (matrix >= floor)
    loss = np.where(counts, np.clip(matrix, 0, 1) * np.clip(np.nan_to_num(weight), 0, 1)[None, :], 0.0)
    return np.asarray(1.0 - np.prod(1.0 - loss, axis=1), np.float64)


def _newer(times: NDArray[np.float64], now: float, order: ArrayLike | None) -> NDArray[np.bool_]:
    """(m, m): whether the second is newer than the first, and known at `now`."""
    newer = times[None, :] > times[:, None]
    if order is not None:
        written = np.asarray(order)
        newer |= (times[None, :] == times[:, None]) & (written[None, :] > written[:, None])
    return np.asarray(newer & (times[None, :] <= now), np.bool_)


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
    counts = _newer(times, now, order) & (matrix >= floor)
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

    A small network (one hidden layer) over the features of `scrubjay.slots.slot_features`, trained by
    `python -m scrubjay.training.slots`. Holds weights only: safe to share between threads.

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

    @classmethod
    def load(cls, embedder_name: str | None = None) -> SlotModel:
        """The shipped model for an embedder, or the one that needs none where there is none for it."""
        return _load(embedder_name)

    def same_slot(
        self,
        texts: Sequence[str],
        vectors: ArrayLike | None = None,
        *,
        with_first: bool = False,
        known: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """c (m, m) float32, symmetric, in [0, 1], zero on the diagonal.

        `vectors` (m, d): the unit what-vectors of the texts, by the model's embedder; needed where the model has one,
        otherwise not read. c of a pair depends on that pair alone, and is 0 below `LEAST`. The same words again are
        one statement: c = 1; a question states nothing, and what states many things (`Statement.sundry`) competes
        with nothing else: c = 0. `with_first`: only pairs with the first text are examined, all others are 0.
        `known` (m, m): what was told of pairs before, NaN for those to examine.
        Raises ArgumentError where vectors are missing or do not fit the texts.
        """
        pairs = self.pairs(texts, vectors, known)
        if not with_first:
            return pairs.upto(len(texts))
        c = np.zeros((len(texts), len(texts)), np.float32)
        c[:1], c[:, :1] = (seen := pairs.upto(1))[:1], seen[:, :1]
        return c

    def pairs(
        self, texts: Sequence[str], vectors: ArrayLike | None = None, known: NDArray[np.float32] | None = None
    ) -> Pairs:
        """The same c, made row by row as it is asked for."""
        cosine: NDArray[np.float32] | None = None
        if self.embedder is not None:
            if vectors is None:
                raise ArgumentError(f"vectors: the model for {self.embedder} needs them; or use SlotModel.load(None)")
            rows = np.asarray(vectors, np.float32)
            if rows.ndim != 2 or rows.shape[0] != len(texts):
                raise ArgumentError(f"vectors: shape {rows.shape} does not fit {len(texts)} texts; give (m, d)")
            cosine = np.clip(np.nan_to_num(rows @ rows.T), -1, 1)
        return Pairs(self, texts, cosine, known)

    def probability(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """(pairs,) float32 from rows of features (pairs, columns)."""
        w = self._w
        x = np.clip((features - w["mean"]) * w["scale"], -_CLIP, _CLIP)
        z = np.tanh(x @ w["inner"] + w["inner_bias"]) @ w["outer"] + w["outer_bias"]
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(z, -30, 30))), np.float32)


class Pairs:
    """P(same slot) among m texts: a pair is examined when a row that it belongs to is first asked for."""

    def __init__(
        self,
        model: SlotModel,
        texts: Sequence[str],
        cosine: NDArray[np.float32] | None,
        known: NDArray[np.float32] | None,
    ) -> None:
        m = len(texts)
        self._model = model
        self._cosine = cosine
        self._c = np.zeros((m, m), np.float32)
        self._done = 0
        if m < 2:
            return
        self._table = PairTable([statement(text) for text in texts])
        near = (self._table.content > 0) | self._table.alike | self._table.rival
        if cosine is not None:
            near |= cosine >= _COSINE_GATE
        near &= self._table.states[:, None] & self._table.states
        np.fill_diagonal(near, False)
        self._c[self._table.restated() & near] = 1.0
        sundry = self._table.sundry
        self._near = near & (self._c == 0.0) & ~(sundry[:, None] | sundry)
        if known is not None:
            told = ~np.isnan(known)
            self._c[told] = known[told]
            self._near &= ~told

    def upto(self, rows: int) -> NDArray[np.float32]:
        """c (m, m) of which the first `rows` rows and columns are filled; the same array at every call."""
        rows = min(rows, len(self._c))
        if rows <= self._done or len(self._c) < 2:
            return self._c
        band = np.zeros_like(self._near)
        band[self._done : rows, self._done :] = self._near[self._done : rows, self._done :]
        left, right = np.nonzero(np.triu(band, 1))
        for a in range(0, left.size, _BLOCK):
            i, j = left[a : a + _BLOCK], right[a : a + _BLOCK]
            x = self._table.features(i, j)
            if self._cosine is not None:
                x = np.concatenate([x, cosine_features(self._cosine[i, j])], axis=1)
            c = self._model.probability(x) * self._table.agreement(i, j)
            c = np.where(self._table.office[i, j], np.maximum(c, OFFICE), c)
            # the laws cost more than the model: each is asked of those pairs alone whose c it may still change
            some = np.flatnonzero(c < SURE)
            c[some[self._table.replaced(i[some], j[some])]] = SURE
            c[c < LEAST] = 0.0
            some = np.flatnonzero(c)
            c[some[self._table.stands(i[some], j[some])]] = 0.0
            self._c[i, j] = self._c[j, i] = c
        self._done = rows
        return self._c


class KnownSlots:
    """A slot model that examines no pair twice of the texts that it was last asked about, as long as they grow.

    >>> slots = KnownSlots(SlotModel.load(None))
    >>> a = slots.same_slot(["I love tea.", "I hate tea."])
    >>> b = slots.same_slot(["My bike is blue.", "I hate tea.", "I love tea."])
    >>> bool(a[0, 1] == b[2, 1] > 0.5)
    True
    """

    def __init__(self, model: SlotModel) -> None:
        self._model = model
        self._told: tuple[dict[str, int], NDArray[np.float32]] = {}, np.zeros((0, 0), np.float32)

    def same_slot(self, texts: Sequence[str], vectors: ArrayLike | None = None) -> NDArray[np.float32]:
        """`SlotModel.same_slot`."""
        places, before = self._told
        first = {text: i for i, text in reversed(list(enumerate(texts)))}
        some = [i for text, i in first.items() if text in places]
        at = [places[texts[i]] for i in some]
        known = np.full((len(texts), len(texts)), np.nan, np.float32)
        known[np.ix_(some, some)] = before[np.ix_(at, at)]
        if len(some) == len(texts):
            return known
        c = self._model.same_slot(texts, vectors, known=known)
        if len(first) >= len(places):
            self._told = first, c
        return c


@lru_cache(maxsize=8)
def _load(embedder_name: str | None) -> SlotModel:
    folder = files("scrubjay") / "data" / "heads"
    shipped = {entry.name: entry for entry in folder.iterdir()} if folder.is_dir() else {}
    for name in (embedder_name, None):
        # a name is looked for among the files and never made a path
        path = shipped.get(f"slot-{name or 'text'}.npz")
        if path is not None:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                return SlotModel({k: archive[k] for k in archive.files}, embedder=name)
    raise ArgumentError("scrubjay/data/heads/slot-text.npz is missing from the installation; install scrubjay again")
