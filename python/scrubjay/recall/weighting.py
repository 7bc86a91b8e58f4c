"""Weights learned from outcomes: which terms of the score to trust for which kind of question.

"Caching for the Future" leaves the learned weights W_theta(q) to the future and ranks by the rule of eq. 6. Here the
rule stays the prior: a head multiplies each of its weights by a factor that depends on the question, and keeps their
sum,

    w_t(q) ~ rule_t(q) exp(clip(theta_t . phi(q), +-LIMIT))

with theta fitted to searches of which it is known which memories were of use. In such a search every useful memory
should score higher than every other one: the loss is the mean of log(1 + exp(-(s_good - s_bad) / TEMPERATURE)) over
those pairs, each search counting once, plus STRENGTH |theta|^2. A fifth of the questions is held out, and a head that
does not order more of their pairs rightly, by more than two standard errors, is not handed out.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from scrubjay.errors import ArgumentError
from scrubjay.recall.factors import TERMS, Weights
from scrubjay.recall.hits import Hits
from scrubjay.recall.intent import query_biases

FEATURES: Final = (
    "constant", "length", "who", "what", "where", "when", "how", "temporal", "digits", "name", "code", "context",
)  # fmt: skip
"""What is seen of a question, each in [0, 1]."""
LIMIT: Final = 2.0
"""Largest logarithm of a factor: no weight moves by more than e^2."""
TEMPERATURE: Final = 0.05
"""Difference of scores that counts as clear (chosen)."""
STRENGTH: Final = 0.002
"""Pull towards the rule (chosen)."""
LEAST: Final = 40
"""Fewest questions to learn from (chosen)."""
_STEPS: Final = 400
_STEP: Final = 0.05
_HELD_OUT: Final = 5
_VERSION: Final = 1

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CODE: Final = re.compile(r"[`_/\\<>{}=]|\w\.\w|[a-z][A-Z]")
_ASKS: Final = {
    "who": frozenset(("who", "whose", "whom", "wer", "qui", "quién")),
    "what": frozenset(("what", "which", "was", "welche", "quel", "quelle", "qué", "cuál")),
    "where": frozenset(("where", "wo", "où", "dónde")),
    "when": frozenset(("when", "wann", "quand", "cuándo")),
    "how": frozenset(("how", "why", "wie", "warum", "comment", "pourquoi", "cómo")),
}


def query_features(query: str, *, context: bool = False) -> NDArray[np.float64]:
    """(12,) float64 in the order of `FEATURES`.

    >>> row = dict(zip(FEATURES, query_features("Where does Ada sit today?")))
    >>> [float(row[name]) for name in ("where", "temporal", "name", "who")]
    [1.0, 1.0, 1.0, 0.0]
    """
    words = _WORD.findall(query[:2000])
    lower = {word.casefold() for word in words}
    asks = [float(not lower.isdisjoint(names)) for names in _ASKS.values()]
    seen = (
        1.0,
        min(1.0, math.log1p(len(words)) / 4.0),
        *asks,
        float(query_biases(query)[2] > 0.0),
        float(any(char.isdigit() for char in query)),
        float(any(word[:1].isupper() for word in words[1:])),
        float(_CODE.search(query) is not None),
        float(context),
    )
    return np.array(seen, np.float64)


class Judged(NamedTuple):
    """A search of which is known what was of use."""

    query: str
    context: bool
    """Whether a context was given."""
    weights: NDArray[np.float64]
    """(11,) the rule's weights, in the order of TERMS."""
    values: NDArray[np.float64]
    """(m, 11) what each memory had of each term, before weights."""
    good: NDArray[np.bool_]
    """(m,) True for those that were of use."""


def judged(hits: Hits, useful: Collection[str]) -> Judged:
    """A list of hits with the ids of those that were of use, as what a fit takes.

    Raises ArgumentError for hits that no search made: they do not say what they were weighed with.
    """
    if hits.weights is None:
        raise ArgumentError("hits: they do not tell their weights; give what search returned")
    weights = hits.weights.terms()
    parts = np.array([[hit.factors[term] for term in TERMS] for hit in hits], np.float64).reshape(-1, len(TERMS))
    values = np.divide(parts, weights, out=np.zeros_like(parts), where=weights > 0.0)
    known = set(useful)
    return Judged(hits.query, hits.context, weights, values, np.array([h.memory.id in known for h in hits], bool))


class WeightHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fitted head; immutable, and small enough to keep in a file.

    >>> head = WeightHead(theta=tuple(tuple(0.0 for _ in FEATURES) for _ in TERMS))
    >>> rule = Weights(what=0.5, when=0.2)
    >>> head.weights("what is it?", rule).what == rule.what
    True
    >>> WeightHead.from_json(head.to_json()) == head
    True
    """

    theta: tuple[tuple[float, ...], ...]
    """(11, 12): a row per term of TERMS, a column per feature of FEATURES."""
    searches: int = 0
    """How many searches it was fitted to."""
    version: int = _VERSION

    def weights(self, query: str, rule: Weights, *, context: bool = False) -> Weights:
        """The rule's weights for this question, each times what was learned; a weight of 0 stays 0."""
        factor = np.exp(np.clip(np.asarray(self.theta) @ query_features(query, context=context), -LIMIT, LIMIT))
        terms = rule.terms()
        moved = terms * factor
        moved *= terms.sum() / moved.sum()
        return Weights(**dict(zip(TERMS, moved.tolist(), strict=True)))

    def to_json(self) -> bytes:
        """The head as JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, data: bytes | str) -> WeightHead:
        """A head from its JSON. Raises ArgumentError where it is none of this version, or not finite."""
        try:
            head = msgspec.json.decode(data, type=cls)
        except msgspec.DecodeError as error:
            raise ArgumentError(f"data: no head of weights ({error}); give what to_json returned") from None
        if len(head.theta) == len(TERMS) - 1:
            # fitted before there was the last term: it moves that by nothing
            head = msgspec.structs.replace(head, theta=(*head.theta, (0.0,) * len(FEATURES)))
        shape = len(head.theta) == len(TERMS) and all(len(row) == len(FEATURES) for row in head.theta)
        if head.version != _VERSION or not shape or not all(math.isfinite(x) for row in head.theta for x in row):
            raise ArgumentError("data: a head of other terms or features; fit it again")
        return head


class WeightFit(msgspec.Struct, frozen=True, kw_only=True):
    """What fitting the weights came to."""

    head: WeightHead | None
    """None where the rule was not improved on."""
    searches: int
    """Searches with both useful and other memories."""
    before: float
    """Mean share of the held-out searches' pairs that the rule orders rightly; NaN with too few of them."""
    after: float
    error: float
    """Standard error of their difference."""
    why: str = ""
    """In words, why there is no head; "" where there is one."""


