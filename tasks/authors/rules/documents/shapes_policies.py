"""Document shapes about a policy: change what its limits allow, create what they allow at most."""

from __future__ import annotations

import operator
import random
from typing import Any

from schemas.operations import Cell, Given, Guard
from schemas.profiles import ColumnProfile
from schemas.programs import Aggregate, Call, Compare, Const, Expression, ForEach, If, NewList, Ref
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.documents.drafting import (
    Opened,
    ask_count,
    ask_total,
    documents,
    look_up,
    note,
    open_document,
    told,
)
from tasks.authors.rules.documents.figures import Figure, figures_of
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import Creation, creations, draw_values, required, wish
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch

FEWEST_CHANGED = 4
"""Rows to change where none has to be looked up before."""
_HOLDS: dict[str, Any] = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


def apply_policy(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Do what a policy allows: change the rows within its limit, or create rows at it."""
    ruled = [(f, *found) for d in documents(catalog) for f in figures_of(d) if (found := _ruled(catalog, f))]
    if not ruled:
        return None
    figure, guard, tool = rng.choice(ruled)
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, figure.document)
    if isinstance(guard.value, Cell):
        drafted = _change_within(sketch, (figure, opened), guard, tool)
    else:
        options = [c for c in creations(catalog) if c.tool.name == tool.name]
        drafted = isinstance(guard.value, Given) and bool(options)
        drafted = drafted and _create_at_limit(sketch, (figure, opened), guard.value.name, options[0])  # type: ignore[union-attr]
    return sketch.draft("programmatic", "apply_policy") if drafted else None


def _ruled(catalog: Catalog, figure: Figure) -> tuple[Guard, Tool] | None:
    """Return the guard that enforces a rule's figure, and the tool of its action."""
    for operations in catalog.environment.operations if figure.fact.rule and figure.fact.column else ():
        for action in operations.actions:
            for guard in action.guards:
                tools = [t for t in catalog.tools if t.intent.get("archetype") == operations.archetype]
                tools = [t for t in tools if t.intent.get("action") == action.name]
                if guard.rule == figure.fact.rule and tools:
                    return guard, tools[0]
    return None


def _column(catalog: Catalog, figure: Figure) -> tuple[str, ColumnProfile]:
    """Return the table and the column that a rule's limit is compared with."""
    assert figure.fact.column is not None
    table, name = figure.fact.column
    return table, catalog.table(table).column(name)


def _change_within(sketch: Sketch, limit: tuple[Figure, Opened], guard: Guard, tool: Tool) -> bool:
    """Change those of ranked rows that the policy's limit allows; False when nothing fits."""
    catalog, rng, row = sketch.catalog, sketch.rng, tool.intent.get("row")
    table = catalog.table(tool.intent["table"])
    owner, column = _column(catalog, limit[0])
    if not row or required(tool) != [row] or owner != table.name or guard.operator not in _HOLDS:
        return False
    fixed = {"status": rng.choice(tool.intent["from"])} if tool.intent["from"] else {}
    ranking = draw_ranking(catalog, rng, table, rng.randint(5, 8), fixed) if catalog.find("get", table.name) else None
    values = [r[column.name] for r in ranking.rows] if ranking else []
    met = sum(v is not None and _HOLDS[str(guard.operator)](v, limit[0].fact.value) for v in values)
    if ranking is None or not 0 < met < len(values):
        return False
    shown = column.name in ranking.shown | {ranking.column.name}
    if shown and met < FEWEST_CHANGED:
        return False
    _change(sketch, ranking, column, limit, (guard, tool, shown))
    return True


def _change(
    sketch: Sketch,
    ranking: Ranking,
    column: ColumnProfile,
    limit: tuple[Figure, Opened],
    how: tuple[Guard, Tool, bool],
) -> None:
    """Write the loop that changes what is allowed, its sentences, and what it reports."""
    table, key, (figure, opened), (guard, tool, shown) = (
        ranking.table,
        Ref(name="row", path=(ranking.table.key,)),
        limit,
        how,
    )
    sketch.constants += ranking.constants
    sketch.call("page", ranking.tool.name, ranking.arguments)
    assert guard.operator is not None
    value = Ref(name="row" if shown else "details", path=(column.name,))
    branch = If(
        condition=Compare(operator=guard.operator, left=value, right=told(figure.path)),
        then=(Call(bind="changed", tool=tool.name, arguments={tool.intent["row"]: key}), note("done", figure=value)),
        otherwise=(note("left", figure=value),),
    )
    looked = () if shown else (look_up(sketch.catalog, table, key),)
    loop = ForEach(item="row", over=Ref(name="rows"), body=(*looked, branch))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="done"), NewList(bind="left"), loop]
    sketch.say(f"go through {ranking.phrase}, and {wish(tool, {'row': 'each of them'})} for which our rules allow it")
    sketch.say(f"the rules stand in {opened.said}; leave the others as they are")
    ask_count(sketch, "done", f"how many {table.plural} you changed", f"{table.plural} changed")
    if column.role == "measure":
        ask_total(sketch, "done", column, "that you changed")
        ask_total(sketch, "left", column, "left as they are")
        return
    kept = Aggregate(function="pluck", over=Ref(name="left"), path=("figure",))
    kind = words.value_type(column)
    said = f"the {column.words} of each one left as it is"
    sketch.ask(said, kept, "list", name=f"{column.words} of those left", item_type=kind)


def _create_at_limit(sketch: Sketch, limit: tuple[Figure, Opened], argument: str, creation: Creation) -> bool:
    """Create a row about each of ranked rows with the most that the policy allows; False when nothing fits."""
    catalog, rng, tool, (figure, opened) = sketch.catalog, sketch.rng, creation.tool, limit
    _, column = _column(catalog, figure)
    ranking = draw_ranking(catalog, rng, creation.about, rng.randint(5, 6))
    values = {k: v for k, v in draw_values(catalog, tool, rng).items() if k != argument}
    if ranking is None or argument not in tool.input_schema["properties"]:
        return False
    sketch.constants += [*ranking.constants, *values.values()]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
    arguments |= {argument: told(figure.path), creation.parameter: Ref(name="row", path=(creation.about.key,))}
    create = Call(bind="created", tool=tool.name, arguments=arguments)
    made = note("done", figure=Ref(name="created", path=(column.name,)))
    loop = ForEach(item="row", over=Ref(name="rows"), body=(create, made))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="done"), loop]
    request = wish(tool, {**values, creation.parameter: "it", argument: "the highest number of"})
    sketch.say(f"take {ranking.phrase}; for each, {request}")
    sketch.say(f"the highest number that our rules allow at once stands in {opened.said}")
    ask_total(sketch, "done", column, "made")
    ask_count(sketch, "done", f"how many {catalog.table(tool.intent['table']).plural} you made", "number made")
    return True
