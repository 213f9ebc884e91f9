"""Numerals: styles of writing numbers, each by the proof of its column."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.columns.inference import infer_type

amounts = st.lists(st.decimals(0, 10**8, places=2), min_size=1, max_size=20)


def infer(*texts: str) -> tuple[str, list, str | None]:
    found = infer_type(pl.Series("c", texts, dtype=pl.String))
    return found.type, found.values.to_list(), found.unit


@settings(max_examples=60, deadline=None)
@given(amounts, st.sampled_from([(".", ","), (" ", ","), ("'", "."), ("\u202f", ",")]))
def test_grouped_decimals_round_trip(values, style):
    group, point = style
    values = [*values, 1234567, 12]  # lengths vary, and a group is there
    texts = [f"{value:,.2f}".replace(",", "G").replace(".", point).replace("G", group) for value in values]
    assert infer(*texts)[:2] == ("number", [float(value) for value in values])


@settings(max_examples=60, deadline=None)
@given(amounts, st.sampled_from(["% ", "%"]))
def test_percents_round_trip(values, sign):
    assert infer(*(f"{value}{sign}" for value in values)) == ("number", [float(v) for v in values], "percent")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("12 km", "5.5 km"), ("number", [12.0, 5.5], "kilometres")),
        (("12km", "5.5km"), ("number", [12.0, 5.5], "kilometres")),
        (("12 km", "500 m"), ("text", ["12 km", "500 m"], None)),
        (("5m", "6m"), ("text", ["5m", "6m"], None)),
        (("5 m", "6 m"), ("number", [5.0, 6.0], "metres")),
        (("16a", "1"), ("text", ["16a", "1"], None)),
        (("45%", "45"), ("text", ["45%", "45"], None)),
        (("1.234,56 €", "3,00 €"), ("money", [1234.56, 3.0], "euros")),
        (("USD 12", "USD 13.5"), ("money", [12.0, 13.5], "dollars")),
        (("$1.2M", "$300K"), ("money", [1_200_000.0, 300_000.0], "dollars")),
        (("$0.57M",), ("money", [570_000.0], "dollars")),
        (("(3.40)", "2.10"), ("number", [-3.4, 2.1], None)),
        (("$1", "€1"), ("text", ["$1", "€1"], None)),
        (("1,23", "4,5"), ("number", [1.23, 4.5], None)),
        (("1.234", "2.345"), ("number", [1.234, 2.345], None)),
        (("1.234.567", "12.345"), ("integer", [1234567, 12345], None)),
        (("1'234", "12'345"), ("integer", [1234, 12345], None)),
        (("555 123 456", "555 124 457"), ("text", ["555 123 456", "555 124 457"], None)),
        (("−5", "3"), ("integer", [-5, 3], None)),
        (("10-15", "11-16"), ("text", ["10-15", "11-16"], None)),
        (("1,2,3", "4,5"), ("text", ["1,2,3", "4,5"], None)),
        (("007", "1,008"), ("text", ["007", "1,008"], None)),
    ],
)
def test_what_a_column_proves(texts, expected):
    assert infer(*texts) == expected