def fit_weights(judged: Iterable[Judged]) -> WeightFit:
    """Fit a head to searches; deterministic. Those without a useful, or without another memory tell nothing."""
    some = [j for j in judged if j.good.any() and not j.good.all()]
    held = [j for j in some if zlib.crc32(j.query.encode("utf-8", "surrogatepass")) % _HELD_OUT == 0]
    train = [j for j in some if zlib.crc32(j.query.encode("utf-8", "surrogatepass")) % _HELD_OUT != 0]
    nan = math.nan
    # a question that was asked again tells nothing new of other questions
    asked, _, which = len({j.query for j in some}), *np.unique([j.query for j in held], return_inverse=True)
    tested = int(which.max(initial=-1)) + 1
    if asked < LEAST or tested < 5:
        short = f"{asked} questions with both useful and other memories are too few to learn from: give {LEAST} or more"
        if asked >= LEAST:
            short = f"only {tested} of the {asked} questions fall to the held-out fifth: give more"
        return WeightFit(head=None, searches=len(some), before=nan, after=nan, error=nan, why=short)
    theta = _descend(_stack(train))
    test = _stack(held)
    before, after = _ordered(test, np.zeros_like(theta)), _ordered(test, theta)
    gain = np.bincount(which.reshape(-1), after - before) / np.bincount(which.reshape(-1))
    error = float(gain.std(ddof=1) / math.sqrt(tested))
    improved = bool(gain.mean() > 2.0 * error)
    head = WeightHead(theta=tuple(map(tuple, theta.tolist())), searches=len(some)) if improved else None
    return WeightFit(
        head=head,
        searches=len(some),
        before=float(before.mean()),
        after=float(after.mean()),
        error=error,
        why="" if improved else "the rule as it is orders the held-out searches as well",
    )


class _Pairs(NamedTuple):
    phi: NDArray[np.float64]
    """(n, 12) features per search."""
    delta: NDArray[np.float64]
    """(p, 11) weighted terms of a useful memory minus those of another one of its search."""
    search: NDArray[np.int64]
    """(p) which search."""
    share: NDArray[np.float64]
    """(p) 1 / number of the search's pairs."""


def _stack(judged: list[Judged]) -> _Pairs:
    phi = np.stack([query_features(j.query, context=j.context) for j in judged])
    deltas, which, share = [], [], []
    for i, j in enumerate(judged):
        terms = j.values * j.weights
        delta = (terms[j.good][:, None, :] - terms[~j.good][None, :, :]).reshape(-1, terms.shape[1])
        deltas.append(delta)
        which.append(np.full(len(delta), i))
        share.append(np.full(len(delta), 1.0 / len(delta)))
    return _Pairs(phi, np.concatenate(deltas), np.concatenate(which), np.concatenate(share))


def _losses(pairs: _Pairs, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) mean pair loss of each search."""
    factor = np.exp(np.clip(pairs.phi @ theta.T, -LIMIT, LIMIT))
    margin = np.einsum("pt,pt->p", pairs.delta, factor[pairs.search]) / TEMPERATURE
    total = np.bincount(pairs.search, np.logaddexp(0.0, -margin) * pairs.share, len(pairs.phi))
    return np.asarray(total, np.float64)


def _ordered(pairs: _Pairs, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) share of each search's pairs that are in the right order."""
    factor = np.exp(np.clip(pairs.phi @ theta.T, -LIMIT, LIMIT))
    right = np.einsum("pt,pt->p", pairs.delta, factor[pairs.search]) > 0.0
    return np.asarray(np.bincount(pairs.search, right * pairs.share, len(pairs.phi)), np.float64)


def _descend(pairs: _Pairs) -> NDArray[np.float64]:
    n = len(pairs.phi)
    theta = np.zeros((pairs.delta.shape[1], pairs.phi.shape[1]))
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, _STEPS + 1):
        raw = pairs.phi @ theta.T
        factor = np.exp(np.clip(raw, -LIMIT, LIMIT))
        part = pairs.delta * factor[pairs.search]
        margin = part.sum(axis=1) / TEMPERATURE
        slope = -pairs.share / (1.0 + np.exp(np.clip(margin, -50.0, 50.0))) / TEMPERATURE / n
        inner = np.zeros((n, theta.shape[0]))
        np.add.at(inner, pairs.search, slope[:, None] * part)
        inner *= np.abs(raw) < LIMIT
        gradient = inner.T @ pairs.phi + 2.0 * STRENGTH * theta
        first += 0.1 * (gradient - first)
        second += 0.001 * (gradient**2 - second)
        rate = _STEP * (0.5 + 0.5 * math.cos(math.pi * step / _STEPS))
        theta -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return theta
