"""The pages of a run, ready to be stored as Prefect artifacts: one call for who publishes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.quality import QualityResult
from tasks.pages.environment import environment_page, refused_page
from tasks.pages.funnel import funnel_page
from tasks.pages.lineage import lineage_page
from tasks.pages.markdown import Row
from tasks.pages.quality import quality_page
from tasks.pages.tasks import tasks_page
from tasks.pages.worlds import Ask, read_worlds

TASKS = ("lengths", "levels", "traits", "requests")
"""The queries of the page of all tasks."""
_NOT_IN_A_KEY = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Page:
    """One artifact: its key (lowercase letters, digits, dashes), what it is, and its markdown."""

    key: str
    description: str
    markdown: str


def pages_of_run(ask: Ask, message: str = "", themes: Sequence[str] | None = None) -> list[Page]:
    """Return the funnel, the lineage, all tasks, and a page for each environment, each refused theme and each quality gate.

    `ask` runs a named query (`Warehouse.rows`, `Published.rows`), nineteen times in all, however many
    environments there are. `message` says how the run ended. `themes` are the ids of those that get
    pages of their own, all current ones when None; those before always tell of all.
    """
    all_themes = ask("page_themes")
    chosen = [row for row in all_themes if themes is None or row["theme_id"] in themes]
    ids = [row["environment_id"] for row in chosen if row["environment_id"] is not None]
    pages = [
        Page("funnel", "What was proposed, kept and refused", _funnel(ask, all_themes, message)),
        Page("lineage", "From sources to tools and tasks", lineage_page(all_themes)),
        Page("tasks", "How long and hard tasks are, and how they read", tasks_page(*map(ask, TASKS))),
    ]
    pages += [
        Page(artifact_key("environment", world.theme), f"The environment of {world.theme}", environment_page(world))
        for world in read_worlds(ask, ids)
    ]
    pages += [
        Page(artifact_key("environment", row["theme_name"]), f"{row['theme_name']} was refused", refused_page(row))
        for row in chosen
        if row["environment_id"] is None
    ]
    return pages + _quality_pages(ask, {row["theme_id"] for row in chosen})


def _funnel(ask: Ask, themes: Sequence[Row], message: str) -> str:
    intake = ask("ecosystem")
    return funnel_page(ask("funnel"), themes, message, intake[0] if intake else None, ask("page_classes"))


def _quality_pages(ask: Ask, themes: set[str]) -> list[Page]:
    """Return what the gate found, also in worlds that it refused."""
    results: dict[str, list[QualityResult]] = {}
    for row in ask("page_quality"):
        if row["theme_id"] in themes:
            results.setdefault(row["theme_name"], []).append(quality_result(row))
    return [
        Page(artifact_key("quality", theme), f"The quality gate on {theme}", quality_page(theme, found))
        for theme, found in results.items()
    ]


def quality_result(row: Row) -> QualityResult:
    """Return a row of the query `page_quality` as what the gate made."""
    columns = {name: row[name] for name in QualityResult.model_fields if name in row}
    return QualityResult(table=row["table_name"], column=row["column_name"], **columns)


def artifact_key(kind: str, theme: str) -> str:
    """Return a key that Prefect accepts: 'environment-music-store'. Names of themes differ in more than their dashes."""
    return _NOT_IN_A_KEY.sub("-", f"{kind}-{theme}".lower()).strip("-")
