"""Flags: zero and one as an answer, not as a count."""

import polars as pl
import pytest

from tasks.mining.columns.flags import as_flags
from tasks.mining.columns.inference import infer_type


def flagged(columns: dict[str, list[str]]) -> set[str]:
    inferred = {header: infer_type(pl.Series(header, texts)) for header, texts in columns.items()}
    return {header for header, found in as_flags(inferred).items() if found.type == "boolean"}


@pytest.mark.parametrize(
    ("header", "is_flag"),
    [
        ("is_active", True),
        ("Current?", True),
        ("win_flag", True),
        ("deaths", False),
        ("sales", False),
        ("Has Wi-Fi", True),
    ],
)
def test_by_name(header, is_flag):
    assert flagged({header: ["0", "1", "1"]}) == ({header} if is_flag else set())


def test_three_together_are_attributes_but_counts_are_not():
    columns = {name: ["0", "1", "0"] for name in ("chocolate", "fruity", "hard", "goals")}
    assert flagged(columns) == {"chocolate", "fruity", "hard"}


def test_other_values_make_no_flag():
    assert flagged({"is_active": ["0", "1", "2"], "is_on": ["1", "1", "1"]}) == set()
