"""Knowledge: lookups whose values another output of the run holds: an earlier one, or what a write gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schemas.programs import Append, Call, Distinct, Filter, ForEach, If, Let, Program, Ref, Refused, Sort, Take
from schemas.tools import Tool
from tasks.toolgraph.edges import input_domains
from tasks.verification.syntax import names_in, nodes_of

Step = Mapping[str, Any]
"""A call as a session reports it: tool, arguments, observation."""


def needed_steps(trace: Sequence[Step], program: Program, tools: Mapping[str, Tool]) -> list[Step]:
    """Return the calls without lookups of a row that another output shows with all that the program takes of it.

    That output is of the same table: an earlier one, since which nothing was written, or that of a later write, where
    what is taken goes into the answer alone.
    """
    wanted, told = _wanted(program), _told(program)
    kept: list[Step] = []
    shown: list[Step] = []
    for place, step in enumerate(trace):
        tool = tools[step["tool"]]
        if not tool.read_only:
            shown = []
        else:
            later = (other for other in trace[place + 1 :] if not tools[other["tool"]].read_only)
            others = [*shown, *(later if tool.name in told else ())]
            if tool.operation == "get" and _is_shown(step, wanted.get(tool.name), others, tools):
                continue
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


def _told(program: Program) -> set[str]:
    """Return the tools whose outputs decide nothing and go into no argument: the answer alone tells of them."""
    sources: dict[str, set[str]] = {}
    deciding: set[str] = set()
    calls: dict[str, set[str]] = {}
    for node in nodes_of(program.body):
        match node:
            case Call():
                calls.setdefault(node.tool, set()).add(node.bind)
                deciding |= names_in(node.arguments)
            case Append():
                sources.setdefault(node.to, set()).update(names_in(node.record))
            case Let():
                sources.setdefault(node.bind, set()).update(names_in(node.value))
            case If() | Filter() | Sort() | Take() | Distinct():
                deciding |= names_in(node.condition if isinstance(node, If) else node)
            case ForEach():
                deciding |= names_in(node.over)
    while wider := {name for made in deciding for name in sources.get(made, ())} - deciding:
        deciding |= wider
    return {tool for tool, binds in calls.items() if deciding.isdisjoint(binds)}


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
