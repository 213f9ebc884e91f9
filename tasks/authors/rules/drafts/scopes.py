"""Which rows a call of a walk is about: an earlier output first, else values of one real record."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Const, Expression
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog, FilterChoice
from tasks.authors.rules.drafts.mentions import Context, Mention
from tasks.toolgraph.edges import input_domains


@dataclass
class Scope:
    """Filters of one call with their words, as a sentence says them now and in full; `takes` are the mentions they use."""

    arguments: dict[str, Expression] = field(default_factory=dict)
    phrases: list[tuple[str, str]] = field(default_factory=list)
    takes: list[Mention] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    @property
    def phrase(self) -> str:
        """The scope in words, to stand after a noun."""
        return " and ".join(now for now, _ in self.phrases)

    @property
    def full(self) -> str:
        """The scope in words that stand alone, whatever is spoken of later."""
        return " and ".join(full for _, full in self.phrases)

    def say(self, text: str, mention: str = "", full: str = "") -> None:
        """Add a phrase; {} in it is the mention."""
        self.phrases.append((text.replace("{}", mention), text.replace("{}", full)))


def draw_scope(
    catalog: Catalog, rng: random.Random, context: Context, tool: Tool, ranked_by: ColumnProfile | None
) -> Scope | None:
    """Draw a scope, or None when a list tool's parent was not mentioned."""
    table = catalog.table(tool.intent["table"])
    scope = Scope()
    if tool.operation == "list":
        ((parameter, (domain, _)),) = [item for item in input_domains(tool).items() if item[1][1]]
        mention = context.latest(domain, tool.name)
        if mention is None:
            return None
        scope.arguments[parameter] = mention.ref
        scope.takes.append(mention)
        scope.say(f"among the {table.plural} of {{}}", context.said(mention), mention.full)
        return scope
    filters = [choice for choice in catalog.filters(tool) if ranked_by is None or choice.column.name != ranked_by.name]
    rng.shuffle(filters)
    _take_mentioned(scope, context, tool, catalog, filters)
    record = catalog.record(table.name, rng)
    if record is not None:
        wanted = rng.choice((0, 1, 1)) if scope.takes else rng.choice((1, 1, 2))
        _take_from_record(scope, catalog, table, filters, record, len(scope.arguments) + wanted)
    return scope


def _take_mentioned(scope: Scope, context: Context, tool: Tool, catalog: Catalog, filters: list[FilterChoice]) -> None:
    """Take one equality filter's value from an earlier output, where one carries it."""
    domains = input_domains(tool)
    for choice in filters:
        if choice.comparator != "eq" or choice.parameter not in domains:
            continue
        mention = context.latest(domains[choice.parameter][0], tool.name)
        if mention is not None and mention.table != tool.intent["table"]:
            owner = _referred(catalog.table(tool.intent["table"]), choice.column) or mention.table
            of = "" if owner == mention.table else f"the {catalog.table(owner).singular} of "
            role = words.role_words(choice.column, catalog.table(owner))
            scope.arguments[choice.parameter] = mention.ref
            scope.takes.append(mention)
            scope.say(f"whose {role} is {of}{{}}", context.said(mention), mention.full)
            return


def _referred(table: TableProfile, column: ColumnProfile) -> str | None:
    """Return the table that a column refers to: a row that extends one of its rows has the same key."""
    return next((foreign.to_table for foreign in table.foreign_keys if foreign.column == column.name), None)


def _take_from_record(
    scope: Scope,
    catalog: Catalog,
    table: TableProfile,
    filters: list[FilterChoice],
    record: dict[str, Any],
    wanted: int,
) -> None:
    """Add filters that one real record meets until there are `wanted`."""
    taken = {choice.column.name for choice in filters if choice.parameter in scope.arguments}
    for choice in filters:
        value = record[choice.column.name]
        if len(scope.arguments) >= wanted or choice.column.name in taken or not catalog.sayable(table, choice, value):
            continue
        taken.add(choice.column.name)
        scope.arguments[choice.parameter] = Const(value=value)
        scope.constants.append(value)
        scope.say(words.render_filter(choice.column, choice.comparator, value))
