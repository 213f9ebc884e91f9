"""docs/web.md names every setting, provider, limit, kind and outcome, with the values that the code has."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import get_args

from schemas.settings import SearchSettings
from tasks.mining.browsing import rendering
from tasks.mining.browsing.budget import PageLimits
from tasks.mining.browsing.manners import USER_AGENT
from tasks.mining.research.coverage import ENOUGH_FIELDS, ENOUGH_ROWS
from tasks.mining.research.extraction.found import Kind
from tasks.mining.research.harvest import TrailEntry
from tasks.mining.search.frontier import BARREN
from tasks.mining.search.site import STEP

PAGE = (Path(__file__).parents[4] / "docs" / "web.md").read_text("utf-8")


def first_cells(title: str) -> list[str]:
    """Return the first column of a section's table."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [line.strip("|").split("|")[0].strip() for line in lines]


def test_settings_and_providers() -> None:
    expected = {f"`FACTORY_SEARCH__{name.upper()}`" for name in SearchSettings.model_fields} | {"`FACTORY_BROWSER`"}
    assert set(first_cells("Settings")) == expected
    providers = get_args(get_args(SearchSettings.model_fields["providers"].annotation)[0])
    assert first_cells("Providers") == [f"`{name}`" for name in providers]


def test_kinds_and_outcomes() -> None:
    assert first_cells("What is read") == [f"`{kind}`" for kind in get_args(Kind)]
    outcomes = get_args(TrailEntry.model_fields["outcome"].annotation)
    assert first_cells("How values are traced") == [f"`{outcome}`" for outcome in outcomes]


def test_limits() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    for limit in fields(PageLimits):
        line = next(line for line in lines if line.startswith(f"| `{limit.name}`"))
        assert f"{int(getattr(PageLimits(), limit.name)):,}" in line
    assert f"then {int(rendering._GRACE_S)} more" in PAGE and f"still for {rendering._QUIET_MS} ms" in PAGE
    assert f"{BARREN} last pages" in PAGE and f"{STEP} links a search" in PAGE
    assert f"column with {ENOUGH_ROWS}" in PAGE and ENOUGH_FIELDS == 0.5
    assert USER_AGENT in PAGE
