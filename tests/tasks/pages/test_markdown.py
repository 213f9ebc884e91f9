"""Text of any kind comes out of a markdown renderer as the text it is, in the cell it was put in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tasks.pages.markdown import code, codes, count, fence, one_line, page, plural, shorten, size, table, text

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ANY_TEXT = st.text(max_size=60) | st.text(alphabet="|\\`*_~[]()<>&#!+-.:1a \n\t", max_size=30)


def flatten(tokens: list[Any]) -> list[Any]:
    return [leaf for token in tokens for leaf in ([token, *flatten(token.children)] if token.children else [token])]


def shown(markdown: str) -> list[str]:
    """Return the text of each block that holds text; anything but text and code in one is an error."""
    inline = [token for token in PARSER.parse(markdown) if token.type == "inline"]
    for token in inline:
        assert {leaf.type for leaf in token.children or []} <= {"text", "text_special", "code_inline"}, markdown
    return ["".join(leaf.content for leaf in token.children or []) for token in inline]


@given(ANY_TEXT)
@example("a | b")
@example("\\|")
@example("<b>&amp;</b>")
@example("1. x")
@example("- x")
@example("---")
@example("# x")
@example("~~x~~ ``` ![a](b)")
def test_text_is_shown_as_it_is_in_a_paragraph_and_in_a_cell(value: str) -> None:
    expected = shorten(value)
    assert shown(text(value)) == ([expected] if expected else [])
    assert shown(table(("x", "y"), [(text(value), "z")])) == ["x", "y", expected, "z"]


@given(ANY_TEXT)
def test_a_name_is_shown_as_it_is_in_a_cell(value: str) -> None:
    assert shown(table(("x", "y"), [(code(value), "z")])) == ["x", "y", shorten(value), "z"]


@given(st.text(max_size=200))
@example("```\n````")
def test_no_line_of_a_block_closes_its_fence(value: str) -> None:
    tokens = PARSER.parse(fence(value, "json") + "\n\nafter")
    assert tokens[0].type == "fence" and tokens[-2].content == "after"


@given(st.text(max_size=300), st.integers(2, 50))
def test_a_shortened_text_is_one_line_of_at_most_that_length(value: str, limit: int) -> None:
    line = shorten(value, limit)
    assert len(line) <= limit and line == one_line(line)
    assert line == one_line(value) or line.endswith("…")


def test_right_columns_are_set_to_the_right() -> None:
    assert table(("a", "n"), [("x", "1"), ("", "")], ("n",)) == "| a | n |\n| --- | ---: |\n| x | 1 |\n|   |   |"


def test_a_long_block_is_cut_and_says_so() -> None:
    assert "10,000 characters" in fence("x" * 10_000) and len(fence("x" * 10_000)) < 5_000


@pytest.mark.parametrize(("octets", "told"), [(999, "999 bytes"), (1000, "1.0 kB"), (2_019_823, "2.0 MB"), (None, "")])
def test_sizes(octets: int | None, told: str) -> None:
    assert size(octets) == told


def test_small_words() -> None:
    assert (plural(1, "table"), plural(1234, "table"), plural(2, "reply", "replies")) == (
        "1 table",
        "1,234 tables",
        "2 replies",
    )
    assert codes(["a", "b", "c"], most=2) == "`a`, `b`, and 1 more"
    assert page("a", "", "b") == "a\n\nb\n"
    assert count(None) == ""
