"""Plans written by hand, over stations and tickets: their programs answer what polars works out, with no call too many."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from schemas.plans import (
    Act,
    Asked,
    Best,
    Branch,
    Condition,
    Deed,
    Filter,
    Group,
    Hop,
    Lead,
    Look,
    Order,
    Outcome,
    Pass,
    Plan,
    Rows,
    Said,
    Thing,
    Total,
    meaning,
)
from tasks.authors.compiler import compile_program
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.footprints import Footprints
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.lowering.writer import CannotLower
from tasks.world.session import ProgramRun, World
from tests.tasks.authors.rules.documents.depot import Depot

BIGGEST = Order(column="passengers", descending=True)
JUNCTION = Filter(column="kind", comparator="is", value=Said(value="junction"))
FIRST = Thing(table="stations", filters=(JUNCTION,), order=BIGGEST)


@pytest.fixture(scope="module")
def catalog(depot: Depot) -> Catalog:
    return Catalog(depot.environment, depot.module.tools, depot.draft.frames)


@pytest.fixture
def run(depot: Depot, catalog: Catalog, world: World) -> Any:
    def run(plan: Plan) -> ProgramRun:
        with world.open(depot.bundle, "by hand") as session:
            return session.run_program(compile_program(lower(plan, catalog).program))

    return run


def ask(name: str, figure: Any, kind: Any = "integer", **form: Any) -> Asked:
    return Asked(name=name, figure=figure, type=kind, **form)


def tools_of(ran: ProgramRun) -> list[str]:
    assert ran.error is None
    return [step["tool"] for step in ran.trace]


def test_a_ranked_thing_costs_one_call_and_its_shown_columns_none(run: Any, depot: Depot) -> None:
    plan = Plan(purpose="report", things=(FIRST,), asked=(ask("yearly", Look(thing=0, column="passengers")),))
    ran = run(plan)
    junctions = depot.draft.frames["stations"].filter(pl.col("kind") == "junction")
    assert ran.answer == {"yearly": junctions["passengers"].max()}
    assert len(tools_of(ran)) == 1


def test_a_name_is_looked_for_only_when_its_row_is_needed(run: Any, depot: Depot) -> None:
    station = depot.draft.frames["stations"].row(7, named=True)
    named = Thing(table="stations", name=station["station_name"])
    label = Plan(purpose="report", things=(named,), asked=(ask("n", Look(thing=0, column="station_name"), "text"),))
    region = Plan(purpose="report", things=(named,), asked=(ask("n", Look(thing=0, column="platforms")),))
    assert run(label).trace == [] and run(label).answer == {"n": station["station_name"]}
    assert run(region).answer == {"n": station["platforms"]}


def test_a_hop_reads_the_key_off_the_page(run: Any, depot: Depot) -> None:
    """The station of the earliest ticket is looked up once, for both of its columns."""
    hop = Hop(column="station_id", table="stations")
    ticket = Thing(table="tickets", order=Order(column="opened_at", descending=False))
    station = Thing(table="stations", of=(0, hop))
    asked = (ask("a", Look(thing=1, column="platforms")), ask("b", Look(thing=1, column="passengers")))
    ran = run(Plan(purpose="audit", things=(ticket, station), asked=asked))
    tickets, stations = depot.draft.frames["tickets"], depot.draft.frames["stations"]
    row = stations.filter(pl.col("station_id") == tickets.sort("opened_at")["station_id"][0]).row(0, named=True)
    assert ran.answer == {"a": row["platforms"], "b": row["passengers"]}
    assert [tool for tool in tools_of(ran) if tool.startswith("get_")] == ["get_station"]


def test_branches_take_items_once_and_the_rest_is_counted(run: Any, depot: Depot) -> None:
    rows = Rows(table="stations", order=BIGGEST, count=12)
    many = Condition(left=Look(column="platforms"), comparator="above", right=Said(value=12))
    few = Condition(left=Look(column="platforms"), comparator="at_most", right=Said(value=6))
    asked = [ask(f"n{branch}", Group(pass_=0, branch=branch, function="count")) for branch in range(3)]
    asked.append(ask("sum", Group(pass_=0, branch=0, function="sum", look=Look(column="platforms"))))
    plan = Plan(
        purpose="audit",
        passes=(Pass(source=rows, branches=(Branch(when=(many,)), Branch(when=(few,)))),),
        asked=tuple(asked),
    )
    top = depot.draft.frames["stations"].sort("passengers", descending=True).head(12)["platforms"].to_list()
    first, second = [p for p in top if p > 12], [p for p in top if p <= 6]
    expected = {"n0": len(first), "n1": len(second), "n2": 12 - len(first) - len(second), "sum": sum(first)}
    assert run(plan).answer == expected


def test_a_second_condition_is_looked_up_only_where_the_first_holds(run: Any, depot: Depot) -> None:
    """Tickets by priority, which a page shows, and then by their station's platforms, which it does not."""
    rows = Rows(table="tickets", order=Order(column="opened_at", descending=True), count=14)
    urgent = Condition(left=Look(column="priority"), comparator="is", right=Said(value="high"))
    behind = Look(hops=(Hop(column="station_id", table="stations"),), column="platforms")
    large = Condition(left=behind, comparator="at_least", right=Said(value=8))
    plan = Plan(
        purpose="audit",
        passes=(Pass(source=rows, branches=(Branch(when=(urgent, large)),)),),
        asked=(ask("n", Group(pass_=0, branch=0, function="count")),),
    )
    ran = run(plan)
    frames = depot.draft.frames
    top = frames["tickets"].sort("opened_at", descending=True).head(14).join(frames["stations"], on="station_id")
    high = top.filter(pl.col("priority") == "high")
    assert ran.answer == {"n": high.filter(pl.col("platforms") >= 8).height}
    assert tools_of(ran).count("get_station") == high.height


