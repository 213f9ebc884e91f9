"""Parts of plans that meet refusals: try one act and else another, or try what cannot be and say why."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Act, Branch, Deed, Look, Outcome, Thing
from schemas.profiles import TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts.operations import key_parameters, key_table, required, stated
from tasks.authors.rules.plans.costs import calls_for_thing, lookups
from tasks.authors.rules.plans.queues import MOST_IDLE, amount_of, end_of
from tasks.authors.rules.plans.selecting import Selected, draw_rows, draw_thing
from tasks.authors.rules.plans.sketch import Record, Sketch
from tasks.authors.rules.plans.stock import IDLE, Judged
from tasks.authors.rules.plans.trials import Trial, follow

FEWEST, MOST = 4, 26
PAIRS = 6
"""Pairs of acts that are tried on rows before others are drawn."""
TRIES = 8
"""Acts that are tried for one that is refused."""
PLAIN = ("not_found", "invalid_argument", "unknown")
"""Refusals that say that a caller was wrong: no reason to report to anybody."""
Found = dict[str, tuple[Thing, Record]]
"""The rows that an act needs, by argument: as things of a plan and as records."""
REASONS = {"invalid_transition": "status does not allow it"}


def reasons(tool: Tool) -> dict[str, str]:
    """Return the words for what may come of trying a tool: that it is done, or each reason against it."""
    codes = [code for code in tool.intent["refusals"] if code not in PLAIN]
    return {"done": "done"} | {code: REASONS.get(code, code.replace("_", " ")) for code in codes}


def try_in_turn(sketch: Sketch, calls: int) -> int:
    """Try an act on each of some rows; where it is refused, another one, which may be refused as well."""
    stock, rng = sketch.stock, sketch.rng
    tables = [t for t in sketch.catalog.environment.profile.tables if len(stock.ways(t.name)) > 1]
    table = stock.choose(rng, tables, lambda t: f"try {t.name}")
    selected = draw_rows(stock, rng, table, max(FEWEST, min(MOST, round(calls / 1.8)))) if table else None
    if table is None or selected is None:
        return 0
    place = try_on(sketch, table, selected, stock.ways(table.name))
    return 0 if place is None else follow(sketch, place, selected.records)


def try_on(sketch: Sketch, table: TableProfile, selected: Selected, ways: Sequence[tuple[Tool, str]]) -> int | None:
    """Add a pass that tries one of some acts on each row, and another where it is refused; None where no two do."""
    branches = _branches(sketch, table, selected, ways)
    if not branches:
        return None
    place = sketch.go_through(selected.rows, *branches)
    ends = [end_of(sketch.catalog.by_name[branch.acts[0].tool]) for branch in branches]
    for number, end in enumerate(ends):
        sketch.ask_count(place, number, f"{table.plural} {end}")
    last = len(branches) if any(branch.attempt for branch in branches[1:]) else len(branches) - 1
    amount = amount_of(sketch, table, selected.records)
    if amount is not None and not sketch.full:  # of what is tried no more: a value read before a refusal is in vain
        column, function = amount
        name = f"{function} {column.words} {ends[last] if last < len(ends) else 'left'}"
        sketch.ask_figure(place, last, function, Look(column=column.name), column, name)
    return place


def _branches(
    sketch: Sketch, table: TableProfile, selected: Selected, ways: Sequence[tuple[Tool, str]]
) -> list[Branch]:
    """Draw two acts of which the first is refused for some of the rows, and the second done with some of those."""
    ways = sketch.stock.in_turn(sketch.rng, ways, lambda way: way[0].name)
    pairs = [(a, b) for a in ways for b in ways if end_of(a[0]) != end_of(b[0])]
    for (one, one_key), (other, other_key) in pairs[:PAIRS]:
        first = sketch.act(one, {one_key: Look(column=table.key)})
        second = sketch.act(other, {other_key: Look(column=table.key)})
        trial = Trial(sketch.stock, sketch.state)
        codes = [trial.do(first, table.name, record) for record in selected.records]
        again = [record for record, code in zip(selected.records, codes, strict=True) if code]
        after = [trial.do(second, table.name, record) for record in again]
        refused = {*codes, *after} - {None}
        if 0 < len(again) < len(codes) and None in after and not refused & set(PLAIN):
            return [Branch(attempt=True, acts=(first,)), Branch(attempt=any(after), acts=(second,))]
    return []


def try_in_vain(sketch: Sketch, calls: int) -> int:
    """Try one act that is refused, so that nothing changes; ask for the reason, and for what proves it."""
    stock, rng = sketch.stock, sketch.rng
    if not sketch.idle and (sketch.passes or stock.share(IDLE) > MOST_IDLE):
        return 0
    tools = [t for t in stock.writes if set(required(t)) <= {*key_parameters(t), *stated(t)} and key_parameters(t)]
    for tool in stock.in_turn(rng, tools, lambda t: f"in vain {t.name}")[:TRIES]:
        stock.use(f"in vain {tool.name}")
        drawn = [(key, draw_thing(stock, rng, key_table(sketch.catalog, tool, key))) for key in key_parameters(tool)]
        found = {key: each for key, each in drawn if each is not None and each[0] not in sketch.things}
        act = _refused(sketch, tool, found) if len(found) == len(drawn) else None
        if act is not None:
            return _write(sketch, act, found)
    return 0


def _refused(sketch: Sketch, tool: Tool, found: Found) -> Act | None:
    """Return an act on rows that are the sketch's next things, if it is refused for a reason that the rows give."""
    place = len(sketch.things)
    known = [*sketch.known_things(), *((thing.table, record) for thing, record in found.values())]
    keys = {
        key: Look(thing=place + n, column=sketch.catalog.table(thing.table).key)
        for n, (key, (thing, _)) in enumerate(found.items())
    }
    act = sketch.act(tool, keys)
    code = Trial(sketch.stock, sketch.state, known).do(act, "", {})
    return act if code is not None and code not in PLAIN else None


def _write(sketch: Sketch, act: Act, found: Found) -> int:
    """Add the deed, the word that says what came of it, and what can be seen of the rows."""
    places = [sketch.thing(thing, record) for thing, record in found.values()]
    sketch.deeds.append(Deed(act=act, attempt=True))
    tool = sketch.catalog.by_name[act.tool]
    sketch.ask_word("outcome", Outcome(deed=len(sketch.deeds) - 1, words=reasons(tool)))
    for place, (thing, record) in zip(places, found.values(), strict=True):
        judged = _proof(sketch, thing.table, record)
        if judged is not None and not sketch.full:
            name = f"{judged.column.words} of {judged.table.singular}"
            sketch.ask_look(Look(thing=place, column=judged.column.name), judged.column, name)
    sketch.idle = True
    return 1 + sketch.pay(calls_for_thing)


def _proof(sketch: Sketch, table: str, record: Record) -> Judged | None:
    """Draw a value of a row that has to be looked up."""
    own = [j for j in sketch.stock.judged(table) if not j.hops and j.read(record) is not None]
    own = [j for j in own if lookups(sketch.stock, table, [Look(column=j.column.name)])]
    return sketch.stock.choose(sketch.rng, own, lambda j: f"proof {table}.{j.column.name}")
