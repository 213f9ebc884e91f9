"""The door of who publishes: all pages of a run by few queries, under keys that Prefect takes."""

from __future__ import annotations

import re
from typing import Any

from tasks.pages.artifacts import artifact_key, pages_of_run

THEME = {
    "theme_name": "bakery",
    "theme_id": "theme_1", "environment_id": "env_1", "state": "accepted", "title": "The bakery", "kind": "dataset",
    "package": "loaves", "package_version": "1", "files": 1, "source_bytes": 10, "archetype": None, "world_tables": 3, "versions": [],
    "world_rows": 27, "tools": 0, "tools_refused": 0, "tasks": 0, "tasks_refused": 0, "tasks_with_change": 0,
    "mean_gold_calls": None, "reason": None, "detail": None,
}  # fmt: skip
REFUSED = {
    **THEME,
    "theme_name": "old_notes",
    "theme_id": "theme_2",
    "environment_id": None,
    "state": "rejected",
    "reason": "quality_gate",
}
RESULT = {"suite": "table", "table_name": "loaves", "column_name": None, "expectation": "expect_rows", "severity": "critical",
          "passed": False, "checked": 0, "unexpected": 0, "detail": "none"}  # fmt: skip


class Asked:
    """Answers named queries from rows, and remembers which were asked."""

    def __init__(self, world: Any) -> None:
        self.names: list[str] = []
        environment = {**world.environment, "profile": world.profile.model_dump_json()}
        self._rows: dict[str, list[dict[str, Any]]] = {
            "page_themes": [THEME, REFUSED],
            "page_environments": [environment],
            "ecosystem": [{"themes_in": 9, "themes_merged": 2, "themes_rejected": 3}],
            "page_quality": [
                {**RESULT, "theme_name": "bakery", "theme_id": "theme_1", "environment_id": "env_1"},
                {**RESULT, "theme_name": "old_notes", "theme_id": "theme_2", "environment_id": "env_2"},
            ],
        }

    def __call__(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        self.names.append(name)
        ids = parameters.get("ids")
        return [row for row in self._rows.get(name, []) if ids is None or row["environment_id"] in ids]


def test_all_pages_of_a_run(world: Any, bakery: Any) -> None:
    asked = Asked(world(bakery))
    pages = {page.key: page for page in pages_of_run(asked, "3 built")}
    assert list(pages) == ["funnel", "lineage", "tasks", "environment-bakery", "environment-old-notes", "quality-bakery",
                           "quality-old-notes"]  # fmt: skip
    assert "3 built" in pages["funnel"].markdown and "Themes: 9 taken in" in pages["funnel"].markdown
    assert "`quality_gate`" in pages["environment-old-notes"].markdown
    assert "| rows |" in pages["quality-bakery"].markdown
    assert all(re.fullmatch(r"[a-z0-9-]+", key) and page.description for key, page in pages.items())
    assert len(asked.names) <= 20


def test_only_some_themes(world: Any, bakery: Any) -> None:
    def keys(*themes: str) -> list[str]:
        return [page.key for page in pages_of_run(Asked(world(bakery)), themes=themes)]

    assert keys() == ["funnel", "lineage", "tasks"]
    assert keys("theme_1") == ["funnel", "lineage", "tasks", "environment-bakery", "quality-bakery"]
    assert keys("theme_2") == ["funnel", "lineage", "tasks", "environment-old-notes", "quality-old-notes"]


def test_keys() -> None:
    assert artifact_key("environment", "new_york_flights") == "environment-new-york-flights"
