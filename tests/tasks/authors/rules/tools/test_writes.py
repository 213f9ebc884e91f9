"""Write tools under random sequences of calls: every rule of the archetype holds, refusals change nothing."""

from pathlib import Path
from random import Random
from typing import Any

from schemas.tools import Tool
from tests.tasks.authors.rules.tool_worlds import ModuleProcess, ToolWorld, sample_arguments

CALLS = 350
BROKEN = {
    "bookings": """SELECT flight_id FROM seat_inventory JOIN bookings USING (flight_id) WHERE status <> 'cancelled'
        GROUP BY flight_id HAVING SUM(seats) > MAX(capacity)""",
    "purchase_orders": """SELECT album_id FROM stock_levels AS s WHERE on_hand < 0 OR on_hand + (SELECT COALESCE(SUM(quantity), 0)
        FROM purchase_orders AS o WHERE o.album_id = s.album_id AND status IN ('draft', 'approved')) > shelf_capacity""",
    "service_tickets": """SELECT crew_id FROM crews JOIN tickets USING (crew_id) WHERE status = 'assigned'
        GROUP BY crew_id HAVING COUNT(*) > MAX(max_open)
        UNION SELECT ticket_id FROM tickets WHERE status = 'assigned' AND crew_id IS NULL""",
    "review_requests": """SELECT reviewer_id FROM reviewers JOIN review_requests USING (reviewer_id)
        WHERE status = 'assigned' GROUP BY reviewer_id HAVING COUNT(*) > MAX(assignment_limit)
        UNION SELECT request_id FROM review_requests WHERE status = 'assigned' AND reviewer_id IS NULL""",
}
"""Archetype → a query for what must never be."""


def _writable(process: ModuleProcess, world: ToolWorld) -> list[Any]:
    return [process.rows(f"SELECT * FROM {table} ORDER BY 1") for table in world.environment.contract.writable]


def _arguments(world: ToolWorld, tool: Tool, rng: Random, changed: list[int]) -> dict[str, Any]:
    """Draw arguments that meet every refusal now and then: rows just changed, full hosts, wrong values."""
    arguments = sample_arguments(world, tool, rng)
    key = world.environment.profile.table(tool.intent["table"]).key
    for name in arguments:
        dice = rng.random()
        if name == key and changed and dice < 0.6:
            arguments[name] = rng.choice(changed[-8:])
        elif dice > 0.95 and name.endswith(("_id", "_code")):
            arguments[name] = 10**9 if name.endswith("_id") else "ATLANTIS"
        elif dice > 0.93 and name in ("seats", "quantity", "priority"):
            arguments[name] = "dire" if name == "priority" else 0
        elif dice < 0.3 and name in ("seats", "quantity"):
            arguments[name] = rng.choice((1, 2, 400))
    return arguments


def _play(world: ToolWorld, process: ModuleProcess, rng: Random) -> dict[str, set[str]]:
    """Make random calls, checking all rules after each; return tool → outcomes seen."""
    writes = [tool for tool in world.module.tools if not tool.read_only]
    outcomes: dict[str, set[str]] = {tool.name: set() for tool in writes}
    changed: list[int] = []
    before = _writable(process, world)
    for _ in range(CALLS):
        tool = rng.choice(writes)
        arguments = _arguments(world, tool, rng, changed)
        result = process.call(tool.name, **arguments)
        after = _writable(process, world)
        outcomes[tool.name].add(result["error"]["code"] if "error" in result else "done")
        if "error" in result:
            assert after == before, f"{tool.name}({arguments}) was refused and changed the state"
        else:
            table = world.environment.profile.table(tool.intent["table"])
            assert list(result) == [column.name for column in table.columns]
            assert tuple(result.values()) in process.rows(
                f"SELECT * FROM {table.name} WHERE {table.key} = {result[table.key]}"
            )
            assert result["status"] == (tool.intent["to"] or result["status"])
            changed.append(result[table.key])
        assert process.rows(BROKEN[world.overlay.operations.archetype]) == [], f"{tool.name}({arguments}) broke a rule"
        before = after
    assert process.rows("PRAGMA foreign_key_check") == []
    return outcomes


