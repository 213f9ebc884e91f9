from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tasks.world.schemas import unsupported, violations

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, -1.5, 2.5])
    | st.sampled_from(["", "a", "ab", "abc", "é1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TYPE = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])
COUNT = st.integers(0, 3)
BOUND = st.sampled_from([-2, 0, 1, 1.5])


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE | st.lists(TYPE, min_size=1, max_size=3, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "minimum": BOUND,
            "maximum": BOUND,
            "exclusiveMinimum": BOUND,
            "exclusiveMaximum": BOUND,
            "minLength": COUNT,
            "maxLength": COUNT,
            "minItems": COUNT,
            "maxItems": COUNT,
            "pattern": st.sampled_from(["^a", "b$", "[0-9]", ""]),
            "x-domain": st.just("flights.flight_id"),
            "description": st.just("words"),
        },
    )


SCHEMAS = st.recursive(st.booleans() | keywords(st.just({})), keywords, max_leaves=6)


@settings(max_examples=250, deadline=None)
@given(SCHEMAS, VALUES)
@example({"enum": [1]}, True)
@example({"const": [0]}, [False])
@example({"type": "integer"}, 1.0)
@example({"properties": {"a": False}}, {"a": 1})
def test_verdicts_agree_with_jsonschema(schema: Any, value: Any) -> None:
    assert (violations(value, schema) == []) == Draft202012Validator(schema).is_valid(value)


@settings(max_examples=100, deadline=None)
@given(SCHEMAS)
def test_generated_schemas_are_schemas_of_the_subset(schema: Any) -> None:
    Draft202012Validator.check_schema(schema)
    assert unsupported(schema) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "seats is required"),
        ({"seats": 0}, "seats: 0 is less than the minimum of 1"),
        ({"seats": "two"}, 'seats: "two" is not of type integer'),
        ({"seats": 1, "sort": "up"}, 'sort: "up" is not one of "seats", "origin"'),
        ({"seats": 1, "row": 1}, "there is no parameter 'row'; there are: seats, sort, tags"),
        ({"seats": 1, "tags": ["x", 2]}, "tags[1]: 2 is not of type string"),
    ],
)
def test_messages_say_where_and_what(value: Any, message: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "seats": {"type": "integer", "minimum": 1},
            "sort": {"enum": ["seats", "origin"]},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["seats"],
        "additionalProperties": False,
    }
    assert violations(value, schema) == [message]


def test_keywords_that_would_go_unchecked_are_told() -> None:
    schema = {"properties": {"a": {"oneOf": [{}]}}, "items": {"multipleOf": 2}, "anyOf": [{"$ref": "#"}]}
    assert unsupported(schema) == ["$ref", "multipleOf", "oneOf"]
