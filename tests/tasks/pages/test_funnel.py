"""The funnel adds up, and names every refused theme with its reason."""

from __future__ import annotations

from typing import Any

from tasks.pages.funnel import funnel_page

STAGES = [
    {"stage": "mine", "subject_kind": "theme", "proposed": 2, "kept": 1, "rejected": 1, "rejected_by_reason": "no_rows 1"},
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
    assert "| `bakery` | 1,234 | 5 | 4 | 2 | 8 | 7.2 |" in page
    assert "| `notes` | `no_rows` | a \\| b |" in page
    assert "`notes` | rejected" not in page


def test_before_anything_was_decided() -> None:
    page = funnel_page([], [])
    assert "Nothing was decided yet." in page and "No environment stands." in page and "## Refused" not in page
