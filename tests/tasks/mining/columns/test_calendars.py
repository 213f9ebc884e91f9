"""Calendars: dates in several styles, and what is no date."""

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.columns.inference import infer_type

days = st.lists(st.dates(date(1970, 1, 1), date(2030, 12, 31)), min_size=3, max_size=20)
STYLES = [
    "%d %b %Y",
    "%d %B %Y",
    "%B %d, %Y",
    "%b. %d, %Y",
    "%A, %B %d, %Y",
    "%Y年%m月%d日",
    "%Y%m%d",
    "%d.%m.%Y",
    "%d-%b-%y",
]


def infer(*texts: str) -> tuple[str, list]:
    found = infer_type(pl.Series("c", texts, dtype=pl.String))
    return found.type, found.values.to_list()


@settings(max_examples=80, deadline=None)
@given(days, st.sampled_from(STYLES))
def test_styles_round_trip(values, style):
    values = [date(2001, 1, 31), *values]
    assert infer(*(value.strftime(style) for value in values)) == ("date", [str(value) for value in values])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.datetimes(datetime(1970, 1, 2), datetime(2030, 12, 30)), min_size=1, max_size=20))
def test_the_clock_of_twelve_hours_round_trips(values):
    values = [
        datetime(2020, 1, 31, 12, 0),
        datetime(2020, 1, 31, 0, 5),
        *(v.replace(second=0, microsecond=0) for v in values),
    ]
    texts = [value.strftime("%m/%d/%Y %I:%M %p") for value in values]
    assert infer(*texts) == ("datetime", [value.isoformat() for value in values])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("12/15/00", "1/31/00"), ("date", ["2000-12-15", "2000-01-31"])),
        (("1/11/99", "1/13/99"), ("date", ["1999-01-11", "1999-01-13"])),
        (("1/13/45", "1/14/46"), ("text", ["1/13/45", "1/14/46"])),
        (("1/2/03", "2/3/04"), ("text", ["1/2/03", "2/3/04"])),
        (("20190312",), ("integer", [20190312])),
        (("20190312", "20190313", "20190399"), ("integer", [20190312, 20190313, 20190399])),
        (("2019-03", "2019-04"), ("text", ["2019-03", "2019-04"])),
        (("2019-W12",), ("text", ["2019-W12"])),
        (("Sep-63", "Oct-63"), ("text", ["Sep-63", "Oct-63"])),
        (("1558137600",), ("integer", [1558137600])),
        (("13:45", "9:05"), ("text", ["13:45", "09:05"])),
        (("1:45 PM", "12:00 AM"), ("text", ["13:45", "00:00"])),
        (("25:00", "9:05"), ("text", ["25:00", "9:05"])),
        (("Feb 30, 2019",), ("text", ["Feb 30, 2019"])),
        (("May 2019",), ("text", ["May 2019"])),
    ],
)
def test_what_is_read(texts, expected):
    assert infer(*texts) == expected
