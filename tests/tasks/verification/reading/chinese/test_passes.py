"""Passes over described rows, leaders, entries and saved queries, and what is done with their rows."""

from __future__ import annotations

import pytest

from schemas.plans import (
    Branch,
    Condition,
    Difference,
    Entries,
    Entry,
    Group,
    Leaders,
    Needed,
    Order,
    Pass,
    Plan,
    Rest,
    Rows,
    Saved,
    Total,
)
from tasks.verification.reading.reading import Reader
from tasks.verification.reading.tools import public
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.reading.plans import CANCEL, CONFIRM, act, bound, look, said, when

OPENING = "早，今天想理一理航班和预订。\n"
COUNTED = "\n回我一个 JSON 对象就行：用“kept”给出符合条件的{noun}的数量。"


@pytest.fixture(scope="module")
def reader(flights: ProvingGround) -> Reader:
    return Reader([public(tool) for tool in flights.tools])


def only_pass(plan: Plan) -> Pass:
    (one,) = plan.passes
    return one


def test_an_amount_is_spread_over_rows_as_far_as_each_allows(reader: Reader) -> None:
    plan = reader.read(
        OPENING + "说的是出发机场是“JFK”的航班里按起飞延误从高到低的前六个。"
        "目标总量为400，按上述顺序逐个为“Ada”在这个航班上保留N个座位，N取其剩余座位数与尚缺数量中较小的那个；没有余量的略过，够数即止。"
        "最后给我一个 JSON 对象，其中：“flights_used”——分到数量的航班有多少个；“still_needed”——最后仍然没有凑到的数量（单位为座位）。",
        "zh",
    )
    one = only_pass(plan)
    (branch,) = one.branches
    assert one.source == Rows(
        table="flights",
        filters=(bound("origin", "is", "JFK"),),
        order=Order(column="departure_delay", descending=True),
        count=6,
    )
    assert branch.acts == (act("create_booking", flight_id=look("flight_id"), party=said("Ada"), seats=Rest()),)
    assert one.demand is not None
    assert (one.demand.amount, one.demand.left.column) == (400, "available")
    assert [each.figure for each in plan.asked] == [Group(pass_=0, branch=0, function="count"), Needed(pass_=0)]


def test_refused_rows_go_on_to_the_next_act(reader: Reader) -> None:
    one = only_pass(
        reader.read(
            OPENING + "说的是预订当中按预订时间由晚到早排在前三位的。"
            "每一笔都先尝试确认；被系统拒绝的先试着取消；办不成的和其余的预订保持原样。"
            "\n用 JSON 对象告诉我：实际取消的预订的总数记在“cancelled”下。",
            "zh",
        )
    )
    assert one.branches == (Branch(attempt=True, acts=(CONFIRM,)), Branch(attempt=True, acts=(CANCEL,)))


def test_branches_are_tried_in_the_order_in_which_they_are_told(reader: Reader) -> None:
    one = only_pass(
        reader.read(
            OPENING + "请看全部状态为“held”的预订。如果预订座位数不低于4个座位，且航班的航程超过500英里，须确认；"
            "剩下的里面，凡预订座位数不到2个座位的，应取消；除此之外的不必处理。"
            "\n用 JSON 对象告诉我：没有处理的预订有多少笔记在“left”下。",
            "zh",
        )
    )
    large = (when(look("seats"), "at_least", 4), when(look("distance", ("flight_id", "flights")), "above", 500))
    small = (when(look("seats"), "below", 2),)
    assert one.branches == (Branch(when=large, acts=(CONFIRM,)), Branch(when=small, acts=(CANCEL,)))


@pytest.mark.parametrize(
    "words",
    [
        "按承运人代码分组、航班的航程均值最高的前五组里，每组中到达延误最高的那个航班（按各组的这一数值从高到低）",
        "航班的航程平均值由高到低排在前五位的承运人代码各自到达延误最高的那个航班（按这一名次的顺序）",
    ],
)
def test_leaders_come_from_the_groups_with_the_highest_figures(reader: Reader, words: str) -> None:
    one = only_pass(
        reader.read(
            OPENING + f"请看{words}。其中起飞延误超过10分钟的算作符合条件。" + COUNTED.format(noun="航班"), "zh"
        )
    )
    assert one.source == Leaders(
        table="flights",
        group="carrier_code",
        by=Total(table="flights", function="mean", measure="distance"),
        count=5,
        order=Order(column="arrival_delay", descending=True),
    )
    assert one.branches == (Branch(when=(when(look("departure_delay"), "above", 10),)),)


def test_entries_of_a_document_are_compared_with_rows(reader: Reader) -> None:
    plan = reader.read(
        OPENING + "请看文档“Register of flights”里“Next check”不晚于2025-04-16的各航班条目。"
        "我们关心其中文档里该条目的“Distance in miles”与其航程不一致的，什么都不用改。"
        "\n回我一个 JSON 对象就行：用“difference”给出符合条件的航班的航程合计减去满足条件的航班的文档所载“Distance in miles”的合计所得的差（以英里计）。",
        "zh",
    )
    one = only_pass(plan)
    assert one.source == Entries(
        document="Register of flights",
        table="flights",
        column="flight_id",
        where=bound("next check", "at_most", "2025-04-16"),
    )
    assert one.branches[0].when == (
        Condition(left=Entry(field="distance in miles"), comparator="is_not", right=look("distance")),
    )
    assert plan.asked[0].figure == Difference(
        left=Group(pass_=0, branch=0, function="sum", look=look("distance")),
        right=Group(pass_=0, branch=0, function="sum", look=Entry(field="distance in miles")),
    )


def test_a_saved_query_gives_rows(reader: Reader) -> None:
    one = only_pass(
        reader.read(
            OPENING
            + "请看“Saved queries”里名为“late flights”的查询所查到的航班。只统计，不修改：符合条件指航程大于文档“Flight policy”所载的“longest distance”英里。"
            + COUNTED.format(noun="航班"),
            "zh",
        )
    )
    assert one.source == Saved(document="Saved queries", name="late flights", table="flights")
    assert one.branches[0].when[0].right.model_dump(exclude_defaults=True) == {
        "document": "Flight policy",
        "words": "longest distance",
    }
