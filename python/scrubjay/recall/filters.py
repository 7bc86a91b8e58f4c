"""Which rows a search may see, by what their metadata and columns say; applied before anything is ranked.

A filter is a JSON object; all of its entries must hold:

- `name: value`, `name: {operator: value, ...}` for metadata, fields of objects by dotted names; of a list it is enough
  that one element passes. Operators: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists. Numbers compare with numbers,
  text with text, anything else does not pass; $ne and $nin pass where the name is absent.
- `$when`, `$created`, `$updated`: times, as everywhere (ISO text, aware datetimes, seconds).
- `$label`, `$layer`, `$tier`: by name; `$value`, `$evidence`: numbers; `$pinned`, `$current`: true or false.
- `$and`, `$or`: lists of filters; `$not`: a filter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrubjay.columns import CURRENT, PINNED, Columns
from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.memory import LABELS, Layer, Tier

MAX_DEPTH: Final = 16
"""Deepest nesting of a filter (chosen)."""
MAX_TESTS: Final = 1024
"""Most single tests of a filter, each value of $in being one (chosen)."""

Mask = NDArray[np.bool_]
Lookup = Callable[[str, str, Any], NDArray[np.int64]]
"""(name, test, value) to the rising keys of the memories whose metadata pass; tests: eq, gt, gte, lt, lte, exists."""
Seconds = Callable[[Any], float]

_ORDERED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "$gt": np.greater,
    "$gte": np.greater_equal,
    "$lt": np.less,
    "$lte": np.less_equal,
}
_OPERATORS: Final = ("$eq", "$ne", *_ORDERED, "$in", "$nin", "$exists")
_TIMES: Final = ("$when", "$created", "$updated")
_NAMED: Final[dict[str, dict[str, int]]] = {
    "$label": {name: i for i, name in enumerate(LABELS)},
    "$layer": {layer.name.lower(): int(layer) for layer in Layer},
    "$tier": {tier.name.lower(): int(tier) for tier in Tier},
}
_NUMBERS: Final = ("$value", "$evidence")
_FLAGS: Final = {"$pinned": PINNED, "$current": CURRENT}


class Filter:
    """A filter, checked; `mask` says which rows pass. Raises ArgumentError or ArgumentTypeError naming the place."""

    def __init__(self, given: object, seconds: Seconds) -> None:
        self._seconds = seconds
        self._tests = 0
        self.metadata = False
        """Whether it asks for metadata, and not for columns alone."""
        self.fields: set[str] = set()
        """The names that it looks at."""
        self._test = self._object(given, "filter", 0)

    def mask(self, columns: Columns, rows: NDArray[np.int64], lookup: Lookup) -> Mask:
        """(k,) bool for some living rows."""
        return self._test(columns, rows, lookup)

    def _object(self, given: object, where: str, depth: int) -> Test:
        if not isinstance(given, Mapping):
            raise ArgumentTypeError(f"{where}: expected an object (dict), got {type(given).__name__}")
        if depth > MAX_DEPTH:
            raise ArgumentError(f"{where}: nested deeper than {MAX_DEPTH}")
        tests = []
        for name, value in given.items():
            if not isinstance(name, str):
                raise ArgumentTypeError(f"{where}: names must be str, got {type(name).__name__}")
            place = f"{where}[{name!r:.60}]"
            if name in ("$and", "$or"):
                if not isinstance(value, (list, tuple)) or not value:
                    raise ArgumentError(f"{place}: expected a list of at least one filter")
                parts = [self._object(part, f"{place}[{i}]", depth + 1) for i, part in enumerate(value)]
                tests.append(_all(parts) if name == "$and" else _any(parts))
            elif name == "$not":
                tests.append(_not(self._object(value, place, depth + 1)))
            else:
                tests.append(self._field(name, value, place))
        return _all(tests)

    def _field(self, name: str, given: object, place: str) -> Test:
        self.fields.add(name)
        asked = given if isinstance(given, Mapping) else {"$eq": given}
        unknown = [str(operator) for operator in asked if operator not in _OPERATORS]
        if unknown or not asked:
            what = f"unknown operator {unknown[0]!r:.40}" if unknown else "no operator"
            field = unknown and not unknown[0].startswith("$") and not name.startswith("$")
            hint = f"; a field of an object has a dotted name, {f'{name}.{unknown[0]}'!r:.80}" if field else ""
            raise ArgumentError(f"{place}: {what}; known are {', '.join(_OPERATORS)}{hint}")
        values = self._values(name, place)
        return _all([self._operator(name, operator, value, place, values) for operator, value in asked.items()])

    def _values(self, name: str, place: str) -> Callable[[Any, str], Any]:
        """How the values of a field are read."""
        if name in _TIMES:
            return lambda value, _: self._time(value, place)
        if name in _NAMED:
            return lambda value, _: _code(name, value, place)
        if name in _NUMBERS:
            return lambda value, _: _number(value, place)
        if name in _FLAGS:
            return lambda value, _: _flag(value, place)
        if name.startswith("$"):
            known = (*_TIMES, *_NAMED, *_NUMBERS, *_FLAGS, "$and", "$or", "$not")
            raise ArgumentError(f"{place}: no such field; known are {', '.join(known)}")
        own = f"; ask for the memory's own {name} by {f'${name}'!r}" if f"${name}" in _TIMES else ""
        return lambda value, operator: _scalar(value, place, ordered=operator in _ORDERED, own=own)

    def _time(self, value: Any, place: str) -> float:
        try:
            return self._seconds(value)
        except ArgumentError as error:
            raise type(error)(f"{place}: {error}") from None

    def _operator(self, name: str, operator: str, value: Any, place: str, read: Callable[[Any, str], Any]) -> Test:
        if operator == "$exists":
            wanted = _flag(value, f"{place}['$exists']")
            self.metadata = self.metadata or not name.startswith("$")
            found = _metadata(name, "exists", None) if not name.startswith("$") else _everything
            return found if wanted else _not(found)
        if operator in ("$in", "$nin"):
            if isinstance(value, (str, bytes)) or not isinstance(value, (list, tuple, set, frozenset)):
                raise ArgumentTypeError(f"{place}[{shown(operator)}]: expected a list, got {type(value).__name__}")
            some = [self._single(name, "$eq", item, read) for item in value]
            return _not(_any(some)) if operator == "$nin" else _any(some)
        if operator == "$ne":
            return _not(self._single(name, "$eq", value, read))
        return self._single(name, operator, value, read)

    def _single(self, name: str, operator: str, value: Any, read: Callable[[Any, str], Any]) -> Test:
        self._tests += 1
        if self._tests > MAX_TESTS:
            raise ArgumentError(f"filter: more than {MAX_TESTS} tests; ask in parts")
        operand = read(value, operator)
        if not name.startswith("$"):
            self.metadata = True
            return _metadata(name, operator[1:], operand)
        return _column(name, operator, operand)


Test = Callable[[Columns, NDArray[np.int64], Lookup], Mask]


def _everything(columns: Columns, rows: NDArray[np.int64], lookup: Lookup) -> Mask:  # noqa: ARG001
    return np.ones(len(rows), np.bool_)


def _all(tests: list[Test]) -> Test:
    def test(columns: Columns, rows: NDArray[np.int64], lookup: Lookup) -> Mask:
        out = np.ones(len(rows), np.bool_)
        for one in tests:
            out &= one(columns, rows, lookup)
        return out

    return test


def _any(tests: list[Test]) -> Test:
    def test(columns: Columns, rows: NDArray[np.int64], lookup: Lookup) -> Mask:
        out = np.zeros(len(rows), np.bool_)
        for one in tests:
            out |= one(columns, rows, lookup)
        return out

    return test


def _not(inner: Test) -> Test:
    return lambda columns, rows, lookup: ~inner(columns, rows, lookup)


def _metadata(name: str, test: str, value: Any) -> Test:
    def passes(columns: Columns, rows: NDArray[np.int64], lookup: Lookup) -> Mask:
        keys = lookup(name, test, value)
        if not len(keys):
            return np.zeros(len(rows), np.bool_)
        mine = columns.key[rows]
        at = np.minimum(np.searchsorted(keys, mine), len(keys) - 1)
        found: Mask = keys[at] == mine
        return found

    return passes


def _column(name: str, operator: str, operand: Any) -> Test:
    compare = _ORDERED.get(operator, np.equal)

    def passes(columns: Columns, rows: NDArray[np.int64], lookup: Lookup) -> Mask:  # noqa: ARG001
        if name in _FLAGS:
            held: Any = (columns.flags[rows] & _FLAGS[name]) != 0
        else:
            held = getattr(columns, name[1:])[rows]
            if name == "$value":
                operand32: Any = np.float32(operand)
                return np.asarray(compare(held, operand32), np.bool_)
        return np.asarray(compare(held, operand), np.bool_)

    return passes


def _code(name: str, value: Any, place: str) -> int:
    known = _NAMED[name]
    if isinstance(value, (Layer, Tier)):
        return int(value)
    if not isinstance(value, str) or value.lower() not in known:
        raise ArgumentError(f"{place}: expected one of {', '.join(known)}, got {shown(value)}")
    return known[value.lower()]


def _number(value: Any, place: str) -> float:
    if isinstance(value, float) and math.isnan(value):
        raise ArgumentTypeError(f"{place}: NaN compares with nothing; give a number")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentTypeError(f"{place}: expected a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(f"{place} = {shown(value)}: a number beyond any range") from None


def _flag(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{place}: expected True or False, got {type(value).__name__}")
    return value


def _scalar(value: Any, place: str, *, ordered: bool, own: str) -> Any:
    """A value of metadata; `own` tells of a field of the memory that may be meant."""
    if isinstance(value, str):
        if any(0xD800 <= ord(char) < 0xE000 for char in value):
            raise ArgumentError(f"{place}: a lone surrogate; decode the bytes with errors='replace'")
        return value
    if value is None or isinstance(value, bool):
        if ordered:
            raise ArgumentTypeError(f"{place}: $gt, $gte, $lt and $lte compare numbers or text, got {shown(value)}")
        return value
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ArgumentError(f"{place}: an integer does not fit 64 bits")
    if isinstance(value, (int, float)) and not math.isnan(value):
        return value
    if isinstance(value, float):
        raise ArgumentTypeError(f"{place}: NaN compares with nothing; give a number, or None for no value")
    time = "; write a time in metadata as ISO 8601 text" if isinstance(value, date) else ""
    raise ArgumentTypeError(
        f"{place}: expected text, a number, True, False or None, got {type(value).__name__}{time}{own}"
    )
