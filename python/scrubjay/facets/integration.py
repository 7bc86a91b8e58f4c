"""The verbs of retroactive integration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubjay.dynamics.integration import Integration
from scrubjay.encode.intake import check_draft, check_flag, check_namespace
from scrubjay.encode.when import When
from scrubjay.errors import ArgumentTypeError
from scrubjay.memory import NewMemory
from scrubjay.verbs import integrate
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.integrate import IntegrationResult


class IntegrationVerbs:
    """integrate and undo."""

    _engine: Engine

    def integrate(
        self,
        text: str,
        *,
        context: str | None = None,
        namespace: str | Sequence[str] = (),
        when: When | None = None,
        metadata: dict[str, Any] | None = None,
        law: Integration | None = None,
        dry_run: bool = False,
    ) -> IntegrationResult:
        """Remember new evidence and let it revise what it is about, with one embedding and one pass over the namespace.

        Memories whose cosine to the evidence exceeds `law.theta` move in proportion to it: value, perishability,
        horizon and embedding, each within the bounds of "Caching for the Future", eqs. 9-12
        (`scrubjay.dynamics.integration`). Memories that state the same subject and attribute and are about an earlier
        time lose their place to it: they stay in the history, are no longer `current`, and rank behind it. Pinned and
        sensitive memories, and those of other namespaces, do not move. What is done is one event, which `undo` takes
        back exactly.

        Args:
            text: the evidence; it becomes a memory itself, as by `add`.
            context, namespace, when, metadata: as in `add`.
            law: parameters; None: the chosen ones.
            dry_run: say what would happen and change nothing.

        Raises:
            ArgumentError: an argument cannot be used; nothing was written.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> old = store.add("The retro is in room Heron.", when="2023-10-01")
            >>> done = store.integrate("The retro has moved to room Plover.", when="2023-11-01")
            >>> done.superseded == [old.id], store.get(old.id).current
            (True, False)
            >>> store.undo(done.event)
            1
            >>> store.get(old.id) == old
            True
        """
        if law is not None and not isinstance(law, Integration):
            raise ArgumentTypeError(f"law: expected Integration, got {type(law).__name__}")
        check_flag(dry_run, argument="dry_run")
        item = NewMemory(text=text, context=context, namespace=namespace, when=when, metadata=metadata)
        return integrate.integrate(
            self._engine,
            check_draft(item, self._engine.clock()),
            reader=self._engine.reader,
            law=Integration() if law is None else law,
            dry_run=dry_run,
        )

    def undo(self, event: int, *, namespace: str | Sequence[str] | None = None) -> int:
        """Take an integration back: every memory it moved is as if it had never been, and later events about them hold.

        A memory that the integration made is deleted with it, unless its text was said again since.

        Args:
            event: `IntegrationResult.event`; `history` shows it too.
            namespace: where given, the integration must have been made there.

        Returns:
            How many memories were restored.

        Raises:
            MemoryNotFoundError: no integration has this number.
            ArgumentError: it was undone already.
        """
        return integrate.undo(self._engine, event, None if namespace is None else check_namespace(namespace))
