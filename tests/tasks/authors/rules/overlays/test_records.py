"""Records: the source's own operations as actions, worlds of entities that load and pass the gate."""

from functools import cache
from pathlib import Path

import pytest

from schemas.environments import Overlay
from schemas.operations import Action, Given
from schemas.themes import Theme
from tasks.authors.rules.author import RulesAuthor
from tasks.authors.rules.overlays.draws import draw
from tasks.authors.rules.overlays.records import MOST_ACTIONS, propose_records
from tasks.authors.rules.tools.module import propose_tools
from tasks.mining.quality.gate import judge_world, refusal
from tasks.mining.tables import MinedTables, mine_tables
from tasks.mining.worlds import place_environment, propose_world
from tests.tasks.mining.entities.by_hand import FILE_SYSTEM, ISSUE_TRACKER, NOTES, SHOP, THEMES, WEATHER
from tests.tasks.themes.mined import theme_by_name

START = "2025-01-01T09:00:00"


@cache
def mined(name: str) -> MinedTables:
    return mine_tables(next(theme for theme in THEMES if theme.name == name), 0, 5.0)


def overlay(theme: Theme) -> Overlay:
    tables = mined(theme.name)
    found = propose_records(tables.profile, tables.frames, theme, 0, START)
    assert found is not None
    return found


def actions(theme: Theme) -> dict[str, Action]:
    return {action.name: action for action in overlay(theme).operations.actions}


def test_the_sources_names_and_what_it_leaves_out() -> None:
    assert list(actions(ISSUE_TRACKER)) == [
        "create_issue", "update_issue", "close_issue", "reopen_issue", "add_comment", "delete_comment",
    ]  # fmt: skip
    assert {"create_note", "update_note", "delete_note", "archive_note", "restore_note"} == set(actions(NOTES))
    assert {"orders_create", "orders_cancel", "products_update"} < set(actions(SHOP))
    assert {"write_file", "move_file", "delete_file"} < set(actions(FILE_SYSTEM))


def test_a_verb_that_creates_and_moves_names_two_actions() -> None:
    """A source's send_email creates an email; a draft that is sent is another action."""
    operations = [op for op in NOTES.operations if op.verb not in ("create", "transition")]
    creating = next(op for op in NOTES.operations if op.verb == "create").model_copy(update={"name": "archive_note"})
    theme, tables = NOTES.model_copy(update={"operations": [creating, *operations]}), mined(NOTES.name)
    found = propose_records(tables.profile, tables.frames, theme, 0, START)
    assert found is not None
    verbs = {action.name: action.verb for action in found.operations.actions}
    assert (verbs["archive_note"], verbs["mark_archived_note"]) == ("create", "transition")


def test_a_source_that_only_reads_gets_guarded_writes() -> None:
    found = actions(WEATHER)
    assert {action.verb for action in found.values()} >= {"create", "update", "transition"}
    assert all(action.guards for action in found.values())


def test_guards_of_an_issue_tracker() -> None:
    found = actions(ISSUE_TRACKER)
    codes = {name: [guard.code for guard in action.guards] for name, action in found.items()}
    assert codes["create_issue"] == ["title_taken"]
    assert codes["update_issue"] == ["invalid_transition", "unchanged", "title_taken"]
    assert codes["close_issue"] == codes["reopen_issue"] == ["invalid_transition"]
    assert codes["add_comment"] == ["issue_not_open", "title_taken"]
    assert codes["delete_comment"] == ["issue_not_open"]
    assert [guard.code for guard in actions(NOTES)["delete_note"].guards][:2] == ["has_notes", "has_reminders"]


def test_a_life_of_several_steps_has_them_in_their_order() -> None:
    moves = {a.name: a for a in actions(SHOP).values() if a.verb == "transition"}
    assert {"settle_order", "ship_order", "deliver_order", "orders_cancel"} <= set(moves)
    assert moves["ship_order"].guards[0].one_of == ("paid",)
    assert set(moves["orders_cancel"].guards[0].one_of or ()) == {"pending", "paid", "shipped"}


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_requests_state_what_must_be_given_and_nothing_else(theme: Theme) -> None:
    found = overlay(theme).operations.actions
    assert len(found) <= MOST_ACTIONS
    for action in found:
        row = {f.key.name for f in action.finds if f.bind == action.returns and isinstance(f.key, Given)}
        stated = {a.name for a in action.arguments if a.required} - row
        for request in action.requests:
            slots = {part.split("}")[0] for part in request.split("{")[1:]}
            assert slots == stated | ({"row"} if row else set()), (action.name, request)


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_what_a_request_states_can_be_drawn(theme: Theme) -> None:
    from random import Random

    for action in overlay(theme).operations.actions:
        for argument in action.arguments:
            if argument.draws:
                values = {str(draw(argument.draws, Random(f"{argument.name}:{n}"), START)) for n in range(8)}
                assert len(values) > 1 and all(value.strip() for value in values)
            else:
                assert argument.key_of or argument.choices


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_every_reference_that_is_given_is_found_first(theme: Theme) -> None:
    for action in overlay(theme).operations.actions:
        found = {f.key.name for f in action.finds if isinstance(f.key, Given)}
        assert {argument.name for argument in action.arguments if argument.key_of} == found


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_a_world_of_entities_loads_and_passes_the_gate(theme: Theme, tmp_path: Path) -> None:
    world = propose_world(RulesAuthor(), theme, mined(theme.name), 0)
    environment = place_environment(world, theme, "rules", 0, tmp_path)
    database = tmp_path / environment.id / "world.db"
    found = judge_world(environment.profile, world.frames, database, environment.operations, environment.clock_start)
    assert refusal(found) is None
    tools = propose_tools(environment, theme).tools
    assert len(tools) >= 8
    assert sum(not tool.read_only and tool.intent["guards"] > 0 for tool in tools) >= 2
    assert any(table.foreign_keys for table in environment.profile.tables)


def test_equal_arguments_give_equal_operations() -> None:
    assert overlay(SHOP) == overlay(SHOP)


def test_a_theme_without_entities_has_no_records() -> None:
    theme = theme_by_name("seattle_weather")
    tables = mine_tables(theme, 0, 1.0)
    assert propose_records(tables.profile, tables.frames, theme, 0, START) is None
