"""A person at a task: lines in, text out."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tasks.serving.play import Mistyped, Play, read_arguments
from tests.tasks.serving.conftest import Served


@pytest.fixture
def play(served: Served) -> Iterator[Play]:
    episodes = served.episodes()
    yield Play(episodes.open(served.writing[0].id))
    episodes.close_all()


def test_the_gold_run_by_hand(play: Play, served: Served) -> None:
    task, gold = served.writing
    opening = play.opening()
    assert " ".join(task.request.split()) in " ".join(opening.split())
    assert all(field.name in opening for field in task.answer_fields)
    for step in gold.steps:
        assert json.loads(play.carry_out(f"{step.tool} {json.dumps(step.arguments)}")) == step.observation
    assert play.carry_out(f"answer {json.dumps(gold.answer)}").startswith(f"PASS after {len(gold.steps)} calls")
    assert play.ended and play.verdict and play.verdict["outcome"] == "pass"


def test_a_wrong_answer_names_the_checks_that_fail(play: Play, served: Served) -> None:
    text = play.carry_out(f"answer {json.dumps(served.writing[1].answer)}")
    assert text.startswith("FAIL after 0 calls") and "state_change" in text and "answer_keys" not in text


def test_arguments_by_key_and_value(play: Play) -> None:
    assert json.loads(play.carry_out("get_album album_id=1"))["album_id"] == 1
    found = json.loads(play.carry_out("search_albums album_title_contains='Let There' limit=1"))
    assert [row["album_title"] for row in found["items"]] == ["Let There Be Rock"]
    assert json.loads(play.carry_out("get_album album_id=one"))["error"]["code"] == "invalid_argument"


def test_values_are_read_as_the_parameter_asks() -> None:
    schema = {"properties": {"name": {"type": "string"}, "count": {"type": "integer"}, "all": {"type": "boolean"}}}
    assert read_arguments("name=12 count=12 all=true", schema) == {"name": "12", "count": 12, "all": True}
    assert read_arguments("", schema) == {}


@pytest.mark.parametrize(
    "line",
    ["fly", "get_album 1", "get_album {", "get_album album_id='1", "answer", "answer {a}", "help nothing"],
)
def test_a_mistyped_line_changes_nothing(line: str, play: Play) -> None:
    with pytest.raises(Mistyped):
        play.carry_out(line)
    assert not play.ended and play.verdict is None


def test_tools_and_help(play: Play, served: Served) -> None:
    listed = play.carry_out("tools").splitlines()
    assert [line[2:].split()[0] for line in listed] == list(served.ground.bundle.tools)
    assert {line[0] for line in listed} == {" ", "*"}
    help_text = play.carry_out("help search_albums")
    assert "limit: integer (may be left out)" in help_text and "returns: items" in help_text
    assert play.carry_out("") == "" and "answer" in play.carry_out("help")


def test_quit_leaves_without_a_verdict(play: Play) -> None:
    play.carry_out("quit")
    assert play.ended and play.verdict is None


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("get_alb", "get_alb", ["get_album "]),
        ("ans", "ans", ["answer "]),
        ("help get_alb", "get_alb", ["get_album"]),
        ("get_album ", "", ["album_id="]),
        ("get_album album_id=1 ", "", []),
        ("search_purchase_orders status=dr", "status=dr", ["status=draft "]),
        ("nothing a", "a", []),
    ],
)
def test_completion(line: str, word: str, expected: list[str], play: Play) -> None:
    assert play.completions(line, word) == expected
