"""Intents: covered operations with their tool, the others by reason."""

from __future__ import annotations

from typing import Any

from tasks.pages.intents import intents_section
from tasks.pages.markdown import MOST_TABLE_ROWS


def intent(operation: str, **more: Any) -> dict[str, Any]:
    return {"operation": operation, "verb": "get", "entity": "user_prompts", "tool": "get_prompt", "parameters": 2,
            "matched": 1, "covered": True, "why": "", **more}  # fmt: skip


def test_covered_and_not() -> None:
    missing = [intent(name, tool=None, covered=False, why="about no entity") for name in ("wait", "run")]
    page = intents_section([intent("get-prompt"), intent("ping", parameters=0, matched=0), *missing])
    assert "The source names 4 operations; tools cover 2 of them." in page
    assert (
        "| `get-prompt` | get user prompts | `get_prompt` | 1 of 2 |\n| `ping` | get user prompts | `get_prompt` | none |"
        in page
    )
    assert "- about no entity: `wait`, `run`" in page


def test_all_or_none_covered() -> None:
    assert "Not covered" not in intents_section([intent("a")])
    assert "| operation" not in intents_section([intent("a", covered=False, why="no tool")])


def test_bounded_and_without_markup(nasty: str) -> None:
    page = intents_section([*[intent(nasty)] * 500, *[intent(nasty, covered=False, why=nasty)] * 500])
    assert page.count("get user prompts") == MOST_TABLE_ROWS and "<img" not in page and "and 488 more" in page
