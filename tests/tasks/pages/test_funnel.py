"""The funnel adds up, and names every refused theme with its reason."""

from __future__ import annotations

from typing import Any

from tasks.pages.funnel import MANY_ENVIRONMENTS, funnel_page
from tasks.pages.markdown import MOST_TABLE_ROWS

STAGES = [
    {"stage": "mine", "subject_kind": "theme", "proposed": 2, "kept": 1, "rejected": 1, "rejected_by_reason": "no_rows 1"},
    {"stage": "complexify", "subject_kind": "environment", "proposed": 4, "kept": 3, "rejected": 1,
     "rejected_by_reason": "takes_away 1"},
    {"stage": "synthesize", "subject_kind": "task", "proposed": 0, "kept": 0, "rejected": 0, "rejected_by_reason": ""},
]  # fmt: skip


def theme(name: str, **more: Any) -> dict[str, Any]:
    return {
        "theme_name": name,
        "environment_id": f"env_{name}",
        "state": "accepted",
        "title": name,
        "kind": "dataset",
        "package": "loaves",
        "package_version": "1",
        "files": 2,
        "source_bytes": 2000,
        "archetype": None,
        "versions": [{"version": 1}, {"version": 2}],
        "world_tables": 3,
        "world_rows": 1234,
        "tools": 5,
        "tools_refused": 1,
        "tasks": 4,
        "tasks_refused": 7,
        "tasks_with_change": 2,
        "mean_gold_calls": 7.25,
        "reason": None,
        "detail": None,
        **more,
    }


REFUSED = theme(
    "notes",
    environment_id=None,
    state="rejected",
    tools=0,
    tasks=0,
    mean_gold_calls=None,
    reason="no_rows",
    detail="a | b",
)


def test_stages_themes_and_refusals() -> None:
    page = funnel_page(STAGES, [theme("bakery"), REFUSED], "3 built")
    assert "1 environment with 5 tools and 4 tasks stand; 1 theme was refused." in page
    assert "| `mine` | theme | 2 | 1 | 1 | 50% | no\\_rows 1 |" in page
    assert "| `synthesize` | task | 0 | 0 | 0 |   |   |" in page
    assert "| `bakery` | 2 | 3 | 1,234 | 5 | 4 | 2 | 8 | 7.2 |" in page
    assert "| `complexify` | round | 4 | 3 | 1 | 75% | takes\\_away 1 |" in page
    assert "| `notes` | `no_rows` | a \\| b |" in page
    assert "`notes` | rejected" not in page


def test_themes_taken_in_and_the_classes_of_many_environments() -> None:
    intake = {"themes_in": 1424, "themes_merged": 82, "themes_rejected": 172}
    classes = [
        {"level1": "Food", "themes": 30, "environments": 20, "mean_confidence": 0.5},
        {"level1": "Art", "themes": 1, "environments": 1, "mean_confidence": None},
    ]
    themes = [theme(f"theme_{number}") for number in range(MANY_ENVIRONMENTS)]
    few = funnel_page(STAGES, themes, intake=intake, classes=classes)
    assert "Themes: 1,424 taken in, 82 more merged with one of them, 172 rejected at the door or later." in few
    assert "## Classes" not in few
    many = funnel_page(STAGES, [*themes, theme("one_more")], intake=intake, classes=classes)
    assert "| Food | 20 | 30 | 0.50 |\n| Art | 1 | 1 |   |" in many


def test_the_tables_of_many_themes_are_bounded() -> None:
    themes = [theme(f"theme_{number}") for number in range(200)]
    refused = [theme(f"refused_{number}", environment_id=None, state="rejected") for number in range(200)]
    page = funnel_page(STAGES, [*themes, *refused])
    assert page.count("| `theme_") == page.count("| `refused_") == MOST_TABLE_ROWS
    assert page.count(f"… and {200 - MOST_TABLE_ROWS} more") == 2


def test_before_anything_was_decided() -> None:
    page = funnel_page([], [])
    assert "Nothing was decided yet." in page and "No environment stands." in page and "## Refused" not in page
