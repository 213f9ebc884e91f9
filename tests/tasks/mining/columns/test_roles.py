"""Roles: a measure ranks, a category sorts, a code names."""

import polars as pl
import pytest

from tasks.mining.columns.roles import role_of


@pytest.mark.parametrize(
    ("name", "kind", "values", "role"),
    [
        ("price", "money", [1.0, 2.0], "measure"),
        ("latitude", "number", [1.0, -2.0], "measure"),
        ("visits", "integer", [3, 5, 3, 5], "measure"),
        ("zip", "integer", [10001, 10002], "text"),
        ("flight_number", "integer", [1, 2], "text"),
        ("phone", "integer", [5551234, 5551235], "text"),
        ("release_year", "integer", [1999, 2001], "time"),
        ("show_start", "integer", [1999, 2001], "time"),
        ("year_2010", "integer", [1999, 2001], "measure"),
        ("years_since_joining", "integer", [4, 7], "measure"),
        ("month", "integer", [1, 2] * 4, "category"),
        ("day_of_week", "integer", [1, 2] * 4, "category"),
        ("used_zone", "integer", [1, 4] * 4, "category"),
        ("binary", "integer", [0, 1] * 4, "category"),
        ("quantity", "integer", [1] * 4, "measure"),
        ("open", "boolean", [0, 1], "category"),
        ("day", "date", ["2020-01-01"], "time"),
        ("kind", "text", ["a", "b"] * 2, "category"),
        ("kind", "text", ["a", "b", "c"], "text"),
        ("url", "text", ["a", "b"] * 2, "text"),
    ],
)
def test_roles(name, kind, values, role):
    assert role_of(name, kind, pl.Series(values)) == role
