"""Plans are worked out right: against records in frames, and against gold programs of the other implementation."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from schemas.plans import Plan
from tasks.authors.compiler import compile_program
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.verification.reading.naming import public_names, rename
from tasks.verification.reading.records import Unsolvable
from tasks.verification.reading.selection import Ambiguous
from tasks.verification.reading.solving import solve
from tasks.verification.reading.tools import public
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.reading.plans import (
    ALL_OR_NONE,
    LATEST_HELD,
    REFUSED,
    SETTLE,
    SPREAD,
    bound,
    count,
)


def solved(ground: ProvingGround, plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the answer and the change of state."""
    plan = rename(plan, public_names(ground.tools))
    with ground.world.open(ground.bundle, "seed") as session:
        answer = solve(plan, [public(tool) for tool in ground.tools], session.call)
        return answer, session.diff(copied=True)


def latest_held(ground: ProvingGround) -> pl.DataFrame:
    bookings = ground.setting.frames["bookings"].filter(pl.col("status") == "held")
    latest = bookings.sort("booked_at", descending=True).head(4)
    return latest.join(ground.setting.frames["flights"], on="flight_id", how="left", maintain_order="left")


def test_branches_take_items_by_their_conditions(flights: ProvingGround) -> None:
    answer, change = solved(flights, SETTLE)
    rows = latest_held(flights)
    short = rows.filter(pl.col("distance") < 1000)
    assert answer == {"seats_confirmed": short["seats"].sum(), "cancelled": rows.height - short.height}
    assert len(change["bookings"]["updated"]) == 4


def test_nothing_is_done_unless_all_fit(flights: ProvingGround) -> None:
    answer, change = solved(flights, ALL_OR_NONE)
    failing = latest_held(flights).filter(pl.col("distance") >= 1000).height
    assert answer == {"outcome": "no" if failing else "yes", "in_the_way": failing}
    assert bool(change.get("bookings")) == (failing == 0)


def test_a_refusal_is_reported_by_the_word_for_it(flights: ProvingGround) -> None:
    answer, change = solved(flights, REFUSED)
    assert answer["outcome"] == "not allowed"
    assert not change.get("bookings")


def test_a_tie_is_refused(flights: ProvingGround) -> None:
    by_seats = LATEST_HELD.model_copy(update={"order": LATEST_HELD.order.model_copy(update={"column": "seats"})})  # type: ignore[union-attr]
    tied = SETTLE.model_copy(
        update={"passes": (SETTLE.passes[0].model_copy(update={"source": by_seats.model_copy(update={"count": 60})}),)}
    )
    with pytest.raises(Ambiguous):
        solved(flights, tied)


def test_a_table_that_no_tool_reads_is_unsolvable(flights: ProvingGround) -> None:
    source = LATEST_HELD.model_copy(update={"table": "ships", "filters": (bound("status", "is", "held"),)})
    plan = Plan(
        purpose="audit", passes=(SETTLE.passes[0].model_copy(update={"source": source}),), asked=(count("n", 0),)
    )
    with pytest.raises(Unsolvable):
        solved(flights, plan)


@pytest.mark.parametrize("plan", [SETTLE, ALL_OR_NONE, SPREAD, REFUSED])
def test_the_gold_of_the_other_implementation_agrees(flights: ProvingGround, plan: Plan) -> None:
    catalog = Catalog(flights.environment, flights.tools, flights.setting.frames)
    with flights.world.open(flights.bundle, "seed") as session:
        run = session.run_program(compile_program(lower(plan, catalog).program))
        change = session.diff(copied=True)
    answer, solved_change = solved(flights, plan)
    assert answer == run.answer
    assert {table: {kind: len(rows) for kind, rows in each.items()} for table, each in change.items()} == {
        table: {kind: len(rows) for kind, rows in each.items()} for table, each in solved_change.items()
    }
