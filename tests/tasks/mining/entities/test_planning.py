"""Plans: keys, labels and references of entities' tables; companions where a source names few things."""

import pytest

from schemas.themes import Theme
from tasks.mining.entities.planning import plan_tables, written_entities
from tests.tasks.mining.entities.by_hand import (
    FILE_SYSTEM,
    ISSUE_TRACKER,
    NOTES,
    SHOP,
    THEMES,
    WEATHER,
    entity,
    field,
    operation,
    theme,
)


def table(of: Theme, name: str):
    return next(plan for plan in plan_tables(of) if plan.name == name)


@pytest.mark.parametrize("of", THEMES, ids=lambda t: t.name)
def test_references_point_backwards_and_names_are_free(of: Theme) -> None:
    seen: set[str] = set()
    for plan in plan_tables(of):
        names = [plan.key, *(column.name for column in plan.columns)]
        assert len(set(names)) == len(names)
        assert all(column.target in (None, plan.name, *seen) for column in plan.columns)
        assert plan.label in names
        seen.add(plan.name)


def test_a_number_is_the_key_and_a_state_is_called_status() -> None:
    issues = table(ISSUE_TRACKER, "issues")
    assert issues.key == "issue_number"
    assert issues.column("status").field.name == "state"
    assert issues.column("assignee_id").target == "users"
    assert issues.column("title").required


def test_the_main_entity_is_the_most_written_one() -> None:
    assert written_entities(ISSUE_TRACKER, ISSUE_TRACKER.entities) == ["issues", "comments"]
    assert written_entities(NOTES, NOTES.entities) == ["notes"]
    assert written_entities(WEATHER, WEATHER.entities) == ["forecasts"]
    assert written_entities(SHOP, SHOP.entities)[0] == "orders"


def test_whom_few_entities_name_gets_a_table() -> None:
    assert [plan.name for plan in plan_tables(FILE_SYSTEM)] == ["owners", "directories", "files"]
    assert table(FILE_SYSTEM, "directories").column("owner_id").target == "owners"


def test_a_single_entity_gets_companions() -> None:
    alone = theme(
        "alone", "Alone", [entity("memos", "memo", field("title", "title"))], [operation("get", "get", "memos")]
    )
    plans = plan_tables(alone)
    assert len(plans) >= 2
    assert any(column.target for plan in plans for column in plan.columns)


def test_a_ring_of_references_is_opened() -> None:
    ring = theme(
        "ring",
        "Ring",
        [
            entity("teams", "team", field("name", "name"), field("lead", "", to="users")),
            entity("users", "user", field("name", "person_name"), field("team", "", to="teams")),
        ],
        [],
    )
    targets = [(plan.name, column.target) for plan in plan_tables(ring) for column in plan.columns if column.target]
    assert len(targets) == 1


def test_reserved_names_and_unknown_targets_are_mended() -> None:
    odd = theme("odd", "Odd", [entity("lists", "list", field("order", "quantity"), field("of", "", to="nowhere"))], [])
    names = [column.name for column in table(odd, "lists").columns]
    assert "order" not in names and "list_order" in names
    assert {column.target for column in table(odd, "lists").columns} <= {None, "owners"}


def test_a_usual_field_is_not_the_sources() -> None:
    notes = table(NOTES, "notes")
    assert notes.column("title").given and not notes.column("status").given
