"""The verb of the prospective buffer."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.encode.intake import check_count, check_namespace
from scrubjay.encode.when import When, to_seconds
from scrubjay.recall.prospective import SIZE, THETA, PreparedBuffer
from scrubjay.verbs import prepare
from scrubjay.verbs.engine import Engine


class PrepareVerbs:
    """prepare."""

    _engine: Engine

    def prepare(
        self,
        task: str,
        *,
        k: int = SIZE,
        context: str | None = None,
        namespace: str | Sequence[str] = (),
        now: When | None = None,
        theta: float = THETA,
    ) -> PreparedBuffer:
        """Choose the k memories that a task will most likely need; `search(..., buffer=)` looks into them first.

        The choice is the top k of P(m | task) U(m, now) ("Caching for the Future", section 3.6). A search through the
        buffer scores its memories and those added since, by the factors alone: without graph and words. Where the best
        score reaches `theta` that is the answer (`Hits.plan` is "buffer"), and it says so in its notes. Under scoring
        "competitive" it is the score's share of the weights in play that must reach `theta`, and so must what and where
        by themselves, because the when-term alone can reach it for whatever is fresh. Otherwise everything is searched.
        `PreparedBuffer.costs` counts what ran, `PreparedBuffer.learn` fits the choice to what was asked.

        Args:
            task: what is about to be done, as text.
            k: how many memories, >= 1.
            context: its task context.
            namespace: whose memories.
            now: the time at which they are to be useful; None: the store's clock.
            theta: least score of an answer, >= 0.

        Raises:
            ArgumentError, ArgumentTypeError: an argument cannot be used.
            EmbeddingError: the embedder's answer cannot be used.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> _ = store.add_many(["The deploy key is in the vault.", "Ada drinks tea.", "Deploys run on Fridays."])
            >>> buffer = store.prepare("deploy the release", k=2, theta=0.5)
            >>> hits = store.search("Where is the deploy key?", k=1, buffer=buffer)
            >>> hits.plan, hits[0].memory.text, buffer.costs.rows
            ('buffer', 'The deploy key is in the vault.', 2)
        """
        return prepare.prepare(
            self._engine,
            task,
            k=check_count(k, largest=1 << 20),
            theta=theta,
            context=context,
            namespace=check_namespace(namespace),
            now=self._engine.clock() if now is None else to_seconds(now, argument="now"),
        )
