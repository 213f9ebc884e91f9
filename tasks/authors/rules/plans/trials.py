"""Trials of acts on plain rows: a plan that a tool would refuse without its asking for that is not worth drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from schemas.operations import Action
from schemas.plans import ITEM, Act, Branch, Condition, Entry, Group, Look, Pass, Rest, Ruled, Said, Source, Total
from schemas.tools import Tool
from tasks.authors.rules.documents.figures import figures_of
from tasks.authors.rules.documents.listings import documents
from tasks.authors.rules.plans.costs import calls_for_source, calls_for_thing, lookups
from tasks.authors.rules.plans.judging import HOLDS
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.unit_tests.interpreter import Applied, Refusal, apply, look, moment_after
from tasks.authors.rules.unit_tests.state import State

Record = dict[str, Any]
Taken = list[tuple[int, list[Condition]]]
"""For each item the branch that took it (their number: none did), and the conditions that were judged for that."""


class Trial:
    """Acts done one after the other; `things` are the records of a plan's things, as far as they are known."""

    def __init__(self, stock: Stock, state: State, things: Sequence[tuple[str, Record | None]] = ()) -> None:
        self.stock, self.state, self.things = stock, state, things
        self.calls = 0

    def do(self, act: Act, table: str, record: Record, rest: int | None = None) -> str | None:
        """Do an act on a row of `table`; return the code of its refusal, or None."""
        action = action_of(self.stock, self.stock.catalog.by_name[act.tool])
        if action is None:
            return "unknown"
        arguments = {
            name: rest if isinstance(value, Rest) else self.value(value, table, record)
            for name, value in act.arguments.items()
        }
        moment = moment_after(self.stock.catalog.environment.clock_start, self.calls)
        self.calls += 1
        outcome = apply(action, arguments, self.state, moment)
        if isinstance(outcome, Refusal):
            return outcome.code
        self.state = outcome.state
        return None

    def holds(self, condition: Condition, table: str, record: Record) -> bool:
        """Say whether a condition holds for a row now; a missing value meets none but `is_not`."""
        left, right = (self.value(each, table, record) for each in (condition.left, condition.right))
        if left is None or right is None:
            return condition.comparator == "is_not" and left is not right
        return HOLDS[condition.comparator](left, right)

    def value(self, value: Said | Ruled | Look | Total | Entry | Rest, table: str, record: Record) -> Any:
        """Return what a value is for a row; None of what depends on more than rows and rules."""
        match value:
            case Said():
                return value.value
            case Ruled():
                stated = (f for d in documents(self.stock.catalog) if d.title == value.document for f in figures_of(d))
                return next((f.fact.value for f in stated if f.fact.words == value.words), None)
            case Look():
                return self._look(value, table, record)
        return None

    def _look(self, value: Look, table: str, record: Record) -> Any:
        found: Record | None = record
        if value.thing != ITEM:
            table, found = self.things[value.thing]
        for hop in value.hops:
            table, found = hop.table, self.stock.follow(found, hop)
        if found is None or value.column in found:
            return found[value.column] if found else None
        view = self.stock.view_with(table, value.column)
        moment = self.stock.catalog.environment.clock_start
        seen = look(view, found[self.stock.catalog.table(table).key], self.state, moment) if view else None
        return seen.row[value.column] if isinstance(seen, Applied) else None


def is_carried_out(stock: Stock, act: Act, records: Iterable[Record]) -> bool:
    """Say whether an act on the item of a pass is refused for none of the records, one after the other."""
    trial = Trial(stock, State(stock.tables))
    return all(trial.do(act, "", record) is None for record in records)


def action_of(stock: Stock, tool: Tool) -> Action | None:
    """Return what a tool does; None of a tool that is not stated as an operation."""
    for operations in stock.catalog.environment.operations:
        for action in operations.actions:
            if (operations.archetype, action.name) == (tool.intent.get("archetype"), tool.intent.get("action")):
                return action
    return None


# --- passes -------------------------------------------------------------------------------


def follow(sketch: Sketch, place: int, records: Sequence[Record]) -> int:
    """Go through the last pass of a sketch and return the calls that it takes, with the things that it needs.

    0 where it would not do as it says; see `calls_inside`.
    """
    inside = calls_inside(sketch, place, records)
    source = calls_for_source(sketch.stock, sketch.passes[place].source)
    return source + inside + sketch.pay(calls_for_thing) if inside else 0


