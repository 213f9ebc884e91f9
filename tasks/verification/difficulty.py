"""The difficulty of a task, measured on its gold run, and the level 0 to 5 that follows by a fixed rule.

The level goes by calls: 1 below 11, 2 below 16, 3 below 25, 4 below 40, else 5; one or two calls are practice, level 0.
Six other features vote harder or easier, by the bounds of `_BOUNDS`; three votes more one way than the other move the
level by one, within 1 to 5. Practice stays practice. More calls, all else equal, never lower the level.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from schemas.difficulty import Difficulty
from schemas.documents import Document
from schemas.identity import canonical_json
from schemas.programs import Compare
from schemas.tasks import AgentTask, GoldRun, GoldStep
from schemas.tools import EdgeKind, Tool, ToolEdge
from tasks.verification.style.measures import clauses
from tasks.verification.syntax import nodes_of

MOST_PRACTICE = 2
"""Calls of a practice task."""
LEVELS_START = (11, 16, 25, 40)
"""Calls from which on a task is of level 2, 3, 4 and 5."""
VOTES_TO_MOVE = 3
"""Of six features, so that no single kind of hardness moves a level."""
_BOUNDS: dict[str, tuple[float, float]] = {
    "unique_tools": (3, 7),
    "loose_share": (0.1, 0.7),
    "branching": (0, 2),
    "other_tools": (10, 36),
    "others": (1, 10),
    "clauses_per_call": (-3.0, -0.5),
}
"""Feature → at most this votes easier, at least that votes harder; clauses a call count negatively.

Near the outer fifths of 80 tasks of four demo environments that were measured.
"""


def measure(
    task: AgentTask,
    gold: GoldRun,
    tools: Sequence[Tool],
    edges: Sequence[ToolEdge],
    documents: Sequence[Document],
    shortest: int | None = None,
) -> Difficulty:
    """Measure a task on its gold run, in the environment that has these tools, edges and documents.

    `shortest`: the fewest calls by which the task was seen to pass; None: those of the gold run.
    """
    by_name = {tool.name: tool for tool in tools}
    kinds = list(_link_kinds(gold.steps, by_name, edges))
    calls = shortest or count_calls((step.tool, step.arguments) for step in gold.steps)
    measured = Difficulty(
        calls=calls,
        unique_tools=len({step.tool for step in gold.steps}),
        weak_share=round(kinds.count("weak") / max(1, len(kinds)), 4),
        independent_share=round(kinds.count("independent") / max(1, len(kinds)), 4),
        branching=sum(isinstance(node, Compare) for node in nodes_of(task.program)),
        other_tools=_count_other_tools(gold.steps, tools),
        other_rows=_count_other_rows(gold.steps, by_name),
        other_documents=_count_other_documents(gold.steps, documents),
        clauses_per_call=round(clauses(task.request, task.language) / max(1, calls), 4),
        level=0,
    )
    return measured.model_copy(update={"level": level_of(measured)})


def level_of(measured: Difficulty) -> int:
    """Return the level of a task with these features; the level that they hold is not looked at."""
    if measured.calls <= MOST_PRACTICE:
        return 0
    votes = {
        "unique_tools": measured.unique_tools,
        "loose_share": measured.weak_share + measured.independent_share,
        "branching": measured.branching,
        "other_tools": measured.other_tools,
        "others": measured.other_rows + measured.other_documents,
        "clauses_per_call": -measured.clauses_per_call,
    }
    balance = sum((value >= _BOUNDS[name][1]) - (value <= _BOUNDS[name][0]) for name, value in votes.items())
    moved = 1 + bisect_right(LEVELS_START, measured.calls) + (balance >= VOTES_TO_MOVE) - (balance <= -VOTES_TO_MOVE)
    return min(5, max(1, moved))


def count_calls(calls: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """Count calls (tool, arguments); pages of one listing, told apart by nothing but their offset, count once."""
    found, pages = 0, set[str]()
    for tool, arguments in calls:
        listing = canonical_json([tool, {name: value for name, value in arguments.items() if name != "offset"}])
        if arguments.get("offset") and listing in pages:
            continue
        pages.add(listing)
        found += 1
    return found


def _link_kinds(steps: Sequence[GoldStep], tools: Mapping[str, Tool], edges: Sequence[ToolEdge]) -> Iterator[EdgeKind]:
    """Yield, for each call after the first, the strongest edge by which an earlier output leads to it.

    An edge leads there when a value that an earlier call returned in the edge's domain is the call's argument.
    """
    into: dict[str, list[ToolEdge]] = {}
    for edge in edges:
        if edge.parameter is not None:
            into.setdefault(edge.target, []).append(edge)
    returned: dict[tuple[str, str], set[str]] = {}
    for place, step in enumerate(steps):
        if place:
            kinds = {
                edge.kind
                for edge in into.get(step.tool, ())
                if canonical_json(step.arguments.get(edge.parameter or ""))
                in returned.get((edge.source, edge.domain or ""), ())
            }
            yield "strong" if "strong" in kinds else "weak" if "weak" in kinds else "independent"
        for domain, value in _carried(tools[step.tool].output_schema, step.observation):
            returned.setdefault((step.tool, domain), set()).add(canonical_json(value))


def _carried(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield (domain, value) of every value of an output whose schema names a domain."""
    if "x-domain" in schema and not isinstance(value, dict | list):
        yield schema["x-domain"], value
    if isinstance(value, dict):
        for name, child in schema.get("properties", {}).items():
            if name in value:
                yield from _carried(child, value[name])
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            yield from _carried(schema["items"], item)


def _count_other_tools(steps: Sequence[GoldStep], tools: Sequence[Tool]) -> int:
    used = {step.tool for step in steps}
    touched = {table for tool in tools if tool.name in used for table in tables_of(tool)}
    return sum(tool.name not in used and not touched.isdisjoint(tables_of(tool)) for tool in tools)


def tables_of(tool: Tool) -> set[str]:
    """Return the tables that a tool reads or writes."""
    return {*tool.intent.get("tables", ()), *filter(None, [tool.intent.get("table")])}


def _count_other_rows(steps: Sequence[GoldStep], tools: Mapping[str, Tool]) -> int:
    """Count the rows of listings that no later call takes up, in listings of which some row is taken up."""
    found = 0
    for place, step in enumerate(steps):
        items = step.observation.get("items") if isinstance(step.observation, dict) else None
        if not items:
            continue
        later = {canonical_json(value) for other in steps[place + 1 :] for value in other.arguments.values()}
        schema = tools[step.tool].output_schema.get("properties", {}).get("items", {}).get("items", {})
        taken = [any(canonical_json(value) in later for _, value in _carried(schema, item)) for item in items]
        found += taken.count(False) if any(taken) else 0
    return found


def _count_other_documents(steps: Sequence[GoldStep], documents: Sequence[Document]) -> int:
    paths = {document.path for document in documents}
    read = paths & {str(value) for step in steps for name, value in step.arguments.items() if name == "path"}
    return len(paths - read) if read else 0
