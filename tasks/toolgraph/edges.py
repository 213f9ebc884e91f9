"""Edges between tools, derived from the value domains in their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.tools import EDGE_WEIGHTS, EdgeKind, Tool, ToolEdge


def output_domains(schema: dict[str, Any]) -> set[str]:
    """Return every `x-domain` in an output schema, at any depth."""
    return {node["x-domain"] for node in _nodes(schema) if "x-domain" in node}


def input_domains(tool: Tool) -> dict[str, tuple[str, bool]]:
    """Return parameter → (domain, required) for the parameters that have a domain."""
    required = set(tool.input_schema.get("required", ()))
    properties = tool.input_schema.get("properties", {})
    return {name: (p["x-domain"], name in required) for name, p in properties.items() if "x-domain" in p}


def needs_output(tool: Tool, opaque_domains: set[str]) -> set[str]:
    """Return the domains that a call needs and that only another tool's output can give."""
    return {domain for domain, required in input_domains(tool).values() if required and domain in opaque_domains}


def tool_edges(
    tools: list[Tool], opaque_domains: set[str], weights: Mapping[str, int] = EDGE_WEIGHTS
) -> list[ToolEdge]:
    """Connect every ordered pair of different tools; the graph is complete.

    strong (directed): a required parameter's domain is opaque, so its value can only come from
    an output that carries it. weak (both ways): a parameter takes what an output carries, but
    the data could supply it too. independent (both ways): everything else. A kind's weight says
    how often a walk goes that way. Sorted by source, target, parameter.
    """
    carried = {tool.name: output_domains(tool.output_schema) for tool in tools}
    linked: dict[tuple[str, str], list[ToolEdge]] = {}
    for source in tools:
        for target in tools:
            if source.name != target.name:
                linked[source.name, target.name] = list(
                    _data_edges(source, target, carried[source.name], opaque_domains, weights)
                )
    edges = []
    for (name, other), forward in linked.items():
        backward = any(edge.kind == "weak" for edge in linked[other, name])
        edges += forward or [_edge(name, other, "weak" if backward else "independent", weights)]
    return sorted(edges, key=lambda edge: (edge.source, edge.target, edge.parameter or ""))


def weighed(edges: list[ToolEdge], weights: Mapping[str, int]) -> list[ToolEdge]:
    """Return the edges with other weights for their kinds."""
    return [edge.model_copy(update={"weight": weights[edge.kind]}) for edge in edges]


def _data_edges(
    source: Tool, target: Tool, carried: set[str], opaque: set[str], weights: Mapping[str, int]
) -> Iterator[ToolEdge]:
    for parameter, (domain, required) in sorted(input_domains(target).items()):
        if domain in carried:
            kind: EdgeKind = "strong" if required and domain in opaque else "weak"
            yield _edge(source.name, target.name, kind, weights, parameter, domain)


def _edge(
    source: str,
    target: str,
    kind: EdgeKind,
    weights: Mapping[str, int],
    parameter: str | None = None,
    domain: str | None = None,
) -> ToolEdge:
    return ToolEdge(source=source, target=target, kind=kind, weight=weights[kind], parameter=parameter, domain=domain)


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for child in schema.get("properties", {}).values():
        yield from _nodes(child)
    if isinstance(schema.get("items"), dict):
        yield from _nodes(schema["items"])
    for option in schema.get("anyOf", ()):
        yield from _nodes(option)
