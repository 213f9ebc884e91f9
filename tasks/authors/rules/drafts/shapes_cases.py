"""Program shapes over casework: share waiting cases out to a worker, and hand over what another one has."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.programs import Aggregate, Append, Call, Compare, Const, Expression, ForEach, If, NewList, Ref
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import WRITE_SENTENCES
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch
from tasks.authors.rules.overlays.casework import PRIORITIES, Casework
from tasks.authors.rules.overlays.names import table_names
from tasks.authors.rules.overlays.proposal import CASEWORK

FEWEST_HANDED = 3
"""Cases that a worker has assigned, from which it is worth handing them over."""


@dataclass(frozen=True)
class Desk:
    """The casework of a world: its tables as they are called here, and the tools that share out."""

    casework: Casework
    cases: str
    workers: str
    find: Tool
    name_parameter: str
    view: Tool
    assign: Tool
    urge: Tool
    complete: Tool


def share_out(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Go through waiting cases; assign each to a named worker while it can take one, else change its priority."""
    desk = _desk(catalog)
    if desk is None:
        return None
    casework, table = desk.casework, catalog.table(desk.cases)
    held, other = rng.sample(PRIORITIES, 2)
    fixed = {"status": casework.cases.waiting, "priority": held}
    ranking = draw_ranking(catalog, rng, table, rng.randint(3, 5), fixed)
    worker = _draw_worker(catalog, rng, desk)
    if ranking is None or worker is None:
        return None
    return _write(Sketch(catalog, rng), desk, ranking, worker, other)


def _desk(catalog: Catalog) -> Desk | None:
    casework = CASEWORK.get(str(catalog.environment.archetype))
    if casework is None:
        return None
    names = table_names(catalog.environment)
    cases, workers = names(casework.cases.table), names(casework.workers.table)
    find = catalog.find("search", workers)
    by_name = [c for c in catalog.filters(find) if c.comparator == "contains"] if find else []
    wanted = [casework.texts[action].name for action in ("view", "assign", "set_priority", "resolve")]
    tools = [catalog.by_name[name] for name in wanted if name in catalog.by_name]
    if find is None or not by_name or len(tools) < len(wanted):
        return None
    return Desk(casework, cases, workers, find, by_name[0].parameter, *tools)


def _load(catalog: Catalog, desk: Desk) -> list[tuple[dict[str, Any], int]]:
    """Return the workers whose names find them alone, by key, each with how many cases it has assigned."""
    about = desk.casework.workers
    rows = catalog.frames[desk.cases].filter(pl.col("status") == desk.casework.cases.assigned)
    taken = dict(rows.group_by(about.key).len().iter_rows())
    workers = catalog.frames[desk.workers].sort(about.key).to_dicts()
    return [(w, taken.get(w[about.key], 0)) for w in workers if catalog.names_one(desk.workers, w[about.name])]


def _draw_worker(catalog: Catalog, rng: random.Random, desk: Desk) -> dict[str, Any] | None:
    """Draw a worker, one that can take a few more if there is any."""
    limit, loads = desk.casework.workers.limit, _load(catalog, desk)
    tight = [worker for worker, taken in loads if 1 <= worker[limit] - taken <= 2]
    return rng.choice(tight or [worker for worker, _ in loads]) if loads else None


def _write(sketch: Sketch, desk: Desk, ranking: Ranking, worker: dict[str, Any], priority: str) -> TaskDraft:
    """Write the loop, its sentences, and what it reports."""
    cases, about = desk.casework.cases, desk.casework.workers
    name = worker[about.name]
    sketch.constants = [*ranking.constants, name, priority]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    sketch.call("found", desk.find.name, {desk.name_parameter: Const(value=name)})
    who = Ref(name="found", path=("items", 0, about.key))
    sketch.body += [
        *ranking.statements("page", "rows"),
        NewList(bind="given"),
        NewList(bind="left"),
        _share(desk, who, priority),
        Call(bind="end", tool=desk.view.name, arguments={about.key: who}),
    ]
    assign = WRITE_SENTENCES[desk.assign.name][0].format(row="it", worker=name)
    urge = WRITE_SENTENCES[desk.urge.name][0].format(row="it", priority=priority)
    sketch.say(f"go through {ranking.phrase}, in that order")
    sketch.say(
        f"before each one, check how many more {cases.plural} the {about.singular} {name} can take: "
        f"as long as it is at least one, {assign}; otherwise {urge}"
    )
    sketch.ask(
        f"the subjects of those that went to {name}",
        Ref(name="given"),
        "list",
        name=f"subjects given to {about.singular}",
        item_type="text",
    )
    left = Ref(name="end", path=(about.figures[1],))
    description = f"how many more {cases.plural} {name} can take in the end"
    sketch.ask(description, left, "integer", name=f"{cases.plural} still possible")
    return sketch.draft("programmatic", "share_out")


