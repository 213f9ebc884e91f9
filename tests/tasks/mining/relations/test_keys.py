"""Keys: by name and uniqueness together, and opaque when no person would know the values."""

import polars as pl
import pytest

from tasks.mining.relations.keys import choose_key, composite_key, key_is_opaque


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"code": ["a", "b"], "team_id": [1, 2]}, "team_id"),
        ({"amount": [1, 2], "team_code": ["a", "b"]}, "team_code"),
        ({"team": ["a", "b"]}, "team"),
        ({"team_id": [1, 1]}, None),
        ({"team_id": [1, None]}, None),
        ({"amount": [1, 2], "name": ["a", "b"]}, None),
        ({"team_id": [1.5, 2.5]}, None),
        ({"team_id": []}, None),
    ],
)
def test_choice(columns, expected):
    names = {pl.Int64: "integer", pl.Float64: "number", pl.String: "text", pl.Null: "integer"}
    frame = pl.DataFrame(columns)
    types = {name: names[type(dtype) if isinstance(dtype, pl.Null) else dtype] for name, dtype in frame.schema.items()}
    assert choose_key(frame, types, "team") == expected


@pytest.mark.parametrize(
    ("key", "values", "label", "opaque"),
    [
        ("artist_id", [1, 2, 3], "name", True),
        ("season", [1999, 2000], None, False),
        ("airport_code", ["JFK", "04G"], "name", False),
        ("player_code", ["jeterde01", "ruthba01"], "name", True),
        ("tail_number", ["N14228", "N24211"], None, False),
        ("country", ["Australia", "Japan"], "name", False),
    ],
)
def test_opacity(key, values, label, opaque):
    frame = pl.DataFrame({key: values, "name": ["x"] * len(values)})
    kind = "integer" if frame[key].dtype == pl.Int64 else "text"
    assert key_is_opaque(frame, {key: kind, "name": "text"}, key, label) is opaque


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"state": ["a", "a", "b"], "year": [1, 2, 1], "births": [7, 8, 9]}, ["state", "year"]),
        ({"state": ["a", "a", "a", "b"], "year": [1, 1, 2, 1], "month": [1, 2, 1, 1]}, ["state", "year", "month"]),
        ({"state": ["a", "a"], "year": [1, 1]}, []),
        ({"state": ["a", "b"], "year": [1, 2]}, []),
        ({"weight": [1, 1, 2], "height": [1, 2, 1]}, []),
        ({"state": ["a", None, "b"], "year": [1, 2, 1]}, []),
        ({"state": [], "year": []}, []),
    ],
)
def test_two_or_three_columns_identify_a_row_together(columns, expected):
    frame = pl.DataFrame(columns)
    types = {name: "text" if frame[name].dtype == pl.String else "integer" for name in frame.columns}
    assert composite_key(frame, types) == expected


@pytest.mark.parametrize(
    ("name", "values", "is_key"),
    [
        ("bian_hao", [f"P{n:03d}" for n in range(20)], True),
        ("sku", [f"{n:05d}" for n in range(20)], True),
        ("ding_dan_hao", list(range(1000, 1020)), True),
        ("year", list(range(2000, 2020)), False),
        ("rank", list(range(1, 21)), False),
        ("points", [n * n for n in range(20)], False),
        ("title", [f"Film {n}" for n in range(20)], False),
        ("name", ["Delta", "United", *(f"Line {n}" for n in range(18))], False),
        ("bian_hao", [f"P{n:03d}" for n in range(5)], False),
        ("height", [n / 4 for n in range(20)], False),
    ],
)
def test_a_first_column_of_codes_is_a_key_whatever_its_name(name: str, values: list, is_key: bool) -> None:
    frame = pl.DataFrame({name: values, "price": [1.5] * len(values)})
    found = {pl.String: "text", pl.Int64: "integer", pl.Float64: "number"}[frame[name].dtype]
    types = {name: found, "price": "number"}
    assert choose_key(frame, types, "good", by_values=True) == (name if is_key else None)
    assert choose_key(frame, types, "good") is None
