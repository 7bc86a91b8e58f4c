"""Arrow capsules made by hand through ctypes: honest ones and hostile ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
REASON = ctypes.create_string_buffer(b"the disk is on fire")
ALIVE: list[object] = []
"""Release functions must outlive whatever a test makes of their arrays."""


class Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def address(function: Any) -> int:
    """The C address of a ctypes callback."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class Producer:
    """One array of `values` with Arrow's C interface; `change` may spoil the structs before they are handed over.

    `released` counts the calls of the array's release function.
    """

    def __init__(
        self,
        values: np.ndarray,
        format: bytes = b"f",
        change: Callable[[Schema, Array], None] | None = None,
        names: tuple[bytes, bytes] = (b"arrow_schema", b"arrow_array"),
        bitmap: np.ndarray | None = None,
    ) -> None:
        self.values = values
        self.names = names
        self.released = 0
        self._schema_release = Release(self._release_schema)
        self._array_release = Release(self._release_array)
        self.buffers = (ctypes.c_void_p * 3)(
            None if bitmap is None else bitmap.ctypes.data, values.ctypes.data if values.size else None, None
        )
        self.bitmap = bitmap
        self.schema = Schema(format=format, name=b"", n_children=0, release=address(self._schema_release))
        self.array = Array(
            length=values.size,
            null_count=0 if bitmap is None else -1,
            n_buffers=2,
            n_children=0,
            buffers=ctypes.cast(self.buffers, ctypes.POINTER(ctypes.c_void_p)),
            release=address(self._array_release),
        )
        ALIVE.append(self)
        if change is not None:
            change(self.schema, self.array)

    def _release_schema(self, at: int) -> None:
        Schema.from_address(at).release = None

    def _release_array(self, at: int) -> None:
        self.released += 1
        Array.from_address(at).release = None

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return (
            _new(ctypes.addressof(self.schema), self.names[0], None),
            _new(ctypes.addressof(self.array), self.names[1], None),
        )


class Streamer:
    """A stream of `producers`' arrays; `fail_at` makes the call before that chunk answer with an error."""

    def __init__(
        self, producers: list[Producer], fail_at: int = -1, name: bytes = b"arrow_array_stream", broken: str = ""
    ) -> None:
        self.producers = producers
        self.fail_at = fail_at
        self.name = name
        self.at = 0
        self.released = 0
        self._keep = (
            GET(self._schema),
            GET(self._next),
            ERROR(lambda _: ctypes.addressof(REASON)),
            Release(self._drop),
        )
        self.stream = Stream(*(address(f) for f in self._keep))
        ALIVE.append(self)
        if broken:
            setattr(self.stream, broken, None)

    def _schema(self, _: int, out: int) -> int:
        if self.fail_at == 0:
            return 5
        ctypes.memmove(out, ctypes.addressof(self.producers[0].schema), ctypes.sizeof(Schema))
        return 0

    def _next(self, _: int, out: int) -> int:
        if self.at + 1 == self.fail_at:
            return 5
        if self.at == len(self.producers):
            Array.from_address(out).release = None
            return 0
        ctypes.memmove(out, ctypes.addressof(self.producers[self.at].array), ctypes.sizeof(Array))
        self.at += 1
        return 0

    def _drop(self, at: int) -> None:
        self.released += 1
        Stream.from_address(at).release = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _new(ctypes.addressof(self.stream), self.name, None)
