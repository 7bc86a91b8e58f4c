"""Whether a memory answers a question, learned from questions in other words than what answers them.

An embedder finds what is alike, and a question is alike to much that does not answer it. Of the best memories of a
search each gets a logit z_i, and "none of them" the logit 0:

    share_i = exp(z_i) / (1 + sum over j of exp(z_j)),        answered = sum over i of share_i

so that the shares are probabilities of one of them, or none, being the answer. z is a small network over the features
of `scrubjay.recall.answer_features`, plus the product of a memory's vector with what a second one makes of the
question's: stored vectors, and the indices over them, stay as they are. Trained by
`python -m scrubjay.training.answers`.

What a newer statement has replaced answers no more: its share goes to that one (`handed_on`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError
from scrubjay.recall import perceptron
from scrubjay.recall.answer_features import FEATURES, Query, features
from scrubjay.recall.standing import asks
from scrubjay.shipped import shipped_arrays

WINDOW: Final = 16
"""How many of the best memories are asked whether they answer (chosen; the model was trained on as many)."""
UNLIKELY: Final = 0.5
"""A note says so where it is less likely than this that any memory answers."""
_MOST: Final = perceptron.MOST


class AnswerModel:
    """P(each of a few memories answers a question), from their texts and vectors.

    Holds weights only: safe to share between threads. The same input gives the same shares.

    >>> AnswerModel.load("an embedder without one") is None
    True
    """

    def __init__(self, weights: dict[str, NDArray[np.floating]], *, embedder: str) -> None:
        """Raises ArgumentError where an array is missing or has another shape than the others ask for."""
        self._w = perceptron.checked(weights, _shapes)
        self.embedder: Final = embedder
        """Name of the embedder whose vectors it was trained with."""

    @classmethod
    def load(cls, embedder_name: str) -> AnswerModel | None:
        """The shipped model for an embedder; None where there is none for it."""
        return _load(embedder_name)

    def logits(self, query: Query, texts: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """(m,) float64 in [-30, 30]; -30 for what only asks. `vectors` (m, d) are the unit vectors of the texts.

        Raises ArgumentError for vectors of another number or size.
        """
        w = self._w
        dim = w["answer"].shape[1]
        if vectors.shape != (len(texts), dim):
            raise ArgumentError(f"vectors: shape {vectors.shape} does not fit {len(texts)} texts; give (m, {dim})")
        if not len(texts):
            return np.empty(0)
        z = perceptron.logits(w, features(query, texts, vectors))
        asked = np.concatenate([query.bare, query.vector])
        turned = np.maximum(asked @ w["question"] + w["question_bias"], 0.0) @ w["answer"]
        z = np.nan_to_num(z + vectors @ turned, nan=-_MOST)
        z = np.where([asks(text) for text in texts], -_MOST, z)
        return np.asarray(np.clip(z, -_MOST, _MOST), np.float64)

    def shares(self, query: Query, texts: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """(m,) in [0, 1]: the probability that each answers; what they lack of 1 is that of none. See `logits`."""
        return shares_of(self.logits(query, texts, vectors))


def _shapes(arrays: perceptron.Arrays) -> perceptron.Shapes:
    rank, dim = arrays["question"].shape[-1], arrays["answer"].shape[-1]
    more = {"question": (2 * dim, rank), "question_bias": (rank,), "answer": (rank, dim)}
    return perceptron.shapes(arrays, len(FEATURES)) | more


def shares_of(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits (..., m) to shares: a softmax with one more choice, of logit 0.

    >>> shares_of(np.zeros(1)), float(shares_of(np.full(3, 30.0)).sum().round(6))
    (array([0.5]), 1.0)
    """
    top = np.maximum(logits.max(axis=-1, keepdims=True, initial=0.0), 0.0)
    power = np.exp(logits - top)
    return np.asarray(power / (power.sum(axis=-1, keepdims=True) + np.exp(-top)))


def handed_on(
    shares: NDArray[np.float64], lost: NDArray[np.float64], successor: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Shares (m,) once what was lost to a newer statement is that one's; `successor` (m,) are places, -1 for none.

    >>> handed_on(np.array([0.6, 0.1]), np.array([0.9, 0.0]), np.array([1, -1])).round(2)
    array([0.06, 0.64])
    """
    given = shares * lost
    out = shares - given
    some = successor >= 0
    np.add.at(out, successor[some], given[some])
    return out


@lru_cache(maxsize=8)
def _load(embedder_name: str) -> AnswerModel | None:
    weights = shipped_arrays(f"answer-{embedder_name}.npz")
    return None if weights is None else AnswerModel(weights, embedder=embedder_name)
