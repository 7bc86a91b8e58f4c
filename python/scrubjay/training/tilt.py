"""What the facts near a prototype add to a network that reads how they are said and not what they are about.

The rhythm of a project's releases, the terms of an office: how much more or less often than the network says the facts
there end in each component's span. It is a factor r on the mixture's weights, found by expectation-maximisation on the
K nearest facts i, each worth exp(-SHARPNESS (the nearest's cosine - its own)), with their likelihoods L and the
network's answers m,

    r = (strength mean_i m_i + sum_i w_i posterior_i) / (strength mean_i m_i + sum_i w_i m_i),
    posterior_i ~ m_i r L_i,

both blurred along the components, since few facts tell little of neighbouring spans. Its logarithm is kept in few
directions.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.training.network import Array

NEAREST: Final = 64
"""Facts that are asked around a prototype."""
SHARPNESS: Final = 20.0
"""A fact counts less by e for each 1 / SHARPNESS of cosine that it lies behind the nearest."""
STRENGTH: Final = 4.0
"""Facts that the network's own answer counts for."""
BLUR: Final = 1.5
"""Standard deviation of the blur, in components."""
RANK: Final = 12
"""Directions in which tilts are kept: more say no more of the train subjects split once more."""
_STEPS: Final = 8
_MOST: Final = 1e3
_LEAST: Final = np.float32(1e-9)
_CHUNK: Final = 512


def tilts(prototypes: Array, look: Array, answer: Array, likelihood: Array) -> Array:
    """(P, K): ln r around each prototype (P, d), of n facts (n, d) with a network's answers and likelihoods (n, K)."""
    count = min(NEAREST, len(look))
    blur = _blur(answer.shape[1])
    result = np.zeros((len(prototypes), answer.shape[1]), np.float32)
    for start in range(0, len(prototypes), _CHUNK):
        cosine = prototypes[start : start + _CHUNK] @ look.T
        place = np.argpartition(-cosine, count - 1, axis=1)[:, :count]
        near = np.take_along_axis(cosine, place, 1)
        weight = np.exp(np.float32(SHARPNESS) * (near - near.max(axis=1, keepdims=True)))[:, :, None]
        own = answer[place]
        expected = (weight * own).sum(axis=1)
        prior = np.float32(STRENGTH) * expected / weight.sum(axis=1)
        # what the network excludes stays as it is
        below = (expected + prior) @ blur + _LEAST
        seen = own * likelihood[place]
        factor = np.ones_like(below)
        for _ in range(_STEPS):
            part = seen * factor[:, None, :]
            part /= part.sum(axis=2, keepdims=True)
            factor = (((weight * part).sum(axis=1) + prior) @ blur + _LEAST) / below
        result[start : start + _CHUNK] = np.log(np.clip(factor, 1.0 / _MOST, _MOST))
    return result


def compressed(tilt: Array, weight: Array) -> tuple[Array, Array]:
    """(P, q) and (q, K), q <= `RANK`: their product is the nearest to the tilts (P, K), each with its weight (P); where
    that is 0 nothing is kept.

    >>> rows = np.outer([1.0, 2.0, 3.0], [0.5, -0.5]).astype(np.float32)
    >>> few, directions = compressed(rows, np.ones(3, np.float32))
    >>> bool(np.allclose(few @ directions, rows, atol=1e-5))
    True
    """
    left, size, right = np.linalg.svd(tilt * weight[:, None], full_matrices=False)
    q = min(RANK, size.size)
    # The sign of a direction is arbitrary: its largest entry is made positive.
    sign = np.sign(right[np.arange(q), np.abs(right[:q]).argmax(axis=1)])
    few = left[:, :q] * (size[:q] * sign) / np.maximum(weight, 1e-2)[:, None]
    return few.astype(np.float32), (right[:q] * sign[:, None]).astype(np.float32)


def _blur(k: int) -> NDArray[np.float32]:
    """(K, K): rows sum to 1. What never ends, the last component, is mixed with nothing."""
    place = np.arange(k)
    rows = np.exp(-0.5 * ((place[:, None] - place) / BLUR) ** 2)
    rows[-1, :-1] = rows[:-1, -1] = 0.0
    blur: NDArray[np.float32] = (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)
    return blur
