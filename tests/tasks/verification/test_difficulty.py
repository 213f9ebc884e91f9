"""Difficulty counts what it says, and more calls never lower a level."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.difficulty import Difficulty
from schemas.documents import Document
from schemas.programs import Both, Compare, Const, If, Program, Ref
from tasks.toolgraph.edges import tool_edges
from tasks.verification.difficulty import count_calls, level_of, measure
from tests.tasks.verification.runs import Step, make_proof, make_tool

CREW_ID = {"type": "integer", "x-domain": "crews.crew_id"}
NAME = {"type": "string", "x-domain": "crews.name"}
ITEMS = {"items": {"type": "array", "items": {"type": "object", "properties": {"crew_id": CREW_ID, "name": NAME}}}}
SEARCH = make_tool("search_crews", "search", "crews", takes={"name": NAME, "offset": {}}, gives=ITEMS)
GET = make_tool(
    "get_crew", "get", "crews", takes={"crew_id": CREW_ID}, required=["crew_id"], gives={"crew_id": CREW_ID}
)
BY_NAME = make_tool("name_crew", "get", "crews", takes={"name": NAME}, gives={"name": NAME})
OTHER = make_tool("get_city", "get", "cities", takes={"city": {}})
TOOLS = [SEARCH, GET, BY_NAME, OTHER]
EDGES = tool_edges(TOOLS, {"crews.crew_id"})
PAGE = {"items": [{"crew_id": 7, "name": "Night"}, {"crew_id": 8, "name": "Day"}, {"crew_id": 9, "name": "Dawn"}]}


def document(path: str) -> Document:
    return Document(path=path, format="md", title=path, about="", origin="written", text="")


def features(**changes: Any) -> Difficulty:
    """A task in the middle of every bound."""
    plain = {
        "calls": 12, "unique_tools": 4, "weak_share": 0.2, "independent_share": 0.1, "branching": 1, "other_tools": 20,
        "other_rows": 5, "other_documents": 0, "clauses_per_call": 1.0,
    }  # fmt: skip
    return Difficulty.model_validate(plain | changes | {"level": 0})


def test_links_rows_and_tools_are_told_apart() -> None:
    steps: list[Step] = [
        ("search_crews", {}, PAGE),
        ("get_crew", {"crew_id": 7}, {"crew_id": 7}),
        ("name_crew", {"name": "Day"}, {"name": "Day"}),
        ("get_city", {"city": "Bonn"}, {}),
        ("get_crew", {"crew_id": 99}, {"crew_id": 99}),
    ]
    test = Compare(operator=">", left=Ref(name="a"), right=Const(value=1))
    program = Program(body=(If(condition=Both(conditions=(test, test)), then=()),), answer={"n": Const(value=1)})
    task, gold = make_proof("t", "The crews count.", steps, program=program)
    found = measure(task, gold, [*TOOLS, make_tool("list_crews", "list", "crews")], EDGES, [])
    assert (found.calls, found.unique_tools, found.branching) == (5, 4, 2)
    assert (found.weak_share, found.independent_share) == (0.25, 0.5)
    assert (found.other_tools, found.other_rows, found.other_documents) == (1, 1, 0)
    assert found.clauses_per_call == 0.2


def test_documents_not_read_count_only_where_one_is_read() -> None:
    documents = [document("a.md"), document("b.md"), document("c.md")]
    read = make_tool("read_document", "get", takes={"path": {}})
    for path, others in (("a.md", 2), ("elsewhere.md", 0)):
        task, gold = make_proof("t", "It is so.", [("read_document", {"path": path}, {})])
        assert measure(task, gold, [read], [], documents).other_documents == others


def test_pages_of_one_listing_count_once() -> None:
    pages = [("search_crews", {"limit": 2, "offset": offset}) for offset in (0, 2, 4)]
    assert count_calls(pages) == 1
    assert count_calls([*pages, ("search_crews", {"limit": 3, "offset": 2})]) == 2
    assert count_calls([*pages, pages[0]]) == 2


@pytest.mark.parametrize(
    ("calls", "level"), [(1, 0), (2, 0), (7, 1), (10, 1), (11, 2), (15, 2), (16, 3), (24, 3), (25, 4), (39, 4), (40, 5)]
)
def test_levels_go_by_calls(calls: int, level: int) -> None:
    assert level_of(features(calls=calls)) == level


def test_three_votes_move_a_level_by_one() -> None:
    hard = {"unique_tools": 9, "branching": 9, "other_tools": 40}
    easy = {"unique_tools": 2, "branching": 0, "other_tools": 1}
    assert level_of(features(**hard)) == 3
    assert level_of(features(**easy)) == 1
    assert level_of(features(unique_tools=9, branching=9)) == 2
    assert level_of(features(calls=8, **easy)) == 1
    assert level_of(features(calls=2, **hard)) == 0


@given(
    rest=st.fixed_dictionaries(
        {
            "unique_tools": st.integers(1, 12),
            "weak_share": st.floats(0, 1),
            "independent_share": st.floats(0, 1),
            "branching": st.integers(0, 9),
            "other_tools": st.integers(0, 60),
            "other_rows": st.integers(0, 99),
            "other_documents": st.integers(0, 9),
            "clauses_per_call": st.floats(0, 3),
        }
    ),
    calls=st.lists(st.integers(1, 60), min_size=2, max_size=2).map(sorted),
)
def test_more_calls_never_lower_the_level(rest: dict[str, Any], calls: list[int]) -> None:
    fewer, more = (features(calls=count, **rest) for count in calls)
    assert level_of(fewer) <= level_of(more)
