"""What tools read and write, column by column: which value that was read still holds after which write."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from schemas.operations import Action, Cell, Change, Insert, Tally, View
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.operations.walks import parts, row_tables

ROWS = ""
"""In a place's column: which rows the table has."""
Place = tuple[str, str]
"""A table and a column of it, or ROWS."""
TEXTS: Place = ("documents", ROWS)
"""What documents say. Which documents there are does not change."""
LISTING, QUERY = "list_documents", "run_document_query"


class Footprints:
    """The places that the tools of an environment read and write."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @cached_property
    def _actions(self) -> dict[str, Action]:
        return {action.name: action for each in self._catalog.environment.operations for action in each.actions}

    @cached_property
    def _views(self) -> dict[str, View]:
        return {view.name: view for each in self._catalog.environment.operations for view in each.views}

    def written(self, tools: Iterable[Tool]) -> set[Place]:
        """Return what calls of some tools may change."""
        return {place for tool in tools for place in self._written(tool)}

    def _written(self, tool: Tool) -> set[Place]:
        if tool.intent.get("documents"):
            return {TEXTS}
        action = self._actions[tool.name]
        tables, places = row_tables(action), set[Place]()
        for effect in action.effects:
            if isinstance(effect, Change):
                places |= {(tables[effect.row], column) for column in effect.values}
            else:
                places.add((effect.table if isinstance(effect, Insert) else tables[effect.row], ROWS))
        return places

    def value(self, tool: Tool, column: str) -> set[Place]:
        """Return what the value of a column depends on that a tool shows of one row."""
        table = tool.intent["table"]
        figures = self._views[tool.name].figures if tool.name in self._views else ()
        found = [figure.value for figure in figures if figure.name == column]
        if not found:
            return {(table, column)}
        places: set[Place] = set()
        for part in parts(found[0]):
            if isinstance(part, Cell):
                places.add((table, part.column))
            elif isinstance(part, Tally):
                columns = [match.column for match in part.where] + ([part.column] if part.column else [])
                places |= {(part.table, each) for each in (ROWS, *columns)}
        return places

    def rows(self, tool: Tool) -> set[Place]:
        """Return what the rows that a tool finds, or sums up, depend on."""
        if tool.name == LISTING:
            return set()
        if tool.intent.get("documents") and tool.name != QUERY:
            return {TEXTS}
        tables = self._catalog.environment.profile.tables
        read = [table for table in tables if tool.name == QUERY or table.name == tool.intent["table"]]
        places = {(table.name, column.name) for table in read for column in table.columns}
        return places | {(table.name, ROWS) for table in read}


def reach(tools: Iterable[Tool]) -> set[str]:
    """Return the tables that any of some tools reads or writes."""
    return {table for tool in tools for table in (tool.intent["table"], *tool.intent.get("tables", ()))}
