"""The tool gate on a hand-made world: each way to be refused, and what it takes to be kept."""

from __future__ import annotations

import ast
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.environments import Environment, StateContract
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.tools import Expectation, Tool, ToolCall, ToolModule, ToolTest
from tasks.verification.tool_gate import (
    ENVIRONMENT_REASONS,
    TOOL_REASONS,
    ToolReport,
    environment_rejection,
    judge_tools,
    signature_difference,
)
from tasks.world.session import World

PREFACE = """
import sqlite3
def _db():
    db = sqlite3.connect("world.db")
    db.row_factory = sqlite3.Row
    return db
"""
GET = """
def get_park(park_id):
    row = _db().execute("SELECT * FROM parks WHERE park_id = ?", [park_id]).fetchone()
    return dict(row) if row else {"error": {"code": "not_found", "message": "no such park"}}
"""
RENAME = """
def rename_park(park_id, name="Unnamed"):
    with _db() as db:
        db.execute("UPDATE parks SET name = ? WHERE park_id = ?", [name, park_id])
    return dict(_db().execute("SELECT * FROM parks WHERE park_id = ?", [park_id]).fetchone())
"""
ROW = {
    "type": "object",
    "required": ["park_id", "name"],
    "additionalProperties": False,
    "properties": {"park_id": {"type": "integer"}, "name": {"type": "string"}},
}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as opened:
        yield opened