def test_the_best_of_several_and_its_lead(run: Any, depot: Depot) -> None:
    names = depot.draft.frames["stations"]["station_name"].to_list()[10:14]
    by = Total(table="tickets", reference="station_id", function="count")
    plan = Plan(
        purpose="report",
        things=(Best(table="stations", candidates=tuple(names), by=by),),
        asked=(ask("lead", Lead(thing=0, over_next=True)), ask("best", Lead(thing=0))),
    )
    frames = depot.draft.frames
    keys = frames["stations"].filter(pl.col("station_name").is_in(names))["station_id"].to_list()
    counts = sorted((frames["tickets"].filter(pl.col("station_id") == key).height for key in keys), reverse=True)
    ran = run(plan)
    if counts[0] == counts[1]:
        assert ran.error is not None and "tie" in ran.error
    else:
        assert ran.answer == {"lead": counts[0] - counts[1], "best": counts[0]}


@pytest.mark.parametrize("bound", [0, 3])
def test_all_or_nothing(run: Any, depot: Depot, world: World, catalog: Catalog, bound: int) -> None:
    """Every station has more than no platforms, and not every one more than three."""
    rows = Rows(table="tickets", filters=(Filter(column="status", comparator="is", value=Said(value="open")),))
    rows = rows.model_copy(update={"order": Order(column="opened_at", descending=True), "count": 9})
    behind = Look(hops=(Hop(column="station_id", table="stations"),), column="platforms")
    enough = Condition(left=behind, comparator="above", right=Said(value=bound))
    cancel = Act(tool="cancel_ticket", arguments={"ticket_id": Look(column="ticket_id")})
    plan = Plan(
        purpose="tidy",
        passes=(Pass(source=rows, branches=(Branch(when=(enough,), acts=(cancel,)),), whole=True),),
        asked=(ask("out", Outcome(pass_=0, words={"done": "done", "not_all": "left"}), "text"),),
    )
    frames = depot.draft.frames
    tickets = frames["tickets"].filter(pl.col("status") == "open").sort("opened_at", descending=True).head(9)
    platforms = tickets.join(frames["stations"], on="station_id")["platforms"]
    done = bool((platforms > bound).all())
    ran = run(plan)
    assert ran.answer == {"out": "done" if done else "left"}
    assert tools_of(ran).count("cancel_ticket") == (9 if done else 0)


def _assign(to: Look, **form: Any) -> Branch:
    act = Act(tool="assign_ticket", arguments={"ticket_id": Look(column="ticket_id"), "crew_id": to})
    return Branch(acts=(act,), **form)


def test_what_a_loop_changes_is_read_again_only_after_a_change(run: Any, depot: Depot) -> None:
    """A crew gets tickets until it is full; the others become urgent, which has no bearing on the crew."""
    tickets, crews = depot.draft.frames["tickets"], depot.draft.frames["crews"]
    held = tickets.filter(pl.col("status") == "assigned").group_by("crew_id").len()
    free = crews.join(held, on="crew_id", how="left").with_columns(free=pl.col("max_open") - pl.col("len").fill_null(0))
    crew = free.filter(pl.col("free") >= 1).sort("free", "crew_id").row(0, named=True)
    waiting = tickets.filter(pl.col("status") == "open").height
    count = min(crew["free"] + 4, waiting - 1, 30)
    given = min(crew["free"], count)
    room = Condition(left=Look(thing=0, column="free"), comparator="at_least", right=Said(value=1))
    hurry = Act(
        tool="set_ticket_priority", arguments={"ticket_id": Look(column="ticket_id"), "priority": Said(value="high")}
    )
    open_ones = Filter(column="status", comparator="is", value=Said(value="open"))
    rows = Rows(table="tickets", filters=(open_ones,), order=Order(column="opened_at", descending=True), count=count)
    branches = (_assign(Look(thing=0, column="crew_id"), when=(room,)), Branch(acts=(hurry,)))
    asked = (
        ask("given", Group(pass_=0, branch=0, function="count")),
        ask("others", Group(pass_=0, branch=1, function="count")),
        ask("free", Look(thing=0, column="free")),
    )
    crew_named = Thing(table="crews", name=crew["crew_name"])
    ran = run(
        Plan(purpose="handover", things=(crew_named,), passes=(Pass(source=rows, branches=branches),), asked=asked)
    )
    assert count > given >= 1
    assert ran.answer == {"given": given, "others": count - given, "free": 0}
    assert tools_of(ran).count("get_crew_workload") == given + 1
    assert tools_of(ran).count("search_crews") == 1


