"""The real system under test: a store opened through the facade, with mechanisms switched off by name.

A variant is a row of `VARIANTS`; an ablation is the full variant without some mechanisms of `MECHANISMS`. Both change
what the store is opened or searched with, never a score afterwards.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

import scrubjay
from scrubjay.encode.perishability import DAY, KeywordRule
from scrubjay.errors import ArgumentError, shown
from scrubjay.evaluate.systems import Answer, Item, Ranking, top_answer
from scrubjay.memory import MAX_HORIZON, MIN_PERISHABILITY, Perishability
from scrubjay.protocols import Embedder, PerishabilityModel
from scrubjay.recall.factors import Weights
from scrubjay.recall.intent import query_weights

Scoring = Literal["competitive", "paper"]
DEPTH: Final = 20
"""Hits that are asked for at most: a full ranking of a large store is no use of a memory, and competition among k hits
costs k squared. A relevant memory below that counts as not found (an MRR lower by at most 1 / 21)."""


class Uniform:
    """A perishability model that says the same of every text: one global rate, or (at the smallest rate) no decay."""

    def __init__(self, name: str, pi: float, tau: float) -> None:
        self.name = name
        self._value = Perishability(label="factual", pi=pi, tau=tau)

    def classify(
        self,
        texts: Sequence[str],
        contexts: Sequence[str | None],  # noqa: ARG002
        what: NDArray[np.float32],  # noqa: ARG002
        where: NDArray[np.float32],  # noqa: ARG002
    ) -> list[Perishability]:
        """The one value for each text."""
        return [self._value] * len(texts)


def no_decay() -> Uniform:
    """The slowest decay there is: after ten years P(valid) is still .99."""
    return Uniform("no-decay", MIN_PERISHABILITY, MAX_HORIZON)


def global_rate(days: float = 30.0) -> Uniform:
    """exp(-age / days) for every memory."""
    return Uniform(f"global-{days:g}d", 1.0, days * DAY)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a variant is opened and searched with."""

    perishability: str = "default"
    """A key of `MODELS`."""
    scoring: Scoring = "competitive"
    without: frozenset[str] = frozenset()
    """Factors whose weight is 0."""


MODELS: Final[dict[str, Callable[[], PerishabilityModel | None]]] = {
    "default": lambda: None,
    "keywords": KeywordRule,
    "global": global_rate,
    "none": no_decay,
}
"""Perishability models by name; None is what the library opens a store with by itself."""

MECHANISMS: Final[dict[str, Callable[[Settings], Settings]]] = {
    "decay": lambda s: msgspec.structs.replace(s, perishability="none"),
    "types": lambda s: s if s.perishability == "none" else msgspec.structs.replace(s, perishability="global"),
    "competition": lambda s: msgspec.structs.replace(s, scoring="paper"),
    "when": lambda s: msgspec.structs.replace(s, without=s.without | {"when"}),
    "where": lambda s: msgspec.structs.replace(s, without=s.without | {"where"}),
    "graph": lambda s: msgspec.structs.replace(s, without=s.without | {"graph"}),
}
"""What `--ablate` can switch off: a name to the settings without it.

decay: nothing goes stale by age; types: one rate for all; competition: a newer statement does not displace an older
one; when, where, graph: the factor's weight is 0."""

FULL: Final = Settings()

VARIANTS: Final[dict[str, tuple[str, Settings]]] = {
    "ours": ("ours", FULL),
    "ours_keywords": ("ours, keyword classes", Settings(perishability="keywords")),
    "ours_global": ("ours, one global rate", Settings(perishability="global")),
    "ours_no_decay": ("ours, decay off", Settings(perishability="none")),
    "ours_paper": ("ours, paper scoring", Settings(perishability="keywords", scoring="paper")),
    "ours_paper_global": ("ours, paper scoring, one global rate", Settings(perishability="global", scoring="paper")),
    "ours_paper_no_decay": ("ours, paper scoring, decay off", Settings(perishability="none", scoring="paper")),
}
"""Variants by the name that the command line takes."""


