import io
import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from schemas.quality import QualityResult
from tasks.authors.rules.author import RulesAuthor
from tasks.mining.environments import build_environment
from tasks.mining.quality.gate import judge_world, refusal
from tasks.mining.tables import mine_tables
from tasks.mining.worlds import propose_world
from tasks.themes.bundled import bundled_themes
from tests.tasks.mining.quality.conftest import SALES, MakeWorld

ROOT = Path(__file__).resolve().parents[4]


def test_a_sound_world_passes_everything(make_world: MakeWorld) -> None:
    results = make_world("bookings").judge()
    assert [result for result in results if not result.passed] == []
    assert refusal(results) is None
    assert {result.suite for result in results} == {"table", "invariant"}
    assert {"regions", "shops", "sales", "bookings", "seat_inventory"} <= {result.table for result in results}


def test_results_are_the_same_each_time(make_world: MakeWorld) -> None:
    world = make_world("service_tickets")
    broken = {"shops": world.frames["shops"].with_columns(note=pl.lit("Ã©"))}
    assert world.judge(broken) == world.judge(broken)


def test_four_threads_find_what_one_finds(make_world: MakeWorld) -> None:
    world = make_world("purchase_orders")
    frames = [
        {"shops": world.frames["shops"].with_columns(note=pl.lit(note))}
        for note in ("Ã©", "N/A", " padded", "<b>x</b>")
    ]
    alone = [world.judge(each) for each in frames]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(world.judge, frames))
    assert together == alone
    assert len({tuple(r.expectation for r in results if not r.passed) for results in alone}) == 4


def test_a_refusal_names_what_failed_with_figures() -> None:
    def result(name: str, severity: str, passed: bool) -> QualityResult:
        return QualityResult.model_validate(
            {"suite": "table", "table": "shops", "column": "shop_id", "expectation": name, "severity": severity,
             "passed": passed, "checked": 60, "unexpected": 0 if passed else 3}
        )  # fmt: skip

    warned = [result("odd", "warning", False), result("fine", "critical", True)]
    assert refusal(warned) is None
    assert (
        refusal([*warned, result("unique", "critical", False)])
        == "1 critical expectation failed: shops.shop_id unique (3 of 60)"
    )
    many = refusal([result(f"e{i}", "critical", False) for i in range(9)])
    assert many is not None and "9 critical expectations failed" in many and many.endswith("; and 4 more")
    assert "\n" not in many


def test_a_world_without_rows_is_refused(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    results = world.judge({name: frame.clear() for name, frame in world.frames.items()})
    failed = {result.expectation for result in results if not result.passed}
    assert "expect_world_to_have_rows" in failed
    assert "expect_table_row_count_to_equal" in failed
    assert refusal(results) is not None


def test_a_missing_frame_is_an_error_of_the_caller(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    with pytest.raises(KeyError, match="sales"):
        judge_world(world.profile, {"shops": world.frames["shops"], "regions": world.frames["regions"]}, world.database)


def test_rows_looked_at_are_counted(make_world: MakeWorld) -> None:
    results = make_world("bookings").judge()
    unique = [r for r in results if r.expectation == "expect_column_values_to_be_unique" and r.table == "sales"]
    assert [(r.column, r.checked, r.unexpected) for r in unique] == [("sale_id", SALES, 0)]


def test_nothing_is_said_beside_the_results(make_world: MakeWorld, capfd: pytest.CaptureFixture[str]) -> None:
    world = make_world("bookings")
    heard = io.StringIO()
    listener = logging.StreamHandler(heard)
    root = logging.getLogger()
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.DEBUG)
    try:
        world.judge({"shops": world.frames["shops"].with_columns(shop_name=pl.lit(1))})
    finally:
        root.removeHandler(listener)
        root.setLevel(before)
    assert heard.getvalue() == ""
    assert capfd.readouterr() == ("", "")


def test_the_door_opens_at_the_first_call() -> None:
    program = "import sys, tasks.mining.quality.gate; print({'great_expectations', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "set()", done.stderr


@pytest.mark.parametrize("theme", bundled_themes(), ids=lambda theme: theme.name)
def test_bundled_themes_are_not_refused(theme, tmp_path: Path) -> None:
    author, path = RulesAuthor(), tmp_path / "world.db"
    world = propose_world(author, theme, mine_tables(theme, 0, 2.0), 0)
    environment = build_environment(world, theme, author.name, 0, path)
    results = judge_world(environment.profile, world.frames, path, environment.operations, environment.clock_start)
    assert refusal(results) is None
    scopes = {result.table for result in results if result.suite == "invariant"}
    assert {table.name for table in environment.profile.tables} <= scopes
