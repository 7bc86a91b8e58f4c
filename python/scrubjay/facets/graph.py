"""The verbs of the graph."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.encode.intake import check_count, check_namespace
from scrubjay.verbs import graph
from scrubjay.verbs.engine import Engine
from scrubjay.verbs.graph import Edge


class GraphVerbs:
    """link, unlink and neighbors."""

    _engine: Engine

    def link(
        self,
        a: str,
        b: str,
        *,
        weight: float = 1.0,
        kind: str = "related",
        namespace: str | Sequence[str] | None = None,
    ) -> None:
        """Link two memories by hand: search for one then brings the other nearer.

        An edge by hand has no direction and is under no degree cap; linking again replaces weight and kind.

        Args:
            a, b: ids of two memories of one namespace.
            weight: in (0, 1]; an edge by rule has at most .40 + .30 + .30.
            kind: what the edge means, a word or a few on one line, 1 to 64 bytes.
            namespace: where given, both must be in it.

        Raises:
            MemoryNotFoundError: one of them does not exist (in `namespace`, where given).
            ArgumentError: a and b are one memory, or of two namespaces; a weight out of range.

        Example:
            >>> import scrubjay
            >>> store = scrubjay.open(":memory:", clock=lambda: 1.7e9)
            >>> a, b = store.add("The pump is loud."), store.add("Invoice 7 is open.", when="2020-01-01")
            >>> store.link(a.id, b.id, weight=0.5, kind="caused")
            >>> [(edge.memory.text, edge.kind, edge.weight) for edge in store.neighbors(a.id)]
            [('Invoice 7 is open.', 'caused', 0.5)]
            >>> store.unlink(a.id, b.id), store.unlink(a.id, b.id)
            (True, False)
        """
        labels = None if namespace is None else check_namespace(namespace)
        graph.link(self._engine, a, b, weight=weight, kind=kind, namespace=labels)

    def unlink(self, a: str, b: str, *, namespace: str | Sequence[str] | None = None) -> bool:
        """End every edge between two memories, by hand and by rule; returns whether there was one.

        Raises:
            MemoryNotFoundError: one of them does not exist (in `namespace`, where given).
        """
        return graph.unlink(self._engine, a, b, namespace=None if namespace is None else check_namespace(namespace))

    def neighbors(self, id: str, *, limit: int = 100, namespace: str | Sequence[str] | None = None) -> list[Edge]:
        """The memories that share an edge with this one, the strongest first.

        Edges are made when memories are added: to the 8 best by similarity (cosine >= .6), by context and in time
        (within seven days). Two memories share one while each is among the other's best. Weights: .40, .30 and .30 of
        the three classes' values, plus edges by hand ("Caching for the Future", eq. 7).

        Raises:
            MemoryNotFoundError: no such memory (in `namespace`, where given).
        """
        labels = None if namespace is None else check_namespace(namespace)
        return graph.neighbors(self._engine, id, limit=check_count(limit, argument="limit"), namespace=labels)
