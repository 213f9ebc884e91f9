"""Program shapes over rows that are given to somebody with a limit: share waiting ones out, hand over what another has.

Tickets go to crews, review requests to reviewers: any action does that gives a row to the holder whose key it takes,
and is refused once a figure of the holder's view is used up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Aggregate, Append, Call, Compare, Const, Expression, ForEach, If, NewList, Ref
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import actions, key_parameters, key_table, required, wish
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch
from tasks.toolgraph.edges import input_domains

FEWEST_HANDED = 3
"""Rows that a holder has, from which it is worth handing them over."""


@dataclass(frozen=True)
class Desk:
    """Rows of `cases` that go to `holders`, and the tools around them.

    `give` takes a row in one of its statuses to its `to`, with `holder` naming whose it is then; the figure
    `left` of `view` says how many more a holder can take. `find` finds a holder by `name_parameter`.
    """

    cases: TableProfile
    holders: TableProfile
    give: Tool
    holder: str
    view: Tool
    view_parameter: str
    left: str
    find: Tool
    name_parameter: str

    @property
    def given(self) -> str:
        """The status of a row that somebody has."""
        return str(self.give.intent["to"])

    @property
    def waiting(self) -> str:
        """The status of a row that nobody has yet."""
        return next(status for status in self.give.intent["from"] if status != self.given)


def _desks(catalog: Catalog) -> Iterator[Desk]:
    """Yield the desks of a world: cases and holders have names that people know."""
    for give in actions(catalog):
        row, left = give.intent["row"], give.intent["limits"].get("")
        others = [name for name in key_parameters(give) if name != row]
        if row is None or left is None or not give.intent["to"] or set(required(give)) != {row, *others}:
            continue
        view = catalog.view_of(give.intent["archetype"], left)
        if len(others) != 1 or view is None or not set(give.intent["from"]) - {give.intent["to"]}:
            continue
        cases, holders = catalog.table(give.intent["table"]), key_table(catalog, give, others[0])
        find = catalog.find("search", holders.name)
        names = [c for c in catalog.filters(find) if c.comparator == "contains"] if find else []
        held = others[0] in {foreign.column for foreign in cases.foreign_keys}
        if find and names and held and cases.label and names[0].column.name == holders.label:
            parameter = next(iter(input_domains(view)))
            yield Desk(cases, holders, give, others[0], view, parameter, left, find, names[0].parameter)


def _draw_desk(catalog: Catalog, rng: random.Random) -> Desk | None:
    desks = list(_desks(catalog))
    return rng.choice(desks) if desks else None


def _holders(catalog: Catalog, desk: Desk) -> list[tuple[dict[str, Any], int]]:
    """Return the holders whose names find them alone, by key, each with how many more it can take."""
    rows = catalog.frames[desk.holders.name].sort(desk.holders.key).to_dicts()
    known = [row for row in rows if catalog.names_one(desk.holders.name, row[desk.holders.label or ""])]
    return [(row, catalog.figure(desk.view, desk.left, row[desk.holders.key])) for row in known]


# --- Share out ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Fallback:
    """What is done with a row that a holder cannot take: an action on it, with the column and value that it sets."""

    tool: Tool
    column: ColumnProfile
    value: str
    held: str


def share_out(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Go through waiting rows; give each to a named holder while it can take one, else change its urgency or the like."""
    desk = _draw_desk(catalog, rng)
    fallback = _draw_fallback(catalog, rng, desk) if desk else None
    if desk is None or fallback is None:
        return None
    fixed = {"status": desk.waiting, fallback.column.name: fallback.held}
    ranking = draw_ranking(catalog, rng, desk.cases, rng.randint(3, 5), fixed)
    holders = _holders(catalog, desk)
    tight = [holder for holder, left in holders if 1 <= left <= 2]
    if ranking is None or not holders:
        return None
    holder = rng.choice(tight or [holder for holder, _ in holders])
    return _write(Sketch(catalog, rng), desk, ranking, holder, fallback)


