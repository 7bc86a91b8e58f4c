"""Which memory has taken another's place as the answer to a question.

What states the same slot is known from the texts alone (`scrubjay.slots.competition`), where words show it. Often they
do not: "We sit in the coworking space on Rua Augusta" and "Signed the lease: two floors in Marvila" are rivals only for
who asks where the office is. So each two of the first memories are looked at beside the question:

    p_ij = P(the newer j has taken the older i's place as the answer to q),    lost_i = max over newer j of p_ij

p counts as 0 below FLOOR / (1 - 1 / m) of m memories, for how rare a word is among few says little, and where what
they say shows that both stay true (`scrubjay.slots.standing`). A memory that has lost l keeps 1 - l of its when-term
and of `valid`, and hands its share of the answer on; it comes at most just behind the one that took its place
(`paid`). Age alone takes nothing: where no newer memory answers, nobody loses; nor does a memory that by its words
has ended another one, whose affair it is, and what lasts by itself loses next to nothing, a birthplace to no home
(`outlasting`). What both say by one verb ("plays for") is left to the pair model, which knows such. p is a small
network's over the features of `scrubjay.recall.succession_features`, trained by `python -m
scrubjay.training.succession`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.recall import perceptron
from scrubjay.recall.standing import asks
from scrubjay.recall.succession_features import FEATURES, Seen, features
from scrubjay.shipped import shipped_arrays
from scrubjay.slots.standing import stands
from scrubjay.slots.statements import statement

FLOOR: Final = 0.32
"""A probability below this, and more where there are few memories, counts as 0 (chosen)."""
LASTS: Final = 0.1
"""What is less likely than this to end within a year by itself is the less likely replaced (chosen)."""
BEHIND: Final = 0.005
"""By how much of a score what has lost all comes behind its successor (chosen)."""
_ENDED: Final = 0.5
"""What has lost more than this to a statement of its own slot is over (chosen)."""


class Succession(NamedTuple):
    """What each of m memories has lost, and to which."""

    lost: NDArray[np.float64]
    """(m,) in [0, 1]."""
    by: NDArray[np.int64]
    """(m,) the place of the likeliest successor, -1 for none."""


def none_lost(m: int) -> Succession:
    """Of m memories none has lost anything."""
    return Succession(np.zeros(m), np.full(m, -1, np.int64))


class SuccessionModel:
    """P(a newer memory has taken an older one's place as the answer to a question).

    Holds weights only: safe to share between threads. The same input gives the same probabilities.

    >>> SuccessionModel.load("an embedder without one") is None
    True
    """

    def __init__(self, weights: dict[str, NDArray[np.floating]], *, embedder: str) -> None:
        """Raises ArgumentError where an array is missing or has another shape than the others ask for."""
        self._w = perceptron.checked(weights, lambda arrays: perceptron.shapes(arrays, len(FEATURES)))
        self.embedder: Final = embedder
        """Name of the embedder whose vectors it was trained with."""

    @classmethod
    def load(cls, embedder_name: str) -> SuccessionModel | None:
        """The shipped model for an embedder; None where there is none for it."""
        return _load(embedder_name)

    def probabilities(self, x: NDArray[np.float32]) -> NDArray[np.float64]:
        """(...) in (0, 1) from features (..., len(FEATURES))."""
        most = perceptron.MOST
        z = np.clip(np.nan_to_num(perceptron.logits(self._w, x), nan=-most), -most, most).astype(np.float64)
        return np.asarray(1.0 / (1.0 + np.exp(-z)))

    def find(self, seen: Seen) -> Succession:
        """What each of the memories seen has lost to a newer one of them."""
        m = len(seen.texts)
        p = np.zeros((m, m))
        said = [statement(text) for text in seen.texts]
        states = np.array([not asks(text) for text in seen.texts], bool)
        verb = np.array([one.verb for one in said], np.int64)
        # what has ended another by their words is about that one's affairs
        heirs = seen.after[(seen.after >= 0) & (seen.lost >= _ENDED)]
        may = states & ~np.isin(np.arange(m), heirs)
        pairs = seen.newer & states[:, None] & may & ((verb[:, None] != verb) | (verb == 0))
        if pairs.any():
            p[pairs] = self.probabilities(features(seen)[pairs])
            p *= seen.present
            # how rare a word is among few says little
            p[p * (1.0 - 1.0 / m) < FLOOR] = 0.0
        for i, j in zip(*np.nonzero(p), strict=True):
            if stands(said[i], said[j]):
                p[i, j] = 0.0
        lost = p.max(axis=1, initial=0.0)
        return Succession(lost, np.where(lost > 0.0, p.argmax(axis=1) if m else 0, -1).astype(np.int64))


def handed_down(shares: NDArray[np.float64], told: Succession, age: NDArray[np.intp]) -> NDArray[np.float64]:
    """Shares (m,) once each has handed what it lost to its heir, the places `age` (m,) oldest first, so that
    heirs hand it on.

    >>> told = Succession(np.array([1.0, 0.5, 0.0]), np.array([1, 2, -1]))
    >>> handed_down(np.array([0.4, 0.2, 0.1]), told, np.arange(3)).round(2).tolist()
    [0.0, 0.3, 0.4]
    """
    out: NDArray[np.float64] = shares.copy()
    for i in age.tolist():
        if told.by[i] >= 0:
            given = out[i] * told.lost[i]
            out[i] -= given
            out[told.by[i]] += given
    return out


def outlasting(told: Succession, holds: NDArray[np.float64]) -> Succession:
    """What is left of the losses where each memory by itself holds for another year with probability `holds` (m,).

    >>> told = Succession(np.array([0.9, 0.9]), np.array([2, 2]))
    >>> outlasting(told, np.array([0.5, 0.995]))
    Succession(lost=array([0.9, 0. ]), by=array([ 2, -1]))
    """
    lost = told.lost * np.clip((1.0 - holds) / LASTS, 0.0, 1.0)
    lost[lost < FLOOR] = 0.0
    return Succession(lost, np.where(lost > 0.0, told.by, -1))


def paid(
    scores: NDArray[np.float64], due: NDArray[np.float64], told: Succession, age: NDArray[np.intp]
) -> NDArray[np.float64]:
    """What each of some scores (m,) loses of what is `due` (m,): no more than puts it `BEHIND` its successor. `age` as
    of `handed_down`.

    >>> told = Succession(np.array([1.0, 0.0]), np.array([1, -1]))
    >>> paid(np.array([0.9, 0.8]), np.array([0.5, 0.0]), told, np.arange(2)).round(3).tolist()
    [0.105, 0.0]
    """
    out, left = np.zeros(len(scores)), scores.copy()
    for i in age[::-1].tolist():
        if told.by[i] >= 0:
            out[i] = min(due[i], max(left[i] - left[told.by[i]] + BEHIND, 0.0))
            left[i] -= out[i]
    return out


@lru_cache(maxsize=8)
def _load(embedder_name: str) -> SuccessionModel | None:
    weights = shipped_arrays(f"succession-{embedder_name}.npz")
    return None if weights is None else SuccessionModel(weights, embedder=embedder_name)
