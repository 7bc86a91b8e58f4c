"""Rows of the validity test: ways to say how likely a text still holds after a delay.

Each is fitted on training facts and predicts for texts; the two oracle rows are told the kind as well, and say so in
their names. Survival is written S(d) = P(duration > d); censored facts count as such (exponential: events over days at
risk; Kaplan-Meier by the package lifelines, extra [eval]).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scrubjay.dynamics.term import kept
from scrubjay.encode.ends import stated_end
from scrubjay.encode.head import PerishabilityHead
from scrubjay.encode.perishability import DAY, KeywordRule
from scrubjay.errors import ArgumentError, MissingExtraError
from scrubjay.evaluate.similarity import unit
from scrubjay.evaluate.validity import Examples, Facts, examples
from scrubjay.memory import Perishability
from scrubjay.protocols import Embedder, PerishabilityModel

Floats = NDArray[np.float64]
NEIGHBOURS: Final = 50


class Row(Protocol):
    """A row of the table."""

    @property
    def name(self) -> str:
        """As it appears in the table."""
        ...

    def fit(self, train: Facts) -> None:
        """Learn from facts with their ends."""
        ...

    def predict(self, facts: Facts, ex: Examples) -> Floats:
        """P(valid) of each example; only the oracle rows look at anything but `facts.text`."""
        ...


class Curve(Protocol):
    """A survival function fitted to durations."""

    def __call__(self, days: Floats) -> Floats:
        """S at the delays."""
        ...


def exponential(days: Floats, ended: NDArray[np.bool_]) -> Curve:
    """S(d) = exp(-rate d) with the rate that censored data makes most likely: ends over days at risk (at least one)."""
    rate = float(ended.sum()) / max(float(days.sum()), 1.0)
    return lambda d: np.exp(-rate * d)


def kaplan_meier(days: Floats, ended: NDArray[np.bool_]) -> Curve:
    """The product-limit estimate; 1 before the first duration, constant after the last."""
    try:
        from lifelines import KaplanMeierFitter
    except ImportError as error:
        raise MissingExtraError("Kaplan-Meier", "eval") from error
    if days.size == 0:
        raise ArgumentError("days: no duration to fit a survival curve to; give at least one fact")
    fitted: Any = KaplanMeierFitter().fit(days, ended)
    return lambda d: np.asarray(fitted.survival_function_at_times(d).to_numpy(), np.float64)


Fitter = Callable[[Floats, NDArray[np.bool_]], Curve]


class Constant:
    """The share of valid examples in training, whatever is asked."""

    name = "constant"
    _share = 0.5

    def fit(self, train: Facts) -> None:
        """Count."""
        self._share = float(examples(train).valid.mean())

    def predict(self, facts: Facts, ex: Examples) -> Floats:  # noqa: ARG002
        """The share."""
        return np.full(len(ex), self._share)


class Global:
    """One curve for all facts."""

    def __init__(self, name: str, fitter: Fitter) -> None:
        self.name, self._fitter = name, fitter

    def fit(self, train: Facts) -> None:
        """Fit the curve."""
        self._curve = self._fitter(train.observed_days, train.ended)

    def predict(self, facts: Facts, ex: Examples) -> Floats:  # noqa: ARG002
        """The curve at the delays."""
        return _at_delays(self._curve, ex.delay)


class KnownKind:
    """Oracle: one curve per kind, and it is told the kind. A kind that training never showed gets the global curve."""

    def __init__(self, name: str, fitter: Fitter) -> None:
        self.name, self._fitter = name, fitter

    def fit(self, train: Facts) -> None:
        """Fit a curve per kind."""
        self._all = self._fitter(train.observed_days, train.ended)
        self._by_kind: dict[str, Curve] = {}
        for kind in np.unique(train.kind):
            one = train.take(train.kind == kind)
            self._by_kind[str(kind)] = self._fitter(one.observed_days, one.ended)

    def predict(self, facts: Facts, ex: Examples) -> Floats:
        """The kind's curve at the delays."""
        kinds = facts.kind[ex.fact]
        out = np.empty(len(ex))
        for kind in np.unique(kinds):
            mine = kinds == kind
            out[mine] = _at_delays(self._by_kind.get(str(kind), self._all), ex.delay[mine])
        return out


