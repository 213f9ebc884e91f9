"""Plain English: quotes where a text needs them, totals only of what adds up, decimals that say something."""

from __future__ import annotations

import pytest

from schemas.profiles import ColumnProfile
from tasks.authors.rules.drafts import words


def column(**given: object) -> ColumnProfile:
    fields = {"name": "c", "type": "number", "role": "measure", "nullable": False, "distinct": 9, "words": "figure"}
    return ColumnProfile.model_validate({**fields, **given})


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("JFK", True),
        ("United Kingdom", True),
        ("Vietnam-Era", True),
        ("Yes, very", False),
        ("> 60", False),
        ("black and white", False),
        ("a text of more than four words", False),
    ],
)
def test_a_text_is_plain_where_a_sentence_does_not_swallow_it(text: str, plain: bool) -> None:
    assert words.is_plain(text) == plain


def test_keys_never_start_with_a_digit() -> None:
    assert (
        words.field_name("the 2019 sales of that report", {"value_2019_sales_report"}, set())
        == "value_2019_sales_report_2"
    )


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