def calls_inside(sketch: Sketch, place: int, records: Sequence[Record]) -> int:
    """Go through the last pass of a sketch and return the calls that its items take.

    0 where it would not do as it says: a refusal that nothing asks for, a branch that takes nothing, a figure of nothing.
    """
    each, trial = sketch.passes[place], Trial(sketch.stock, sketch.state, sketch.known_things())
    taken = _whole(each, trial, records) if each.whole else _taken(each, trial, records)
    if taken is None or not _is_worth_it(sketch, place, {branch for branch, _ in taken}):
        return 0
    sketch.state = trial.state
    looked_up = sum(_lookups(sketch, place, branch, judged) for branch, judged in taken)
    return looked_up + _looks_at_things(sketch, taken) + trial.calls


def _taken(each: Pass, trial: Trial, records: Sequence[Record]) -> Taken | None:
    """Return what becomes of each item; None after a refusal that nothing asks for."""
    taken: Taken = []
    needed, table = each.demand.amount if each.demand else 0, each.source.table
    for record in records:
        rest = min(trial.value(each.demand.left, table, record) or 0, needed) if each.demand else None
        if rest is not None and rest <= 0:
            continue
        took = _branch(each, trial, record, rest)
        if took is None:
            return None
        taken.append(took)
        needed -= rest or 0
    return taken


def _branch(each: Pass, trial: Trial, record: Record, rest: int | None) -> tuple[int, list[Condition]] | None:
    judged: list[Condition] = []
    for number, branch in enumerate(each.branches):
        if not _meets(branch, trial, each.source, record, judged):
            continue
        codes = [trial.do(act, each.source.table, record, rest) for act in branch.acts]
        if not any(codes):
            return number, judged
        if not branch.attempt or not codes[0] or codes[0] in ("not_found", "invalid_argument", "unknown"):
            return None
    return len(each.branches), judged


def _meets(branch: Branch, trial: Trial, source: Source, record: Record, judged: list[Condition]) -> bool:
    """Say whether a row meets a branch's conditions; those that had to be judged are added to `judged`.

    What a page of the rows shows is judged first: it costs no call.
    """
    for condition in sorted(branch.when, key=lambda each: bool(lookups(trial.stock, source, _looks(each)))):
        judged.append(condition)
        if not trial.holds(condition, source.table, record):
            return False
    return True


def _looks(condition: Condition) -> list[Look]:
    """Return the looks at the item and at things that a condition compares."""
    return [side for side in (condition.left, condition.right) if isinstance(side, Look)]


def _whole(each: Pass, trial: Trial, records: Sequence[Record]) -> Taken | None:
    """Return 0 for each item that fits and 1 for the others; where all fit, act on all."""
    branch, table = each.branches[0], each.source.table
    taken: Taken = []
    for record in records:
        judged: list[Condition] = []
        taken.append((0 if _meets(branch, trial, each.source, record, judged) else 1, judged))
    if any(number for number, _ in taken):
        return taken
    refused = [trial.do(act, table, record) for record in records for act in branch.acts]
    return None if any(refused) else taken


def _is_worth_it(sketch: Sketch, place: int, taken: set[int]) -> bool:
    """Say whether every branch takes something, some but not all attempts are refused, and figures are of something."""
    each = sketch.passes[place]
    if each.whole:
        return 0 in taken
    asked = {a.figure.branch for a in sketch.asked if isinstance(a.figure, Group) and a.figure.pass_ == place}
    if not asked and not any(branch.acts for branch in each.branches):
        return False
    wanted = asked | set(range(len(each.branches)))
    return wanted <= taken and (len(taken) > 1 or each.demand is not None)


def _lookups(sketch: Sketch, place: int, number: int, judged: list[Condition]) -> int:
    """Return how many rows are looked up for an item that a branch took: what decides, what is done, what is noted."""
    each = sketch.passes[place]
    looks: list[Any] = [each.demand.left] if each.demand else []
    looks += [side for condition in judged for side in (condition.left, condition.right)]
    for branch in each.branches[number : number + 1]:
        looks += [value for act in branch.acts for value in act.arguments.values()]
    figures = [asked.figure for asked in sketch.asked]
    looks += [f.look for f in figures if isinstance(f, Group) and (f.pass_, f.branch) == (place, number)]
    own = [each for each in looks if isinstance(each, Look) and each.thing == ITEM]
    return lookups(sketch.stock, each.source, own)


def _looks_at_things(sketch: Sketch, taken: Taken) -> int:
    """Return how often things are looked up: at first, and for a figure after each act of the branch that it decides."""
    known, looks, seen, stale = sketch.known_things(), 0, set[tuple[int, str]](), True
    for number, judged in taken:
        sides = [side for condition in judged for side in (condition.left, condition.right)]
        for thing, column in sorted({(s.thing, s.column) for s in sides if isinstance(s, Look) and s.thing != ITEM}):
            table, record = known[thing]
            if (thing, column) not in seen:
                looks += lookups(sketch.stock, table, [Look(column=column)])
            elif stale and column not in (record or {}):
                looks += 1
            seen.add((thing, column))
        stale = number == 0
    return looks
