"""Specs of the read tools: get, search, list, summarize, top."""

from __future__ import annotations

from typing import Any

from schemas.tools import Tool
from tasks.authors.rules.tools.choice import Filter, ListChoice, TableView
from tasks.authors.rules.tools.names import parameter_name, snake
from tasks.authors.rules.tools.schemas import (
    FORMS,
    Schema,
    brief_schema,
    groups_schema,
    items_schema,
    object_schema,
    page_schema,
    row_schema,
    sentence,
    value_schema,
    with_domain,
    worded,
)

MOST_ROWS, DEFAULT_ROWS = 50, 20
MOST_RANKS, DEFAULT_RANKS = 20, 5
FUNCTIONS = ("count", "sum", "mean", "min", "max")
FIGURES = (
    ", or give the sum, mean, lowest or highest of a measure, over all that meet the conditions or for each group. "
    "Means are rounded to 6 decimals."
)


def get_tool(view: TableView) -> Tool:
    """Return the tool that looks up one row by its key."""
    table = view.table
    words = table.column(table.key).words
    argument = value_schema(table, table.key, f"{words[0].upper()}{words[1:]} of the {table.singular}.")
    return Tool(
        name=f"get_{view.singular}",
        operation="get",
        read_only=True,
        description=f"Look up one {table.singular} by its {words}, with all that is recorded about it.",
        input_schema=object_schema({parameter_name(table.key): with_domain(argument, table.domain(table.key))}),
        output_schema=row_schema(table),
        intent={"table": table.name, "tables": [table.name]},
    )


def search_tool(view: TableView) -> Tool:
    """Return the tool that pages through the rows that meet optional conditions."""
    table = view.table
    by = _listed([*dict.fromkeys(table.column(f.column).words for f in view.filters)], "and")
    how = f" by {by}" if by else ""
    return Tool(
        name=f"search_{view.plural}",
        operation="search",
        read_only=True,
        description=f"Find {table.plural}{how}. All conditions are optional and must all hold. "
        "Returns short records page by page, and how many there are.",
        input_schema=object_schema({**_conditions(view), **_paging(view)}, []),
        output_schema=_page(view),
        intent={"table": table.name, "tables": [table.name], "filters": _intent(view.filters), **_shown(view)},
    )


def list_tool(view: TableView, choice: ListChoice, name: str) -> Tool:
    """Return the tool that pages through the children of one parent."""
    table, parent = view.table, choice.parent
    words = parent.column(parent.key).words
    role = table.column(choice.foreign.column).words
    told_apart = name.endswith(f"_by_{snake(choice.foreign.column)}")
    which = f"whose {role} is the given {parent.singular}" if told_apart else f"of the given {parent.singular}"
    argument = value_schema(parent, parent.key, f"{words[0].upper()}{words[1:]} of the {parent.singular}.")
    return Tool(
        name=name,
        operation="list",
        read_only=True,
        description=f"List the {table.plural} {which}, as short records page by page.",
        input_schema=object_schema(
            {parameter_name(parent.key): with_domain(argument, parent.domain(parent.key)), **_paging(view)},
            [parameter_name(parent.key)],
        ),
        output_schema=_page(view),
        intent={
            "table": table.name,
            "tables": [parent.name, table.name],
            "parent": parent.name,
            "column": choice.foreign.column,
            **_shown(view),
        },
    )


def list_names(choices: tuple[ListChoice, ...], views: dict[str, TableView]) -> list[str]:
    """Return the list tools' names; two references to one parent are told apart by their column."""
    plain = [f"list_{views[c.parent.name].singular}_{views[c.child.name].plural}" for c in choices]
    return [
        f"{name}_by_{snake(choice.foreign.column)}" if plain.count(name) > 1 else name
        for name, choice in zip(plain, choices, strict=True)
    ]


