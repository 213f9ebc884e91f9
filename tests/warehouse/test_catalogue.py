"""Every .sql file opens with its reason, and runs on an empty and on a filled warehouse; so does the docs' SQL."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.warehouse.evaluated import POLICY
from warehouse.catalogue import migrations, named_queries, views
from warehouse.store import Published

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sql\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"factory sql \"([^\"]+)\"")
NAMED = re.compile(r"factory sql --named (\w+)")
ALWAYS_ROWS = {"status": 1, "ecosystem": 1, "formats": 1, "model_roles": 9, "latest_round": 1}
"""Queries that count, also of an empty warehouse, and how many rows they have there."""
EMPTY_WHEN_FILLED = {
    "runs", "last_run_with_work", "run_statistics", "stage_seconds", "theme_ends", "themes_done", "pool_violations",
    "snapshots", "withdrawals", "withdrawn_environments"
}  # fmt: skip
"""Queries about runs, of which the filled warehouse below has none, and about what must never be."""


@pytest.fixture
def empty(empty_home):
    return Published(empty_home)


@pytest.fixture
def filled(filled_home):
    return Published(filled_home)


def arguments(query, environment_id="none", task_id="none", theme_id="none", rollout_id="none"):
    values = {
        "theme": theme_id,
        "id": task_id,
        "task": task_id,
        "environment": environment_id,
        "environments": [environment_id],
        "ids": [task_id],
        "run": "run_1",
        "policy": POLICY.id,
        "round": 1,
        "rollout": rollout_id,
        "beginning": "rollout_",
        "pools": ["arena"],
        "family": "bakery",
        "causes": ["wrong_tool"],
        "what": "loaves",
    }
    if query.name == "stored_rollout_steps":
        values["ids"] = [rollout_id]
    if query.name == "stored_environment":
        values["id"] = environment_id
    return {parameter.name: values[parameter.name] for parameter in query.parameters if parameter.required}


def documented(text: str) -> list[str]:
    return [*BLOCK.findall(text), *COMMAND.findall(text)]


def test_migrations_are_numbered_without_gaps_and_say_why():
    names = [migration.name for migration in migrations()]
    assert [name[:4] for name in names] == [f"{number:04d}" for number in range(1, len(names) + 1)]
    assert all(re.fullmatch(r"\d{4}(_[a-z]+)+", name) for name in names)
    assert all(migration.question.startswith("Why: ") for migration in migrations())


@pytest.mark.parametrize("file", [*views(), *named_queries().values()], ids=lambda file: file.name)
def test_views_and_queries_ask_a_question(file):
    assert "?" in file.question
    assert set(re.findall(r"\$([a-z_]\w*)", re.sub(r"--.*", "", file.text))) == {p.name for p in file.parameters}


@pytest.mark.parametrize("name", [view.name for view in views()])
def test_views_run_on_an_empty_warehouse(empty, name):
    assert empty.sql(f"select * from {name}").rows == []


def test_views_have_rows_on_a_filled_warehouse(filled):
    counts = {view.name: len(filled.sql(f"select * from {view.name}").rows) for view in views()}
    assert {name for name, count in counts.items() if not count} == EMPTY_WHEN_FILLED & set(counts)


@pytest.mark.parametrize("name", named_queries())
def test_queries_run_on_an_empty_warehouse(empty, name):
    query = named_queries()[name]
    assert len(empty.named(name, **arguments(query)).rows) == ALWAYS_ROWS.get(name, 0)


def test_queries_have_rows_on_a_filled_warehouse(filled):
    ids = filled.sql(
        "select environment_id, current_tasks.id, theme_id, (select min(rollout_id) from failures) from current_tasks join environments on environments.id = environment_id order by all"
    ).rows[0]
    counts = {name: len(filled.named(name, **arguments(query, *ids)).rows) for name, query in named_queries().items()}
    assert {name for name, count in counts.items() if not count} == EMPTY_WHEN_FILLED & set(counts)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_sql_in_the_documents_runs(empty, path):
    text = path.read_text()
    for query in documented(text):
        empty.sql(query)
    assert set(NAMED.findall(text)) <= set(named_queries())
