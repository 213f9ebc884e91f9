"""The alignment goes by what was asked and told: not by keys that were minted, moments of trouble, pages or positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.arena.diagnosis.alignment import Alignment, align
from tasks.arena.diagnosis.calls import Made
from tasks.world.refusals import refusal
from tests.tasks.arena.diagnosis.lending import CONTRACT, LOANS, TOOLS

BY_NAME = {tool.name: tool for tool in TOOLS}
USED = {"items", "loan_id", "member_id", "fines", "pages"}
LATER = refusal("unavailable", "try again")
Call = tuple[str, dict[str, Any], Any]


def run(calls: Sequence[Call]) -> list[Made]:
    return [Made(place, tool, given, told, BY_NAME[tool].read_only) for place, (tool, given, told) in enumerate(calls)]


def aligned(gold: Sequence[Call], made: Sequence[Call], changed: bool = False) -> Alignment:
    return align(run(gold), run(made), BY_NAME, CONTRACT, USED, changed)


def loan(key: int) -> Call:
    return "get_loan", {"loan_id": key}, LOANS[key]


def member(key: int, told: Any = None) -> Call:
    return "get_member", {"member_id": key}, told or {"member_id": key, "fines": key}


def remind(key: int, number: int) -> Call:
    return "remind_member", {"member_id": key}, {"member_id": key, "reminder_id": number}


def close(reminder: int) -> Call:
    return "close_loan", {"reminder_id": reminder}, {}


def test_keys_that_were_minted_in_another_order_are_the_same() -> None:
    gold = [remind(71, 1), remind(72, 2), close(1), close(2)]
    assert aligned(gold, [remind(72, 1), remind(71, 2), close(2), close(1)]).reached == {0, 1, 2, 3}
    assert aligned(gold, [remind(72, 1), remind(71, 2), close(2)]).reached == {0, 1, 2}


def test_trouble_may_hit_another_call_but_a_failed_call_reaches_nothing() -> None:
    gold = [member(71, LATER), member(71), member(72)]
    assert aligned(gold, [member(73, LATER), member(71), member(72)]).reached == {1, 2}
    lost = aligned(gold, [member(71, LATER), member(72)])
    assert lost.reached == {2} and lost.pairs[1] == 0


def test_a_record_tells_a_lookup_unless_another_one_was_made_in_its_place() -> None:
    gold = [loan(501), loan(502)]
    listing: Call = ("search_loans", {}, {"items": [LOANS[502]]})
    assert aligned(gold, [listing, loan(501)]).reached == {0, 1}
    assert aligned(gold, [listing, loan(501), loan(504)]).reached == {0}
    assert aligned(gold, [("search_loans", {}, {"items": [{"loan_id": 502}]}), loan(501)]).reached == {0}


def test_a_change_tells_only_what_is_looked_up_after_it() -> None:
    renewed: Call = ("renew_loan", {"loan_id": 501}, LOANS[501])
    assert aligned([renewed, loan(501)], [renewed]).reached == {0, 1}
    assert aligned([loan(501), renewed], [renewed]).reached == {1}


def test_a_right_state_proves_its_changes() -> None:
    gold = [loan(501), remind(71, 1)]
    assert aligned(gold, [loan(501)], changed=True).reached == {0, 1}
    assert aligned(gold, [loan(501)]).reached == {0}


def test_what_stands_in_a_place_keeps_the_order() -> None:
    gold = [loan(501), loan(502), loan(504)]
    found = aligned(gold, [loan(501), loan(504), loan(504)])
    assert found.reached == {0, 2} and found.pairs == {0: 0, 1: 1, 2: 2}
    skipped = aligned(gold, [loan(501), loan(501), loan(504)][::2])
    missed = skipped.gold[1]
    assert skipped.instead(missed) is None and skipped.due(missed) == 1 and skipped.goes_on(missed)
    ended = aligned(gold, [loan(501)])
    assert not ended.goes_on(ended.gold[1])