@pytest.fixture(scope="module")
def world_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gate") / "seed.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE parks (park_id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        database.executemany("INSERT INTO parks VALUES (?, ?)", [(1, "Ebbets Field"), (2, "Polo Grounds")])
    database.close()
    return path


def environment() -> Environment:
    columns = [
        ColumnProfile(name="park_id", type="integer", role="key", nullable=False, distinct=2, words="park number"),
        ColumnProfile(name="name", type="text", role="label", nullable=False, distinct=2, words="name"),
    ]
    parks = TableProfile(
        name="parks",
        singular="park",
        plural="parks",
        kind="reference",
        rows=2,
        columns=columns,
        key="park_id",
        key_is_opaque=False,
    )
    return Environment(
        id="env_0",
        theme_id="theme_0",
        theme_name="parks",
        author="rules",
        seed=0,
        world_sha256="0" * 64,
        world_bytes=1,
        profile=WorldProfile(tables=[parks]),
        contract=StateContract(),
        clock_start="2024-01-01T09:00:00",
    )


def tool(name: str, read_only: bool, parameters: list[str], required: list[str]) -> Tool:
    kinds = {"park_id": {"type": "integer"}, "name": {"type": "string"}}
    properties = {p: kinds[p] for p in parameters}
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(
        name=name,
        description="A tool.",
        operation="get" if read_only else "update",
        read_only=read_only,
        input_schema=schema,
        output_schema=ROW,
    )


GET_TOOL = tool("get_park", True, ["park_id"], ["park_id"])
RENAME_TOOL = tool("rename_park", False, ["park_id", "name"], ["park_id"])


def case(of: str, name: str, arguments: dict[str, Any], setup: tuple[ToolCall, ...] = (), **expect: Any) -> ToolTest:
    return ToolTest(
        id=f"{of}: {name}",
        tool=of,
        name=name,
        case="works",
        setup=list(setup),
        arguments=arguments,
        expect=Expectation(**expect),
    )


GET_TESTS = [
    case("get_park", "first", {"park_id": 1}, result={"park_id": 1, "name": "Ebbets Field"}, changes={}),
    case("get_park", "second", {"park_id": 2}, result={"name": "Polo Grounds"}, changes={}),
    case("get_park", "unknown", {"park_id": 9}, error_code="not_found", changes={}),
    case("get_park", "nothing", {}, error_code="invalid_argument", changes={}),
]
ONE_UPDATE = {"parks": {"inserted": 0, "updated": 1, "deleted": 0}}
RENAME_TESTS = [
    case(
        "rename_park",
        "one",
        {"park_id": 1, "name": "Home"},
        result={"name": "Home"},
        changes=ONE_UPDATE,
        after={"parks.1.name": "Home"},
    ),
    case("rename_park", "default", {"park_id": 2}, result={"name": "Unnamed"}, changes=ONE_UPDATE),
    case(
        "rename_park",
        "back",
        {"park_id": 1, "name": "Ebbets Field"},
        (ToolCall(tool="rename_park", arguments={"park_id": 1}),),
        result={"name": "Ebbets Field"},
        changes={},
    ),
]


def judge(
    world: World, world_db: Path, source: str, tools: list[Tool], tests: list[ToolTest], rate: float = 0.5
) -> ToolReport:
    return judge_tools(world, environment(), ToolModule(source=source, tools=tools), tests, world_db, rate)


def only_rejection(report: ToolReport) -> tuple[str, str]:
    assert report.kept == []
    (rejection,) = report.rejections
    assert rejection.reason in TOOL_REASONS
    assert (rejection.stage, rejection.subject_kind, rejection.environment_id) == ("build_tools", "tool", "env_0")
    return rejection.reason, rejection.detail


def test_right_tools_are_kept_and_the_seed_stays_as_it_is(world: World, world_db: Path) -> None:
    before = world_db.read_bytes()
    report = judge(world, world_db, PREFACE + GET + RENAME, [GET_TOOL, RENAME_TOOL], GET_TESTS + RENAME_TESTS)
    assert [o.detail for o in report.outcomes if not o.passed] == []
    assert [t.name for t in report.kept] == ["get_park", "rename_park"]
    assert [o.test_id for o in report.outcomes] == [t.id for t in GET_TESTS + RENAME_TESTS]
    assert environment_rejection(report) is None
    assert world_db.read_bytes() == before


def test_tools_find_the_worlds_other_files(world: World, world_db: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "names.txt").write_text("Ebbets Field")
    (tmp_path / "world.db").write_bytes(world_db.read_bytes())
    read = "def get_park(park_id):\n    return {'park_id': park_id, 'name': open('files/names.txt').read()}\n"
    report = judge(world, tmp_path / "world.db", read, [GET_TOOL], GET_TESTS[:1])
    assert [t.name for t in report.kept] == ["get_park"], report.outcomes


def test_a_module_that_does_not_compile_is_refused_with_its_line(world: World, world_db: Path) -> None:
    report = judge(world, world_db, "def get_park(park_id:\n", [GET_TOOL], GET_TESTS)
    reason, detail = only_rejection(report)
    assert reason == "does_not_compile" and "line 1" in detail
    assert len(report.outcomes) == len(GET_TESTS) and not any(o.passed for o in report.outcomes)


def test_a_module_that_fails_when_executed_is_refused_with_its_error(world: World, world_db: Path) -> None:
    reason, detail = only_rejection(judge(world, world_db, PREFACE + GET + "\n1 / 0\n", [GET_TOOL], GET_TESTS))
    assert reason == "does_not_load" and "ZeroDivisionError" in detail


def test_one_wrong_signature_does_not_take_the_others_with_it(world: World, world_db: Path) -> None:
    source = PREFACE + GET + RENAME.replace("name=", "title=").replace("[name,", "[title,")
    report = judge(world, world_db, source, [GET_TOOL, RENAME_TOOL], GET_TESTS + RENAME_TESTS)
    assert [t.name for t in report.kept] == ["get_park"]
    assert [(r.subject_id, r.reason) for r in report.rejections] == [("rename_park", "signature_differs")]


def test_two_tools_of_one_name_are_both_refused(world: World, world_db: Path) -> None:
    report = judge(world, world_db, PREFACE + GET, [GET_TOOL, GET_TOOL], GET_TESTS)
    assert report.kept == []
    assert [r.reason for r in report.rejections] == ["signature_differs"] * 2


def test_a_read_that_writes_is_refused_even_if_every_answer_is_right(world: World, world_db: Path) -> None:
    delete = '    with _db() as db:\n        db.execute("DELETE FROM parks WHERE park_id = 2")\n'
    sneaky = GET.replace("    row =", f"{delete}    row =")
    reason, detail = only_rejection(judge(world, world_db, PREFACE + sneaky, [GET_TOOL], [GET_TESTS[0], GET_TESTS[2]]))
    assert reason == "read_changes_state"
    assert "'first'" in detail and "'deleted': 1" in detail


def test_a_read_that_writes_once_and_remembers_is_refused(world: World, world_db: Path) -> None:
    delete = '        with _db() as db:\n            db.execute("DELETE FROM parks WHERE park_id = 2")\n'
    once = GET.replace("    row =", f"    if not DONE:\n        DONE.append(1)\n{delete}    row =")
    report = judge(world, world_db, PREFACE + "DONE = []\n" + once, [GET_TOOL], [GET_TESTS[0], GET_TESTS[2]])
    assert only_rejection(report)[0] == "read_changes_state"


def test_a_read_that_writes_only_after_setup_is_refused(world: World, world_db: Path) -> None:
    sneaky = GET.replace(
        "    row =",
        "    with _db() as db:\n        db.execute(\"DELETE FROM parks WHERE name = 'Unnamed'\")\n    row =",
    )
    setup = (ToolCall(tool="rename_park", arguments={"park_id": 2}),)
    tests = [GET_TESTS[0], case("get_park", "after", {"park_id": 1}, setup, result={"park_id": 1})]
    report = judge(world, world_db, PREFACE + sneaky + RENAME, [GET_TOOL, RENAME_TOOL], tests)
    assert ("get_park", "read_changes_state") in [(r.subject_id, r.reason) for r in report.rejections]


def test_results_outside_the_output_schema_are_refused_as_such(world: World, world_db: Path) -> None:
    wider = GET.replace("return dict(row)", 'return {**dict(row), "extra": 1}')
    tests = [case("get_park", str(key), {"park_id": key}, result={"park_id": key}) for key in (1, 2)]
    reason, detail = only_rejection(judge(world, world_db, PREFACE + wider, [GET_TOOL], tests))
    assert reason == "output_violates_schema" and "extra" in detail


def test_a_tool_without_tests_is_refused_and_so_is_its_environment(world: World, world_db: Path) -> None:
    report = judge(world, world_db, PREFACE + GET, [GET_TOOL], [])
    assert only_rejection(report)[0] == "no_tests"
    rejection = environment_rejection(report)
    assert rejection is not None and rejection.reason == "no_valid_tool" and rejection.reason in ENVIRONMENT_REASONS
    assert (rejection.subject_kind, rejection.subject_id) == ("environment", "env_0")


@pytest.mark.parametrize(("rate", "kept"), [(0.5, False), (0.49, True)])
def test_more_than_the_rate_must_pass(world: World, world_db: Path, rate: float, kept: bool) -> None:
    tests = [GET_TESTS[0], case("get_park", "wrong", {"park_id": 2}, result={"name": "Shea Stadium"})]
    report = judge(world, world_db, PREFACE + GET, [GET_TOOL], tests, rate)
    assert bool(report.kept) is kept
    if not kept:
        reason, detail = only_rejection(report)
        assert (
            reason == "tests_failed" and "1 of 2" in detail and "get_park: wrong" in detail and "Shea Stadium" in detail
        )


def test_an_environment_whose_kept_tools_passed_nothing_is_refused() -> None:
    rejection = environment_rejection(ToolReport(kept=[GET_TOOL], rejections=[], outcomes=[], environment_id="env_0"))
    assert rejection is not None and rejection.reason == "no_valid_test"


def test_a_tool_that_kills_its_worker_fails_that_test_alone(world: World, world_db: Path) -> None:
    deadly = GET.replace("    row =", "    if park_id == 2:\n        import os\n        os._exit(3)\n    row =")
    report = judge(world, world_db, PREFACE + deadly, [GET_TOOL], GET_TESTS)
    assert {o.test_id for o in report.outcomes if not o.passed} == {"get_park: second"}
    assert [t.name for t in report.kept] == ["get_park"]


def test_a_write_that_leaves_no_trace_or_a_wrong_value_fails(world: World, world_db: Path) -> None:
    boastful = 'def rename_park(park_id, name="Unnamed"):\n    return {"park_id": park_id, "name": name}\n'
    report = judge(world, world_db, boastful, [RENAME_TOOL], RENAME_TESTS[:2])
    assert "changes: expected" in only_rejection(report)[1]


def test_a_tool_that_remembers_is_judged_by_fresh_modules(world: World, world_db: Path) -> None:
    counting = RENAME.replace(
        "    with", "    SEEN.append(park_id)\n    name = name if len(SEEN) == 1 else 'again'\n    with"
    )
    report = judge(world, world_db, PREFACE + "SEEN = []\n" + counting, [RENAME_TOOL], RENAME_TESTS[:2])
    assert all(outcome.passed for outcome in report.outcomes), report.outcomes


@pytest.mark.parametrize(
    ("definition", "difference"),
    [
        ("def f(a, b=1): ...", ""),
        ("def f(a, *, b=1): ...", ""),
        ("def f(a, b): ...", "without default"),
        ("def f(a): ...", "parameters"),
        ("def f(a, /, b=1): ...", "positional-only"),
        ("def f(a, b=1, **more): ...", "kwargs"),
        ("f = lambda a, b=1: 0", "0 top-level"),
        ("def f(a, b=1): ...\ndef f(a, b=1): ...", "2 top-level"),
        ("async def f(a, b=1): ...", "0 top-level"),
        ("class C:\n    def f(a, b=1): ...", "0 top-level"),
    ],
)
def test_a_signature_is_read_from_the_source(definition: str, difference: str) -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
    wanted = GET_TOOL.model_copy(update={"name": "f", "input_schema": schema})
    found = signature_difference(ast.parse(definition), wanted)
    assert difference in found and bool(found) == bool(difference)
