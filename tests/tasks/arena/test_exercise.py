"""Places at which a policy can fail: counted on gold runs, and estimated from programs alone."""

from __future__ import annotations

import pytest

from schemas.diagnoses import CAUSES, Cause
from schemas.programs import Program
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.exercise import exercised, opportunities
from tests.tasks.authors.rules.drafts.handwritten import at, call, handwritten_tasks, lit
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.test_admission import draft, longest, order


@pytest.fixture(scope="module")
def tools(records: ProvingGround) -> dict[str, Tool]:
    return {tool.name: tool for tool in records.tools}


@pytest.fixture(scope="module")
def proven(records: ProvingGround) -> tuple[AgentTask, GoldRun]:
    """The four longest tracks, looked up, and an order for the album of the last."""
    admitted = records.gate(2).prove(draft(longest(order(3))))
    assert isinstance(admitted, tuple), admitted
    return admitted[0], admitted[1]


EXACT: dict[Cause, int] = {
    "missing_lookup": 4,  # get_track, four times; the listing is gone through
    "missing_write": 1,
    "wrong_argument": 0,  # nothing narrows the ranking
    "error_ignored": 0,
    "wrong_aggregation": 1,  # the sum of the answer
    "out_of_budget": 6,
    "unexplained": 1,
}


@pytest.mark.parametrize("cause", EXACT)
def test_places_of_a_gold_run(cause: Cause, proven: tuple[AgentTask, GoldRun], tools: dict[str, Tool]) -> None:
    assert exercised(cause, *proven, tools) == EXACT[cause]


def test_places_at_named_tools_alone(proven: tuple[AgentTask, GoldRun], tools: dict[str, Tool]) -> None:
    assert exercised("missing_lookup", *proven, tools, at=["get_track"]) == 4
    assert exercised("missing_lookup", *proven, tools, at=["create_purchase_order"]) == 0
    assert exercised("out_of_budget", *proven, tools, at=["create_purchase_order"]) == 1


def test_what_a_program_tells_by_itself_is_what_its_run_shows(
    proven: tuple[AgentTask, GoldRun], tools: dict[str, Tool]
) -> None:
    task, gold = proven
    for cause in ("missing_lookup", "missing_write", "wrong_argument", "error_ignored", "wrong_aggregation"):
        assert opportunities(cause, task.program, tools) == exercised(cause, task, gold, tools), cause


def test_a_filter_a_reference_and_an_attempt_are_places(tools: dict[str, Tool]) -> None:
    found = call("page", "search_stock_levels", min_on_hand=9, sort_by="unit_cost", descending=True, limit=6)
    looks = [call(f"seen_{n}", "get_stock_level", album_id=at(f"page.items.{n}.album_id")) for n in range(4)]
    tried = call("done", "create_purchase_order", album_id=at("page.items.0.album_id"), quantity=lit(3))
    program = Program(
        body=(found, *looks, tried.model_copy(update={"may_refuse": True})), answer={"n": at("seen_0.on_hand")}
    )
    assert opportunities("wrong_argument", program, tools) == 1
    assert opportunities("state_lost", program, tools) == 3  # of the fourth, fifth and sixth call
    assert opportunities("error_ignored", program, tools) == 1
    assert opportunities("stopped_early", program, tools) == 3


def test_every_cause_of_every_program_counts(flights: ProvingGround) -> None:
    tools = {tool.name: tool for tool in flights.tools}
    for each in handwritten_tasks():
        counts = {cause: opportunities(cause, each.program, tools) for cause in CAUSES}
        assert min(counts.values()) >= 0 and counts["stopped_early"] >= 3 and counts["wrong_format"] >= 1
