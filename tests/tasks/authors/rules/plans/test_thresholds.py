"""Thresholds: they tell what they are to tell apart, and are as round as the room allows."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.authors.rules.plans.judging import HOLDS
from tasks.authors.rules.plans.thresholds import MOST_DIGITS, count_digits, place_threshold, roundest_between

BOUNDS = ("at_least", "at_most", "above", "below")
MOMENTS = st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat())
DAYS = st.dates().map(lambda day: day.isoformat())
VALUES = st.one_of(
    *(
        st.tuples(each, each).filter(lambda pair: pair[0] != pair[1]).map(sorted)
        for each in (st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6), MOMENTS, DAYS)
    )
)


@given(pair=VALUES, comparator=st.sampled_from(BOUNDS))
def test_a_threshold_tells_its_neighbours_apart(pair: list[Any], comparator: Any) -> None:
    low, high = pair
    threshold = place_threshold(low, high, comparator)
    if threshold is None:
        return
    holds = HOLDS[comparator]
    assert (holds(low, threshold), holds(high, threshold)) == ((False, True), (True, False))[
        comparator in ("at_most", "below")
    ]
    assert type(threshold) is type(low)
    assert isinstance(threshold, str) or count_digits(threshold) <= MOST_DIGITS


@given(low=st.integers(-(10**6), 10**6), room=st.integers(1, 10**6))
def test_nothing_between_is_rounder(low: int, room: int) -> None:
    between = roundest_between(low, low + room)
    assert (between is None) == (room == 1)
    if between is not None and room < 200:
        assert count_digits(between) == min(count_digits(each) for each in range(low + 1, low + room))


@pytest.mark.parametrize(
    ("low", "high", "comparator", "threshold"),
    [
        (1234, 1987, "at_least", 1600),
        (3, 4, "at_least", 4),
        (3, 4, "above", 3),
        (0.123456789, 0.187654321, "below", 0.16),
        (61234567, 61234568, "at_least", None),
        ("2013-01-05", "2013-04-20", "at_most", "2013-04-01"),
        ("2013-01-05", "2014-04-20", "at_least", "2014-01-01"),
        ("2013-01-05", "2013-01-06", "at_least", "2013-01-06"),
        ("2013-01-05T10:31:22", "2013-01-06T08:12:41", "above", "2013-01-06T00:00:00"),
        ("2013-01-05T10:31:22", "2013-01-05T12:12:41", "above", "2013-01-05T12:00:00"),
    ],
)
def test_examples(low: Any, high: Any, comparator: Any, threshold: Any) -> None:
    assert place_threshold(low, high, comparator) == threshold
    assert threshold is None or operator.le(low, threshold)
