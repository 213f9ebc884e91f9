"""What the pages of environments are made from: rows of the warehouse's `page_*` queries, one group an environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.documents import Document
from schemas.operations import Operations
from schemas.profiles import WorldProfile
from tasks.pages.markdown import Row, parsed

Ask = Callable[..., list[dict[str, Any]]]
"""Runs a named query: `rows` of the live warehouse or of the published one."""

GROUPS = {
    "sources": "page_sources",
    "tools": "page_tools",
    "tasks": "page_tasks",
    "refusals": "page_refusals",
    "quality": "page_quality",
    "versions": "page_versions",
    "rounds": "page_rounds",
    "intents": "page_intents",
}


@dataclass(frozen=True)
class WorldRows:
    """One environment with all that its page shows; each list in the query's order."""

    environment: Row
    profile: WorldProfile
    operations: Sequence[Operations] = field(default=())
    documents: Sequence[Document] = field(default=())
    sources: Sequence[Row] = field(default=())
    tools: Sequence[Row] = field(default=())
    tasks: Sequence[Row] = field(default=())
    refusals: Sequence[Row] = field(default=())
    quality: Sequence[Row] = field(default=())
    versions: Sequence[Row] = field(default=())
    rounds: Sequence[Row] = field(default=())
    intents: Sequence[Row] = field(default=())

    @property
    def theme(self) -> str:
        """Name of the theme."""
        return str(self.environment["theme_name"])


def read_worlds(ask: Ask, ids: Sequence[str] | None = None) -> list[WorldRows]:
    """Return the environments of these ids, or all current ones, by theme: one query a kind of row, not one an environment."""
    wanted = None if ids is None else list(ids)
    environments = ask("page_environments", ids=wanted)
    groups: dict[str, dict[str, list[Row]]] = {name: {} for name in GROUPS}
    for name, query in GROUPS.items():
        for row in ask(query, ids=wanted):
            groups[name].setdefault(row["environment_id"], []).append(row)
    return [
        WorldRows(
            row,
            WorldProfile.model_validate(parsed(row["profile"])),
            [Operations.model_validate(one) for one in parsed(row["operations"]) or ()],
            [Document.model_validate(one) for one in parsed(row["documents"]) or ()],
            **{name: found.get(row["environment_id"], []) for name, found in groups.items()},
        )
        for row in environments
    ]
