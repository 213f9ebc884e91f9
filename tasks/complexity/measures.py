"""Measures of an environment's structure: counted from its profile, its kept tools and its documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import networkx as nx

from schemas.documents import Document
from schemas.profiles import WorldProfile
from schemas.rounds import Measures
from schemas.tools import Tool
from tasks.toolgraph.edges import input_domains, needs_output, output_domains

MOST_STEPS = 20_000
"""Steps of the search for the longest chain; worlds of ten tables take some hundreds."""
DATABASE = "sqlite"


def measure(profile: WorldProfile, tools: Sequence[Tool], documents: Sequence[Document]) -> Measures:
    """Return the measures of one version; `tools` are those that the gate kept."""
    return Measures(
        tables=len(profile.tables),
        fk_depth=reference_depth(profile),
        guarded_writes=sum(not tool.read_only and _guards(tool) > 0 for tool in tools),
        max_chain=longest_chain(tools, profile.opaque_domains()),
        formats=tuple(sorted({DATABASE, *(document.format for document in documents)})),
        tools=len(tools),
        simple_tools=sum(is_simple(tool) for tool in tools),
        rich_tools=sum(is_rich(tool) for tool in tools),
    )


def reference_depth(profile: WorldProfile) -> int:
    """Return the references of the longest way from table to table; tables that refer in a ring count as one."""
    graph = nx.DiGraph()
    graph.add_nodes_from(table.name for table in profile.tables)
    for table in profile.tables:
        graph.add_edges_from((table.name, foreign.to_table) for foreign in table.foreign_keys)
    return int(nx.dag_longest_path_length(nx.condensation(graph))) if graph else 0


def is_rich(tool: Tool) -> bool:
    """Say whether a tool touches two tables or more, or enforces a precondition."""
    return len(tool.intent.get("tables", ())) > 1 or _guards(tool) > 0


def is_simple(tool: Tool) -> bool:
    """Say whether a tool creates, reads, updates or deletes in one table without a precondition."""
    return len(tool.intent.get("tables", ())) == 1 and _guards(tool) == 0


def longest_chain(tools: Sequence[Tool], opaque: set[str]) -> int:
    """Return the calls of the longest chain in which each takes an id that the one before found.

    The first call needs no id. Every call but the last finds an id of a kind that no call before it
    had, so that going in circles counts for nothing. The longest that a bounded search finds.
    """
    carried = {tool.name: sorted(output_domains(tool.output_schema) & opaque) for tool in tools}
    takers: dict[str, list[Tool]] = {}
    for tool in tools:
        for domain, _ in input_domains(tool).values():
            takers.setdefault(domain, []).append(tool)
    starts = {domain for tool in tools if not needs_output(tool, opaque) for domain in carried[tool.name]}
    search = _Search({domain: _led_to(domain, takers, carried) for domain in sorted({*opaque})}, set(takers))
    found = [search.deepest(domain, frozenset({domain})) for domain in sorted(starts)]
    return 1 + max(found, default=0) if tools else 0


def _led_to(domain: str, takers: dict[str, list[Tool]], carried: dict[str, list[str]]) -> list[str]:
    return sorted({found for tool in takers.get(domain, []) for found in carried[tool.name]} - {domain})


class _Search:
    """Depth first over kinds of ids, until the steps are used up."""

    def __init__(self, ways: dict[str, list[str]], taken: set[str]) -> None:
        self._ways, self._taken, self._steps = ways, taken, 0

    def deepest(self, domain: str, seen: frozenset[str]) -> int:
        """Return the most calls that can follow once an id of `domain` is known; `seen` are the kinds found."""
        self._steps += 1
        last = int(domain in self._taken)
        return max([last, *(1 + self.deepest(way, seen | {way}) for way in self._open(domain, seen))])

    def _open(self, domain: str, seen: frozenset[str]) -> Iterator[str]:
        return (way for way in self._ways.get(domain, []) if way not in seen and self._steps < MOST_STEPS)


def _guards(tool: Tool) -> int:
    return int(tool.intent.get("guards", 0))