class NearestTexts:
    """The k nearest training texts by cosine, and an exponential over their durations."""

    def __init__(self, embedder: Embedder, *, k: int = NEIGHBOURS) -> None:
        self.name = f"{k} nearest texts, exponential"
        self._embedder, self._k = embedder, k

    def fit(self, train: Facts) -> None:
        """Keep texts and durations."""
        self._vectors = unit(self._embedder.embed([str(t) for t in train.text]))
        self._days, self._ended = train.observed_days, train.ended.astype(np.float64)

    def _rates(self, texts: Sequence[str]) -> Floats:
        vectors = unit(self._embedder.embed(texts))
        k = min(self._k, len(self._days))
        rates = np.empty(len(texts))
        for begin in range(0, len(texts), 512):
            near = vectors[begin : begin + 512] @ self._vectors.T
            rows = np.argpartition(-near, k - 1, axis=1)[:, :k]
            ends, days = self._ended[rows].sum(axis=1), self._days[rows].sum(axis=1)
            rates[begin : begin + 512] = ends / np.maximum(days, 1.0)
        return rates

    def predict(self, facts: Facts, ex: Examples) -> Floats:
        """exp(-rate delay) with the neighbours' rate."""
        texts, where = np.unique(facts.text[ex.fact], return_inverse=True)
        return np.exp(-self._rates([str(t) for t in texts])[where] * ex.delay)


class Perishable:
    """Any perishability model: P = exp(-(pi d / tau)^shape). It is not fitted here: it comes as it is."""

    def __init__(self, name: str, model: PerishabilityModel, embedder: Embedder | None = None) -> None:
        self.name, self._model, self._embedder = name, model, embedder

    def fit(self, train: Facts) -> None:
        """Nothing: the model is given."""

    def predict(self, facts: Facts, ex: Examples) -> Floats:
        """Classify each distinct text once, without context."""
        texts, where = np.unique(facts.text[ex.fact], return_inverse=True)
        given = [str(t) for t in texts]
        what = np.zeros((len(given), 1), np.float32) if self._embedder is None else unit(self._embedder.embed(given))
        found = self._model.classify(given, [None] * len(given), what, np.zeros_like(what))
        return until_its_end(holds(found, where, ex.delay.astype(np.float64) * DAY), facts, ex)


class HeadCurve:
    """The trained head by its full curve, of which a store keeps the nearest Weibull curve."""

    def __init__(self, name: str, head: PerishabilityHead, embedder: Embedder) -> None:
        self.name, self._head, self._embedder = name, head, embedder

    def fit(self, train: Facts) -> None:
        """Nothing: the head is given."""

    def predict(self, facts: Facts, ex: Examples) -> Floats:
        """The curve at the delays."""
        texts, where = np.unique(facts.text[ex.fact], return_inverse=True)
        given = [str(t) for t in texts]
        days, column = np.unique(ex.delay, return_inverse=True)
        ages = np.broadcast_to(days * DAY, (len(given), days.size))
        table = self._head.p_valid(unit(self._embedder.embed(given)), given, ages)
        return until_its_end(np.clip(np.asarray(table, np.float64)[where, column], 0.0, 1.0), facts, ex)


class Always:
    """Decay off: everything that was ever learned still holds."""

    name = "ours: decay off"

    def fit(self, train: Facts) -> None:
        """Nothing."""

    def predict(self, facts: Facts, ex: Examples) -> Floats:  # noqa: ARG002
        """1."""
        return np.ones(len(ex))


def keyword_rule() -> Perishable:
    """The paper's keyword rule."""
    return Perishable("ours: keyword classes, exp(-pi d/tau)", KeywordRule())


def holds(found: Sequence[Perishability], which: NDArray[np.int64], age: Floats) -> Floats:
    """P(still holds) = exp(-(pi age / tau)^shape) of the perishability of each row, at ages in seconds."""
    columns = np.array([(p.pi, p.tau, p.shape) for p in found], np.float64).reshape(-1, 3)[which]
    with np.errstate(over="ignore"):
        return np.exp(-((columns[:, 0] * np.maximum(age, 0.0) / columns[:, 1]) ** columns[:, 2]))


def until_its_end(held: Floats, facts: Facts, ex: Examples) -> Floats:
    """(n,) in [0, 1]: what the end that each fact's own words name makes of `held`, said at its start."""
    starts = facts.start.astype(np.float64) * DAY
    ends = [stated_end(str(text), start) for text, start in zip(facts.text, starts.tolist(), strict=True)]
    until = np.array([np.inf if end is None else end.at for end in ends])[ex.fact]
    edge = np.array([0.0 if end is None else end.edge for end in ends])[ex.fact]
    return kept(held, starts[ex.fact], until, edge, starts[ex.fact] + ex.delay * DAY)


def _at_delays(curve: Curve, delay: NDArray[np.int64]) -> Floats:
    days, where = np.unique(delay, return_inverse=True)
    return np.clip(curve(days.astype(np.float64)), 0.0, 1.0)[where]


def standard_rows(embedder: Embedder) -> list[Row]:
    """All baseline rows, from the weakest to the oracles."""
    return [
        Constant(),
        Global("global exponential", exponential),
        Global("global Kaplan-Meier", kaplan_meier),
        keyword_rule(),
        NearestTexts(embedder),
        KnownKind("oracle: known kind, exponential", exponential),
        KnownKind("oracle: known kind, Kaplan-Meier", kaplan_meier),
    ]
