"""Rows that a program holds, and the cheapest way to a value of one: off the page it was found on, else by a lookup."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field

from schemas.plans import Hop
from schemas.profiles import TableProfile
from schemas.programs import Expression, Ref
from schemas.tools import Tool
from tasks.authors.rules.lowering.footprints import Place
from tasks.authors.rules.lowering.writer import CannotLower, Writer


@dataclass
class Row:
    """A row: the columns whose values are at hand, and how to find it when not even its key is.

    `item`: it is the row at hand in a loop, whose columns are taken as they were found; those of other rows are read
    again where something wrote to that column since. What is found out in a block deeper than `depth` is not kept:
    another block may not have found it out.
    """

    table: TableProfile
    columns: dict[str, Expression] = field(default_factory=dict)
    find: Callable[[], dict[str, Expression]] | None = None
    item: bool = False
    moment: int = 0
    depth: int = 0


class Rows:
    """Reads values of rows; `wanted` are the columns that a plan asks of any row, so that one lookup serves them all."""

    def __init__(self, writer: Writer, wanted: frozenset[str]) -> None:
        self._writer, self.wanted = writer, wanted
        self._catalog = writer.catalog

    def follow(self, row: Row, hops: tuple[Hop, ...]) -> Row:
        """Return the row that the hops lead to; no call is made for a key that is at hand."""
        for hop in hops:
            table = self._catalog.table(hop.table)
            row = Row(
                table,
                {table.key: self.value(row, hop.column)},
                item=row.item,
                moment=self._writer.moment,
                depth=self._writer.depth,
            )
        return row

    def value(self, row: Row, column: str) -> Expression:
        """Return a column's value, or a figure that a view of the row's table computes."""
        if self._holds(row, column):
            return row.columns[column]
        found = row.find() if row.find is not None else {}
        if found and self._writer.depth == row.depth:
            row.columns, row.find, row.moment = row.columns | found, None, self._writer.moment
        if column in found:
            return found[column]
        if column == row.table.key:
            raise CannotLower(f"nothing tells the {column} of a row of {row.table.name}")
        tool, arguments = self._lookup(row, column)
        shown = self._writer.read(tool, arguments, "details", self._writer.footprints.value(tool, column))
        return Ref(name=shown.name, path=(column,))

    def foresee(self, row: Row, column: str, written: Set[Place]) -> None:
        """Before a loop that writes, read a value of a row outside it once, or whenever the loop has changed it."""
        if row.find is not None and column not in row.columns:
            self.value(row, row.table.key)  # the page on which it is found shows more of it
        held = column == row.table.key or (column in row.columns and (row.table.name, column) not in written)
        if held:
            self.value(row, column)
            return
        tool, arguments = self._lookup(row, column)
        wanted = self._writer.footprints.value(tool, column)
        if wanted & written:
            self._writer.watch(tool, arguments, "details", wanted)
        else:
            self.value(row, column)

    def _lookup(self, row: Row, column: str) -> tuple[Tool, dict[str, Expression]]:
        tool = self._getter(row.table, column)
        return tool, {str(tool.input_schema["required"][0]): self.value(row, row.table.key)}

    def _holds(self, row: Row, column: str) -> bool:
        if column not in row.columns:
            return False
        settled = row.item or column == row.table.key
        return settled or not self._writer.is_stale([(row.table.name, column)], row.moment)

    def _getter(self, table: TableProfile, column: str) -> Tool:
        """Return the tool that looks a row up with this column and the most of the wanted ones; a plain one before a view."""
        able = [
            tool
            for tool in self._catalog.tools
            if tool.operation == "get" and tool.intent.get("table") == table.name
            if column in tool.output_schema["properties"] and len(tool.input_schema["required"]) == 1
        ]
        if not able:
            raise CannotLower(f"no tool looks up {table.name}.{column}")
        return max(
            able, key=lambda t: (len(self.wanted & set(t.output_schema["properties"])), "computed" not in t.intent)
        )
