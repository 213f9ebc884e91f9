"""Values and comparisons in Chinese: no two comparators are said alike, and counts are written as people write them."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from schemas.plans import Comparator
from schemas.profiles import ColumnProfile
from tasks.authors.rules.wording.chinese import values

MEASURE = ColumnProfile(
    name="d", type="integer", role="measure", nullable=True, distinct=9, words="distance", unit="miles"
)
TIME = ColumnProfile(name="t", type="datetime", role="time", nullable=True, distinct=9, words="time of booking")


@pytest.mark.parametrize("column", [MEASURE, TIME])
def test_each_comparator_has_words_of_its_own(column: ColumnProfile) -> None:
    ways = {
        comparator: {values.compared(column, comparator, "X", random.Random(seed)) for seed in range(40)}
        for comparator in get_args(Comparator)
    }
    assert all(len(said) > 1 for said in ways.values())
    assert len(set.union(*ways.values())) == sum(map(len, ways.values()))


def test_values_carry_their_unit_and_their_quotes() -> None:
    assert values.value(500, MEASURE) == "500英里"
    assert values.value("open") == "“open”"
    assert values.value("2013-05-01T10:00:00", TIME) == "2013-05-01 10:00"


def test_counts_and_places() -> None:
    assert [values.number(n) for n in (1, 2, 10, 12, 20, 42, 100)] == [
        "一",
        "两",
        "十",
        "十二",
        "二十",
        "四十二",
        "100",
    ]
    assert [values.place(rank) for rank in (0, 1, 11)] == ["", "第二", "第十二"]


def test_the_direction_follows_the_kind_of_column() -> None:
    rng = random.Random(0)
    assert values.direction(TIME, descending=False, rng=rng)[-3:] == "早到晚"
    assert values.extreme(TIME, descending=True) == "最晚"
    assert values.direction(MEASURE, descending=True, rng=rng)[-3:] == "长到短"
