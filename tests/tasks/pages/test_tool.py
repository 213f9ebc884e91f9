"""A tool's page tells its schemas, its tests with their outcomes, and its place in the tool graph."""

from __future__ import annotations

from typing import Any

from schemas.tools import Expectation, TestOutcome, Tool, ToolEdge, ToolTest
from tasks.pages.tool import tool_page

TOOL = Tool(
    name="search_loaves",
    description="Search loaves.",
    operation="search",
    read_only=True,
    input_schema={
        "properties": {
            "kind": {"type": ["string", "null"], "enum": ["rye", "a|b"], "default": None, "description": "Only this."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        },
        "required": ["kind"],
    },
    output_schema={
        "properties": {
            "items": {
                "type": "array",
                "items": {"type": "object", "properties": {"loaf_id": {"type": "integer", "x-domain": "loaves.id"}}},
            }
        }
    },
)


def make_test(case: str, **expect: Any) -> ToolTest:
    return ToolTest(id=f"test_{case}", tool=TOOL.name, name=f"the {case} case", case=case, expect=Expectation(**expect))


TESTS = [
    (make_test("works", result={"total": 3}), TestOutcome(test_id="test_works", tool=TOOL.name, passed=True)),
    (make_test("edge", changes={"loaves": {"inserted": 1}}),
     TestOutcome(test_id="test_edge", tool=TOOL.name, passed=False, detail="total is 4")),
    (make_test("refuses", error_code="bad_kind"), None),
    (ToolTest(id="other", tool="other", name="other", case="works", expect=Expectation()), None),
]  # fmt: skip
EDGES = [
    ToolEdge(source="get_baker", target=TOOL.name, kind="weak", weight=2, parameter="kind", domain="loaves.kind"),
    ToolEdge(source=TOOL.name, target="get_loaf", kind="strong", weight=3, parameter="loaf_id", domain="loaves.id"),
    ToolEdge(source="count_bakers", target=TOOL.name, kind="independent", weight=1),
]


def test_the_page_tells_all() -> None:
    page = tool_page(TOOL, "bakery", TESTS, EDGES)
    assert "| `kind` | string or null | yes | Only this; one of rye, a\\|b; default null |" in page
    assert "| `limit` | integer | no | minimum 1; maximum 50 |" in page
    assert "| `items` | array of object | no |" in page
    assert "| `items[].loaf_id` | integer | no | value of `loaves.id` |" in page
    assert "## Tests (1 of 3 passed)" in page
    assert '| the works case | works | passed | {} | {"total": 3} |' in page
    assert "**failed**: total is 4" in page
    assert "| the refuses case | refuses | never ran | {} | refusal `bad_kind` |" in page
    feeds, fed = page.split("## What can feed it")[1].split("## What it can feed")
    assert "| `get_baker` | weak | `kind` | `loaves.kind` |" in feeds and "count_bakers" not in feeds
    assert "| `get_loaf` | strong | `loaf_id` | `loaves.id` |" in fed


def test_a_tool_alone() -> None:
    bare = TOOL.model_copy(update={"input_schema": {}, "output_schema": {}, "read_only": False})
    page = tool_page(bare, "bakery", [], [])
    assert page.count("Nothing.") == 2 and page.count("No other tool.") == 2 and "**Writes**" in page
