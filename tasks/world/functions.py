"""A world's tools as a model is told of them: functions of OpenAI's API, without what only the factory reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_ANNOTATION = "x-"
"""What keywords begin with that are the factory's own, such as `x-domain`: no policy is told of them."""


def functions_of(listed: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools that a session lists as OpenAI's API lists functions: name, description, parameters."""
    return [{"type": "function", "function": _function(tool)} for tool in listed]


def _function(listed: Mapping[str, Any]) -> dict[str, Any]:
    effect = "Reads only." if listed["readOnly"] else "Changes data."
    parameters = without_annotations(listed["inputSchema"])
    return {"name": listed["name"], "description": f"{listed['description']} {effect}", "parameters": parameters}


def without_annotations(schema: Any) -> Any:
    """Return a JSON Schema without the factory's own keywords; a parameter may be called like one."""
    if isinstance(schema, list):
        return [without_annotations(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        keyword: {name: without_annotations(each) for name, each in operand.items()}
        if keyword == "properties"
        else without_annotations(operand)
        for keyword, operand in schema.items()
        if not keyword.startswith(_ANNOTATION)
    }
