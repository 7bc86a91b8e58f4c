"""The verbs of tiers: summaries and abstracts as a way to raw memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from scrubjay.encode.intake import check_count, check_namespace
from scrubjay.encode.normal import check_text
from scrubjay.encode.when import When, to_seconds
from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.memory import Tier
from scrubjay.recall.hits import Hits
from scrubjay.verbs import read, tiers
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.tiers import Condensation, Descent


class TierVerbs:
    """Tiers are derived: searches and lists of a namespace see its raw memories alone."""

    _engine: Engine

    def condense(
        self, *, namespace: str | Sequence[str] = (), summarise: Callable[[list[str]], str] | None = None
    ) -> Condensation:
        """Write summaries of clusters of memories, and abstracts of clusters of summaries, for `descend`.

        Raw memories stay as they are. What has the same members as before is kept, the rest is removed and written
        anew. Deleting or changing a memory removes the tiers above it at once, since they may repeat its words.

        Args:
            namespace: whose memories.
            summarise: the texts of a cluster, oldest first, to one text, for example by a language model; None: by the
                extractive rule of `scrubjay.upkeep.tiers`, which is also used, and said, where the function raises
                ModelReplyError, TimeoutError or ConnectionError, or gives no text.

        Raises:
            StoreLockedError: another writer came between; nothing was written.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.add_many(["The deploy needs the VPN.", "The deploy needs a VPN token."])
            ...     done = store.condense()
            ...     len(done.summaries), len(done.summaries[0].metadata["members"]), len(store)
            (1, 2, 3)
        """
        if summarise is not None and not callable(summarise):
            raise ArgumentTypeError(f"summarise: expected a function or None, got {type(summarise).__name__}")
        return tiers.condense(self._engine, check_namespace(namespace), summarise)

    def descend(
        self,
        query: str,
        *,
        k: int = 10,
        namespace: str | Sequence[str] = (),
        start: Literal["abstract", "summary"] = "abstract",
        width: int = tiers.WIDTH,
        context: str | None = None,
        now: When | None = None,
    ) -> Descent:
        """Search from the top: the abstracts nearest to the query, their summaries, then the raw memories below.

        What lies below no opened summary is not looked at, so `hits.exact` is False and a note says how many were
        searched. Without tiers it is a plain search.

        Args:
            query: any text.
            k: raw memories at most, >= 1.
            namespace: whose memories.
            start: the tier to begin with.
            width: how many tiers are opened at each level, >= 1.
            context, now: as in `search`.

        Example:
            >>> import scrubjay
            >>> with scrubjay.open(":memory:", clock=lambda: 1.7e9) as store:
            ...     _ = store.add_many(["The deploy needs the VPN.", "The deploy needs a VPN token.", "Lunch is late."])
            ...     _ = store.condense()
            ...     sorted(hit.memory.text for hit in store.descend("what does the deploy need?").hits)
            ['The deploy needs a VPN token.', 'The deploy needs the VPN.']
        """
        if not isinstance(start, str) or start not in ("abstract", "summary"):
            raise ArgumentError(f"start: expected 'abstract' or 'summary', got {shown(start)}")
        text = check_text(query, argument="query", allow_blank=True)
        scope, count = check_namespace(namespace), check_count(k)
        at = self._engine.clock() if now is None else to_seconds(now, argument="now")

        def search(among: Any) -> Hits:
            return read.search_many(
                self._engine,
                [text],
                k=count,
                contexts=[context],
                namespace=scope,
                now=at,
                weights=None,
                scoring=None,
                among=among,
            )[0]

        tier = Tier.ABSTRACT if start == "abstract" else Tier.SUMMARY
        return tiers.descend(self._engine, text, scope, tier, check_count(width, argument="width"), search)
