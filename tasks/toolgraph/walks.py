"""Seeded weighted walks over the tool graph."""

from __future__ import annotations

import random

import networkx as nx

from schemas.tools import Tool, ToolEdge
from tasks.toolgraph.edges import needs_output, output_domains


def build_graph(tools: list[Tool], edges: list[ToolEdge]) -> nx.DiGraph:
    """Return a directed graph over tool names; a pair's weight is that of its strongest edge."""
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(tool.name for tool in tools))
    for edge in edges:
        known = graph.get_edge_data(edge.source, edge.target)
        if known is None or known["weight"] < edge.weight:
            graph.add_edge(edge.source, edge.target, weight=edge.weight, kind=edge.kind)
    return graph


class Walker:
    """Draws walks: a start that needs nothing, then successors in proportion to edge weight.

    A successor is open only once the outputs so far carry every opaque domain it needs, and
    a tool is visited at most `visits` times in a walk.
    """

    def __init__(self, tools: list[Tool], edges: list[ToolEdge], opaque_domains: set[str], visits: int = 2) -> None:
        self._graph = build_graph(tools, edges)
        self._needs = {tool.name: needs_output(tool, opaque_domains) for tool in tools}
        self._carries = {tool.name: output_domains(tool.output_schema) for tool in tools}
        self._starts = [name for name in sorted(self._needs) if not self._needs[name] and self._carries[name]]
        self._visits = visits

    def walk(self, rng: random.Random, steps: int) -> list[str]:
        """Return up to `steps` tool names; shorter when no open successor is left, empty without a start."""
        if not self._starts:
            return []
        path = [rng.choice(self._starts)]
        carried = set(self._carries[path[0]])
        while len(path) < steps:
            options = [
                (name, data["weight"])
                for name, data in sorted(self._graph[path[-1]].items())
                if self._needs[name] <= carried and path.count(name) < self._visits
            ]
            if not options:
                break
            names, weights = zip(*options, strict=True)
            path.append(rng.choices(names, weights)[0])
            carried |= self._carries[path[-1]]
        return path
