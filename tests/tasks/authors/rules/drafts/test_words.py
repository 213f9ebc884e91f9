"""Plain English: quotes where a text needs them, totals only of what adds up, decimals that say something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.profiles import ColumnProfile
from tasks.authors.rules.drafts import words


def column(**given: object) -> ColumnProfile:
    fields = {"name": "c", "type": "number", "role": "measure", "nullable": False, "distinct": 9, "words": "figure"}
    return ColumnProfile.model_validate({**fields, **given})


TEXT = column(type="text", role="category")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("JFK", "JFK"),
        ("United Kingdom", "United Kingdom"),
        ("Vietnam-Era", "Vietnam-Era"),
        ("Yes, very", "“Yes, very”"),
        ("> 60", "“> 60”"),
        ("black and white", "“black and white”"),
        ("a text of more than four words", "“a text of more than four words”"),
    ],
)
def test_a_text_is_quoted_where_a_sentence_would_swallow_it(value: str, said: str) -> None:
    assert words.render_bound(TEXT, "eq", value) == said


@pytest.mark.parametrize(
    ("minimum", "comparator", "value", "said"),
    [
        (0, "max", 0, "0 points"),
        (0, "min", 0, "at least 0 points"),
        (-1, "max", 0, "at most 0 points"),
        (1, "max", 1, "at most 1 points"),
    ],
)
def test_at_most_none_is_none(minimum: int, comparator: str, value: int, said: str) -> None:
    wins = column(type="integer", minimum=minimum, maximum=9, unit="points")
    assert words.render_bound(wins, comparator, value) == said


def test_keys_never_start_with_a_digit() -> None:
    assert (
        words.field_name("the 2019 sales of that report", {"value_2019_sales_report"}, set())
        == "value_2019_sales_report_2"
    )


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1))
def test_what_is_said_holds_the_value(value: str) -> None:
    assert words.render_bound(TEXT, "eq", value).strip("“”") == words.render_value(value).strip("“”")


def test_a_flag_is_yes_or_no() -> None:
    flag = column(type="boolean", role="category", words="has children")
    assert words.render_filter(flag, "eq", 1) == "whose has children is yes"
    assert words.render_bound(flag, "eq", 0) == "no"


@pytest.mark.parametrize(
    "said", ["win percentage", "critics' score", "accidents per mile", "median age", "share of women"]
)
def test_rates_and_scores_have_no_total(said: str) -> None:
    assert words.fitting(column(words=said), "sum", "mean", "max") == ("mean", "max")
    assert words.fitting(column(words="figure", unit="percent"), "mean", "sum") == ("mean",)
    assert words.fitting(column(words="units sold"), "mean", "sum") == ("mean", "sum")


def test_shares_are_asked_for_to_four_decimals_and_amounts_to_two() -> None:
    assert words.decimals(column(minimum=-0.2, maximum=0.9)) == 4
    assert words.decimals(column(minimum=0.0, maximum=812.5)) == 2
    assert words.decimals(column()) == 2
