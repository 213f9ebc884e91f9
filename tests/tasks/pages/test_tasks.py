"""The page of all tasks: figures as tables with bars, and requests that stay quotes."""

from __future__ import annotations

from tasks.pages.tasks import tasks_page

LENGTHS = [{"calls": "7–10", "tasks": 1200, "graph": 700, "programmatic": 500, "histogram": "███"}]
LEVELS = [
    {"level": 0, "tasks": 2, "as_asked": 2, "mean_calls": 1.5, "mean_tools": 1.0, "histogram": "█"},
    {"level": 3, "tasks": 9, "as_asked": 7, "mean_calls": 18.25, "mean_tools": 4.5, "histogram": "███"},
]
TRAITS = [{"trait": "recovery", "tasks": 150, "share": 0.125}]
REQUEST = {"theme_name": "bakery", "kind": "graph", "language": "en", "level": 3, "gold_calls": 18}


def test_figures_and_requests() -> None:
    asked = "Dear all,\n\nplease tell:\n- “loaves”: how many | are *left*\n# not a heading"
    page = tasks_page(LENGTHS, LEVELS, TRAITS, [{**REQUEST, "request": asked}])
    assert "1,200 tasks of the current environments." in page
    assert "| 7–10 | 1,200 | 700 | 500 | ███ |" in page
    assert "| practice | 2 | 2 | 1.5 | █ |" in page and "| 3 | 9 | 7 | 18.25 | ███ |" in page
    assert "| `recovery` | 150 | 12.5% |" in page
    assert "`bakery`, graph, level 3, 18 calls:\n\n> Dear all,\n>\n> please tell:\\\n> " in page
    quoted = [line for line in page.splitlines() if line.startswith(">")]
    assert "\\*left\\*" in "".join(quoted) and not any(line.startswith("# not") for line in page.splitlines())


def test_without_tasks_there_are_no_tables() -> None:
    page = tasks_page([], [], [], [])
    assert "0 tasks of the current environments." in page and "|" not in page and "##" not in page
