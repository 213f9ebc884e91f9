"""What the tools' schemas say of a world: its tables, their columns with words and units, and its actions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tasks.verification.reading.tools import PublicTool

_READS = ("get", "search", "list", "summarize", "top")
_FORMAT = re.compile(r", as [A-Z][A-Za-z:-]*$")
_UNIT = re.compile(r"^(?P<words>.+) in (?!the |a |stock)(?P<unit>[a-z][\w /²³%-]*)$")
_NOTE = re.compile(r"(, 1 for yes, 0 for no| in UTC| in local time)$")


@dataclass(frozen=True)
class Column:
    """A column of a table, or a figure that a tool computes of its rows."""

    name: str
    words: str
    unit: str | None
    domain: str | None
    kind: str
    values: tuple[Any, ...] = ()

    @property
    def leads_to(self) -> str | None:
        """The table whose key the column holds, where its domain names one."""
        return self.domain.partition(".")[0] if self.domain else None


@dataclass(frozen=True)
class Table:
    """What tools tell of one table: its key, columns, and the tools that read it."""

    name: str
    key: str
    nouns: tuple[str, ...]
    columns: Mapping[str, Column]
    reads: tuple[PublicTool, ...]

    def tools(self, *operations: str) -> list[PublicTool]:
        """Return the tools that read the table so."""
        return [tool for tool in self.reads if tool.operation in operations]

    @cached_property
    def label(self) -> str:
        """The column that people call rows by: searched as text, and a domain of its own; else the key."""
        texts = [name.removesuffix("_contains") for tool in self.tools("search") for name in tool.parameters]
        named = [c for c in texts if c in self.columns and self.columns[c].domain == f"{self.name}.{c}"]
        return next((c for c in named if f"{c}_contains" in self.searched), self.key)

    @cached_property
    def searched(self) -> set[str]:
        """Parameters of the searches."""
        return {name for tool in self.tools("search") for name in tool.parameters}

    @cached_property
    def filtered(self) -> set[str]:
        """Columns that a search or a ranking can narrow by."""
        return {c for tool in self.tools("search", "top", "list", "summarize") for c, _ in filters(tool).values()}


@dataclass
class _Family:
    """Tools that share columns besides the key."""

    key: str
    domain: str
    columns: set[str] = field(default_factory=set)
    tools: list[PublicTool] = field(default_factory=list)


class Vocabulary:
    """Tables and actions of one world."""

    def __init__(self, tools: Sequence[PublicTool]) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.actions = [tool for tool in tools if not tool.read_only]
        self.tables = {table.name: table for table in _tables(tools)}

    def table_of(self, tool: str) -> str:
        """Return the table that a tool reads; KeyError when it reads none."""
        for table in self.tables.values():
            if any(each.name == tool for each in table.reads):
                return table.name
        raise KeyError(tool)

    def extensions(self, table: Table) -> list[Table]:
        """Return the tables whose rows extend those of a table: the same key."""
        domain = table.columns[table.key].domain
        return [t for t in self.tables.values() if t.name != table.name and t.columns[t.key].domain == domain]


def filters(tool: PublicTool) -> dict[str, tuple[str, str]]:
    """Return a reading tool's filters: parameter → column and comparator."""
    found = {}
    for name, schema in tool.parameters.items():
        text = schema.get("description", "")
        if text.startswith("Only those ") and not name.endswith("_contains"):
            found[name] = (name, "is")
        elif name.startswith(("min_", "max_")) and " to include" in text:
            found[name] = (name[4:], "at_least" if name.startswith("min_") else "at_most")
        elif tool.operation == "list" and name in tool.required:
            found[name] = (_listed_by(tool, name), "is")
    return found


def _listed_by(tool: PublicTool, parameter: str) -> str:
    """Return the column that a list tool's required key is compared with: 'whose airport of origin is …'."""
    by = re.search(r"_by_([a-z_]+)$", tool.name)
    return by[1] if by else parameter


def describe(text: str) -> tuple[str, str | None]:
    """Split a column's description into words and unit: 'Distance in miles.' → ('distance', 'miles')."""
    plain = _FORMAT.sub("", text.removesuffix("."))
    plain = _NOTE.sub("", plain)
    plain = plain[:1].lower() + plain[1:] if not plain[:2].isupper() else plain
    unit = _UNIT.match(plain)
    return (unit["words"], unit["unit"]) if unit else (plain, None)


