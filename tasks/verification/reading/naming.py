"""Names of tables: what the schemas call a table may differ from what its author calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.plans import Plan
from schemas.tools import Tool
from tasks.verification.reading.tools import public
from tasks.verification.reading.vocabulary import Vocabulary


def public_names(tools: Sequence[Tool]) -> dict[str, str]:
    """Return the author's name of each table that a reading tool shows → the name that a reader gives it."""
    vocabulary = Vocabulary([public(tool) for tool in tools])
    return {
        str(tool.intent["table"]): table.name
        for table in vocabulary.tables.values()
        for tool in tools
        if tool.intent.get("table") and any(tool.name == read.name for read in table.reads)
    }


def rename(plan: Plan, names: Mapping[str, str]) -> Plan:
    """Return a plan with its tables called by other names."""
    return Plan.model_validate(_renamed(plan.model_dump(mode="json"), names))


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_renamed(each, names) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: names.get(value, value) if key == "table" and isinstance(value, str) else _renamed(value, names)
        for key, value in node.items()
    }