def _draw_fallback(catalog: Catalog, rng: random.Random, desk: Desk) -> Fallback | None:
    """Draw an action that sets one coded column of a waiting row to another value than it has."""
    found = []
    for tool in actions(catalog):
        set_ones = [name for name in required(tool) if name != tool.intent["row"]]
        if tool.intent["table"] != desk.cases.name or tool.operation != "update" or len(set_ones) != 1:
            continue
        choices = tool.input_schema["properties"][set_ones[0]].get("enum", [])
        able = not tool.intent["from"] or desk.waiting in tool.intent["from"]
        if able and len(choices) > 1 and set_ones[0] in {column.name for column in desk.cases.columns}:
            held, value = rng.sample(choices, 2)
            found.append(Fallback(tool, desk.cases.column(set_ones[0]), value, held))
    return rng.choice(found) if found else None


def _write(sketch: Sketch, desk: Desk, ranking: Ranking, holder: dict[str, Any], fallback: Fallback) -> TaskDraft:
    """Write the loop, its sentences, and what it reports."""
    cases, holders, name = desk.cases, desk.holders, holder[desk.holders.label or ""]
    sketch.constants = [*ranking.constants, name, fallback.value]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    sketch.call("found", desk.find.name, {desk.name_parameter: Const(value=name)})
    who = Ref(name="found", path=("items", 0, holders.key))
    sketch.body += [
        *ranking.statements("page", "rows"),
        NewList(bind="given"),
        NewList(bind="left"),
        _share(desk, who, fallback),
        Call(bind="end", tool=desk.view.name, arguments={desk.view_parameter: who}),
    ]
    give = wish(desk.give, {"row": "it", desk.holder: name})
    otherwise = wish(fallback.tool, {"row": "it", fallback.column.name: fallback.value})
    sketch.say(f"go through {ranking.phrase}, in that order")
    sketch.say(
        f"before each one, check how many more {cases.plural} the {holders.singular} {name} can take: "
        f"as long as it is at least one, {give}; otherwise {otherwise}"
    )
    label = cases.column(cases.label or "").words
    sketch.ask(
        f"the {label} of each that went to {name}",
        Ref(name="given"),
        "list",
        name=f"{label} given to {holders.singular}",
        item_type="text",
    )
    _ask_left(sketch, desk, name)
    return sketch.draft("programmatic", "share_out")


def _share(desk: Desk, holder: Ref, fallback: Fallback) -> ForEach:
    """Give each row to the holder while it can take one; do something else with the others."""
    row, left = Ref(name="row", path=(desk.cases.key,)), Ref(name="load", path=(desk.left,))
    label: dict[str, Expression] = {"": Ref(name="changed", path=(desk.cases.label or "",))}
    given = {desk.give.intent["row"]: row, desk.holder: holder}
    other: dict[str, Expression] = {
        fallback.tool.intent["row"]: row,
        fallback.column.name: Const(value=fallback.value),
    }
    branch = If(
        condition=Compare(operator=">", left=left, right=Const(value=0)),
        then=(Call(bind="changed", tool=desk.give.name, arguments=given), Append(to="given", record=label)),
        otherwise=(Call(bind="changed", tool=fallback.tool.name, arguments=other), Append(to="left", record=label)),
    )
    look = Call(bind="load", tool=desk.view.name, arguments={desk.view_parameter: holder})
    return ForEach(item="row", over=Ref(name="rows"), body=(look, branch))


def _ask_left(sketch: Sketch, desk: Desk, name: str) -> None:
    """Ask what the holder can still take."""
    plural = desk.cases.plural
    left = Ref(name="end", path=(desk.left,))
    sketch.ask(f"how many more {plural} {name} can take in the end", left, "integer", name=f"{plural} still possible")


# --- Hand over ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Handover:
    """What one holder has goes to another where a coded column has a value; the rest is finished."""

    search: Tool
    status: str
    whose: str
    split: ColumnProfile
    finish: Tool