def summarize_tool(view: TableView) -> Tool:
    """Return the tool that works a figure out over rows, by group if asked; of a table without measures, counts."""
    table = view.table
    filters = _figure_filters(view)
    properties: dict[str, Schema] = {
        "function": {
            "type": "string",
            "enum": list(FUNCTIONS if view.measures else FUNCTIONS[:1]),
            "description": f"Count {table.plural}{', or a figure of the measure' if view.measures else ''}.",
        }
    }
    if view.measures:
        properties["measure"] = {
            "type": "string",
            "enum": list(view.measures),
            "description": f"What the figure is of: {_glossary(view, view.measures)}. Needed unless counting.",
        }
    if view.groups:
        properties["group_by"] = {
            "type": "string",
            "enum": list(view.groups),
            "description": f"One figure for each {_glossary(view, view.groups, 'or')}; one over all when left out.",
        }
    return Tool(
        name=f"summarize_{view.plural}",
        operation="aggregate",
        read_only=True,
        description=f"Count {table.plural}{FIGURES if view.measures else ' that meet the conditions, or those of each group.'}",
        input_schema=object_schema({**properties, **_conditions(view, filters)}, ["function"]),
        output_schema=groups_schema(),
        intent={
            "table": table.name,
            "tables": [table.name],
            "filters": _intent(filters),
            "measures": list(view.measures),
            "groups": list(view.groups),
        },
    )


def top_tool(view: TableView) -> Tool:
    """Return the tool that ranks rows by a measure."""
    table = view.table
    ranking: dict[str, Schema] = {
        "measure": {
            "type": "string",
            "enum": list(view.measures),
            "description": f"What to rank by: {_glossary(view, view.measures)}.",
        },
        "count": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_RANKS,
            "default": DEFAULT_RANKS,
            "description": f"Number of {table.plural} to return.",
        },
        "lowest": {"type": "boolean", "default": False, "description": "Rank the lowest first instead of the highest."},
    }
    return Tool(
        name=f"top_{view.plural}",
        operation="top",
        read_only=True,
        description=f"Rank {table.plural} that meet the conditions by a measure, highest first. "
        "Those without the measure are left out.",
        input_schema=object_schema({**ranking, **_conditions(view)}, ["measure"]),
        output_schema=items_schema(brief_schema(table, view.brief, view.measures)),
        intent={
            "table": table.name,
            "tables": [table.name],
            "measures": list(view.measures),
            "filters": _intent(view.filters),
            "brief": list(view.brief),
        },
    )


def _figure_filters(view: TableView) -> tuple[Filter, ...]:
    return tuple(f for f in view.filters if f.comparator != "contains")


def _shown(view: TableView) -> dict[str, Any]:
    return {"sorts": list(view.sorts), "brief": list(view.brief)}


def _intent(filters: tuple[Filter, ...]) -> dict[str, dict[str, str]]:
    return {f.parameter: {"column": f.column, "comparator": f.comparator} for f in filters}


def _page(view: TableView) -> Schema:
    return page_schema(brief_schema(view.table, view.brief, view.sorts))


def _conditions(view: TableView, filters: tuple[Filter, ...] | None = None) -> dict[str, Schema]:
    """Return the schemas of the optional conditions."""
    table = view.table
    schemas: dict[str, Schema] = {}
    for chosen in view.filters if filters is None else filters:
        column = table.column(chosen.column)
        texts = {
            "eq": f"Only those with this {column.words}",
            "contains": f"Only those whose {column.words} contains this text in any case",
            "min": f"Lowest {worded(column)} to include",
            "max": f"Highest {worded(column)} to include",
        }
        if column.type == "boolean":
            texts["eq"] = f"Only those to which this applies or not: {column.words}"
        if column.role == "time":
            texts |= {"min": f"Earliest {column.words} to include", "max": f"Latest {column.words} to include"}
        schema = value_schema(table, chosen.column, sentence(texts[chosen.comparator], FORMS.get(column.type)))
        is_range = chosen.comparator in ("min", "max")
        schemas[chosen.parameter] = schema if is_range else with_domain(schema, table.domain(chosen.column))
    return schemas


def _paging(view: TableView) -> dict[str, Schema]:
    """Return the schemas of the arguments that order and cut a long result."""
    words = view.table.column(view.table.key).words
    return {
        "sort_by": {
            "type": "string",
            "enum": list(view.sorts),
            "description": f"Order by {_glossary(view, view.sorts, 'or')}, missing values last; by {words} when left out.",
        },
        "descending": {"type": "boolean", "default": False, "description": "Largest, latest or last first."},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_ROWS,
            "default": DEFAULT_ROWS,
            "description": "Most records on a page.",
        },
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Number of records to skip."},
    }


def _glossary(view: TableView, columns: tuple[str, ...], joint: str = "or") -> str:
    """Return the columns' names with their words, where these say more: 'dep_delay (departure delay in minutes)'."""
    entries = []
    for name in columns:
        words = worded(view.table.column(name))
        entries.append(name if snake(words) == name else f"{name} ({words})")
    return _listed(entries, joint)


def _listed(words: list[str], joint: str) -> str:
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)
