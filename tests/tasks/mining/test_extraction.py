"""Extraction: columns chosen and derived, rows given a key, every lost row counted."""

from pathlib import Path

import pytest

from schemas.errors import UsageError
from schemas.themes import DerivedColumn, TableRecipe
from tasks.mining.extraction import ExtractedTable, extract_table, singular_of, snake_case

CSV = """yearID,teamID,firstName,lastName,salary
2001,BOS,Ana,Ruiz,100
2000,BOS,Bo,Li,200
2000,BOS,Cy,Poe,300
1999,NYA,Di,,400
2002,,Ed,Fox,500
,SEA,Flo,Ray,600
"""


def extract(tmp_path: Path, **recipe) -> ExtractedTable:
    path = tmp_path / "rows.csv"
    path.write_text(CSV)
    return extract_table(TableRecipe(name="team_years", file="rows.csv", **recipe), path)


def test_an_empty_map_keeps_all_columns_in_snake_case(tmp_path):
    table = extract(tmp_path)
    assert table.frame.columns == ["team_year_id", "year_id", "team_id", "first_name", "last_name", "salary"]
    assert table.types["salary"] == "money"
    assert table.types["year_id"] == "integer"
    assert table.singular == "team year"


def test_a_surrogate_numbers_the_rows_of_the_file(tmp_path):
    table = extract(tmp_path, keep={"year_id": (2000, 2001)})
    assert table.frame["team_year_id"].to_list() == [1, 2, 3]
    assert (table.key, table.has_surrogate_key, table.key_is_opaque) == ("team_year_id", True, True)
    late = extract(tmp_path, keep={"salary": (300.0, 500.0)})
    assert late.frame["team_year_id"].to_list() == [3, 4, 5]


def test_rows_out_of_range_and_without_key_are_counted(tmp_path):
    table = extract(
        tmp_path,
        columns={"yearID": "year", "teamID": "team", "salary": "salary"},
        derived=[DerivedColumn(name="code", join=["year", "team"])],
        keep={"year": (2000, 2010)},
        key="code",
    )
    assert table.frame.columns == ["code", "year", "team", "salary"]
    assert table.frame.rows() == [("2000-BOS", 2000, "BOS", 200.0), ("2001-BOS", 2001, "BOS", 100.0)]
    assert (table.rows_read, table.rows_out_of_range, table.rows_without_key) == (6, 2, 2)
    assert table.key_is_opaque


def test_derived_columns_chain_are_typed_and_may_replace_their_parts(tmp_path):
    table = extract(
        tmp_path,
        columns={"yearID": "year", "teamID": "team", "firstName": "first", "lastName": "last"},
        derived=[
            DerivedColumn(name="month", join=["year", "year"], separator="/"),
            DerivedColumn(name="name", join=["first", "last"], separator=" "),
        ],
        drop=["first", "last", "month"],
    )
    assert table.frame["name"].to_list() == ["Ana Ruiz", "Bo Li", "Cy Poe", None, "Ed Fox", "Flo Ray"]
    assert "first" not in table.frame.columns and "month" not in table.types


def test_parts_of_a_date_become_a_date(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,m,d,h,s\n2013,1,5,5,7\n2013,12,31,,\n")
    derived = [
        DerivedColumn(name="day", join=["y", "m", "d"]),
        DerivedColumn(name="clock", join=["h", "s"], separator=":"),
        DerivedColumn(name="departure", join=["day", "clock"], separator="T"),
    ]
    table = extract_table(TableRecipe(name="trips", file="rows.csv", derived=derived), path)
    assert (table.types["day"], table.frame["day"].to_list()) == ("date", ["2013-01-05", "2013-12-31"])
    assert table.frame["departure"].to_list() == ["2013-01-05T05:07:00", None]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"columns": {"year": "year"}}, r"table team_years: .*rows\.csv has no column 'year'; it has yearID, teamID"),
        ({"key": "code"}, "has no column 'code'"),
        ({"label": "nick_name"}, "has no column 'nick_name'"),
        ({"keep": {"wage": (1, 2)}}, "has no column 'wage'"),
        ({"derived": [DerivedColumn(name="x", join=["year_id", "week"])]}, "has no column 'week'"),
        ({"keep": {"year_id": ("2000", "2001")}}, r"the range \['2000', '2001'\] of year_id does not fit Int64"),
        ({"keep": {"team_id": (1, 2)}}, "of team_id does not fit String"),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused(tmp_path, recipe, message):
    with pytest.raises(UsageError, match=message):
        extract(tmp_path, **recipe)


@pytest.mark.parametrize(
    ("plural", "singular"),
    [("flights", "flight"), ("categories", "category"), ("boxes", "box"), ("branches", "branch"), ("status", "status"),
     ("classes", "class"), ("sheep", "sheep"), ("glass", "glass")],
)  # fmt: skip
def test_singulars(plural, singular):
    assert singular_of(plural) == singular


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("UnitPrice (USD)", "unit_price_usd"),
        ("HTTPCode", "http_code"),
        ("2B", "2b"),
        ("größe", "größe"),
        (" % ", "column"),
    ],
)
def test_snake_case(theirs, ours):
    assert snake_case(theirs) == ours


def test_names_that_become_equal_are_told_apart(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("Total,total,TOTAL \n1,2,3\n")
    assert extract_table(TableRecipe(name="sums", file="rows.csv"), path).frame.columns[1:] == [
        "total",
        "total_2",
        "total_3",
    ]
