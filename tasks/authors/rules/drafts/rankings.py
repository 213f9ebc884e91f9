"""Rankings that tools can make: by which columns, with which arguments."""

from __future__ import annotations

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Const, Expression
from schemas.tools import Operation, Tool
from tasks.authors.rules.drafts.catalog import Catalog


def rank_columns(tool: Tool, table: TableProfile) -> list[ColumnProfile]:
    """Return the measures and times that a search or top tool can rank by."""
    names = tool.intent.get("measures") if tool.operation == "top" else tool.intent.get("sorts")
    return [c for c in map(table.column, names or []) if c.role in ("measure", "time")]


def ranking_arguments(tool: Tool, column: ColumnProfile, descending: bool, count: int) -> dict[str, Expression]:
    """Return the arguments that make a search, list or top return its first `count` rows by a column."""
    if tool.operation == "top":
        chosen = {"measure": column.name, "count": count, "lowest": not descending}
    else:
        chosen = {"sort_by": column.name, "descending": descending, "limit": count}
    return {name: Const(value=value) for name, value in chosen.items()}


def narrowed_ranking(catalog: Catalog, table: TableProfile, column: str) -> tuple[Tool, str] | None:
    """Return a tool that ranks a table's rows with one value in a column, and the argument that takes the value."""
    operations: tuple[Operation, ...] = ("top", "search")
    for operation in operations:
        tool = catalog.find(operation, table.name)
        for choice in catalog.filters(tool) if tool else []:
            if tool and choice.column.name == column and choice.comparator == "eq":
                return tool, choice.parameter
    return None
