"""The ecosystem measured: a mixed backlog expanded for real, with its yields, time and memory, and a projection."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.settings import Settings

if TYPE_CHECKING:
    from flows.cli.production import Order

PROJECTED = 3000
"""Themes of the projection: about as many seeds as the paper began with (section 1)."""


def fill_backlog(settings: Settings, servers: Path | None, library: Path | None) -> None:
    """Put the bundled themes on the backlog of a home, and those of a list of MCP servers and of a library if given."""
    from flows.discovering import keep_finding, keep_library
    from tasks.themes.bundled import bundled_themes
    from tasks.themes.findings import Finding
    from tasks.themes.sources.bounds import Bounds
    from tasks.themes.sources.mcp import read_list

    keep_finding(settings, Finding(bundled_themes()), "the bundled themes")
    if servers is not None:
        keep_finding(settings, read_list(servers, Bounds(), "unknown"), str(servers))
    if library is not None:
        keep_library(settings, library)


def measure_ecosystem(settings: Settings, order: Order) -> dict[str, Any]:
    """Expand the backlog of the home as ordered and return what came of it and what it cost.

    themes: taken from the backlog; environments, tools: accepted and kept; seconds: wall clock of the run;
    peak_memory_mb: this process and all below it together, the Prefect server aside; stages: stage →
    {subjects, seconds, mean_s, most_s}; complete: environments with three tables, a reference, two guarded
    writes and eight tools; projection: to 3,000 themes, by the means of this run.
    """
    from flows.cli.production import run_expand
    from tasks.bench.memory import PeakMemory
    from warehouse.published import Published

    began = time.monotonic()
    with PeakMemory() as peak:
        finished = run_expand(settings, order)
    seconds = time.monotonic() - began
    published = Published(settings.home)
    rows = published.rows("ecosystem_yield")
    stages = {row.pop("stage"): row for row in published.rows("stage_seconds", run=finished.outcome.run_id)}
    themes = int(
        published.sql(
            "select counts ->> '$.themes' from stage_runs where run_id = ? and stage = 'discover'",
            [finished.outcome.run_id],
        ).rows[0][0]
    )
    return {
        "themes": themes,
        "environments": len(rows),
        "tools": sum(row["tools"] for row in rows),
        "complete": sum(row["complete"] for row in rows),
        "refused": len(finished.outcome.refused),
        "failed": len(finished.outcome.failures),
        "seconds": round(seconds, 1),
        "peak_memory_mb": round(peak.mb),
        "seconds_a_theme": round(seconds / max(1, themes), 3),
        "three_formats": sum(len(row["formats"]) > 3 for row in rows),
        "median_intent_coverage": _median([row["intent_coverage"] for row in rows]),
        "stages": stages,
        "projection": _project(themes, rows, seconds),
    }


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.median(known), 3) if known else None


def _project(themes: int, rows: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    factor = PROJECTED / max(1, themes)
    return {
        "themes": PROJECTED,
        "hours": round(seconds * factor / 3600, 2),
        "environments": round(sum(row["complete"] for row in rows) * factor),
        "tools": round(sum(row["tools"] for row in rows if row["complete"]) * factor),
    }
