from __future__ import annotations

import array
import ctypes
import gc
import sys
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.capsules import Producer, Streamer
from scrubjay import _core
from scrubjay.errors import ArgumentError, ArgumentTypeError

TARGETS = ("float32", "float64", "int8", "uint8", "uint16", "int32", "int64")
DTYPES = (
    *("bool", "object", "S4", "U4", "V4", "datetime64[us]", "timedelta64[s]", "complex64", "complex128"),
    *("float16", "float32", "float64", "longdouble"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)


def exact(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """The rule: the same kind, not narrower; or unsigned into a wider signed one."""
    if source.kind == target.kind and source.kind in "fiu":
        return source.itemsize <= target.itemsize
    return source.kind == "u" and target.kind == "i" and source.itemsize < target.itemsize


def values_of(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    numbers = np.arange(1, 1 + int(np.prod(shape))).reshape(shape) % 100
    if dtype in ("S4", "U4", "object"):
        return numbers.astype(dtype)
    return numbers.astype(np.uint8).view("V1").astype("V4") if dtype == "V4" else numbers.astype(dtype)


def taken(given: object, target: str, axes: int) -> np.ndarray:
    """What a kernel reads of `given`."""
    values, valid = _core.view(given, target, axes)
    assert valid is None
    assert values.dtype == target
    assert not values.flags.writeable
    return values


def address(values: np.ndarray) -> int:
    return values.__array_interface__["data"][0]


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_bug_21_every_dtype_is_taken_exactly_or_refused(dtype: str, target: str, axes: int) -> None:
    source = values_of(dtype, (6,) if axes == 1 else (3, 4))
    if exact(source.dtype, np.dtype(target)):
        np.testing.assert_array_equal(taken(source, target, axes), source)
    else:
        with pytest.raises(ArgumentTypeError, match=rf"^array must be {target}, got .*: \S"):
            _core.view(source, target, axes)


LAYOUTS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], bool]] = {
    # name: (a view or copy that holds the same numbers, taken without a copy)
    "plain": (lambda a: a, True),
    "read-only": (lambda a: (a.setflags(write=False), a)[1], True),
    "big-endian": (lambda a: a.astype(a.dtype.newbyteorder(">")), False),
    "fortran": (np.asfortranarray, False),
    "reversed rows": (lambda a: np.ascontiguousarray(a[::-1])[::-1], False),
    "reversed columns": (lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1], False),
    "every second column": (lambda a: np.repeat(a, 2, axis=-1)[..., ::2], False),
    "every second row": (lambda a: np.repeat(a, 2, axis=0)[::2], True),
    "columns of a wider matrix": (lambda a: np.concatenate([a, a, a], axis=-1)[..., : a.shape[-1]], True),
    "unaligned": (
        lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
        False,
    ),
    "broadcast": (lambda a: np.broadcast_to(a[:1], a.shape), True),
    "record array": (lambda a: a.view(np.recarray), True),
}


@pytest.mark.parametrize("dtype", TARGETS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_bug_21_every_layout_of_a_matrix_is_read_rightly(name: str, dtype: str) -> None:
    make, without_copy = LAYOUTS[name]
    made = make(values_of(dtype, (5, 7)))
    if np.dtype(dtype).itemsize == 1 and name in ("big-endian", "unaligned"):
        without_copy = True
    np.testing.assert_array_equal(taken(made, dtype, 2), np.asarray(made))
    assert (address(taken(made, dtype, 2)) == address(made)) is without_copy


@pytest.mark.parametrize("dtype", TARGETS)
@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
def test_bug_21_every_step_of_a_column_is_read_rightly(step: int, dtype: str) -> None:
    made = values_of(dtype, (20,))[::step]
    np.testing.assert_array_equal(taken(made, dtype, 1), made)
    assert (address(taken(made, dtype, 1)) == address(made)) is (step == 1)


@pytest.mark.parametrize("dtype", TARGETS)
@pytest.mark.parametrize("shape", [(0,), (1,), (0, 0), (0, 4), (4, 0), (1, 1), (1, 5), (5, 1)])
def test_empty_and_single_shapes(shape: tuple[int, ...], dtype: str) -> None:
    for make in (np.ascontiguousarray, np.asfortranarray):
        made = make(values_of(dtype, shape))
        np.testing.assert_array_equal(taken(made, dtype, len(shape)), made)


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (1, 1, 1, 1)])
def test_bug_21_the_wrong_number_of_axes_is_refused(shape: tuple[int, ...], axes: int) -> None:
    made = np.zeros(shape, np.float32)
    if made.ndim == axes:
        assert taken(made, "float32", axes).shape == shape
    else:
        with pytest.raises(ArgumentTypeError, match=rf"array must have {axes} ax[ei]s, got {len(shape)}"):
            _core.view(made, "float32", axes)


HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)


@pytest.mark.parametrize("target", ["float32", "float64"])
@pytest.mark.parametrize("make", [np.asarray, pa.array, lambda a: a[::-1][::-1], lambda a: a.astype(">f2")])
def test_every_half_is_widened_exactly(make: Callable[[np.ndarray], Any], target: str) -> None:
    np.testing.assert_array_equal(taken(make(HALVES), target, 1), HALVES.astype(target))


@pytest.mark.parametrize(
    "given",
    [
        [1.0, 2.0],
        (1.0, 2.0),
        [np.ones(2, np.float32), "path"],
        [[1.0, 2.0], [3.0]],
        "1 2 3",
        None,
        3.0,
        3,
        {1.0, 2.0},
        {"a": 1.0},
        iter([1.0]),
        np.float32,
        pa.Array,
        object(),
        lambda: None,
    ],
    ids=lambda given: repr(given).split(" at 0x")[0],
)
@pytest.mark.parametrize("axes", [1, 2])
def test_bug_18_what_is_no_array_is_refused_by_name(given: object, axes: int) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^array must be an array of float32 .*got \w+: build it with numpy"):
        _core.view(given, "float32", axes)


@pytest.mark.parametrize(
    "given",
    [
        np.array([np.ones(2, np.float32), "path"], object),
        np.array([[1.0], [2.0, 3.0]], object),
        np.array([None, 1.0], object),
        np.array(["1", "2"]),
        b"1234",
        bytearray(8),
        memoryview(b"12345678"),
        pa.array(["a"]),
        pa.array([b"a"]),
        pa.array([True]),
        pa.array([None]),
        pa.array([[1.0], [2.0, 3.0]]),
        pa.array([{"a": 1.0}]),
        pa.array([1, 2], pa.timestamp("us")),
        pa.array([1, 2], pa.date32()),
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([1.0, 1.0]).dictionary_encode(),
        pa.array([1], pa.decimal128(5)),
        pa.table({"a": [1.0]}),
        pa.record_batch({"a": [1.0]}),
        pa.array([1.0, 2.0], pa.float64()),
        pa.array([1, 2], pa.int64()),
        pa.array([[[[1.0]]]], pa.list_(pa.list_(pa.list_(pa.float32(), 1), 1), 1)),
    ],
    ids=lambda given: f"{type(given).__name__} {getattr(given, 'type', getattr(given, 'dtype', ''))}",
)
def test_bug_18_what_holds_no_float32_is_refused_by_name(given: object) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^array (must|is|has)"):
        _core.view(given, "float32", 1)


def test_float64_into_float32_names_the_remedy() -> None:
    with pytest.raises(ArgumentTypeError, match=r"rows must be float32, got float64.*\.astype\('float32'\)"):
        _core.dot(np.ones((2, 2)), np.ones(2, np.float32))


