"""The verbs of consolidation, of bindings, and of what the labels of the taxonomy mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrubjay.encode.intake import check_count, check_ids, check_namespace
from scrubjay.encode.when import When, to_seconds
from scrubjay.upkeep.consolidation import LEAST_SUPPORT, LEAST_UTILITY, check_least
from scrubjay.verbs import consolidate, taxonomy
from scrubjay.verbs.consolidate import Archived, Consolidation
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.taxonomy import Meaning


class ConsolidationVerbs:
    """consolidate, restore, forgotten; binding; taxonomy and set_taxonomy."""

    _engine: Engine

    def consolidate(
        self,
        *,
        now: When | None = None,
        namespace: str | Sequence[str] | None = None,
        dry_run: bool = False,
        least_utility: float = LEAST_UTILITY,
        least_support: float = LEAST_SUPPORT,
    ) -> Consolidation:
        """Put aside, at the end of a session, what is worth little and has no neighbours that are worth more.

        A memory is kept while U(m, now) > `least_utility` or the sum of e U over its neighbours > `least_support`
        ("Caching for the Future", eq. 15). Pinned memories and those of a sensitive class are always kept. What is put
        aside is archived: no search sees it, `get`, `history`, `list(archived=True)` and `forgotten` do, and `restore`
        or adding the same text again brings it back.

        Args:
            now: the time at which it is judged; None: the store's clock.
            namespace: only there; None: everywhere.
            dry_run: list what it would do and change nothing.
            least_utility, least_support: thresholds, >= 0.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> gone = store.add("The build is running.", when="2022-01-01", perishability="ephemeral")
            >>> kept = store.add("Ada's badge is blue.", when="2022-06-01", pinned=True)
            >>> [one.id == gone.id for one in store.consolidate(dry_run=True).pruned]
            [True]
            >>> len(store.consolidate().pruned), [hit.memory.id == kept.id for hit in store.search("build")]
            (1, [True])
            >>> [one.memory.text for one in store.forgotten()], store.restore(gone.id), len(store.search("build"))
            (['The build is running.'], 1, 2)
        """
        return consolidate.consolidate(
            self._engine,
            now=self._engine.clock() if now is None else to_seconds(now, argument="now"),
            namespace=None if namespace is None else check_namespace(namespace),
            dry_run=consolidate.check_dry_run(dry_run),
            least_utility=check_least(least_utility, argument="least_utility"),
            least_support=check_least(least_support, argument="least_support"),
        )

    def restore(self, ids: str | Sequence[str], *, namespace: str | Sequence[str] | None = None) -> int:
        """Bring back memories that were put aside, all or none; returns how many were.

        Raises:
            MemoryNotFoundError: one of them does not exist (in `namespace`, where given); nothing was restored.
        """
        labels = None if namespace is None else check_namespace(namespace)
        return consolidate.restore(self._engine, check_ids(ids), labels)

    def forgotten(
        self, *, namespace: str | Sequence[str] | None = None, limit: int = 100, after: str | None = None
    ) -> list[Archived]:
        """A page of what consolidation has put aside, with the reasons, in the order in which it was added.

        `after` is the id of the last memory of the page before; an empty list is the end.
        """
        return consolidate.forgotten(
            self._engine,
            namespace=None if namespace is None else check_namespace(namespace),
            limit=check_count(limit, argument="limit"),
            after=after,
        )

    def binding(self, ids: str | Sequence[str], *, namespace: str | Sequence[str] | None = None) -> NDArray[np.float32]:
        """What, where and when of memories bound into one vector each ("Caching for the Future", eq. 2).

        Returns:
            (n, d) float32, not of unit norm: compare by cosine. A memory without a context has zeros for its where.

        Raises:
            MemoryNotFoundError: one of them does not exist (in `namespace`, where given).

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> store.binding(store.add("Ada prefers tea.", context="kitchen").id).shape
            (1, 512)
        """
        labels = None if namespace is None else check_namespace(namespace)
        return taxonomy.binding(self._engine, check_ids(ids), labels)

    def taxonomy(self) -> dict[str, Meaning]:
        """What each label of the taxonomy means in this store, from the most to the least durable.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> store.set_taxonomy("ephemeral", tau=1800)
            Meaning(label='ephemeral', pi=0.9, tau=1800.0, low=0.8, high=1.0, edited=True)
            >>> store.add("The kettle is on.", perishability="ephemeral").perishability.tau
            1800.0
        """
        return taxonomy.taxonomy(self._engine)

    def set_taxonomy(self, label: str, *, pi: float | None = None, tau: float | None = None) -> Meaning:
        """Change what a label means from now on, where a caller names it or the keyword rule decides.

        Memories that are there keep their values. What a trained head or a model says in numbers stays as it is.

        Args:
            label: "factual", "procedural", "task_specific" or "ephemeral".
            pi: perishability in the label's range (`Meaning.low` to `Meaning.high`); None: as it is.
            tau: horizon in seconds, in [60, 365 d]; None: as it is.

        Raises:
            ArgumentError, ArgumentTypeError: a value cannot be used; nothing was changed.
        """
        return taxonomy.set_taxonomy(self._engine, label, pi=pi, tau=tau)
