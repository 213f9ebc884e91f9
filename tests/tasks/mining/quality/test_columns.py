from collections.abc import Callable

import polars as pl
import pytest

from tasks.mining.quality.columns import column_batch
from tasks.mining.quality.gate import refusal
from tests.tasks.mining.quality.conftest import MakeWorld, SmallWorld, mined_frames, mined_profile
from tests.tasks.mining.quality.test_tables import Break, every, failed, first

BROKEN: list[tuple[str, str, str, str, Break, int]] = [
    ("sales", "price", "expect_column_storage_as_profiled", "critical", lambda f: f.cast({"price": pl.String}), 200),
    ("shops", "latitude", "expect_required_column_without_nulls", "critical", first("latitude", None), 1),
    ("shops", "shop_id", "expect_required_column_without_nulls", "critical", first("shop_id", None), 1),
    ("shops", "share", "expect_numbers_to_be_finite", "critical", first("share", float("nan")), 1),
    ("shops", "share", "expect_numbers_to_be_finite", "critical", first("share", float("inf")), 1),
    ("sales", "shop_id", "expect_references_to_be_keys_of_parent", "critical", first("shop_id", 61), 1),
    ("shops", "region_code", "expect_references_to_be_keys_of_parent", "critical", every("region_code", "R9"), 60),
    ("sales", "sold_on", "expect_times_to_be_readable", "critical", first("sold_on", "2021-02-30"), 1),
    ("sales", "sold_on", "expect_times_to_be_readable", "critical", first("sold_on", "2021-2-3"), 1),
    ("sales", "rung_up_at", "expect_times_to_be_readable", "critical", first("rung_up_at", "2021-02-03 10:00:00"), 1),
    ("sales", "sold_on", "expect_values_within_profiled_range", "critical", first("sold_on", "2020-12-31"), 1),
    ("sales", "sold_on", "expect_values_to_be_plausible", "warning", first("sold_on", "2100-01-01"), 1),
    ("sales", "sold_on", "expect_values_to_be_plausible", "warning", first("sold_on", "0001-01-01"), 1),
    ("shops", "is_open", "expect_values_to_be_profiled_categories", "critical", first("is_open", 2), 1),
    ("sales", "paid_by", "expect_values_to_be_profiled_categories", "critical", first("paid_by", "cheque"), 1),
    ("sales", "price", "expect_values_within_profiled_range", "critical", first("price", 200.0), 1),
    ("sales", "season", "expect_values_within_profiled_range", "critical", first("season", 1919), 1),
    ("sales", "price", "expect_values_to_be_plausible", "warning", first("price", -1.0), 1),
    ("shops", "share", "expect_values_to_be_plausible", "warning", first("share", 101.0), 1),
    ("shops", "latitude", "expect_values_to_be_plausible", "warning", first("latitude", 91.0), 1),
    ("sales", "paid_by", "expect_categories_to_occur", "warning", every("paid_by", "cash"), 1),
    ("shops", "note", "expect_column_mostly_filled", "warning", every("note", None), 60),
    ("sales", "price", "expect_column_to_vary", "warning", every("price", 5.0), 200),
    ("shops", "note", "expect_text_not_numbers_in_disguise", "warning", every("note", "1,234.5"), 60),
]


@pytest.fixture
def world(make_world: MakeWorld) -> SmallWorld:
    return make_world("bookings")


@pytest.mark.parametrize(("table", "column", "name", "severity", "change", "unexpected"), BROKEN)
def test_broken_columns_are_found(
    world: SmallWorld, table: str, column: str, name: str, severity: str, change: Break, unexpected: int
) -> None:
    results = world.judge({table: change(world.frames[table])})
    found = failed(results, table, column, name, severity)
    assert [result.unexpected for result in found] == [unexpected]
    assert found[0].checked == world.frames[table].height
    assert (refusal(results) is not None) >= (severity == "critical")
    # The other columns of the table passed, but the table is not told to have done so.
    assert [r for r in results if r.expectation == name and r.table == table and r.passed] == []


def test_every_expectation_was_broken_here() -> None:
    names = {expected.name for expected in column_batch(mined_profile(), mined_frames()).expected}
    assert names == {name for _, _, name, *_ in BROKEN}


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("note", every("note", "00501")),  # codes, not numbers
        ("region_code", lambda f: f.with_columns(region_code=pl.lit("7"))),  # a reference
        ("note", lambda f: f.with_columns(note=pl.Series(["12"] * 56 + ["about 12"] * 4))),  # fewer than 95 %
    ],
)
def test_texts_that_are_no_numbers(
    world: SmallWorld, column: str, change: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    results = world.judge({"shops": change(world.frames["shops"])})
    assert failed(results, "shops", column, "expect_text_not_numbers_in_disguise", "warning") == []


def test_a_column_of_one_value_beside_nulls_says_something(world: SmallWorld) -> None:
    marked = world.frames["shops"].with_columns(note=pl.when(pl.col("shop_id") > 30).then(pl.lit("listed")))
    assert failed(world.judge({"shops": marked}), "shops", "note", "expect_column_to_vary", "warning") == []


def test_broken_values_are_shown(world: SmallWorld) -> None:
    sales = first("paid_by", "cheque")(first("shop_id", 77)(world.frames["sales"]))
    details = {r.expectation: r.detail for r in world.judge({"sales": sales}) if not r.passed and r.suite == "table"}
    assert details["expect_values_to_be_profiled_categories"].endswith("1 of 200 rows break it: 'cheque'")
    assert details["expect_references_to_be_keys_of_parent"].endswith(": 77")


def test_a_parent_that_is_no_mined_table_holds_no_keys() -> None:
    profile = mined_profile()
    profile.tables[2].foreign_keys[0].to_table = "nowhere"
    view = column_batch(profile, mined_frames()).frame
    dangling = view.filter(pl.col("table") == "sales", pl.col("column") == "shop_id")["dangling"].item()
    assert dangling == mined_frames()["sales"]["shop_id"].count()