def ablated(mechanisms: Sequence[str]) -> Settings:
    """The full settings without these mechanisms."""
    settings = FULL
    for name in mechanisms:
        if name not in MECHANISMS:
            raise ArgumentError(f"ablate: {shown(name)} is no mechanism; known are {', '.join(MECHANISMS)}")
        settings = MECHANISMS[name](settings)
    return settings


class Ours:
    """A `System` over `scrubjay.open(":memory:")`, or over a namespace of a store that is open."""

    def __init__(
        self,
        name: str,
        embedder: Embedder,
        settings: Settings = FULL,
        *,
        store: scrubjay.MemoryStore | None = None,
        namespace: tuple[str, ...] = (),
    ) -> None:
        """With a `store`, which must be of these settings, that one is used, its `namespace` alone, and left open."""
        self.name = name
        self._settings = settings
        self._embedder = embedder
        self._namespace = namespace
        self._owns = store is None
        self._store = store or scrubjay.open(
            ":memory:", embedder=embedder, perishability=MODELS[settings.perishability](), scoring=settings.scoring
        )
        self._items: list[Item] = []
        self._rows: dict[str, list[int]] = defaultdict(list)
        self._ids: list[str] = []
        self._newest = 0.0

    def ingest(self, items: Sequence[Item]) -> None:
        """Add memories; the store keeps one memory of a repeated text, which then stands for all of its items."""
        units = self._store.add_many(
            [
                {
                    "text": i.text,
                    "when": i.when,
                    "context": i.context,
                    "metadata": i.metadata,
                    "namespace": self._namespace,
                }
                for i in items
            ]
        )
        for item, unit in zip(items, units, strict=True):
            self._rows[unit.id].append(len(self._items))
            self._items.append(item)
            self._ids.append(unit.id)
            self._newest = max(self._newest, item.when)

    def _weights(self, query: str, now: float) -> Weights | None:
        """None: the store's own; else its own without some factors."""
        if not self._settings.without:
            return None
        own = query_weights(query, elapsed=now - self._newest).to_dict()
        return Weights.of({factor: 0.0 if factor in self._settings.without else w for factor, w in own.items()})

    def rank(self, queries: Sequence[str], nows: Sequence[float], k: int) -> list[Ranking]:
        """`search_many`, one call per time; with factors switched off, one per query. At most `DEPTH` hits."""
        k = min(k, DEPTH)
        self._embedder.embed(list(queries))  # all at once: a cache then has them for the calls below
        out: list[Ranking | None] = [None] * len(queries)
        order = sorted(range(len(queries)), key=lambda i: nows[i])
        for now, group in itertools.groupby(order, key=lambda i: nows[i]):
            mine = list(group)
            calls = [[i] for i in mine] if self._settings.without else [mine]
            for call in calls:
                found = self._store.search_many(
                    [queries[i] for i in call],
                    k=k,
                    now=now,
                    weights=self._weights(queries[call[0]], now),
                    namespace=self._namespace,
                )
                for i, hits in zip(call, found, strict=True):
                    rows = [(row, hit.score, hit.valid) for hit in hits for row in self._rows[hit.memory.id]][:k]
                    table = np.array(rows, np.float64).reshape(-1, 3)
                    out[i] = Ranking(table[:, 0].astype(np.int64), table[:, 1], np.clip(table[:, 2], 0.0, 1.0))
        return [ranking for ranking in out if ranking is not None]

    def answer(self, query: str, now: float, ranking: Ranking | None = None) -> Answer:
        """The best hit's text."""
        return top_answer(self._items, ranking or self.rank([query], [now], 1)[0])

    def survival(self, ages: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Each memory's own curve, as if nothing newer displaced it."""
        return self._store.validity(self._ids, ages=ages)

    def close(self) -> None:
        """Release the store, if it is its own."""
        if self._owns:
            self._store.close()
