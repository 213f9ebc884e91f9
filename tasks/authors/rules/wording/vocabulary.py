"""What an environment's things are called: nouns, columns, figures, roles of references, and ways to ask for actions."""

from __future__ import annotations

from functools import cached_property

from schemas.plans import Hop
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import key_table
from tasks.toolgraph.edges import input_domains


class Vocabulary:
    """The profile's own words, by what a plan refers to."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def table(self, name: str) -> TableProfile:
        """Return a table's profile, with its singular and plural nouns."""
        return self.catalog.table(name)

    def tool(self, name: str) -> Tool:
        """Return a tool."""
        return self.catalog.by_name[name]

    def key_table(self, tool: str, argument: str) -> TableProfile | None:
        """Return the table of the rows that an argument of a tool names; None where it names none."""
        found = self.tool(tool)
        named = argument == found.intent.get("row") or argument in input_domains(found)
        return key_table(self.catalog, found, argument) if named else None

    def column(self, table: str, name: str) -> ColumnProfile:
        """Return a column, or a figure that a view computes in the words of its tool: 'seats still free'."""
        for column in self.table(table).columns:
            if column.name == name:
                return column
        said = self._figures.get((table, name), name.replace("_", " "))
        return ColumnProfile(name=name, type="integer", role="measure", nullable=False, distinct=2, words=said)

    def is_figure(self, table: str, name: str) -> bool:
        """Say whether a view computes it."""
        return (table, name) in self._figures

    @cached_property
    def _figures(self) -> dict[tuple[str, str], str]:
        return self.catalog.figure_words

    def role(self, table: str, hop: Hop) -> str:
        """Return what a hop leads to, as seen from the row: 'destination airport', 'budget'."""
        target, source = self.table(hop.table), self.table(table)
        if self.extends(table, hop) or all(f.column != hop.column for f in source.foreign_keys):
            return target.singular
        return self.reference(table, hop.column)

    def reference(self, table: str, column: str) -> str:
        """Return what a reference leads to, by its column's words: 'destination airport', 'country of birth'."""
        target = self.refers(table, column)
        if target is None:
            return self.column(table, column).words
        said = words.role_words(self.table(table).column(column), self.table(target))
        return said.removeprefix("code of the ").removeprefix("code of ")

    def extends(self, table: str, hop: Hop) -> bool:
        """Say whether a hop goes by the row's own key to the row that extends it."""
        return hop.column == self.table(table).key and hop.table != table

    def refers(self, table: str, column: str) -> str | None:
        """Return the table that a column's values are keys of."""
        return next((f.to_table for f in self.table(table).foreign_keys if f.column == column), None)
