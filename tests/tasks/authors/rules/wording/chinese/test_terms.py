"""What things are called in Chinese: covered words, composed ones, and what happens where there are none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from schemas.profiles import ColumnProfile
from tasks.authors.rules.wording.chinese import terms
from tasks.authors.rules.wording.worded import NoWords
from tests.tasks.authors.rules.tool_worlds import ToolWorld

DATA = Path(terms.__file__).parent
ACTIONS = tomllib.loads((DATA / "actions.toml").read_text("utf-8"))


def column(words: str) -> ColumnProfile:
    return ColumnProfile(name="c", type="text", role="text", nullable=True, distinct=2, words=words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("departure delay", "起飞延误"),
        ("booking status", "预订状态"),
        ("crew number", "班组编号"),
        ("number of routes", "航线数量"),
        ("kind of account", "账户类型"),
        ("rating and ticket", "评分与工单"),
    ],
)
def test_words_are_looked_up_or_composed(words: str, said: str) -> None:
    assert terms.column(column(words)) == said


def test_words_that_nothing_covers_are_quoted_as_they_are() -> None:
    assert terms.column(column("shoe size")) == "“shoe size”"
    assert terms.unit("parsecs").strip() == "“parsecs”"


def test_a_part_is_named_without_its_whole() -> None:
    assert terms.part("评分人名称", "评分人") == "名称"
    assert terms.part("评分时间", "评分") == "评分时间"


def test_every_action_of_the_bundled_worlds_has_words_with_its_arguments(worlds: list[ToolWorld]) -> None:
    for world in worlds:
        for tool in world.module.tools:
            if not tool.intent.get("requests"):
                continue
            ways = terms.row_actions(tool) or terms.deeds(tool)
            wanted = set(tool.input_schema["required"]) - {tool.intent.get("row") if terms.row_actions(tool) else None}
            for way in ways:
                assert set(re.findall(r"\{(\w+)\}", way)) == wanted, (tool.name, way)


def test_every_refusal_of_the_bundled_worlds_has_words(worlds: list[ToolWorld]) -> None:
    codes = {code for world in worlds for tool in world.module.tools for code in tool.intent.get("refusals", ())}
    assert all(terms.refusal(code) for code in codes - {"read_only"})
    with pytest.raises(NoWords):
        terms.refusal("no_such_code")


def test_the_ways_to_ask_for_an_action_hold_the_same_slots() -> None:
    for ways in (*ACTIONS["rows"].values(), *ACTIONS["deeds"].values()):
        assert len({frozenset(re.findall(r"\{(\w+)\}", way)) for way in ways}) == 1, ways
        assert len(set(ways)) == len(ways) > 1
