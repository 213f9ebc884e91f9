"""Normalising: entities split off, chained, and joined back to what was read."""

import importlib.resources
import random
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.themes import TableRecipe
from tasks.mining.extraction import ExtractedTable, extract_table
from tasks.mining.relations.normalising import MOST_ENTITIES, normalise_table
from tasks.mining.relations.references import find_references


def extracted(frame: pl.DataFrame, folder: Path, name: str = "sales") -> ExtractedTable:
    frame.write_csv(folder / f"{name}.csv")
    return extract_table(TableRecipe(name=name, file=f"{name}.csv", normalise=True), folder / f"{name}.csv")


def joined_back(tables: list[ExtractedTable], columns: list[str]) -> pl.DataFrame:
    """Follow every reference from the last table, until all columns are back."""
    base, entities = tables[-1].frame, {table.key: table.frame for table in tables[:-1]}
    while waiting := [key for key in entities if key in base.columns]:
        key = waiting[0]
        base = base.join(entities.pop(key), on=key, how="left", maintain_order="left")
    assert not entities, f"nothing refers to {sorted(entities)}"
    return base.select(columns)


def sheet(seed: int, rows: int, ambiguous: bool = False, nulls: bool = False) -> pl.DataFrame:
    """Return sales of products (in kinds, in departments) to customers in cities of states of regions."""
    draw = random.Random(f"sales {seed}")
    kinds = {f"kind {i}": f"department {i % 3}" for i in range(6)}
    products = {f"P-{i}": (f"Product {chr(97 + i)}", draw.choice(sorted(kinds))) for i in range(12)}
    regions = {f"state {i}": f"region {i % 2}" for i in range(6)}
    places = [(f"city {i if not ambiguous else i % 9}", f"state {i % 6}") for i in range(12)]
    records = []
    for _ in range(rows):
        product, (city, state) = draw.choice(sorted(products)), draw.choice(places)
        name, kind = products[product]
        missing = nulls and draw.random() < 0.1
        record = {"product_id": product, "product_name": name, "kind": kind, "department": kinds[kind]}
        record = dict.fromkeys(record) if missing else record
        records.append(
            record | {"city": city, "state": state, "region": regions[state], "amount": draw.randrange(10**6)}
        )
    return pl.DataFrame(records, infer_schema_length=None)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 400), st.booleans(), st.booleans())
def test_joining_back_gives_what_was_read(seed, rows, ambiguous, nulls):
    frame = sheet(seed, rows, ambiguous, nulls)
    if rows == 0:
        frame = sheet(seed, 1).clear()
    with tempfile.TemporaryDirectory() as folder:
        table = extracted(frame, Path(folder))
    tables = normalise_table(table, set())
    assert joined_back(tables, table.frame.columns).equals(table.frame)
    for entity in tables[:-1]:
        assert entity.frame[entity.key].is_unique().all() and entity.frame[entity.key].null_count() == 0
        assert entity.rows_read == entity.frame.height and entity.split_from == "sales"
        assert set(entity.types) == set(entity.frame.columns)


def references(tables: list[ExtractedTable]) -> set[tuple[str, str, str]]:
    return {(r.table, r.foreign.column, r.foreign.to_table) for r in find_references({t.name: t for t in tables})}


@pytest.mark.parametrize("ambiguous", [False, True])
def test_hierarchies_chain(tmp_path, ambiguous):
    tables = normalise_table(extracted(sheet(1, 600, ambiguous), tmp_path), set())
    city = "city_id" if ambiguous else "city"
    assert references(tables) == {
        ("sales", "product_id", "products"),
        ("products", "kind", "kinds"),
        ("sales", city, "cities"),
        ("cities", "state", "states"),
    }
    columns = {table.name: table.frame.columns for table in tables}
    assert columns["kinds"] == ["kind", "department"]
    assert columns["states"] == ["state", "region"]
    assert columns["products"] == ["product_id", "product_name", "kind"]
    assert columns["cities"] == (["city_id", "city", "state"] if ambiguous else ["city", "state"])


def test_names_that_are_taken_are_avoided(tmp_path):
    tables = normalise_table(extracted(sheet(1, 600), tmp_path, "kinds"), {"states"})
    assert {table.name for table in tables} == {"kind_records", "products", "kind_states", "cities", "kinds"}


def test_what_refers_to_a_table_stays_and_is_no_new_one(tmp_path):
    tables = normalise_table(extracted(sheet(1, 600), tmp_path), set(), {"kind", "state"})
    assert {table.key for table in tables} == {"product_id", "city", "sale_id"}
    assert {"kind", "state"} <= set(tables[-1].frame.columns)


def test_dirt_is_told(tmp_path):
    frame = sheet(1, 2000).with_columns(
        region=pl.when(pl.int_range(pl.len()) == 3).then(pl.lit("typo")).otherwise("region")
    )
    table = normalise_table(extracted(frame, tmp_path), set())[-1]
    assert "region" in table.frame.columns
    assert "dependency: state decides region but for 1 of 2000 rows" in table.repairs


def test_an_entity_takes_words_and_units_along(tmp_path):
    frame = sheet(1, 300).select(
        "city", (pl.col("city").str.slice(5).cast(pl.Int64) * 7).alias("Altitude (m)"), "amount"
    )
    cities, sales = normalise_table(extracted(frame, tmp_path), set())
    assert (cities.units, cities.words["altitude"]) == ({"altitude": "metres"}, "altitude")
    assert sales.frame.columns == ["sale_id", "city", "amount"]


def test_a_sheet_is_not_left_in_shreds(tmp_path):
    draw = random.Random("shreds")
    pairs = {f"c{i}": f"d{i}" for i in range(12)}
    rows = []
    for _ in range(400):
        drawn = {key: draw.randrange(6) for key in pairs}
        rows.append({k: f"{k} {'abcdef'[v]}" for k, v in drawn.items()} | {pairs[k]: v % 3 for k, v in drawn.items()})
    assert len(normalise_table(extracted(pl.DataFrame(rows), tmp_path), set())) == MOST_ENTITIES + 1


def test_a_real_sheet_of_sales_gives_its_hierarchies():
    """SampleSuperstore of bokeh-sampledata: 9,994 sales, where Springfield is in six states."""
    folder = Path(str(importlib.resources.files("bokeh_sampledata"))) / "_data"
    recipe = TableRecipe(name="sales", file="SampleSuperstore.csv.gz", normalise=True)
    tables = normalise_table(extract_table(recipe, folder / "SampleSuperstore.csv.gz"), set())
    assert references(tables) == {
        ("sales", "sub_category", "sub_categories"),
        ("sales", "city_id", "cities"),
        ("cities", "state", "states"),
    }
    rows = {table.name: (table.frame.height, table.frame.columns) for table in tables}
    assert rows["sub_categories"] == (17, ["sub_category", "category"])
    assert rows["states"] == (49, ["state", "region"])
    assert rows["cities"] == (604, ["city_id", "city", "state"])
