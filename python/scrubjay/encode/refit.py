"""A head refitted to what one store has seen: superseding, contradiction and outcomes as survival observations.

First, where asked for, the pace of the whole domain: a slope and a shift of the logarithm of every horizon
(`curves.stretched`), for memories that last longer or shorter than the training data, or differ less. It moves what was
not observed too, so it needs observations of all kinds: a store that watches itself sees only what is restated. Then
only the last layer moves, with a
Gaussian prior at the weights as they are, and the prior curve, by counting. A part of the texts is held out; the
refitted head is returned only where it predicts them better than the old one, by more than the error of that
comparison. The old head is not touched: keep it to go back.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrubjay.encode.curves import Floats, likelihood, stretched
from scrubjay.encode.head import Parts, PerishabilityHead
from scrubjay.errors import ArgumentError

LIMIT: Final = 30_000
"""Observations that are used at most; of more, an even sample."""
STRENGTH: Final = 50.0
"""How many observations a unit change of all weights costs (chosen): larger keeps closer to the shipped head."""
PRIOR_COUNT: Final = 500.0
"""Observations that the shipped prior curve counts for (chosen)."""
MEMORY_COUNT: Final = 30.0
"""Observations that a prototype's shipped memory counts for (chosen)."""
PACED: Final = 4000
"""Observations that the pace is fitted to at most (chosen): it has two numbers."""
SLOPE_SPREAD: Final = 1.0
"""Prior standard deviation of the logarithm of the slope (chosen)."""
SHIFT_SPREAD: Final = 2.3
"""Prior standard deviation of the shift: a factor of ten (chosen)."""
_SLOPES: Final = np.log(np.geomspace(0.15, 2.5, 15))
_SHIFTS: Final = np.linspace(-6.0, 6.0, 25)
_EPOCHS: Final = 3
_STEPS: Final = 160
_BATCH: Final = 256
_STEP: Final = 5e-3
HELD_OUT: Final = 5
"""One subject of so many is held out, by its checksum."""
LEAST: Final = 50
"""Held-out observations that are needed."""


class Refit(NamedTuple):
    """What came of it."""

    head: PerishabilityHead
    """The refitted head, or the old one where it was not improved on."""
    improved: bool
    before: float
    """Mean log-likelihood of the held-out observations by the old head."""
    after: float
    """The same by the refitted head."""
    error: float
    """Standard error of the difference, over held-out subjects."""
    observations: int
    """Used in all, the held-out ones among them."""


def refit(
    head: PerishabilityHead,
    what: NDArray[np.float32],
    texts: Sequence[str],
    seconds: ArrayLike,
    ended: ArrayLike,
    *,
    since: ArrayLike | None = None,
    pace: bool = False,
    subjects: Sequence[str] | None = None,
    seed: int = 0,
) -> Refit:
    """Refit to n memories: `seconds` >= 0 from their time to their end (`ended`) or to when they were last seen valid.
    An end that was only found out at `seconds` fell between `since` (n,) and then; NaN: it fell at `seconds`. `pace`
    says that the memories are a fair sample of all, so that the pace of the whole domain is fitted too. What is of
    one of `subjects` (n,) is held out together, as versions of one fact tell of each other; None: each text is its own.

    Raises ArgumentError for lengths that differ, NaN or negative seconds. With fewer than `LEAST` held-out observations
    nothing is changed. Deterministic for a seed.
    """
    age, over = np.asarray(seconds, np.float64).ravel(), np.asarray(ended, bool).ravel()
    from_when = None if since is None else np.asarray(since, np.float64).ravel()
    if from_when is not None and from_when.size != age.size:
        raise ArgumentError(f"since: {from_when.size} for {age.size} memories; give one each")
    if not len(what) == len(texts) == age.size == over.size:
        raise ArgumentError(
            f"what, texts, seconds and ended must be equally long, got {len(what)}, {len(texts)}, {age.size} and "
            f"{over.size}"
        )
    if subjects is not None and len(subjects) != age.size:
        raise ArgumentError(f"subjects: {len(subjects)} for {age.size} memories; give one each")
    if not bool(np.all(age >= 0.0)):
        raise ArgumentError("seconds: an age is negative or NaN; give seconds >= 0")
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(age.size)[:LIMIT])
    seen = likelihood(age[rows], over[rows], None if from_when is None else from_when[rows])
    names = [texts[i] for i in rows]
    told = names if subjects is None else [subjects[i] for i in rows]
    group = np.array([zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in told], np.int64)
    held = group % HELD_OUT == 0
    if int(held.sum()) < LEAST or bool(held.all()):
        return Refit(head, False, float("nan"), float("nan"), float("nan"), rows.size)
    kept = np.flatnonzero(~held)
    changed = _fitted(head, what[rows[kept]], [names[i] for i in kept], seen[kept], rng, pace)
    test = np.flatnonzero(held)
    vectors, words = what[rows[test]], [names[i] for i in test]
    before, after = (_log_likelihood(h, vectors, words, seen[test]) for h in (head, changed))
    gain = after - before
    _, number = np.unique(group[test], return_inverse=True)
    total = np.bincount(number, gain - gain.mean())
    error = float(np.sqrt((total**2).sum()) / gain.size)
    improved = bool(gain.mean() > error)
    return Refit(changed if improved else head, improved, float(before.mean()), float(after.mean()), error, rows.size)


