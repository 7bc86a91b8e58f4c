"""Frames: named rows of factor weights, and mixtures of them.

A frame is a row over `FACTORS`. The weights of each sum to at most 1, and every factor but the similarities is in
[0, 1] (V of eq. 3 at its default of 1), so a score is at most 1, and at least 0 where the similarities are.

A mixture is a distribution over frames: its row is the mean of their rows under it. Scores are linear in the weights,
so a memory's score under a mixture is the mean of its scores under the frames, and lies between the lowest and the
highest of them: the score to expect where it is unknown which frame the agent needs (survey, open problem 8.5).

>>> FRAMES["SELF"].importance
0.4
>>> frame({"SELF": 1, "TASK": 1}).usefulness
0.2

SIMULATE also looks at the graph: its row is the survey's, plus a tenth of what the search's graph stage finds among a
memory's neighbours (`scrubjay.recall.hop`; a mean where the survey has a maximum, which it cannot exceed), all divided
by 1.1 so that scores stay in [0, 1]. Under scoring "paper" that stage is a sum over neighbours and may be above 1.

Source: three-channel memory, section 5.6; "SCRUBJAY" is eq. 6 of "Caching for the Future" without bias words and terms.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.recall.factors import FACTORS, Weights
from scrubjay.recall.intent import BASE

_TOTAL: Final = sum(math.exp(logit) for logit in BASE)
_LARGE: Final = 1e290
"""Shares above it are scaled down before they are added, so that no sum overflows."""
_REST: Final = [math.exp(logit) / _TOTAL for logit in BASE]


NEIGHBOURS: Final = 0.1
"""What a memory's neighbours bring in the SIMULATE frame, for 1 of its own score (chosen)."""


def _beside(row: Weights, graph: float) -> Weights:
    """A row with a graph term, scaled so that the sum stays; ranks are those of row + graph times the neighbours'."""
    held = {name: weight / (1.0 + graph) for name, weight in row.to_dict().items()}
    return Weights(**(held | {"graph": graph / (1.0 + graph)}))


def _row(what: float, usefulness: float, retrievability: float, importance: float, exploration: float) -> Weights:
    return Weights(
        what=what,
        usefulness=usefulness,
        retrievability=retrievability,
        importance=importance,
        exploration=exploration,
    )


FRAMES: Final[Mapping[str, Weights]] = MappingProxyType(
    {
        "SELF": _row(0.30, 0.10, 0.15, 0.40, 0.05),
        "ATTENTION": _row(0.55, 0.15, 0.20, 0.05, 0.05),
        "TASK": _row(0.40, 0.30, 0.15, 0.10, 0.05),
        "SIMULATE": _beside(_row(0.45, 0.15, 0.20, 0.15, 0.05), NEIGHBOURS),
        "SCRUBJAY": Weights(what=_REST[0], where=_REST[1], when=_REST[2], graph=_REST[3]),
    }
)
"""The frames by name."""

FrameLike: TypeAlias = str | Mapping[str, float] | Weights


def frame(given: object, custom: Mapping[str, Weights] = FRAMES) -> Weights:
    """The weights of a frame: its name, a mixture {name: share}, or weights as they are.

    Shares are >= 0 and need not sum to 1. Raises ArgumentError for an unknown name or a bad share, ArgumentTypeError
    for anything else.

    >>> frame("task") == FRAMES["TASK"]
    True
    >>> frame({"SELF": 3, "ATTENTION": 1}).what == 0.75 * 0.3 + 0.25 * 0.55
    True
    """
    if isinstance(given, Weights):
        return given
    if isinstance(given, str):
        return _named(given, custom)
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"frame: expected a name, a mixture of names or Weights, got {type(given).__name__}")
    if not given:
        raise ArgumentError("frame: an empty mixture; give at least one frame with its share")
    shares = {name: _share(name, share) for name, share in given.items()}
    if (most := max(shares.values())) > _LARGE:
        shares = {name: share / most for name, share in shares.items()}
    total = math.fsum(shares.values())
    if not total > 0.0:
        raise ArgumentError(f"frame: the shares sum to {total:g}; give at least one above 0")
    rows = {name: _named(name, custom) for name in shares}
    mixed = {f: math.fsum(shares[n] / total * getattr(row, f) for n, row in rows.items()) for f in FACTORS}
    return Weights(**mixed)


def _named(name: str, custom: Mapping[str, Weights]) -> Weights:
    found = custom.get(name) or custom.get(name.upper())
    if found is None:
        raise ArgumentError(f"frame: no frame {shown(name)}; known are {', '.join(custom)}")
    return found


def _share(name: Any, share: object) -> float:
    if not isinstance(name, str):
        raise ArgumentTypeError(f"frame: expected the names of frames, got {shown(name)}")
    if isinstance(share, bool) or not isinstance(share, (int, float)):
        raise ArgumentTypeError(f"frame[{shown(name)}]: expected a number, got {type(share).__name__}")
    if not 0.0 <= share <= sys.float_info.max:
        raise ArgumentError(f"frame[{shown(name)}] = {shown(share)}: expected a share >= 0")
    return float(share)
