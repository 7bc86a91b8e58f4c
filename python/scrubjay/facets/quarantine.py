"""The verbs about sources that are not trusted."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.verbs import quarantine as verbs
from scrubjay.verbs.engine import Engine


class QuarantineVerbs:
    """quarantine and release."""

    _engine: Engine

    def quarantine(self, sources: str | Sequence[str]) -> list[str]:
        """Let the memories of some sources, by their `metadata["source"]`, answer nobody who does not ask for them.

        From now on `search`, `prepare` and `descend` pass them by, they take nobody's place, and `condense` leaves them
        out; a filter that names `source` finds them. As evidence (`integrate`) they are stored, and neither move nor
        supersede anything. They stay in `list`, `get` and `history`, and `as_of` shows the past as it was. What such a
        source did before is undone by `undo`, summaries that have its words by `condense`, and what it would be without
        it `replay(without=...)` shows. It is recorded in the log and holds in every process, until `release`.

        Args:
            sources: a name or several, of at most 256 characters; at most 256 are in quarantine at a time.

        Returns:
            All sources that are in quarantine now.

        Raises:
            ArgumentError: a name cannot be used; nothing was written.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> _ = store.add("The review is in room B12.")
            >>> _ = store.add("The review has moved to room X9.", metadata={"source": "web"})
            >>> store.quarantine("web")
            ['web']
            >>> [hit.memory.text for hit in store.search("where is the review?")]
            ['The review is in room B12.']
            >>> [hit.memory.text for hit in store.search("where is the review?", filter={"source": "web"})]
            ['The review has moved to room X9.']
        """
        return verbs.quarantine(self._engine, verbs.check_sources(sources))

    def release(self, sources: str | Sequence[str]) -> list[str]:
        """Trust sources again: their memories answer as any other. Returns those that are still in quarantine.

        Raises:
            ArgumentError: one of them is not in quarantine; nothing was written.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> store.quarantine(["web", "mail"])
            ['mail', 'web']
            >>> store.release("mail")
            ['web']
        """
        return verbs.release(self._engine, verbs.check_sources(sources))