def test_what_is_noted_of_an_attempt_is_looked_up_only_where_it_was_done(run: Any, depot: Depot) -> None:
    rows = Rows(table="tickets", order=Order(column="opened_at", descending=True), count=45)
    cancel = Act(tool="cancel_ticket", arguments={"ticket_id": Look(column="ticket_id")})
    platforms = Look(hops=(Hop(column="station_id", table="stations"),), column="platforms")
    asked = (
        ask("sum", Group(pass_=0, branch=0, function="sum", look=platforms)),
        ask("left", Group(pass_=0, branch=1, function="count")),
    )
    pass_ = Pass(source=rows, branches=(Branch(acts=(cancel,), attempt=True),))
    ran = run(Plan(purpose="tidy", passes=(pass_,), asked=asked))
    frames = depot.draft.frames
    top = frames["tickets"].sort("opened_at", descending=True).head(45).join(frames["stations"], on="station_id")
    able = top.filter(pl.col("status").is_in(["open", "assigned"]))
    assert ran.answer == {"sum": able["platforms"].sum(), "left": 45 - able.height}
    assert tools_of(ran).count("cancel_ticket") == 45 and 0 < able.height < 45
    assert tools_of(ran).count("get_station") == able.height


@pytest.mark.parametrize("status", ["open", "cancelled"])
def test_the_outcome_of_a_deed_is_told_by_its_word(run: Any, status: str) -> None:
    of_status = Filter(column="status", comparator="is", value=Said(value=status))
    last = Thing(table="tickets", filters=(of_status,), order=Order(column="opened_at", descending=True))
    act = Act(tool="cancel_ticket", arguments={"ticket_id": Look(thing=0, column="ticket_id")})
    words = {"done": "gone", "invalid_transition": "too late"}
    plan = Plan(
        purpose="settle",
        things=(last,),
        deeds=(Deed(act=act, attempt=True),),
        asked=(ask("out", Outcome(deed=0, words=words), "text"),),
    )
    assert run(plan).answer == {"out": "gone" if status == "open" else "too late"}


def test_fields_and_constants_are_those_of_the_plan(catalog: Catalog) -> None:
    mean = Total(table="stations", filters=(JUNCTION,), function="mean", measure="platforms")
    lowered = lower(Plan(purpose="report", asked=(ask("mean", mean, "number", digits=2),)), catalog)
    assert [(f.name, f.type, f.tolerance) for f in lowered.fields] == [("mean", "number", 0.01)]
    assert lowered.constants == ["junction"]


def test_a_view_depends_on_what_its_figure_counts(catalog: Catalog) -> None:
    footprints, tools = Footprints(catalog), catalog.by_name
    free = footprints.value(tools["get_crew_workload"], "free")
    assert free & footprints.written([tools["assign_ticket"]])
    assert not free & footprints.written([tools["set_ticket_priority"]])
    assert not footprints.value(tools["get_station"], "platforms") & footprints.written([tools["open_ticket"]])
    assert footprints.rows(tools["search_tickets"]) & footprints.written([tools["open_ticket"]])


def test_what_no_tool_does_is_said(catalog: Catalog) -> None:
    plan = Plan(
        purpose="report",
        things=(Thing(table="stations", filters=(JUNCTION,), order=Order(column="station_name", descending=True)),),
        asked=(ask("n", Look(thing=0, column="no_such_column")),),
    )
    with pytest.raises(CannotLower, match="no_such_column"):
        lower(plan, catalog)


def test_meaning_is_the_same_whatever_the_places_of_things() -> None:
    other = Thing(table="stations", order=Order(column="platforms", descending=False))
    looks = [Look(thing=0, column="platforms"), Look(thing=1, column="passengers")]
    one = Plan(purpose="audit", things=(FIRST, other), asked=(ask("a", looks[0]), ask("b", looks[1])))
    swapped = [look.model_copy(update={"thing": 1 - look.thing}) for look in looks]
    two = Plan(purpose="plan", things=(other, FIRST), asked=(ask("b", swapped[1]), ask("a", swapped[0])))
    three = one.model_copy(update={"asked": (one.asked[0], ask("b", Look(thing=0, column="passengers")))})
    assert meaning(one) == meaning(two) != meaning(three)
