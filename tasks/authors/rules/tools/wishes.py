"""Wishes: how a theme's source calls its operations, for the read tools that do the same.

So an agent meets `list_issues` as in the source. Actions carry the source's names already (overlays/records.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.themes import Entity, SourceOperation
from schemas.tools import Tool
from tasks.themes.intents import serves, snake, telling

LONGEST = 60
"""Of a tool's name, in characters."""


class Wishes:
    """The operations that a source names; each name is given to one tool only."""

    def __init__(self, operations: Sequence[SourceOperation], entities: Sequence[Entity]) -> None:
        self._nouns = {entity.name: snake(entity.singular) for entity in entities}
        self._open = [operation for operation in operations if operation.entity in self._nouns]

    def name_of(self, tool: Tool) -> str:
        """Return what the source calls an operation that does what `tool` does, else the tool's own name.

        A search is a list, and a get that names no single row is either. Of several operations the one that does
        exactly the same comes first, then the one with most arguments in common, then the source's order.
        """
        if not tool.read_only or tool.intent.get("documents"):
            return tool.name
        able = [o for o in self._open if serves(o, tool) and self._is_legal(o) and self._is_meant(o, tool)]
        if not able:
            return tool.name
        best = min(able, key=lambda operation: self._distance(operation, tool))
        self._open.remove(best)
        return snake(best.name)

    def _is_legal(self, operation: SourceOperation) -> bool:
        name = snake(operation.name)
        return 0 < len(name) <= LONGEST and name[0].isalpha()

    def _is_meant(self, operation: SourceOperation, tool: Tool) -> bool:
        """Tell whether an operation that gives one row is wished of a tool that does, and one that gives many of others."""
        one = operation.verb == "get" and self._names_a_row(operation)
        return (
            (tool.operation == "get") == one
            if operation.verb == "get"
            else operation.verb != "top" or tool.operation == "top"
        )

    def _names_a_row(self, operation: SourceOperation) -> bool:
        noun = self._nouns[operation.entity]
        names = {snake(parameter.name) for parameter in telling(operation.parameters)}
        return bool(
            names
            & {
                "id",
                "key",
                "number",
                "name",
                "slug",
                "path",
                noun,
                *(f"{noun}_{k}" for k in ("id", "key", "number", "name")),
            }
        )

    def _distance(self, operation: SourceOperation, tool: Tool) -> tuple[bool, int]:
        arguments = set(tool.input_schema.get("properties", {}))
        common = sum(snake(parameter.name) in arguments for parameter in telling(operation.parameters))
        return operation.verb != tool.operation, -common
