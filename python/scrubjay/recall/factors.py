"""The fixed list of factors that a score is made of, and a row of weights over it.

ScrubJay's four factors (eq. 5) and the survey's four channels (section 6) are one linear score over this list, in
this order; every frame, every query rule and every kernel that scores uses the same order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError, ArgumentTypeError, shown

FACTORS: Final = ("what", "where", "when", "graph", "usefulness", "retrievability", "importance", "exploration")
"""Names of the factors; a row of weights or contributions follows this order."""

EXTRA: Final = ("lexical", "thread", "answer")
"""Terms that only the rows have that share words with the query, are turns of a conversation, or are among the first
hits and seem to answer (`scrubjay.recall.answers`): no kernel knows them. The weight of "thread" is the share of its
better neighbour's what and lexical terms that a turn gets."""
TERMS: Final = (*FACTORS, *EXTRA)
"""Everything that a score is the sum of."""

LEXICAL_SHARE: Final = 0.6
"""Weight of the lexical term where none is given, as a share of that of what (chosen on conversations, checked on facts
that change)."""

THREAD_SHARE: Final = 0.6
"""Weight of the thread term where none is given (chosen on conversations)."""

QUERY_FACTORS: Final = FACTORS[:4]
"""The four factors that the query rule (eq. 6) weighs."""

MAX_WEIGHT: Final = 1e6
"""Largest weight: ranks depend on ratios alone, and float32 scores stay finite below it (chosen)."""


ANSWER_SHARE: Final = 1.0
"""Weight of the answer term where none is given, as a share of that of what (chosen on written questions)."""


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """One weight per term, each in [0, `MAX_WEIGHT`], at least one above 0; what is not named is 0.

    `lexical` that is not named is `LEXICAL_SHARE` of `what`: words are another way of saying what a memory is about.
    `answer` that is not named is `ANSWER_SHARE` of `what`, `thread` is `THREAD_SHARE`. For scoring="paper" they are 0
    unless they are named.

    Raises `ArgumentTypeError` for a weight that is no number and `ArgumentError` for one out of range.

    >>> Weights(what=0.7, when=0.3).to_array()
    array([0.7, 0. , 0.3, 0. , 0. , 0. , 0. , 0. ])
    """

    what: float = 0.0
    where: float = 0.0
    when: float = 0.0
    graph: float = 0.0
    usefulness: float = 0.0
    retrievability: float = 0.0
    importance: float = 0.0
    exploration: float = 0.0
    lexical: float | None = None
    thread: float | None = None
    answer: float | None = None

    def __post_init__(self) -> None:
        total = 0.0
        for name in TERMS:
            given = getattr(self, name)
            total += 0.0 if given is None and name in EXTRA else _check_weight(name, given)
        if total <= 0.0:
            raise ArgumentError("weights: all are 0, so every memory would score the same; give at least one above 0")

    def to_array(self) -> NDArray[np.float64]:
        """(8,) float64 in the order of `FACTORS`."""
        return np.array([getattr(self, name) for name in FACTORS], dtype=np.float64)

    def terms(self, *, words: bool = True) -> NDArray[np.float64]:
        """(11,) float64 in the order of `TERMS`; without `words` a weight of EXTRA that is not given is 0.

        >>> Weights(what=0.5).terms()[-3:].tolist(), Weights(what=0.5, lexical=0.1).terms(words=False)[-3:].tolist()
        ([0.3, 0.6, 0.5], [0.1, 0.0, 0.0])
        """
        unnamed = {"lexical": LEXICAL_SHARE * self.what, "thread": THREAD_SHARE, "answer": ANSWER_SHARE * self.what}
        given = {name: getattr(self, name) for name in EXTRA}
        extra = [given[name] if given[name] is not None else unnamed[name] if words else 0.0 for name in EXTRA]
        return np.append(self.to_array(), extra)

    def to_dict(self) -> dict[str, float]:
        """Name to weight, in the order of `FACTORS`."""
        return {name: float(getattr(self, name)) for name in FACTORS}

    @classmethod
    def of(cls, given: Weights | Mapping[str, float] | Sequence[float] | NDArray[Any]) -> Weights:
        """Weights from what a caller may give: `Weights`, {factor: weight}, or a sequence of 4 or 8 numbers.

        A sequence of 4 is (what, where, when, graph), one of 8 follows `FACTORS`.

        >>> Weights.of({"what": 1.0}) == Weights.of([1.0, 0, 0, 0]) == Weights(what=1.0)
        True
        """
        if isinstance(given, Weights):
            return given
        if isinstance(given, Mapping):
            unknown = [key for key in given if key not in TERMS]
            if unknown:
                raise ArgumentError(f"weights: unknown factor {shown(unknown[0])}; known are {', '.join(TERMS)}")
            return cls(**{str(key): _number(str(key), value) for key, value in given.items()})
        if isinstance(given, np.ndarray):
            if given.ndim != 1:
                raise ArgumentError(f"weights: an array must have one dimension, got {given.ndim}")
            given = given.tolist()
        if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
            raise ArgumentTypeError(
                "weights: expected Weights, a mapping of factor to number, or 4 or 8 numbers; "
                f"got {type(given).__name__}"
            )
        if len(given) not in (len(QUERY_FACTORS), len(FACTORS)):
            raise ArgumentError(
                f"weights: a sequence has 4 ({', '.join(QUERY_FACTORS)}) or 8 numbers, got {len(given)}"
            )
        return cls(**{name: _number(name, value) for name, value in zip(FACTORS, given, strict=False)})


def _number(name: str, value: object) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"weights[{shown(name)}]: expected a number, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(f"weights[{shown(name)}] = {shown(value)}: a number beyond any range") from None


def _check_weight(name: str, value: object) -> float:
    number = _number(name, value)
    if not math.isfinite(number) or not 0.0 <= number <= MAX_WEIGHT:
        raise ArgumentError(
            f"weights[{shown(name)}] = {shown(number)}: expected a finite number in [0, {MAX_WEIGHT:g}]"
        )
    return number
