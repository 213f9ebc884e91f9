"""A world's tools as a solver calls them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.arena.policy import Call
from tasks.authors.llm.model import ToolSpec
from tasks.authors.llm.react.loop import AgentTool

_ANNOTATION = "x-"
"""What keywords begin with that are the factory's own, such as `x-domain`: no policy is told of them."""


def world_tools(listed: Sequence[Mapping[str, Any]], call: Call) -> list[AgentTool]:
    """Return the tools that a session lists, called by `call`. An error of theirs is a result like any other."""
    return [_tool(each, call) for each in listed]


def spec_of(listed: Mapping[str, Any]) -> ToolSpec:
    """Return a tool that a session lists as a model is told of it."""
    effect = "Reads only." if listed["readOnly"] else "Changes data."
    return ToolSpec(listed["name"], f"{listed['description']} {effect}", without_annotations(listed["inputSchema"]))


def _tool(listed: Mapping[str, Any], call: Call) -> AgentTool:
    name = listed["name"]

    def run(arguments: dict[str, Any]) -> str:
        return json.dumps(call(name, arguments), ensure_ascii=False)

    return AgentTool(spec_of(listed), run)


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
