"""Edges by value domains, and walks that never call for what nobody can know."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from schemas.tools import Operation, Tool
from tasks.toolgraph.edges import tool_edges
from tasks.toolgraph.walks import Walker

OPAQUE = {"flights.flight_id"}


def tool(
    name: str, takes: dict[str, str], gives: dict[str, str], operation: Operation = "get", optional: bool = False
) -> Tool:
    return Tool(
        name=name,
        description=name,
        operation=operation,
        read_only=True,
        input_schema={
            "type": "object",
            "properties": {p: {"type": "string", "x-domain": d} for p, d in takes.items()},
            "required": [] if optional else list(takes),
        },
        output_schema={
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {"type": "object", "properties": {p: {"x-domain": d} for p, d in gives.items()}},
                }
            },
        },
    )


SEARCH = tool(
    "search_flights", {"origin": "airports.code"}, {"flight_id": "flights.flight_id"}, "search", optional=True
)
FLIGHT = tool("get_flight", {"flight_id": "flights.flight_id"}, {"destination": "airports.code"})
AIRPORT = tool("get_airport", {"code": "airports.code"}, {})
ALONE = tool("list_genres", {}, {"genre": "genres.genre"}, "search")
TOOLS = [SEARCH, FLIGHT, AIRPORT, ALONE]


@pytest.mark.parametrize(
    ("source", "target", "kind", "weight"),
    [
        ("search_flights", "get_flight", "strong", 3),
        ("get_flight", "get_airport", "weak", 2),
        ("get_airport", "get_flight", "weak", 2),
        ("get_flight", "search_flights", "weak", 2),
        ("list_genres", "get_flight", "independent", 1),
        ("get_airport", "list_genres", "independent", 1),
    ],
)
def test_edge_kinds(source: str, target: str, kind: str, weight: int) -> None:
    edge = next(e for e in tool_edges(TOOLS, OPAQUE) if (e.source, e.target) == (source, target))
    assert (edge.kind, edge.weight) == (kind, weight)


def test_graph_is_complete() -> None:
    pairs = {(e.source, e.target) for e in tool_edges(TOOLS, OPAQUE)}
    assert pairs == {(a.name, b.name) for a in TOOLS for b in TOOLS if a is not b}


def test_walks_start_free_and_never_need_an_unseen_id() -> None:
    walker = Walker(TOOLS, tool_edges(TOOLS, OPAQUE), OPAQUE)
    for seed in range(300):
        walk = walker.walk(random.Random(seed), 6)
        assert walk[0] in ("search_flights", "list_genres")
        if "get_flight" in walk:
            assert "search_flights" in walk[: walk.index("get_flight")]
        assert max(Counter(walk).values()) <= 2


def test_walks_follow_the_weights() -> None:
    walker = Walker(TOOLS, tool_edges(TOOLS, OPAQUE), OPAQUE)
    walks = [walker.walk(random.Random(seed), 2) for seed in range(3000)]
    after = Counter(walk[1] for walk in walks if walk[0] == "search_flights")
    assert after["get_flight"] / after.total() == pytest.approx(3 / 5, abs=0.05)
    assert after["get_airport"] / after.total() == pytest.approx(1 / 5, abs=0.05)


def test_walk_is_a_function_of_its_seed() -> None:
    walker = Walker(TOOLS, tool_edges(TOOLS, OPAQUE), OPAQUE)
    assert walker.walk(random.Random("a"), 6) == walker.walk(random.Random("a"), 6)


def test_weights_can_be_given_by_kind() -> None:
    """A setting may favour other edges; every kind takes its own weight."""
    weights = {"strong": 7, "weak": 5, "independent": 4}
    edges = tool_edges(TOOLS, OPAQUE, weights)
    assert {edge.kind for edge in edges} == set(weights)
    assert all(edge.weight == weights[edge.kind] for edge in edges)
    assert [(e.source, e.target, e.kind) for e in edges] == [
        (e.source, e.target, e.kind) for e in tool_edges(TOOLS, OPAQUE)
    ]
