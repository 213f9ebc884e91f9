"""Extraction: columns chosen and derived, rows given a key, every lost row counted."""

from pathlib import Path

import pytest

from schemas.errors import UsageError
from schemas.themes import DerivedColumn, TableRecipe
from tasks.mining.extraction import ExtractedTable, extract_table

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


def test_names_that_become_equal_are_told_apart(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("Total,total,TOTAL \n1,2,3\n")
    assert extract_table(TableRecipe(name="sums", file="rows.csv"), path).frame.columns[1:] == [
        "total",
        "total_2",
        "total_3",
    ]


def read(tmp_path: Path, csv: str, name: str = "visits", **recipe) -> ExtractedTable:
    (tmp_path / "rows.csv").write_text(csv)
    return extract_table(TableRecipe(name=name, file="rows.csv", **recipe), tmp_path / "rows.csv")


def test_headers_give_words_and_units(tmp_path):
    table = read(tmp_path, "Visit ID,Height (cm),Entry fee ($),Class\n1,180,5,a\n2,170,6,b\n")
    assert table.frame.columns == ["visit_id", "height", "entry_fee", "visit_class"]
    assert table.units == {"height": "centimetres", "entry_fee": "dollars"}
    assert (table.types["entry_fee"], table.words["visit_class"]) == ("money", "class")
    said = read(tmp_path, "Visit ID,Height (cm)\n1,180\n", words={"height": "body height"}, units={"height": "inches"})
    assert (said.words["height"], said.units["height"]) == ("body height", "inches")


def test_columns_that_say_nothing_are_listed(tmp_path):
    table = read(tmp_path, ",name,comment\n1,Ana,\n2,Bo,\n3,Cy,NA\n")
    assert table.frame.columns == ["visit_id", "name"]
    assert [line.split(": ")[1] for line in table.columns_left_out] == ["row numbers", "empty"]


def test_mended_cells_and_composite_keys_are_told(tmp_path):
    rows = [f"{'ab'[i % 2]},{2000 + i // 2},{i if i else 'n.a.'}" for i in range(20)]
    table = read(tmp_path, "state,year,births\n" + "\n".join(rows) + "\n")
    assert table.repairs == (
        "typing: births: 1 cell that says 'n.a.' now null",
        "key: state and year together identify a row; visit_id numbers the rows",
    )


def test_ragged_rows_are_told_and_counted(tmp_path):
    table = read(tmp_path, "visit_id,name\n1,Ana\n2\n3,Cy\n")
    assert table.rows_read == table.frame.height + table.rows_unreadable + table.rows_without_key == 3
    assert any("ragged_row" in line for line in table.repairs)


@pytest.mark.parametrize("csv", ["visit_id,name\n", "visit_id,name\n1,Ana\n"])
def test_tables_of_no_row_or_one_have_all_their_columns(tmp_path, csv):
    table = read(tmp_path, csv)
    assert {"visit_id", "name"} <= set(table.frame.columns)
    assert table.rows_read == table.frame.height == csv.count("\n") - 1


def test_a_day_in_three_columns_is_a_date_too(tmp_path):
    table = read(tmp_path, "year,month,date_of_month,births\n2000,1,31,7\n2001,2,1,8\n")
    assert table.frame["date"].to_list() == ["2000-01-31", "2001-02-01"]
    assert table.types["date"] == "date"
    assert "date" not in read(tmp_path, "year,month,day\n2000,13,31\n2001,2,1\n").types


def test_different_texts_without_a_header_are_names(tmp_path):
    assert read(tmp_path, ",age\nAna,5\nBo,6\n").frame.columns == ["visit_id", "name", "age"]
    assert read(tmp_path, ",name\nAna,a\nBo,b\n").frame.columns == ["visit_id", "column_1", "name"]
