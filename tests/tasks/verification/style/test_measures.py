"""Orders are told from statements, clauses are counted, and sentences lose their entities."""

from __future__ import annotations

import pytest

from schemas.answers import AnswerField
from schemas.programs import Const, Program
from schemas.tasks import TaskDraft
from tasks.verification.style.measures import clauses, imperatives, skeletons, style_fault

ORDERS = {
    "Find the twelve oldest open tickets.": 1,
    "Please confirm each booking that is still on hold.": 1,
    "Find the flights out of JFK, then cancel the late ones.": 2,
    "Find the flights out of JFK and cancel the late ones.": 2,
    "If a crew has room left, assign the ticket to it; otherwise close it.": 2,
    "Then, for each of them, look up the album and note its price.": 2,
    "Book two seats on the first flight.": 1,
    "Book seats on flights that are less than half full.": 1,
    "Order more copies whenever stock is below 5.": 1,
    "Report how many were cancelled.": 1,
    "Report the total in dollars.": 1,
    "List all orders that were shipped late.": 1,
    "Do not touch the orders that were shipped.": 1,
    "Don't change anything else.": 1,
    "Never renew a loan twice.": 1,
    "Could you please look up the busiest airport?": 1,
    "Be sure to leave the others as they are.": 1,
    "Answer with a JSON object whose keys are “total” and “names”.": 1,
    "Answer with “total” for the sum (number in dollars).": 1,
    "For every account over its limit, suspend the holder, cancel its orders and record the amount.": 3,
    "Let me know which of the two is higher.": 1,
    "Make sure that no ticket stays open.": 1,
    "Kindly return the three copies.": 1,
    "First, check whether the order is pending; next, cancel it; finally, report the refund.": 3,
    "Where stock is short, order 12 more.": 1,
    "Add up the running times of the four longest songs.": 1,
    "Count them.": 1,
    "Compute the average delay of these flights.": 1,
    "With that done, tell me the new balance.": 1,
    "Carefully review all entries of the list.": 1,
    "In each case note the reason.": 0,
    "Cancel orders placed before 2013-05-01.": 1,
    "Also determine the share that was refused.": 1,
    "Rank the customers by what they spent: take the five highest, leave out the rest.": 3,
    "Of the crews in “Queens, NY”, pick the one with the lowest load.": 1,
    "Set the limit to 5 and give me the old value.": 2,
    "Once that is settled, close the case.": 1,
    "Use the policy's figure.": 1,
    "Work out what each of them owes.": 1,
    "Give their number as “count”, a whole number.": 1,
}
STATEMENTS = [
    "Orders waiting for approval should go to the crew with the most room.",
    "Book reviews are due at the end of the week.",
    "Report on the flights that left late in May.",
    "All bookings still on hold for the five latest flights out of JFK should be confirmed.",
    "We want the twelve oldest open tickets closed.",
    "I need to know how many of them were refused.",
    "I would like to know which airport handled the most flights.",
    "Stock that is below its reorder point has to be ordered again.",
    "Order lines above 50 dollars are counted twice.",
    "Change requests have piled up since Monday.",
    "List prices are what matters here, not discounts.",
    "How many of the loans are overdue?",
    "Which of the two countries has the higher income per head?",
    "Nothing else may change.",
    "The rest stays as it is.",
    "It would help to have the total in dollars, rounded to two decimals.",
    "Can you tell me which album sold best?",
    "For our audit, the ten largest invoices of 2012 matter.",
    "Whoever is over the limit is to be suspended.",
    "Tickets without a crew go to the one with the lowest load, the others stay put.",
    "Loans due before 2013-05-01 are to be renewed unless the borrower is suspended.",
    "What we expect back: “total” (number), “names” (list of texts, in that order).",
    "Name, address and balance are not needed.",
    "Returns of the last month should be credited, exchanges should not.",
    "The answer should hold the count as “count”.",
    "Our customer “Cancel the Noise” complained about two orders.",
    "Holds on the flight to Boston are to be released, sales are to be kept.",
    "My colleague asked for orders, returns and credit notes of the week.",
    "Review scores below 3 should be looked at again.",
    "Stock levels, order points and prices are in the list.",
    "There should be no open ticket left for these crews.",
    "Credit limits were raised in May, and nobody wrote it down.",
    "Record sales were made in 2012; the three best months are of interest.",
    "Delay figures come in minutes.",
    "Plan holders with more than two lines get the rebate.",
    "Use of the lounge is free for them.",
    "Access to the archive was granted in March.",
    "We are short of staff, so only tickets of high priority can be taken.",
    "Two seats for “Parker” on the earliest flight would do.",
    "Charges over 100 dollars need a second look.",
]
CHINESE_ORDERS = {
    "请查找五个最早的航班。": 1,
    "请确认所有预订，并取消其余的订单。": 2,
    "把这些工单分配给空闲的班组。": 1,
    "将其余订单全部取消。": 1,
    "然后计算平均延误。": 1,
    "取消低于五美元的订单。": 1,
    "如果库存不足，请补货。": 1,
    "如果库存不足，就取消该订单。": 1,
    "麻烦您看一下哪些借阅已逾期。": 1,
    "帮我找出最贵的专辑。": 1,
    "不要改动其他记录。": 1,
    "列出三位消费最高的客户，再汇总他们的金额。": 2,
    "统计每个机场的航班。": 1,
    "找到最长的四首歌曲；计算总时长。": 2,
    "对于每个逾期的借阅，续借一次。": 1,
    "最后，汇报取消了多少订单。": 1,
    "务必保留已发货的订单。": 1,
    "烦请核对这两笔发票。": 1,
    "逾期的，请一律退回。": 1,
    "查询库存，下单补足差额，记下差额。": 3,
}
CHINESE_STATEMENTS = [
    "所有仍处于保留状态的预订都应当确认。",
    "我们想知道哪个机场的航班最多。",
    "其余的保持不变即可。",
    "取消的订单有多少？",
    "取消率最高的是哪个月？",
    "申请人需要在五月之前得到答复。",
    "将会用到的数字保留两位小数。",
    "需要的是总金额（数字，美元）。",
    "库存低于补货点的专辑需要再订购十二张。",
    "逾期的借阅应当续借，除非借阅人已被停用。",
    "记录单上没有写的，一概不算。",
    "答案应包含“总数”和“名单”。",
    "报告中的数字以美元计。",
    "为了审计，最大的十张发票很重要。",
    "哪些客户超过了限额？",
    "处理过的工单不再计算在内。",
    "检查结果表明有两笔重复。",
    "已发货的订单不受影响。",
    "邀请函已经寄出。",
    "没有班组的工单归负荷最低的班组。",
]


