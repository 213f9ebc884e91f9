"""Program shapes that change the state: settle a queue, act on a ranking, spread a demand."""

from __future__ import annotations

import random
from dataclasses import dataclass

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import (
    Aggregate,
    Append,
    Call,
    Const,
    Expression,
    ForEach,
    If,
    NewList,
    Ref,
    Statement,
)
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.conditions import LookupCondition, draw_lookup_condition
from tasks.authors.rules.drafts.operations import Creation, actions, creations, draw_values, required, wish
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch


@dataclass(frozen=True)
class Queue:
    """Operational rows in one status (None: in any), and two writes that may settle each (None: it is left alone)."""

    table: TableProfile
    status: str | None
    if_met: Tool
    otherwise: Tool | None


def settle_queue(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Go through operational rows in a status; what each is about decides which write settles it."""
    queues = _queues(catalog)
    if not queues:
        return None
    queue = rng.choice(queues)
    table = queue.table
    fixed = {"status": queue.status} if queue.status is not None else {}
    ranking = draw_ranking(catalog, rng, table, rng.randint(3, 6), fixed)
    if ranking is None:
        return None
    own_row = rng.random() < 0.3
    drawn = draw_lookup_condition(
        catalog,
        rng,
        table,
        ranking.rows,
        own_row=own_row,
        item="subject",
        row="row",
        held=ranking.shown,
        avoid=ranking.column.name,
    )
    if drawn is None or (own_row and "status" in drawn.words):
        return None
    return _write_queue(Sketch(catalog, rng), queue, ranking, drawn)


def _write_queue(sketch: Sketch, queue: Queue, ranking: Ranking, drawn: LookupCondition) -> TaskDraft:
    """Write the loop that settles each row, its sentences, and what it reports."""
    table = queue.table
    sketch.constants = [*ranking.constants, drawn.constant]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    amount = next((c for c in table.columns if c.role == "measure" and not c.nullable), None)
    branch = If(
        condition=drawn.condition,
        then=_settle("first", queue.if_met, table, amount),
        otherwise=_settle("second", queue.otherwise, table, amount) if queue.otherwise else (_leave("second"),),
    )
    loop = ForEach(item="row", over=Ref(name="rows"), body=(drawn.call, branch))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="first"), NewList(bind="second"), loop]
    sketch.say(f"go through {ranking.phrase}")
    met, other = (
        wish(tool, {"row": "it"}) if tool else "leave it as it is" for tool in (queue.if_met, queue.otherwise)
    )
    sketch.say(f"for each, check {drawn.subject}: if {drawn.words}, {met}; otherwise {other}")
    _ask_settled(sketch, "first", f"ended up {_end(queue.if_met)}", table, amount)
    if queue.otherwise:
        _ask_settled(sketch, "second", f"ended up {_end(queue.otherwise)}", table, amount)
    else:
        _ask_settled(sketch, "second", "stayed as they were", table, None)
    return sketch.draft("programmatic", "settle_queue")


def _queues(catalog: Catalog) -> list[Queue]:
    """Return every (table, status) that two writes without further values, of different ends, lead out of."""
    found = []
    for table in catalog.environment.profile.tables:
        moves = [t for t in actions(catalog) if t.intent["table"] == table.name and t.intent["row"]]
        moves = [t for t in moves if t.operation in ("transition", "delete") and required(t) == [t.intent["row"]]]
        for status in sorted({status for t in moves for status in t.intent["from"]}) or [None]:
            able = [t for t in moves if status in t.intent["from"] or not t.intent["from"]]
            pairs = [Queue(table, status, a, b) for a in able for b in able if _end(a) != _end(b)]
            found += pairs or [Queue(table, status, move, None) for move in able]
    return found


def _end(tool: Tool) -> str:
    """Return what has become of a row after a write: its status, or that it is gone."""
    return "deleted" if tool.operation == "delete" else str(tool.intent["to"] or "changed").replace("_", " ")


def _settle(to: str, tool: Tool, table: TableProfile, amount: ColumnProfile | None) -> tuple[Statement, ...]:
    figure: Expression = Ref(name="changed", path=(amount.name,)) if amount else Const(value=1)
    return (
        Call(bind="changed", tool=tool.name, arguments={tool.intent["row"]: Ref(name="row", path=(table.key,))}),
        Append(to=to, record={"figure": figure}),
    )


def _leave(to: str) -> Statement:
    return Append(to=to, record={"figure": Const(value=1)})


def _ask_settled(sketch: Sketch, rows: str, how: str, table: TableProfile, amount: ColumnProfile | None) -> None:
    """Ask how many rows met one end, and what they add up to."""
    over, done = Ref(name=rows), how.removeprefix("ended up ")
    count = Aggregate(function="count", over=over)
    sketch.ask(f"how many {table.plural} {how}", count, "integer", name=f"{table.plural} {done}")
    if amount is not None:
        total = Aggregate(function="sum", over=over, path=("figure",))
        name = f"{amount.words} {done}"
        sketch.ask(f"the {amount.words} of those in all", total, words.value_type(amount), name=name, unit=amount.unit)


def act_on_ranking(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Rank rows, look at each or at what stands behind it, and create an operational row where a condition holds."""
    options = creations(catalog)
    if not options:
        return None
    creation = rng.choice(options)
    host = creation.about
    source = _draw_source(catalog, rng, host, creation.tool.intent["table"])
    ranking = draw_ranking(catalog, rng, source[0], rng.randint(4, 7)) if source else None
    if source is None or ranking is None:
        return None
    table, reference = source
    own_row = table.name != host.name or rng.random() < 0.4
    drawn = draw_lookup_condition(
        catalog,
        rng,
        table,
        ranking.rows,
        own_row=own_row,
        item="details",
        row="row",
        held=ranking.shown,
        avoid=ranking.column.name,
    )
    if drawn is None:
        return None
    sketch = Sketch(catalog, rng)
    host_key = Ref(name="details" if table.name != host.name else "row", path=(reference,))
    said = "it" if table.name == host.name else f"its {host.singular}"
    _act(sketch, creation, ranking, drawn, host_key, said)
    return sketch.draft("programmatic", "act_on_ranking")


def _draw_source(
    catalog: Catalog, rng: random.Random, host: TableProfile, created: str
) -> tuple[TableProfile, str] | None:
    """Choose the table to rank, the host or one that refers to it, and the column that holds the host's key.

    What the rows are that will be created is no such table.
    """
    options = [(host, host.key)]
    for child, foreign in catalog.environment.profile.children(host.name):
        if child.kind != "reference" or foreign.column == child.key:
            options += [(child, foreign.column)] if child.name != created else []
    options = [(table, column) for table, column in options if catalog.find("get", table.name)]
    return rng.choice(options) if options else None


def _act(
    sketch: Sketch, creation: Creation, ranking: Ranking, drawn: LookupCondition, host_key: Ref, said: str
) -> None:
    """Write the loop, its sentences, and what it reports."""
    create = creation.tool
    values = draw_values(sketch.catalog, create, sketch.rng)
    sketch.constants = [*ranking.constants, drawn.constant, *values.values()]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
    arguments[creation.parameter] = host_key
    figure = {"figure": Ref(name="row", path=(ranking.column.name,))}
    branch = If(
        condition=drawn.condition,
        then=(Call(bind="created", tool=create.name, arguments=arguments), Append(to="done", record=figure)),
        otherwise=(Append(to="left_alone", record=figure),),
    )
    loop = ForEach(item="row", over=Ref(name="rows"), body=(drawn.call, branch))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="done"), NewList(bind="left_alone"), loop]
    sketch.say(
        f"take {ranking.phrase} and check {drawn.subject} in each case".replace("check it in each case", "check each")
    )
    request = wish(create, {**values, creation.parameter: said})
    sketch.say(f"wherever {drawn.words}, {request}; leave the others alone")
    count = Aggregate(function="count", over=Ref(name="done"))
    sketch.ask(
        f"how many {ranking.table.plural} you acted on", count, "integer", name=f"{ranking.table.plural} acted on"
    )
    for rows, group in (("done", "acted on"), ("left_alone", "left alone")):
        _ask_ranked(sketch, ranking, rows, group)


def _ask_ranked(sketch: Sketch, ranking: Ranking, rows: str, group: str) -> None:
    """Ask for what the rows of one branch add up to, or for the times that rank them."""
    column, over, path = ranking.column, Ref(name=rows), ("figure",)
    if column.role == "time":
        value = Aggregate(function="pluck", over=over, path=path)
        kind = words.value_type(column)
        sketch.ask(
            f"the {column.words} of each one {group}", value, "list", name=f"{column.words} {group}", item_type=kind
        )
        return
    function = words.fitting(column, "sum", "mean")[0]
    value = Aggregate(function="sum" if function == "sum" else "mean", over=over, path=path)
    name = words.figure_words(function, column)
    sketch.ask_figure(f"the {name} of those {group}", value, function, column, f"{name} {group}")
