"""What a run ends with: the environments, what was kept and refused in each, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flows.cli.display import print_rows
from warehouse.published import Published

COLUMNS = ("environment", "tools", "rejected", "tasks", "rejected", "graph +\nprogram", "writing", "calls")
"""Fits 80 columns. rejected: tools, then drafts of tasks; writing: tasks with a required change; calls: mean of gold runs."""


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
        print_rows(("rejected", "reason", "count"), [(*key, count) for key, count in reasons.most_common()])


def _row(environment: dict[str, Any], kinds: Counter[tuple[str, str]], refusals: Iterable[dict[str, Any]]) -> list[Any]:
    theme = environment["theme_name"]
    refused: Counter[str] = Counter()
    for row in refusals:
        if row["theme_name"] == theme:
            refused[row["subject_kind"]] += row["rejected"]
    return [
        theme if environment["state"] == "accepted" else f"{theme} ({environment['state']})",
        environment["tools"],
        refused["tool"],
        environment["tasks"],
        refused["task"],
        f"{kinds[theme, 'graph']} + {kinds[theme, 'programmatic']}",
        environment["tasks_with_change"],
        environment["mean_gold_calls"],
    ]


def _total(rows: list[list[Any]]) -> list[Any]:
    tools, tools_refused, tasks, drafts_refused, writing = (
        sum(row[index] for row in rows) for index in (1, 2, 3, 4, 6)
    )
    graph, program = (sum(int(row[5].split(" + ")[part]) for row in rows) for part in (0, 1))
    calls = sum((row[7] or 0) * row[3] for row in rows)
    mean = round(calls / tasks, 2) if tasks else None
    return ["all", tools, tools_refused, tasks, drafts_refused, f"{graph} + {program}", writing, mean]
