"""Wishes: read tools are called as in the source where they do the same; each name once."""

from typing import Any

from schemas.themes import SourceOperation, SourceParameter
from schemas.tools import Tool
from tasks.authors.rules.tools.wishes import Wishes
from tests.tasks.mining.entities.by_hand import ISSUE_TRACKER, WEATHER, entity, field


def tool(name: str, operation: Any, table: str, *arguments: str, read_only: bool = True) -> Tool:
    schema = {"type": "object", "properties": {argument: {"type": "string"} for argument in arguments}}
    return Tool(
        name=name, description=name, operation=operation, read_only=read_only, input_schema=schema, output_schema={},
        intent={"table": table},
    )  # fmt: skip


def test_a_search_is_called_like_the_sources_list() -> None:
    wishes = Wishes(ISSUE_TRACKER.operations, ISSUE_TRACKER.entities)
    assert wishes.name_of(tool("search_issues", "search", "issues", "status")) == "list_issues"
    assert wishes.name_of(tool("list_user_issues", "list", "issues", "user_id")) == "list_user_issues", "given away"
    assert wishes.name_of(tool("get_issue_", "get", "issues", "issue_number")) == "get_issue"


def test_a_get_that_names_no_row_is_a_search() -> None:
    many = SourceOperation(
        name="getAlerts", description="", verb="get", entity="alerts",
        parameters=[SourceParameter(name="severity", type="string")],
    )  # fmt: skip
    wishes = Wishes([many], WEATHER.entities)
    assert wishes.name_of(tool("get_alert", "get", "alerts", "alert_id")) == "get_alert"
    assert wishes.name_of(tool("search_alerts", "search", "alerts", "severity")) == "get_alerts"


def test_writes_other_tables_and_odd_names_keep_their_own() -> None:
    odd = SourceOperation(name="!!", description="", verb="list", entity="notes")
    wishes = Wishes(
        [*ISSUE_TRACKER.operations, odd], [*ISSUE_TRACKER.entities, entity("notes", "note", field("title", "title"))]
    )
    assert wishes.name_of(tool("create_it", "create", "issues", read_only=False)) == "create_it"
    assert wishes.name_of(tool("search_users", "search", "users")) == "search_users"
    assert wishes.name_of(tool("search_notes", "search", "notes")) == "search_notes"


def test_without_a_source_nothing_is_wished() -> None:
    assert Wishes([], []).name_of(tool("get_issue", "get", "issues")) == "get_issue"
