from collections.abc import Callable

import polars as pl
import pytest

from schemas.quality import QualityResult
from tasks.mining.quality.gate import refusal
from tasks.mining.quality.tables import table_batches
from tests.tasks.mining.quality.conftest import MakeWorld, SmallWorld, mined_frames, mined_profile

Break = Callable[[pl.DataFrame], pl.DataFrame]


def first(column: str, value: object) -> Break:
    """Return a change of one column's first value."""
    return lambda frame: frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    )


def every(column: str, value: object) -> Break:
    return lambda frame: frame.with_columns(pl.lit(value).cast(frame[column].dtype).alias(column))


BROKEN: list[tuple[str, str | None, str, str, Break, int]] = [
    ("shops", None, "expect_table_row_count_to_equal", "critical", lambda f: f.head(50), 1),
    ("shops", None, "expect_table_columns_to_match_ordered_list", "critical", lambda f: f.select(reversed(f.columns)), 1),
    ("shops", None, "expect_table_columns_to_match_ordered_list", "critical", lambda f: f.drop("note"), 1),
    ("shops", "shop_id", "expect_column_values_to_be_unique", "critical", first("shop_id", 2), 2),
    ("shops", "shop_id", "expect_column_values_to_not_be_null", "critical", first("shop_id", None), 1),
    ("shops", "shop_name", "expect_column_values_to_be_unique", "warning", every("shop_name", "Joe's"), 60),
    (
        "sales", None, "expect_compound_columns_to_be_unique", "warning",
        lambda f: pl.concat([f.head(199), f.head(1).with_columns(sale_id=pl.lit(200, pl.Int64))]), 2,
    ),
    ("regions", None, "expect_table_row_count_to_be_between", "warning", lambda f: f.head(4), 1),
]  # fmt: skip


def failed(
    results: list[QualityResult], table: str, column: str | None, name: str, severity: str
) -> list[QualityResult]:
    return [
        result
        for result in results
        if (result.table, result.column, result.expectation, result.severity) == (table, column, name, severity)
        and not result.passed
    ]


@pytest.fixture
def world(make_world: MakeWorld) -> SmallWorld:
    return make_world("bookings")


@pytest.mark.parametrize(("table", "column", "name", "severity", "change", "unexpected"), BROKEN)
def test_broken_rows_are_found(
    world: SmallWorld, table: str, column: str | None, name: str, severity: str, change: Break, unexpected: int
) -> None:
    results = world.judge({table: change(world.frames[table])})
    found = failed(results, table, column, name, severity)
    assert [result.unexpected for result in found] == [unexpected]
    assert found[0].detail.startswith("expected ")
    if severity == "critical":
        assert name in (refusal(results) or "")


def test_every_kind_of_expectation_was_broken_here() -> None:
    batches = table_batches(mined_profile(), mined_frames())
    kinds = {expected.name for batch in batches for expected in batch.expected}
    assert kinds == {name for _, _, name, *_ in BROKEN}


def test_a_sampling_note_that_disagrees_with_the_profile_is_told() -> None:
    profile = mined_profile()
    profile.sampling[1].rows_kept = 59
    counts = [
        expected.arguments["value"]
        for batch in table_batches(profile, mined_frames())
        for expected in batch.expected
        if expected.name == "expect_table_row_count_to_equal" and batch.name == "shops"
    ]
    assert counts == [59, 60]


def test_values_of_a_column_of_another_type_are_not_compared(world: SmallWorld) -> None:
    results = world.judge({"sales": world.frames["sales"].with_columns(pl.col("price").cast(pl.String))})
    about = {r.expectation for r in results if r.column == "price" and r.suite == "table"}
    assert about == {"expect_column_storage_as_profiled"}


def test_keys_too_large_for_a_float_stay_apart(world: SmallWorld) -> None:
    large = [2**60 + i for i in range(60)]
    results = world.judge({"shops": world.frames["shops"].with_columns(shop_id=pl.Series([*large[:59], None]))})
    assert failed(results, "shops", "shop_id", "expect_column_values_to_be_unique", "critical") == []
    assert len(failed(results, "shops", "shop_id", "expect_column_values_to_not_be_null", "critical")) == 1


def test_rows_of_one_parent_each_may_say_the_same() -> None:
    profile, frames = mined_profile(), mined_frames()
    asked = "expect_compound_columns_to_be_unique"
    assert asked in {expected.name for expected in table_batches(profile, frames)[2].expected}
    profile.tables[2].foreign_keys[0].column = "sale_id"  # a sale is a part of something that has its number
    assert asked not in {expected.name for expected in table_batches(profile, frames)[2].expected}
