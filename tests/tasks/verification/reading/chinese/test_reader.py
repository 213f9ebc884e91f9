"""Chinese requests give their plans back, and a changed word gives another plan or none."""

from __future__ import annotations

import pytest

from schemas.plans import Plan, meaning
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.reading import Reader
from tasks.verification.reading.tools import public
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.reading.plans import ALL_OR_NONE, REFUSED, SETTLE

SETTLING = (
    "在吗，正忙着把预订的遗留问题办完。请看状态为“held”的预订中预订时间最晚的四笔（按预订时间从晚到早）。"
    "凡航班的航程低于1000英里的，应当确认；其余的应当取消。用 JSON 对象告诉我，其中："
    "“seats_confirmed”为实际确认的预订的预订座位数合计；“cancelled”为最终取消的预订有多少笔。"
)
REWORDED = (
    "兹为处理完悬而未决的预订，提出以下要求。\n"
    "状态是“held”的预订当中按预订时间由晚到早排在前四位的是这次的对象。如果航班的航程不到1000英里，须确认下来；除此之外的预订要撤销。\n"
    "望以一个 JSON 对象作复：\n- “seats_confirmed”：确认的预订的预订座位数总和\n- “cancelled”：取消的预订的总数\n"
)
ALL_OR_NOTHING = (
    "任务：对预订做一次审计。说的是状态为“held”的预订里按预订时间从晚到早的前四笔。"
    "先看是否每一笔都符合这一点：航班的航程小于1000英里。都符合的话，逐笔确认；有一笔不符合，则一切照旧。"
    "答复用 JSON 对象：用“outcome”给出办理的结果（全部办理了写“yes”，因有不符合条件的而没有办理写“no”）；"
    "用“in_the_way”给出不符合条件的预订的数量。"
)
DOUBTED = (
    "需求：另行安置预订，要求见下。“预订甲”即状态为“cancelled”的预订当中预订座位数最多的那笔。"
    "若系统准许，应将预订甲确认；如不获准，则一切维持原状。"
    "输出：一个 JSON 对象：办理的结果（办成了写“confirmed”，因当前状态不允许而没办成写“not allowed”）记在“outcome”下；"
    "预订甲的航班的出发机场记在“origin”下。"
)


@pytest.fixture(scope="module")
def reader(flights: ProvingGround) -> Reader:
    return Reader([public(tool) for tool in flights.tools])


@pytest.mark.parametrize(("request_", "plan"), [(SETTLING, SETTLE), (REWORDED, SETTLE), (ALL_OR_NOTHING, ALL_OR_NONE)])
def test_a_request_gives_its_plan_back_however_it_is_worded(reader: Reader, request_: str, plan: Plan) -> None:
    assert meaning(reader.read(request_, "zh")) == meaning(plan)


def test_a_deed_that_may_be_refused_gives_its_plan_back(reader: Reader) -> None:
    plan = reader.read(DOUBTED, "zh")
    assert (plan.deeds, plan.asked[0]) == (REFUSED.deeds, REFUSED.asked[0])
    assert plan.things[0] == REFUSED.things[0]


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("1000", "1001"),
        ("低于", "不超过"),
        ("低于", "不低于"),
        ("四笔", "五笔"),
        ("最晚的四笔（按预订时间从晚到早）", "最早的四笔（按预订时间从早到晚）"),
        ("预订时间最晚的四笔（按预订时间从晚到早）", "预订座位数最多的四笔"),
        ("“held”", "“confirmed”"),
        ("航班的航程低于1000英里", "航班的起飞延误低于1000分钟"),
        ("；其余的应当取消", "；其余的都不动"),
        ("其余的应当取消", "其余的应当改为3个座位"),
        ("合计", "最大值"),
        ("“seats_confirmed”为实际确认的", "“seats_confirmed”为实际取消的"),
    ],
)
def test_a_changed_word_changes_the_plan(reader: Reader, said: str, instead: str) -> None:
    assert said in SETTLING
    try:
        changed = reader.read(SETTLING.replace(said, instead), "zh")
    except Unreadable:
        return
    assert meaning(changed) != meaning(SETTLE)


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("最晚的四笔", "最早的四笔"),  # the order is said twice, and differs
        ("1000英里", "1000美元"),  # not the unit of the column
        ("1000英里", "“JFK”"),  # not a number
        ("航程", "海拔"),  # no column of flights
        ("应当确认；", "应当确认，并通知旅客；"),  # words that nothing accounts for
        ("实际确认的预订", "实际改为3个座位的预订"),  # no branch did so
    ],
)
def test_words_that_do_not_fit_are_unreadable(reader: Reader, said: str, instead: str) -> None:
    assert said in SETTLING
    with pytest.raises(Unreadable):
        reader.read(SETTLING.replace(said, instead), "zh")


def test_things_are_followed_by_rank_reference_and_short_name(reader: Reader) -> None:
    plan = reader.read(
        "申请事项：汇总航班的情况。以“航班甲”代指出发机场是“JFK”的航班当中航程第二远的那个。"
        "目的地机场与航班甲相同、航程不低于500英里的航班里计划起飞时间最早的一个在下文叫作“航班乙”。"
        "交付物为 JSON 对象：航班乙的航程以“miles”为键（以英里计）。",
        "zh",
    )
    first, airport, second = plan.things
    assert first.model_dump(exclude_defaults=True)["rank"] == 1
    assert airport.model_dump(exclude_defaults=True) == {
        "table": "airports",
        "of": (0, {"column": "destination", "table": "airports"}),
    }
    assert second.model_dump(exclude_defaults=True)["filters"][0] == {
        "column": "destination",
        "comparator": "is",
        "value": {"thing": 1, "column": "airport_code"},
    }
    assert (plan.asked[0].unit, plan.asked[0].type) == ("miles", "integer")


@pytest.mark.parametrize("request_", ["请处理一下预订。", "“seats”为预订座位数合计。", ""])
def test_what_is_left_out_is_unreadable(reader: Reader, request_: str) -> None:
    with pytest.raises(Unreadable):
        reader.read(request_, "zh")
