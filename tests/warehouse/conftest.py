"""Warehouses that hold the bakery: one theme, one environment with two tools, two tasks."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from schemas.environments import Environment
from schemas.proofs import Admission, Flag
from schemas.rounds import Guideline
from schemas.taxonomy import Classification
from schemas.themes import Merge
from tasks.authors.llm.judge.calibration import Calibration
from tests.warehouse.bakery import (
    INTENTS,
    MEASURES,
    PROOF,
    build_calls,
    build_contributions,
    build_edges,
    build_environment,
    build_outcomes,
    build_rejection,
    build_results,
    build_rounds,
    build_sources,
    build_step,
    build_task,
    build_tests,
    build_theme,
    build_tools,
)
from tests.warehouse.evaluated import fill_arena
from warehouse.rows import (
    Stamp,
    save_backlog,
    save_classes,
    save_correction,
    save_environment,
    save_judge_calibration,
    save_merges,
    save_model_calls,
    save_round,
    save_run_environments,
    save_tasks,
    save_themes,
    save_tools,
    save_value_sources,
)
from warehouse.store import Warehouse


def fill_models(warehouse: Warehouse, stamp: Stamp) -> None:
    """Store what models did, and how far one can be trusted as a judge."""
    save_model_calls(warehouse, build_calls(), build_contributions(), stamp)
    counts = {"items": 20, "yes_yes": 10, "yes_no": 0, "no_yes": 6, "no_no": 4, "refused": 0}
    save_judge_calibration(
        warehouse, Calibration(model="small", agreement=0.7, floor=0.9, accepted=False, **counts), stamp
    )


def fill(warehouse: Warehouse, stamp: Stamp, name: str = "bakery", seed: int = 0) -> Environment:
    """Store a whole line for one theme: 2 tools kept and 1 refused, 3 tasks kept and 2 refused, a round refused."""
    theme = build_theme(name)
    sources = build_sources(theme)
    environment = build_environment(theme, seed)
    save_themes(warehouse, [theme], sources, [build_step(theme)], stamp)
    save_environment(warehouse, environment, sources, build_results(), stamp)
    save_run_environments(warehouse, {theme.id: environment.id}, stamp)
    _, refused_round = build_rounds(environment)
    save_round(warehouse, theme.id, refused_round, Guideline(), None, [], [], stamp)
    save_value_sources(
        warehouse, environment.id, [("loaves", "1", "https://loaves.example/1", "table 1, row 2")], stamp
    )
    refused_tool = build_rejection("build_tools", "tool", seed, "tool_tests_failed", environment_id=environment.id)
    save_tools(warehouse, environment.id, "source", build_tools(), build_tests(), build_outcomes(), build_edges(),
               [refused_tool], MEASURES, INTENTS, stamp)  # fmt: skip
    pairs = [build_task(environment, 1), build_task(environment, 2), build_task(environment, 3, "programmatic")]
    refused = [build_rejection("synthesize", "task", number, environment_id=environment.id) for number in (7, 8)]
    flag = Flag(
        subject_kind="task", subject_id=pairs[2][0].id, kind="contaminated", what="retail", evidence="", score=1
    )
    save_tasks(warehouse, environment.id, [Admission(*pair, PROOF) for pair in pairs], refused, [flag], stamp)
    return environment


def fill_ecosystem(warehouse: Warehouse, stamp: Stamp) -> None:
    """Store a theme that waits, one that was merged into it, and places in the taxonomy, one corrected."""
    waiting = build_theme("kiosk")
    save_themes(warehouse, [waiting], build_sources(waiting), [], stamp)
    save_backlog(warehouse, [waiting], "/data", "discovered in a test", stamp)
    merge = Merge(
        merged_name="stall", merged_address="stalls.jsonl#2", theme_id=waiting.id, rule="tools", similarity=0.9
    )
    save_merges(warehouse, [merge], stamp)
    place = Classification(theme_name="bakery", level1="Document & Design", confidence=0.4, runner_up="News & Trends")
    save_classes(warehouse, [place, place.model_copy(update={"theme_name": "kiosk"})], stamp)
    save_correction(warehouse, Classification(theme_name="bakery", level1="Finance & Markets"), stamp)


def fill_evaluation(warehouse: Warehouse, stamp: Stamp) -> None:
    """Store an arena round over two fresh tasks of the bakery."""
    environment = build_environment(build_theme())
    proven, unproven = build_task(environment, 21), build_task(environment, 22, "programmatic")
    pairs = [proven, (unproven[0].model_copy(update={"assurance": None}), unproven[1])]
    fill_arena(warehouse, stamp, environment, [Admission(*pair, PROOF) for pair in pairs])


@pytest.fixture(scope="session")
def samples() -> SimpleNamespace:
    """The builders of the bakery."""
    return SimpleNamespace(
        proof=PROOF,
        theme=build_theme,
        sources=build_sources,
        environment=build_environment,
        tools=build_tools,
        tests=build_tests,
        outcomes=build_outcomes,
        edges=build_edges,
        task=build_task,
        rejection=build_rejection,
        results=build_results,
        fill=fill,
        calls=build_calls,
        contributions=build_contributions,
        calibration=Calibration,
        fill_ecosystem=fill_ecosystem,
        fill_evaluation=fill_evaluation,
        rounds=build_rounds,
        measures=MEASURES,
    )


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one published line, for tests that only read."""
    home = tmp_path_factory.mktemp("filled")
    warehouse = Warehouse(home)
    stamp = Stamp(run_id="run_1", code_version="1", seed=0, author="rules")
    fill(warehouse, stamp)
    fill_ecosystem(warehouse, stamp)
    fill_models(warehouse, stamp)
    fill_evaluation(warehouse, stamp)
    warehouse.publish()
    return home


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a published warehouse without rows, for tests that only read."""
    home = tmp_path_factory.mktemp("empty")
    Warehouse(home).publish()
    return home


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "home")


@pytest.fixture
def filled_warehouse(tmp_path: Path, filled_home: Path) -> Warehouse:
    """A copy of the filled home: filling takes seven transactions."""
    shutil.copytree(filled_home, tmp_path / "filled", symlinks=True)
    return Warehouse(tmp_path / "filled")


@pytest.fixture
def environment() -> Environment:
    """The environment of the filled home."""
    return build_environment(build_theme())


@pytest.fixture
def stamp() -> Stamp:
    return Stamp(run_id="run_1", code_version="1", seed=0, author="rules")
