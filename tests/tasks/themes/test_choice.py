"""Themes are chosen by name and number; a name that none has is answered with those near it."""

import pytest

from schemas.errors import UsageError
from schemas.themes import Theme
from tasks.themes.bundled import bundled_themes
from tasks.themes.choice import choose_themes

MANY = [bundled_themes()[0].model_copy(update={"name": f"theme_{chr(97 + n)}x"}) for n in range(26)]


def names(themes: list[Theme]) -> list[str]:
    return [theme.name for theme in themes]


def test_all_by_name_and_the_first_few() -> None:
    assert names(choose_themes(MANY[::-1], None, None)) == names(MANY)
    assert names(choose_themes(MANY[::-1], None, 2)) == ["theme_ax", "theme_bx"]
    assert names(choose_themes(MANY, None, 99)) == names(MANY)


def test_named_ones_once_and_in_order() -> None:
    assert names(choose_themes(MANY, ["theme_cx", "theme_ax", "theme_cx"], None)) == ["theme_ax", "theme_cx"]
    assert names(choose_themes(MANY, ["theme_cx", "theme_ax"], 1)) == ["theme_ax"]


def test_a_name_that_no_theme_has() -> None:
    with pytest.raises(UsageError, match="'basebal'. Choose from: baseball$"):
        choose_themes(bundled_themes(), ["basebal"], None)
    with pytest.raises(UsageError, match="'chess'. Choose from: theme_ax, .* and 6 more$"):
        choose_themes(MANY, ["chess"], None)