def _share(desk: Desk, worker: Ref, priority: str) -> ForEach:
    """Assign each case to the worker while it can take one; set the priority of the others."""
    cases, about = desk.casework.cases, desk.casework.workers
    row, free = Ref(name="row", path=(cases.key,)), Ref(name="load", path=(about.figures[1],))
    subject: dict[str, Expression] = {"": Ref(name="changed", path=("subject",))}
    given = Call(bind="changed", tool=desk.assign.name, arguments={cases.key: row, about.key: worker})
    urged = Call(bind="changed", tool=desk.urge.name, arguments={cases.key: row, "priority": Const(value=priority)})
    branch = If(
        condition=Compare(operator=">", left=free, right=Const(value=0)),
        then=(given, Append(to="given", record=subject)),
        otherwise=(urged, Append(to="left", record=subject)),
    )
    look = Call(bind="load", tool=desk.view.name, arguments={about.key: worker})
    return ForEach(item="row", over=Ref(name="rows"), body=(look, branch))


def hand_over(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Go through all that one worker has assigned: what has one priority goes to another worker, the rest is done."""
    desk = _desk(catalog)
    tool = catalog.find("search", desk.cases) if desk else None
    if desk is None or tool is None:
        return None
    cases, about = desk.casework.cases, desk.casework.workers
    parameters = {c.column.name: c.parameter for c in catalog.filters(tool) if c.comparator == "eq"}
    shown = {cases.key, "subject", "priority"} <= set(tool.intent["brief"])
    drawn = _draw_pair(catalog, rng, desk)
    if drawn is None or not shown or not {"status", about.key} <= set(parameters):
        return None
    giver, taker, priority = drawn
    sketch = Sketch(catalog, rng)
    sketch.constants = [giver[about.name], taker[about.name], priority]
    found = [
        sketch.call(f"found_{end}", desk.find.name, {desk.name_parameter: Const(value=worker[about.name])})
        for end, worker in (("first", giver), ("second", taker))
    ]
    first, second = (Ref(name=each.name, path=("items", 0, about.key)) for each in found)
    sketch.call("page", tool.name, {parameters["status"]: Const(value=cases.assigned), parameters[about.key]: first})
    sketch.body += [NewList(bind="moved"), NewList(bind="done"), _move(desk, second, priority)]
    sketch.call("end", desk.view.name, {about.key: second})
    assign = rng.choice(WRITE_SENTENCES[desk.assign.name]).format(
        row=f"those with {priority} priority", worker=taker[about.name]
    )
    finish = WRITE_SENTENCES[desk.complete.name][0].format(row="the others")
    sketch.say(f"go through all {cases.plural} that are assigned to the {about.singular} {giver[about.name]} right now")
    sketch.say(f"among them, {assign}, and {finish}")
    _ask_handed_over(sketch, desk, taker[about.name])
    return sketch.draft("programmatic", "hand_over")


def _draw_pair(catalog: Catalog, rng: random.Random, desk: Desk) -> tuple[dict[str, Any], dict[str, Any], str] | None:
    """Draw a worker with three or more cases of several priorities, another that can take some, and that priority."""
    cases, about = desk.casework.cases, desk.casework.workers
    loads = _load(catalog, desk)
    givers = [worker for worker, taken in loads if taken >= FEWEST_HANDED]
    rng.shuffle(givers)
    for giver in givers:
        rows = catalog.frames[desk.cases].filter(
            (pl.col("status") == cases.assigned) & (pl.col(about.key) == giver[about.key])
        )
        sizes = dict(rows.group_by("priority").len().sort("priority").iter_rows())
        priority = rng.choice(sorted(sizes))
        takers = [w for w, taken in loads if w is not giver and w[about.limit] - taken >= sizes[priority]]
        if len(sizes) > 1 and takers:
            return giver, rng.choice(takers), priority
    return None


def _move(desk: Desk, worker: Ref, priority: str) -> ForEach:
    """Assign each case of a priority to the worker, and mark the others as done."""
    cases, about = desk.casework.cases, desk.casework.workers
    row = Ref(name="row", path=(cases.key,))
    subject: dict[str, Expression] = {"": Ref(name="changed", path=("subject",))}
    given = Call(bind="changed", tool=desk.assign.name, arguments={cases.key: row, about.key: worker})
    finished = Call(bind="changed", tool=desk.complete.name, arguments={cases.key: row})
    branch = If(
        condition=Compare(operator="==", left=Ref(name="row", path=("priority",)), right=Const(value=priority)),
        then=(given, Append(to="moved", record=subject)),
        otherwise=(finished, Append(to="done", record=subject)),
    )
    return ForEach(item="row", over=Ref(name="page", path=("items",)), body=(branch,))


def _ask_handed_over(sketch: Sketch, desk: Desk, taker: str) -> None:
    """Ask what went over, how many were finished, and what the worker can still take."""
    plural = desk.casework.cases.plural
    sketch.ask(
        f"the subjects of those that went to {taker}",
        Ref(name="moved"),
        "list",
        name="subjects handed over",
        item_type="text",
        ordered=False,
    )
    done = Aggregate(function="count", over=Ref(name="done"))
    sketch.ask(f"how many {plural} were closed", done, "integer", name=f"{plural} closed")
    left = Ref(name="end", path=(desk.casework.workers.figures[1],))
    description = f"how many more {plural} {taker} can take in the end"
    sketch.ask(description, left, "integer", name=f"{plural} still possible")
