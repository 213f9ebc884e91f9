"""Parts of plans about a policy: what its rules allow is done, and what they do not allow is left as it is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.operations import Action, Cell, Fixed, Given, Guard, Tally
from schemas.plans import Branch, Comparator, Condition, Filter, Look, Ruled, Said, Total, Value
from schemas.profiles import TableProfile
from schemas.tools import Tool
from tasks.authors.rules.documents.figures import Figure, figures_of
from tasks.authors.rules.documents.listings import documents
from tasks.authors.rules.drafts.operations import key_parameters, key_table, required, stated
from tasks.authors.rules.plans.costs import lookups
from tasks.authors.rules.plans.judging import HOLDS, draw_split
from tasks.authors.rules.plans.rankings import ask_over
from tasks.authors.rules.plans.selecting import Selected, draw_rows
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import is_carried_out

FEWEST, MOST = 4, 28
"""Rows that a policy is applied to."""
TRIES = 4
COMPARATORS: dict[str, Comparator] = {"<=": "at_most", ">=": "at_least", "<": "below", ">": "above"}
Record = dict[str, Any]


@dataclass(frozen=True)
class Rule:
    """A policy's figure, the guard that enforces it, and its tool; `parameter` takes the key of a row of `table`."""

    figure: Figure
    guard: Guard
    tool: Tool
    parameter: str
    table: TableProfile

    @property
    def value(self) -> Ruled:
        """The figure, as a plan speaks of it."""
        return Ruled(document=self.figure.document.title, words=self.figure.fact.words)


@dataclass(frozen=True)
class Allowed:
    """The condition under which a rule allows its action on a row, and whether a record meets it."""

    condition: Condition
    holds: Callable[[Record], bool]


def rules(stock: Stock) -> list[Rule]:
    """Return the rules whose actions need one row, and else only what the rule or a request states."""
    return [
        Rule(figure, guard, tool, key, key_table(stock.catalog, tool, key))
        for document in documents(stock.catalog)
        for figure in figures_of(document)
        for guard, tool in _guards(stock, figure)
        for key in key_parameters(tool)
        if set(required(tool)) <= {key, *_argument(guard), *stated(tool)} and tool in stock.writes
    ]


def _guards(stock: Stock, figure: Figure) -> Iterator[tuple[Guard, Tool]]:
    """Yield the guards that enforce a figure, each with the tool of its action."""
    for operations in stock.catalog.environment.operations if figure.fact.rule else ():
        for action in operations.actions:
            for guard in action.guards:
                tool = _tool(stock, operations.archetype, action) if guard.rule == figure.fact.rule else None
                if tool is not None:
                    yield guard, tool


def _tool(stock: Stock, archetype: str, action: Action) -> Tool | None:
    ours = (t for t in stock.catalog.tools if t.intent.get("archetype") == archetype)
    return next((tool for tool in ours if tool.intent.get("action") == action.name), None)


def _argument(guard: Guard) -> list[str]:
    """Return the argument that a guard bounds, if it bounds one."""
    return [guard.value.name] if isinstance(guard.value, Given) else []


def follow_policy(sketch: Sketch, calls: int) -> int:
    """Do with each of some rows what a rule of a policy allows, or as much as it allows. Returns the calls that this takes."""
    stock, rng = sketch.stock, sketch.rng
    rule = stock.choose(rng, rules(stock), lambda r: f"rule {r.figure.fact.words}")
    if rule is None:
        return 0
    given: dict[str, Value] = {name: rule.value for name in _argument(rule.guard)}
    for size in (calls / 2, calls / 2.5, calls / 3, calls / 4):
        selected = _select(stock, rng, rule, max(FEWEST, min(MOST, round(size))))
        allowed = _allowed(stock, rng, rule, selected, bool(given)) if selected else None
        if selected is not None and allowed is not None:
            spent = _apply(sketch, rule, selected, allowed, given)
            if spent:
                return spent
    return 0


def _select(stock: Stock, rng: random.Random, rule: Rule, count: int) -> Selected | None:
    """Draw rows that the rule's action can be done to."""
    own = rule.parameter == rule.tool.intent["row"]
    fixed = {"status": rng.choice(rule.tool.intent["from"])} if own and rule.tool.intent["from"] else {}
    return draw_rows(stock, rng, rule.table, count, fixed)


