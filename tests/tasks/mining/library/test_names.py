"""Names of themes and tables are legal, unique, and say what they name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.mining.columns.naming import name_tables
from tasks.mining.library.names import is_slug, member_stem, name_themes, table_stem, theme_name, title_of


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("nba-draft-2015", "nba_draft_2015"),
        ("2015 nba draft", "nba_draft_2015"),
        ("2017", "data_2017"),
        ("Übersicht Straße", "ubersicht_strasse"),
        ("天気", "tian_qi"),
        ("SalesData", "sales_data"),
    ],
)
def test_theme_names(folder, name):
    assert theme_name([folder]) == name


def test_equal_folders_are_told_apart_by_their_parents():
    assert name_themes(["a/sales", "b/sales", "c/stock"]) == {
        "a/sales": "a_sales",
        "b/sales": "b_sales",
        "c/stock": "stock",
    }
    assert name_themes(["x/2017", "y/2017"]) == {"x/2017": "x_2017", "y/2017": "y_2017"}
    assert len(set(name_themes(["a-b", "a_b", "a b"]).values())) == 3


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=60), min_size=1, max_size=3)
    )
)
def test_any_folders_give_legal_unique_names(folders):
    names = name_themes("/".join(parts) for parts in folders)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name) for name in names.values())
    assert len(set(names.values())) == len(names)


@pytest.mark.parametrize(
    ("stem", "headers", "table"),
    [
        ("airline-safety", ["airline"], "airline_safety_records"),
        ("show-data", ["show"], "shows"),
        ("majors-list", ["code"], "majors"),
        ("StarWars", ["RespondentID", "Have you seen any?"], "star_wars_responses"),
        ("steak-risk-survey", ["RespondentID"], "steak_risk_responses"),
        ("x", ["id"], "town_hall_records"),
        ("raw_data", ["id"], "town_hall_records"),
        ("sandy-calls-by-day", ["date"], "sandy_call_days"),
        ("town-hall", ["id"], "town_hall_records"),
        ("jets-buyer", ["state"], "jets_buyers"),
    ],
)
def test_tables_are_named_by_what_they_count(stem, headers, table):
    words = table_stem(stem, "town-hall", headers)
    assert name_tables([words])[words] == table


def test_members_name_their_tables_where_they_say_something():
    assert member_stem("book", None, 1) == "book"
    assert member_stem("book", "Sheet1", 1) == "book"
    assert member_stem("book", "Sheet2", 2) == "book Sheet2"
    assert member_stem("chinook", "InvoiceLine", 11) == "InvoiceLine"
    assert member_stem("all", "tables/prices.csv", 2) == "prices"
    assert member_stem("films", "response.results", 2) == "films"
    assert member_stem("films", "results[].cast[]", 2) == "cast"
    assert member_stem("films", "shops", 2) == "shops"
    assert member_stem("all", "book.xlsx#Prices", 2) == "Prices"


def test_titles():
    assert title_of("fight-songs") == "Fight songs"
    assert is_slug("foul-balls") and not is_slug("Riddler - Solutions") and not is_slug("FIFA")
