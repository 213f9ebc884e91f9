"""Filling: rows that agree with themselves and with each other, equal for equal seeds, and true about where they are from."""

import re
from collections import Counter
from functools import cache
from types import SimpleNamespace

import polars as pl
import pytest

from schemas.themes import Theme
from tasks.mining.entities.borrowing.places import large_cities
from tasks.mining.entities.filling import fill_entities
from tasks.mining.entities.planning import plan_tables
from tasks.mining.entities.rows import slug
from tasks.mining.extraction import ExtractedTable
from tasks.mining.tables import mine_tables
from tests.tasks.mining.entities.by_hand import FILE_SYSTEM, ISSUE_TRACKER, NOTES, SHOP, THEMES, WEATHER

PLACEHOLDER = re.compile(
    r"lorem|ipsum|\bfoo\b|\btest\d|\bitem \d|\bsample \d|placeholder|TODO:|[{}<>]|\bNone\b|\bnan\b|example (text|value)",
    re.IGNORECASE,
)


@cache
def filled(name: str, seed: int = 0) -> dict[str, ExtractedTable]:
    theme = next(theme for theme in THEMES if theme.name == name)
    return {table.name: table for table in fill_entities(theme, seed)}


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_every_entity_has_enough_rows_with_keys_and_sound_references(theme: Theme) -> None:
    tables = filled(theme.name)
    for plan in plan_tables(theme):
        frame = tables[plan.name].frame
        assert 40 <= frame.height <= 400
        assert frame[plan.key].to_list() == list(range(1, frame.height + 1))
        for column in plan.columns:
            if column.target:
                keys = tables[column.target].frame[tables[column.target].key]
                assert frame[column.name].drop_nulls().is_in(keys.implode()).all()


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_equal_seeds_give_equal_rows_and_others_do_not(theme: Theme) -> None:
    again = {table.name: table.frame for table in fill_entities(theme, 0)}
    other = {table.name: table.frame for table in fill_entities(theme, 1)}
    for name, table in filled(theme.name).items():
        assert table.frame.equals(again[name])
        assert not table.frame.equals(other[name])


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_no_value_is_a_placeholder_and_labels_tell_rows_apart(theme: Theme) -> None:
    for name, table in filled(theme.name).items():
        label = table.recipe.label
        assert label is not None
        assert table.frame[label].str.to_lowercase().n_unique() == table.frame.height, name
        for column in table.frame.columns:
            if table.types[column] == "text":
                texts = table.frame[column].drop_nulls()
                odd = [
                    text for text in texts if PLACEHOLDER.search(text) or text != text.strip() or not text.isprintable()
                ]
                assert not odd, (name, column, odd[:3])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_times_of_a_row_and_of_what_it_refers_to_agree(seed: int) -> None:
    issues, comments = (filled("issue_tracker", seed)[name].frame for name in ("issues", "comments"))
    assert (issues["created_at"] <= issues["updated_at"]).all()
    closed = issues.filter(pl.col("closed_at").is_not_null())
    assert (closed["status"] == "closed").all() and (closed["created_at"] <= closed["closed_at"]).all()
    assert issues.filter(pl.col("status") == "closed")["closed_at"].null_count() == 0
    joined = comments.join(issues, left_on="issue_id", right_on="issue_number", suffix="_of_issue")
    assert (joined["created_at"] >= joined["created_at_of_issue"]).all()
    assert issues["created_at"].is_sorted() and issues["created_at"].max() <= "2024-12-31T23:59:59"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_order_is_delivered_when_it_says_so(seed: int) -> None:
    orders = filled("shop", seed)["orders"].frame
    assert ((orders["status"] == "delivered") == orders["delivered_at"].is_not_null()).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_people_have_their_own_addresses_and_places_their_countries(seed: int) -> None:
    customers = filled("shop", seed)["customers"].frame
    for row in customers.iter_rows(named=True):
        assert row["name"] == f"{row['first_name']} {row['last_name']}"
        assert row["email"].startswith(f"{slug(row['first_name'])}.{slug(row['last_name'])}")
        assert row["email"].endswith(".example")
    known = {(city["city"], city["country"]) for city in large_cities()}
    if known:
        assert set(customers.select("city", "country").iter_rows()) <= known