def hand_over(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Go through all that one holder has: what has one value goes to another holder, the rest is finished."""
    desk = _draw_desk(catalog, rng)
    handovers = _handovers(catalog, desk) if desk else []
    handover = rng.choice(handovers) if handovers else None
    drawn = _draw_pair(catalog, rng, desk, handover) if desk and handover else None
    if desk is None or handover is None or drawn is None:
        return None
    giver, taker, value = drawn
    name = desk.holders.label or ""
    sketch = Sketch(catalog, rng)
    sketch.constants = [giver[name], taker[name], value]
    found = [
        sketch.call(f"found_{end}", desk.find.name, {desk.name_parameter: Const(value=holder[name])})
        for end, holder in (("first", giver), ("second", taker))
    ]
    first, second = (Ref(name=each.name, path=("items", 0, desk.holders.key)) for each in found)
    sketch.call("page", handover.search.name, {handover.status: Const(value=desk.given), handover.whose: first})
    sketch.body += [NewList(bind="moved"), NewList(bind="done"), _move(desk, handover, second, value)]
    sketch.call("end", desk.view.name, {desk.view_parameter: second})
    plural, split = desk.cases.plural, handover.split
    give = wish(desk.give, {"row": f"those whose {split.words} is {value}", desk.holder: taker[name]}, rng)
    finish = wish(handover.finish, {"row": "the others"})
    sketch.say(f"go through all {plural} that are {desk.given} to the {desk.holders.singular} {giver[name]} right now")
    sketch.say(f"among them, {give}, and {finish}")
    _ask_handed_over(sketch, desk, taker[name])
    return sketch.draft("programmatic", "hand_over")


def _handovers(catalog: Catalog, desk: Desk) -> list[Handover]:
    """Return the ways to finish rows that somebody has, by each coded column that short records show."""
    search = catalog.find("search", desk.cases.name)
    if search is None or not {desk.cases.key, desk.cases.label} <= set(search.intent["brief"]):
        return []
    parameters = {c.column.name: c.parameter for c in catalog.filters(search) if c.comparator == "eq"}
    if not {"status", desk.holder} <= set(parameters) or desk.given not in desk.give.intent["from"]:
        return []
    shown = [desk.cases.column(name) for name in search.intent["brief"] if name != "status"]
    finishing = [
        tool
        for tool in actions(catalog)
        if tool.intent["table"] == desk.cases.name and required(tool) == [tool.intent["row"]]
        if tool.intent["from"] == [desk.given]
    ]
    return [
        Handover(search, parameters["status"], parameters[desk.holder], column, tool)
        for column in shown
        if column.role == "category" and column.type == "text"
        for tool in finishing
    ]


def _draw_pair(
    catalog: Catalog, rng: random.Random, desk: Desk, handover: Handover
) -> tuple[dict[str, Any], dict[str, Any], str] | None:
    """Draw a holder with three or more rows of several values, another that can take some, and that value."""
    key, split = desk.holders.key, handover.split.name
    holders = _holders(catalog, desk)
    held = catalog.frames[desk.cases.name].filter(pl.col("status") == desk.given)
    givers = [holder for holder, _ in holders]
    rng.shuffle(givers)
    for giver in givers:
        rows = held.filter(pl.col(desk.holder) == giver[key])
        sizes = {value: size for value, size in rows.group_by(split).len().iter_rows() if value is not None}
        if rows.height < FEWEST_HANDED or len(sizes) < 2:
            continue
        value = rng.choice(sorted(sizes))
        takers = [holder for holder, left in holders if holder is not giver and left >= sizes[value]]
        if takers:
            return giver, rng.choice(takers), value
    return None


def _move(desk: Desk, handover: Handover, holder: Ref, value: str) -> ForEach:
    """Give each row with the value to the holder, and finish the others."""
    row = Ref(name="row", path=(desk.cases.key,))
    label: dict[str, Expression] = {"": Ref(name="changed", path=(desk.cases.label or "",))}
    given = Call(bind="changed", tool=desk.give.name, arguments={desk.give.intent["row"]: row, desk.holder: holder})
    finished = Call(bind="changed", tool=handover.finish.name, arguments={handover.finish.intent["row"]: row})
    branch = If(
        condition=Compare(operator="==", left=Ref(name="row", path=(handover.split.name,)), right=Const(value=value)),
        then=(given, Append(to="moved", record=label)),
        otherwise=(finished, Append(to="done", record=label)),
    )
    return ForEach(item="row", over=Ref(name="page", path=("items",)), body=(branch,))


def _ask_handed_over(sketch: Sketch, desk: Desk, taker: str) -> None:
    """Ask what went over, how many were finished, and what the holder can still take."""
    label = desk.cases.column(desk.cases.label or "").words
    sketch.ask(
        f"the {label} of each that went to {taker}",
        Ref(name="moved"),
        "list",
        name=f"{label} handed over",
        item_type="text",
        ordered=False,
    )
    done = Aggregate(function="count", over=Ref(name="done"))
    sketch.ask(f"how many {desk.cases.plural} were closed", done, "integer", name=f"{desk.cases.plural} closed")
    _ask_left(sketch, desk, taker)
