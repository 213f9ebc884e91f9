"""The tool module of an environment: which tools there are, and their Python source.

The source is one standalone module, rendered from templates/*.py.jinja, that needs nothing but
the standard library and `world.db` in its working directory.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment as Jinja
from jinja2 import PackageLoader, StrictUndefined

from schemas.environments import Environment
from schemas.profiles import TableProfile, WorldProfile
from schemas.themes import Theme
from schemas.tools import Tool, ToolModule
from tasks.authors.rules.documents.tools import DOCUMENT_IMPORTS, document_source, document_tools
from tasks.authors.rules.operations.expressions import figure_names, literal
from tasks.authors.rules.operations.source import action_source, view_source
from tasks.authors.rules.operations.specs import action_tool, view_tool
from tasks.authors.rules.tools.choice import Filter, choose_reads, view_tables
from tasks.authors.rules.tools.names import constant_name, free_names, parameter_name, snake, sql_name
from tasks.authors.rules.tools.reads import (
    MOST_RANKS,
    MOST_ROWS,
    get_tool,
    list_names,
    list_tool,
    search_tool,
    summarize_tool,
    top_tool,
)
from tasks.authors.rules.tools.schemas import root_domains, with_roots
from tasks.authors.rules.tools.wishes import Wishes

WIDTH = 118
PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
RETURNS = {
    "get": "The {noun}.",
    "search": "A page: items, total, next_offset.",
    "list": "A page: items, total, next_offset.",
    "aggregate": "The groups, each with group, value and rows.",
    "top": "The items, in order of rank.",
    "create": "The new {noun}.",
    "update": "The changed {noun}.",
    "transition": "The changed {noun}.",
    "delete": "The {noun} as it was.",
}
COMPARISONS = {"eq": "{} = ?", "min": "{} >= ?", "max": "{} <= ?", "contains": "contains({}, ?)"}


IMPORTS = ("import sqlite3", "from typing import Any, NamedTuple")
IMPORTS_BY_USE = {
    "_day": "from datetime import datetime, timedelta",
    "_dated": "from datetime import datetime",
    "_now": "from datetime import datetime",
}
"""Private function → what it needs."""


def propose_tools(environment: Environment, theme: Theme | None = None) -> ToolModule:
    """Return the module of an environment: a Tool per public function, in the source's order.

    Where a tool does what an operation of the theme's source does, it is called as there.
    """
    return _Writer(environment, theme).module()


@dataclass
class _Block:
    """One tool to come, and what its template needs besides."""

    template: str
    tool: Tool
    context: dict[str, Any]


class _Writer:
    """Renders the tools of one environment, one block of source after the other."""

    def __init__(self, environment: Environment, theme: Theme | None) -> None:
        self.environment = environment
        self.profile = environment.profile
        self.wishes = Wishes(theme.operations, theme.entities) if theme else Wishes([], [])
        self.views = view_tables(self.profile)
        self.jinja = _jinja(self.profile)
        self.blocks: list[_Block] = []

    def module(self) -> ToolModule:
        """Return the whole module."""
        self._add_reads()
        self._add_operations()
        documents = self.environment.documents
        tools = [block.tool for block in self.blocks]
        own = document_tools(self.environment) if documents else []
        names = free_names(tools, [self.wishes.name_of(tool) for tool in tools], {tool.name for tool in own})
        named = [tool.model_copy(update={"name": name}) for tool, name in zip(tools, names, strict=True)] + own
        sources = [
            self._render(block.template, {"tool": tool, **block.context})
            for block, tool in zip(self.blocks, named, strict=False)
        ]
        if documents:
            sources.append(document_source(self.environment, named[len(tools) :]))
        source = self._render("module", self._whole(sources, named, DOCUMENT_IMPORTS if documents else ()))
        roots = root_domains(self.profile)
        schemas = ("input_schema", "output_schema")
        rooted = [t.model_copy(update={name: with_roots(getattr(t, name), roots) for name in schemas}) for t in named]
        return ToolModule(source=f"{source.rstrip()}\n", tools=rooted)

    def _whole(self, sources: list[str], tools: list[Tool], imports: tuple[str, ...]) -> dict[str, Any]:
        """Return what the module's template needs."""
        text = "\n".join(sources)
        uses = set(re.findall(r"\b_[a-z]+(?=\()", text))
        needed = {*imports, *IMPORTS, *(line for name, line in IMPORTS_BY_USE.items() if name in uses)}
        return {
            "theme": self.environment.theme_name,
            "views": [v for v in self.views.values() if re.search(rf"\b{constant_name(v.table)}\b", text)],
            "blocks": sources,
            "imports": sorted(needed, key=lambda line: (line.startswith("from"), line)),
            "uses": uses,
            "most_rows": MOST_ROWS,
            "most_ranks": MOST_RANKS,
            "uses_summary": any(tool.operation == "aggregate" for tool in tools),
            "uses_ranking": any(tool.operation == "top" for tool in tools),
        }

    def _add_reads(self) -> None:
        """Add the read tools of each table in turn."""
        choice = choose_reads(self.profile, self.views, self.environment.operations)
        lists = list(zip(choice.lists, list_names(choice.lists, self.views), strict=True))
        for view in self.views.values():
            table = view.table
            if table.name in choice.get:
                self._add("get", get_tool(view), view=view, key=parameter_name(table.key))
            if table.name in choice.search:
                self._add("search", search_tool(view), view=view, filters=_sql_filters(view.filters))
            for listed, name in [entry for entry in lists if entry[0].child.name == table.name]:
                self._add(
                    "list",
                    list_tool(view, listed, name),
                    view=view,
                    parent=self.views[listed.parent.name],
                    key=parameter_name(listed.parent.key),
                    condition=f"{sql_name(listed.foreign.column)} = ?",
                )
            if table.name in choice.summarize:
                filters = tuple(f for f in view.filters if f.comparator != "contains")
                self._add("aggregate", summarize_tool(view), view=view, filters=_sql_filters(filters))
            if table.name in choice.top:
                self._add("top", top_tool(view), view=view, filters=_sql_filters(view.filters))

    def _add_operations(self) -> None:
        """Add the views and the actions of each archetype in turn."""
        for operations in self.environment.operations:
            figures = figure_names(operations)
            for view in operations.views:
                tool = view_tool(self.profile, operations, view)
                self._add("view", tool, **view_source(self.profile, view, figures))
            for action in operations.actions:
                tool = action_tool(self.profile, operations, action)
                self._add("action", tool, **action_source(self.profile, action, figures))

    def _add(self, template: str, tool: Tool, **context: Any) -> None:
        self.blocks.append(_Block(template, tool, context))

    def _render(self, template: str, context: dict[str, Any]) -> str:
        return self.jinja.get_template(f"{template}.py.jinja").render(context)