def _allowed(stock: Stock, rng: random.Random, rule: Rule, selected: Selected, at_limit: bool) -> Allowed | None:
    """Return what the rule, or (where it only says how much) a drawn condition, allows; None if all or none meet it."""
    if at_limit:
        split = draw_split(stock, rng, rule.table.name, selected.records, {*selected.bound, "status"})
        keys = [r[rule.table.key] for r, met in zip(selected.records, split.met, strict=True) if met] if split else []
        return Allowed(split.condition, lambda r: r[rule.table.key] in keys) if split else None
    allowed = _by_tally(stock, rule) if isinstance(rule.guard.value, Tally) else _by_column(stock, rule)
    met = sum(map(allowed.holds, selected.records)) if allowed else 0
    return allowed if 0 < met < len(selected.records) else None


def _by_column(stock: Stock, rule: Rule) -> Allowed | None:
    """Compare a column of the row, or of one that it leads to, with the rule's figure."""
    operator, fact = COMPARATORS.get(str(rule.guard.operator)), rule.figure.fact
    near = [judged for judged in stock.judged(rule.table.name) if len(judged.hops) < 2]
    found = next((j for j in near if (j.table.name, j.column.name) == fact.column), None)
    if found is None or operator is None or not isinstance(rule.guard.value, Cell):
        return None
    look, read = Look(hops=found.hops, column=found.column.name), found.read

    def holds(record: Record) -> bool:
        value = read(record)
        return value is not None and HOLDS[operator](value, fact.value)

    condition = Condition(left=look, comparator=operator, right=rule.value)
    return Allowed(condition, holds)


def _by_tally(stock: Stock, rule: Rule) -> Allowed | None:
    """Compare the number of rows that refer to the row at hand with the rule's figure."""
    tally, operator = rule.guard.value, COMPARATORS.get(str(rule.guard.operator))
    if not isinstance(tally, Tally) or operator is None or tally.column or tally.besides:
        return None
    own = [m.column for m in tally.where if isinstance(m.equals, Given) and m.equals.name == rule.parameter]
    fixed = {m.column: m.equals.value for m in tally.where if isinstance(m.equals, Fixed)}
    if len(own) != 1 or len(own) + len(fixed) < len(tally.where):
        return None
    frame = stock.catalog.frames[tally.table].filter(*(pl.col(name) == value for name, value in fixed.items()))
    counts = dict(frame[own[0]].value_counts().iter_rows())
    limit, key = rule.figure.fact.value, rule.table.key
    filters = tuple(Filter(column=name, comparator="is", value=Said(value=value)) for name, value in fixed.items())
    total = Total(table=tally.table, reference=own[0], filters=filters, function="count")
    condition = Condition(left=total, comparator=operator, right=rule.value)
    return Allowed(condition, lambda record: HOLDS[operator](counts.get(record[key], 0), limit))


def _apply(sketch: Sketch, rule: Rule, selected: Selected, allowed: Allowed, given: dict[str, Value]) -> int:
    """Add the pass, and ask what became of its rows; nothing is added, and 0 returned, where a tool would refuse."""
    table = rule.table
    act = sketch.act(rule.tool, {rule.parameter: Look(column=table.key)}, given)
    if not is_carried_out(sketch.stock, act, filter(allowed.holds, selected.records)):
        return 0
    place = sketch.go_through(selected.rows, Branch(when=(allowed.condition,), acts=(act,)))
    sketch.ask_count(place, 0, f"{table.plural} within the rule")
    left_alone = 1 if given else sketch.rng.choice((0, 1))  # an act at the limit changes what a figure would be of
    group = f"{table.plural} {'outside' if left_alone else 'within'} the rule"
    looks = ask_over(sketch, place, left_alone, table, selected, group)
    return 3 + _calls(sketch.stock, rule, selected, allowed, looks, left_alone)


def _calls(stock: Stock, rule: Rule, selected: Selected, allowed: Allowed, looks: list[Look], left_alone: int) -> int:
    """Count the calls for the rows: to judge all of them, to act on some, and to read what is asked of some."""
    count, met = len(selected.records), sum(map(allowed.holds, selected.records))
    left = [allowed.condition.left] if isinstance(allowed.condition.left, Look) else []
    judging, both = (
        lookups(stock, rule.table.name, [look for look in some if look.hops or look.column not in selected.bound])
        for some in (left, [*left, *looks])
    )  # what the rows are ordered or filtered by stands on their page
    return (judging if left else 1) * count + met + (both - judging) * (count - met if left_alone else met)
