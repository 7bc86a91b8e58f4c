"""The verb that changes a memory by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubjay.encode.intake import check_namespace
from scrubjay.encode.when import When
from scrubjay.memory import MemoryUnit, Perishability
from scrubjay.verbs import write
from scrubjay.verbs.engine import Engine

KEPT: Any = write.KEPT
"""Default of `MemoryStore.update`'s arguments: the field keeps its value."""


class RevisionVerbs:
    """update."""

    _engine: Engine

    def update(
        self,
        id: str,
        *,
        namespace: str | Sequence[str] | None = None,
        text: str = KEPT,
        context: str | None = KEPT,
        when: When = KEPT,
        metadata: dict[str, Any] = KEPT,
        perishability: Perishability = KEPT,
        value: float = KEPT,
        pinned: bool = KEPT,
        sensitive: str | None = KEPT,
    ) -> MemoryUnit:
        """Change the fields that are given; all others keep their values, the perishability too.

        Another text holds from now on, by the store's clock, unless `when` says since when: its `when` is that time.

        `metadata` is merged into what is there; a key whose value is None is deleted. `context=None` and
        `sensitive=None` clear the field.

        Raises:
            MemoryNotFoundError: no such memory (in `namespace`, where given).
            ArgumentError: a value cannot be used, or another memory of the namespace has this text.
        """
        return write.update(
            self._engine,
            id,
            None if namespace is None else check_namespace(namespace),
            text=text,
            context=context,
            when=when,
            metadata=metadata,
            perishability=perishability,
            value=value,
            pinned=pinned,
            sensitive=sensitive,
        )
