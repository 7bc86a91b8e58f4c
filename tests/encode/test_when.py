"""The one rule for times (bug row 8)."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.encode.when import MAX_SECONDS, MIN_SECONDS, to_iso, to_seconds
from scrubjay.errors import ArgumentError, ArgumentTypeError

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2025, 3, 9, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "when",
    [
        datetime(2025, 3, 9, 12),
        datetime(2025, 3, 9, 12, tzinfo=UTC),
        datetime(2025, 3, 9, 21, tzinfo=timezone(timedelta(hours=9))),
        datetime(2025, 3, 9, 4, tzinfo=timezone(timedelta(hours=-8))),
        "2025-03-09T12:00:00Z",
        "2025-03-09T12:00:00z",
        "2025-03-09 12:00",
        " 2025-03-09T12:00:00.000 ",
        "2025-03-09T21:00+09:00",
        "2025-03-09T21:00+09",
        "2025-03-09T04:00:00-0800",
        "2025-03-09T04:00:00\u221208:00",
        "2025-03-09t12:00:00,0Z",
        NOON,
        int(NOON),
        np.int64(int(NOON)),
        np.float64(NOON),
        np.datetime64("2025-03-09T12:00"),
        np.datetime64("2025-03-09T12:00:00.000000000"),
        pa.scalar(int(NOON) * 10**9, pa.timestamp("ns")),
        pa.scalar(int(NOON), pa.timestamp("s", tz="Asia/Tokyo")),
    ],
    ids=repr,
)
def test_bug_08_every_spelling_of_one_instant_is_the_same(when: object) -> None:
    assert to_seconds(when) == NOON


def test_bug_08_a_bare_date_is_its_utc_midnight() -> None:
    midnight = NOON - 43200
    for when in (
        "2025-03-09",
        date(2025, 3, 9),
        np.datetime64("2025-03-09"),
        pa.scalar(date(2025, 3, 9)),
        pa.scalar(date(2025, 3, 9), pa.date64()),
        "2025-03-08T24:00:00Z",
    ):
        assert to_seconds(when) == midnight
    assert to_seconds("2025-03-09T23:59Z") - midnight == 86340


def test_bug_08_inside_a_gap_and_a_fold_the_zone_decides() -> None:
    zone = ZoneInfo("America/New_York")
    gap = datetime(2025, 3, 9, 2, 30, tzinfo=zone)
    assert to_seconds(gap) == to_seconds("2025-03-09T07:30Z") == gap.timestamp()
    assert to_seconds(gap.replace(fold=1)) == to_seconds("2025-03-09T06:30Z")
    early, late = (to_seconds(datetime(2025, 11, 2, 1, 30, tzinfo=zone, fold=fold)) for fold in (0, 1))
    assert late - early == 3600


def test_bug_08_years_1_and_9999() -> None:
    assert to_seconds(datetime.min) == to_seconds("0001-01-01") == to_seconds(np.datetime64("0001", "Y")) == MIN_SECONDS
    assert to_seconds(datetime.max) == MAX_SECONDS
    assert to_seconds("9999-12-31T23:59:59.999999999999999999Z") == MAX_SECONDS
    assert to_iso(MIN_SECONDS) == "0001-01-01T00:00:00Z"
    assert to_iso(MAX_SECONDS).startswith("9999-12-31T23:59:59.9999")
    assert to_seconds(np.datetime64("9999-12")) == to_seconds("9999-12-01")


def test_a_leap_second_is_the_next_minute() -> None:
    assert to_seconds("2016-12-31T23:59:60Z") == to_seconds("2017-01-01")


def test_fractions_of_a_second() -> None:
    assert to_seconds("1970-01-01T00:00:00.25Z") == 0.25
    assert to_seconds("1970-01-01T00:00:00.123456789Z") == 0.123456789
    assert to_seconds(np.datetime64(123456789, "ns")) == 0.123456789
    assert to_seconds(np.datetime64(-1, "as")) == pytest.approx(-1e-18)


@pytest.mark.parametrize(
    "when",
    [
        math.nan,
        math.inf,
        -math.inf,
        np.float32("nan"),
        1e18,
        10**400,
        1741521600000,
        np.datetime64("NaT"),
        np.datetime64(10**18, "Y"),
        np.datetime64(2**62, "s"),
        np.datetime64("-0001-05", "M"),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-8))),
        "",
        "yesterday",
        "2025",
        "2025-13-01",
        "2025-02-29",
        "0000-01-01",
        "2025-03-09T25:00",
        "2025-03-09T12:60",
        "2025-03-09T12:00:61",
        "2025-03-09T24:00:01",
        "2025-03-09T12:00+24:00",
        "2025-03-09T12:00+09:75",
        "2025-03-09T12:00Z; drop",
        "2025-03-09T",
        "٢٠٢٥-03-09",
        "1741521600",
        pa.scalar(None, pa.timestamp("s")),
    ],
    ids=repr,
)
def test_bug_08_what_is_no_time_is_refused(when: object) -> None:
    with pytest.raises(ArgumentError, match="when"):
        to_seconds(when)


@pytest.mark.parametrize(
    "when",
    [True, np.True_, None, b"2025-03-09", [2025], object(), 1j, pa.scalar(1)],
    ids=lambda when: type(when).__name__,
)
def test_a_wrong_type_names_the_argument(when: object) -> None:
    with pytest.raises(ArgumentTypeError, match="since"):
        to_seconds(when, argument="since")


def test_pandas_values() -> None:
    pandas = pytest.importorskip("pandas")
    assert to_seconds(pandas.Timestamp("2025-03-09T21:00+09:00")) == NOON
    with pytest.raises(ArgumentError, match="NaT"):
        to_seconds(pandas.NaT)


def test_milliseconds_are_told_apart() -> None:
    with pytest.raises(ArgumentError, match="divide by 1000"):
        to_seconds(1741521600000.0)


@given(st.datetimes(timezones=st.timezones() | st.none()))
def test_agrees_with_the_standard_library(when: datetime) -> None:
    offset = when.utcoffset() or timedelta(0)
    exact = (when.replace(tzinfo=UTC) - EPOCH - offset) / timedelta(microseconds=1)
    if MIN_SECONDS <= exact / 1e6 < 253402300800:
        assert to_seconds(when) == pytest.approx(exact / 1e6, rel=3e-16, abs=1e-9)
        assert to_seconds(when.replace(fold=when.fold).isoformat()) == to_seconds(when)
    else:
        with pytest.raises(ArgumentError):
            to_seconds(when)


@given(st.floats(MIN_SECONDS, MAX_SECONDS))
def test_iso_and_back(seconds: float) -> None:
    text = to_iso(seconds)
    assert text.endswith("Z")
    assert abs(to_seconds(text) - seconds) <= 5e-7 + math.ulp(seconds)


@given(st.integers(-62135596800, 253402300799), st.sampled_from(["s", "ms", "us"]))
def test_datetime64_units_agree(seconds: int, unit: str) -> None:
    assert to_seconds(np.datetime64(seconds, "s").astype(f"datetime64[{unit}]")) == seconds


@given(st.text(max_size=40))
def test_any_string_is_a_time_or_a_named_error(text: str) -> None:
    try:
        seconds = to_seconds(text)
    except ArgumentError:
        seconds = 0.0
    assert MIN_SECONDS <= seconds <= MAX_SECONDS