def test_a_cities_row_is_a_real_city() -> None:
    cities = filled("weather_api")["cities"]
    real = {(c["city"], c["country"], c["latitude"], c["longitude"], c["timezone"]) for c in large_cities()}
    if real:
        columns = ["city", "country", "latitude", "longitude", "timezone"]
        assert set(cities.frame.select(columns).iter_rows()) <= real
        assert {cities.origins[column][0] for column in columns} == {"borrowed"}


def test_highs_are_above_lows() -> None:
    forecasts = filled("weather_api")["forecasts"].frame
    assert (forecasts["temperature_max"] > forecasts["temperature_min"]).all()


def test_a_file_lies_in_its_directory_under_its_name() -> None:
    tables = filled("file_system")
    joined = tables["files"].frame.join(tables["directories"].frame, on="directory_id", suffix="_of_directory")
    assert joined.height == tables["files"].frame.height
    for row in joined.iter_rows(named=True):
        assert row["path"].startswith(f"{row['path_of_directory']}/")


def test_few_rows_are_referred_to_by_many() -> None:
    issues = filled("issue_tracker")["issues"].frame
    counts = sorted(Counter(issues["repository_id"].to_list()).values(), reverse=True)
    assert sum(counts[:10]) > 0.3 * issues.height


def test_listed_values_are_mined_and_alone_in_their_column() -> None:
    issues = filled("issue_tracker")["issues"]
    assert set(issues.frame["priority"]) <= {"low", "medium", "high", "critical"}
    assert issues.origins["priority"] == ("mined", None)
    assert issues.origins["title"] == ("simulated", None)
    notes = filled("notes_app")["notes"]
    assert notes.origins["status"] == ("simulated", None), "usual statuses are ours, not the source's"


def harvested(frame: pl.DataFrame) -> SimpleNamespace:
    return SimpleNamespace(tables=[SimpleNamespace(name="found", entity="products", frame=frame)], coverage=[])


def test_rows_that_research_found_are_taken_and_told() -> None:
    names = [f"Oak chair model {letter}" for letter in "ABCDEFGHIJ"]
    frame = pl.DataFrame({"Title": [*names, names[0], ""], "Price": ["$12.50"] * 12, "Made in": ["Porto"] * 12})
    mined = mine_tables(SHOP, 0, 5.0, harvest=harvested(frame))
    products = mined.frames["products"]
    assert products["title"].to_list() == names
    assert set(products["price"]) == {12.5}
    profile = mined.profile.table("products")
    assert profile.column("title").origin == profile.column("price").origin == "mined"
    assert profile.column("rating").origin == "simulated"
    assert mined.places["products"] == {key: ("found", key - 1) for key in range(1, 11)}


def test_a_harvest_of_few_rows_is_left() -> None:
    frame = pl.DataFrame({"Title": ["one chair", "two chairs"]})
    assert mine_tables(SHOP, 0, 5.0, harvest=harvested(frame)).frames["products"].height >= 40


@pytest.mark.parametrize("theme", [NOTES, FILE_SYSTEM, WEATHER, ISSUE_TRACKER], ids=lambda t: t.name)
def test_what_operations_write_is_operational(theme: Theme) -> None:
    profile = mine_tables(theme, 0, 5.0).profile
    kinds = {table.name: table.kind for table in profile.tables}
    assert {name for name, kind in kinds.items() if kind == "operational"} == {
        p.name for p in plan_tables(theme) if p.written
    }
    written = [column for t in profile.tables if t.kind == "operational" for column in t.columns]
    statuses = [column for column in written if column.name == "status"]
    assert statuses and all(not column.nullable and len(column.categories) >= 2 for column in statuses)
