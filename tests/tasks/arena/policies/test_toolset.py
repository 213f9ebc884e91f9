"""What schemas alone tell of tools: which arguments narrow a listing, and which tools are alike."""

from __future__ import annotations

import pytest

from tasks.arena.policies.toolset import UNKNOWN, Toolset, kind, within
from tests.tasks.proving_ground import ProvingGround


@pytest.fixture(scope="module")
def tools(records: ProvingGround) -> Toolset:
    return Toolset.of(records.tools)


def test_a_listing_says_as_much_as_the_tools_themselves(records: ProvingGround, tools: Toolset) -> None:
    with records.world.open(records.bundle, "listing") as session:
        listed = Toolset(session.list_tools())
    assert list(listed) == list(tools) and len(list(tools)) == len(records.tools)


def test_filters_narrow_a_listing_and_pages_do_not(records: ProvingGround, tools: Toolset) -> None:
    for tool in records.tools:
        filters = set(tool.intent.get("filters", ()))
        narrowing = tools.narrowing(tool.name)
        assert not narrowing & {"limit", "offset", "sort_by", "descending", *tool.input_schema["required"]}
        if tool.operation == "search" and filters:
            assert narrowing == filters, tool.name
        if tool.operation == "get" or not tool.read_only:
            assert not narrowing, tool.name


def test_look_alikes_take_the_same_call_and_do_the_same_sort_of_thing(records: ProvingGround, tools: Toolset) -> None:
    by_name = {tool.name: tool for tool in records.tools}
    found = 0
    for tool in records.tools:
        given = dict.fromkeys(tool.input_schema["required"], UNKNOWN)
        for name in tools.look_alikes(tool.name, given):
            other = by_name[name]
            found += 1
            assert name != tool.name and other.read_only == tool.read_only
            assert set(other.input_schema["required"]) <= given.keys() <= set(other.input_schema["properties"])
    assert found > 10
    assert "receive_purchase_order" in tools.look_alikes("cancel_purchase_order", {"order_id": 3})


def test_a_value_that_another_tool_does_not_know_makes_it_no_look_alike(tools: Toolset) -> None:
    ordered = {"sort_by": "created_at", "limit": 3}
    assert not any(
        "created_at" not in tools[name].parameters["sort_by"].get("enum", ())
        for name in tools.look_alikes("search_purchase_orders", ordered)
    )


def test_schemas_tell_of_what_stands_in_results(tools: Toolset) -> None:
    outputs = tools["search_purchase_orders"].outputs
    order = within(outputs, ("items", 0, "order_id"))
    assert kind(order, "order_id") == "purchase_orders.order_id"
    assert kind(within(outputs, ("items", 0, "nothing")), "nothing") == "nothing"
