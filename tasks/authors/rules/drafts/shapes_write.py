"""Program shapes that change the state: settle a queue, act on a ranking, spread a demand."""

from __future__ import annotations

import random
from dataclasses import dataclass

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Call,
    Compare,
    Const,
    Expression,
    ForEach,
    If,
    Let,
    NewList,
    Ref,
    Statement,
)
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.conditions import LookupCondition, draw_lookup_condition
from tasks.authors.rules.drafts.operations import WRITE_SENTENCES, draw_values
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch


@dataclass(frozen=True)
class Queue:
    """Operational rows in one status, and two writes that may settle each."""

    table: TableProfile
    status: str
    if_met: Tool
    otherwise: Tool


def settle_queue(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Go through operational rows in a status; what each is about decides which write settles it."""
    queues = _queues(catalog)
    if not queues:
        return None
    queue = rng.choice(queues)
    table = queue.table
    ranking = draw_ranking(catalog, rng, table, rng.randint(3, 6), {"status": queue.status})
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
        otherwise=_settle("second", queue.otherwise, table, amount),
    )
    loop = ForEach(item="row", over=Ref(name="rows"), body=(drawn.call, branch))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="first"), NewList(bind="second"), loop]
    sketch.say(f"go through {ranking.phrase}")
    met, other = (WRITE_SENTENCES[tool.name][0].format(row="it") for tool in (queue.if_met, queue.otherwise))
    sketch.say(f"for each, check {drawn.subject}: if {drawn.words}, {met}; otherwise {other}")
    for rows, tool in (("first", queue.if_met), ("second", queue.otherwise)):
        _ask_settled(sketch, rows, str(tool.intent["to"]), table, amount)
    return sketch.draft("programmatic", "settle_queue")


def _queues(catalog: Catalog) -> list[Queue]:
    """Return every (table, status) that two different writes without further values lead out of."""
    found = []
    for table in catalog.environment.profile.tables:
        moves = [t for t in catalog.tools if t.operation == "transition" and t.intent["table"] == table.name]
        moves = [t for t in moves if set(t.input_schema["required"]) == {table.key} and t.name in WRITE_SENTENCES]
        for status in sorted({status for t in moves for status in t.intent["from"]}):
            able = [t for t in moves if status in t.intent["from"]]
            found += [Queue(table, status, a, b) for a in able for b in able if a.name != b.name]
    return found


def _settle(to: str, tool: Tool, table: TableProfile, amount: ColumnProfile | None) -> tuple[Statement, ...]:
    figure: Expression = Ref(name="changed", path=(amount.name,)) if amount else Const(value=1)
    return (
        Call(bind="changed", tool=tool.name, arguments={table.key: Ref(name="row", path=(table.key,))}),
        Append(to=to, record={"figure": figure}),
    )


def _ask_settled(sketch: Sketch, rows: str, done: str, table: TableProfile, amount: ColumnProfile | None) -> None:
    """Ask how many rows met one end, and what they add up to."""
    over = Ref(name=rows)
    count = Aggregate(function="count", over=over)
    sketch.ask(f"how many {table.plural} ended up {done}", count, "integer", name=f"{table.plural} {done}")
    if amount is not None:
        total = Aggregate(function="sum", over=over, path=("figure",))
        name = f"{amount.words} {done}"
        sketch.ask(f"the {amount.words} of those in all", total, words.value_type(amount), name=name, unit=amount.unit)


def act_on_ranking(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Rank rows, look at each or at what stands behind it, and create an operational row where a condition holds."""
    creates = [t for t in catalog.tools if t.operation == "create" and t.name in WRITE_SENTENCES]
    if not creates:
        return None
    create = rng.choice(creates)
    host = catalog.table(create.intent["host"])
    source = _draw_source(catalog, rng, host)
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
    _act(sketch, create, ranking, drawn, host_key, said)
    return sketch.draft("programmatic", "act_on_ranking")


def _draw_source(catalog: Catalog, rng: random.Random, host: TableProfile) -> tuple[TableProfile, str] | None:
    """Choose the table to rank, the host or a mined one that refers to it, and the column that holds the host's key."""
    options = [(host, host.key)] if catalog.measures(host.name) else []
    for child, foreign in catalog.environment.profile.children(host.name):
        if child.kind == "event" or foreign.column == child.key:
            options.append((child, foreign.column))
    options = [(table, column) for table, column in options if catalog.find("get", table.name)]
    return rng.choice(options) if options else None


def _act(sketch: Sketch, create: Tool, ranking: Ranking, drawn: LookupCondition, host_key: Ref, said: str) -> None:
    """Write the loop, its sentences, and what it reports."""
    values = draw_values(create.name, sketch.rng)
    sketch.constants = [*ranking.constants, drawn.constant, *values.values()]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
    arguments[create.intent["host_key"]] = host_key
    figure = {"figure": Ref(name="row", path=(ranking.column.name,))}
    branch = If(
        condition=drawn.condition,
        then=(Call(bind="created", tool=create.name, arguments=arguments), Append(to="done", record=figure)),
        otherwise=(Append(to="left_alone", record=figure),),
    )
    loop = ForEach(item="row", over=Ref(name="rows"), body=(drawn.call, branch))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="done"), NewList(bind="left_alone"), loop]
    wish = WRITE_SENTENCES[create.name][0].format(**{**values, "host": said})
    sketch.say(
        f"take {ranking.phrase} and check {drawn.subject} in each case".replace("check it in each case", "check each")
    )
    sketch.say(f"wherever {drawn.words}, {wish}; leave the others alone")
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


