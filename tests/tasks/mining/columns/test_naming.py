"""Names: legal everywhere, unique, and telling; words that stand in a sentence."""

import keyword
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.columns.naming import (
    LONGEST_NAME,
    LONGEST_WORDS,
    SQL_RESERVED,
    TOOL_PARAMETERS,
    Named,
    name_columns,
    name_tables,
    plural_of,
    row_noun,
    singular_of,
    snake_case,
)

headers = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(
            [*sorted(SQL_RESERVED), *sorted(TOOL_PARAMETERS), "def", "None", "2B", "🍕", "数量", "%", "a b"]
        ),
    ),
    max_size=12,
    unique=True,
)


def named(header: str, singular: str = "ticket") -> Named:
    return name_columns([header], singular, [header])[header]


@settings(max_examples=200, deadline=None)
@given(headers, st.sampled_from(["ticket", "team season", "Größe", "a very long noun for every single row of it"]))
def test_every_header_gets_a_legal_name_of_its_own(texts, singular):
    found = name_columns(texts, singular, texts)
    names = [naming.name for naming in found.values()]
    assert len(set(names)) == len(texts)
    for naming in found.values():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", naming.name) and len(naming.name) <= LONGEST_NAME
        assert not keyword.iskeyword(naming.name)
        assert naming.name not in SQL_RESERVED | TOOL_PARAMETERS
        assert naming.words.strip() and "\n" not in naming.words


@pytest.mark.parametrize(
    ("header", "name", "words", "unit"),
    [
        ("class", "ticket_class", "class", None),
        ("limit", "ticket_limit", "limit", None),
        ("Order", "ticket_order", "order", None),
        ("2B", "ticket_2b", "2b", None),
        ("2010", "year_2010", "value in 2010", None),
        ("größe", "grosse", "größe", None),
        ("国家名", "guo_jia_ming", "国家名", None),
        ("🍕 slices", "pizza_slices", "pizza slices", None),
        ("UnitPrice (USD)", "unit_price", "unit price", "dollars"),
        ("Population (millions)", "population", "population", "millions"),
        ("weight_kg", "weight", "weight", "kilograms"),
        ("% change", "percent_change", "percent change", None),
        ("#Shows", "number_of_shows", "number of shows", None),
        ("GDP per capita", "gdp_per_capita", "GDP per capita", None),
        ("Form.Fed", "form_fed", "form fed", None),
        ("What is your age group?", "age_group", "age group", None),
        ("Colour (please select one)", "colour", "colour", None),
        ("Gender / Response", "gender", "gender", None),
        ("How tall are you?", "how_tall_are_you", "answer to 'how tall are you'", None),
        ("", "ticket_column", "ticket column", None),
        (" \n ", "ticket_column", "ticket column", None),
    ],
)
def test_known_headers(header, name, words, unit):
    assert named(header) == Named(name, words, unit)


def test_a_unit_is_taken_out_of_numbers_alone():
    assert name_columns(["Price in USD"], "trip", [])["Price in USD"] == Named("price_in_usd", "price in USD")


def test_long_headers_are_told_apart_by_what_they_do_not_share():
    start = "Please rate how much you like the traditional cuisine of "
    found = name_columns([f"{start}{country}." for country in ("Chile", "Peru", "South Korea")], "answer")
    assert [naming.name for naming in found.values()] == ["chile", "peru", "south_korea"]
    assert found[f"{start}Peru."].words == "answer to 'how much you like the traditional cuisine of Peru'"


def test_long_headers_are_cut_at_a_word():
    header = "Losses incurred by insurance companies for collisions per insured driver and year of the contract ($)"
    found = named(header)
    assert found.name == "losses_incurred_insurance_companies"
    assert found.words in header.lower() and len(found.words) <= LONGEST_WORDS
    assert found.unit == "dollars"


@pytest.mark.parametrize(
    ("stems", "names"),
    [
        (["airline-safety"], ["airline_safety_records"]),
        (["candy-data", "drinks"], ["candies", "drinks"]),
        (["births_1994-2003_CDC", "births_2000-2014_SSA"], ["births_1994_2003", "births_2000_2014"]),
        (["2014-average-ticket-price"], ["average_ticket_prices"]),
        (["solutions", "solutions-2"], ["solutions", "solutions_2"]),
        (["KIND"], ["kind_records"]),
        (["Order Details", "Orders"], ["order_details", "orders"]),
        (["数据"], ["shu_ju_records"]),
        (["2015"], ["records"]),
        (["values"], ["values_records"]),
    ],
)
def test_tables(stems, names):
    assert list(name_tables(stems).values()) == names


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=50), max_size=8, unique=True))
def test_every_file_gives_a_legal_table_of_its_own(stems):
    names = list(name_tables(stems).values())
    assert len(set(names)) == len(stems)
    for name in names:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name) and len(name) <= LONGEST_NAME and name not in SQL_RESERVED


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("flights", "flight"),
        ("categories", "category"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("status", "status"),
        ("classes", "class"),
        ("sheep", "sheep"),
        ("glass", "glass"),
        ("movies", "movie"),
        ("team_people", "team_person"),
        ("series", "series"),
    ],
)
def test_singulars(plural, singular):
    assert singular_of(plural) == singular


@pytest.mark.parametrize(
    "noun", ["flight", "category", "box", "branch", "movie", "person", "day", "team_season", "genre", "status"]
)
def test_plurals_lead_back(noun):
    assert singular_of(plural_of(noun)) == noun


def test_rows_of_numbered_tables():
    assert row_noun("us_births_1994_2003") == "us birth 1994 2003"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("UnitPrice (USD)", "unit_price_usd"),
        ("HTTPCode", "http_code"),
        ("2B", "2b"),
        ("größe", "grosse"),
        ("*", "column"),
    ],
)
def test_snake_case(theirs, ours):
    assert snake_case(theirs) == ours
