"""Benchmarks are known again under another theme; a world of the same subject is not taken for one."""

from __future__ import annotations

import pytest

from schemas.environments import Environment, StateContract
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from tasks.verification.contamination import Benchmark, benchmarks, flag, snake_case
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.runs import make_proof, make_tool

RETAIL = next(one for one in benchmarks() if one.name == "tau-bench retail")


def environment(theme: str, *tables: str) -> Environment:
    key = ColumnProfile(name="id", type="integer", role="key", nullable=False, distinct=1, words="number")
    profile = WorldProfile(
        tables=[
            TableProfile(
                name=name, singular=name, plural=name, kind="event", rows=1, columns=[key], key="id", key_is_opaque=True
            )
            for name in tables
        ]
    )
    return Environment(
        id="env_made",
        theme_id="theme",
        theme_name=theme,
        author="test",
        seed=0,
        world_sha256="",
        world_bytes=0,
        profile=profile,
        contract=StateContract(),
        clock_start="2026-01-01T00:00:00",
    )


def benchmarks_of(theme: str, tables: list[str], tools: list[str]) -> list[str]:
    found = flag(environment(theme, *tables), [make_tool(name) for name in tools], [])
    assert all(one.subject_id == "env_made" and one.evidence for one in found)
    return [one.what for one in found]


@pytest.mark.parametrize("benchmark", benchmarks(), ids=lambda one: one.name)
def test_each_benchmark_is_known_by_its_tools_alone(benchmark: Benchmark) -> None:
    found = benchmarks_of("garden_centre", ["plants"], sorted(benchmark.tools | benchmark.common))
    assert benchmark.name in found


@pytest.mark.parametrize("benchmark", benchmarks(), ids=lambda one: one.name)
def test_each_benchmark_is_known_by_its_name_alone(benchmark: Benchmark) -> None:
    assert benchmark.name in benchmarks_of(f"my_{benchmark.names[0]}_2", [], ["get_plant"])


def test_a_new_skin_with_some_of_the_tools_is_known() -> None:
    tools = ["get_plant", "cancel_pending_order", "modify_pending_order_items", "get_product_details"]
    assert benchmarks_of("garden_centre", ["plants"], tools) == ["tau-bench retail"]
    assert benchmarks_of("garden_centre", ["plants"], tools[:3]) == []
    assert benchmarks_of("garden_centre", ["users", "orders", "products"], tools[:3]) == ["tau-bench retail"]


def test_the_same_subject_is_no_benchmark() -> None:
    desk = ["create_ticket", "get_ticket", "close_ticket", "edit_ticket", "resolve_ticket", "search_tickets"]
    assert benchmarks_of("help_desk", ["tickets", "users"], desk) == []
    shop = ["get_order", "cancel_order", "search_orders", "get_product", "return_order", "get_order_details"]
    assert benchmarks_of("corner_shop", ["users", "orders", "products"], shop) == []
    airline = ["get_flight", "search_flights", "cancel_booking", "list_airports", "book_flight"]
    assert benchmarks_of("airline", ["users", "flights", "reservations"], airline) == []


def test_built_worlds_are_no_benchmark(flights: ProvingGround, records: ProvingGround) -> None:
    for ground in (flights, records):
        assert flag(ground.environment, ground.tools, []) == []


def test_names_are_compared_in_one_form() -> None:
    assert snake_case("startEngine") == snake_case("start-engine") == "start_engine"
    assert snake_case("API-post-page") == "api_post_page"
    names = [*benchmarks()]
    assert all(name == snake_case(name) for one in names for name in one.tools | one.common | set(one.names))
    assert not any(one.tools & one.common for one in names)


def test_requests_with_a_benchmarks_words_or_ids_are_flagged() -> None:
    published = RETAIL.requests[0]
    tasks = [
        make_proof("t1", f"Hello! {published.upper()}, please.", [])[0],
        make_proof("t2", "The order #W2378156 should be exchanged.", [])[0],
        make_proof("t3", "You received your order and wish to exchange the keyboard.", [])[0],
    ]
    found = flag(environment("garden_centre"), [], reversed(tasks))
    assert [(one.subject_id, one.what) for one in found] == [("t1", RETAIL.name), ("t2", RETAIL.name)]
    assert found[0].score == 1.0
