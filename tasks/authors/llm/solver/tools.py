"""A world's tools as a solver calls them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.arena.policy import Call
from tasks.authors.llm.model import ToolSpec
from tasks.authors.llm.react.loop import AgentTool
from tasks.world.functions import functions_of


def world_tools(listed: Sequence[Mapping[str, Any]], call: Call) -> list[AgentTool]:
    """Return the tools that a session lists, called by `call`. An error of theirs is a result like any other."""
    return [_tool(each["function"], call) for each in functions_of(listed)]


def _tool(function: Mapping[str, Any], call: Call) -> AgentTool:
    name = function["name"]

    def run(arguments: dict[str, Any]) -> str:
        return json.dumps(call(name, arguments), ensure_ascii=False)

    return AgentTool(ToolSpec(name, function["description"], function["parameters"]), run)
