"""What a run ends with: the environments, what was kept and refused in each, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flows.cli.display import print_rows
from warehouse.published import Published

COLUMNS = ("environment", "operations", "rows", "tools", "refused", "tasks", "graph", "program", "writing", "refused", "calls")
"""calls: mean of the gold runs'; writing: tasks with a required state change; refused: tools, then drafts of tasks."""


def print_outcome(home: Path) -> None:
    """Print the current environments of the published warehouse, one a row, then the refusals by reason."""
    published = Published(home)
    refusals = published.rows("rejections")
    kinds = Counter((row["theme_name"], row["kind"]) for row in published.rows("tasks"))
    rows = [_row(environment, kinds, refusals) for environment in published.rows("environments")]
    if len(rows) > 1:
        rows.append(_total(rows))
    print_rows(COLUMNS, rows)
    reasons: Counter[tuple[str, str]] = Counter()
    for row in refusals:
        reasons[row["subject_kind"], row["reason"]] += row["rejected"]
    if reasons:
        print_rows(("refused", "reason", "count"), [(*key, count) for key, count in reasons.most_common()])


def _row(environment: dict[str, Any], kinds: Counter[tuple[str, str]], refusals: Iterable[dict[str, Any]]) -> list[Any]:
    theme = environment["theme_name"]
    refused: Counter[str] = Counter()
    for row in refusals:
        if row["theme_name"] == theme:
            refused[row["subject_kind"]] += row["rejected"]
    return [
        theme if environment["state"] == "accepted" else f"{theme} ({environment['state']})",
        environment["archetype"],
        environment["world_rows"],
        environment["tools"],
        refused["tool"],
        environment["tasks"],
        kinds[theme, "graph"],
        kinds[theme, "programmatic"],
        environment["tasks_with_change"],
        refused["task"],
        environment["mean_gold_calls"],
    ]


def _total(rows: list[list[Any]]) -> list[Any]:
    sums = [sum(row[index] for row in rows) for index in range(2, len(COLUMNS) - 1)]
    tasks = COLUMNS.index("tasks")
    calls = sum((row[-1] or 0) * row[tasks] for row in rows)
    return ["all", "", *sums, round(calls / sum(row[tasks] for row in rows), 2) if sums[tasks - 2] else None]
