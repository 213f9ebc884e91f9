"""docs/themes.md says what the bundled themes are: its table is made of the themes and what they give."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

from flows.cli.discover import discover
from schemas.themes import DerivedColumn, OverlayChoice, TableRecipe, Theme
from tasks.themes.bundled import bundled_themes
from tasks.themes.findings import REASONS
from tasks.themes.merging import Rule
from tests.tasks.themes.mined import mined

PAGE = (Path(__file__).parents[3] / "docs" / "themes.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return one section of the page."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def cells(text: str) -> list[list[str]]:
    """Return a table's rows without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_theme_stands_with_its_figures() -> None:
    expected = []
    for theme in bundled_themes():
        tables = mined(theme.name).profile.tables
        figures = [len(tables), sum(len(table.foreign_keys) for table in tables), sum(table.rows for table in tables)]
        package = f"{theme.package} {theme.version}"
        expected.append(
            [f"`{theme.name}`", theme.title, package, theme.licence, *(f"{figure:,}" for figure in figures)]
        )
    lines = "\n".join(f"| {' | '.join(row)} |" for row in expected)
    assert cells(section("The bundled themes")) == expected, f"write these rows:\n{lines}"


def test_every_option_of_a_theme_is_explained() -> None:
    options = section("A theme of your own")
    for model in (Theme, TableRecipe, DerivedColumn, OverlayChoice):
        for name in set(model.model_fields) - {"kind"}:
            assert f"`{name}`" in options, f"{model.__name__}.{name}"


def test_the_example_is_a_theme() -> None:
    example = section("A theme of your own").split("```toml")[1].split("```")[0]
    assert Theme.model_validate(tomllib.loads(example)).tables


def test_every_reason_of_refusal_and_rule_of_merging_is_explained() -> None:
    reasons = [row[0].strip("`") for row in cells(section("What becomes of a source"))]
    assert reasons == list(REASONS)
    for rule in get_args(Rule):
        assert f"`{rule}`" in section("What becomes of a source")


def test_every_kind_of_source_has_its_command() -> None:
    commands = {row[1].strip("`").split()[2] for row in cells(section("Where themes come from"))}
    assert commands == {command.callback.__name__ for command in discover.registered_commands if command.callback}
