"""What a policy sees of a tool, and nothing else of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.tools import Tool


@dataclass(frozen=True)
class PublicTool:
    """One tool as agents see it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    read_only: bool

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameter → its schema."""
        return dict(self.input_schema.get("properties", {}))

    @property
    def required(self) -> list[str]:
        """Parameters that a call must give."""
        return list(self.input_schema.get("required", []))

    @property
    def operation(self) -> str:
        """The first word of the name: what reading tools do."""
        return self.name.partition("_")[0]

    @property
    def record(self) -> Mapping[str, Any]:
        """Column → schema of a record that the tool returns: its output, or one of its items."""
        properties = self.output_schema.get("properties", {})
        return dict(properties.get("items", {}).get("items", {}).get("properties", {}) or properties)


def public(tool: Tool) -> PublicTool:
    """Return what a policy sees of a tool."""
    return PublicTool(tool.name, tool.description, tool.input_schema, tool.output_schema, tool.read_only)
