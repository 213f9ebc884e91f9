"""The oracle against answers worked out by hand, and by plain Python over a drawn table."""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl
import pytest

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from tasks.authors.rules.unit_tests.oracle import Condition, Oracle

ROWS = [
    {"code": "A", "name": "North Field", "kind": "grass", "seats": 10},
    {"code": "B", "name": "South FIELD", "kind": "turf", "seats": None},
    {"code": "C", "name": "Dome", "kind": "grass", "seats": 30},
    {"code": "D", "name": "field of 10%", "kind": None, "seats": 10},
    {"code": "E", "name": "Arena", "kind": "turf", "seats": 20},
]


def oracle_over(rows: list[dict[str, Any]]) -> Oracle:
    column = {"nullable": True, "distinct": 5}
    profile = TableProfile(
        name="parks",
        singular="park",
        plural="parks",
        kind="reference",
        rows=len(rows),
        key="code",
        key_is_opaque=False,
        columns=[
            ColumnProfile(name="code", type="text", role="key", words="code", **column),
            ColumnProfile(name="name", type="text", role="label", words="name", **column),
            ColumnProfile(name="kind", type="text", role="category", words="surface", **column),
            ColumnProfile(name="seats", type="integer", role="measure", words="seats", **column),
        ],
    )
    frame = pl.DataFrame(rows, schema={"code": pl.String, "name": pl.String, "kind": pl.String, "seats": pl.Int64})
    return Oracle({"parks": frame}, WorldProfile(tables=[profile]))


def codes(rows: list[dict[str, Any]]) -> str:
    return "".join(row["code"] for row in rows)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("kind", "eq", "turf"), "BE"),
        (Condition("seats", "min", 20), "CE"),
        (Condition("seats", "max", 10), "AD"),
        (Condition("name", "contains", "FieLD"), "ABD"),
        (Condition("name", "contains", "0%"), "D"),
        (Condition("name", "contains", "."), ""),
    ],
)
def test_a_condition_is_inclusive_literal_blind_to_case_and_never_met_by_null(
    condition: Condition, expected: str
) -> None:
    assert codes(oracle_over(ROWS).page("parks", [condition]).rows) == expected


@pytest.mark.parametrize(("descending", "expected"), [(False, "ADECB"), (True, "CEADB")])
def test_nulls_come_last_both_ways_and_ties_go_by_ascending_key(descending: bool, expected: str) -> None:
    assert codes(oracle_over(ROWS).page("parks", [], "seats", descending).rows) == expected


@pytest.mark.parametrize(
    ("limit", "offset", "expected", "following"),
    [(2, 0, "AB", 2), (2, 3, "DE", None), (2, 2, "CD", 4), (2, 9, "", None)],
)
def test_a_page_knows_where_the_next_one_starts(limit: int, offset: int, expected: str, following: int | None) -> None:
    page = oracle_over(ROWS).page("parks", limit=limit, offset=offset)
    assert (codes(page.rows), page.total, page.next_offset) == (expected, 5, following)


def test_a_record_is_found_by_its_exact_key() -> None:
    assert oracle_over(ROWS).record("parks", "C") == ROWS[2]
    assert oracle_over(ROWS).record("parks", "c") is None


def test_a_group_leaves_nulls_out_of_its_value_but_not_out_of_its_rows() -> None:
    oracle = oracle_over(ROWS)
    assert oracle.groups("parks", [], "mean", "seats", "kind") == [
        {"group": "grass", "value": 20.0, "rows": 2},
        {"group": "turf", "value": 20.0, "rows": 2},
        {"group": None, "value": 10.0, "rows": 1},
    ]
    only_null = [Condition("code", "eq", "B")]
    assert oracle.groups("parks", only_null, "sum", "seats") == [{"group": None, "value": None, "rows": 1}]
    assert oracle.groups("parks", [], "count") == [{"group": None, "value": 5, "rows": 5}]


@pytest.mark.parametrize(("lowest", "expected"), [(False, "CEA"), (True, "ADE")])
def test_a_ranking_leaves_nulls_out_and_breaks_ties_by_key(lowest: bool, expected: str) -> None:
    assert codes(oracle_over(ROWS).ranking("parks", [], "seats", 3, lowest)) == expected


def test_plain_python_agrees_on_a_drawn_table() -> None:
    rng = Random("oracle")
    kinds = ["grass", "turf", None]
    rows = [
        {"code": f"P{i:03}", "name": "Park", "kind": rng.choice(kinds), "seats": rng.choice([None, *range(9)])}
        for i in range(200)
    ]
    page = oracle_over(rows).page(
        "parks", [Condition("seats", "min", 3), Condition("kind", "eq", "turf")], "seats", True, 7, 5
    )
    kept = [r for r in rows if r["kind"] == "turf" and r["seats"] is not None and r["seats"] >= 3]
    kept.sort(key=lambda r: (-r["seats"], r["code"]))
    assert (page.rows, page.total) == (kept[5:12], len(kept))
    totals: dict[str | None, int] = {}
    for row in rows:
        totals[row["kind"]] = totals.get(row["kind"], 0) + (row["seats"] or 0)
    groups = oracle_over(rows).groups("parks", [], "sum", "seats", "kind")
    assert {g["group"]: g["value"] for g in groups} == totals
