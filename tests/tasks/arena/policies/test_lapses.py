"""Where lapses can show, and what makes them happen there."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from schemas.answers import AnswerField
from schemas.programs import (
    Aggregate,
    Arithmetic,
    Call,
    Compare,
    Const,
    Expression,
    ForEach,
    If,
    Let,
    Program,
    Ref,
    Refused,
)
from schemas.tasks import GoldRun, GoldStep
from tasks.arena.policies.fallible import Fallible
from tasks.arena.policies.lapses import Ailing, Ailment, Census, Lapse, Once, lookups
from tasks.arena.policies.places import count_places
from tasks.arena.policies.toolset import Toolset
from tasks.world.refusals import refusal

ID = {"type": "integer", "x-domain": "orders.order_id"}
ORDER = {"order_id": ID, "price": {"type": "number"}, "status": {"type": "string"}}
PAGE = {"items": {"type": "array", "items": {"type": "object", "properties": ORDER}}, "total": {"type": "integer"}}


def listed(
    name: str, inputs: dict[str, Any], outputs: dict[str, Any], required: list[str], read: bool = True
) -> dict[str, Any]:
    return {
        "name": name,
        "readOnly": read,
        "inputSchema": {"type": "object", "properties": inputs, "required": required},
        "outputSchema": {"type": "object", "properties": outputs, "required": list(outputs)},
    }


TOOLS = Toolset(
    [
        listed("search_orders", {"status": {"type": "string"}, "limit": {"type": "integer"}}, PAGE, []),
        listed("get_order", {"order_id": ID}, ORDER, ["order_id"]),
        listed("get_order_price", {"order_id": ID}, {"price": {"type": "number"}}, ["order_id"]),
        listed("cancel_order", {"order_id": ID}, ORDER, ["order_id"], read=False),
        listed("close_order", {"order_id": ID}, ORDER, ["order_id"], read=False),
    ]
)
ROWS = [{"order_id": number, "price": number * 1.25, "status": "open"} for number in (1, 2, 3)]
FIELDS = [
    AnswerField(name="total", type="number", description="", unit="dollars"),
    AnswerField(name="orders", type="integer", description=""),
]


def at(name: str, *path: str | int) -> Ref:
    return Ref(name=name, path=path)


def call(bind: str, tool: str, may_refuse: bool = False, **arguments: Expression) -> Call:
    return Call(bind=bind, tool=tool, arguments=arguments, may_refuse=may_refuse)


DEAR = Compare(operator=">", left=at("order", "price"), right=Const(value=2))
BODY = (
    call("page", "search_orders", status=Const(value="open"), limit=Const(value=20)),
    ForEach(
        item="row",
        over=at("page", "items"),
        body=(
            call("order", "get_order", order_id=at("row", "order_id")),
            If(condition=DEAR, then=(call("done", "cancel_order", True, order_id=at("row", "order_id")),)),
        ),
    ),
)
ANSWER: dict[str, Expression] = {
    "total": Aggregate(function="sum", over=at("page", "items"), path=("price",)),
    "orders": Aggregate(function="count", over=at("page", "items")),
}
PROGRAM = Program(body=BODY, answer=ANSWER)


class Shop:
    """Answers calls, and keeps them."""

    def __init__(self, refused: frozenset[int] = frozenset({3})) -> None:
        self.made: list[tuple[str, dict[str, Any]]] = []
        self._refused = refused

    def __call__(self, tool: str, arguments: dict[str, Any]) -> Any:
        self.made.append((tool, arguments))
        if tool == "search_orders":
            return {"items": ROWS, "total": 3} if "status" in arguments else {"items": ROWS[::-1] * 2, "total": 6}
        if tool in ("cancel_order", "close_order") and arguments["order_id"] in self._refused:
            return refusal("invalid_transition", "closed")
        return ROWS[arguments["order_id"] - 1]


def gold_run() -> GoldRun:
    shop = Shop()
    answer = Fallible(shop, TOOLS, [], 6, random.Random(0)).work(PROGRAM, FIELDS)
    again = Shop()
    steps = [
        GoldStep(
            index=k, tool=tool, arguments=given, observation=again(tool, given), observation_sha256="", read_only=True
        )
        for k, (tool, given) in enumerate(shop.made)
    ]
    assert answer == {"total": 7.5, "orders": 3} and len(steps) == 6
    return GoldRun(task_id="task", steps=steps, answer=answer, state_id="", state_diff={})


GOLD = gold_run()
PLACES: dict[Lapse, int] = {
    "skipped_lookup": 3,  # get_order, three times
    "wrong_tool": 5,  # get_order and cancel_order
    "dropped_filter": 1,
    "lost_state": 3,  # from the fourth call on: get_order of 3, cancel_order of 2 and 3
    "ignored_error": 1,
    "stopped_early": 2,  # calls four and five of six
    "wrong_format": 1,
    "wrong_constant": 1,
    "left_out_write": 2,
    "needless_write": 1,
    "wrong_aggregation": 2,
}


def erring(lapse: Lapse, number: int = 0, shop: Shop | None = None) -> tuple[Any, Shop, int]:
    """Let one lapse happen: the answer, the calls, how often something was done otherwise."""
    shop = shop or Shop()
    policy = Fallible(shop, TOOLS, [Once(lapse, number)], 6, random.Random(1))
    return policy.work(PROGRAM, FIELDS), shop, policy.interfered


def test_places_are_counted_on_the_gold_run() -> None:
    assert count_places(PROGRAM, GOLD, TOOLS, FIELDS) == Counter(PLACES)
    held = count_places(PROGRAM, GOLD, TOOLS, FIELDS, at={"cancel_order"})
    assert held == Counter(
        {"wrong_tool": 2, "lost_state": 2, "ignored_error": 1, "left_out_write": 2, "stopped_early": 1}
    )


@pytest.mark.parametrize("lapse", PLACES)
def test_a_lapse_happens_once_at_each_of_its_places_and_nowhere_else(lapse: Lapse) -> None:
    for number in range(PLACES[lapse]):
        answer, shop, interfered = erring(lapse, number)
        assert interfered == 1
        calls = [(step.tool, step.arguments) for step in GOLD.steps]
        assert (answer, shop.made) != (GOLD.answer, calls) or lapse == "ignored_error"
    answer, shop, interfered = erring(lapse, PLACES[lapse])
    assert (answer, interfered, len(shop.made)) == (GOLD.answer, 0, 6)


def test_a_skipped_lookup_is_not_made_and_goes_on_with_a_value_that_it_would_have() -> None:
    _, shop, _ = erring("skipped_lookup", 1)
    assert [given for tool, given in shop.made if tool == "get_order"] == [{"order_id": 1}, {"order_id": 3}]


def test_a_look_alike_takes_the_same_arguments() -> None:
    _, shop, _ = erring("wrong_tool")
    assert shop.made[1] == ("get_order_price", {"order_id": 1})
    _, shop, _ = erring("wrong_tool", 2)
    assert shop.made[3] == ("close_order", {"order_id": 2})


def test_a_dropped_filter_is_missing_from_the_call_alone() -> None:
    answer, shop, _ = erring("dropped_filter")
    assert shop.made[0] == ("search_orders", {"limit": 20}) and answer["orders"] == 6


def test_lost_state_is_another_value_of_the_kind() -> None:
    _, shop, _ = erring("lost_state")
    tool, given = shop.made[3]
    assert tool == "cancel_order" and given["order_id"] in (1, 3)


def test_an_error_that_is_ignored_counts_as_done() -> None:
    told = If(
        condition=Refused(name="done"),
        then=(Let(bind="outcome", value=Const(value="refused")),),
        otherwise=(Let(bind="outcome", value=Const(value="done")),),
    )
    program = Program(
        body=(call("done", "cancel_order", True, order_id=Const(value=3)), told), answer={"outcome": at("outcome")}
    )
    for chances, outcome in (([], "refused"), ([Once("ignored_error", 0)], "done")):
        assert Fallible(Shop(), TOOLS, chances, 1, random.Random(0)).work(program, []) == {"outcome": outcome}


def test_a_call_that_is_unavailable_is_not_repeated_by_who_ignores_errors() -> None:
    answers = [refusal("unavailable", ""), {"price": 3.5}]
    program = Program(
        body=(call("found", "get_order_price", order_id=Const(value=1)),), answer={"price": at("found", "price")}
    )
    policy = Fallible(lambda tool, given: answers.pop(0), TOOLS, [Once("ignored_error", 0)], 1, random.Random(0))
    answer = policy.work(program, [])
    assert answer is not None and isinstance(answer["price"], float) and answer["price"] != 3.5 and len(answers) == 1


def test_who_stops_early_answers_what_can_be_told_by_then() -> None:
    late = Program(body=(*BODY, Let(bind="last", value=Const(value=1))), answer={**ANSWER, "last": at("last")})
    shop = Shop()
    answer = Fallible(shop, TOOLS, [Once("stopped_early", 0)], 6, random.Random(0)).work(late, FIELDS)
    assert answer == {**GOLD.answer, "last": None} and len(shop.made) == 3


def test_an_unforeseen_refusal_ends_the_attempt_with_the_best_answer() -> None:
    program = Program(
        body=(
            call("page", "search_orders", status=Const(value="open")),
            call("gone", "cancel_order", order_id=Const(value=3)),
            Let(bind="price", value=Arithmetic(operator="+", left=at("gone", "price"), right=Const(value=1))),
        ),
        answer={"orders": at("page", "total"), "price": at("price")},
    )
    policy = Fallible(Shop(), TOOLS, [], 2, random.Random(0))
    assert policy.work(program, []) == {"orders": 3, "price": None} and isinstance(policy.fault, KeyError)
    assert Fallible(Shop(), TOOLS, [], 2, random.Random(0)).work(Program(body=(), answer={"x": at("x")}), []) is None


def test_an_ailment_strikes_at_its_rate_where_it_holds() -> None:
    ailment = Ailment("wrong_tool", 0.3, frozenset({"env_1", "env_2/get_order"}))
    here = Ailing(ailment, "env_1", random.Random(0))
    struck = sum(here.strikes("wrong_tool", "any") for _ in range(1000))
    assert 250 < struck < 350 and not any(here.strikes("lost_state", "any") for _ in range(100))
    there = Ailing(ailment, "env_2", random.Random(0))
    assert any(there.strikes("wrong_tool", "get_order") for _ in range(100))
    assert not any(there.strikes("wrong_tool", tool) for tool in ("other", None) for _ in range(100))


def test_one_lapse_is_drawn_evenly_over_those_that_have_a_place() -> None:
    counts: Counter[Lapse] = Counter({"wrong_tool": 9, "wrong_format": 1})
    rng, census = random.Random(0), Counter[Lapse]()
    for _ in range(1000):
        [once] = Once.among(counts, rng)
        census.update(once.lapses)
    assert set(census) == set(counts) and 450 < census["wrong_tool"] < 550
    assert Once.among(Counter(), rng) == []


def test_a_census_counts_and_nothing_happens() -> None:
    census, shop = Census(), Shop()
    policy = Fallible(shop, TOOLS, [census], 6, random.Random(0))
    assert policy.work(PROGRAM, FIELDS) == GOLD.answer and policy.interfered == 0
    assert census.places["ignored_error", "cancel_order"] == 1 and census.places["wrong_format", None] == 1


def test_lookups_are_reads_whose_result_is_used_by_single_values() -> None:
    program = Program(
        body=(
            call("all", "search_orders"),
            call("first", "search_orders", limit=Const(value=1)),
            call("unused", "get_order", order_id=Const(value=1)),
            call("write", "cancel_order", order_id=Const(value=1)),
            *BODY,
        ),
        answer={"a": at("all", "total"), "b": at("first", "items", 0, "price"), "c": at("write", "price")},
    )
    assert lookups(program, TOOLS) == {"first", "order"}
