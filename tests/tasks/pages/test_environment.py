"""An environment's page tells all of it, in bounds, and stays a page whatever the names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from schemas.documents import Document
from schemas.operations import Action, Change, Fixed, Guard, Operations
from tasks.pages.environment import (
    FAILURES_TOLD,
    environment_page,
    first_sentence,
    refused_page,
)
from tasks.pages.markdown import LONGEST_BLOCK, MOST_TABLE_ROWS

SOURCE = {
    "package": "loaves",
    "version": "1.2",
    "file": "data/loaves.csv",
    "licence": "CC0",
    "sha256": "f" * 64,
    "bytes": 2_000_000,
}
TOOL = {
    "name": "get_loaf",
    "operation": "get",
    "read_only": True,
    "description": "Get one loaf. Not two.",
    "archetype": None,
    "action": None,
    "tests": 5,
    "passed": 4,
    "tasks": 2,
}
TASK = {"id": "task_1", "kind": "graph", "gold_calls": 7, "requires_change": True, "request": "Bake. " * 60}
REFUSAL = {
    "stage": "synthesize",
    "subject_kind": "task",
    "reason": "replay_differs",
    "rejected": 3,
    "example": "step 2 differs",
}
RESULT = {"suite": "table", "table_name": "loaves", "column_name": "id", "expectation": "expect_column_values_to_be_unique",
          "severity": "critical", "passed": True, "checked": 9, "unexpected": 0, "detail": ""}  # fmt: skip
FAILED = {**RESULT, "severity": "warning", "passed": False, "unexpected": 2, "detail": "2 rows share an id"}


def cells(markdown: str) -> list[list[str]]:
    """Return the cells of all rows of all tables, as a renderer shows them."""
    rows: list[list[str]] = []
    inside = False
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("td_open", "th_open", "td_close", "th_close"):
            inside = token.type.endswith("open")
        elif token.type == "inline" and inside:
            rows[-1].append("".join(leaf.content for leaf in token.children or []))
    return rows


@pytest.fixture
def page(world: Any, bakery: Any) -> str:
    return environment_page(
        world(bakery, sources=[SOURCE], tools=[TOOL], tasks=[TASK], refusals=[REFUSAL], quality=[RESULT, FAILED])
    )


def test_the_page_tells_all(page: str) -> None:
    rows = cells(page)
    assert page.startswith("# The bakery\n")
    assert ["world", "3 tables, 27 rows, 4.1 kB, sha256 0123456789ab"] in rows
    assert "From `loaves` 1.2. Licence: CC0." in page
    assert ["data/loaves.csv", "2.0 MB", "f" * 12] in rows
    assert ["loaves", "mined", "no", "9", "2", "id", "bakers"] in rows
    assert ["shelves", "simulated", "yes", "9", "1", "id", "loaves"] in rows  # seeded: mining did not sample it
    assert ["values", "75% mined, 25% simulated"] in rows
    assert [
        "bakers",
        "12",
        "9",
        "1 row unreadable; 2 rows not sampled; 1 column: empty",
        "encoding: read as cp1252",
    ] in rows
    assert "1 table was taken whole." in page
    assert ["get_loaf", "reads", "4 of 5", "2", "Get one loaf."] in rows
    task = next(row for row in rows if row[0] == "task_1")
    assert task[1:4] == ["graph", "7", "yes"] and len(task[4]) <= 120 and task[4].endswith("…")
    assert ["quality of the mined tables", "1 of 2 expectations held", "1 warning"] in rows
    assert ["unit tests of the kept tools", "4 of 5 passed", ""] in rows
    assert ["tasks", "1 admitted", "3 replay_differs"] in rows
    assert "2 rows share an id" in page and "step 2 differs" in page


def test_sources_of_two_packages_each_name_their_own(world: Any, bakery: Any) -> None:
    other = {**SOURCE, "package": "rolls", "licence": "MIT"}
    rows = cells(environment_page(world(bakery, sources=[SOURCE, other])))
    assert ["data/loaves.csv", "loaves 1.2", "CC0", "2.0 MB", "f" * 12] in rows
    assert ["data/loaves.csv", "rolls 1.2", "MIT", "2.0 MB", "f" * 12] in rows


def test_the_document_that_a_theme_rests_on_is_told_once(world: Any, bakery: Any) -> None:
    made = world(bakery, sources=[{**SOURCE, "package": "servers.jsonl.gz#7", "file": "servers.jsonl.gz#7"}])
    page = environment_page(replace(made, environment={**made.environment, "kind": "mcp"}))
    assert "It rests on an MCP server's tools." in page and page.count("servers.jsonl.gz#7") == 1
    assert ["servers.jsonl.gz#7", "CC0", "2.0 MB", "f" * 12] in cells(page)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({}, "none"),
        ({"level1": "Food", "level2": "Bread", "confidence": 0.5, "runner_up": "Art", "classified_by": "rules"},
         "Food › Bread (confidence 0.50, next Art)"),
        ({"level1": "Food", "confidence": 1.0, "classified_by": "person"}, "Food, set by a person"),
    ],
)  # fmt: skip
def test_the_place_in_the_taxonomy(columns: dict[str, Any], told: str, world: Any, bakery: Any) -> None:
    made = world(bakery)
    page = environment_page(replace(made, environment={**made.environment, **columns}))
    assert ["class", told] in cells(page)


def test_what_an_environment_grew_by_stands_in_its_page(world: Any, bakery: Any) -> None:
    version = {"version": 1, "tables": 3, "fk_depth": 2, "guarded_writes": 0, "max_chain": 2, "formats": ["sqlite"],
               "tools": 9, "additions": []}  # fmt: skip
    intent = {"operation": "bake", "verb": "create", "entity": "loaves", "tool": "add_loaf", "parameters": 2, "matched": 1,
              "covered": True, "why": ""}  # fmt: skip
    action = Action(name="sell", verb="transition", table="loaves", description="Sell.", arguments=(), returns="row",
                    guards=(Guard(code="stale", message="It is stale.", value=Fixed(value=1)),),
                    effects=(Change(row="row", values={}),), requests=("sell {row}",))  # fmt: skip
    selling = Operations(archetype="sales", host="loaves", host_key="id", tables={}, actions=(action,))
    document = Document(
        path="fees.csv", format="csv", title="Fees", about="What it costs.", origin="mined", text="a,b\n"
    )
    page = environment_page(
        world(bakery, versions=[version], intents=[intent], operations=[selling], documents=[document])
    )
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert headings == ["# The bakery", "## Sources", "## Versions", "## Tables", "## Where the values are from",
                        "## What was left out or mended", "## Operations", "### Sales over `loaves`", "## Documents (1)",
                        "## What the source names", "## Tools (0)", "## Tasks (0)", "## Gates"]  # fmt: skip
    rows = cells(page)
    assert ["1", "3", "2", "0", "2", "1", "9"] in rows and ["bake", "create loaves", "add_loaf", "1 of 2"] in rows
    assert ["sell (not kept)", "transition", "stale", "It is stale."] in rows and "**Fees** (csv, 4 bytes" in page


def test_the_diagram_is_drawn_or_told_in_words(page: str, world: Any, bakery: Any) -> None:
    assert "```mermaid\n" in page
    told = environment_page(world(bakery), drawn=False)
    assert "mermaid" not in told and "- loaves.baker\\_id → bakers.id (many to none or one)" in told


def test_a_large_diagram_is_whole(world: Any, table: Any, column: Any) -> None:
    keys = [f"a_column_with_a_very_long_name_{number}" for number in range(9)]
    tables = [table(f"table_{n}", [column(key) for key in keys], dict.fromkeys(keys, "table_0")) for n in range(24)]
    diagram = environment_page(world(tables)).split("```mermaid\n")[1].split("\n```")[0]
    assert len(diagram) > LONGEST_BLOCK and diagram.endswith('t0 ||--o{ t23 : ""')


def test_an_environment_without_anything_is_a_page(world: Any, bakery: Any) -> None:
    page = environment_page(world(bakery))
    for sentence in ("No source is recorded.", "None were kept.", "None were admitted.", "no result is recorded"):
        assert sentence in page


def test_a_page_is_bounded(world: Any, bakery: Any) -> None:
    many = 1000
    page = environment_page(
        world(bakery, tools=[TOOL] * many, tasks=[TASK] * many, sources=[SOURCE] * many, quality=[FAILED] * many)
    )
    assert page.count("| `get_loaf` |") == page.count("| `task_1` |") == MOST_TABLE_ROWS
    assert page.count("2 rows share an id") == FAILURES_TOLD
    assert page.count(f"… and {many - MOST_TABLE_ROWS} more") == 3
    assert len(page) < 60_000


def test_no_name_breaks_the_page(world: Any, table: Any, column: Any, nasty: str) -> None:
    """With the worst names everywhere each row has as many cells as its head, and no HTML comes through."""
    tables = [table(nasty, [column("id", "key"), column(nasty)], {nasty: nasty})]
    made = world(
        tables,
        sources=[{**SOURCE, "file": nasty, "licence": nasty, "package": nasty}],
        tools=[{**TOOL, "name": nasty, "description": nasty}],
        tasks=[{**TASK, "id": nasty, "request": nasty}],
        refusals=[{**REFUSAL, "reason": nasty, "example": nasty}],
        quality=[{**FAILED, "table_name": nasty, "column_name": nasty, "detail": nasty}],
    )
    made = replace(made, environment={**made.environment, "title": nasty, "description": nasty})
    page = environment_page(made)
    assert "<img" not in page.replace("```mermaid", "")
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    assert "<img" not in rendered and "<em>d" not in rendered
    shown = [cell for row in cells(page) for cell in row]
    assert sum(cell == nasty for cell in shown) >= 8


def test_first_sentences() -> None:
    assert first_sentence("Find loaves by name. All conditions are optional.") == "Find loaves by name."
    assert first_sentence("Weighs at most 3.5 kg e.g. rye") == "Weighs at most 3.5 kg e.g. rye"


def test_a_refused_theme_has_a_page_of_its_own(nasty: str) -> None:
    row = {
        "theme_name": "notes",
        "title": None,
        "reason": "too_few_rows",
        "detail": nasty,
        "package": "a/b",
        "package_version": "1",
    }
    page = refused_page(row)
    assert page.startswith("# notes\n") and "`too_few_rows`" in page and "<img" not in page
