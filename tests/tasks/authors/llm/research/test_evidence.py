"""Whether a row's cells stand together on a page: whole words, one passage, numbers however their thousands are marked."""

from __future__ import annotations

import pytest

from tasks.authors.llm.research.disclosure import discloses
from tasks.authors.llm.research.evidence import Evidence, Passage, normal

PAGES = [
    Passage("http://a/", "table 1, row 2", normal("Skagen | 46 | 1,858 | 12.5 m")),
    Passage("http://a/", "table 1, row 3", normal("Rubjerg | 23 | 1900")),
    Passage(
        "http://b/",
        "text, words 1-20",
        normal("In 1900 the city of Zürich (Zurich) had 1’500.0 lamps. 北京市有三座灯塔。"),
    ),
]


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (("Skagen", "46"), "table 1, row 2"),
        (("skagen", None, "1858"), "table 1, row 2"),
        (("12.5",), "table 1, row 2"),
        (("1900", "Rubjerg"), "table 1, row 3"),
        (("1900",), "table 1, row 3"),
        (("Zürich", "1500"), "text, words 1-20"),
        (("ZURICH", "1,500"), "text, words 1-20"),
        (("北京", "灯塔"), "text, words 1-20"),
        (("Skagen", "23"), None),
        (("Skagen", "85"), None),
        (("Skag",), None),
        (("12",), None),
        (("5",), None),
        (("", None), None),
        ((), None),
    ],
)
def test_where_a_row_stands(row: tuple[str | None, ...], place: str | None) -> None:
    found = Evidence(PAGES).place_of(row)
    assert (found[1] if found else None) == place


def test_a_quotation_of_the_prompt_is_seen_through_case_and_marks() -> None:
    prompt = "You research data on the web and in libraries of files."
    assert discloses("ok: YOU-research, data *on* the\nweb", prompt)
    assert not discloses("data on the web and", prompt) and not discloses("", prompt)
    assert not discloses("lighthouses on the web, in libraries and in files", prompt)
