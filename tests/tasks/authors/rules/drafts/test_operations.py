"""Requests for actions: rows and values put into the author's sentences."""

from __future__ import annotations

import random

import pytest

from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import actions, creations, draw_values, required, wish
from tasks.authors.rules.drafts.programmatic import SHAPES
from tests.tasks.authors.rules.tool_worlds import ToolWorld


def _catalog(world: ToolWorld) -> Catalog:
    return Catalog(world.environment, world.module.tools, world.frames)


def test_every_action_can_be_asked_for(worlds: list[ToolWorld]) -> None:
    for world in worlds:
        catalog = _catalog(world)
        assert [t.name for t in actions(catalog)] == [t.name for t in world.module.tools if not t.read_only]
        for tool in actions(catalog):
            values = draw_values(catalog, tool, random.Random(0))
            rows = {"row": "it", **{name: f"that {name}" for name in required(tool) if name not in values}}
            for turn in range(4):
                request = wish(tool, {**rows, **values}, random.Random(turn))
                assert "{" not in request and all(str(value) in request for value in values.values()), request


def test_texts_get_quotes_where_they_are_no_plain_words(small: ToolWorld) -> None:
    create = small.tool("create_booking")
    said = {"flight_id": "that flight", "seats": 3}
    assert wish(create, {**said, "party": "Rosa Delgado"}) == "hold 3 seats on that flight for Rosa Delgado"
    assert wish(create, {**said, "party": "Us, all."}) == "hold 3 seats on that flight for “Us, all.”"


def test_creations_name_one_row_and_state_the_rest(worlds: list[ToolWorld]) -> None:
    found = {c.tool.name: (c.parameter, c.about.name) for world in worlds for c in creations(_catalog(world))}
    assert found == {
        "open_ticket": ("park_code", "parks"),
        "request_review": ("title", "films") if "title" in str(found) else found["request_review"],
        "create_purchase_order": ("album_id", "albums"),
        "create_booking": ("flight_id", "flights"),
    }


@pytest.mark.parametrize(
    ("theme", "shape"),
    [
        ("new_york_flights", "spread_demand"),
        ("music_store", "spread_demand"),
        ("baseball", "share_out"),
        ("baseball", "hand_over"),
        ("films", "share_out"),
        ("films", "hand_over"),
    ],
)
def test_shapes_find_what_they_need_by_intent(worlds: list[ToolWorld], theme: str, shape: str) -> None:
    world = next(world for world in worlds if world.environment.theme_name == theme)
    draw = next(each for each in SHAPES if each.__name__ == shape)
    drafts = [draw(_catalog(world), random.Random(turn)) for turn in range(20)]
    drawn = [draft for draft in drafts if draft is not None]
    assert drawn and all(draft.shape == shape and "{" not in draft.request for draft in drawn)
