"""Edges by a model: which outputs feed which parameters, where the schemas do not prove it; what they prove is the floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemas.tools import EDGE_WEIGHTS, Tool, ToolEdge
from tasks.authors.llm.coder.proposals import EdgeLabel, EdgeLabels
from tasks.authors.llm.coder.verdicts import NotKept, report_verdict
from tasks.authors.llm.model import BudgetSpent, Message, Model, Unusable
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render

MOST_TARGETS = 40
"""Targets of one call: 40 tools take 40 calls, one for each source."""
LONGEST_DESCRIPTION = 120

Edges = dict[tuple[str, str], list[ToolEdge]]
"""(source, target) → the edges of the pair, one a parameter."""


def label_edges(model: Model, tools: Sequence[Tool], floor: list[ToolEdge], most_calls: int) -> list[ToolEdge]:
    """Return the floor's edges, with those of weak and independent pairs raised that a model labels and the schemas allow.

    An edge is never lowered or taken away. At most `most_calls` calls; what they, or the budget, do not reach stays as
    it is. Sorted as the floor is. Raises ModelUnavailable.
    """
    edges: Edges = {}
    for edge in floor:
        edges.setdefault((edge.source, edge.target), []).append(edge)
    try:
        for source, targets in _requests(tools, edges)[:most_calls]:
            for label in _labels(model, source, targets):
                name = f"{source.name} -> {label.target}.{label.parameter}"
                report_verdict(model, "edge", name, _refusal(edges, label, source, targets))
    except BudgetSpent:
        pass
    return sorted(
        (edge for pair in edges.values() for edge in pair),
        key=lambda edge: (edge.source, edge.target, edge.parameter or ""),
    )


# --- What is asked ------------------------------------------------------------------------


def _requests(tools: Sequence[Tool], edges: Edges) -> list[tuple[Tool, list[Tool]]]:
    """Return each source with batches of the targets that take something and are not strongly bound to it."""
    ordered = sorted(tools, key=lambda tool: tool.name)
    requests = []
    for source in ordered:
        targets = [
            target
            for target in ordered
            if target.name != source.name
            and target.input_schema.get("properties")
            and not any(edge.kind == "strong" for edge in edges.get((source.name, target.name), ()))
        ]
        requests += [(source, targets[at : at + MOST_TARGETS]) for at in range(0, len(targets), MOST_TARGETS)]
    return requests


def _labels(model: Model, source: Tool, targets: Sequence[Tool]) -> list[EdgeLabel]:
    """Ask for the labels of one source and its targets; an unusable answer is reported, and none."""
    task = render(
        __package__,
        "edges.jinja",
        source=source,
        outputs=fence("\n".join(_outputs(source.output_schema)), "outputs of the source"),
        targets=fence("\n".join(map(_described, targets)), "tools and their parameters"),
    )
    try:
        messages = [Message("system", render(__package__, "edges_system.jinja")), Message("user", task)]
        return model.ask(messages, EdgeLabels).labels
    except Unusable as fault:
        report_verdict(model, "edge", source.name, NotKept(fault.reason, fault.detail))
        return []


def _outputs(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield 'path (type)' of each plain value in a result."""
    for name, child in schema.get("properties", {}).items():
        yield from _outputs(child, f"{path}.{name}" if path else name)
    if isinstance(schema.get("items"), dict):
        yield from _outputs(schema["items"], f"{path}.*")
    kinds = _types(schema) - {"object", "array", "null"}
    if path and kinds:
        yield f"{path} ({' or '.join(sorted(kinds))})"


def _described(tool: Tool) -> str:
    required = tool.input_schema.get("required", ())
    parameters = [
        f"{name}: {' or '.join(sorted(_types(schema)))}{', must be given' if name in required else ''}"
        for name, schema in tool.input_schema["properties"].items()
    ]
    return f"{tool.name}({'; '.join(parameters)}): {tool.description[:LONGEST_DESCRIPTION]}"


# --- What is made of an answer ------------------------------------------------------------


def _refusal(edges: Edges, label: EdgeLabel, source: Tool, targets: Sequence[Tool]) -> NotKept | None:
    """Raise the edge that a label is about, or return why it stays as it is."""
    target = next((tool for tool in targets if tool.name == label.target), None)
    if target is None:
        return NotKept("schemas", f"{label.target} is not among the targets")
    problem = _problem(label, source, target)
    if problem:
        return NotKept("schemas", problem)
    return None if _raised(edges, label, source, target) else NotKept("floor", "the schemas prove as much")


def _problem(label: EdgeLabel, source: Tool, target: Tool) -> str:
    """Return why a label can't be right, by the schemas; "" when it can."""
    parameter = target.input_schema["properties"].get(label.parameter)
    output = _schema_at(source.output_schema, label.output.split("."))
    if parameter is None:
        return f"{label.target} has no parameter {label.parameter}"
    if output is None:
        return f"{source.name} returns no {label.output}"
    given, taken = _types(output) - {"null"}, _types(parameter)
    if not given or not given <= taken | ({"integer"} if "number" in taken else set()):
        return f"{label.output} ({', '.join(sorted(given))}) is no value for {label.parameter} ({', '.join(sorted(taken))})"
    if len({schema["x-domain"] for schema in (output, parameter) if "x-domain" in schema}) > 1:
        return f"{label.output} and {label.parameter} are of different domains"
    if label.kind == "strong" and label.parameter not in target.input_schema.get("required", ()):
        return f"{label.parameter} may be left out, so that nothing depends on {source.name}"
    return ""


def _schema_at(schema: Any, path: Sequence[str]) -> dict[str, Any] | None:
    """Return the schema that a dotted path leads to, '*' for the elements of a list; None when it leads nowhere."""
    for step in path:
        if not isinstance(schema, dict):
            return None
        schema = schema.get("items") if step == "*" else schema.get("properties", {}).get(step)
    return schema if isinstance(schema, dict) else None


def _types(schema: dict[str, Any]) -> set[str]:
    kinds = schema.get("type", [])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _raised(edges: Edges, label: EdgeLabel, source: Tool, target: Tool) -> bool:
    """Put a label in the place of a lesser edge of its pair; say whether there was something to raise.

    A lesser edge is one of the same parameter, or one of none. A weak edge goes both ways, as the floor's do.
    """
    there, back = (source.name, target.name), (target.name, source.name)
    weight = EDGE_WEIGHTS[label.kind]
    if any(e.parameter == label.parameter and EDGE_WEIGHTS[e.kind] >= weight for e in edges.get(there, ())):
        return False
    raised = ToolEdge(
        source=source.name,
        target=target.name,
        kind=label.kind,
        weight=weight,
        parameter=label.parameter,
        domain=target.input_schema["properties"][label.parameter].get("x-domain"),
        author="llm",
    )
    edges[there] = [*(e for e in edges.get(there, ()) if e.parameter not in (None, label.parameter)), raised]
    if label.kind == "weak":
        change = {"kind": "weak", "weight": weight, "author": "llm"}
        edges[back] = [e.model_copy(update=change) if e.kind == "independent" else e for e in edges.get(back, ())]
    return True
