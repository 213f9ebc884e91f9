"""The tool module of an environment: which tools there are, and their Python source.

The source is one standalone module, rendered from templates/*.py.jinja, that needs nothing but
the standard library and `world.db` in its working directory.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from jinja2 import Environment as Jinja
from jinja2 import PackageLoader, StrictUndefined

from schemas.environments import Environment
from schemas.profiles import TableProfile, WorldProfile
from schemas.tools import Tool, ToolModule
from tasks.authors.rules.overlays.proposal import overlay_template, overlay_tools
from tasks.authors.rules.tools.choice import Filter, choose_reads, view_tables
from tasks.authors.rules.tools.names import RESERVED_TOOLS, constant_name, parameter_name, snake, sql_name
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
}
COMPARISONS = {"eq": "{} = ?", "min": "{} >= ?", "max": "{} <= ?", "contains": "contains({}, ?)"}


def propose_tools(environment: Environment) -> ToolModule:
    """Return the module of an environment: a Tool per public function, in the source's order.

    Raises ValueError if two tools would get the same name, or one that trainers reserve.
    """
    return _Writer(environment).module()


class _Writer:
    """Renders the tools of one environment, one block of source after the other."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.profile = environment.profile
        self.views = view_tables(self.profile)
        self.jinja = _jinja(self.profile)
        self.tools: list[Tool] = []
        self.blocks: list[str] = []

    def module(self) -> ToolModule:
        """Return the whole module."""
        operations = overlay_tools(self.environment)
        self._add_reads({tool.intent["table"] for tool in operations if tool.operation == "get"})
        if operations:
            self._add_operations(operations)
        names = [tool.name for tool in self.tools]
        wrong = sorted({n for n in names if names.count(n) > 1} | set(names) & RESERVED_TOOLS)
        if wrong:
            raise ValueError(f"tools of {self.environment.theme_name} with a taken name: {', '.join(wrong)}")
        used = [
            view
            for view in self.views.values()
            if re.search(rf"\b{constant_name(view.table)}\b", "\n".join(self.blocks))
        ]
        whole = {
            "theme": self.environment.theme_name,
            "views": used,
            "blocks": self.blocks,
            "writes": bool(operations),
            "most_rows": MOST_ROWS,
            "most_ranks": MOST_RANKS,
            "uses_summary": any(t.operation == "aggregate" for t in self.tools),
            "uses_ranking": any(t.operation == "top" for t in self.tools),
        }
        source = self._render("module", whole)
        roots = root_domains(self.profile)
        tools = [
            tool.model_copy(
                update={
                    "input_schema": with_roots(tool.input_schema, roots),
                    "output_schema": with_roots(tool.output_schema, roots),
                }
            )
            for tool in self.tools
        ]
        return ToolModule(source=f"{source.rstrip()}\n", tools=tools)

    def _add_reads(self, replaced: set[str]) -> None:
        """Add the read tools of each table in turn."""
        choice = choose_reads(self.profile, self.views, replaced, self.environment.overlay_parameters.get("host"))
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

    def _add(self, template: str, tool: Tool, **context: Any) -> None:
        self.tools.append(tool)
        self.blocks.append(self._render(template, {"tool": tool, **context}))

    def _add_operations(self, operations: list[Tool]) -> None:
        """Add the archetype's tools, which one template renders together."""
        self.tools += operations
        self.blocks.append(self._render(*overlay_template(self.environment, operations)))

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
        "literal": _literal,
        "snake": snake,
        "sql": sql_name,
    }
    return jinja


def _literal(value: Any) -> str:
    """Return a Python literal with double quotes, as the house style has it."""
    if isinstance(value, tuple):
        return f"({', '.join(_literal(v) for v in value)}{',' if len(value) == 1 else ''})"
    if not isinstance(value, str):
        return repr(value)
    quoted = repr(value)
    plain = quoted.startswith("'") and '"' not in value
    return f'"{quoted[1:-1]}"' if plain else quoted


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
            arguments.append(f"{name}: {kind} = {_literal(schema['default'])}")
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
