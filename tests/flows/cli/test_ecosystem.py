"""rounds, backlog, taxonomy: on a warehouse filled by hand, with a helpful no for what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.discovering import Discovery, Refused, store_discovery
from schemas.errors import UsageError
from schemas.settings import Settings
from schemas.themes import Merge
from tasks.mining.sources import fingerprint
from tasks.themes.bundled import bundled_themes
from warehouse.rows import Stamp

STAMP = Stamp(run_id="run_1", code_version="1", seed=0, author="rules")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three bundled themes on the backlog, one merged and one refused."""
    home = tmp_path_factory.mktemp("ecosystem")
    themes = [theme for theme in bundled_themes() if theme.name in ("baseball", "music_store", "seattle_weather")]
    merge = Merge(merged_name="songs", merged_address="x.jsonl#1", theme_id=themes[0].id, rule="name", similarity=1.0)
    found = Discovery(
        themes=themes,
        merges=[merge],
        refusals=[Refused("x.jsonl#2", "no_tools", "the server lists no tools")],
        sources=[source for theme in themes for source in fingerprint(theme)],
    )
    for _ in range(2):  # a second time adds nothing
        store_discovery(Settings(home=home), found, "a test", STAMP)
    return home


def run(home: Path, *arguments: str) -> Any:
    ended = CliRunner().invoke(app, [*arguments, "--home", str(home)])
    if ended.exception and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended


def test_what_waits_is_listed_in_the_planners_order(home: Path) -> None:
    waiting = json.loads(run(home, "backlog", "--json").output)
    assert sorted(row["theme_name"] for row in waiting) == ["baseball", "music_store", "seattle_weather"]
    assert {row["wants"] for row in waiting} == {"environment"}
    levels = [row["level1"] for row in waiting]
    assert levels[0] != levels[1], "one of each class before the second of one"
    assert "factory expand --backlog --n 10" in run(home, "backlog").output


def test_an_empty_backlog_says_how_to_fill_it(tmp_path: Path) -> None:
    store_discovery(Settings(home=tmp_path), Discovery([], [], [], []), "nothing", STAMP)
    assert "factory discover" in run(tmp_path, "backlog").output


def test_the_ecosystem_counts_in_status(home: Path) -> None:
    figures = json.loads(run(home, "status", "--json").output)
    assert figures["themes"] == {"in": 3, "merged": 1, "rejected": 1}
    assert len(figures["classes"]) == 20 and figures["formats"] == {"sqlite": 0}


def test_a_correction_is_kept_and_shown(home: Path) -> None:
    ended = run(home, "taxonomy", "set", "baseball", "News & Trends", "--level2", "News Aggregation & Feeds")
    assert ended.output == "baseball is in News & Trends, News Aggregation & Feeds.\n"
    rows = json.loads(run(home, "taxonomy", "show", "--json").output)
    (corrected,) = [row for row in rows if row["by_a_person"]]
    assert (corrected["level1"], corrected["level2"]) == ("News & Trends", "News Aggregation & Feeds")
    assert sum(row["themes"] for row in rows) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("taxonomy", "set", "basebal", "News & Trends"), "no theme is called 'basebal'. Choose from: baseball"),
        (("taxonomy", "set", "baseball", "News"), "no first-level class is called 'News'. Choose from: News & Trends"),
        (
            ("taxonomy", "set", "baseball", "News & Trends", "--level2", "Stock & Equity Data"),
            "no class under News & Trends is called",
        ),
        (("rounds", "nowhere"), "no environment nowhere. Choose one from: factory sql --named environments"),
    ],
)
def test_mistakes_name_what_is_near(home: Path, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as error:
        run(home, *arguments)
    assert message in str(error.value)
