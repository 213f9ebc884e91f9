"""Results are held against the output schema where the tool ran: what breaks it is the tool's fault."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest

from tasks.world.bundle import Bundle
from tasks.world.session import World

ROW = {
    "type": "object",
    "properties": {
        "flight_id": {"type": "integer"},
        "origin": {"type": ["string", "null"]},
        "seats": {"type": "number"},
    },
    "required": ["flight_id", "origin", "seats"],
    "additionalProperties": False,
}
PAGE = {"type": "object", "properties": {"items": {"type": "array", "items": ROW}, "total": {"type": "integer"}}}
SOURCE = """
def echo(value):
    return value

def page():
    rows = database().execute("SELECT * FROM flights LIMIT 20").fetchall()
    return {"items": [dict(row) for row in rows], "total": 300}

def book(seats):
    with database() as connection:
        connection.execute("INSERT INTO bookings (flight_id, seats) VALUES (1, ?)", (seats,))
    return {"booked": seats}
"""


@pytest.fixture(scope="module")
def strict(make_bundle: Callable[..., Bundle]) -> Bundle:
    tools = make_bundle({"echo": ({"value": {}}, SOURCE), "page": ({}, ""), "book": ({"seats": {}}, "")}).tools
    schemas = {"echo": ROW, "page": PAGE, "book": {"type": "object", "properties": {"booked": {"const": 1}}}}
    listed = [tool | {"output_schema": schemas.get(name, {})} for name, tool in tools.items()]
    return make_bundle({"echo": ({}, SOURCE)}, tools=listed)


GOOD = {"flight_id": 1, "origin": None, "seats": 2.5}


def test_a_result_outside_the_schema_is_replaced_and_counted(world: World, strict: Bundle) -> None:
    with world.open(strict, "a") as session:
        assert session.call("echo", {"value": GOOD}) == GOOD
        assert session.call("page", {})["total"] == 300
        assert session.faults == 0
        for bad, message in (
            ({**GOOD, "seats": "many"}, 'seats: "many" is not of type number'),
            ({**GOOD, "gate": 1}, "gate"),
            ([GOOD], "is not of type object"),
            (None, "is not of type object"),
        ):
            error = session.call("echo", {"value": bad})["error"]
            assert error["code"] == "output_violates_schema" and message in error["message"]
        assert session.faults == 4


def test_refusals_are_exempt(world: World, strict: Bundle) -> None:
    refusal = {"error": {"code": "not_found", "message": "no flight"}}
    with world.open(strict, "a") as session:
        assert session.call("echo", {"value": refusal}) == refusal
        assert session.faults == 0
        assert session.call("echo", {"value": {"error": "text"}})["error"]["code"] == "output_violates_schema"


def test_programs_see_the_same(world: World, strict: Bundle) -> None:
    calls: list[Any] = [GOOD, {**GOOD, "seats": None}, {"error": {"code": "x"}}]
    source = f"def solve(call):\n    return {{'seen': [call('echo', value=value) for value in {calls!r}]}}\n"
    with world.open(strict, "a") as agent, world.open(strict, "a") as program:
        observed = [agent.call("echo", {"value": value}) for value in calls]
        run = program.run_program(source)
        assert run.answer == {"seen": observed}
        assert [step["observation"] for step in run.trace] == observed
        assert agent.faults == program.faults == 1


def test_what_the_tool_wrote_stays_written(world: World, strict: Bundle) -> None:
    """The runtime undoes nothing that was committed: the state tells what happened."""
    with world.open(strict, "a") as session:
        assert session.call("book", {"seats": 2})["error"]["code"] == "output_violates_schema"
        assert len(session.diff()["bookings"]["inserted"]) == 1


def test_checking_a_page_costs_little(world: World, strict: Bundle, make_bundle: Callable[..., Bundle]) -> None:
    """About 0.03 ms for twenty rows; the bound leaves room for a busy machine."""
    free = make_bundle({"page": ({}, SOURCE)})
    best = {}
    for name, bundle in (("checked", strict), ("unchecked", free)):
        with world.open(bundle, "a") as session:
            session.call("page", {})
            took = []
            for _ in range(100):
                start = perf_counter()
                session.call("page", {})
                took.append(perf_counter() - start)
            best[name] = min(took)
    assert best["checked"] - best["unchecked"] < 0.0005
