"""Tools as models are told of them: what the API wants, and nothing that only the factory reads."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.world.functions import functions_of, without_annotations


def test_keywords_of_the_factory_are_left_out_and_parameters_are_not() -> None:
    member = {"type": "integer", "x-domain": "patients.id"}
    schema = {
        "type": "object",
        "properties": {"x-ray": member, "many": {"type": "array", "items": member, "x-note": 1}},
        "anyOf": [{"required": ["x-ray"], "x-note": 1}],
    }
    assert without_annotations(schema) == {
        "type": "object",
        "properties": {"x-ray": {"type": "integer"}, "many": {"type": "array", "items": {"type": "integer"}}},
        "anyOf": [{"required": ["x-ray"]}],
    }


@pytest.mark.parametrize(("read_only", "told"), [(True, "Find them. Reads only."), (False, "Find them. Changes data.")])
def test_a_tool_is_told_with_its_effect(read_only: bool, told: str) -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    listed = {"name": "find", "description": "Find them.", "inputSchema": parameters, "readOnly": read_only}
    function = {"name": "find", "description": told, "parameters": parameters}
    assert functions_of([listed]) == [{"type": "function", "function": function}]
