"""Coverage of a source's operations, counted by hand for two servers, and what a parameter is alike to."""

from typing import Any

import pytest

from schemas.environments import Environment
from schemas.themes import SourceOperation, SourceParameter, Theme
from tasks.authors.rules.author import RulesAuthor
from tasks.authors.rules.tools.module import propose_tools
from tasks.mining.tables import mine_tables
from tasks.mining.worlds import place_environment, propose_world
from tasks.themes.intents import intent_coverage, snake, telling
from tests.tasks.mining.entities.by_hand import FILE_SYSTEM, ISSUE_TRACKER


def covered(theme: Theme, folder: Any) -> dict[str, tuple[str | None, int, int, bool]]:
    world = propose_world(RulesAuthor(), theme, mine_tables(theme, 0, 5.0), 0)
    environment: Environment = place_environment(world, theme, "rules", 0, folder)
    rows = intent_coverage(theme, propose_tools(environment, theme).tools, environment.profile)
    assert [row.operation for row in rows] == [operation.name for operation in theme.operations]
    assert all(bool(row.why) != row.covered for row in rows)
    return {row.operation: (row.tool, row.matched, row.parameters, row.covered) for row in rows}


def test_an_issue_tracker_by_hand(tmp_path: Any) -> None:
    assert covered(ISSUE_TRACKER, tmp_path) == {
        "list-issues": ("list_issues", 2, 3, True),  # repository, assignee; the source's state is our status
        "get-issue": ("get_issue", 1, 1, True),
        "search-repositories": ("search_repositories", 2, 2, True),
        "create-issue": ("create_issue", 5, 5, True),
        "update-issue": ("update_issue", 4, 4, True),
        "close-issue": ("close_issue", 1, 1, True),
        "add-comment": ("add_comment", 2, 2, True),
        "delete-comment": ("delete_comment", 1, 1, True),
        "run-workflow": (None, 0, 1, False),
    }


def test_a_file_system_by_hand(tmp_path: Any) -> None:
    assert covered(FILE_SYSTEM, tmp_path) == {
        "read_file": ("read_file", 1, 1, True),
        "write_file": ("write_file", 1, 2, True),  # content is no column
        "list_directory": ("list_directory", 1, 1, True),
        "move_file": ("move_file", 1, 2, True),  # the file, but not where to
        "delete_file": ("delete_file", 1, 1, True),
        "search_files": ("search_files", 1, 1, True),
    }


def test_without_tools_nothing_is_covered() -> None:
    profile = mine_tables(ISSUE_TRACKER, 0, 5.0).profile
    rows = intent_coverage(ISSUE_TRACKER, [], profile)
    assert not any(row.covered for row in rows)
    assert {row.why for row in rows} == {
        "nothing that a database answers", *(f"no tool does {v}" for v in ("get", "list", "search", "create", "update", "transition", "delete")),
    }  # fmt: skip


def test_an_operation_about_nothing_or_about_no_table_is_told() -> None:
    odd = ISSUE_TRACKER.model_copy(
        update={
            "operations": [
                SourceOperation(name="a", description="", verb="get", entity=""),
                SourceOperation(name="b", description="", verb="get", entity="planets"),
            ]
        }
    )
    rows = intent_coverage(odd, [], mine_tables(ISSUE_TRACKER, 0, 5.0).profile)
    assert [row.why for row in rows] == ["about no entity", "its entity is no table"]


def test_paging_formats_and_credentials_narrow_nothing() -> None:
    names = ["limit", "pageSize", "api_key", "format", "cursor", "status"]
    assert [p.name for p in telling([SourceParameter(name=n, type="string") for n in names])] == ["status"]


@pytest.mark.parametrize("name", ["createNote", "create-note", "Create Note", "notes.create_note", "create_note"])
def test_names_are_compared_as_snake_case(name: str) -> None:
    assert snake(name) == "create_note"