@pytest.mark.parametrize("text", ORDERS)
def test_english_orders_are_counted(text: str) -> None:
    assert imperatives(text, "en") == ORDERS[text]


@pytest.mark.parametrize("text", STATEMENTS)
def test_english_statements_give_no_order(text: str) -> None:
    assert imperatives(text, "en") == 0


@pytest.mark.parametrize("text", CHINESE_ORDERS)
def test_chinese_orders_are_counted(text: str) -> None:
    assert imperatives(text, "zh") == CHINESE_ORDERS[text]


@pytest.mark.parametrize("text", CHINESE_STATEMENTS)
def test_chinese_statements_give_no_order(text: str) -> None:
    assert imperatives(text, "zh") == 0


def test_orders_of_several_sentences_add_up() -> None:
    assert imperatives("\n".join(ORDERS), "en") == sum(ORDERS.values())


def test_a_tool_adds_its_verb() -> None:
    assert imperatives("Zap the oldest entry.", "en") == 0
    assert imperatives("Zap the oldest entry.", "en", {"zap"}) == 1


@pytest.mark.parametrize(
    ("request_", "language", "count"),
    [
        ("The tickets are late.", "en", 1),
        ("The tickets that are late should be closed, if there is room.", "en", 3),
        ("Find the tickets, then close them; the rest stays.", "en", 3),
        ("逾期的借阅应当续借，除非借阅人已被停用。", "zh", 2),
    ],
)
def test_clauses(request_: str, language: str, count: int) -> None:
    assert clauses(request_, "zh" if language == "zh" else "en") == count


def test_skeletons_are_equal_up_to_entities() -> None:
    one = "The five oldest tickets of “Night crew” go to Boston. By 2013-05-01 it is done; see “ticket_total”."
    other = "The 12 oldest tickets of “Day. Early” go to Los Angeles. By 3 June 2014 it is done; see “n”."
    assert skeletons(one, ["Boston"], "en") == skeletons(other, ["Los Angeles"], "en")
    assert skeletons(one, [], "en") != skeletons(other, [], "en")
    assert len(skeletons(one, [], "en")) == 2
    assert skeletons("三个航班飞往北京。共12班。", ["北京"], "zh") == skeletons(
        "五个航班飞往上海。共7班。", ["上海"], "zh"
    )


def test_more_orders_than_a_third_of_the_calls_are_a_fault() -> None:
    draft = TaskDraft(
        kind="graph",
        shape="planted",
        request="Find the tickets, close them and report the number.",
        answer_fields=[AnswerField(name="n", type="integer", description="the number")],
        program=Program(body=(), answer={"n": Const(value=1)}),
    )
    assert style_fault(draft, calls=9) is None
    assert style_fault(draft, calls=8) == ("steps_not_goals", "3 orders for 8 calls")
