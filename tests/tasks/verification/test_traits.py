"""What a gold run shows is told by its calls, and what was only mined is told from what is new to everybody."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.documents import Document, Fact
from schemas.environments import Environment, StateContract
from schemas.profiles import ColumnProfile, Origin, TableProfile, WorldProfile
from schemas.programs import Call, Program
from schemas.tasks import GoldRun, Trait
from tasks.verification.traits import is_from_memory, traits_of
from tests.tasks.verification.runs import Step, make_proof, make_tool

POLICY, NOTICE = "policies/limits.md", "notices/hours.html"
TOOLS = {
    tool.name: tool
    for tool in (
        make_tool("get_city", "get", "cities"),
        make_tool("get_survey", "get", "surveys"),
        make_tool("get_ticket", "get", "tickets"),
        make_tool("close_ticket", "transition", "tickets"),
        make_tool("read_document").model_copy(update={"intent": {"documents": True}}),
    )
}
REFUSED = {"error": {"code": "closed_already", "message": ""}}
MOMENT = {"error": {"code": "unavailable", "message": ""}}


def table(name: str, kind: Any, origin: Origin = "mined") -> TableProfile:
    column = ColumnProfile(
        name="id", type="integer", role="key", nullable=False, distinct=1, words="number", origin=origin
    )
    return TableProfile(
        name=name, singular=name, plural=name, kind=kind, rows=1, columns=[column], key="id", key_is_opaque=True
    )


def document(path: str, origin: Any, rule: str | None) -> Document:
    fact = Fact(place="a", words="most hours", value=3, rule=rule)
    return Document(path=path, format="md", title=path, about="", origin=origin, facts=(fact,), text="")


WORLD = Environment(
    id="env_made",
    theme_id="theme",
    theme_name="made",
    author="test",
    seed=0,
    world_sha256="",
    world_bytes=0,
    profile=WorldProfile(
        tables=[table("cities", "reference"), table("surveys", "event", "simulated"), table("tickets", "operational")]
    ),
    contract=StateContract(),
    documents=[document(POLICY, "written", "limit/0"), document(NOTICE, "mined", None)],
    clock_start="2026-01-01T00:00:00",
)


def run(*steps: Step, change: bool = False) -> GoldRun:
    gold = make_proof("made", "…", list(steps))[1]
    told = [step.model_copy(update={"read_only": TOOLS[step.tool].read_only}) for step in gold.steps]
    return gold.model_copy(update={"steps": told, "state_diff": {"tickets": {}} if change else {}})


CLOSE = ("close_ticket", {"ticket_id": 1}, {})
READ = ("get_ticket", {"ticket_id": 1}, {})


@pytest.mark.parametrize(
    ("gold", "traits"),
    [
        (run(READ), []),
        (run(READ, CLOSE, change=True), ["changes"]),
        (run(("read_document", {"path": NOTICE}, {})), ["document"]),
        (run(("read_document", {"path": POLICY}, {}), CLOSE, change=True), ["changes", "document", "policy"]),
        (run(("close_ticket", {}, REFUSED)), ["unchanged"]),
        (run(("close_ticket", {}, REFUSED), READ), ["unchanged"]),
        (run(("close_ticket", {}, REFUSED), READ, CLOSE, change=True), ["changes", "recovery"]),
        (run(("get_ticket", {}, MOMENT), READ), ["recovery"]),
    ],
)
def test_a_run_shows_its_traits(gold: GoldRun, traits: list[Trait]) -> None:
    writes = any(not step.read_only for step in gold.steps)
    calls = (Call(bind="it", tool="close_ticket"),) if writes else ()
    assert traits_of(Program(body=calls, answer={}), gold, WORLD, TOOLS) == traits


def test_that_no_write_of_a_program_was_due_is_the_point() -> None:
    program = Program(body=(Call(bind="it", tool="close_ticket"),), answer={})
    assert traits_of(program, run(READ), WORLD, TOOLS) == ["unchanged"]


@pytest.mark.parametrize(
    ("step", "known"),
    [
        (("get_city", {"city_id": 1}, {}), True),
        (("read_document", {"path": NOTICE}, {}), True),
        (("get_survey", {"survey_id": 1}, {}), False),
        (READ, False),
        (("close_ticket", {}, REFUSED), False),
        (("read_document", {"path": POLICY}, {}), False),
    ],
)
def test_only_mined_rows_are_known_by_heart(step: Step, known: bool) -> None:
    assert is_from_memory(run(("get_city", {"city_id": 2}, {}), step), WORLD, TOOLS) == known
