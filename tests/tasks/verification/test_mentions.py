"""Values are found in the spellings in which people write them, and are missed where they do not stand."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.verification.mentions import mentions

SAID: list[tuple[str, Any]] = [
    ("at least 150,000 people", 150000),
    ("more than 1.5 million people", 1_500_000),
    ("人口超过15万", 150000),
    ("the nineteen latest", 19),
    ("twenty-one copies", 21),
    ("two hundred and fifty dollars", 250),
    ("three thousand miles", 3000),
    ("half a dozen of them", 12),
    ("前十九条", 19),
    ("一百二十份", 120),
    ("两万美元", 20000),
    ("no less than 11 degrees", 11.0),
    ("a share of 5%", 0.05),
    ("take 180 dollars out", -180),
    ("any with more than one", 1),
    ("since 2012-08-01", "2012-08-01"),
    ("since 1 August 2012", "2012-08-01"),
    ("since the 15th of August, 2012", "2012-08-15"),
    ("since Aug 15, 2012", "2012-08-15"),
    ("自2012年8月15日起", "2012-08-15"),
    ("since 8/15/2012", "2012-08-15"),
    ("from August 2012 on", "2012-08-01"),
    ("through 2012", "2012-12-31"),
    ("2012-08-15 at 09:30", "2012-08-15T09:30:00"),
    ("15 August 2012, 9:30 a.m.", "2012-08-15T09:30:00"),
    ("2012年8月15日9点", "2012-08-15T09:00:00"),
    ("15 August 2012", "2012-08-15T00:00:00"),
    ("the rating of “the  Babymakers”", "The Babymakers"),
    ("loans still in progress", "in_progress"),
    ("state 'in_progress'", "in_progress"),
    ("来自“EWR”的", "EWR"),
    ("Elena Rossi and Noah Vargas", ["Noah Vargas", "Elena Rossi"]),
    ("whatever", None),
    ("whatever", True),
]
UNSAID: list[tuple[str, Any]] = [
    ("at least 150,000 people", 15000),
    ("the nineteen latest", 9),
    ("前十九条", 9),
    ("since 2012-08-01", "2012-08-10"),
    ("since August 2012", "2012-08-15"),
    ("since 2013", "2012-12-31"),
    ("2012-08-15 at 09:30", "2012-08-15T10:30:00"),
    ("the newer flights", "EWR"),
    ("Elena Rossi", ["Elena Rossi", "Noah Vargas"]),
    ("a few of them", 7),
]


@pytest.mark.parametrize(("text", "value"), SAID, ids=str)
def test_what_is_said_is_found(text: str, value: Any) -> None:
    assert mentions(text, value)


@pytest.mark.parametrize(("text", "value"), UNSAID, ids=str)
def test_what_is_not_said_is_missed(text: str, value: Any) -> None:
    assert not mentions(text, value)


@given(st.one_of(st.integers(-(10**9), 10**9), st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(date.isoformat)))
def test_a_value_as_it_stands_is_found(value: Any) -> None:
    assert mentions(f"Everything about {value} please.", value)
