"""Tools as a policy sees them: by their listing alone, and what their schemas say about calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from schemas.tools import Tool

Schema = Mapping[str, Any]
PAGING = frozenset({"limit", "offset", "count", "sort_by", "descending", "lowest", "measure", "function", "group_by"})
"""Parameters of listings that turn pages, order or reckon: the others narrow what is listed."""
UNKNOWN = object()
"""Stands for an argument whose value is not known."""
_LINKING = frozenset({"a", "by", "for", "in", "of", "on", "to"})


@dataclass(frozen=True)
class ListedTool:
    """One tool of a listing."""

    name: str
    read_only: bool
    inputs: Schema
    outputs: Schema
    words: frozenset[str]

    @property
    def parameters(self) -> Mapping[str, Schema]:
        """The schema of each parameter."""
        found: Mapping[str, Schema] = self.inputs.get("properties", {})
        return found

    @property
    def required(self) -> frozenset[str]:
        """The parameters that every call gives."""
        return frozenset(self.inputs.get("required", ()))


class Toolset:
    """The tools of one environment."""

    def __init__(self, listing: Iterable[Mapping[str, Any]]) -> None:
        """Take tools as a session lists them: name, inputSchema, outputSchema, readOnly."""
        self._tools = {
            each["name"]: ListedTool(
                each["name"], each["readOnly"], each["inputSchema"], each["outputSchema"], _words(each["name"])
            )
            for each in listing
        }

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> Self:
        """Take tools as authors know them."""
        return cls(
            {
                "name": tool.name,
                "inputSchema": tool.input_schema,
                "outputSchema": tool.output_schema,
                "readOnly": tool.read_only,
            }
            for tool in tools
        )

    def __getitem__(self, name: str) -> ListedTool:
        return self._tools[name]

    def __iter__(self) -> Iterator[ListedTool]:
        return iter(self._tools.values())

    def narrowing(self, name: str) -> frozenset[str]:
        """Return the parameters by which a call of a listing may be narrowed; none for any other tool."""
        tool = self._tools[name]
        if not tool.read_only or not _lists(tool.outputs):
            return frozenset()
        return frozenset(tool.parameters) - tool.required - PAGING

    def look_alikes(self, name: str, given: Mapping[str, Any]) -> list[str]:
        """Return the tools that one may be taken for, the nearest first: read and write are never mixed up.

        A look-alike can be called with the arguments that are given, all of them and no others, and has a word of its name
        in common. An argument may be UNKNOWN.
        """
        tool = self._tools[name]
        others = [
            other
            for other in self._tools.values()
            if other is not tool and other.read_only == tool.read_only and other.words & tool.words
            if other.required <= given.keys() <= other.parameters.keys()
            if all(_fits(value, other.parameters[parameter]) for parameter, value in given.items())
        ]
        return [other.name for other in sorted(others, key=lambda each: (-len(each.words & tool.words), each.name))]

    def callable_with(self, kinds: Iterable[str], read_only: bool) -> list[ListedTool]:
        """Return the tools whose required parameters are all of some kinds, or one of a few values."""
        known = set(kinds)
        return [tool for tool in self._tools.values() if tool.read_only == read_only and _can_fill(tool, known)]


def kind(schema: Schema, name: str) -> str:
    """Return what a value is one of: its domain, or where it has none its field's name."""
    found: str = schema.get("x-domain", name) if isinstance(schema, Mapping) else name
    return found


def type_of(schema: Schema) -> str | None:
    """Return the type of a schema's values, null aside; None when it says none."""
    told = schema.get("type") if isinstance(schema, Mapping) else None
    return next((each for each in told if each != "null"), None) if isinstance(told, list) else told


def within(schema: Schema, path: Sequence[str | int]) -> Schema:
    """Return the schema of what stands at a path; an empty one where the schema leaves it open."""
    for step in path:
        child = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
        if not isinstance(child, Mapping):
            return {}
        schema = child
    return schema


def _lists(outputs: Schema) -> bool:
    """Say whether a tool always returns a list of records."""
    fields = (outputs.get("properties", {}).get(name, {}) for name in outputs.get("required", ()))
    return any(type_of(field) == "array" and type_of(field.get("items", {})) == "object" for field in fields)


def _can_fill(tool: ListedTool, known: set[str]) -> bool:
    required = ((name, tool.parameters[name]) for name in tool.required)
    return all(kind(schema, name) in known or "enum" in schema for name, schema in required)


def _fits(value: Any, schema: Schema) -> bool:
    return value is UNKNOWN or value in schema.get("enum", (value,))


def _words(name: str) -> frozenset[str]:
    """Return the words of a tool's name, in the singular as far as their ends tell."""
    return frozenset(word.removesuffix("s") for word in name.split("_")) - _LINKING
