"""The rendered module: it compiles, matches its schemas, and every tool answers default and drawn arguments."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.environments import Environment
from schemas.profiles import WorldProfile
from schemas.themes import OverlayChoice
from schemas.tools import Tool
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.authors.rules.tools.module import propose_tools
from tasks.authors.rules.tools.names import free_names, parameter_name, snake, sql_name
from tasks.authors.rules.unit_tests.oracle import Condition, Oracle
from tasks.verification.tool_gate import signature_difference
from tests.tasks.authors.rules.odd_worlds import Odd, mined
from tests.tasks.authors.rules.tool_worlds import ModuleProcess, ToolWorld, sample_arguments

DRAWS = 12
STANDARD = {"__future__", "datetime", "sqlite3", "typing"}
RENDER = """
import sys
from schemas.environments import Environment
from tasks.authors.rules.tools.module import propose_tools
sys.stdout.write(propose_tools(Environment.model_validate_json(sys.stdin.read())).model_dump_json())
"""


def _functions(source: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def test_sources_are_plain_python_311_and_import_the_standard_library_alone(
    worlds: list[ToolWorld], small: ToolWorld
) -> None:
    for world in [*worlds, small]:
        tree = ast.parse(world.module.source, feature_version=(3, 11))
        compile(world.module.source, "tools.py", "exec")
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert imported <= STANDARD
        assert world.module.source.endswith("\n") and "\t" not in world.module.source
        assert max(len(line) for line in world.module.source.splitlines()) <= 118


def test_equal_environments_give_equal_bytes_whatever_the_hash_seed(small: ToolWorld) -> None:
    environment = small.environment.model_dump_json()
    root = Path(__file__).parents[5]
    done = subprocess.run(
        [sys.executable, "-c", RENDER],
        input=environment,
        text=True,
        capture_output=True,
        cwd=root,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert done.stdout == small.module.model_dump_json()


def test_every_public_function_is_a_tool_with_the_schemas_arguments(worlds: list[ToolWorld]) -> None:
    for world in worlds:
        functions = {name: node for name, node in _functions(world.module.source).items() if not name.startswith("_")}
        names = [tool.name for tool in world.module.tools]
        assert list(functions) == names and len(set(names)) == len(names)
        assert 14 <= len(names) <= 30
        for tool in world.module.tools:
            arguments = functions[tool.name].args
            named = [argument.arg for argument in arguments.args]
            assert named == list(tool.input_schema["properties"])
            assert named[: len(named) - len(arguments.defaults)] == tool.input_schema["required"]
            defaults = dict(
                zip(named[len(tool.input_schema["required"]) :], map(ast.literal_eval, arguments.defaults), strict=True)
            )
            assert defaults == {n: tool.input_schema["properties"][n].get("default") for n in defaults}
            documentation = ast.get_docstring(functions[tool.name]) or ""
            assert "Args:" in documentation and "Returns:" in documentation
            assert all(f"    {name}: " in documentation for name in named)


def test_schemas_are_closed_and_mark_the_domains_of_keys_references_labels_and_categories(
    worlds: list[ToolWorld],
) -> None:
    for world in worlds:
        domains = {f"{t.name}.{c.name}" for t in world.environment.profile.tables for c in t.columns}
        for tool in world.module.tools:
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object" and schema["additionalProperties"] is False
            assert {s["x-domain"] for s in tool.input_schema["properties"].values() if "x-domain" in s} <= domains
            if tool.operation == "get":
                table = world.environment.profile.table(tool.intent["table"])
                marks = {n: s.get("x-domain") for n, s in tool.output_schema["properties"].items()}
                assert all(marks[column.name] == table.domain(column.name) for column in table.columns)


def test_every_read_tool_answers_default_and_drawn_arguments(worlds: list[ToolWorld], tmp_path: Path) -> None:
    for world in worlds:
        with ModuleProcess(world, tmp_path / world.environment.theme_name) as process:
            before = world.folder.joinpath("world.db").read_bytes()
            for tool in [tool for tool in world.module.tools if tool.read_only]:
                rng, answered = Random(f"draw:{tool.name}"), 0
                fits, answers = (jsonschema.Draft202012Validator(s) for s in (tool.input_schema, tool.output_schema))
                for draw in range(DRAWS):
                    arguments = sample_arguments(world, tool, rng)
                    if draw == 0:
                        arguments = {n: arguments[n] for n in tool.input_schema["required"] if n in arguments}
                        arguments |= {"function": "count"} if tool.operation == "aggregate" else {}
                    fits.validate(arguments)
                    result = process.call(tool.name, **arguments)
                    assert "error" not in result, (tool.name, arguments, result)
                    answers.validate(result)
                    answered += any(result.get(name) for name in ("items", "groups")) or tool.operation == "get"
                assert answered, f"{tool.name} never found anything"
            assert process.database.read_bytes() == before


def test_read_tools_agree_with_the_oracle(worlds: list[ToolWorld], tmp_path: Path) -> None:
    """Ranges, paging, order and figures against polars; the tool tests of the factory go further."""
    for world in worlds:
        oracle = Oracle(world.frames, world.environment.profile)
        with ModuleProcess(world, tmp_path / world.environment.theme_name) as process:
            for tool in world.module.tools:
                rng = Random(f"agree:{tool.name}")
                for _ in range(6):
                    arguments = sample_arguments(world, tool, rng)
                    if tool.operation in ("search", "list"):
                        _same_page(world, oracle, tool, arguments, process.call(tool.name, **arguments))
                    elif tool.operation == "aggregate":
                        _same_groups(oracle, tool, arguments, process.call(tool.name, **arguments))


def _conditions(world: ToolWorld, tool: Tool, arguments: dict[str, Any]) -> list[Condition]:
    if tool.operation == "list":
        parent = world.environment.profile.table(tool.intent["parent"])
        return [Condition(tool.intent["column"], "eq", arguments[parent.key])]
    filters = tool.intent["filters"]
    return [Condition(filters[n]["column"], filters[n]["comparator"], v) for n, v in arguments.items() if n in filters]


def _same_page(world: ToolWorld, oracle: Oracle, tool: Tool, arguments: dict[str, Any], result: dict[str, Any]) -> None:
    paging = {n: arguments[n] for n in ("sort_by", "descending", "limit", "offset") if n in arguments}
    page = oracle.page(tool.intent["table"], _conditions(world, tool, arguments), **paging)
    assert (result["total"], result["next_offset"]) == (page.total, page.next_offset), (tool.name, arguments)
    shown = [{name: row[name] for name in item} for item, row in zip(result["items"], page.rows, strict=True)]
    assert result["items"] == shown, (tool.name, arguments)


def _same_groups(oracle: Oracle, tool: Tool, arguments: dict[str, Any], result: dict[str, Any]) -> None:
    filters = tool.intent["filters"]
    conditions = [
        Condition(filters[n]["column"], filters[n]["comparator"], v) for n, v in arguments.items() if n in filters
    ]
    groups = oracle.groups(
        tool.intent["table"], conditions, arguments["function"], arguments.get("measure"), arguments.get("group_by")
    )
    assert [group["rows"] for group in result["groups"]] == [group["rows"] for group in groups], (tool.name, arguments)
    for mine, theirs in zip(result["groups"], groups, strict=True):
        assert mine["group"] == theirs["group"]
        assert mine["value"] == (theirs["value"] and pytest.approx(theirs["value"], rel=1e-6, abs=1e-6))


def test_a_page_leads_to_the_next_until_all_rows_were_seen(small: ToolWorld, tmp_path: Path) -> None:
    with ModuleProcess(small, tmp_path) as process:
        seen, offset = [], 0
        while offset is not None:
            page = process.call("search_flights", sort_by="dep_delay", descending=True, limit=7, offset=offset)
            seen += page["items"]
            offset = page["next_offset"]
    assert sorted(item["flight_id"] for item in seen) == list(range(1, 41))
    delays = [item["dep_delay"] for item in seen]
    assert delays[-2:] == [None, None] and delays[:-2] == sorted(delays[:-2], reverse=True)


def test_labels_are_found_in_any_case_and_reserved_words_can_be_columns(small: ToolWorld, tmp_path: Path) -> None:
    with ModuleProcess(small, tmp_path) as process:
        assert [i["carrier"] for i in process.call("search_airlines", name_contains="ÉCLAIR")["items"]] == ["UA"]
        assert process.call("search_airlines", name_contains="%")["total"] == 0
        assert process.call("search_flights", order="late")["total"] == 20
        groups = process.call("summarize_flights", function="mean", measure="dep_delay", group_by="order")["groups"]
        assert {group["group"]: group["rows"] for group in groups} == {"early": 20, "late": 20}
        assert groups[0]["value"] >= groups[1]["value"]


def test_nothing_to_add_up_is_null_and_rankings_leave_it_out(small: ToolWorld, tmp_path: Path) -> None:
    with ModuleProcess(small, tmp_path) as process:
        none = process.call("summarize_flights", function="sum", measure="dep_delay", min_date="2099-01-01")
        assert none == {"groups": [{"group": None, "value": None, "rows": 0}]}
        ranked = process.call("top_flights", measure="dep_delay", count=20, lowest=True)["items"]
        values = [(item["dep_delay"], item["flight_id"]) for item in ranked]
        assert values == sorted(values) and len(values) == 20


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search_flights", {"limit": 0}, "invalid_argument"),
    ("search_flights", {"limit": 51}, "invalid_argument"),
    ("search_flights", {"limit": True}, "invalid_argument"),
    ("search_flights", {"limit": "many"}, "invalid_argument"),
    ("search_flights", {"offset": -1}, "invalid_argument"),
    ("search_flights", {"sort_by": "carrier"}, "invalid_argument"),
    ("list_airline_flights", {"carrier": "ZZ"}, "not_found"),
    ("list_airline_flights", {"carrier": "AA", "limit": 2.5}, "invalid_argument"),
    ("get_flight", {"flight_id": 10**30}, "not_found"),
    ("get_airline", {"carrier": "\ud800"}, "not_found"),
    ("get_airline", {"carrier": "aa"}, "not_found"),
    ("summarize_flights", {"function": "median"}, "invalid_argument"),
    ("summarize_flights", {"function": "mean"}, "invalid_argument"),
    ("summarize_flights", {"function": "count", "group_by": "flight_id; DROP TABLE flights"}, "invalid_argument"),
    ("top_flights", {"measure": "dep_delay", "count": 21}, "invalid_argument"),
    ("top_flights", {"measure": "carrier"}, "invalid_argument"),
    ("create_booking", {"flight_id": 1, "party": " ", "seats": 1}, "invalid_argument"),
    ("create_booking", {"flight_id": 1, "party": "\ud800", "seats": 1}, "invalid_argument"),
    ("create_booking", {"flight_id": 2, "party": "A", "seats": 10**30}, "invalid_argument"),
    ("change_booking_seats", {"booking_id": 1, "seats": 1.5}, "invalid_argument"),
    ("move_booking", {"booking_id": -1, "flight_id": 1}, "not_found"),
]


@pytest.mark.parametrize(("tool", "arguments", "code"), WRONG)
def test_wrong_arguments_are_refused_as_data(
    small: ToolWorld, tmp_path: Path, tool: str, arguments: dict[str, Any], code: str
) -> None:
    with ModuleProcess(small, tmp_path) as process:
        result = process.call(tool, **arguments)
        assert (
            list(result) == ["error"] and result["error"]["code"] == code and result["error"]["message"].endswith(".")
        )


def test_values_are_bound_and_never_part_of_the_sql(small: ToolWorld, tmp_path: Path) -> None:
    with ModuleProcess(small, tmp_path) as process:
        assert process.call("search_flights", carrier="AA' OR '1'='1")["total"] == 0
        assert process.call("search_flights", min_distance=10**400)["total"] == 0
        assert process.call("search_bookings", party_contains="'; DROP TABLE bookings; --")["total"] == 0
        assert process.call("search_bookings")["total"] > 0


def test_a_world_without_operations_has_read_tools_alone(small: ToolWorld) -> None:
    bare = small.environment.model_dump() | {"operations": []}
    bare["profile"]["tables"] = [t for t in bare["profile"]["tables"] if t["kind"] != "operational"]
    module = propose_tools(Environment.model_validate(bare))
    assert all(tool.read_only for tool in module.tools)
    assert "INSERT" not in module.source and "from datetime" not in module.source
    compile(module.source, "tools.py", "exec")


def test_tables_that_share_a_noun_are_told_apart_by_their_names(small: ToolWorld) -> None:
    twice = json.loads(small.environment.model_dump_json())
    for table in twice["profile"]["tables"]:
        if table["name"] == "planes":
            table["singular"], table["plural"] = "airline", "airlines"
    names = [tool.name for tool in propose_tools(Environment.model_validate(twice)).tools]
    assert {"get_airlines", "get_planes"} <= set(names) and len(set(names)) == len(names)


def test_no_two_tools_have_one_name_and_none_a_reserved_one(small: ToolWorld) -> None:
    taken = json.loads(small.environment.model_dump_json())
    for table in taken["profile"]["tables"]:
        if table["name"] == "planes":
            table["singular"] = "seat availability"
    names = [tool.name for tool in propose_tools(Environment.model_validate(taken)).tools]
    assert {"get_seat_availability", "get_seat_availability_2"} <= set(names) and len(set(names)) == len(names)
    reads = small.module.tools[:3]
    wished = free_names(reads, ["reset", "list", reads[2].name])
    assert wished == [tool.name for tool in reads]
    assert free_names(reads, ["find-airlines", "find_planes"])[:2] == [reads[0].name, "find_planes"]


@given(
    noun=st.text(min_size=1, max_size=30).filter(snake),
    words=st.text(min_size=1, max_size=60).filter(str.strip),
    archetype=st.sampled_from(["bookings", "purchase_orders", "service_tickets", "review_requests"]),
)
@example(noun='l"île {x}', words='answer to \'why \\""" not\'', archetype="bookings")
@example(noun="back\\", words="\\N{x} \n %s {}", archetype="purchase_orders")
@example(noun="a\x00b", words="\x00\u2028", archetype="bookings")
@settings(max_examples=25, deadline=None)
def test_whatever_words_a_data_set_brings_the_module_compiles(noun: str, words: str, archetype: str) -> None:
    frame = pl.DataFrame({"thing_id": list(range(30)), "kind": ["a", "b", "c"] * 10, "size": list(range(30))})
    table = Odd(frame, noun, f"{noun}s", words={"kind": words, "size": f"{words} of it"})
    found = mined({"things": table})
    choice = OverlayChoice(archetype=archetype, host="things")
    overlay = propose_overlay(found.profile, found.frames, choice, 0, "2025-01-01T09:00:00")
    environment = Environment(
        id="env_x",
        theme_id="theme_x",
        theme_name="any",
        author="rules",
        seed=0,
        world_sha256="0",
        world_bytes=0,
        profile=WorldProfile(tables=[*found.profile.tables, *overlay.tables]),
        contract=overlay.contract,
        operations=[overlay.operations],
        clock_start="2025-01-01T09:00:00",
    )
    module = propose_tools(environment)
    tree = ast.parse(module.source, feature_version=(3, 11))
    compile(module.source, "tools.py", "exec")
    assert [signature_difference(tree, tool) for tool in module.tools] == [""] * len(module.tools)


def test_names_are_legal_where_they_stand() -> None:
    assert snake("Team seasons (major)") == "team_seasons_major"
    assert (parameter_name("class"), parameter_name("limit"), parameter_name("origin")) == (
        "class_",
        "limit_",
        "origin",
    )
    assert (sql_name("order"), sql_name("dep delay"), sql_name("origin")) == ('"order"', '"dep delay"', "origin")
