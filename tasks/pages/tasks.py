"""The page of all tasks: how long and how hard they are, what they show, and how some of them read."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.pages.markdown import Row, code, count, page, plural, quote, table, text


def tasks_page(lengths: Sequence[Row], levels: Sequence[Row], traits: Sequence[Row], sample: Sequence[Row]) -> str:
    """Return the page of rows of the queries `lengths`, `levels`, `traits` and `requests`."""
    total = sum(row["tasks"] for row in lengths)
    return page(
        "# Tasks",
        f"{plural(total, 'task')} of the current environments.",
        *(_figures(lengths, levels, traits) if total else []),
        f"## {plural(len(sample), 'request')} at random" if sample else "",
        *(_request(row) for row in sample),
    )


def _figures(lengths: Sequence[Row], levels: Sequence[Row], traits: Sequence[Row]) -> list[str]:
    sizes = [(text(r["calls"]), count(r["tasks"]), count(r["graph"]), count(r["programmatic"]), r["histogram"])
             for r in lengths]  # fmt: skip
    grades = [(_level(r["level"]), count(r["tasks"]), count(r["as_asked"]), f"{r['mean_calls']:g}", r["histogram"])
              for r in levels]  # fmt: skip
    shown = [(code(row["trait"]), count(row["tasks"]), f"{row['share']:.1%}") for row in traits]
    numbers = ("tasks", "graph", "programmatic", "as asked", "mean calls", "share")
    return [
        "## Calls by the shortest way found",
        table(("calls", "tasks", "graph", "programmatic", ""), sizes, numbers),
        "## Levels as measured",
        table(("level", "tasks", "as asked", "mean calls", ""), grades, numbers),
        "## What gold runs show",
        table(("trait", "tasks", "share"), shown, numbers),
    ]


def _level(level: int | None) -> str:
    return "not measured" if level is None else "practice" if level == 0 else str(level)


def _request(row: Row) -> str:
    """Return a request as a quote under a line that tells which task it is of; its paragraphs and lists stay."""
    level = "" if row["level"] is None else f", level {row['level']}"
    told = f"{code(row['theme_name'])}, {row['kind']}{level}, {plural(row['gold_calls'], 'call')}:"
    return f"{told}\n\n{quote(row['request'])}"
