"""From designs to tools: what the profile makes precise, and which designs are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.authors.llm.coder.designs import Spec, spec_of
from tasks.authors.llm.coder.proposals import ToolDesign
from tasks.authors.llm.coder.verdicts import NotKept
from tests.tasks.authors.llm.coder.parks import PARK, close_design, floor, list_design, load_design, profile


def spec(design: ToolDesign) -> Spec:
    return spec_of(design, profile(), floor())


def test_columns_make_schemas_precise() -> None:
    made = spec(load_design())
    assert made.tool.input_schema == {
        "type": "object",
        "properties": {"park_id": {"type": "integer", "description": "the park", "x-domain": "parks.park_id"}},
        "required": ["park_id"],
        "additionalProperties": False,
    }
    assert made.result["name"]["x-domain"] == "parks.name"
    assert "x-domain" not in made.result["people"]
    assert (made.tool.author, made.tool.intent, made.tool.read_only) == ("llm", {}, True)
    assert made.columns == {"park_id": ("parks", "park_id")}
    assert not spec(close_design()).tool.read_only


def test_the_columns_type_counts_not_the_models() -> None:
    status = {"name": "status", "type": "integer", "description": "which", "column": "visits.status", "required": False}
    city = {"name": "city", "type": "integer", "description": "where", "column": "parks.city"}
    made = spec(load_design(parameters=[status, PARK], items=[city]))
    assert list(made.tool.input_schema["properties"]) == ["park_id", "status"]
    assert made.tool.input_schema["properties"]["status"]["enum"] == ["closed", "open"]
    assert made.item is not None and made.item["city"]["type"] == ["string", "null"]
    mean = {"name": "mean", "type": "number", "description": "mean people", "column": "visits.people"}
    assert spec(load_design(fields=[mean])).result["mean"]["type"] == "number"
    assert made.signature == "def get_park_load(park_id: int, status: str | None = None) -> dict[str, Any]:"


@pytest.mark.parametrize("column", ["visits.name", "zoos.park_id", "parks", ""])
def test_a_column_that_its_table_does_not_have_is_none(column: str) -> None:
    made = spec(load_design(parameters=[{**PARK, "column": column}]))
    assert made.columns == {}
    assert made.tool.input_schema["properties"]["park_id"] == {"type": "integer", "description": "the park"}


VALUE = {"name": "n", "type": "integer", "description": "n"}


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "get_park"},
        {"name": "_rows"},
        {"name": "sqlite3"},
        {"name": "Get Load"},
        {"name": "class"},
        {"name": "print"},
        {"parameters": [PARK, PARK]},
        {"parameters": [{**PARK, "name": "import"}]},
        {"parameters": [{**PARK, "name": "park id"}]},
        {"parameters": [{**PARK, "column": "parks.altitude"}]},
        {"fields": [{**VALUE, "column": "visits.weather"}]},
        {"fields": []},
        {"fields": [{**VALUE, "name": "items"}]},
        {"fields": [{**VALUE, "name": "error"}]},
        {"fields": [VALUE, VALUE]},
        {"items": [VALUE, VALUE]},
        {"refusals": [{"code": "Not found!", "when": "never"}]},
    ],
)
def test_designs_that_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(NotKept) as refused:
        spec(load_design(**changes))
    assert refused.value.gate == "design"


def test_what_the_floor_has_is_refused() -> None:
    name = {"name": "name", "type": "string", "description": "its name", "column": "parks.name"}
    with pytest.raises(NotKept, match="get_park does the same"):
        spec(load_design(operation="get", fields=[name]))
    assert spec(load_design(operation="get")).tool.operation == "get"
    assert spec(list_design()).item is not None