def spread_demand(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Place a number of seats over ranked hosts, as many on each as are free, until all are placed."""
    create, view = catalog.by_name.get("create_booking"), catalog.by_name.get("get_seat_availability")
    if create is None or view is None:
        return None
    host = catalog.table(create.intent["host"])
    ranking = draw_ranking(catalog, rng, host, rng.randint(5, 7))
    if ranking is None:
        return None
    party, demand = draw_values("create_booking", rng)["party"], rng.randint(250, 700)
    sketch = Sketch(catalog, rng)
    sketch.constants = [*ranking.constants, party, demand]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    left, zero = Ref(name="left"), Const(value=0)
    sketch.body += [
        *ranking.statements("page", "rows"),
        Let(bind="left", value=Const(value=demand)),
        NewList(bind="placed"),
        ForEach(
            item="row",
            over=Ref(name="rows"),
            body=(If(condition=Compare(operator=">", left=left, right=zero), then=_place(create, view, host, party)),),
        ),
    ]
    order = f"{words.extreme(ranking.column, ranking.descending)} {ranking.column.words} first"
    sketch.say(f"a group of {demand} travellers, led by {party}, needs seats on {ranking.phrase}")
    sketch.say(
        f"go through them in that order, {order}, and on each hold as many seats as are still free, in the name of "
        f"{party}, but no more than are still needed; stop once everybody has a seat or the list ends"
    )
    seats = Aggregate(function="pluck", over=Ref(name="placed"), path=("seats",))
    sketch.ask("the number of seats held each time", seats, "list", name="seats held", item_type="integer")
    sketch.ask("how many travellers are left without a seat", left, "integer", name="travellers without a seat")
    return sketch.draft("programmatic", "spread_demand")


def _place(create: Tool, view: Tool, host: TableProfile, party: str) -> tuple[Statement, ...]:
    """Hold what is free on one host, but no more than is left to place."""
    key, free, left, taken = (
        Ref(name="row", path=(host.key,)),
        Ref(name="seats", path=("available",)),
        Ref(name="left"),
        Ref(name="taken"),
    )
    booking = Call(
        bind="booking",
        tool=create.name,
        arguments={create.intent["host_key"]: key, "party": Const(value=party), "seats": taken},
    )
    return (
        Call(bind="seats", tool=view.name, arguments={create.intent["host_key"]: key}),
        Let(bind="taken", value=free),
        If(condition=Compare(operator="<", left=left, right=free), then=(Let(bind="taken", value=left),)),
        If(
            condition=Compare(operator=">", left=taken, right=Const(value=0)),
            then=(
                booking,
                Append(to="placed", record={"seats": taken}),
                Let(bind="left", value=Arithmetic(operator="-", left=left, right=taken)),
            ),
        ),
    )
