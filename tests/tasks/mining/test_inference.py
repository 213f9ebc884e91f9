"""Typing: what is rendered as text comes back as it was, and what is doubtful stays text."""

from datetime import UTC, date, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.inference import NULL_TEXTS, infer_type, is_money

nulls = st.sampled_from(NULL_TEXTS)
EXAMPLES = settings(max_examples=60, deadline=None)


def infer(*texts: str | None) -> tuple[str, list]:
    found, values = infer_type(pl.Series("c", texts, dtype=pl.String))
    assert values.name == "c"
    return found, values.to_list()


def column(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(values, min_size=1, max_size=20)


@EXAMPLES
@given(column(st.integers(-(10**17), 10**17)), nulls)
def test_integers_round_trip(values, null):
    assert infer(*map(str, values), null) == ("integer", [*values, None])


@EXAMPLES
@given(column(st.floats(allow_nan=False, allow_infinity=False)), nulls)
def test_numbers_round_trip(values, null):
    assert infer(*map(repr, values), null) == ("number", [*values, None])


@EXAMPLES
@given(column(st.decimals(-(10**9), 10**9, places=2)), st.sampled_from("$€£¥"))
def test_money_round_trips(values, symbol):
    texts = [f"{'-' if value < 0 else ''}{symbol}{abs(value):,}" for value in values]
    assert infer(*texts) == ("money", [float(value) for value in values])


@EXAMPLES
@given(column(st.dates(date(1000, 1, 1), date(2999, 12, 31))), nulls)
def test_dates_round_trip(values, null):
    assert infer(*map(str, values), null) == ("date", [*map(str, values), None])
    unpadded = [f"{day.year}-{day.month}-{day.day}" for day in values]
    assert infer(*unpadded) == ("date", [*map(str, values)])


@EXAMPLES
@given(column(st.dates(date(1000, 1, 1), date(2999, 12, 31))), st.booleans())
def test_a_day_above_twelve_tells_the_order(values, month_first):
    values = [date(2020, 1, 31), *values]
    texts = [f"{d.month}/{d.day}/{d.year}" if month_first else f"{d.day}/{d.month}/{d.year}" for d in values]
    assert infer(*texts) == ("date", [*map(str, values)])


@EXAMPLES
@given(column(st.datetimes(datetime(1000, 1, 2), datetime(2999, 12, 30))), st.integers(-14 * 4, 14 * 4))
def test_datetimes_round_trip_and_zones_become_utc(values, quarters):
    values = [datetime(2020, 1, 1, 12, 30), *(value.replace(microsecond=0) for value in values)]
    assert infer(*(value.isoformat() for value in values)) == ("datetime", [value.isoformat() for value in values])
    zone = timezone(timedelta(minutes=15 * quarters))
    zoned = [value.replace(tzinfo=zone) for value in values]
    in_utc = [value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S") for value in zoned]
    assert infer(*(value.isoformat() for value in zoned)) == ("datetime", [_padded(text) for text in in_utc])


def _padded(text: str) -> str:
    """strftime leaves years below 1000 unpadded on some platforms."""
    return text.zfill(19)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("true", "FALSE", None), ("boolean", [1, 0, None])),
        (("true", "true"), ("boolean", [1, 1])),
        (("Y", "N", "NA"), ("boolean", [1, 0, None])),
        (("Yes", "No"), ("boolean", [1, 0])),
        (("Y", "Y"), ("text", ["Y", "Y"])),
        (("N", "Y", "S"), ("text", ["N", "Y", "S"])),
        (("0", "1"), ("integer", [0, 1])),
        (("00501", "10001"), ("text", ["00501", "10001"])),
        (("00.5", "1.5"), ("text", ["00.5", "1.5"])),
        (("1", "2", "three"), ("text", ["1", "2", "three"])),
        (("9" * 25,), ("number", [1e25])),
        (("1e400",), ("text", ["1e400"])),
        (("1,234", "5"), ("number", [1234.0, 5.0])),
        (("($1,234.50)", "$2"), ("money", [-1234.5, 2.0])),
        (("$1", "€1"), ("text", ["$1", "€1"])),
        (("1,23", "4,5"), ("text", ["1,23", "4,5"])),
        (("2020-02-30",), ("text", ["2020-02-30"])),
        (("03/04/2020",), ("text", ["03/04/2020"])),
        (("2020-01-02T00:00:00Z", "2020-01-03"), ("date", ["2020-01-02", "2020-01-03"])),
        (("2020-01-02 10:30", "2020-01-03"), ("datetime", ["2020-01-02T10:30:00", "2020-01-03T00:00:00"])),
        (("2013-1-1T5:15",), ("datetime", ["2013-01-01T05:15:00"])),
        (("2020-01-02 25:00",), ("text", ["2020-01-02 25:00"])),
        (("NA", "", None), ("text", [None, None, None])),
        ((" 7 ", "8"), ("integer", [7, 8])),
        (("São Paulo", " 東京 "), ("text", ["São Paulo", "東京"])),
    ],
)
def test_what_is_read(texts, expected):
    assert infer(*texts) == expected


def test_an_odd_value_after_the_probe_is_seen():
    found, values = infer_type(pl.Series("c", [*map(str, range(1000)), "x"]))
    assert (found, values[-1]) == ("text", "x")


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("unit_price", None, True),
        ("total", "dollars", True),
        ("price_level", "percent", False),
        ("priced", None, False),
    ],
)
def test_money_is_told_by_unit_then_name(name, unit, expected):
    assert is_money(name, unit) is expected
