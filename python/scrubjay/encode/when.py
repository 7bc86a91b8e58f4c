"""The one rule for times.

A time is given as one of

- an aware datetime: its instant; in a DST gap or fold `fold` decides, as Python's own arithmetic does;
- a naive datetime, a bare date, an ISO string without offset: **UTC** (a bare date is its midnight);
- an ISO 8601 string: "2025-03-09", "2025-03-09T02:30", "2025-03-09 02:30:00.123456789Z", "...+09:00", "...-0800"
  (24:00 is the next midnight, a leap second :60 the next minute);
- seconds since the Unix epoch (int or float, NumPy's too);
- a NumPy datetime64 or a pyarrow timestamp or date scalar (naive ones are UTC as well).

It must lie in the years 1 to 9999 UTC. What is kept is float64 seconds since the Unix epoch: exact to 1 microsecond
in this century, to 31 microseconds in the year 9999.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from scrubjay.errors import ArgumentError, ArgumentTypeError, shown

When: TypeAlias = "datetime | date | str | int | float | np.datetime64 | Any"
"""What is accepted as a time; see the module's rule."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
MIN_SECONDS: Final = -62135596800.0
"""0001-01-01T00:00:00Z."""
MAX_SECONDS: Final = math.nextafter(253402300800.0, 0.0)
"""The last float64 before 10000-01-01T00:00:00Z."""

_ISO: Final = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,18}))?)?"
    r" ?(?P<offset>[Zz]|(?P<sign>[+\-\u2212])(?P<oh>[0-9]{2})(?::?(?P<om>[0-9]{2})(?::?(?P<os>[0-9]{2}))?)?)?)?"
)
_UNITS: Final = {
    "W": Fraction(604800),
    "D": Fraction(86400),
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "ps": Fraction(1, 10**12),
    "fs": Fraction(1, 10**15),
    "as": Fraction(1, 10**18),
}
_REMEDY: Final = (
    "give an aware datetime, an ISO 8601 string like '2025-03-09T02:30:00Z', "
    "or seconds since the epoch in the years 1 to 9999"
)


def to_seconds(when: When, *, argument: str = "when") -> float:
    """Seconds since the Unix epoch (UTC) as float64, by the module's rule.

    Raises `ArgumentTypeError` for a type that is no time (bool included) and `ArgumentError` for a value that is none:
    NaN, infinity, NaT, a malformed string, a year outside 1 to 9999.

    >>> to_seconds("2025-03-09T11:30+09:00") == to_seconds("2025-03-09 02:30Z") == 1741487400.0
    True
    """
    if isinstance(when, (bool, np.bool_)):
        raise ArgumentTypeError(f"{argument}: a bool is no time; {_REMEDY}")
    if isinstance(when, np.datetime64):
        return _from_datetime64(when, argument)
    if isinstance(when, (int, float, np.integer, np.floating)):
        return _bounded(when, when, argument)
    if isinstance(when, str):
        return _from_iso(when, argument)
    if isinstance(when, datetime):
        return _from_datetime(when, argument)
    if isinstance(when, date):
        return _from_datetime(datetime(when.year, when.month, when.day, tzinfo=timezone.utc), argument)
    if type(when).__module__.split(".")[0] == "pyarrow":
        return _from_arrow(when, argument)
    raise ArgumentTypeError(f"{argument}: {type(when).__name__} is no time; {_REMEDY}")


def to_iso(seconds: float) -> str:
    """A time as ISO 8601 in UTC, with microseconds where there are any.

    >>> to_iso(1741487400.0), to_iso(0.25)
    ('2025-03-09T02:30:00Z', '1970-01-01T00:00:00.250000Z')
    """
    seconds = _bounded(seconds, seconds, "seconds")
    whole = math.floor(seconds)
    micros = min(round((seconds - whole) * 1e6), 10**6)
    latest = datetime.max.replace(tzinfo=timezone.utc)
    if whole >= int(MAX_SECONDS) and micros > latest.microsecond:
        moment = latest
    else:
        moment = EPOCH + timedelta(seconds=whole, microseconds=micros)
    text = moment.replace(tzinfo=None).isoformat(timespec="microseconds" if moment.microsecond else "seconds")
    return f"{text}Z"