@pytest.mark.parametrize(
    "make",
    [
        lambda a: array.array("f", a.tolist()),
        lambda a: memoryview(a),
        lambda a: (ctypes.c_float * a.size)(*a.tolist()),
        lambda a: memoryview(a.tobytes()).cast("f"),
        lambda a: pa.array(a),
        lambda a: pa.chunked_array([a]),
        lambda a: pa.array(np.concatenate([[9, 9, 9], a]).astype(np.float32))[3:],
        lambda a: Producer(a),
        lambda a: Streamer([Producer(a)]),
        lambda a: _WithArray(a),
        lambda a: np.ma.MaskedArray(a),
    ],
    ids=[
        "array",
        "memoryview",
        "ctypes",
        "cast",
        "arrow",
        "chunked",
        "sliced",
        "capsule",
        "stream",
        "__array__",
        "masked",
    ],
)
def test_every_door_gives_the_same_numbers(make: Callable[[np.ndarray], Any]) -> None:
    a = np.arange(50, dtype=np.float32)
    np.testing.assert_array_equal(taken(make(a), "float32", 1), a)


class _WithArray:
    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.values


def fixed(rows: np.ndarray, mask: list[bool] | None = None) -> pa.Array:
    flat = pa.array(np.ascontiguousarray(rows).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1], mask=None if mask is None else pa.array(mask))


MATRIX = np.arange(60, dtype=np.float32).reshape(12, 5)


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("length", [0, 1, 5, 8])
def test_sliced_fixed_size_lists_are_read_in_place(start: int, length: int) -> None:
    whole = fixed(MATRIX)
    base = whole.values.buffers()[1].address
    part = whole.slice(start, length)
    seen = taken(part, "float32", 2)
    np.testing.assert_array_equal(seen, MATRIX[start : start + length])
    if length:
        assert address(seen) == base + start * 20


@pytest.mark.parametrize("inner", range(3))
@pytest.mark.parametrize("outer", range(3))
def test_offsets_of_list_and_values_add_up(inner: int, outer: int) -> None:
    values = pa.array(np.arange(40, dtype=np.float32)).slice(inner * 4)
    rows = pa.FixedSizeListArray.from_arrays(values, 4).slice(outer, 3)
    want = np.arange(40, dtype=np.float32)[inner * 4 :].reshape(-1, 4)[outer : outer + 3]
    np.testing.assert_array_equal(taken(rows, "float32", 2), want)
    np.testing.assert_array_equal(_core.dot(rows, np.ones(4, np.float32)), want.sum(1))


def test_a_list_of_lists_has_three_axes() -> None:
    nested = pa.FixedSizeListArray.from_arrays(fixed(MATRIX), 2)
    with pytest.raises(ArgumentTypeError, match="array must have 2 axes, got 3"):
        _core.view(nested, "float32", 2)


def test_a_column_of_a_record_batch_and_an_extension_type() -> None:
    batch = pa.record_batch({"what": fixed(MATRIX)})
    assert address(taken(batch.column("what"), "float32", 2)) == batch.column("what").values.buffers()[1].address
    tensor = pa.FixedShapeTensorArray.from_numpy_ndarray(MATRIX)
    np.testing.assert_array_equal(taken(tensor, "float32", 2), MATRIX)


@pytest.mark.parametrize("cuts", [[], [3], [0, 3, 3, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]])
def test_chunks_are_joined(cuts: list[int]) -> None:
    whole = fixed(MATRIX)
    edges = [0, *cuts, 12]
    chunked = pa.chunked_array([whole.slice(a, b - a) for a, b in pairwise(edges)])
    np.testing.assert_array_equal(taken(chunked, "float32", 2), MATRIX)
    none = pa.chunked_array([], type=whole.type)
    assert taken(none, "float32", 2).shape == (0, 5)