def _tables(tools: Sequence[PublicTool]) -> list[Table]:
    families = _families([tool for tool in tools if tool.read_only and tool.operation in _READS])
    _add_summaries(families, tools)
    by_domain: dict[str, list[_Family]] = {}
    for family in families:
        by_domain.setdefault(family.domain, []).append(family)
    tables = []
    for domain, group in by_domain.items():
        base = max(group, key=lambda family: _claim(family, domain.partition(".")[0]))
        tables += [_table(f, domain.partition(".")[0] if f is base else _plural_noun(f)) for f in group]
    return tables


def _families(tools: Sequence[PublicTool]) -> list[_Family]:
    """Group tools by the key that they return first and by the columns that they share."""
    families: list[_Family] = []
    for tool in tools:
        record = tool.record
        key = next(iter(record), "")
        domain = record.get(key, {}).get("x-domain")
        if not domain or "." not in domain or tool.operation == "summarize":
            continue
        columns = {*record, *(column for column, _ in filters(tool).values())} - {key}
        same = [f for f in families if f.domain == domain and f.key == key and (f.columns & columns or not columns)]
        family = _Family(key, domain, set(columns), [tool])
        for other in same:
            families.remove(other)
            family.columns |= other.columns
            family.tools = [*other.tools, *family.tools]
        families.append(family)
    return families


def _add_summaries(families: list[_Family], tools: Sequence[PublicTool]) -> None:
    """Give each summary to the family whose search bears the same noun, else to the one that shares most columns."""
    for tool in tools:
        if tool.operation == "summarize":
            noun, columns = tool.name.partition("_")[2], {column for column, _ in filters(tool).values()}
            groups = tool.parameters.get("group_by", {}).get("enum", [])
            measures = tool.parameters.get("measure", {}).get("enum", [])
            columns |= {*groups, *measures}
            best = max(families, key=lambda f: (noun in _plural_nouns(f), len(columns & f.columns), len(f.tools)))
            best.tools.append(tool)


def _claim(family: _Family, table: str) -> tuple[bool, bool, int, int]:
    """Rate a family's claim to be the table that the key's domain names."""
    domains = {s.get("x-domain", "") for tool in family.tools for c, s in tool.record.items() if c != family.key}
    return (
        table in _plural_nouns(family),
        any(domain.startswith(f"{table}.") for domain in domains),
        len(family.tools),
        len(family.columns),
    )


def _plural_nouns(family: _Family) -> set[str]:
    return {
        tool.name.partition("_")[2] if tool.operation != "get" else _plural(tool.name.partition("_")[2])
        for tool in family.tools
    }


def _plural_noun(family: _Family) -> str:
    """Name a table that only extends another by the noun of its search or of its lookup."""
    ranked = sorted(family.tools, key=lambda tool: ("search", "summarize", "top", "get", "list").index(tool.operation))
    noun = ranked[0].name.partition("_")[2]
    return noun if ranked[0].operation != "get" else _plural(noun)


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def _table(family: _Family, name: str) -> Table:
    columns: dict[str, Column] = {}
    inputs = {p: s for tool in family.tools for p, s in tool.parameters.items()}
    for tool in sorted(family.tools, key=lambda tool: tool.operation != "get"):
        for column, schema in tool.record.items() if tool.operation != "summarize" else ():
            columns.setdefault(column, _column(column, schema, inputs.get(column, {})))
    for tool in family.tools:
        for parameter, (column, comparator) in filters(tool).items():
            if comparator == "is" and column not in columns:
                schema = tool.parameters[parameter]
                words = re.sub(r"^Only those with this ", "", schema.get("description", ""))
                columns[column] = _column(column, {**schema, "description": words}, schema)
    nouns = dict.fromkeys(noun for tool in family.tools for noun in _spoken(tool))
    return Table(name, family.key, tuple(nouns), columns, tuple(family.tools))


def _column(name: str, schema: Mapping[str, Any], parameter: Mapping[str, Any]) -> Column:
    words, unit = describe(schema.get("description", name.replace("_", " ")))
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else next(each for each in kinds if each != "null")
    if kind == "string" and re.search(r"as YYYY", schema.get("description", "")):
        kind = "datetime" if "T" in schema["description"].partition("YYYY")[2] else "date"
    return Column(name, words, unit, schema.get("x-domain"), kind, tuple(parameter.get("enum", ())))


_NOUN = {
    "get": re.compile(r"^Look up one (.+?) by its "),
    "search": re.compile(r"^Find (.+?) by "),
    "list": re.compile(r"^List the (.+?) (?:whose|of the given) "),
    "summarize": re.compile(r"^Count (.+?), or "),
    "top": re.compile(r"^Rank (.+?) that meet"),
}


def _spoken(tool: PublicTool) -> list[str]:
    """Return the nouns by which a tool's description calls its rows."""
    found = _NOUN[tool.operation].match(tool.description)
    return [found[1]] if found else []
