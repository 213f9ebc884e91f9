"""Which tools a world gets, and which columns they filter, sort, measure, group and show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from schemas.operations import Operations
from schemas.profiles import ColumnProfile, ForeignKey, TableProfile, WorldProfile
from tasks.authors.rules.operations.walks import tables_of_action, tables_of_view
from tasks.authors.rules.tools.names import parameter_name, snake

NUMERIC = ("integer", "number", "money")
MOST_EQUALITIES, MOST_RANGES, MOST_FILTERS = 4, 3, 6
MOST_MEASURES, MOST_GROUPS, MOST_TELLING = 5, 5, 3
MOST_LISTS, FEW_LISTS = 8, 5
MOST_READS, MANY_TABLES = 23, 10
MOST_TOOLS, FEWEST_READS, FEWEST_SIMPLE = 60, 18, 6
"""Tools of a world of several archetypes, of them reads in any case, and reads of one table in any case."""
ALONE_BONUS, OPERATIONAL_BONUS, HOST_BONUS, LOG_WEIGHT = 8, 4, 3, 1.0
"""Added to the weight of an only archetype's tables, of each of several ones', of a host; a log's whole weight."""
LARGEST_SUM = 2**63
FEW_ROWS = 10
WORTH = {"get": 2.0, "search": 2.0, "summarize": 2.5, "top": 2.0}
"""What an operation adds to its table's weight, before the tools that the table has already are taken off."""

LEADS, FIGURES = 6.0, 2.5
"""What a lookup that leads on is worth more, and a figure less, where there are several archetypes."""

Comparator = Literal["eq", "contains", "min", "max"]


@dataclass(frozen=True)
class Filter:
    """One optional argument of a search: how it is compared with which column."""

    parameter: str
    column: str
    comparator: Comparator


@dataclass(frozen=True)
class TableView:
    """A table as its read tools see it; `singular` and `plural` are its nouns as part of the tools' names."""

    table: TableProfile
    brief: tuple[str, ...]
    filters: tuple[Filter, ...]
    sorts: tuple[str, ...]
    measures: tuple[str, ...]
    groups: tuple[str, ...]
    singular: str
    plural: str


@dataclass(frozen=True)
class ListChoice:
    """List the children of one parent, by a reference."""

    parent: TableProfile
    child: TableProfile
    foreign: ForeignKey


@dataclass(frozen=True)
class ReadChoice:
    """The read tools of a world: tables by operation, and parent-child pairs."""

    get: tuple[str, ...]
    search: tuple[str, ...]
    lists: tuple[ListChoice, ...]
    summarize: tuple[str, ...]
    top: tuple[str, ...]


def view_table(table: TableProfile) -> TableView:
    """Choose a table's telling columns, in the order in which the profile lists them."""
    references = {foreign.column for foreign in table.foreign_keys}
    times = [c for c in table.columns if c.role == "time" and c.name not in references]
    measures = [c for c in table.columns if c.role == "measure" and c.distinct > 1 and _adds_up(c, table.rows)]
    measures = sorted(measures, key=lambda c: c.unit is None)[:MOST_MEASURES]
    categories = [c for c in table.columns if c.role == "category" and c.distinct > 1]
    sorts = [*_names(times[:1]), *_names(measures), *([table.label] if table.label else [])]
    groups = [c.name for c in table.columns if c.name in references or c in categories]
    return TableView(
        table=table,
        brief=_brief(table, times, categories),
        filters=_filters(table, times, categories, measures),
        sorts=tuple(dict.fromkeys(s for s in sorts if s != table.key)) or (table.key,),
        measures=tuple(_names(measures)),
        groups=tuple(g for g in groups if g != table.key)[:MOST_GROUPS],
        singular=snake(table.singular) or table.name,
        plural=snake(table.plural) or table.name,
    )


def view_tables(profile: WorldProfile) -> dict[str, TableView]:
    """Return every table's view; tables that share a noun are told apart by their names."""
    views = {table.name: view_table(table) for table in profile.tables}
    singulars, plurals = Counter(v.singular for v in views.values()), Counter(v.plural for v in views.values())
    for name, view in views.items():
        if singulars[view.singular] > 1 or plurals[view.plural] > 1:
            views[name] = replace(view, singular=snake(name), plural=snake(name))
    return views


def _adds_up(column: ColumnProfile, rows: int) -> bool:
    """Tell whether a column's values are numbers whose sum SQLite can hold: larger whole ones are no measures."""
    if column.type != "integer":
        return column.type in NUMERIC
    return max(abs(column.minimum or 0), abs(column.maximum or 0)) * max(rows, 1) < LARGEST_SUM