def test_nulls_are_refused_by_name() -> None:
    column = pa.array([1.0, None, 3.0], pa.float32())
    with pytest.raises(ArgumentTypeError, match="values has nulls: fill or drop"):
        _core.probe_read(column)
    assert _core.probe_read(column.slice(2)) == 3.0
    with pytest.raises(ArgumentTypeError, match="rows has nulls"):
        _core.dot(fixed(MATRIX, [i == 4 for i in range(12)]), np.ones(5, np.float32))
    inner = pa.FixedSizeListArray.from_arrays(pa.array([1.0, 2.0, None, 4.0], pa.float32()), 2)
    with pytest.raises(ArgumentTypeError, match="rows has a null inside row 1"):
        _core.dot(inner, np.ones(2, np.float32))
    with pytest.raises(ArgumentTypeError, match="has masked values"):
        _core.probe_read(np.ma.MaskedArray(np.ones(3, np.float32), [0, 1, 0]))


@given(st.lists(st.booleans(), max_size=70), st.integers(0, 9))
def test_nulls_are_seen_wherever_they_stand(null: list[bool], start: int) -> None:
    column = pa.array([None if n else 1.0 for n in null], pa.float32()).slice(start)
    for times, source in ((1, column), (2, pa.chunked_array([column, column]))):
        values, valid = _core.view(source, "float32")
        assert len(values) == times * len(column)
        if any(null[start:]):
            assert valid.tolist() == times * [not n for n in null[start:]]
        else:
            assert valid is None


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 17), st.sampled_from([-1, 0]))
def test_a_bitmap_is_believed_more_than_the_count(valid: list[bool], offset: int, count: int) -> None:
    bits = np.packbits([True] * offset + valid, bitorder="little")
    values = np.arange(offset + len(valid), dtype=np.float32)

    def change(schema: Any, array: Any) -> None:
        array.null_count, array.offset, array.length = count, offset, len(valid)

    seen, got = _core.view(Producer(values, bitmap=bits, change=change), "float32")
    np.testing.assert_array_equal(seen, values[offset:])
    assert (got is None) is all(valid)
    assert got is None or got.tolist() == valid


def length(value: int) -> Callable[[Any, Any], None]:
    return lambda schema, array: setattr(array, "length", value)


HOSTILE: dict[str, Callable[[], object]] = {
    "schema name": lambda: Producer(MATRIX[0], names=(b"arrow_array", b"arrow_array")),
    "array name": lambda: Producer(MATRIX[0], names=(b"arrow_schema", b"PyCapsule")),
    "released array": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "release", None)),
    "released schema": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(s, "release", None)),
    "length -1": lambda: Producer(MATRIX[0], change=length(-1)),
    "length 2^62": lambda: Producer(MATRIX[0], change=length(2**62)),
    "length 2^63-1": lambda: Producer(MATRIX[0], change=length(2**63 - 1)),
    "offset -1": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "offset", -1)),
    "offset 2^63-1": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "offset", 2**63 - 1)),
    "0 buffers": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "n_buffers", 0)),
    "1 buffer": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "n_buffers", 1)),
    "3 buffers": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "n_buffers", 3)),
    "-1 buffers": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "n_buffers", -1)),
    "no buffers": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "buffers", None)),
    "no data": lambda: Producer(np.zeros(0, np.float32), change=length(3)),
    "children that a number has not": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "n_children", 1)),
    "nulls without a bitmap": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(a, "null_count", 2)),
    "no format": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(s, "format", None)),
    "empty format": lambda: Producer(MATRIX[0], format=b""),
    "long format": lambda: Producer(MATRIX[0], format=b"f" * 10_000),
    "list without child": lambda: Producer(MATRIX[0], format=b"+w:5"),
    "list of -5": lambda: Producer(MATRIX[0], format=b"+w:-5"),
    "list of nothing": lambda: Producer(MATRIX[0], format=b"+w:"),
    "list of 10^30": lambda: Producer(MATRIX[0], format=b"+w:" + b"9" * 30),
    "negative children": lambda: Producer(MATRIX[0], change=lambda s, a: setattr(s, "n_children", -1)),
    "stream name": lambda: Streamer([Producer(MATRIX[0])], name=b"arrow_stream"),
    "stream without get_next": lambda: Streamer([Producer(MATRIX[0])], broken="get_next"),
    "stream without get_schema": lambda: Streamer([Producer(MATRIX[0])], broken="get_schema"),
    "released stream": lambda: Streamer([Producer(MATRIX[0])], broken="release"),
    "a number for capsules": lambda: _Gives(3),
    "three capsules": lambda: _Gives((1, 2, 3)),
    "two numbers": lambda: _Gives((1, 2)),
    "nothing": lambda: _Gives(None),
}


