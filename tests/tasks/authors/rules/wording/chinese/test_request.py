"""Chinese requests of drawn plans: all that a plan holds is said, hardly ever in the same words, and never as steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from schemas.plans import (
    Act,
    Asked,
    Branch,
    Condition,
    Deed,
    Filter,
    Group,
    Look,
    Order,
    Outcome,
    Pass,
    Plan,
    Rows,
    Said,
    Thing,
    Total,
)
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.practice import draw_practice
from tasks.authors.rules.plans.programs import draw_programmatic
from tasks.authors.rules.wording.chinese.request import word
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import Worded
from tasks.verification.style.measures import imperatives, skeletons
from tests.tasks.authors.rules.tool_worlds import ToolWorld

WANTED = 25
LARGEST_SHARE = 0.02
Plans = list[tuple[Plan, Vocabulary]]
Told = list[tuple[Plan, Worded]]


@pytest.fixture(scope="module")
def plans(worlds: list[ToolWorld]) -> Plans:
    vocabularies = [Vocabulary(Catalog(world.environment, world.module.tools, world.frames)) for world in worlds]
    return [
        (drawn.plan, vocabulary)
        for vocabulary in vocabularies
        for draw, wanted in ((draw_programmatic, WANTED), (draw_practice, 4))
        for drawn in islice(draw(vocabulary.catalog, 0), wanted)
    ]


@pytest.fixture(scope="module")
def told(plans: Plans) -> Told:
    return [(plan, word(plan, v, random.Random(f"told/{number}"))) for number, (plan, v) in enumerate(plans)]


@pytest.fixture(scope="module")
def flights(worlds: list[ToolWorld]) -> Vocabulary:
    world = next(world for world in worlds if world.environment.theme_name == "new_york_flights")
    return Vocabulary(Catalog(world.environment, world.module.tools, world.frames))


def test_every_field_is_announced_and_described(told: Told) -> None:
    assert len(told) > 2 * WANTED
    for plan, worded in told:
        assert set(worded.descriptions) == {asked.name for asked in plan.asked}
        assert all(f"“{asked.name}”" in worded.request for asked in plan.asked)
        assert all(said in worded.request for said in worded.descriptions.values())
        assert "JSON" in worded.request


def test_every_text_and_number_of_a_plan_is_said(told: Told) -> None:
    for plan, worded in told:
        for value in _constants(plan.model_dump(mode="json")):
            shown = f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            assert shown.replace("T", " ").removesuffix(":00") in worded.request.replace("T", " "), (value, worded)


def _constants(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        if node.get("is_") == "said":
            yield node["value"]
        yield from (value for part in node.values() for value in _constants(part))
    elif isinstance(node, list):
        yield from (value for part in node for value in _constants(part))


def test_no_sentence_skeleton_is_common(plans: Plans) -> None:
    seen: Counter[str] = Counter()
    times = 3
    for turn in range(times):
        for number, (plan, vocabulary) in enumerate(plans):
            request = word(plan, vocabulary, random.Random(f"{turn}/{number}")).request
            seen.update(set(skeletons(request, [asked.name for asked in plan.asked], "zh")))
    skeleton, most = seen.most_common(1)[0]
    assert most <= LARGEST_SHARE * times * len(plans), (skeleton, most)


def test_requests_state_goals(told: Told) -> None:
    orders = [imperatives(worded.request, "zh") for _, worded in told]
    assert sum(orders) / len(orders) < 1
    assert max(orders) <= 4


def test_the_same_seed_gives_the_same_words_and_others_do_not(flights: Vocabulary) -> None:
    texts = [word(held(), flights, random.Random(seed)).request for seed in (*range(40), 0)]
    assert texts[0] == texts[-1]
    assert len(set(texts)) == 40


def test_openings_vary_by_purpose(flights: Vocabulary) -> None:
    for purpose in ("audit", "handover"):
        plan = held().model_copy(update={"purpose": purpose})
        openings = {word(plan, flights, random.Random(seed)).request[:14] for seed in range(400)}
        assert len(openings) >= 40


def test_a_change_of_the_plan_changes_the_words(flights: Vocabulary) -> None:
    said = {
        word(plan, flights, random.Random(7)).request
        for plan in (
            held(),
            held(least=4),
            held(comparator="above"),
            held(descending=True),
            held(count=6),
            held(otherwise="confirm_booking"),
            held(attempt=True),
            held(whole=True),
        )
    }
    assert len(said) == 8


def test_a_thing_that_is_taken_up_again_has_a_short_name(flights: Vocabulary) -> None:
    plane = Thing(table="planes", order=Order(column="build_year", descending=True), rank=1)
    seats, kind = Look(thing=0, column="seat_count"), Look(thing=0, column="engine_type")
    asked = (Asked(name="seats", figure=seats, type="integer"), Asked(name="kind", figure=kind, type="text"))
    request = word(Plan(purpose="report", things=(plane,), asked=asked), flights, random.Random(1)).request
    assert "“飞机甲”" in request
    assert "飞机甲的座位数" in request
    assert request.count("第二晚") == 1


def test_rows_are_narrowed_before_they_are_ranked(flights: Vocabulary) -> None:
    for seed in range(60):
        request = word(held(), flights, random.Random(seed)).request
        assert request.index("“held”") < request.index("五")


def test_rows_belong_to_what_has_a_short_name(flights: Vocabulary) -> None:
    plane = Thing(table="planes", order=Order(column="build_year", descending=True))
    own = Filter(column="tail_number", comparator="is", value=Look(thing=0, column="tail_number"))
    far = Filter(column="distance", comparator="at_least", value=Said(value=500))
    requests = []
    for filters in ((own,), (own, far)):
        counted = Asked(
            name="flights_in_all", figure=Total(table="flights", filters=filters, function="count"), type="integer"
        )
        asked = (Asked(name="seats", figure=Look(thing=0, column="seat_count"), type="integer"), counted)
        requests.append(word(Plan(purpose="report", things=(plane,), asked=asked), flights, random.Random(1)).request)
    assert "飞机甲的航班" in requests[0]
    assert "属于飞机甲" in requests[1]


def test_a_deed_that_may_be_refused_names_the_words_to_choose_from(flights: Vocabulary) -> None:
    booking = Thing(table="bookings", order=Order(column="booked_at", descending=True))
    act = Act(tool="cancel_booking", arguments={"booking_id": Look(thing=0, column="booking_id")})
    words = {"done": "done", "invalid_transition": "not allowed"}
    asked = (Asked(name="outcome", figure=Outcome(deed=0, words=words), type="text"),)
    plan = Plan(purpose="settle", things=(booking,), deeds=(Deed(act=act, attempt=True),), asked=asked)
    request = word(plan, flights, random.Random(2)).request
    assert "“not allowed”" in request
    assert "当前状态不允许" in request


def held(
    *,
    least: int = 3,
    comparator: Any = "at_least",
    descending: bool = False,
    count: int = 5,
    otherwise: str = "cancel_booking",
    attempt: bool = False,
    whole: bool = False,
) -> Plan:
    """Return a plan that settles the first held bookings."""
    key = {"booking_id": Look(column="booking_id")}
    many = Condition(left=Look(column="seats"), comparator=comparator, right=Said(value=least))
    first = Branch(when=(many,), attempt=attempt, acts=(Act(tool="confirm_booking", arguments=key),))
    branches = (first,) if whole else (first, Branch(acts=(Act(tool=otherwise, arguments=key),)))
    status = Filter(column="status", comparator="is", value=Said(value="held"))
    source = Rows(
        table="bookings", filters=(status,), order=Order(column="booked_at", descending=descending), count=count
    )
    asked = Asked(name="confirmed", figure=Group(pass_=0, branch=0, function="count"), type="integer")
    return Plan(purpose="settle", passes=(Pass(source=source, branches=branches, whole=whole),), asked=(asked,))
