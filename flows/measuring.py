"""The ecosystem measured: a mixed backlog expanded for real, with its yields, time and memory, and a projection."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.settings import Settings
from warehouse.published import Published

if TYPE_CHECKING:
    from flows.cli.production import Order
    from flows.runs import Outcome

PROJECTED = 3000
"""Themes of the projection: about as many seeds as the paper began with (section 1)."""


def fill_backlog(settings: Settings, servers: Path | None, library: Path | None, documents: Path | None) -> float:
    """Put the bundled themes on the backlog of a home, and those of other sources as given; return the seconds it took.

    `servers` is a list of MCP servers, `library` a folder tree of data, `documents` a folder of requirements
    (md, docx) and of tool documents (json, yaml).
    """
    from flows.discovering import keep_finding, keep_library
    from tasks.themes.bundled import bundled_themes
    from tasks.themes.findings import Finding
    from tasks.themes.sources.bounds import Bounds
    from tasks.themes.sources.documents import read_folder
    from tasks.themes.sources.mcp import read_list

    began = time.monotonic()
    keep_finding(settings, Finding(bundled_themes()), "the bundled themes")
    if servers is not None:
        keep_finding(settings, read_list(servers, Bounds(), "unknown"), str(servers))
    if documents is not None:
        keep_finding(settings, read_folder(documents, Bounds(), "unknown"), str(documents))
    if library is not None:
        keep_library(settings, library)
    return time.monotonic() - began


def measure_ecosystem(settings: Settings, order: Order) -> dict[str, Any]:
    """Expand the backlog of the home as ordered and return what came of it and what it cost.

    themes: taken from the backlog; kinds: of the accepted ones; environments, tools: accepted and kept; seconds:
    wall clock of the run; cpu_seconds, peak_memory_mb: this process, the Prefect server and all below them together;
    home_mb: on the disk at the end; stages: stage → {subjects, seconds, mean_s, most_s}; parts: seconds of each fifty
    environments (as many as are on the line together) in the order in which they were through; complete:
    environments with three tables, a reference, two guarded writes and eight tools; rejections: stage, what and
    why → how often; projection: to 3,000 themes, by the means of this run.
    """
    outcome, cost = _run(settings, order)
    from flows.expand import AT_ONCE  # now that its home was entered

    published, run = Published(settings.home), outcome.run_id
    came_to = {row["theme_id"]: row["environment_id"] for row in published.rows("run_environments", run=run)}
    rows = [row for row in published.rows("ecosystem_yield") if row["environment_id"] in came_to.values()]
    themes, seconds = len(came_to), cost["seconds"]
    return {
        "themes": themes,
        "kinds": dict(Counter(row["kind"] for row in rows)),
        "environments": len(rows),
        "tools": sum(row["tools"] for row in rows),
        "complete": sum(row["complete"] for row in rows),
        "three_formats": sum(len(row["formats"]) > 3 for row in rows),
        "median_intent_coverage": _median([row["intent_coverage"] for row in rows]),
        "refused": len(outcome.refused),
        "rejections": _rejections(published, run),
        "failed": len(outcome.failures),
        **cost,
        "seconds_a_theme": round(seconds / max(1, themes), 3),
        "cpu_seconds_a_theme": round(cost["cpu_seconds"] / max(1, themes), 3),
        "home_mb": round(sum(file.lstat().st_size for file in settings.home.rglob("*") if file.is_file()) / 1e6),
        "parts": _parts([row["through_s"] for row in published.rows("theme_ends", run=run)], AT_ONCE),
        "stages": {row.pop("stage"): row for row in published.rows("stage_seconds", run=run)},
        "projection": _project(themes, rows, seconds),
    }


def _run(settings: Settings, order: Order) -> tuple[Outcome, dict[str, float]]:
    """Run the flow; return its outcome, how long it took, its processor time and the most memory that it used."""
    from flows.cli.production import run_expand
    from flows.server import read_record
    from tasks.bench.processes import Consumption

    def server() -> list[int]:
        record = read_record(settings)
        return [] if record is None else [record.pid]

    began = time.monotonic()
    with Consumption(others=server) as used:
        finished = run_expand(settings, order)
    seconds = time.monotonic() - began
    cost = {"seconds": round(seconds, 1), "cpu_seconds": round(used.cpu_seconds, 1), "peak_memory_mb": round(used.mb)}
    return finished.outcome, cost


def _rejections(published: Published, run: str) -> dict[str, int]:
    rows = published.rows("refused_in_run", run=run)
    return {f"{row['stage']}, {row['subject_kind']}: {row['reason']}": row["rejected"] for row in rows}


def _parts(ends: list[float], size: int) -> list[float]:
    """Return how long each `size` environments took, the rest last."""
    marks = [0.0, *ends[size - 1 :: size]]
    marks += ends[-1:] if len(ends) % size else []
    return [round(end - begin, 1) for begin, end in pairwise(marks)]


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
