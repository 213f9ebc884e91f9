"""A slice holds what its fields and writes need, and nothing else."""

from __future__ import annotations

from schemas.programs import Aggregate, Call, NewList, Program, Ref, Statement
from tasks.verification.shortcuts.slicing import slice_program
from tasks.verification.syntax import nodes_of
from tests.tasks.authors.rules.drafts.handwritten import at, call, each, keep, total, when

BODY: tuple[Statement, ...] = (
    call("crew", "get_crew", name="Night"),
    call("page", "search_tickets", status="open"),
    NewList(bind="costs"),
    NewList(bind="names"),
    each(
        "row",
        "page.items",
        call("ticket", "get_ticket", ticket_id=at("row.ticket_id")),
        call("place", "get_place", place_id=at("row.place_id")),
        when("ticket.cost", ">", 5, keep("costs", "ticket.cost"), call("done", "close", ticket_id=at("row.ticket_id"))),
        keep("names", "place.name"),
    ),
)
PROGRAM = Program(
    body=BODY,
    answer={"cost": total("costs"), "names": Ref(name="names"), "head": at("crew.head")},
)


def tools_of(program: Program) -> list[str]:
    return sorted(node.tool for node in nodes_of(program) if isinstance(node, Call))


def test_fields_and_writes_decide_what_stays() -> None:
    assert tools_of(slice_program(PROGRAM, ["head"], [])) == ["get_crew"]
    assert tools_of(slice_program(PROGRAM, ["names"], [])) == ["get_place", "search_tickets"]
    assert tools_of(slice_program(PROGRAM, ["cost"], [])) == ["get_ticket", "search_tickets"]
    assert tools_of(slice_program(PROGRAM, [], ["close"])) == ["close", "get_ticket", "search_tickets"]
    assert tools_of(slice_program(PROGRAM, [], [], ["place"])) == ["get_place", "search_tickets"]
    assert slice_program(PROGRAM, PROGRAM.answer, ["close"]) == PROGRAM
    assert slice_program(PROGRAM, [], []) == Program(body=(), answer={})


def test_only_the_fields_asked_for_are_answered() -> None:
    kept = slice_program(PROGRAM, ["cost"], [])
    assert list(kept.answer) == ["cost"]
    assert isinstance(kept.answer["cost"], Aggregate)
