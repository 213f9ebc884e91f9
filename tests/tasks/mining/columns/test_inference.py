"""Typing: what is rendered as text comes back as it was, and what is doubtful stays text."""

from datetime import UTC, date, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.columns.inference import NULL_TEXTS, infer_type, is_money

nulls = st.sampled_from(NULL_TEXTS)
EXAMPLES = settings(max_examples=60, deadline=None)


def infer(*texts: str | None) -> tuple[str, list]:
    found = infer_type(pl.Series("c", texts, dtype=pl.String))
    assert found.values.name == "c"
    return found.type, found.values.to_list()


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
        (("1,234", "5"), ("integer", [1234, 5])),
        (("($1,234.50)", "$2"), ("money", [-1234.5, 2.0])),
        (("$1", "€1"), ("text", ["$1", "€1"])),
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
    found = infer_type(pl.Series("c", [*map(str, range(1000)), "3rd"]))
    assert (found.type, found.values[-1]) == ("text", "3rd")


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


def test_markers_of_missing_numbers_become_null_and_are_counted():
    found = infer_type(pl.Series("c", [*map(str, range(12)), "n.a.", "-", "-"]))
    assert (found.type, found.values.null_count()) == ("integer", 3)
    assert found.notes == ("3 cells that say '-', 'n.a.' now null",)
    few = infer_type(pl.Series("c", [*map(str, range(9)), "-"]))
    assert (few.type, few.notes) == ("text", ())
    mostly = infer_type(pl.Series("c", [*map(str, range(12)), *["-"] * 13]))
    assert mostly.type == "text"


def test_few_odd_texts_among_many_numbers_become_null_and_are_counted():
    found = infer_type(pl.Series("c", [*(f"2020-01-{day:02}" for day in range(1, 31))] * 2 + ["dnf"]))
    assert (found.type, found.notes) == ("date", ("1 cell that says 'dnf' now null",))
    for odd in (["x1"], ["dnf"] * 2, ["a", "b", "c", "d"]):
        values = [str(i) for i in range(60 if len(odd) < 4 else 1000)]
        assert infer_type(pl.Series("c", values + odd)).type == "text"


def test_odd_cells_make_no_boolean_and_given_nulls_are_the_only_ones():
    assert infer_type(pl.Series("c", ["yes", "no"] * 60 + ["unknown"])).type == "text"
    numbers = pl.Series("c", [*map(str, range(60)), "-"])
    assert infer_type(numbers, []).type == "text"
    assert infer_type(numbers, ["-"]).type == "integer"


def test_na_is_namibia_among_the_codes_of_all_countries():
    letters = "ABCDEFGH"
    codes = [a + b for a in letters for b in letters]
    assert infer_type(pl.Series("c", [*codes, "NA"])).values.null_count() == 0
    assert infer_type(pl.Series("c", [*codes[:50], "NA"])).values.null_count() == 1


def test_quotation_marks_around_all_values_are_the_file_s():
    found = infer_type(pl.Series("c", ['"A"', '"B c"']))
    assert (found.values.to_list(), len(found.notes)) == (["A", "B c"], 1)
    assert infer_type(pl.Series("c", ['"A"', "B"])).values.to_list() == ['"A"', "B"]


@pytest.mark.parametrize("name", ["low_wage_jobs", "price_index", "income_share"])
def test_words_beside_money_make_it_something_else(name):
    assert not is_money(name, None)
