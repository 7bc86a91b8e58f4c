"""What scrubjay.kernels adds to the native module: graphs as objects and results as Arrow."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from scrubjay import _core, kernels
from scrubjay.errors import ArgumentTypeError


def test_results_become_arrow_on_the_same_memory() -> None:
    rows, affinities = np.arange(5), np.linspace(0, 1, 5, dtype=np.float32)
    vectors = np.arange(20, dtype=np.float32).reshape(5, 4)
    batch = kernels.record_batch(row=rows, affinity=affinities, what=vectors)
    assert batch.schema.types == [pa.int64(), pa.float32(), pa.list_(pa.float32(), 4)]
    assert batch.column("row").buffers()[1].address == rows.ctypes.data
    assert batch.column("what").values.buffers()[1].address == vectors.ctypes.data
    again, _ = kernels.view(batch.column("what"), "float32", axes=2)
    assert np.shares_memory(again, vectors)
    np.testing.assert_array_equal(kernels.dot(batch.column("what"), np.ones(4, np.float32)), vectors.sum(1))


@pytest.mark.parametrize("n", [0, 1])
def test_empty_results_become_empty_batches(n: int) -> None:
    batch = kernels.record_batch(row=np.zeros(n, np.int64), what=np.zeros((n, 3), np.float32)[:, ::-1])
    assert batch.num_rows == n
    batch.validate(full=True)


def test_what_is_no_batch_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="b has 2 rows but a has another number"):
        kernels.record_batch(a=np.zeros(3), b=np.zeros(2))
    with pytest.raises(ArgumentTypeError, match="a must have 1 or 2 axes, got 0"):
        kernels.record_batch(a=np.float32(1))
    with pytest.raises(ArgumentTypeError, match="a must have 1 or 2 axes, got 3"):
        kernels.record_batch(a=np.zeros((1, 1, 1)))


def test_a_graph_is_the_native_one() -> None:
    rng = np.random.default_rng(0)
    sources, targets = rng.integers(0, 30, (2, 200))
    weights = rng.uniform(0, 1, 200).astype(np.float32)
    graph, native = (g.from_edges(sources, targets, weights, 30) for g in (kernels.Graph, _core.Graph))
    assert repr(graph) == "Graph(nodes=30, edges=200)"
    again = kernels.Graph(graph.offsets, graph.targets, graph.weights)
    score, utility = rng.uniform(0, 1, (2, 3, 30)).astype(np.float32)
    for g in (graph, again):
        np.testing.assert_array_equal(g.hop(score, utility[0], threads=2), native.hop(score, utility[0]))
        np.testing.assert_array_equal(g.hop(score[0], rows=np.array([3])), native.hop(score[0])[[3]])
        np.testing.assert_array_equal(g.strongest(score, weighted=True), native.strongest(score, weighted=True))
