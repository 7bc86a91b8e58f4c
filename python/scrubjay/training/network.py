"""One member of the ensemble: a network with one hidden layer that chooses mixture weights, fitted by the likelihood.

The likelihood of an observation is linear in the mixture weights (`scrubjay.encode.curves.likelihood`), so censoring
is exact: an ended fact counts by the probability of its interval, a censored one by its survival. Adam, cosine step
size, weight decay, Gaussian noise on the inputs; deterministic for a seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrubjay.training.adam import Adam

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Fit:
    """How a member is fitted."""

    hidden: int = 96
    epochs: int = 24
    batch: int = 256
    """Texts a step."""
    step: float = 2e-3
    decay: float = 1e-3
    noise: float = 1.3
    """Standard deviation of the noise added to each input (inputs have a scale of about 1)."""
    sentence_noise: float = 0.4
    """The same for sentences (`Swaps.first`): there are fewer of a sort, and what they say is told apart by less."""
    text_noise: float = 0.6
    """The same for facts where the text's features are all that is read: they are few, and each says something else."""
    swapped: float = 0.85
    """Share of the sentences that are seen with other words that do not matter (`Swaps`)."""


@dataclass
class Member:
    """Weights of one network: inputs (d) to hidden (h) to logits (K)."""

    input: Array
    bias: Array
    output: Array
    output_bias: Array

    def mixture(self, x: Array) -> Array:
        """(n, d) inputs to (n, K) mixture weights."""
        return _softmax(np.maximum(x @ self.input + self.bias, 0.0) @ self.output + self.output_bias)


def _softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    result: Array = e / e.sum(axis=1, keepdims=True)
    return result


_POOL = 1 << 22
"""Normal numbers that the noise is taken from."""


class Swaps(NamedTuple):
    """What words that do not matter do to an input: to be invariant to it, the network sees its inputs shifted so."""

    shift: Array
    """(s, d): differences of inputs that mean the same but for names, nouns or a wrapping."""
    first: int
    """Inputs from this row on are shifted; what comes before, the facts, depends on names."""


def fit_member(
    x: Array,
    text: NDArray[np.int64],
    likelihood: Array,
    weight: NDArray[np.float64],
    fit: Fit,
    seed: int,
    swaps: Swaps | None = None,
) -> Member:
    """Fit to observations of the rows `text` of the inputs `x` (m, d), by weighted likelihood."""
    rng = np.random.default_rng(seed)
    k = likelihood.shape[1]
    # Observations of one text lie side by side: the network is asked once for all of them.
    sorted_rows = np.argsort(text, kind="stable")
    likelihood, weight = likelihood[sorted_rows], weight[sorted_rows]
    texts, begin, size = np.unique(text[sorted_rows], return_index=True, return_counts=True)
    n = texts.size
    d = x.shape[1]
    prior = weight @ (likelihood / likelihood.sum(axis=1, keepdims=True))
    p = [
        (rng.standard_normal((d, fit.hidden)) / np.sqrt(d)).astype(np.float32),
        np.zeros(fit.hidden, np.float32),
        (rng.standard_normal((fit.hidden, k)) * 0.02).astype(np.float32),
        np.log(prior / prior.sum() + 1e-6).astype(np.float32),
    ]
    adam = Adam(p)
    scale = (weight * (n / weight.sum())).astype(np.float32)
    first_sentence = np.inf if swaps is None else swaps.first
    noise = np.where(texts < first_sentence, fit.noise, fit.sentence_noise).astype(np.float32)[:, None]
    steps = fit.epochs * -(-n // fit.batch)
    pool = rng.standard_normal(max(_POOL, 2 * fit.batch * d), dtype=np.float32)
    for _ in range(fit.epochs):
        order = rng.permutation(n)
        for start in range(0, n, fit.batch):
            rows = order[start : start + fit.batch]
            inputs = x[texts[rows]]
            if swaps is not None:
                moved = np.flatnonzero((texts[rows] >= swaps.first) & (rng.random(rows.size) < fit.swapped))
                drawn = swaps.shift[rng.integers(0, len(swaps.shift), moved.size)]
                inputs = inputs.copy()
                inputs[moved] += drawn * rng.choice(np.array([-1, 1], np.float32), moved.size)[:, None]
            # a stretch of a pool that begins anywhere: drawing them anew costs more than all the rest
            at = int(rng.integers(0, pool.size - inputs.size + 1))
            inputs = inputs + noise[rows] * pool[at : at + inputs.size].reshape(inputs.shape)
            hidden = np.maximum(inputs @ p[0] + p[1], 0.0)
            mixture = _softmax(hidden @ p[2] + p[3])
            starts = np.cumsum(size[rows]) - size[rows]
            seen = np.repeat(begin[rows] - starts, size[rows]) + np.arange(int(size[rows].sum()))
            each = np.repeat(mixture, size[rows], axis=0)
            posterior = each * likelihood[seen]
            posterior /= posterior.sum(axis=1, keepdims=True)
            slope = np.add.reduceat((each - posterior) * (scale[seen] / np.float32(rows.size))[:, None], starts, axis=0)
            back = slope @ p[2].T * (hidden > 0.0)
            gradients = (inputs.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0))
            moves = adam.moves(gradients)
            rate = fit.step * min(1.0, adam.done / 100) * (0.5 + 0.5 * np.cos(np.pi * adam.done / steps))
            for i, move in enumerate(moves):
                if i in (0, 2):
                    move += np.float32(fit.decay) * p[i]
                p[i] -= np.float32(rate) * move
    return Member(*p)
