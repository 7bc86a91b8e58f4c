"""How much the curve moves on words that do not matter: the spread of the horizon among paraphrases.

A group (`data/paraphrases.jsonl`) says one sort of thing in many ways, with other names and nouns, in the first person,
with a prefix, a speaker or a sentence that adds nothing. Its horizon is one, so what the head makes of its members
should be: the spread is the standard deviation, within groups, of the logarithm of the horizon in decades. Beside it
stands the distance to the labelled horizon, since a head that says the same of everything has no spread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY
from scrubjay.encode.head import PerishabilityHead
from scrubjay.training.augment import Pattern, filled, held_out, worn, wrapped
from scrubjay.training.observations import Sentence, spearman

AGES = np.geomspace(60.0, 36500.0 * DAY, 120)
"""Ages in seconds at which curves are compared, evenly spaced in the logarithm."""
FILLS = 3
"""Fillings of each way to say something."""


class Robustness(msgspec.Struct, frozen=True):
    """Scores of a set of groups, in decades (factors of ten) of the horizon."""

    groups: int
    texts: int
    spread: float
    """Root mean square over groups of the standard deviation within a group."""
    within: float
    """Mean largest factor, in decades, between two members of a group, the outermost tenth left out."""
    distance: float
    """Root mean square distance to the labelled horizon."""
    rank: float
    """Rank correlation of the groups' mean horizon with the labelled one."""


def variants(group: Pattern, *, seed: int = 0) -> list[str]:
    """The group's texts, with words that no training sentence has, every second one wrapped or worn.

    >>> from scrubjay.training.augment import load_paraphrases
    >>> texts = variants(load_paraphrases()[0])
    >>> len(texts) > 10 and len(set(texts)) == len(texts)
    True
    """
    out: dict[str, None] = {}
    for place, template in enumerate(group.templates):
        rng = np.random.default_rng([seed, 21, place])
        for number in range(FILLS):
            text = filled(template, rng, held_out=True)
            if number % 2:
                text = wrapped(text, rng) if rng.random() < 0.75 else worn(text, rng)
            out[text] = None
    return list(out)


def horizons(curve: Callable[[NDArray[np.float64]], NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    """(n): mean log10 of the age in seconds at which curves end, those that never do at a century."""
    p = curve(np.tile(AGES, (n, 1)))
    step = np.log10(AGES[1] / AGES[0])
    result: NDArray[np.float64] = np.log10(AGES[0]) + (p[:, 1:] + p[:, :-1]).sum(axis=1) * step / 2.0
    return result


def robustness(
    head: PerishabilityHead, vectors: Callable[[Sequence[str]], NDArray[np.float32]], groups: Sequence[Pattern]
) -> Robustness:
    """Score a head on paraphrase groups."""
    spread, within, distance, means, truths = [], [], [], [], []
    said = [variants(group) for group in groups]
    texts = [text for own in said for text in own]
    every = horizons(head.curve(vectors(texts), texts).at, len(texts))
    for group, found in zip(groups, np.split(every, np.cumsum([len(own) for own in said])[:-1]), strict=True):
        label = Sentence(text="", family="", part="", median_s=group.median_s, shape=group.shape, never=group.never)
        truth = float(horizons(label.survival, 1)[0])
        low, high = np.quantile(found, [0.1, 0.9])
        spread.append(float(found.var()))
        within.append(float(high - low))
        distance.append(float(((found - truth) ** 2).mean()))
        means.append(float(found.mean()))
        truths.append(truth)
    return Robustness(
        groups=len(groups),
        texts=len(texts),
        spread=float(np.sqrt(np.mean(spread))),
        within=float(np.mean(within)),
        distance=float(np.sqrt(np.mean(distance))),
        rank=spearman(np.array(means), np.array(truths)),
    )


def robustness_rows(
    head: PerishabilityHead, vectors: Callable[[Sequence[str]], NDArray[np.float32]], groups: Sequence[Pattern]
) -> Iterator[tuple[str, Robustness]]:
    """Name and score of the groups that were learned from and of those that were not."""
    for name, held in (("paraphrases of learned groups", False), ("paraphrases of groups held out", True)):
        yield name, robustness(head, vectors, [g for g in groups if held_out(g.family) == held])
