from __future__ import annotations

import gc

import numpy as np
import pyarrow as pa
import pytest

from scrubjay.columns import FIELDS, LIVE, WASTE_ROWS, Columns, aligned, schema, short


def rows(first: int, n: int) -> dict[str, object]:
    given: dict[str, object] = {f.name: np.arange(n) % 100 for f in FIELDS}
    return given | {"key": np.arange(first, first + n), "flags": LIVE, "context": -1}


def filled(n: int, dim: int = 4, step: int = 7) -> Columns:
    columns = Columns(dim)
    for start in range(0, n, step):
        k = min(step, n - start)
        what = np.arange(start * dim, (start + k) * dim, dtype=np.float32).reshape(k, dim)
        columns.append(rows(start + 1, k), what)
    return columns


def test_rows_come_back_over_many_doublings():
    columns = filled(5000)
    assert np.array_equal(columns.key, np.arange(1, 5001))
    assert np.array_equal(columns.what, np.arange(20000, dtype=np.float32).reshape(5000, 4))
    for f in FIELDS:
        assert getattr(columns, f.name).dtype == f.dtype
        assert getattr(columns, f.name).shape == (5000,)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_buffers_are_aligned_and_contiguous(n):
    columns = filled(n)
    for name in ("what", *(f.name for f in FIELDS)):
        view = getattr(columns, name)
        assert view.ctypes.data % 64 == 0
        assert view.flags.c_contiguous
    assert aligned((0, 3), np.float32).shape == (0, 3)


def test_views_refuse_writes():
    columns = filled(3)
    for name in ("what", "pi", "contexts", "key"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(columns, name)[...] = 0
    with pytest.raises(AttributeError, match="no column 'colour'"):
        _ = columns.colour


def test_bug_29_a_view_outlives_growth_compaction_and_owner():
    columns = filled(100)
    view, keys, expected = columns.what, columns.key, columns.what.copy()
    batch = columns.arrow()
    for start in range(100, 10_100, 100):
        columns.append(rows(start + 1, 100), np.full((100, 4), -1, np.float32))
    columns.forget(np.arange(50))
    columns.compact()
    assert np.array_equal(view, expected)
    del columns
    gc.collect()
    scratch = [np.full(1000, 7, np.float32) for _ in range(100)]
    assert np.array_equal(view, expected)
    assert np.array_equal(keys, np.arange(1, 101))
    assert np.array_equal(np.asarray(batch.column("what").flatten()), expected.reshape(-1))
    assert len(scratch) == 100


def test_arrow_shares_the_buffers():
    columns = filled(130)
    batch = columns.arrow()
    batch.validate(full=True)
    assert batch.schema.equals(schema(4))
    assert batch.num_rows == 130
    assert batch.column("pi").buffers()[1].address == columns.pi.ctypes.data
    assert batch.column("what").flatten().buffers()[1].address == columns.what.ctypes.data
    assert batch.schema.field("tau").metadata[b"unit"] == b"s"
    assert pa.Table.from_batches([batch]).num_rows == 130


def test_arrow_batches_hold_the_living_rows():
    columns = filled(1000)
    columns.forget(np.array([0, 500, 999]))
    keys = np.concatenate([np.asarray(b.column("key")) for b in columns.arrow_batches(64)])
    assert np.array_equal(keys, np.setdiff1d(np.arange(1, 1001), [1, 501, 1000]))


def test_keys_are_found_and_deleted_ones_are_not():
    columns = filled(10)
    assert columns.row(1) == 0
    assert columns.row(10) == 9
    assert columns.row(11) == columns.row(0) == columns.row(-3) == -1
    columns.forget(np.array([4]))
    assert columns.row(5) == -1
    assert columns.rows([1, 5, 10, 99, -1]).tolist() == [0, -1, 9, -1, -1]
    assert columns.rows([]).tolist() == []
    assert Columns(4).rows([1, 2]).tolist() == [-1, -1]
    assert Columns(4).row(1) == -1


def test_compaction_keeps_keys_and_changes_no_digest():
    columns = filled(3000)
    dead = np.arange(0, 3000, 2)
    columns.forget(dead)
    assert columns.wasteful
    before = columns.digest()
    kept = columns.what[1::2].copy()
    columns.compact()
    assert (len(columns), columns.dead, columns.generation) == (1500, 0, 1)
    assert columns.digest() == before
    assert np.array_equal(columns.what, kept)
    assert columns.row(2) == 0
    assert columns.row(1) == -1
    columns.append(rows(3001, 10), np.zeros((10, 4), np.float32))
    assert columns.row(3010) == 1509
    columns.compact()
    assert columns.generation == 1


def test_few_deleted_rows_are_no_waste():
    columns = filled(4 * WASTE_ROWS)
    columns.forget(np.arange(WASTE_ROWS))
    assert not columns.wasteful
    columns.forget(np.arange(WASTE_ROWS, WASTE_ROWS + 1))
    assert columns.wasteful


def test_digest_sees_every_bit():
    def changed(name: str, at: object) -> str:
        columns = filled(20)
        array = columns.movable(np.array([3])) if name == "what" else columns.writable(name)
        array[at] = array[at] + 1
        return columns.digest()

    seen = {filled(20).digest(), changed("what", (3, 2)), *(changed(f.name, 7) for f in FIELDS)}
    assert len(seen) == 2 + len(FIELDS)
    other = filled(20)
    other.seq = 1
    contexts = filled(20)
    contexts.append_contexts(np.ones((1, 4), np.float32))
    assert len(seen | {other.digest(), contexts.digest()}) == 4 + len(FIELDS)


def test_contexts_are_a_dictionary():
    columns = filled(4)
    for i in range(100):
        columns.append_contexts(np.full((1, 4), i, np.float32))
    columns.writable("context")[:] = [3, -1, 99, 0]
    assert columns.contexts.shape == (100, 4)
    assert columns.contexts.ctypes.data % 64 == 0
    assert columns.where(np.arange(4))[:, 0].tolist() == [3, 0, 99, 0]


@pytest.mark.parametrize("x", [0.1, 0.3, 1.0, 86400.0, 1e-3, 3.4e38, 1.2e-38])
def test_short_gives_the_number_that_was_meant(x):
    assert short(np.float32(x)) == x