def _names(columns: list[ColumnProfile]) -> list[str]:
    return [column.name for column in columns]


def _brief(table: TableProfile, times: list[ColumnProfile], categories: list[ColumnProfile]) -> tuple[str, ...]:
    """Key, label and up to three telling columns; of references only an operational table's host."""
    references = [foreign.column for foreign in table.foreign_keys]
    if table.kind == "operational":
        by_status = sorted(_names(categories), key=lambda name: name != "status")
        telling = [*references[:1], *by_status, *_names(times[:1])]
    else:
        telling = [*_names(times[:1]), *_names([c for c in categories if c.name not in references])]
    label = [table.label] if table.label else []
    for role in ("measure", "text"):
        if not telling and not label:
            telling = [c.name for c in table.columns if c.role == role][:1]
    shown = [name for name in dict.fromkeys(telling) if name not in (table.key, table.label)]
    return tuple(dict.fromkeys([table.key, *label, *shown[:MOST_TELLING]]))


def _filters(
    table: TableProfile, times: list[ColumnProfile], categories: list[ColumnProfile], measures: list[ColumnProfile]
) -> tuple[Filter, ...]:
    """Label first, then what groups rows, then ranges, then other texts and numbers while there is room.

    A range is one filter with two arguments.
    """
    references = [foreign.column for foreign in table.foreign_keys if foreign.column != table.key]
    contained = [table.label] if table.label and table.label != table.key else []
    equal = [e for e in dict.fromkeys([*references, *_names(categories)]) if e not in (table.label, table.key)][
        :MOST_EQUALITIES
    ]
    ranged = [*times[:1], *measures][:MOST_RANGES]
    for column in [c for c in table.columns if c.role == "text" and c.distinct > 1]:
        if len(contained) + len(equal) + len(ranged) < MOST_FILTERS:
            (contained if column.type == "text" else equal).append(column.name)
    chosen = [Filter(f"{name}_contains", name, "contains") for name in contained]
    chosen += [Filter(parameter_name(name), name, "eq") for name in equal]
    for column in ranged:
        chosen += [Filter(f"min_{column.name}", column.name, "min"), Filter(f"max_{column.name}", column.name, "max")]
    return _told_apart(chosen)


def _told_apart(filters: list[Filter]) -> tuple[Filter, ...]:
    """Return the filters with different parameters: a column may be called like another one's bound (max_temperature)."""
    seen: dict[str, Filter] = {}
    for chosen in filters:
        name = chosen.parameter
        while name in seen:
            name += "_"
        seen[name] = replace(chosen, parameter=name)
    return tuple(seen.values())


def choose_reads(profile: WorldProfile, views: dict[str, TableView], operations: Sequence[Operations]) -> ReadChoice:
    """Choose the read tools of a world beside its `operations`; tables with a view of their own get no get.

    Candidates compete by how connected and telling their table is, less the more tools it has
    already; the best `MOST_READS` win. So a world of many tables still gets a set of tools that an
    agent can read, and the tables around the operations' hosts are served best. Where there are several
    archetypes, reads of one table are at most as many as the tools that do more, and what leads from
    row to row comes before figures.
    """
    replaced = {view.table for each in operations for view in each.views}
    weights = {table.name: _weight(profile, table, operations) for table in profile.tables}
    candidates: list[tuple[float, str, str]] = []
    for table in profile.tables:
        lone = _is_lone(profile, table)
        for place, operation in enumerate(_operations(views[table.name], lone, table.name in replaced)):
            worth = WORTH[operation] if len(operations) < 2 else _worth(profile, table, operation)
            candidates.append((weights[table.name] + worth - place, operation, table.name))
    pairs = _pairs(profile)
    ranked = sorted(range(len(pairs)), key=lambda i: (-_pair_weight(pairs[i], weights), i))[:MOST_LISTS]
    candidates += [(_pair_weight(pairs[i], weights), "list", str(i)) for i in ranked]
    won = _best(sorted(candidates, key=lambda c: -c[0]), operations, len(profile.tables))
    by_operation = {
        op: tuple(name for _, o, name in won if o == op) for op in ("get", "search", "summarize", "top", "list")
    }
    return ReadChoice(
        get=by_operation["get"],
        search=by_operation["search"],
        summarize=by_operation["summarize"],
        top=by_operation["top"],
        lists=tuple(pair for i, pair in enumerate(pairs) if str(i) in by_operation["list"]),
    )


def _worth(profile: WorldProfile, table: TableProfile, operation: str) -> float:
    """Return what an operation adds where there are several archetypes: what leads to another id that nobody knows."""
    opaque = {other.name for other in profile.tables if other.key_is_opaque}
    leads = table.name in opaque and any(f.to_table in opaque and f.column != table.key for f in table.foreign_keys)
    worth = WORTH[operation] + (LEADS if operation in ("get", "search") and leads else 0)
    return worth - (FIGURES if operation in ("summarize", "top") else 0)


