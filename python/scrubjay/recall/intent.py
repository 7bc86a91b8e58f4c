"""From a query's words to the weights of the four factors.

Source: "Caching for the Future", section 3.3, eq. 6:

    softmax[1.5 + b_what  + .20 |e|,
            1.0 + b_where + .10 |c|,
            1.0 + b_when  + min(2, ln(dt + 1) / 5),
            1.0 + b_graph]

|e| and |c| are the norms of the query's and its context's embedding before normalisation, dt the seconds since the
newest memory up to `now` that the query could mean. A bias is added once, however many of its words the query has
(chosen).
"""

from __future__ import annotations

import math
import re
from typing import Final

from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.recall.factors import FACTORS, QUERY_FACTORS, Weights

__all__ = ["BASE", "BIASES", "FACTORS", "Weights", "query_biases", "query_weights"]

BASE: Final = (1.5, 1.0, 1.0, 1.0)
"""Base logits of what, where, when, graph."""

BIASES: Final[tuple[tuple[str, float, tuple[str, ...]], ...]] = (
    ("what", 0.8, ("what", "which", "fact", "detail", "remember")),
    ("where", 1.0, ("context", "project", "session", "workspace")),
    ("when", 1.5, ("latest", "recent", "today", "stale")),
    ("graph", 0.8, ("related", "connected", "neighbor", "link")),
)
"""(factor, bias, words): a factor's bias applies when the query has one of its words, whole and in any case."""

MOST_NORM: Final = 2.0
"""A search counts longer vectors as so long: an embedder that does not normalise must not decide alone (chosen)."""

_NORM_WHAT: Final = 0.20
_NORM_WHERE: Final = 0.10
_MAX_ELAPSED: Final = 2.0
_PATTERNS: Final = tuple((bias, re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)) for _, bias, words in BIASES)


def query_biases(query: str) -> tuple[float, float, float, float]:
    """The biases (what, where, when, graph) that the words of `query` trigger.

    >>> query_biases("What is the LATEST branch?")
    (0.8, 0.0, 1.5, 0.0)
    """
    if not isinstance(query, str):
        raise ArgumentTypeError(f"query: expected str, got {type(query).__name__}")
    what, where, when, graph = (bias if pattern.search(query) else 0.0 for bias, pattern in _PATTERNS)
    return what, where, when, graph


def query_weights(query: str, *, norm: float = 1.0, context_norm: float = 1.0, elapsed: float = 0.0) -> Weights:
    """Weights of the four factors for a query; they are above 0 and sum to 1, the other factors are 0.

    `norm` and `context_norm` are |e| and |c| (>= 0; 1 where the embedder gives unit vectors, and for a query without
    context). `elapsed` is dt in seconds; below 0 (a skewed clock) it counts as 0, infinity is allowed.

    >>> weights = query_weights("latest deploy", elapsed=3600.0)
    >>> weights.when > weights.what > weights.where
    True
    """
    norm, context_norm = _check_norm("norm", norm), _check_norm("context_norm", context_norm)
    if math.isnan(elapsed):
        raise ArgumentError("elapsed: NaN; give the seconds since the newest memory of the namespace, or 0")
    urgency = min(_MAX_ELAPSED, math.log1p(max(0.0, elapsed)) / 5.0)
    terms = (_NORM_WHAT * norm, _NORM_WHERE * context_norm, urgency, 0.0)
    logits = [base + bias + term for base, bias, term in zip(BASE, query_biases(query), terms, strict=True)]
    top = max(logits)
    powers = [math.exp(logit - top) for logit in logits]
    total = math.fsum(powers)
    return Weights(**{name: power / total for name, power in zip(QUERY_FACTORS, powers, strict=True)})


def _check_norm(name: str, value: float) -> float:
    if not 0.0 <= value < math.inf:
        raise ArgumentError(f"{name} = {shown(value)}: expected a finite norm >= 0")
    return float(value)
