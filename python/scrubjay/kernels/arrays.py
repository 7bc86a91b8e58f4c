"""How arrays come in, and how results leave as Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrubjay import _core
from scrubjay.errors import ArgumentTypeError
from scrubjay.protocols import Array


def view(array: Array, dtype: str, axes: int = 1) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """An array as a kernel reads it: on the same memory unless it had to be converted.

    Args:
        array: whatever a kernel takes.
        dtype: "float32", "float64", "int8", "uint8", "uint16", "int32" or "int64".
        axes: 1, or 2 for rows (an Arrow FixedSizeList has two).

    Returns:
        A read-only NumPy array, and one bool a row that is false where an Arrow row is null (None where none is).

    Raises:
        ArgumentTypeError: the array cannot be had as `dtype` without losing a bit, has another number of axes, is no
            array at all, or is a malformed Arrow capsule. The message names the remedy.
        ArgumentError: `dtype` or `axes` is none of the above.

    >>> import numpy as np, pyarrow as pa
    >>> values, valid = view(pa.array([1.5, None], pa.float32()), "float32")
    >>> values[0].item(), valid.tolist()
    (1.5, [True, False])
    >>> rows = np.ones((4, 6), np.float32)
    >>> np.shares_memory(view(rows[::2, :3], "float32", axes=2)[0], rows)
    True
    """
    return _core.view(array, dtype, axes)


def record_batch(**columns: NDArray[Any]) -> Any:
    """Results as an Arrow record batch, on the memory of the arrays: one column a keyword.

    Args:
        columns: arrays of one axis (n,), or of two (n, width), which become a FixedSizeList; all of the same n.

    Returns:
        A `pyarrow.RecordBatch`. A contiguous array is not copied.

    Raises:
        ArgumentTypeError: an array has no axis or more than two, or they differ in length.

    >>> import numpy as np
    >>> batch = record_batch(row=np.array([3, 9]), affinity=np.array([0.5, 1.0], np.float32))
    >>> batch.schema.names, batch.num_rows
    (['row', 'affinity'], 2)
    """
    import pyarrow as pa

    arrays = []
    for name, column in columns.items():
        if column.ndim not in (1, 2):
            raise ArgumentTypeError(f"{name} must have 1 or 2 axes, got {column.ndim}")
        if len(column) != len(next(iter(columns.values()))):
            raise ArgumentTypeError(f"{name} has {len(column)} rows but {next(iter(columns))} has another number")
        values = np.ascontiguousarray(column).reshape(-1)
        if values.dtype.kind in "iuf":  # pyarrow.array would import pandas where that is installed
            flat = pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])
        else:
            flat = pa.array(values)
        arrays.append(flat if column.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, column.shape[1]))
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))