def test_no_sequence_of_calls_breaks_the_rules(worlds: list[ToolWorld], tmp_path: Path) -> None:
    for world in worlds:
        with ModuleProcess(world, tmp_path / world.environment.theme_name) as process:
            assert process.rows(BROKEN[world.overlay.operations.archetype]) == []
            outcomes = _play(world, process, Random(f"play:{world.overlay.operations.archetype}"))
        for tool in world.module.tools:
            if not tool.read_only:
                assert outcomes[tool.name] <= {"done", *tool.intent["refusals"]}, tool.name
                assert {"done", "not_found"} <= outcomes[tool.name], tool.name
                assert len(outcomes[tool.name]) >= min(3, 1 + len(tool.intent["refusals"])), (
                    tool.name,
                    outcomes[tool.name],
                )
        seen = set.union(*outcomes.values())
        assert seen == {"done", *(code for tool in world.module.tools for code in tool.intent.get("refusals", []))}


def test_views_of_the_state_follow_the_writes(worlds: list[ToolWorld], tmp_path: Path) -> None:
    bookings = next(world for world in worlds if world.overlay.operations.archetype == "bookings")
    flight = int(
        bookings.frames["seat_inventory"].filter(bookings.frames["seat_inventory"]["capacity"] > 100)["flight_id"][0]
    )
    with ModuleProcess(bookings, tmp_path) as process:
        before = process.call("get_seat_availability", flight_id=flight)
        made = process.call("create_booking", flight_id=flight, party="Amsel family", seats=5)
        assert made["booking_id"] == bookings.frames["bookings"]["booking_id"].max() + 1 and made["status"] == "held"
        after = process.call("get_seat_availability", flight_id=flight)
        assert (after["booked"], after["available"]) == (before["booked"] + 5, before["available"] - 5)
        assert process.call("get_booking", booking_id=made["booking_id"]) == made
        process.call("cancel_booking", booking_id=made["booking_id"])
        assert process.call("get_seat_availability", flight_id=flight) == before
        assert process.call("confirm_booking", booking_id=made["booking_id"])["error"]["code"] == "invalid_transition"


def test_receiving_an_order_fills_the_shelf(worlds: list[ToolWorld], tmp_path: Path) -> None:
    store = next(world for world in worlds if world.overlay.operations.archetype == "purchase_orders")
    with ModuleProcess(store, tmp_path) as process:
        album = process.rows("SELECT album_id FROM stock_levels ORDER BY on_hand - shelf_capacity LIMIT 1")[0][0]
        level = process.call("get_stock_level", album_id=album)
        assert level["free_space"] == level["shelf_capacity"] - level["on_hand"] - level["on_order"] > 2
        order = process.call("create_purchase_order", album_id=album, quantity=level["free_space"])
        refused = process.call("create_purchase_order", album_id=album, quantity=1)
        assert refused["error"]["code"] == "exceeds_capacity"
        assert process.call("change_order_quantity", order_id=order["order_id"], quantity=2)["quantity"] == 2
        process.call("approve_purchase_order", order_id=order["order_id"])
        assert process.call("receive_purchase_order", order_id=order["order_id"])["status"] == "received"
        filled = process.call("get_stock_level", album_id=album)
        assert (filled["on_hand"], filled["on_order"]) == (level["on_hand"] + 2, level["on_order"])


def test_a_full_crew_takes_nothing_and_a_reopened_ticket_has_no_crew(worlds: list[ToolWorld], tmp_path: Path) -> None:
    parks = next(world for world in worlds if world.overlay.operations.archetype == "service_tickets")
    with ModuleProcess(parks, tmp_path) as process:
        ticket = process.call("open_ticket", park_code="BOS07", subject="Broken window at gate B", priority="high")
        crews = [process.call("get_crew_workload", crew_id=row[0]) for row in process.rows("SELECT crew_id FROM crews")]
        full = next(crew for crew in crews if crew["free"] == 0)
        free = next(crew for crew in crews if crew["free"] > 0)
        refused = process.call("assign_ticket", ticket_id=ticket["ticket_id"], crew_id=full["crew_id"])
        assert refused["error"]["code"] == "crew_full"
        assert (
            process.call("assign_ticket", ticket_id=ticket["ticket_id"], crew_id=free["crew_id"])["crew_id"]
            == free["crew_id"]
        )
        assert process.call("get_crew_workload", crew_id=free["crew_id"])["free"] == free["free"] - 1
        process.call("resolve_ticket", ticket_id=ticket["ticket_id"])
        reopened = process.call("reopen_ticket", ticket_id=ticket["ticket_id"])
        assert (reopened["status"], reopened["crew_id"]) == ("open", None)
