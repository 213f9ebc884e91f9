"""Reading of JSON Schemas: what is nested gets flat, and no schema, however it is knotted, is read without end."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tasks.themes.parameters import NODES, PARAMETERS, read_parameters

NAMES = st.sampled_from(["id", "name", "filter", "items", "parent", "a.b", "ünï"])
REFERENCES = st.sampled_from(
    ["#", "#/properties/name", "#/$defs/a", "#/$defs/b", "#/$defs/0", "other.json#/x", "#/~1~0", ""]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))


def node(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Anything that may stand where a schema is expected."""
    schema = st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "object", "array", "integer", ["string", "null"], 7, None]),
            "properties": st.one_of(st.dictionaries(NAMES, inner, max_size=4), SCALARS),
            "items": inner,
            "allOf": st.lists(inner, max_size=3),
            "anyOf": st.one_of(st.lists(inner, max_size=3), SCALARS),
            "$ref": st.one_of(REFERENCES, st.integers()),
            "$defs": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
            "enum": st.one_of(st.lists(SCALARS, max_size=4), st.text(max_size=3)),
            "default": SCALARS,
            "required": st.one_of(st.lists(NAMES, max_size=3), st.booleans()),
            "description": st.one_of(st.text(max_size=30), st.integers()),
        },
    )
    return st.one_of(schema, SCALARS, st.lists(inner, max_size=2))


@given(st.recursive(SCALARS, node, max_leaves=40))
def test_any_schema_is_read_within_bounds_and_left_as_it_was(schema: Any) -> None:
    before = copy.deepcopy(schema)
    found = read_parameters(schema)
    assert len(found) <= PARAMETERS
    assert len({parameter.name for parameter in found}) == len(found)
    assert repr(schema) == repr(before)
    assert [one.model_dump() for one in read_parameters(schema)] == [one.model_dump() for one in found]


@given(st.integers(2, 12), st.integers(1, 4))
def test_schemas_that_lead_to_each_other_are_read_in_bounded_time(kinds: int, width: int) -> None:
    """A full graph of objects: unbounded reading would visit kinds ** depth of them."""
    properties = {f"p{at}": {"$ref": f"#/$defs/k{at}"} for at in range(kinds)}
    lists = {f"l{at}": {"type": "array", "items": {"$ref": f"#/$defs/k{at % kinds}"}} for at in range(width)}
    knot = {"type": "object", "properties": {**properties, **lists}}
    schema = {"$ref": "#/$defs/k0", "$defs": {f"k{at}": knot | {"title": str(at)} for at in range(kinds)}}
    began = time.process_time()
    assert len(read_parameters(schema)) <= PARAMETERS
    assert time.process_time() - began < 2


def test_an_object_knotted_in_memory_is_read() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}
    schema["properties"]["parent"] = schema
    assert [parameter.name for parameter in read_parameters(schema)] == ["name", "parent"]


def test_a_wide_schema_is_cut() -> None:
    wide = {"type": "object", "properties": {f"p{at}": {"type": "string"} for at in range(10 * NODES)}}
    assert len(read_parameters(wide)) == PARAMETERS


def test_nested_objects_and_lists_get_dotted_names() -> None:
    schema = json.loads(
        """{"type": "object", "required": ["filter", "rows"], "properties": {
        "filter": {"type": "object", "required": ["status"], "properties": {
            "status": {"enum": ["open", "closed"], "default": "open", "description": "  its \\n status "},
            "due": {"type": ["string", "null"]}}},
        "rows": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/row"}]}},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "extra": {"type": "object"}},
        "definitions": {"row": {"properties": {"amount": {"type": "number", "examples": [1.5]}}}}}"""
    )
    found = {parameter.name: parameter for parameter in read_parameters(schema)}
    assert list(found) == ["filter.status", "filter.due", "rows.amount", "tags", "extra"]
    status = found["filter.status"]
    assert (status.required, status.choices, status.examples, status.description) == (
        True, ["open", "closed"], ["open"], "its status",
    )  # fmt: skip
    assert not found["filter.due"].required
    assert (found["rows.amount"].type, found["rows.amount"].examples) == ("number", ["1.5"])
    assert (found["tags"].type, found["tags"].choices) == ("array", ["a", "b"])
    assert found["extra"].type == "object"
