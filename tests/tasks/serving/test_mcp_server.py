"""What an MCP client is offered, and how results become MCP's. Over real transports: tests/flows/cli/test_serving.py."""

from __future__ import annotations

import dataclasses

from tasks.serving.mcp_server import Worlds, offers_of, result_of
from tests.tasks.serving.conftest import Served


def test_tools_keep_their_names_and_schemas(served: Served) -> None:
    bundle = served.ground.bundle
    offers = offers_of({"music_store": bundle})
    assert list(offers) == list(bundle.tools)
    for name, offer in offers.items():
        tool, listed = bundle.tools[name], offer.listed
        assert (listed.input_schema, listed.output_schema) == (tool["input_schema"], tool["output_schema"])
        assert listed.annotations and listed.annotations.read_only_hint is tool["read_only"]


def test_several_environments_are_told_apart_by_their_names(served: Served) -> None:
    bundle = served.ground.bundle
    offers = offers_of({"one": bundle, "two": dataclasses.replace(bundle, environment_id="other")})
    assert len(offers) == 2 * len(bundle.tools)
    assert (offers["two__get_album"].tool, offers["two__get_album"].bundle.environment_id) == ("get_album", "other")


def test_a_refusal_is_an_error_without_structure() -> None:
    fine, refused = result_of({"a": 1}), result_of({"error": {"code": "not_found", "message": "none"}})
    assert (fine.is_error, fine.structured_content) == (False, {"a": 1})
    assert (refused.is_error, refused.structured_content) == (True, None)
    assert "not_found" in refused.content[0].text  # type: ignore[union-attr]
    assert result_of([1]).is_error


def test_worlds_are_opened_by_the_first_call_and_closed(served: Served) -> None:
    bundle = served.ground.bundle
    order = offers_of({"one": bundle})["create_purchase_order"]
    with Worlds(served.ground.world) as one, Worlds(served.ground.world) as two:
        first = one.call(order, {"album_id": 200, "quantity": 3})
        assert two.call(order, {"album_id": 200, "quantity": 3}) == first
        assert one.call(order, {"album_id": 200, "quantity": 3})["order_id"] == first["order_id"] + 1
