"""kill -9 at twenty seeded moments: what is stored stays whole, and a rerun completes it without doubling a row."""

import os
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

from warehouse.published import Published
from warehouse.store import Warehouse

KILLS = 20
ARGUMENTS = ("expand", "--themes", "music_store", "--tasks", "2", "--rounds", "1", "--json")
EARLIEST_S, LATEST_S = 1.0, 20.0
"""Seconds after the start of the process: before its first row, and about when a fresh run ends on 2 cores."""

MUST_BE_EMPTY = {
    "a task without checks": "select id from tasks where id not in (select task_id from checks)",
    "a task without its one gold run": """
        select tasks.id from tasks left join gold_runs on gold_runs.task_id = tasks.id
        group by tasks.id having count(gold_runs.id) <> 1""",
    "a gold run whose steps are not its calls": """
        select gold_runs.id from gold_runs left join gold_steps on gold_steps.gold_run_id = gold_runs.id
        group by gold_runs.id, gold_runs.calls
        having count(gold_steps.id) <> gold_runs.calls or max(gold_steps.step) <> gold_runs.calls - 1""",
    "a task that is there twice": "select request from tasks group by environment_id, request having count(*) > 1",
    "a tool that is there twice": "select name from tools group by environment_id, name having count(*) > 1",
    "a kept tool with fewer than three tests": """
        select current_tools.id from current_tools
        left join tool_tests
            on tool_tests.environment_id = current_tools.environment_id and tool_tests.tool = current_tools.name
        group by current_tools.id having count(tool_tests.id) < 3""",
    "an environment without profiles": "select id from environments where id not in (select environment_id from profiles)",
    "an environment that is there twice": """
        select theme_name from environments group by theme_name, version having count(*) > 1""",
    "an accepted round without its environment": """
        select id from rounds where accepted and environment_id not in (select id from environments)""",
    "a batch without decisions": "select id from batches where id not in (select batch_id from decisions)",
    "a decision for nothing": """
        select subject_id from decisions where outcome = 'kept' and subject_id not in (
            select id from themes union all select id from environments
            union all select id from tools union all select id from tasks)""",
    "a rejection that no decision names": "select id from rejections where id not in (select rejection_id from decisions)",
    "a funnel that does not add up": "select stage from funnel where proposed <> kept + rejected",
    "work of a run that never began": "select id from stage_runs where run_id not in (select id from runs)",
}
TABLES = (
    "themes",
    "sources",
    "environments",
    "profiles",
    "tools",
    "tool_tests",
    "tool_edges",
    "tasks",
    "checks",
    "gold_steps",
    "rounds",
    "measures",
)


def assert_whole(home: Path) -> None:
    """Look at all that is stored, published or not."""
    Warehouse(home).publish()
    published = Published(home)
    broken = {what: rows for what, query in MUST_BE_EMPTY.items() if (rows := published.sql(query).rows)}
    assert broken == {}
    for (environment,) in published.sql("select id from environments").rows:
        assert (home / "environments" / environment / "world.db").is_file()


def sizes(home: Path) -> dict[str, int]:
    published = Published(home)
    return {table: published.sql(f"select count(*) from {table}").rows[0][0] for table in TABLES}


def contents(home: Path) -> list[tuple[Any, ...]]:
    """Return what fresh homes must agree on: tasks with their answers, and tools, by id."""
    tasks = Published(home).sql(
        "select id, request, expected_answer::varchar, expected_change::varchar from tasks order by id"
    )
    return [*tasks.rows, *Published(home).sql("select id, name from tools order by id").rows]


def run_until(factory: Any, home: Path, env: dict[str, str], moment: float) -> bool:
    """Run expand and kill it after `moment` seconds; return whether it was faster and completed."""
    process = factory.start(*ARGUMENTS, "--home", str(home), env=env, start_new_session=True)
    try:
        _, err = process.communicate(timeout=moment)
        assert process.returncode == 0, err
        return True
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        return False


def test_killed_at_random_moments_and_run_again(factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    moments = random.Random("kill -9")
    homes = [tmp_path / "home0"]
    kills = 0
    while kills < KILLS:
        completed = run_until(factory, homes[-1], at_server, moments.uniform(EARLIEST_S, LATEST_S))
        kills += not completed
        if (homes[-1] / "warehouse" / "live.duckdb").exists():
            assert_whole(homes[-1])
        if completed:
            homes.append(tmp_path / f"home{len(homes)}")
    assert run_until(factory, homes[-1], at_server, 300.0)
    assert_whole(homes[-1])
    last = sizes(homes[-1])
    assert last["tasks"] == 2
    assert not list((homes[-1] / "environments").glob(".building-*"))
    assert len(list((homes[-1] / "scratch").iterdir())) <= 1, "workspaces of killed runs are cleared by the next one"
    # However often a run was killed on the way, the same rows came out, with the same ids.
    assert [sizes(home) for home in homes] == [last] * len(homes)
    assert [contents(home) for home in homes] == [contents(homes[0])] * len(homes)
