"""Edges that a model labels: the floor stands, and the schemas decide what may be raised."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.tools import Tool, ToolEdge
from tasks.authors.llm.coder.edges import MOST_TARGETS, label_edges
from tasks.authors.llm.coder.proposals import EdgeLabel, EdgeLabels
from tasks.authors.llm.model import BudgetSpent, Unusable
from tasks.toolgraph.edges import tool_edges
from tests.tasks.authors.llm.scripted import ScriptedModel

MOST_CALLS = 80

LIST = {"type": "array", "items": {"type": "object", "properties": {"code": {"type": "string"}}}}


def tool(name: str, takes: dict[str, Any], gives: dict[str, Any], optional: tuple[str, ...] = ()) -> Tool:
    return Tool(
        name=name,
        description=name,
        operation="get",
        read_only=True,
        input_schema={"type": "object", "properties": takes, "required": [n for n in takes if n not in optional]},
        output_schema={"type": "object", "properties": gives},
    )


PARK = {"type": "integer", "x-domain": "parks.park_id"}
TOOLS = [
    tool(
        "find_parks",
        {},
        {"park_id": PARK, "mean": {"type": "number"}, "codes": LIST, "note": {"type": ["string", "null"]}},
    ),
    tool("get_park", {"park_id": PARK}, {"name": {"type": "string"}}),
    tool(
        "translate",
        {"text": {"type": "string"}, "depth": {"type": "integer"}},
        {"text": {"type": "string"}},
        ("depth",),
    ),
]
FLOOR = tool_edges(TOOLS, {"parks.park_id"})
NONE = EdgeLabels(labels=[])


def labelled(*labels: EdgeLabel) -> tuple[list[ToolEdge], ScriptedModel]:
    """Return what becomes of labels of find_parks; the other sources get none."""
    model = ScriptedModel("coder", [EdgeLabels(labels=list(labels)), NONE, NONE])
    return label_edges(model, TOOLS, FLOOR, MOST_CALLS), model


def label(target: str, output: str, parameter: str, kind: Any = "strong") -> EdgeLabel:
    return EdgeLabel(target=target, output=output, parameter=parameter, kind=kind)


def between(edges: list[ToolEdge], source: str, target: str) -> list[tuple[str, str | None, str]]:
    return [(e.kind, e.parameter, e.author) for e in edges if (e.source, e.target) == (source, target)]


@pytest.mark.parametrize("output", ["note", "codes.*.code"])
@pytest.mark.parametrize("kind", ["strong", "weak"])
def test_an_independent_pair_is_raised(kind: str, output: str) -> None:
    edges, model = labelled(label("translate", output, "text", kind))
    assert between(edges, "find_parks", "translate") == [(kind, "text", "llm")]
    assert between(edges, "translate", "find_parks")[0][0] == ("weak" if kind == "weak" else "independent")
    assert [c.outcome for c in model.contributions] == ["kept"]
    assert [(e.source, e.target, e.parameter or "") for e in edges] == sorted(
        (e.source, e.target, e.parameter or "") for e in edges
    )


def test_a_strong_edge_of_the_floor_stays() -> None:
    strong = between(FLOOR, "find_parks", "get_park")
    assert [kind for kind, _, _ in strong] == ["strong"]
    edges, model = labelled(label("get_park", "mean", "park_id", "weak"))
    assert between(edges, "find_parks", "get_park") == strong
    assert "get_park(" not in model.seen[0][-1].content


@pytest.mark.parametrize(
    "wrong",
    [
        label("translate", "missing", "text"),
        label("translate", "note.deeper", "text"),
        label("translate", "codes", "text"),
        label("translate", "codes.code", "text"),
        label("translate", "note", "language"),
        label("translate", "mean", "text"),
        label("translate", "mean", "depth", "weak"),
        label("translate", "park_id", "depth", "strong"),
        label("find_parks", "note", "text"),
        label("nothing", "note", "text"),
    ],
)
def test_what_the_schemas_do_not_allow_is_refused(wrong: EdgeLabel) -> None:
    edges, model = labelled(wrong)
    assert edges == FLOOR
    assert [(c.outcome, c.gate) for c in model.contributions] == [("refused", "schemas")]


def test_another_domain_is_refused_and_an_equal_label_changes_nothing() -> None:
    takers = [*TOOLS, tool("get_zoo", {"zoo_id": {"type": "integer", "x-domain": "zoos.zoo_id"}}, {})]
    floor = tool_edges(takers, set())
    answer = EdgeLabels(labels=[label("get_zoo", "park_id", "zoo_id"), label("get_park", "park_id", "park_id", "weak")])
    model = ScriptedModel("coder", [answer, NONE, NONE, NONE])
    assert label_edges(model, takers, floor, MOST_CALLS) == floor
    assert [c.gate for c in model.contributions] == ["schemas", "floor"]


@pytest.mark.parametrize("fault", [Unusable("broken_json", "cut"), BudgetSpent("spent")])
def test_faults_leave_the_floor(fault: Exception) -> None:
    model = ScriptedModel("coder", [fault, NONE, NONE])
    assert label_edges(model, TOOLS, FLOOR, MOST_CALLS) == FLOOR
    assert len(model.seen) == (1 if isinstance(fault, BudgetSpent) else 3)


def test_one_call_a_source_and_a_bound_on_all() -> None:
    for number, calls in ((40, 40), (MOST_TARGETS + 2, MOST_CALLS)):
        many = [
            tool(f"tool_{at:03}", {"text": {"type": "string"}}, {"text": {"type": "string"}}) for at in range(number)
        ]
        model = ScriptedModel("coder", [NONE] * MOST_CALLS)
        floor = tool_edges(many, set())
        assert label_edges(model, many, floor, MOST_CALLS) == floor
        assert len(model.seen) == calls
