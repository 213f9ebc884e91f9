"""From a model's design of a tool to the tool: names that are legal, schemas that the profile's columns make precise."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from schemas.profiles import TableProfile, WorldProfile
from schemas.tools import Operation, Tool, ToolModule
from tasks.authors.llm.coder.proposals import DesignedField, DesignedValue, ToolDesign
from tasks.authors.llm.coder.source import bound_names
from tasks.authors.llm.coder.verdicts import NotKept
from tasks.authors.rules.tools.names import RESERVED_TOOLS
from tasks.authors.rules.tools.schemas import (
    JSON_TYPES,
    Schema,
    object_schema,
    root_domains,
    value_schema,
    with_domain,
    with_roots,
)

GATE = "design"
READS: frozenset[Operation] = frozenset({"get", "search", "list", "aggregate", "top"})
PLAIN_READS: frozenset[Operation] = frozenset({"get", "search", "list", "top"})
"""Reads that show rows as they are: the floor has those of single tables."""
MOST_ITEMS = 50
LONGEST_DESCRIPTION = 400
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


@dataclass(frozen=True)
class Spec:
    """A tool to be written, and what its author and its tester have to know besides.

    `columns`: parameter → (table, column) whose values it takes. `refusals`: code → when a call is refused with it.
    `tables`: those that the design names.
    """

    tool: Tool
    columns: dict[str, tuple[str, str]]
    refusals: dict[str, str]
    tables: frozenset[str]

    @property
    def result(self) -> Schema:
        """Field → schema of the result's single values."""
        return {name: schema for name, schema in self.tool.output_schema["properties"].items() if name != "items"}

    @property
    def item(self) -> Schema | None:
        """Field → schema of a row of `items`; None where the result has no such list."""
        items = self.tool.output_schema["properties"].get("items")
        return items["items"]["properties"] if items else None

    @property
    def signature(self) -> str:
        """The def line of its function."""
        required = self.tool.input_schema["required"]
        parameters = [
            f"{name}: {_PYTHON_TYPES[schema['type']]}" + ("" if name in required else " | None = None")
            for name, schema in self.tool.input_schema["properties"].items()
        ]
        return f"def {self.tool.name}({', '.join(parameters)}) -> dict[str, Any]:"


def spec_of(design: ToolDesign, profile: WorldProfile, module: ToolModule) -> Spec:
    """Return the spec of a design that can join the module's tools. Raises NotKept with what is wrong with it."""
    _require_legal(design, bound_names(ast.parse(module.source)))
    _require_real(design, profile)
    _require_new(design, profile, module.tools)
    roots = root_domains(profile)
    ordered = sorted(design.parameters, key=lambda parameter: not parameter.required)
    inputs = object_schema(
        {parameter.name: _parameter_schema(parameter, profile) for parameter in ordered},
        [parameter.name for parameter in ordered if parameter.required],
    )
    tool = Tool(
        name=design.name,
        description=_description(design),
        operation=design.operation,
        read_only=design.operation in READS,
        input_schema=with_roots(inputs, roots),
        output_schema=with_roots(_result_schema(design, profile), roots),
        author="llm",
    )
    places = {parameter.name: _column(parameter, profile) for parameter in design.parameters}
    named = {(value.column or "").partition(".")[0] for value in (*design.parameters, *design.fields, *design.items)}
    return Spec(
        tool,
        columns={name: (place[0].name, place[1]) for name, place in places.items() if place is not None},
        refusals={refusal.code: refusal.when for refusal in design.refusals},
        tables=frozenset(table.name for table in profile.tables if table.name in named),
    )


def _require_legal(design: ToolDesign, taken: set[str]) -> None:
    groups = [[value.name for value in values] for values in (design.parameters, design.fields, design.items)]
    groups.append([refusal.code for refusal in design.refusals])
    for name in (design.name, *chain.from_iterable(groups)):
        if not _NAME.fullmatch(name) or keyword.iskeyword(name):
            raise NotKept(GATE, f"{name!r} is no snake_case name")
    if design.name in taken or design.name in RESERVED_TOOLS:
        raise NotKept(GATE, f"the name {design.name} is taken")
    if not design.fields and not design.items:
        raise NotKept(GATE, "the result has no fields")
    if {field.name for field in design.fields} & {"items", "error"}:
        raise NotKept(GATE, "a single value of a result may not be called 'items' or 'error'")
    for group in groups:
        if len(set(group)) < len(group):
            raise NotKept(GATE, f"one name is there twice: {', '.join(group)}")


def _require_real(design: ToolDesign, profile: WorldProfile) -> None:
    """Refuse a design that rests on a column that no table has: nothing could fill it."""
    known = {column.name for table in profile.tables for column in table.columns}
    for value in (*design.parameters, *design.fields, *design.items):
        column = (value.column or "").partition(".")[2]
        if column and column not in known:
            raise NotKept(GATE, f"there is no column {value.column}")


def _require_new(design: ToolDesign, profile: WorldProfile, tools: Sequence[Tool]) -> None:
    """Refuse what the floor has: rows of one table, shown as they are."""
    shown = [_column(field, profile) for field in (*design.fields, *design.items)]
    taken = [_column(parameter, profile) for parameter in design.parameters]
    tables = {column[0].name for column in (*shown, *taken) if column is not None}
    if design.operation not in PLAIN_READS or len(tables) != 1 or None in shown:
        return
    for tool in tools:
        if tool.operation == design.operation and tool.intent.get("table") in tables:
            raise NotKept(GATE, f"{tool.name} does the same")


def _column(value: DesignedValue, profile: WorldProfile) -> tuple[TableProfile, str] | None:
    """Return the table and column that a value is drawn from; None when it names none that exists."""
    table, _, column = (value.column or "").partition(".")
    for each in profile.tables:
        if each.name == table and column in {known.name for known in each.columns}:
            return each, column
    return None


def _parameter_schema(parameter: DesignedValue, profile: WorldProfile) -> Schema:
    place = _column(parameter, profile)
    if place is None:
        return {"type": parameter.type, "description": _one_line(parameter.description)}
    table, column = place
    return with_domain(value_schema(table, column, _one_line(parameter.description)), table.domain(column))


def _field_schema(field: DesignedField, profile: WorldProfile) -> Schema:
    """Return the schema of a value in a result; a number that is designed over whole numbers may be their mean."""
    kind: str = field.type
    nullable, domain, place = field.nullable, None, _column(field, profile)
    if place is not None:
        table, column = place
        known = table.column(column)
        nullable, domain = nullable or known.nullable, table.domain(column)
        kind = kind if (kind, JSON_TYPES[known.type]) == ("number", "integer") else JSON_TYPES[known.type]
    schema: Schema = {"type": [kind, "null"] if nullable else kind, "description": _one_line(field.description)}
    return with_domain(schema, domain)


def _result_schema(design: ToolDesign, profile: WorldProfile) -> Schema:
    properties: dict[str, Any] = {field.name: _field_schema(field, profile) for field in design.fields}
    if design.items:
        item = object_schema({field.name: _field_schema(field, profile) for field in design.items})
        words = _one_line(f"At most {MOST_ITEMS} records. {design.order}")
        properties["items"] = {"type": "array", "items": item, "description": words}
    return object_schema(properties)


def _description(design: ToolDesign) -> str:
    """Return what an agent reads of the tool: what it does, and in which order its rows come."""
    order = f" Order: {design.order}" if design.items and design.order else ""
    return _one_line(f"{design.description}{order}")


def _one_line(text: str) -> str:
    shown = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(shown.split())[:LONGEST_DESCRIPTION]
