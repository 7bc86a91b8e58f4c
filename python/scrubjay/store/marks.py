"""Metadata by value: which memories of a namespace have what under which name, for filters that look before they rank.

Every scalar of a memory's metadata is a row of `marks`: an object's fields by dotted names, each element of a list by
the list's name. Values keep their kind: true is not 1 and "1" is not 1; a long text is known by its beginning and a
digest. Everything a caller gives reaches SQLite as a bound value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from scrubjay.sets import distinct
from scrubjay.store.connect import fetch

LONGEST: Final = 256
"""Characters up to which a text is kept whole."""

_KEYS: Final = "SELECT group_concat(key) FROM (SELECT DISTINCT key FROM marks WHERE space = ? AND name = ?"
_TESTS: Final = {
    "eq": " AND kind = ? AND value = ?)",
    "gt": " AND kind = ? AND value > ?)",
    "gte": " AND kind = ? AND value >= ?)",
    "lt": " AND kind = ? AND value < ?)",
    "lte": " AND kind = ? AND value <= ?)",
    "exists": ")",
}
"""Each test with the rest of its statement."""


def insert(connection: apsw.Connection, rows: Iterable[tuple[int, int, dict[str, Any]]]) -> None:
    """Mark memories, given as (key, namespace number, metadata), in place of what they were marked with."""
    held = list(rows)
    cursor = connection.cursor()
    cursor.executemany("DELETE FROM marks WHERE key = ?", [(key,) for key, _, _ in held])
    cursor.executemany(
        "INSERT OR IGNORE INTO marks (space, name, kind, value, key) VALUES (?, ?, ?, ?, ?)",
        (
            (space, name, *_stored(value), key)
            for key, space, metadata in held
            for name, value in _scalars("", metadata)
        ),
    )


def delete(connection: apsw.Connection, keys: Sequence[tuple[int]]) -> None:
    """Take memories out."""
    connection.cursor().executemany("DELETE FROM marks WHERE key = ?", keys)


def find(connection: apsw.Connection, spaces: Sequence[int], name: str, test: str, value: Any) -> NDArray[np.int64]:
    """Rising keys of the memories of those namespaces that have a `name` which passes a test of `_TESTS`."""
    bindings: tuple[Any, ...] = ()
    if test != "exists":
        bindings = _stored(value)
    parts = []
    for space in spaces:
        joined = fetch(connection, "".join((_KEYS, _TESTS[test])), (space, name, *bindings))[0][0]
        if joined:
            parts.append(np.fromstring(joined, dtype=np.int64, sep=","))
    return distinct(np.concatenate(parts)) if parts else np.empty(0, np.int64)


def present(connection: apsw.Connection) -> bool:
    """False in a store that was made before there were marks."""
    return bool(fetch(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'marks'"))


def _scalars(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _scalars(f"{name}.{key}" if name else key, item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _scalars(name, item)
    elif name:
        yield name, value


def _stored(value: Any) -> tuple[str, Any]:
    """The kind of a value, and what SQLite compares."""
    if value is None:
        return "null", b""
    if isinstance(value, bool):
        return "bool", b"\x01" if value else b"\x00"
    if isinstance(value, str):
        if len(value) > LONGEST:
            return "text", value[:LONGEST] + blake2b(value.encode("utf-8"), digest_size=16).hexdigest()
        return "text", value
    return "number", value
