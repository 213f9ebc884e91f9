"""Answers that a single read gives: calls that state all that a request restricts, and where a value stands in them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.answers import AnswerField
from schemas.programs import Aggregate, Append, Const, Program, Ref
from schemas.tools import Tool
from tasks.verification.checks import same_value
from tasks.verification.shortcuts.facts import Fact
from tasks.verification.syntax import nodes_of


@dataclass(frozen=True)
class Reading:
    """One read with its arguments, the variables that it takes values from, and the facts that it does not state.

    `first`: of which columns the first item's value means something: all ("*") when the order was asked for, the one
    that it is sorted by when the order was tried, none when there is no order.
    """

    tool: str
    arguments: Mapping[str, Any]
    first: str
    sources: frozenset[str]
    unstated: tuple[Fact, ...]


def readings(tools: Sequence[Tool], facts: Sequence[Fact]) -> Iterator[Reading]:
    """Yield the reads that state all facts, or that take values from calls which may have used up the rest.

    What else a tool lets one choose (a measure, a function, a grouping, an order) is tried in all ways, but no filter
    that nobody asked for.
    """
    for tool in sorted(tools, key=lambda tool: tool.name):
        if tool.read_only:
            yield from _readings(tool, facts)


@dataclass(frozen=True)
class Wanted:
    """A field's value, the columns that the program takes it from, and the constants that a request says."""

    field: AnswerField
    value: Any
    columns: frozenset[str]
    said: frozenset[str]


def wanted_value(field: AnswerField, value: Any, part: Program) -> Wanted:
    """Return what to look for, given the part of the program that one field needs."""
    sources = [part.answer, *(node for node in nodes_of(part.body) if isinstance(node, Append))]
    paths = [node.path for node in nodes_of(sources) if isinstance(node, Ref | Aggregate)]
    columns = frozenset(str(path[-1]) for path in paths if path)
    said = {node.value for node in nodes_of(part) if isinstance(node, Const) and isinstance(node.value, str)}
    return Wanted(field, value, columns, frozenset(said))


def holds(observation: Any, wanted: Wanted, tool: Tool, first: str) -> bool:
    """Say whether an output shows a value where a person would take it from.

    That is a figure of the output, a value of the first item in the columns `first` (see Reading) or of the only one, a
    value beside a name that the request says, or a column of all items. Values of rows count in the columns that the
    program takes the value from; those of an aggregate in all.
    """
    if not isinstance(observation, dict) or "error" in observation:
        return False
    spec = wanted.field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
    lists = [value for value in observation.values() if isinstance(value, list)]
    rows = [row for value in lists for row in value if isinstance(row, dict)]
    columns = {column for row in rows for column in row}
    if tool.operation != "aggregate":
        columns &= wanted.columns | {first}
    if isinstance(wanted.value, list):
        complete = observation.get("next_offset") is None
        return complete and any(same_value([row.get(c) for row in rows], wanted.value, spec) for c in sorted(columns))
    shown = [value for name, value in observation.items() if _is_figure(name, value, wanted, tool)]
    for place, row in enumerate(rows):
        if len(rows) == 1 or (place == 0 and first == "*") or not wanted.said.isdisjoint(_texts(row)):
            shown += [row[column] for column in sorted(columns & set(row))]
        elif place == 0 and first in row:
            shown.append(row[first])
    return any(same_value(value, wanted.value, spec) for value in shown)


def _is_figure(name: str, value: Any, wanted: Wanted, tool: Tool) -> bool:
    """Say whether an output's own value may answer: a total, an aggregate, or the right column of a row looked up."""
    return not isinstance(value, dict | list) and (
        name in wanted.columns if tool.operation == "get" else name != "next_offset"
    )


def _texts(row: Mapping[str, Any]) -> set[str]:
    return {value for value in row.values() if isinstance(value, str)}


def _readings(tool: Tool, facts: Sequence[Fact]) -> Iterator[Reading]:
    properties = tool.input_schema.get("properties", {})
    stated: dict[str, Fact] = {}
    left: list[Fact] = []
    for fact in facts:
        parameter = next((name for name in properties if name not in stated and fact.fits(tool, name)), None)
        if parameter is None:
            left.append(fact)
        else:
            stated[parameter] = fact
    sources = frozenset(fact.source for fact in stated.values() if fact.source is not None)
    if left and not sources:
        return
    choices = {
        name: [*each["enum"], None]
        for name, each in properties.items()
        if "enum" in each and name not in stated and name not in tool.intent.get("filters", {})
    }
    ordered = "*" if "sort_by" in stated or tool.operation == "top" else ""
    if "descending" in properties and "descending" not in stated:
        choices["descending"] = [True, None]
    fixed = {name: json.loads(fact.value) for name, fact in stated.items()}
    for drawn in itertools.product(*choices.values()):
        arguments = fixed | {name: value for name, value in zip(choices, drawn, strict=True) if value is not None}
        if set(tool.input_schema.get("required", ())) <= set(arguments):
            yield Reading(tool.name, arguments, ordered or arguments.get("sort_by", ""), sources, tuple(left))
