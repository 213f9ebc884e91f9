"""Which column fits which field, by name, values and table; what is asked next for what is missing."""

from __future__ import annotations

import polars as pl

from schemas.themes import Entity, EntityField, Theme
from tasks.mining.research.coverage import judge_coverage, uncovered
from tasks.mining.research.harvest import HarvestedTable
from tasks.mining.research.queries import QueryPlan


def field(name: str, kind: str = "text", **more: object) -> EntityField:
    return EntityField.model_validate({"name": name, "type": kind, "words": name.replace("_", " "), **more})


def theme(*entities: Entity) -> Theme:
    return Theme(
        name="t", title="Clinic", description="A clinic.", kind="requirements", package="p", version="1",
        licence="", tables=[], entities=list(entities),
    )  # fmt: skip


def entity(name: str, singular: str, *fields: EntityField, queries: tuple[str, ...] = ()) -> Entity:
    return Entity(name=name, singular=singular, plural=name, fields=list(fields), queries=list(queries))


def table(name: str, rows: int = 30, /, **columns: object) -> HarvestedTable:
    values = {header: [str(value).format(n=n) for n in range(rows)] for header, value in columns.items()}
    frame = pl.DataFrame(values, schema=dict.fromkeys(values, pl.String))
    return HarvestedTable(name, name, "table", frame, ("http://h/",) * rows, ("row",) * rows)


DOCTORS = entity(
    "doctors", "doctor", field("doctor_id", "integer"), field("name"), field("email"), field("born", "date")
)


def test_columns_by_name_synonym_own_name_and_unit() -> None:
    towns = entity("towns", "town", field("name"), field("latitude", "number"), field("elevation", "number"))
    (name, latitude, elevation) = judge_coverage(
        theme(towns), [table("places", **{"Town": "T{n}", "Lat.": "{n}.5", "Elevation (ft)": "{n}"})]
    )
    assert (name.column, latitude.column, elevation.column) == ("Town", "Lat.", "Elevation (ft)")
    assert name.rows == 30 and latitude.score == 1.0


def test_values_that_cannot_be_the_fields_do_not_fit() -> None:
    held = judge_coverage(theme(DOCTORS), [table("doctors", Name="D{n}", Born="in Paris", Email="d{n}@h.org")])
    assert {c.field: c.column for c in held} == {"doctor_id": None, "name": "Name", "email": "Email", "born": None}


def test_columns_of_any_topic_do_not_make_a_table_the_entitys() -> None:
    assert all(c.table is None for c in judge_coverage(theme(DOCTORS), [table("films", name="F{n}", description="x")]))
    assert judge_coverage(theme(DOCTORS), [table("doctors", name="F{n}", description="x")])[1].table == "doctors"


def test_all_fields_of_an_entity_come_from_one_table() -> None:
    some, whole = table("doctors", name="A{n}"), table("staff doctors", name="B{n}", email="e{n}", born="1990-01-01")
    assert {c.table for c in judge_coverage(theme(DOCTORS), [some, whole])} == {"staff doctors", None}


def test_listed_values_show_what_a_column_is() -> None:
    pets = entity("pets", "pet", field("animal_species", values=["dog", "cat"]), field("weight", "number"))
    held = judge_coverage(theme(pets), [table("pets", Species="Dog", Weight="{n}")])
    assert [c.column for c in held] == ["Species", "Weight"]


def test_enough_rows_and_fields_cover_an_entity() -> None:
    full = judge_coverage(theme(DOCTORS), [table("doctors", 30, name="A{n}", email="e{n}")])
    few = judge_coverage(theme(DOCTORS), [table("doctors", 6, name="A{n}", email="e{n}")])
    assert uncovered(theme(DOCTORS), full) == {}
    assert uncovered(theme(DOCTORS), few) == {"doctors": ["name", "email", "born"]}


def test_queries_go_from_the_given_ones_to_fields_and_headings_each_once() -> None:
    asked = QueryPlan(
        theme(entity("doctors", "doctor", *DOCTORS.fields, queries=("physicians of hospitals",)), DOCTORS)
    )
    rounds = []
    while queries := asked.next_round({"doctors": ["name", "email"]}, ["Staff of St Mary"]):
        rounds += queries
    assert rounds[0] == "physicians of hospitals" and rounds[1] == "doctors list"
    assert "Clinic doctors" in rounds and "doctor email" in rounds and "Staff of St Mary doctors" in rounds
    assert len(rounds) == len({query.lower() for query in rounds})
    assert QueryPlan(theme()).next_round({}, []) == ["Clinic"]
