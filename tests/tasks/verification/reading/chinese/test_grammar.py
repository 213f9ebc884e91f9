"""Patterns with slots, and the amounts and texts that Chinese requests state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.verification.reading.chinese.amounts import counted
from tasks.verification.reading.chinese.grammar import Grammar
from tasks.verification.reading.chinese.text import put_away

DIGITS = "零一二三四五六七八九"


def written(number: int) -> str:
    """Return a number below 100 in characters, as people write it."""
    tens, ones = divmod(number, 10)
    if not tens:
        return DIGITS[ones]
    return ("" if tens == 1 else DIGITS[tens]) + "十" + ("" if not ones else DIGITS[ones])


@given(st.integers(1, 99))
def test_numbers_in_characters_are_those_that_people_write(number: int) -> None:
    assert counted(written(number)) == counted(str(number)) == number


@given(st.lists(st.text(alphabet="，。；“甲A1 ", max_size=6).map(lambda text: text.replace("“", "")), max_size=8))
def test_what_is_put_away_comes_back(quotes: list[str]) -> None:
    request = "；".join(f"状态为“{quote}”" for quote in quotes)
    text = put_away(request)
    assert text.shown(0, len(text.plain)) == request
    assert [text.value(at, "quote") for at in range(len(text.plain)) if text.is_away(text.plain[at])] == quotes


def test_times_are_put_away_in_the_form_of_tools() -> None:
    text = put_away("不早于2024-05-01 08:30，不晚于2024-05-02")
    assert [value for _, value in text.away] == ["2024-05-01T08:30:00", "2024-05-02"]


def test_a_pattern_gives_every_way_to_fill_its_slots() -> None:
    grammar = Grammar(put_away("甲乙乙丙"))
    grammar.add("some", lambda at, known: ((n, at + n) for n in (1, 2)))
    ways = [(found["first"], found["second"], end) for found, end in grammar.fit("甲{first:some}{second:some}", 0, {})]
    assert ways == [(1, 1, 3), (1, 2, 4), (2, 1, 4), (2, 2, 5)]


def test_a_choice_stands_for_each_of_its_parts() -> None:
    grammar = Grammar(put_away("都不动"))
    assert [end for _, end in grammar.fit("<都|>不<动|变>", 0, {})] == [3]
    assert [end for _, end in grammar.fit("<都|>不<动|变>", 1, {})] == [3]


def test_what_was_read_before_is_known_to_the_slots_behind() -> None:
    grammar = Grammar(put_away("航班机场"))
    grammar.add("table", lambda at, known: iter([("flights", at + 2)]))
    grammar.add("within", lambda at, known: iter([(known["table"], at + 2)]))
    assert [found["within"] for found, _ in grammar.fit("{table}{within}", 0, {})] == ["flights"]