def _log_likelihood(
    head: PerishabilityHead, what: NDArray[np.float32], texts: Sequence[str], seen: NDArray[np.float32]
) -> Floats:
    result: Floats = np.log(np.maximum((head.curve(what, texts).mixture * seen).sum(axis=1, dtype=np.float64), 1e-12))
    return result


def _fitted(
    head: PerishabilityHead,
    what: NDArray[np.float32],
    texts: Sequence[str],
    seen: NDArray[np.float32],
    rng: np.random.Generator,
    paced: bool,
) -> PerishabilityHead:
    """The memory and the prior curve by counting, then Adam on the likelihood of the whole answer, so that the last
    layer learns only what they leave unsaid."""
    # what a store has seen is what it is asked about: trust in it is no reason to take the prior
    familiar = head.weights.familiar * np.array([1.0, 1.0, 0.0], np.float32)
    w = head.weights._replace(familiar=familiar)._replace(**_trusted(head, what, texts))
    parts = PerishabilityHead(w, embedder=head.embedder, name=head.name).parts(what, texts)
    pace = w.pace.tolist() if not paced else _paced(head, what, texts, seen, rng)
    # what is learned below is learned before the pace is applied
    seen = seen @ stretched(*pace).T
    memory = _counted(w.memory, parts, seen, MEMORY_COUNT)
    one = parts._replace(
        place=np.zeros(len(texts), np.int64), near=np.ones(len(texts), np.float32), start=np.arange(len(texts))
    )
    prior = _counted(w.prior[None, :], one, seen, PRIOR_COUNT)[0]
    hidden = np.ascontiguousarray(parts.hidden.transpose(1, 0, 2))
    # answer = part . network + rest
    part, rest = parts.weight()[:, None], parts.rest(memory, prior)
    output, bias = w.output.copy(), w.output_bias.copy()
    n = len(texts)
    first = [np.zeros_like(output), np.zeros_like(bias)]
    second = [np.zeros_like(output), np.zeros_like(bias)]
    done = 0
    steps = max(_EPOCHS * -(-n // _BATCH), _STEPS)
    order = rng.permutation(n)
    while done < steps:
        rows = rng.choice(order, min(_BATCH, n), replace=False)
        h = hidden[:, rows]
        p = _softmax(np.matmul(h, output) + bias[:, None, :])
        total = ((part[rows] * p + rest[rows]) * seen[rows]).sum(axis=2, keepdims=True)
        pull = part[rows] * p * seen[rows] / np.maximum(total, 1e-12)
        slope = (p * pull.sum(axis=2, keepdims=True) - pull) / np.float32(rows.size)
        gradients = (
            np.matmul(h.transpose(0, 2, 1), slope) + (output - w.output) * np.float32(STRENGTH / n),
            slope.sum(axis=1) + (bias - w.output_bias) * np.float32(STRENGTH / n),
        )
        done += 1
        for i, (array, g) in enumerate(zip((output, bias), gradients, strict=True)):
            first[i] += np.float32(0.1) * (g - first[i])
            second[i] += np.float32(0.001) * (g * g - second[i])
            move = first[i] / np.float32(1 - 0.9**done)
            array -= np.float32(_STEP) * move / (np.sqrt(second[i] / np.float32(1 - 0.999**done)) + np.float32(1e-8))
    moved = np.array(pace, np.float32)
    weights = w._replace(output=output, output_bias=bias, memory=memory, prior=prior, pace=moved)
    return PerishabilityHead(weights, embedder=head.embedder, name=f"{head.name}+refit")


def _trusted(
    head: PerishabilityHead, what: NDArray[np.float32], texts: Sequence[str]
) -> dict[str, NDArray[np.float32]]:
    """`Weights.trust` and `Weights.factual` after these observations: each counts fully, and for no fact of the
    training, beside `MEMORY_COUNT` that count as before."""
    w = head.weights
    if w.trust.size == 1:
        return {}
    every = w._replace(trust=np.ones(1, np.float32))
    parts = PerishabilityHead(every, embedder=head.embedder, name=head.name).parts(what, texts)
    seen = np.bincount(parts.place, parts.near, w.trust.size)
    trust = (MEMORY_COUNT * w.trust + seen) / (MEMORY_COUNT + seen)
    factual = w.factual * (MEMORY_COUNT / (MEMORY_COUNT + seen)) if w.factual.size else w.factual
    return {"trust": trust.astype(np.float32), "factual": factual.astype(np.float32)}


def _paced(
    head: PerishabilityHead,
    what: NDArray[np.float32],
    texts: Sequence[str],
    seen: NDArray[np.float32],
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Slope and shift under which the head as it is makes the observations likeliest, with their prior: the best of a
    grid, then of a finer one around it."""
    rows = np.sort(rng.permutation(len(texts))[:PACED])
    mixture = head.curve(what[rows], [texts[i] for i in rows]).mixture
    slope, shift = 0.0, 0.0
    best = -np.inf
    slopes, shifts = _SLOPES, _SHIFTS
    for _ in range(3):
        for log_slope in slopes.tolist():
            for moved in shifts.tolist():
                total = ((mixture @ stretched(np.exp(log_slope), moved)) * seen[rows]).sum(axis=1, dtype=np.float64)
                score = float(np.log(np.maximum(total, 1e-12)).sum())
                score -= 0.5 * ((log_slope / SLOPE_SPREAD) ** 2 + (moved / SHIFT_SPREAD) ** 2)
                if score > best:
                    best, slope, shift = score, log_slope, moved
        reach = (slopes[1] - slopes[0]) * 0.5, (shifts[1] - shifts[0]) * 0.5
        slopes, shifts = (at + half * np.linspace(-1.0, 1.0, 5) for at, half in zip((slope, shift), reach, strict=True))
    # on top of the pace that the head has already
    before = head.weights.pace.tolist()
    factor = float(np.exp(slope))
    return factor * before[0], factor * before[1] + shift


def _counted(curves: NDArray[np.float32], parts: Parts, seen: NDArray[np.float32], count: float) -> NDArray[np.float32]:
    """Mixtures after expectation-maximisation on the observations near them, each worth `count` itself."""
    result = curves.astype(np.float64)
    row = np.repeat(np.arange(len(parts.start)), np.diff(np.append(parts.start, parts.place.size)))
    near = parts.near[:, None].astype(np.float64)
    for _ in range(6):
        part = near * result[parts.place] * seen[row]
        whole = np.add.reduceat(part.sum(axis=1), parts.start)
        part /= np.maximum(whole, 1e-12)[row, None]
        total = count * curves.astype(np.float64)
        np.add.at(total, parts.place, part)
        result = total / total.sum(axis=1, keepdims=True)
    return result.astype(np.float32)


def _softmax(z: NDArray[np.float32]) -> NDArray[np.float32]:
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    result: NDArray[np.float32] = e / e.sum(axis=-1, keepdims=True)
    return result
