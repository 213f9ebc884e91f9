"""Measures of structure, counted by hand on a small world."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.documents import Document
from schemas.profiles import ColumnProfile, ForeignKey, TableProfile, WorldProfile
from schemas.rounds import Measures
from schemas.tools import Tool
from tasks.complexity.acceptance import judge_round
from tasks.complexity.measures import longest_chain, measure, reference_depth


def table(name: str, *parents: str) -> TableProfile:
    key = ColumnProfile(name="id", type="integer", role="key", nullable=False, distinct=3, words="id")
    columns = [key.model_copy(update={"name": f"{parent}_id", "role": "reference"}) for parent in parents]
    return TableProfile(
        name=name,
        singular=name,
        plural=name,
        kind="reference",
        rows=3,
        columns=[key, *columns],
        key="id",
        key_is_opaque=True,
        foreign_keys=[ForeignKey(column=f"{p}_id", to_table=p, to_column="id", coverage=1.0) for p in parents],
    )


def tool(name: str, takes: list[str], finds: list[str], *, read_only: bool = True, **intent: Any) -> Tool:
    """Return a tool that takes ids of tables and returns ids of tables."""
    inputs = {f"{t}_id": {"type": "integer", "x-domain": f"{t}.id"} for t in takes}
    outputs = {f"{t}_id": {"type": "integer", "x-domain": f"{t}.id"} for t in finds}
    return Tool(
        name=name,
        description=name,
        operation="get" if read_only else "update",
        read_only=read_only,
        input_schema={"type": "object", "properties": inputs, "required": list(inputs)},
        output_schema={"type": "object", "properties": outputs},
        intent=intent,
    )


WORLD = WorldProfile(tables=[table("regions"), table("cities", "regions"), table("shops", "cities"), table("notes")])
TOOLS = [
    tool("search_shops", [], ["shops"], tables=["shops"]),
    tool("get_shop", ["shops"], ["shops", "cities"], tables=["shops"]),
    tool("get_city", ["cities"], ["cities", "regions"], tables=["cities", "regions"]),
    tool("close_region", ["regions"], ["regions"], read_only=False, tables=["regions"], guards=1),
]


def test_a_chain_takes_each_id_from_the_call_before() -> None:
    opaque = WORLD.opaque_domains()
    assert longest_chain(TOOLS, opaque) == 4
    assert longest_chain(TOOLS[1:], opaque) == 1, "no call can be the first: nobody knows an id"
    assert longest_chain(TOOLS[:2], opaque) == 2
    assert longest_chain([], opaque) == 0


def test_going_in_circles_makes_no_chain_longer() -> None:
    back = tool("list_city_shops", ["cities"], ["shops"], tables=["shops", "cities"])
    assert longest_chain([*TOOLS, back], WORLD.opaque_domains()) == 4


def test_a_crowd_of_tools_is_searched_within_bounds() -> None:
    names = [f"t{n}" for n in range(40)]
    tools = [tool("start", [], names[:1])]
    tools += [tool(f"from_{name}", [name], names) for name in names]
    assert longest_chain(tools, {f"{name}.id" for name in names}) >= 40


def test_depth_counts_references_of_the_longest_way() -> None:
    assert reference_depth(WORLD) == 2
    ring = WorldProfile(tables=[table("a", "b"), table("b", "a"), table("c", "a")])
    assert reference_depth(ring) == 1, "tables that refer in a ring count as one"
    assert reference_depth(WorldProfile(tables=[])) == 0


def test_everything_is_counted() -> None:
    document = Document(path="a.md", format="md", title="A", about="a", origin="written", text="# A")
    measures = measure(WORLD, TOOLS, [document])
    assert measures == Measures(
        tables=4,
        fk_depth=2,
        guarded_writes=1,
        max_chain=4,
        formats=("md", "sqlite"),
        tools=4,
        simple_tools=2,
        rich_tools=2,
    )


BASE = Measures(
    tables=4, fk_depth=2, guarded_writes=3, max_chain=4, formats=("sqlite",), tools=10, simple_tools=5, rich_tools=5
)


@pytest.mark.parametrize(
    ("change", "number", "reason"),
    [
        ({}, 1, "adds_nothing"),
        ({"tools": 20}, 1, "adds_nothing"),
        ({"tables": 5}, 1, None),
        ({"formats": ("md", "sqlite")}, 1, None),
        ({"tables": 5, "max_chain": 3}, 1, "takes_away"),
        ({"tables": 5, "simple_tools": 6}, 1, None),
        ({"tables": 5, "simple_tools": 6}, 2, "too_simple"),
        ({"tables": 5, "rich_tools": 2}, 2, "too_simple"),
        ({"tables": 5}, 2, None),
    ],
)
def test_a_round_must_add_and_take_nothing_away(change: dict[str, Any], number: int, reason: str | None) -> None:
    verdict = judge_round(BASE, BASE.model_copy(update=change), number)
    assert (verdict and verdict[0]) == reason
