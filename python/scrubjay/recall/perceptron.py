"""One hidden layer beside a linear one: what the small models of a search compute from their features.

    z = x d + tanh(x W + b) v + c,        x = clip((features - mean) scale, -4, 4)

>>> flat = {"mean": 0, "scale": 1, "direct": 2, "inner": [[0]], "inner_bias": [0], "outer": [0], "bias": [1]}
>>> logits({name: np.atleast_1d(np.float32(part)) for name, part in flat.items()}, np.float32([[0.5], [9.0]])).tolist()
[2.0, 9.0]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError

Arrays = Mapping[str, NDArray[np.floating]]
Shapes = dict[str, tuple[int, ...]]
MOST: Final = 30.0
"""Largest size of a logit."""
_CLIP: Final = 4.0


def shapes(arrays: Arrays, width: int) -> Shapes:
    """What the arrays of `width` features must be like, by the hidden units that there are."""
    hidden = arrays["inner"].shape[-1]
    return {
        "mean": (width,), "scale": (width,), "direct": (width,), "bias": (1,), "inner": (width, hidden),
        "inner_bias": (hidden,), "outer": (hidden,),
    }  # fmt: skip


def checked(arrays: Arrays, needed: Callable[[Arrays], Shapes]) -> dict[str, NDArray[np.float32]]:
    """A model's arrays, float32. Raises ArgumentError where one is missing or has another shape than is `needed`."""
    try:
        wanted = needed(arrays)
        wrong = [name for name, shape in wanted.items() if arrays[name].shape != shape]
    except (KeyError, IndexError) as error:
        raise ArgumentError(f"weights: {error} is missing; train again") from None
    if wrong:
        raise ArgumentError(f"weights: {', '.join(wrong)} of another shape than is needed; train again")
    return {name: np.asarray(arrays[name], np.float32) for name in wanted}


def logits(w: Mapping[str, NDArray[np.float32]], features: NDArray[np.float32]) -> NDArray[np.float32]:
    """(...) from features (..., width)."""
    x = np.clip((features - w["mean"]) * w["scale"], -_CLIP, _CLIP)
    z: NDArray[np.float32] = x @ w["direct"] + np.tanh(x @ w["inner"] + w["inner_bias"]) @ w["outer"] + w["bias"]
    return z
