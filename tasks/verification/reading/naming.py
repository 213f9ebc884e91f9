"""Names of tables and fields: what schemas and requests call them may differ from what a plan's author calls them."""

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


def plain_field(name: str) -> str:
    """Return a document's field as people say it: without case and underscores, which requests do not keep."""
    return name.replace("_", " ").lower()


def rename(plan: Plan, names: Mapping[str, str]) -> Plan:
    """Return a plan with its tables called by other names, fields of documents and whole numbers as people say them."""
    return Plan.model_validate(_renamed(plan.model_dump(mode="json"), names))


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_renamed(each, names) for each in node]
    if isinstance(node, float) and node.is_integer():
        return int(node)
    if not isinstance(node, dict):
        return node
    plain = {key: _called(key, value, names) for key, value in node.items()}
    if plain.get("is_") == "entries" and plain["where"]:
        plain["where"] = {**plain["where"], "column": plain_field(plain["where"]["column"])}
    return plain


def _called(key: str, value: Any, names: Mapping[str, str]) -> Any:
    if key == "table" and isinstance(value, str):
        return names.get(value, value)
    if key == "field" and isinstance(value, str):
        return plain_field(value)
    return _renamed(value, names)
