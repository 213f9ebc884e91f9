"""Parts of plans about rows that are given to somebody with a limit: share them out, or hand over what another has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from schemas.plans import Branch, Condition, Look, Said, Thing
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts.operations import actions, key_parameters, key_table, required
from tasks.authors.rules.plans.selecting import Selected, draw_all, draw_rows
from tasks.authors.rules.plans.sketch import Record, Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import follow

FEWEST, MOST = 3, 20


@dataclass(frozen=True)
class Desk:
    """Rows of `cases` that go to `holders` by the tool `give`, whose argument `holder` names whose they are then.

    The figure `left` of `view` says how many more a holder can take.
    """

    cases: TableProfile
    holders: TableProfile
    give: Tool
    holder: str
    view: Tool
    left: str

    @property
    def given(self) -> str:
        """The status of a row that somebody has."""
        return str(self.give.intent["to"])

    @property
    def waiting(self) -> str:
        """The status of a row that nobody has yet."""
        return next(status for status in self.give.intent["from"] if status != self.given)


def desks(stock: Stock) -> list[Desk]:
    """Return the desks of a world: holders have names that people know."""
    catalog, found = stock.catalog, []
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
        if names and held and names[0].column.name == holders.label:
            found.append(Desk(cases, holders, give, others[0], view, left))
    return found


def _holders(stock: Stock, desk: Desk) -> list[tuple[Record, int]]:
    """Return the holders whose names find them alone, each with how many more it can take."""
    return list(stock.once(f"holders {desk.give.name}", lambda: _find_holders(stock, desk)))


def _find_holders(stock: Stock, desk: Desk) -> list[tuple[Record, int]]:
    found = []
    for key, row in sorted(stock.records(desk.holders.name).items()):
        left = stock.catalog.figure(desk.view, desk.left, key)
        if isinstance(left, int) and stock.names_one(desk.holders.name, str(row[str(desk.holders.label)])):
            found.append((row, left))
    return found


@dataclass(frozen=True)
class _Fallback:
    tool: Tool
    column: ColumnProfile
    held: Any
    value: Any


def share_out(sketch: Sketch, calls: int) -> int:
    """Give waiting rows to a named holder while it can take them; what it cannot take is changed in another way.

    In half of the draws the holder's figure is looked up before each, in the others the tool's refusal tells.
    """
    stock, rng = sketch.stock, sketch.rng
    desk = stock.choose(rng, stock.once("desks", lambda: desks(stock)), lambda d: d.give.name)
    fallback = _fallback(sketch, desk) if desk else None
    if desk is None or fallback is None:
        return 0
    tries = rng.random() < 0.6
    count = max(FEWEST, min(MOST, round((calls - 3) / (1.4 if tries else 2))))
    fixed = {"status": desk.waiting, fallback.column.name: fallback.held}
    selected = next(
        (s for size in (count, round(count * 0.6), FEWEST) if (s := draw_rows(stock, rng, desk.cases, size, fixed))),
        None,
    )
    if selected is None:
        return 0
    able = [(row, left) for row, left in _holders(stock, desk) if 1 <= left < len(selected.records)]
    if not able:
        return 0
    row, _ = rng.choice(able)
    place = _write_sharing(sketch, desk, selected, row, fallback, tries)
    return follow(sketch, place, selected.records)


def _fallback(sketch: Sketch, desk: Desk) -> _Fallback | None:
    """Draw an action that sets one coded column of a waiting row to another value than it has."""
    found = []
    for tool in sketch.stock.writes:
        others = [name for name in required(tool) if name != tool.intent["row"]]
        if tool.intent["table"] != desk.cases.name or tool.operation != "update" or len(others) != 1:
            continue
        choices = tool.input_schema["properties"][others[0]].get("enum", [])
        able = not tool.intent["from"] or desk.waiting in tool.intent["from"]
        if able and len(choices) > 1 and others[0] in {column.name for column in desk.cases.columns}:
            held, value = sketch.rng.sample(choices, 2)
            found.append(_Fallback(tool, desk.cases.column(others[0]), held, value))
    return sketch.rng.choice(found) if found else None


def _write_sharing(
    sketch: Sketch, desk: Desk, selected: Selected, row: Record, fallback: _Fallback, tries: bool
) -> int:
    holder = sketch.thing(Thing(table=desk.holders.name, name=row[str(desk.holders.label)]), row)
    case = Look(column=desk.cases.key)
    give = sketch.act(
        desk.give, {desk.give.intent["row"]: case, desk.holder: Look(thing=holder, column=desk.holders.key)}
    )
    room = Condition(left=Look(thing=holder, column=desk.left), comparator="at_least", right=Said(value=1))
    first = Branch(attempt=True, acts=(give,)) if tries else Branch(when=(room,), acts=(give,))
    given = {fallback.column.name: Said(value=fallback.value)}
    other = sketch.act(fallback.tool, {fallback.tool.intent["row"]: case}, given)
    place = sketch.go_through(selected.rows, first, Branch(acts=(other,)))
    plural, label = desk.cases.plural, desk.cases.label
    if label and label not in selected.bound:
        sketch.ask_list(place, 0, Look(column=label), desk.cases.column(label), f"{plural} given", ordered=True)
    else:
        sketch.ask_count(place, 0, f"{plural} given")
    sketch.ask_count(place, 1, f"{plural} not given")
    return place


# --- hand over ----------------------------------------------------------------------------


def hand_over(sketch: Sketch, calls: int) -> int:
    """Go through all that one holder has: what has one value goes to another holder, the rest is finished."""
    stock, rng = sketch.stock, sketch.rng
    desk = stock.choose(
        rng,
        [d for d in stock.once("desks", lambda: desks(stock)) if d.given in d.give.intent["from"]],
        lambda d: d.give.name,
    )
    if desk is None:
        return 0
    finishing = [t for t in stock.moves(desk.cases.name) if desk.given in t.intent["from"]]
    splits = [c for c in desk.cases.columns if c.role == "category" and c.name != "status" and c.type == "text"]
    holders = _holders(stock, desk)
    rng.shuffle(holders)
    for giver, _ in holders if finishing and splits else []:
        drawn = _draw_handing(sketch, desk, giver, rng.choice(splits), holders, calls)
        if drawn is not None:
            selected, taker, value, split = drawn
            place = _write_handing(sketch, desk, selected, (giver, taker), (split, value), rng.choice(finishing))
            return follow(sketch, place, selected.records)
    return 0


def _draw_handing(
    sketch: Sketch,
    desk: Desk,
    giver: Record,
    split: ColumnProfile,
    holders: list[tuple[Record, int]],
    calls: int,
) -> tuple[Selected, Record, Any, ColumnProfile] | None:
    """Draw all that a holder has, a value that some of it has, and another holder who can take that."""
    by_thing = {desk.holder: (Look(thing=0, column=desk.holders.key), giver[desk.holders.key])}
    selected = draw_all(
        sketch.stock, sketch.rng, desk.cases, {"status": desk.given}, by_thing, FEWEST, max(FEWEST, calls)
    )
    sizes = Counter(record[split.name] for record in selected.records) if selected else Counter()
    if selected is None or len(sizes) < 2 or None in sizes:
        return None
    value = sketch.rng.choice(sorted(sizes))
    takers = [row for row, left in holders if row is not giver and left >= sizes[value]]
    return (selected, sketch.rng.choice(takers), value, split) if takers else None


def _write_handing(
    sketch: Sketch,
    desk: Desk,
    selected: Selected,
    people: tuple[Record, Record],
    part: tuple[ColumnProfile, Any],
    finish: Tool,
) -> int:
    label, key = str(desk.holders.label), desk.holders.key
    giver, taker = (sketch.thing(Thing(table=desk.holders.name, name=row[label]), row) for row in people)
    filters = tuple(
        f.model_copy(update={"value": Look(thing=giver, column=key)}) if f.column == desk.holder else f
        for f in selected.rows.filters
    )
    case = Look(column=desk.cases.key)
    give = sketch.act(desk.give, {desk.give.intent["row"]: case, desk.holder: Look(thing=taker, column=key)})
    split = Condition(left=Look(column=part[0].name), comparator="is", right=Said(value=part[1]))
    place = sketch.go_through(
        selected.rows.model_copy(update={"filters": filters}),
        Branch(when=(split,), acts=(give,)),
        Branch(acts=(sketch.act_on_item(finish, desk.cases),)),
    )
    plural = desk.cases.plural
    sketch.ask_count(place, 0, f"{plural} handed over")
    if desk.cases.label:
        look = Look(column=desk.cases.label)
        sketch.ask_list(place, 1, look, desk.cases.column(desk.cases.label), f"{plural} finished", ordered=False)
    words = str(desk.view.intent["computed"][desk.left])
    figure = ColumnProfile(name=desk.left, type="integer", role="measure", nullable=False, distinct=2, words=words)
    sketch.ask_look(Look(thing=taker, column=desk.left), figure, f"{words} in the end")
    return place
