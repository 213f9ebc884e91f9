"""What the stages load again: rows in, the things that were stored out.

`reader` is the live Warehouse (flows) or the Published one (people, verification).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from schemas.environments import Environment
from schemas.errors import UsageError
from schemas.rounds import Measures
from schemas.tasks import AgentTask, Check, GoldRun, GoldStep
from schemas.themes import Theme
from schemas.tools import TestOutcome, Tool, ToolEdge, ToolTest
from warehouse.store import Reader

Row = dict[str, Any]


def load_theme(reader: Reader, theme_id: str) -> Theme:
    """Return a stored theme; UsageError when there is none of that id."""
    rows = reader.rows("stored_theme", theme=theme_id)
    if not rows:
        raise UsageError(f"no theme {theme_id} in the warehouse. Run: factory expand")
    return Theme.model_validate(parsed(rows[0], "recipe")["recipe"])


def load_discovered(reader: Reader, names: Sequence[str] | None = None) -> list[tuple[Theme, str | None]]:
    """Return discovered themes by name (None: all), each with the user's library that holds its files, if any."""
    rows = reader.rows("discovered_themes", names=None if names is None else list(names))
    return [(Theme.model_validate(parsed(row, "recipe")["recipe"]), row["library"]) for row in rows]


def load_environment(reader: Reader, environment_id: str) -> Environment:
    """Return a stored environment; UsageError when there is none of that id."""
    rows = reader.rows("stored_environment", id=environment_id)
    if not rows:
        raise UsageError(f"no environment {environment_id} in the warehouse. Run: factory sql --named environments")
    columns = parsed(rows[0], "contract", "checks", "description")
    columns |= columns.pop("description")
    return Environment.model_validate({name: value for name, value in columns.items() if value is not None})


def load_measures(reader: Reader, environment_id: str) -> Measures:
    """Return the measures of an environment with the tools that count; UsageError when it has no tools yet."""
    rows = reader.rows("stored_measures", environment=environment_id)
    if not rows:
        raise UsageError(f"environment {environment_id} has no tools yet. Run: factory expand")
    return Measures.model_validate(rows[0])


def load_tools(reader: Reader, environment_id: str) -> list[Tool]:
    """Return the tools that the gate kept for an environment, in the module's order."""
    rows = reader.rows("stored_tools", environment=environment_id)
    return [Tool.model_validate(without(parsed(row, "input_schema", "output_schema", "intent"), "id")) for row in rows]


def load_tool_module(reader: Reader, environment_id: str) -> str:
    """Return the source of the module of an environment's tools; UsageError when they were never built."""
    rows = reader.rows("stored_tool_module", environment=environment_id)
    if not rows:
        raise UsageError(f"environment {environment_id} has no tools yet. Run: factory expand")
    return str(rows[0]["source"])


def load_tests(reader: Reader, environment_id: str) -> list[tuple[ToolTest, TestOutcome | None]]:
    """Return the unit tests of an environment with their outcomes (None: never ran)."""
    pairs = []
    for row in reader.rows("stored_tool_tests", environment=environment_id):
        columns = without(parsed(row, "setup", "arguments", "expect"), "test_id", "test_case", "passed", "detail")
        test = ToolTest.model_validate({"id": row["test_id"], "case": row["test_case"], **columns})
        outcome = None
        if row["passed"] is not None:
            outcome = TestOutcome(test_id=test.id, tool=test.tool, passed=row["passed"], detail=row["detail"])
        pairs.append((test, outcome))
    return pairs


def load_edges(reader: Reader, environment_id: str) -> list[ToolEdge]:
    """Return the edges of an environment's tool graph, by source, target and parameter."""
    rows = reader.rows("stored_tool_edges", environment=environment_id)
    return [
        ToolEdge(source=row["source_tool"], target=row["target_tool"], **without(row, "source_tool", "target_tool"))
        for row in rows
    ]


def load_tasks(reader: Reader, ids: Sequence[str] | None = None) -> list[tuple[AgentTask, GoldRun]]:
    """Return tasks with their gold runs, ordered by environment and id.

    `ids` are tasks' or environments' (an environment stands for its latest tasks for training); None: all
    current tasks. Raises UsageError for an id that is neither.
    """
    if ids is not None:
        _refuse_unknown(reader, ids)
    rows = reader.rows("stored_tasks", ids=None if ids is None else list(ids))
    found = [row["id"] for row in rows]
    checks = grouped(reader.rows("stored_checks", ids=found), "task_id")
    steps = grouped(reader.rows("stored_gold_steps", ids=found), "task_id")
    return [(_task(row, checks.get(row["id"], [])), _gold_run(row, steps.get(row["id"], []))) for row in rows]


def _refuse_unknown(reader: Reader, ids: Sequence[str]) -> None:
    known = {row["id"] for row in reader.rows("known_ids", ids=list(ids))}
    unknown = [item for item in ids if item not in known]
    if unknown:
        raise UsageError(f"no task or environment {unknown[0]} in the warehouse. Run: factory sql --named tasks")


def grouped(rows: Sequence[Row], column: str) -> dict[str, list[Row]]:
    """Return rows, which are ordered by `column`, by its values."""
    return {value: list(group) for value, group in groupby(rows, key=lambda row: row[column])}


def _task(row: Row, checks: list[Row]) -> AgentTask:
    columns = parsed(
        row, "answer_fields", "expected_answer", "expected_change", "plan", "program", "difficulty", "disturbances"
    )
    return AgentTask.model_validate(
        {
            **without(columns, "gold_answer", "state_id", "state_diff"),
            "disturbances": columns["disturbances"] or {},
            "traits": columns["traits"] or [],
            "checks": [
                Check(id=check["check_id"], **without(parsed(check, "spec"), "check_id", "task_id")) for check in checks
            ],
        }
    )


def _gold_run(row: Row, steps: list[Row]) -> GoldRun:
    return GoldRun(
        task_id=row["id"],
        answer=json.loads(row["gold_answer"]),
        state_id=row["state_id"],
        state_diff=json.loads(row["state_diff"]),
        steps=[
            GoldStep(index=step["step"], **without(parsed(step, "arguments", "observation"), "task_id", "step"))
            for step in steps
        ],
    )


def parsed(row: Row, *columns: str) -> Row:
    """Return a copy of `row` with these JSON columns parsed; null stays None."""
    return {**row, **{name: json.loads(row[name]) if row[name] is not None else None for name in columns}}


def without(row: Row, *columns: str) -> Row:
    """Return a copy of `row` without these columns."""
    return {name: value for name, value in row.items() if name not in columns}
