"""Parts of plans about operational rows in a status: settle each by what it is about, all of them or none."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.plans import Branch, Function, Look, Outcome
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.lowering.footprints import reach
from tasks.authors.rules.plans.judging import Split, compare_with_thing, draw_nearly, draw_nested, draw_split
from tasks.authors.rules.plans.selecting import Selected, draw_rows
from tasks.authors.rules.plans.sketch import Record, Sketch
from tasks.authors.rules.plans.stock import IDLE, Stock
from tasks.authors.rules.plans.trials import follow

FEWEST, MOST = 3, 24
"""Rows of a queue."""
FEWEST_REST = 4
"""Rows that the first condition leaves, from which a second one may tell them apart."""
FEASIBLE_SHARE = 0.4
"""Share of the wholes that take place."""
MOST_IDLE = 0.15
"""Share of plans in which nothing may change, from which no more are drawn."""
COMPARED_SHARE = 0.3
"""Share of the conditions that compare with a named row, where one fits."""


@dataclass(frozen=True)
class Queue:
    """Rows of a table in a status (None: in any), and the moves that lead out of it."""

    table: TableProfile
    status: str | None
    moves: tuple[Tool, ...]

    @property
    def name(self) -> str:
        """What tells it from others."""
        return f"queue {self.table.name} {self.status}"


def queues(stock: Stock) -> list[Queue]:
    """Return the queues of a world."""
    found = []
    for table in stock.catalog.environment.profile.tables:
        moves = [t for t in stock.moves(table.name) if t.operation in ("transition", "delete")]
        for status in sorted({status for t in moves for status in t.intent["from"]}) or [None]:
            able = [t for t in moves if status in t.intent["from"] or not t.intent["from"]]
            if able:
                found.append(Queue(table, status, tuple(able)))
    return found


def settle(sketch: Sketch, calls: int) -> int:
    """Go through rows in a status; what each is about decides which of two or three ends it meets."""
    stock, rng = sketch.stock, sketch.rng
    queue = stock.choose(rng, stock.once("queues", lambda: queues(stock)), lambda q: q.name)
    selected = _select(sketch, queue, max(FEWEST, min(MOST, round(calls / 2.1)))) if queue else None
    if queue is None or selected is None:
        return 0
    split = draw_nested(stock, rng, queue.table.name, selected.records, _avoided(selected))
    if split is None:
        return 0
    moves = _different(stock.in_turn(rng, queue.moves, lambda tool: tool.name))
    if rng.random() < COMPARED_SHARE and queue.table.name not in reach(moves):
        split = compare_with_thing(sketch, split, queue.table.name, selected.records)
    branches = [Branch(when=split.conditions, acts=(sketch.act_on_item(moves[0], queue.table),))]
    branches += _others(sketch, queue, moves[1:], selected, split)
    place = sketch.go_through(selected.rows, *branches)
    ends = [f"{queue.table.plural} {end_of(tool)}" for tool in moves] + [f"{queue.table.plural} left"]
    _ask_ends(sketch, place, selected, [*ends[: len(branches)], ends[-1]])
    return follow(sketch, place, selected.records)


def _different(moves: list[Tool]) -> list[Tool]:
    """Return the moves of different ends, the first of each."""
    return list({end_of(tool): tool for tool in reversed(moves)}.values())[::-1]


def _others(sketch: Sketch, queue: Queue, moves: list[Tool], selected: Selected, split: Split) -> list[Branch]:
    """Return what happens with rows that do not meet the first condition: one end for all, or another condition first."""
    acts = [(sketch.act_on_item(tool, queue.table),) for tool in moves[:2]]
    rest = split.parts(selected.records)[1]
    second = None
    if acts and len(rest) >= FEWEST_REST:
        second = draw_split(sketch.stock, sketch.rng, queue.table.name, rest, _avoided(selected), dear=False)
    if second is None:
        return [Branch(acts=acts[0])] if acts else []
    return [Branch(when=second.conditions, acts=acts[0]), *(Branch(acts=act) for act in acts[1:])]


def _select(sketch: Sketch, queue: Queue, count: int) -> Selected | None:
    """Draw the queue's rows, fewer where there are not so many."""
    fixed = {"status": queue.status} if queue.status is not None else {}
    for size in (count, round(count * 0.75), round(count * 0.5)):
        if size >= FEWEST:
            selected = draw_rows(sketch.stock, sketch.rng, queue.table, size, fixed)
            if selected is not None:
                return selected
    return None