def _jinja(profile: WorldProfile) -> Jinja:
    """Return the template environment; autoescape is off since the output is Python, from our own profiles."""
    jinja = Jinja(
        loader=PackageLoader("tasks.authors.rules.tools"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    jinja.filters |= {
        "definition": lambda tool: _definition(tool, profile.table(tool.intent["table"])),
        "constant": lambda view: constant_name(view.table),
        "table_constant": constant_name,
        "literal": literal,
        "is_given": "{} is not None".format,
        "snake": snake,
        "sql": sql_name,
    }
    return jinja


def _sql_filters(filters: tuple[Filter, ...]) -> list[tuple[str, str]]:
    """Return the conditions as SQL, each with the argument whose value it takes."""
    return [(COMPARISONS[f.comparator].format(sql_name(f.column)), f.parameter) for f in filters]


def _definition(tool: Tool, table: TableProfile) -> str:
    """Return the first lines of a tool's function: signature and docstring, no trailing newline."""
    return f"{_signature(tool)}\n{_docstring(tool, table)}"


def _signature(tool: Tool) -> str:
    """Return the def line; required arguments come first in every schema."""
    properties = tool.input_schema["properties"]
    arguments = []
    for name, schema in properties.items():
        kind = PYTHON_TYPES[schema["type"]]
        if name in tool.input_schema["required"]:
            arguments.append(f"{name}: {kind}")
        elif "default" in schema:
            arguments.append(f"{name}: {kind} = {literal(schema['default'])}")
        else:
            arguments.append(f"{name}: {kind} | None = None")
    line = f"def {tool.name}({', '.join(arguments)}) -> dict[str, Any]:"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"def {tool.name}(", *[f"    {a}," for a in arguments], ") -> dict[str, Any]:"])


def _docstring(tool: Tool, table: TableProfile) -> str:
    """Return the docstring in the Google form, wrapped."""
    summary = textwrap.wrap(_escape(tool.description), WIDTH - 4 - 3, initial_indent="", subsequent_indent="    ")
    lines = [f'    """{summary[0]}', *summary[1:], "", "    Args:"]
    for name, schema in tool.input_schema["properties"].items():
        lines += textwrap.wrap(
            f"{name}: {schema['description']}",
            WIDTH,
            initial_indent=" " * 8,
            subsequent_indent=" " * 12,
            break_on_hyphens=False,
        )
    lines += ["", "    Returns:", f"        {RETURNS[tool.operation].format(noun=table.singular)}", '    """']
    return "\n".join([lines[0], *map(_escape, lines[1:-1]), lines[-1]])


def _escape(line: str) -> str:
    """Return a line as it must be written between triple quotes, whatever words a data set brings."""
    shown = "".join(character if character.isprintable() else " " for character in line)
    return shown.replace("\\", "\\\\").replace('"' * 3, "'" * 3)
