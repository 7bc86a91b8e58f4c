"""The verb that changes a memory by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubjay.encode.intake import check_namespace
from scrubjay.encode.when import When
from scrubjay.memory import MemoryUnit, Perishability
from scrubjay.verbs import revise
from scrubjay.verbs.engine import Engine

KEPT: Any = revise.KEPT
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
        """Change the fields that are given; all others keep their values.

        Another text is another statement. It holds from now on, by the store's clock, unless `when` says since when:
        its `when` is that time. How long it lasts is judged anew, as by `add`, unless it is given here or was given
        before; what evidence or a fit had moved of the old text's perishability does not go over to it. The same text
        up to white space keeps its perishability, whatever else changes.

        `metadata` is merged into what is there; a key whose value is None is deleted. `context=None` and
        `sensitive=None` clear the field.

        Raises:
            MemoryNotFoundError: no such memory (in `namespace`, where given).
            ArgumentError: a value cannot be used, or another memory of the namespace has this text.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> unit = store.add("He is left-handed")
            >>> jam = store.update(unit.id, text="stuck in traffic on the A40")
            >>> week = [float(store.validity(one.id, ages=[7 * 86400.0])[0, 0]) for one in (jam, store.add(unit.text))]
            >>> week[0] < 0.5 < week[1]
            True
            >>> store.update(jam.id, perishability="factual").perishability == store.update(
            ...     jam.id, text="a given perishability stays").perishability
            True
        """
        return revise.update(
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
