"""Graph: weights of edges, and one hop of messages over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.protocols import Array

DAY = 86400.0


def edge_weights(
    sources: Array,
    targets: Array,
    what: Array,
    when: Array,
    where: Array | None = None,
    *,
    where_index: Array | None = None,
    shares: tuple[float, float, float] = (0.4, 0.3, 0.3),
    what_least: float = 0.6,
    where_least: float = 0.6,
    rate: float = 1 / DAY,
    window: float = 7 * DAY,
    threads: int = 0,
) -> NDArray[np.float32]:
    """Weights of edges between memories: e = .4 e_S + .3 e_C + .3 e_T.

    e_S is the cosine of the two whats where it reaches `what_least`, else 0; e_C the same of the wheres; e_T is
    exp(-rate |t_i - t_j|) where the two are less than `window` apart, else 0.

    Args:
        sources, targets: (edges,) int32 or int64, row numbers in [0, n).
        what: (n, d) float32, unit rows.
        when: (n,) float64, seconds.
        where: (n, d2) float32, unit rows, or (contexts, d2) with `where_index`; None: e_C is 0.
        where_index: (n,) int32, the row of `where` of each memory; negative: it has no context.
        shares: the parts of e_S, e_C and e_T, each in [0, 1].
        what_least, where_least: thresholds in [-1, 1].
        rate: 1 / second, >= 0.
        window: seconds, >= 0.

    Returns:
        (edges,) float32, the same to the bit for (i, j) and (j, i). A row of zeros or with NaN brings 0.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: a row number or parameter out of range, or sizes that do not fit; the message names it.

    Source: "Caching for the Future", eq. 7; thresholds, rate and window are chosen here.

    >>> import numpy as np
    >>> what = np.array([[1, 0], [0.8, 0.6]], np.float32)
    >>> when = np.array([0.0, 86400.0])
    >>> round(float(edge_weights(np.array([0]), np.array([1]), what, when)[0]), 5)
    0.43036
    """
    return _core.edge_weights(
        sources,
        targets,
        what,
        when,
        where,
        where_index=where_index,
        shares=shares,
        what_least=what_least,
        where_least=where_least,
        rate=rate,
        window=window,
        threads=threads,
    )


class Graph:
    """A weighted graph as compressed rows, checked and copied once, then read at full speed.

    The edges of node i are targets[offsets[i]:offsets[i + 1]]. Self loops and duplicate edges are allowed: each counts.
    It takes 8 bytes an edge and 8 a node, and after a batch of queries keeps another 64 a node for the next one.

    Args:
        offsets: (nodes + 1,) int64 or int32, from 0 to the number of edges, never falling.
        targets: (edges,) int32 or int64, in [0, nodes); at most 2^31 - 1 nodes.
        weights: (edges,) float32, finite.

    Raises:
        ArgumentTypeError: another dtype or number of axes.
        ArgumentError: offsets, targets or weights break a rule above; the message names position and value.

    >>> import numpy as np
    >>> graph = Graph(np.array([0, 2, 3, 3]), np.array([1, 2, 0]), np.array([0.5, 0.25, 1], np.float32))
    >>> graph
    Graph(nodes=3, edges=3)
    >>> graph.hop(np.array([1, 2, 4], np.float32)).tolist()
    [2.0, 1.0, 0.0]
    """

    __slots__ = ("_native",)

    def __init__(self, offsets: Array, targets: Array, weights: Array) -> None:
        self._native = _core.Graph(offsets, targets, weights)

    @classmethod
    def from_edges(cls, sources: Array, targets: Array, weights: Array, nodes: int) -> Graph:
        """A graph of a list of edges in any order; edges of one source keep theirs.

        Args:
            sources, targets: (edges,) int32 or int64, in [0, nodes).
            weights: (edges,) float32, finite.
            nodes: how many nodes there are.

        >>> import numpy as np
        >>> Graph.from_edges(np.array([2, 0]), np.array([0, 1]), np.ones(2, np.float32), 3).offsets.tolist()
        [0, 1, 1, 2]
        """
        graph = cls.__new__(cls)
        graph._native = _core.Graph.from_edges(sources, targets, weights, nodes)
        return graph

    def __repr__(self) -> str:
        return f"Graph(nodes={self.nodes}, edges={self.edges})"

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self._native.nodes

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return self._native.edges

    @property
    def offsets(self) -> NDArray[np.int64]:
        """(nodes + 1,), read-only, on the graph's own memory."""
        return self._native.offsets

    @property
    def targets(self) -> NDArray[np.int32]:
        """(edges,), read-only, on the graph's own memory."""
        return self._native.targets

    @property
    def weights(self) -> NDArray[np.float32]:
        """(edges,), read-only, on the graph's own memory."""
        return self._native.weights

    def hop(
        self, score: Array, utility: Array | None = None, *, rows: Array | None = None, threads: int = 0
    ) -> NDArray[np.float32]:
        """One hop of messages: Phi_i = sum over the edges (i, j) of e_ij score_j utility_j.

        With S0, the score without the graph term, this is the graph factor of a search; with the utility as `score`
        and nothing else it is the structural Phi by which consolidation keeps hubs.

        Args:
            score: (nodes,) float32, or (queries, nodes) for a batch.
            utility: (nodes,) float32; None: 1.
            rows: (m,) int32 or int64, the nodes to compute; None: all.

        Returns:
            float32, one value a node (or a row), one row a query; 0 for a node without edges. The sum of a node runs
            in one fixed order, so that a batch, a subset and any number of threads give the same bits. Error at most
            (degree / 4 + 3) 2^-24 sum |e x|. NaN reaches the nodes that point at it and no other.

        Raises:
            ArgumentTypeError: another dtype or number of axes.
            ArgumentError: sizes that do not fit the graph, or a row out of range.

        Source: "Caching for the Future", eq. 8.

        >>> import numpy as np
        >>> graph = Graph.from_edges(np.array([0, 0]), np.array([1, 1]), np.array([1, 2], np.float32), 2)
        >>> graph.hop(np.array([[0, 1], [0, 5]], np.float32), np.array([1, 0.5], np.float32)).tolist()
        [[1.5, 0.0], [7.5, 0.0]]
        """
        return self._native.hop(score, utility, rows=rows, threads=threads)

    def strongest(self, score: Array, *, weighted: bool = False, threads: int = 0) -> NDArray[np.float32]:
        """The strongest neighbour: max over the edges (i, j) of score_j, or of e_ij score_j when `weighted`.

        Args:
            score: (nodes,) float32, or (queries, nodes) for a batch.
            weighted: multiply by the edge's weight first.

        Returns:
            float32 in the shape of `score`; NaN is passed over; 0 for a node without edges or with NaN alone.

        Raises:
            ArgumentTypeError, ArgumentError: as in `hop`.

        Source: the graph term of the SIMULATE frame (three-channel memory, section 5.6).

        >>> import numpy as np
        >>> graph = Graph.from_edges(np.array([0, 0]), np.array([1, 2]), np.array([1, 0.1], np.float32), 3)
        >>> graph.strongest(np.array([9, 2, 5], np.float32)).tolist()
        [5.0, 0.0, 0.0]
        """
        return self._native.strongest(score, weighted=weighted, threads=threads)