class _Gives:
    def __init__(self, what: object) -> None:
        self.what = what

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self.what


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("axes", [1, 2])
def test_hostile_capsules_are_refused_without_a_crash(name: str, axes: int) -> None:
    for _ in range(3):
        spoilt = HOSTILE[name]()
        with pytest.raises(ArgumentTypeError, match=r"^array "):
            _core.view(spoilt, "float32", axes)


class _Raises:
    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        raise RuntimeError("not today")


class _Stops:
    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        raise KeyboardInterrupt


def test_errors_of_a_producer_are_named_and_interrupts_pass() -> None:
    with pytest.raises(ArgumentTypeError, match=r"array.__arrow_c_array__\(\) failed: RuntimeError: not today"):
        _core.view(_Raises(), "float32")
    with pytest.raises(KeyboardInterrupt):
        _core.view(_Stops(), "float32")
    for at in (0, 1, 2):
        stream = Streamer([Producer(MATRIX[0]), Producer(MATRIX[1])], fail_at=at)
        with pytest.raises(ArgumentTypeError, match="the disk is on fire"):
            _core.view(stream, "float32")
        assert stream.released == 1
        assert sum(p.released for p in stream.producers) == max(0, at - 1)


def test_no_error_reason_is_said_so() -> None:
    with pytest.raises(ArgumentTypeError, match="no reason given"):
        _core.view(Streamer([Producer(MATRIX[0])], fail_at=1, broken="get_last_error"), "float32")


def test_an_array_is_released_exactly_once() -> None:
    for producer in (Producer(MATRIX[0]), Producer(MATRIX[0], change=length(-1))):
        try:
            _core.view(producer, "float32")
        except ArgumentError:
            assert producer.array.length == -1
        gc.collect()
        assert producer.released == 1
        with pytest.raises(ArgumentTypeError, match="was already released"):
            _core.view(producer, "float32")
        assert producer.released == 1
    stream = Streamer([Producer(MATRIX[i]) for i in range(3)])
    assert taken(stream, "float32", 1).shape == (15,)
    assert [p.released for p in stream.producers] == [1, 1, 1]
    assert stream.released == 1


def test_bug_29_nothing_is_leaked_and_results_own_themselves() -> None:
    rows = np.ones((4, 3), np.float32)
    alive = weakref.ref(rows)
    result = _core.dot(rows, np.ones(3, np.float32))
    before = sys.getrefcount(rows)
    for _ in range(1000):
        _core.dot(rows, rows[0])
    assert sys.getrefcount(rows) == before
    del rows
    gc.collect()
    assert alive() is None
    for i in range(100):
        _core.dot(np.full((4, 3), float(i), np.float32), np.ones(3, np.float32))
    np.testing.assert_array_equal(result, [3, 3, 3, 3])
    assert result.flags.owndata
    assert result.flags.writeable


def test_results_never_share_memory_with_inputs() -> None:
    one = np.ones(64, np.float32)
    assert not np.shares_memory(_core.utility(one, one, one, np.zeros(64), 1.0), one)


@pytest.mark.parametrize("dtype", ["float128", "", "f4", "bfloat16", "object"])
def test_view_names_the_dtypes_it_knows(dtype: str) -> None:
    with pytest.raises(ArgumentError, match="dtype must be one of float32"):
        _core.view(MATRIX, dtype, 2)
    with pytest.raises(ArgumentError, match="axes must be 1 or 2"):
        _core.view(MATRIX, "float32", 3)
