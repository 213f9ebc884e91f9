"""Every kind of action, compiled and run: a lending desk whose rules are stated as data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.environments import Overlay, StateContract
from schemas.operations import Action, Argument, Change, Figure, Guard, Insert, Operations, Value, View
from schemas.profiles import TableProfile, WorldProfile
from schemas.themes import TableRecipe, Theme
from tasks.authors.rules.operations.specs import action_tool
from tasks.authors.rules.overlays.actions import (
    at_most,
    cell,
    create,
    delete,
    find,
    fixed,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    own_key,
    plus,
    sum_of_money,
    times,
    total_of,
    transition,
    update,
)
from tasks.authors.rules.tools.module import propose_tools
from tasks.mining.drafts import begin_draft, lay_over
from tasks.mining.environments import build_environment
from tests.tasks.authors.rules.odd_worlds import Odd, mined
from tests.tasks.authors.rules.tool_worlds import ModuleProcess, ToolWorld

MEMBERS = pl.DataFrame(
    {
        "member_id": [1, 2, 3],
        "name": ["Ada", "Ben", "Cleo"],
        "credit": [10.0, 0.0, 2.5],
        "sponsor_id": [None, 1, 1],
        "active": [1, 1, 0],
    }
)
LOANS = pl.DataFrame(
    {
        "loan_id": [1, 2],
        "member_id": [1, 2],
        "note": ["First", None],
        "status": ["out", "back"],
        "due": ["2025-01-10", "2025-01-20"],
        "fee": [1.25, 0.1],
        "taken_at": ["2024-12-01T10:00:00", "2024-12-02T10:00:00"],
    }
)
THEME = Theme(
    name="desk",
    title="Desk",
    description="A desk",
    package="none",
    version="1",
    licence="CC0",
    tables=[TableRecipe(name="members", file="members.csv")],
)
TABLES = {
    "members": Odd(MEMBERS, "member", "members", label="name", booleans=("active",), references={}),
    "loans": Odd(LOANS, "loan", "loans", dates=("due",), references={"member_id": "members"}),
}


NOTE = Argument(name="note", description="A note.", type="text", longest=20, required=False)
DUE = Argument(name="due", description="Last day.", type="date", required=False)


def _desk(profile: WorldProfile) -> Operations:
    members, loans = profile.table("members"), profile.table("loans")
    return Operations(
        archetype="desk",
        host="members",
        host_key="member_id",
        tables={},
        views=(_account(),),
        actions=(_lend(members, loans), _give_back(loans), _amend(loans), _double(loans), _strike(members), _enrol()),
    )


def _fees(member: Value) -> Value:
    return total_of("loans", "fee", {"member_id": member, "status": ("out",)})


def _account() -> View:
    out = number_of("loans", {"member_id": cell("row", "member_id"), "status": ("out",)})
    owed = _fees(cell("row", "member_id"))
    return View(
        name="get_account",
        table="members",
        description="Tell what a member has out.",
        figures=(
            Figure(name="out", value=out, description="loans that are out", words="loans out"),
            Figure(name="owed", value=owed, description="fees of loans that are out", words="fees owed"),
        ),
    )


def _lend(members: TableProfile, loans: TableProfile) -> Action:
    credit = at_most(
        plus(given("fee"), _fees(cell("member", "member_id"))),
        cell("member", "credit"),
        "credit_exceeded",
        'It would come to {0}; the "credit" is {1} {and} no more.',
    )
    vouched = Guard(
        code="sponsor_inactive",
        message="{0} is not active.",
        value=cell("sponsor", "active"),
        operator="==",
        than=fixed(1),
        tells=(cell("sponsor", "name"),),
    )
    written = {"member_id": given("member_id"), "note": given("note"), "status": fixed("out"), "due": now(14)}
    return create(
        "lend",
        loans,
        "Lend for 14 days.",
        arguments=(
            key_argument(members, "Who borrows."),
            sum_of_money("fee", "What it costs.", 0.05, 5.0),
            Argument(name="kind", description="What kind.", type="text", choices=("book", 'a "film"')),
            Argument(name="gift", description="Whether it is one.", type="boolean"),
            NOTE,
            key_argument(members, "Who vouches.", "sponsor_id", required=False),
        ),
        finds=(find("member", "members", given("member_id")), find("sponsor", "members", given("sponsor_id"))),
        guards=(credit, vouched),
        values={**written, "fee": given("fee"), "taken_at": now()},
        requests=("lend to {member_id}",),
    )


def _give_back(loans: TableProfile) -> Action:
    taken_off = minus(cell("member", "credit"), cell("loan", "fee"))
    return transition(
        "give_back",
        loans,
        "Take a loan back; its fee is taken off the credit.",
        source=("out",),
        to="back",
        finds=(find("member", "members", cell("loan", "member_id")),),
        before=(Change(row="member", values={"credit": taken_off}),),
        requests=("take {row} back",),
    )


def _amend(loans: TableProfile) -> Action:
    due, today = given("due"), now(0)
    coming = Guard(code="due_too_early", message="{0} is past.", value=due, operator=">", than=today, tells=(due,))
    return update(
        "amend", loans, "Change what is given.", arguments=(NOTE, DUE), guards=(coming,), requests=("amend {row}",)
    )


def _double(loans: TableProfile) -> Action:
    noted = Guard(
        code="no_note", message="It has no note.", value=cell("loan", "note"), operator="!=", than=fixed(None)
    )
    return update(
        "double_fee",
        loans,
        "Double a fee.",
        arguments=(),
        values={"fee": times(cell("loan", "fee"), fixed(2))},
        guards=(noted,),
        requests=("double the fee of {row}",),
    )


def _strike(members: TableProfile) -> Action:
    idle = no_rows_of("loans", {"member_id": cell("member", "member_id")}, "has_loans", "There are {0} loans.")
    return delete(
        "strike_off", members, "Remove a member without loans.", guards=(idle,), requests=("strike {row} off",)
    )


def _enrol() -> Action:
    number = given("number")
    free = no_rows_of("members", {"member_id": number}, "number_taken", "There are {0} of that number.")
    new = {"member_id": number, "name": given("name"), "credit": fixed(1.5), "active": fixed(1)}
    return Action(
        name="enrol",
        verb="create",
        table="members",
        description="Add a member with a number of their own.",
        arguments=(
            Argument(name="number", description="The number.", type="integer", minimum=1, maximum=99),
            Argument(name="name", description="The name.", type="text"),
        ),
        guards=(free,),
        effects=(Insert(bind="member", table="members", values=new),),
        returns="member",
        requests=("enrol {name} as {number}",),
    )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolWorld:
    """The desk, its tables mined and its operations laid over them."""
    folder, tables = tmp_path_factory.mktemp("desk"), mined(TABLES)
    operations = _desk(tables.profile)
    overlay = Overlay(tables=[], rows={}, contract=StateContract(writable=["members", "loans"]), operations=operations)
    draft = lay_over(begin_draft(tables), overlay)
    environment = build_environment(draft, THEME, "rules", 0, folder / "world.db")
    module = propose_tools(environment)
    (folder / "tools.py").write_text(module.source)
    return ToolWorld(environment, overlay, module, draft.frames, folder)


@pytest.fixture
def tools(desk: ToolWorld, tmp_path: Path) -> Iterator[ModuleProcess]:
    with ModuleProcess(desk, tmp_path) as process:
        yield process


LEND: dict[str, Any] = {"member_id": 1, "fee": 1.5, "kind": "book", "gift": 0}


def _rows(tools: ModuleProcess) -> list[Any]:
    return [tools.rows(f"SELECT * FROM {table} ORDER BY 1") for table in ("members", "loans")]


def test_a_creation_writes_what_is_given_computed_and_left_out(tools: ModuleProcess) -> None:
    made = tools.call("lend", **LEND)
    assert (made["loan_id"], made["status"], made["fee"], made["note"]) == (3, "out", 1.5, None)
    assert made["due"] > made["taken_at"][:10] and len(made["due"]) == 10
    assert tools.call("lend", **LEND, note="Second", sponsor_id=2)["note"] == "Second"
    assert tools.call("get_account", member_id=1)["out"] == 3
    assert tools.call("get_account", member_id=1)["owed"] == 4.25


@pytest.mark.parametrize(
    ("change", "code"),
    [
        *(({"fee": fee}, "invalid_argument") for fee in (0.04, 5.01, True, "1", None, float("nan"), 10**400)),
        *(({"kind": kind}, "invalid_argument") for kind in ("film", "", None, ["book"])),
        *(({"gift": gift}, "invalid_argument") for gift in (2, -1, True, "0")),
        *(({"note": note}, "invalid_argument") for note in ("", "  ", "x" * 21, "a\nb", 7)),
        *(({"member_id": key}, "not_found") for key in (9, True, [1], {"a": 1}, None, "x")),
        ({"sponsor_id": 9}, "not_found"),
        ({"sponsor_id": 3}, "sponsor_inactive"),
        ({"member_id": 2}, "credit_exceeded"),
    ],
)
def test_a_refused_creation_changes_nothing(tools: ModuleProcess, change: dict[str, Any], code: str) -> None:
    before = _rows(tools)
    refused = tools.call("lend", **{**LEND, **change})
    assert refused["error"]["code"] == code and refused["error"]["message"].endswith(".")
    assert _rows(tools) == before


def test_messages_tell_values_and_keep_other_braces(tools: ModuleProcess) -> None:
    message = tools.call("lend", **{**LEND, "member_id": 2})["error"]["message"]
    assert message == 'It would come to 1.5; the "credit" is 0.0 {and} no more.'


def test_effects_on_two_tables_happen_together(tools: ModuleProcess) -> None:
    assert tools.call("give_back", loan_id=1)["status"] == "back"
    assert tools.rows("SELECT credit FROM members WHERE member_id = 1") == [(8.75,)]
    before = _rows(tools)
    assert tools.call("give_back", loan_id=1)["error"]["code"] == "invalid_transition"
    assert _rows(tools) == before


def test_an_update_leaves_what_is_left_out(tools: ModuleProcess) -> None:
    old = {"note": "First", "due": "2025-01-10"}
    for change in ({}, {"note": "New"}, {"due": "2999-01-01"}, {"note": "Newer", "due": "2999-02-28"}):
        changed = tools.call("amend", loan_id=1, **change)
        old = {**old, **change}
        assert {name: changed[name] for name in old} == old
    for due in ("2999-02-30", "2999-1-1", "soon", 20250101, ""):
        assert tools.call("amend", loan_id=1, due=due)["error"]["code"] == "invalid_argument"
    assert tools.call("amend", loan_id=1, due="1999-01-01")["error"]["code"] == "due_too_early"


def test_missing_values_are_compared_as_missing(tools: ModuleProcess) -> None:
    assert tools.call("double_fee", loan_id=1)["fee"] == 2.5
    assert tools.call("double_fee", loan_id=2)["error"]["code"] == "no_note"


def test_a_deletion_returns_the_row_as_it_was(tools: ModuleProcess) -> None:
    assert tools.call("strike_off", member_id=1)["error"] == {"code": "has_loans", "message": "There are 1 loans."}
    assert tools.call("strike_off", member_id=3)["name"] == "Cleo"
    assert tools.rows("SELECT COUNT(*) FROM members") == [(2,)]
    assert tools.call("strike_off", member_id=3)["error"]["code"] == "not_found"


def test_a_row_may_bring_its_key(tools: ModuleProcess) -> None:
    assert tools.call("enrol", number=42, name="Dora")["member_id"] == 42
    assert tools.call("enrol", number=42, name="Dora")["error"]["code"] == "number_taken"
    for number in (0, 100, 4.0, True, "7"):
        assert tools.call("enrol", number=number, name="Dora")["error"]["code"] == "invalid_argument"


def test_specs_say_what_authors_ask(desk: ToolWorld) -> None:
    lend, back, amend = (desk.tool(name) for name in ("lend", "give_back", "amend"))
    assert lend.input_schema["required"] == ["member_id", "fee", "kind", "gift"]
    assert lend.intent["refusals"] == ["not_found", "invalid_argument", "credit_exceeded", "sponsor_inactive"]
    assert (lend.intent["guards"], lend.intent["row"], lend.intent["to"], lend.intent["from"]) == (2, None, "out", [])
    assert (back.intent["from"], back.intent["to"], back.intent["row"]) == (["out"], "back", "loan_id")
    assert back.intent["tables"] == ["loans", "members"] and back.intent["refusals"] == [
        "not_found",
        "invalid_transition",
    ]
    assert amend.input_schema["properties"]["due"]["pattern"] and amend.operation == "update"
    assert desk.tool("strike_off").operation == "delete"
    assert desk.tool("get_account").intent["computed"] == {"out": "loans out", "owed": "fees owed"}


def test_no_helper_is_there_that_nothing_uses(desk: ToolWorld) -> None:
    tree = ast.parse(desk.module.source)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("_")}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert defined - called <= {"_contains", "_columns"}


def test_a_domain_follows_the_key_that_an_argument_names(desk: ToolWorld) -> None:
    action = desk.environment.operations[0].actions[0]
    tool = action_tool(desk.environment.profile, desk.environment.operations[0], action)
    domains = {name: schema.get("x-domain") for name, schema in tool.input_schema["properties"].items()}
    assert domains["member_id"] == domains["sponsor_id"] == "members.member_id" and domains["fee"] is None


def test_the_argument_that_names_the_row_is_its_key(desk: ToolWorld) -> None:
    assert own_key(desk.environment.profile.table("loans")).name == "loan_id"
