from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.world.acceptance import accepter
from tasks.world.schemas import violations

NAMES = st.sampled_from(["a", "b", "c"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.5, 1.0, -2.0])
    | st.sampled_from(["", "a", "ab"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])
KEYWORDS: dict[str, Any] = {
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=3),
    "enum": st.lists(VALUES, max_size=3) | st.lists(st.sampled_from(["a", "ab"]), max_size=2),
    "const": LEAVES,
    "required": st.lists(NAMES, max_size=2),
    "minimum": st.integers(-1, 1),
    "maximum": st.integers(-1, 1),
    "minLength": st.integers(0, 2),
    "maxItems": st.integers(0, 2),
    "pattern": st.sampled_from(["^a", "b$"]),
    "x-domain": st.just("flight"),
}


def schema_over(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    nested = {
        "properties": st.dictionaries(NAMES, inner, max_size=2),
        "additionalProperties": st.booleans() | inner,
        "items": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=2),
    }
    return st.fixed_dictionaries({}, optional={**KEYWORDS, **nested})


SCHEMAS = st.recursive(st.booleans() | st.fixed_dictionaries({}, optional=KEYWORDS), schema_over, max_leaves=4)


@settings(max_examples=400, deadline=None)
@given(VALUES, SCHEMAS)
def test_it_accepts_what_has_no_violations(value: Any, schema: Any) -> None:
    value = json.loads(json.dumps(value))
    assert accepter(schema)(value) is (violations(value, schema) == [])


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (True, {"type": "integer"}),
        (1.5, {"type": ["integer", "null"]}),
        ({"a": 1}, {"properties": {"a": {"type": "string"}}}),
        ({"a": 1, "z": 1}, {"properties": {"a": {}}, "additionalProperties": False}),
        ([{"a": 1}, {}], {"items": {"type": "object", "required": ["a"]}}),
        (1, {"enum": ["1"]}),
    ],
)
def test_it_refuses(value: Any, schema: Any) -> None:
    assert not accepter(schema)(value)
