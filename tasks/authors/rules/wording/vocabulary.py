"""What an environment's things are called: nouns, columns, figures, roles of references, and ways to ask for actions."""

from __future__ import annotations

from functools import cached_property

from schemas.plans import Hop, Plan
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
        """Return a table's profile with its nouns: those of the table that it extends where no tool says its own."""
        table = self.catalog.table(name)
        extended = self.refers(name, table.key)
        if extended is None or self._is_spoken(name):
            return table
        return table.model_copy(update=self.table(extended).model_dump(include={"singular", "plural"}))

    def tool(self, name: str) -> Tool:
        """Return a tool."""
        return self.catalog.by_name[name]

    def written(self, plan: Plan) -> set[str]:
        """Return the tables that a plan's acts write to."""
        acts = [act for each in plan.passes for branch in each.branches for act in branch.acts]
        acts += [deed.act for deed in plan.deeds]
        return {self.tool(act.tool).intent.get("table", "") for act in acts}

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
        return hop.column == self.catalog.table(table).key and hop.table != table

    def is_same_row(self, table: str, hop: Hop) -> bool:
        """Say whether nobody would tell apart the rows that a hop leads between: a flight and what is kept of its seats."""
        return self.extends(table, hop) and not (self._is_spoken(table) and self._is_spoken(hop.table))

    def _is_spoken(self, table: str) -> bool:
        profile = self.catalog.table(table)
        return profile.singular in self._said or profile.plural in self._said

    @cached_property
    def _said(self) -> str:
        """What the tools say of themselves."""
        return "\n".join(f"{tool.name.replace('_', ' ')}: {tool.description}" for tool in self.catalog.tools).lower()

    def refers(self, table: str, column: str) -> str | None:
        """Return the table that a column's values are keys of."""
        return next((f.to_table for f in self.catalog.table(table).foreign_keys if f.column == column), None)


def plain_field(field: str) -> str:
    """Return the name of a document's field as people say it: 'retention period'."""
    return field.replace("_", " ")