def _bounded(seconds: Any, given: object, argument: str) -> float:
    try:
        value = float(seconds)
    except OverflowError:
        value = math.inf
    if not MIN_SECONDS <= value < 253402300800.0:
        hint = " (milliseconds? divide by 1000)" if MAX_SECONDS < abs(value) < 1e14 else ""
        raise ArgumentError(f"{argument} = {shown(given, 80)}: not a time{hint}; {_REMEDY}")
    return value


def _exact(seconds: Fraction, given: object, argument: str) -> float:
    """Rounds an exact instant; one inside year 9999 never rounds up into the year 10000."""
    if not MIN_SECONDS <= seconds < 253402300800:
        raise ArgumentError(f"{argument} = {shown(given, 80)}: outside the years 1 to 9999 UTC; {_REMEDY}")
    return min(float(seconds), MAX_SECONDS)


def _from_datetime(when: datetime, argument: str) -> float:
    if when != when:
        raise ArgumentError(f"{argument}: NaT is no time; {_REMEDY}")
    offset = when.utcoffset() or timedelta(0)
    delta = when.replace(tzinfo=timezone.utc, fold=0) - EPOCH - offset
    micros = (delta.days * 86400 + delta.seconds) * 10**6 + delta.microseconds
    return _exact(Fraction(micros, 10**6), when.isoformat(), argument)


def _from_iso(when: str, argument: str) -> float:
    match = _ISO.fullmatch(when.strip())
    if match is None:
        raise ArgumentError(f"{argument} = {shown(when, 80)}: not an ISO 8601 time; {_REMEDY}")
    part = match.groupdict()
    hour, minute, second = (int(part[name] or 0) for name in ("hour", "minute", "second"))
    zone = timedelta(hours=int(part["oh"] or 0), minutes=int(part["om"] or 0), seconds=int(part["os"] or 0))
    fraction = Fraction(int(part["fraction"] or 0), 10 ** len(part["fraction"] or ""))
    next_day = hour == 24 and minute == second == fraction == 0
    valid_clock = (hour < 24 and minute < 60 and second <= 60) or next_day
    valid_zone = zone < timedelta(hours=24) and int(part["om"] or 0) < 60 and int(part["os"] or 0) < 60
    try:
        day = datetime(int(part["year"]), int(part["month"]), int(part["day"]), tzinfo=timezone.utc)
    except ValueError:
        day = None
    if day is None or not valid_clock or not valid_zone:
        raise ArgumentError(f"{argument} = {shown(when, 80)}: no such date, time or offset; {_REMEDY}")
    clock = timedelta(hours=hour, minutes=minute, seconds=second)
    shift = zone if part["sign"] == "+" else -zone
    delta = (day - EPOCH) + clock - shift
    return _exact(Fraction(delta.days * 86400 + delta.seconds) + fraction, when, argument)


def _from_datetime64(when: np.datetime64, argument: str) -> float:
    if np.isnat(when):
        raise ArgumentError(f"{argument}: NaT is no time; {_REMEDY}")
    unit, step = np.datetime_data(when.dtype)
    count = int(when.astype(np.int64)) * step
    if unit in ("Y", "M"):
        year, month = divmod(count + 1970 * 12, 12) if unit == "M" else (count + 1970, 0)
        if not 1 <= year <= 9999:
            raise ArgumentError(f"{argument} = year {year}: outside the years 1 to 9999 UTC; {_REMEDY}")
        return _from_datetime(datetime(year, month + 1, 1, tzinfo=timezone.utc), argument)
    return _exact(count * _UNITS[unit], count, argument)


def _from_arrow(when: Any, argument: str) -> float:
    if hasattr(when, "is_valid") and not when.is_valid:
        raise ArgumentError(f"{argument}: null is no time; {_REMEDY}")
    unit = getattr(getattr(when, "type", None), "unit", None)
    name = type(when).__name__
    if name == "TimestampScalar" and unit in _UNITS:
        return _exact(when.value * _UNITS[unit], when.value, argument)
    if name == "Date32Scalar":
        return _exact(when.value * _UNITS["D"], when.value, argument)
    if name == "Date64Scalar":
        return _exact(when.value * _UNITS["ms"], when.value, argument)
    raise ArgumentTypeError(f"{argument}: pyarrow {name} is no time; {_REMEDY}")
