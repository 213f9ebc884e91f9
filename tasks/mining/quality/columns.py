"""Columns: a view of a world with one row for each mined column, and what the figures in it are held to.

Counting is done by polars, once a column; an expectation then looks at all columns of the world at
once, which costs the same for a survey of two hundred columns as for a table of ten. A figure is null
where it says nothing about a column, and expectations pass nulls over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.quality import Severity
from tasks.mining.environments import DTYPES
from tasks.mining.quality.expected import Batch, Expected, Figures, seen
from tasks.mining.quality.plausibility import implausible
from tasks.mining.quality.tables import mined_tables
from tasks.mining.relations.keys import KEY_ENDINGS

MOST_NULLS = 0.95
MOST_NUMBERS = 0.95
ENOUGH_ROWS = 20
"""Rows from which on a column of one value, or a text column of numbers, is no chance."""
_NUMBER = r"^[+-]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?%?$"
_LEADING_ZERO = r"^[+-]?0\d"
_CODES = {*KEY_ENDINGS, "zip", "postal", "postcode", "phone", "fax", "version"}
_SHAPES = {"date": "%Y-%m-%d", "datetime": "%Y-%m-%dT%H:%M:%S"}

# Figures that count broken rows: none may.
_COUNTED: dict[str, tuple[str, Severity, str]] = {
    "other_storage": ("expect_column_storage_as_profiled", "critical", "values of the profile's type"),
    "missing": ("expect_required_column_without_nulls", "critical", "no null in a column profiled without"),
    "non_finite": ("expect_numbers_to_be_finite", "critical", "no NaN and no infinity"),
    "dangling": ("expect_references_to_be_keys_of_parent", "critical", "keys of the table referred to"),
    "unreadable": ("expect_times_to_be_readable", "critical", "days of the calendar in ISO form"),
    "unknown": ("expect_values_to_be_profiled_categories", "critical", "only categories of the profile"),
    "unbelieved": ("expect_values_within_profiled_range", "critical", "values within the profile's range"),
    "implausible": ("expect_values_to_be_plausible", "warning", "values that what is named so can have"),
    "single_value": ("expect_column_to_vary", "warning", "more than one value"),
}
# Figures that are shares of rows, which may not pass a limit; the count beside each, and the limit.
_SHARED: dict[str, tuple[str, str, float, str]] = {
    "null_share": ("expect_column_mostly_filled", "nulls", MOST_NULLS, f"at most {MOST_NULLS:.0%} nulls"),
    "number_share": (
        "expect_text_not_numbers_in_disguise",
        "numbers",
        MOST_NUMBERS,
        f"fewer than {MOST_NUMBERS:.0%} of its texts to be numbers",
    ),
}
_ABSENT = Expected(
    "expect_categories_to_occur",
    "ExpectColumnValuesToBeBetween",
    {"column": "absent", "max_value": 0},
    "warning",
    "every category of the profile to occur",
    counts="absent",
)


def column_batch(profile: WorldProfile, frames: dict[str, pl.DataFrame]) -> Batch:
    """Return the view of every mined column that its frame has, and what is expected of the figures."""
    counts = [*_COUNTED, "absent", *(count for _, count, *_ in _SHARED.values())]
    schema: dict[str, type[pl.DataType]] = {"table": pl.String, "column": pl.String, "rows": pl.Int64}
    schema |= dict.fromkeys(counts, pl.Int64) | dict.fromkeys(_SHARED, pl.Float64)
    schema |= {seen(name): pl.String for name in counts}
    rows = [
        {"table": table.name, "column": column.name, **_figures(profile, table, column, frames)}
        for table in mined_tables(profile)
        for column in table.columns
        if column.name in frames[table.name].columns
    ]
    # Missing figures are null: each row says only what can be said of its column.
    frame = pl.DataFrame([dict.fromkeys(schema) | row for row in rows], schema=schema, orient="row")
    return Batch("columns", frame, [*_expected()], located=("table", "column"))


def _expected() -> Iterator[Expected]:
    kind = "ExpectColumnValuesToBeBetween"
    for figure, (name, severity, says) in _COUNTED.items():
        yield Expected(name, kind, {"column": figure, "max_value": 0}, severity, says, counts=figure)
    yield _ABSENT
    for figure, (name, count, limit, says) in _SHARED.items():
        arguments = {"column": figure, "max_value": limit, "strict_max": figure == "number_share"}
        yield Expected(name, kind, arguments, "warning", says, counts=count)


def _figures(
    profile: WorldProfile, table: TableProfile, column: ColumnProfile, frames: dict[str, pl.DataFrame]
) -> dict[str, Any]:
    values = frames[table.name][column.name]
    figures = Figures(rows=len(values), other_storage=0)
    if values.dtype != DTYPES[column.type]:
        figures["other_storage"] = len(values) or 1
        figures[seen("other_storage")] = f"{values.dtype} for {column.type}"
        return figures
    present = values.drop_nulls()
    if column.name == table.key or not column.nullable:
        figures["missing"] = values.null_count()
    if values.dtype == pl.Float64:
        figures.count("non_finite", present.filter(~present.is_finite()))
    for foreign in table.foreign_keys:
        if foreign.column == column.name:
            keys = _keys(profile, foreign.to_table, foreign.to_column, frames, present.dtype)
            figures.count("dangling", present.filter(~present.is_in(keys.implode())))
    _count_beliefs(figures, column, present)
    _count_habits(figures, column, values, present)
    return figures


def _keys(
    profile: WorldProfile, to_table: str, to_column: str, frames: dict[str, pl.DataFrame], dtype: pl.DataType
) -> pl.Series:
    """Return the keys of the table referred to; none when it is no mined one, or its keys have another type."""
    none = pl.Series([], dtype=dtype)
    if to_table not in {table.name for table in mined_tables(profile)}:
        return none
    frame = frames[to_table]
    return frame[to_column] if to_column in frame.columns and frame[to_column].dtype == dtype else none


def _count_beliefs(figures: Figures, column: ColumnProfile, present: pl.Series) -> None:
    """Count the values that the profile rules out."""
    if column.type in _SHAPES:
        read = present.str.to_datetime(_SHAPES[column.type], strict=False, time_unit="us")
        # The parser also takes 2020-1-5; SQL compares the texts.
        shaped = present.str.len_chars() == (10 if column.type == "date" else 19)
        figures.count("unreadable", present.filter(read.is_null() | ~shaped))
    allowed: list[Any] = [0, 1] if column.type == "boolean" else list(column.categories)
    if allowed:
        figures.count("unknown", present.filter(~present.is_in(allowed)))
    if column.categories:
        absent = pl.Series([c for c in column.categories if c not in set(present.unique())], dtype=pl.String)
        figures.count("absent", absent)
    elif column.minimum is not None and column.maximum is not None:
        outside = (present < column.minimum) | (present > column.maximum)
        figures.count("unbelieved", present.filter(outside))


def _count_habits(figures: Figures, column: ColumnProfile, values: pl.Series, present: pl.Series) -> None:
    """Count what data that was read well does not show, whatever its profile says."""
    odd = implausible(column, present)
    if odd is not None:
        figures.count("implausible", odd)
    if len(values) < ENOUGH_ROWS:
        return
    figures |= {"nulls": values.null_count(), "null_share": values.null_count() / len(values)}
    same = len(present) == len(values) and present.n_unique() == 1
    figures.count("single_value", present if same else present.clear())
    is_code = column.role in ("key", "reference") or bool(_CODES & set(column.name.split("_")))
    if column.type == "text" and not is_code and len(present) >= ENOUGH_ROWS:
        coded = bool(present.str.contains(_LEADING_ZERO).any())
        numbers = present.clear() if coded else present.filter(present.str.contains(_NUMBER))
        figures.count("numbers", numbers)
        figures["number_share"] = len(numbers) / len(present)
