"""What the head learns from: durations of real facts, censored ones among them, and hand-labelled everyday sentences.

A real fact is one observation (it ended after T, or still held at T). An everyday sentence has no observed end but a
horizon that a person finds plausible: a median, a Weibull shape and a share that never expires; it becomes one
observation per quantile of that distribution and one censored far out, sharing its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.curves import DAY, DICTIONARY, likelihood
from scrubjay.errors import ArgumentError
from scrubjay.evaluate.validity import Facts

QUANTILES: Final = (np.arange(8) + 0.5) / 8
FEW: Final = (np.arange(4) + 0.5) / 4
"""Quantiles of a sentence that weighs less than 1: there are many of those."""
FAR: Final = 60000.0 * DAY
"""Age at which a sentence that never expires counts as censored."""


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """How long a person finds it plausible that something holds."""

    family: str
    """Sentences of one family say the same sort of thing."""
    part: str
    """"train" or "held_out": about a third of each family of everyday.jsonl, a sixth of families.jsonl whole."""
    median_s: float
    """Seconds after which half of such statements no longer hold, of those that expire at all."""
    shape: float
    """Weibull shape of that distribution."""
    never: float
    """Share that never expires."""
    like: str = ""
    """Kind of real fact that the family resembles, if any: left out with it in the strict rows."""
    hand: str = ""
    """Whose test it is of: "first" or "second" in another_hand.jsonl."""


class Sentence(Label, frozen=True, kw_only=True):
    """One line of everyday.jsonl."""

    text: str

    def survival(self, ages_seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The labelled curve at these ages."""
        fall = np.exp(-np.log(2.0) * (np.maximum(ages_seconds, 0.0) / self.median_s) ** self.shape)
        curve: NDArray[np.float64] = self.never + (1.0 - self.never) * fall
        return curve


class Family(Label, frozen=True, kw_only=True):
    """One line of families.jsonl: sentences that share a horizon."""

    texts: list[str]


class Observations(NamedTuple):
    """n observations of m texts. `likelihood` is linear in the mixture: row . weights = P(what was observed)."""

    text: NDArray[np.int64]
    """(n) row of the text (and of its vector)."""
    likelihood: NDArray[np.float32]
    """(n, K)."""
    weight: NDArray[np.float64]
    """(n) sums to 1."""
    group: NDArray[np.int64]
    """(n) number of the kind or family."""
    subject: NDArray[np.int64]
    """(n) number of the subject: what a bootstrap draws."""

    def take(self, rows: NDArray[np.int64]) -> Observations:
        """These observations; texts, groups and subjects keep their numbers."""
        return Observations(
            self.text[rows], self.likelihood[rows], self.weight[rows], self.group[rows], self.subject[rows]
        )


def load_everyday() -> list[Sentence]:
    """The sentences of everyday.jsonl, in file order: of each family about a third is held out."""
    decoder = msgspec.json.Decoder(Sentence)
    return [decoder.decode(line) for line in _lines("everyday.jsonl")]


def load_families(name: str = "families.jsonl") -> list[Sentence]:
    """The sentences of the families in a file of `data`, in file order.

    >>> held = [s.family for s in load_families() if s.part == "held_out"]
    >>> held[0] in {s.family for s in load_families() if s.part == "train"}
    False
    """
    decoder = msgspec.json.Decoder(Family)
    families = map(decoder.decode, _lines(name))
    shared = Label.__struct_fields__
    return [Sentence(text=text, **{field: getattr(f, field) for field in shared}) for f in families for text in f.texts]


def _lines(name: str) -> list[bytes]:
    data = (resources.files("scrubjay") / "data" / name).read_bytes()
    return [line for line in data.splitlines() if line.strip()]


def numbers(names: Sequence[str]) -> NDArray[np.int64]:
    """Names as numbers, in the order of the sorted names."""
    return np.unique(np.asarray(names, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


def from_facts(facts: Facts, *, flatten: float) -> Observations:
    """One observation per fact. A kind with n facts weighs n^(1 - flatten) in all: 0 is by fact, 1 by kind."""
    if len(facts) == 0:
        raise ArgumentError("facts: none to learn from; give at least one")
    group = numbers([str(k) for k in facts.kind])
    size = np.bincount(group)[group].astype(np.float64)
    weight = size**-flatten
    return Observations(
        np.arange(len(facts)),
        likelihood(facts.observed_days * DAY, facts.ended),
        weight / weight.sum(),
        group,
        numbers([str(s) for s in facts.subject]),
    )


def from_sentences(sentences: Sequence[Sentence], weights: Sequence[float] | None = None) -> Observations:
    """Observations of the sentences' labelled horizons, each sentence with its weight (None: all alike)."""
    text: list[int] = []
    seconds: list[float] = []
    ended: list[bool] = []
    weight: list[float] = []
    for row, s in enumerate(sentences):
        if s.never < 1.0:
            grid = QUANTILES if weights is None or weights[row] >= 1.0 else FEW
            ends = np.minimum(s.median_s * (-np.log(grid) / np.log(2.0)) ** (1.0 / s.shape), 36000.0 * DAY)
            text += [row] * ends.size
            seconds += ends.tolist()
            ended += [True] * ends.size
            weight += [(1.0 - s.never) / ends.size] * ends.size
        if s.never > 0.0:
            text.append(row)
            seconds.append(FAR)
            ended.append(False)
            weight.append(s.never)
    rows = np.asarray(text, np.int64)
    w = np.asarray(weight, np.float64)
    if weights is not None and rows.size:
        w = w * np.asarray(weights, np.float64)[rows]
    return Observations(
        rows,
        likelihood(np.asarray(seconds, np.float64), np.asarray(ended, bool)).reshape(-1, DICTIONARY.size),
        w / max(float(w.sum()), 1e-300),
        numbers([s.family for s in sentences])[rows] if len(sentences) else rows,
        rows,
    )


def join(first: Observations, second: Observations, share: float) -> Observations:
    """Both, the second with `share` of the weight in [0, 1), and its texts, groups and subjects numbered after the
    first's."""
    if not second.text.size or share <= 0.0:
        return first

    def after(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.concatenate([a, b + int(a.max()) + 1])

    return Observations(
        after(first.text, second.text),
        np.concatenate([first.likelihood, second.likelihood]),
        np.concatenate([first.weight * (1.0 - share), second.weight * share]),
        after(first.group, second.group),
        after(first.subject, second.subject),
    )


def spearman(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Rank correlation; ties share their mean rank."""

    def ranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
        values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        middle: NDArray[np.float64] = np.cumsum(counts) - (counts + 1) / 2
        return middle[inverse] if values.size else x

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])
