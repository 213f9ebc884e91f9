"""Promotion: tables of different files, linked by the names they share."""

from pathlib import Path

from schemas.themes import TableRecipe
from tasks.mining.extraction import ExtractedTable, extract_table
from tasks.mining.relations.promotion import promote_labels
from tasks.mining.relations.references import find_references

COUNTRIES = ["Chile", "Peru", "Norway", "Kenya", "Japan", "Ghana"]


def tables(folder: Path, **csvs: str) -> dict[str, ExtractedTable]:
    found = {}
    for name, csv in csvs.items():
        (folder / f"{name}.csv").write_text(csv)
        found[name] = extract_table(TableRecipe(name=name, file=f"{name}.csv"), folder / f"{name}.csv")
    return found


def csv(header: str, rows: list[str]) -> str:
    return "\n".join([header, *(f"{row},{i}" for i, row in enumerate(rows))]) + "\n"


def test_a_label_that_others_name_becomes_the_key(tmp_path):
    world = tables(
        tmp_path,
        drinks=csv("country,beer", COUNTRIES),
        matches=csv("host,goals", [*COUNTRIES[:4], *COUNTRIES[:4]]),
    )
    promoted = promote_labels(world)
    drinks = promoted["drinks"]
    assert (drinks.key, drinks.key_is_opaque, drinks.frame.columns) == ("country", False, ["country", "beer"])
    assert drinks.frame["country"].is_sorted() and list(promoted) == list(world)
    [reference] = find_references(promoted)
    assert (reference.table, reference.foreign.column, reference.foreign.to_table) == ("matches", "host", "drinks")


def test_of_two_that_name_each_other_the_larger_is_promoted(tmp_path):
    world = promote_labels(
        tables(tmp_path, drinks=csv("country,beer", COUNTRIES), fans=csv("country,share", COUNTRIES[:4]))
    )
    assert (world["drinks"].key, world["fans"].key) == ("country", "fan_id")


def test_labels_that_nobody_names_and_doubled_ones_stay(tmp_path):
    world = tables(tmp_path, drinks=csv("country,beer", COUNTRIES), cars=csv("model,power", ["a4", "b5", "c6", "d7"]))
    assert promote_labels(world)["drinks"].key == "drink_id"
    doubled = tables(
        tmp_path, drinks=csv("country,beer", [*COUNTRIES * 4, "Chile"]), fans=csv("country,share", COUNTRIES)
    )
    assert promote_labels(doubled)["drinks"].key == "drink_id"


def test_a_label_that_others_name_better_stays_a_label(tmp_path):
    world = tables(
        tmp_path,
        drinks=csv("country,beer", COUNTRIES),
        wines=csv("nation,share", [*COUNTRIES, "Spain"]),
        matches=csv("country,goals", [*COUNTRIES[:4], *COUNTRIES[:4]]),
    )
    promoted = promote_labels(world)
    referred = {reference.foreign.to_table for reference in find_references(promoted)}
    assert {name for name, table in promoted.items() if not table.has_surrogate_key} == referred