def _avoided(selected: Selected) -> set[str]:
    return {*selected.bound, "status"}


def end_of(tool: Tool) -> str:
    """Return what has become of a row after a move: its status, or that it is gone."""
    return "deleted" if tool.operation == "delete" else str(tool.intent["to"] or "changed").replace("_", " ")


def amount_of(sketch: Sketch, table: TableProfile, records: list[Record]) -> tuple[ColumnProfile, Function] | None:
    """Draw a measure of a table in which the records differ, and a function that says something about it."""
    shown = {c.column.name for c in sketch.stock.judged(table.name) if not c.hops}
    able = [c for c in table.columns if c.role == "measure" and c.name in shown]
    values = {c.name: {record[c.name] for record in records} for c in able}
    able = [c for c in able if None not in values[c.name] and len(values[c.name]) > 1]
    column = sketch.stock.choose(sketch.rng, able, lambda c: f"ask {table.name}.{c.name}")
    if column is None:
        return None
    functions: tuple[Function, ...] = words.fitting(column, "sum", "mean", "max", "min")  # type: ignore[assignment]
    return column, sketch.rng.choice(functions)


def _ask_ends(sketch: Sketch, place: int, selected: Selected, ends: list[str]) -> None:
    """Ask how many met the first end, and what those of one end add up to, or how many met another."""
    sketch.ask_count(place, 0, ends[0])
    table = sketch.catalog.table(selected.table)
    amount, branch = amount_of(sketch, table, selected.records), sketch.rng.choice((0, 1))
    if len(ends) > 3 or amount is None:
        sketch.ask_count(place, 1, ends[1])
    if amount is not None:
        name = f"{words.figure_words(amount[1], amount[0])} {ends[branch]}"
        sketch.ask_figure(place, branch, amount[1], Look(column=amount[0].name), amount[0], name)


def all_or_none(sketch: Sketch, calls: int) -> int:
    """Change all of some rows if every one meets a condition, else none of them; ask which, and what stands in the way.

    A plan that opens with rows that do not all fit changes nothing at all.
    """
    stock, rng = sketch.stock, sketch.rng
    queue = stock.choose(rng, stock.once("queues", lambda: queues(stock)), lambda q: f"whole {q.name}")
    feasible = not sketch.idle and (rng.random() < FEASIBLE_SHARE or stock.share(IDLE) > MOST_IDLE)
    count = max(FEWEST + 1, min(MOST, round(calls / 2) if feasible else calls - 2))
    selected = _select(sketch, queue, count) if queue else None
    if queue is None or selected is None:
        return 0
    table, records = queue.table, selected.records
    split = draw_nearly(stock, rng, table.name, records, _avoided(selected), all_meet=feasible)
    if split is None:
        return 0
    sketch.idle = sketch.idle or not (feasible or sketch.passes)
    act = sketch.act_on_item(stock.in_turn(rng, queue.moves, lambda tool: tool.name)[0], table)
    place = sketch.go_through(selected.rows, Branch(when=split.conditions, acts=(act,)), whole=True)
    said = {"done": rng.choice(("done", "all changed")), "not_all": rng.choice(("left", "not possible"))}
    sketch.ask_word("outcome", Outcome(pass_=place, words=said))
    sketch.ask_count(place, 1, f"{table.plural} in the way")
    amount = amount_of(sketch, table, split.parts(records)[0])
    if amount is not None:
        name = f"{words.figure_words(amount[1], amount[0])} fitting"
        sketch.ask_figure(place, 0, amount[1], Look(column=amount[0].name), amount[0], name)
    return follow(sketch, place, records)