def _best(
    candidates: list[tuple[float, str, str]], operations: Sequence[Operations], tables: int
) -> list[tuple[float, str, str]]:
    """Return the candidates that win. A list alone touches two tables: of several archetypes all are kept."""
    if len(operations) < 2:
        return candidates[:MOST_READS]
    actions = [action for each in operations for action in each.actions]
    rich = sum(bool(action.guards) or len(tables_of_action(action)) > 1 for action in actions)
    rich += sum(len(tables_of_view(view)) > 1 for each in operations for view in each.views)
    simple = sum(not action.guards and len(tables_of_action(action)) == 1 for action in actions)
    most = min(MOST_READS + max(0, tables - MANY_TABLES), max(MOST_TOOLS - rich - simple, FEWEST_READS))
    lists = [candidate for candidate in candidates if candidate[1] == "list"][:FEW_LISTS]
    room = max(FEWEST_SIMPLE, min(most - len(lists), rich + len(lists) - simple))
    alone = [candidate for candidate in candidates if candidate[1] != "list"][:room]
    return [*lists, *alone]


def _operations(view: TableView, lone: bool, replaced: bool) -> list[str]:
    """Return the operations that suit a table, the most useful first.

    Where short records show all there is, the search that finds them comes before the get, and where
    actions need a row to be found first.
    Figures and rankings are for tables that refer to others (what happened, not what exists), and
    for lone ones, which are all there is; a lone one without measures is counted. There is nothing
    to ask of a table without rows.
    """
    table = view.table
    if not table.rows:
        return []
    satellite = _is_satellite(table)
    operations = [] if replaced or satellite else ["get"]
    if not _is_link(table) and not (satellite and len(table.columns) == 2):
        operations.append("search")
    if table.kind == "operational" or set(view.brief) == {column.name for column in table.columns}:
        operations.reverse()
    if (table.foreign_keys or lone) and view.measures and not satellite:
        operations += ["summarize"] if table.kind == "operational" else ["summarize", "top"]
    elif lone and view.groups:
        operations.append("summarize")
    return operations


def _weight(profile: WorldProfile, table: TableProfile, operations: Sequence[Operations]) -> float:
    """Rate a table: its references in and out, its name and figures; operations are what tasks are about.

    A log that operations only write to (of no archetype, and not mined) comes last.
    """
    own = {name for each in operations for name in (*each.tables.values(), *(a.table for a in each.actions))}
    if table.kind == "operational" and table.name not in own:
        return LOG_WEIGHT
    children = [child for child, _ in profile.children(table.name) if not _is_link(child)]
    figures = (table.foreign_keys or _is_lone(profile, table)) and any(c.role == "measure" for c in table.columns)
    weight = len(table.foreign_keys) + len(children) + (1 if table.label else 0) + (2 if figures else 0)
    bonus = ALONE_BONUS if len(operations) < 2 else OPERATIONAL_BONUS
    weight += bonus if table.kind == "operational" else HOST_BONUS if table.name in {o.host for o in operations} else 0
    return weight - (1 if table.rows < FEW_ROWS else 0)


def _pair_weight(pair: ListChoice, weights: dict[str, float]) -> float:
    """Rate a list: a little less than its two tables; of operations, always."""
    child = weights[pair.child.name]
    alone = pair.child.kind == "operational" and child != LOG_WEIGHT
    return child if alone else (child + weights[pair.parent.name]) / 2 - 0.5


def _is_lone(profile: WorldProfile, table: TableProfile) -> bool:
    """Tell whether a mined table neither refers to another mined one nor is referred to by one."""
    children = [child for child, _ in profile.children(table.name) if child.kind != "operational"]
    return table.kind != "operational" and not table.foreign_keys and not children


def _is_satellite(table: TableProfile) -> bool:
    """Tell whether a table extends another one row by row, under the same key."""
    return any(foreign.column == table.key for foreign in table.foreign_keys)


def _is_link(table: TableProfile) -> bool:
    """Tell whether a table only links others: there is nothing in it to search by."""
    return {column.role for column in table.columns} <= {"key", "reference"}


def _pairs(profile: WorldProfile) -> list[ListChoice]:
    """Return all parent-child pairs, parents in the profile's order."""
    return [
        ListChoice(parent, child, foreign)
        for parent in profile.tables
        for child, foreign in profile.children(parent.name)
        if not _is_satellite(child) and foreign.to_column == parent.key and parent.rows and child.rows
    ]
