"""Knowledge: lookups whose values an earlier output held already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schemas.programs import Call, Program, Ref, Refused
from schemas.tools import Tool
from tasks.toolgraph.edges import input_domains
from tasks.verification.syntax import nodes_of

Step = Mapping[str, Any]
"""A call as a session reports it: tool, arguments, observation."""


def needed_steps(trace: Sequence[Step], program: Program, tools: Mapping[str, Tool]) -> list[Step]:
    """Return the calls without lookups of a row that an earlier output shows with all that the program takes of it.

    The earlier output is of the same table, and nothing was written since.
    """
    wanted = _wanted(program)
    kept: list[Step] = []
    shown: list[Step] = []
    for step in trace:
        tool = tools[step["tool"]]
        if not tool.read_only:
            shown = []
        elif tool.operation == "get" and _is_shown(step, wanted.get(tool.name), shown, tools):
            continue
        else:
            shown.append(step)
        kept.append(step)
    return kept


def _wanted(program: Program) -> dict[str, set[str] | None]:
    """Return tool → the parts of its outputs that the program uses; None where it uses an output as a whole."""
    by_bind: dict[str, list[Ref]] = {}
    whole: set[str] = set()
    calls = []
    for node in nodes_of(program):
        if isinstance(node, Ref):
            by_bind.setdefault(node.name, []).append(node)
        elif isinstance(node, Refused):
            whole.add(node.name)
        elif isinstance(node, Call):
            calls.append(node)
    wanted: dict[str, set[str] | None] = {}
    for call in calls:
        paths = [ref.path[:1] for ref in by_bind.get(call.bind, ())]
        known = wanted.get(call.tool, set())
        if known is None or call.bind in whole or not all(path and isinstance(path[0], str) for path in paths):
            wanted[call.tool] = None
        else:
            wanted[call.tool] = known | {str(path[0]) for path in paths}
    return wanted


def _is_shown(step: Step, columns: set[str] | None, shown: Sequence[Step], tools: Mapping[str, Tool]) -> bool:
    tool, row = tools[step["tool"]], step["observation"]
    domains = input_domains(tool)
    table = tool.intent.get("table")
    if not columns or table is None or not isinstance(row, dict) or len(step["arguments"]) != 1 or not domains:
        return False
    parameter, key = next(iter(step["arguments"].items()))
    domain = domains.get(parameter, ("", False))[0]
    for earlier in shown:
        source = tools[earlier["tool"]]
        if source.intent.get("table") != table:
            continue
        for properties, record in _records(source.output_schema, earlier["observation"]):
            keys = [name for name, each in properties.items() if each.get("x-domain") == domain]
            if any(record.get(name) == key for name in keys) and all(
                name in record and name in row and record[name] == row[name] for name in columns
            ):
                return True
    return False


def _records(schema: Mapping[str, Any], output: Any) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the records of an output, each with the schema of its fields: the output, or the items of a page."""
    if not isinstance(output, dict):
        return
    properties = schema.get("properties", {})
    yield properties, output
    inner = properties.get("items", {}).get("items", {})
    for item in output.get("items") or ():
        if isinstance(item, dict):
            yield inner.get("properties", {}), item
