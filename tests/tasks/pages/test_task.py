"""A task's page tells what is asked, what is expected, and the gold run call by call."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.answers import AnswerField
from schemas.programs import Call, Const, Program, Ref
from schemas.tasks import AgentTask, Check, GoldRun, GoldStep
from tasks.pages.task import task_page

CHECKS = [
    Check(id="keys", type="answer_keys", points=2.5, spec={"fields": ["weights"]}),
    Check(
        id="weights",
        type="answer_field",
        points=1,
        spec={"field": "weights", "expected": [1.5], "tolerance": 0.01, "ordered": False},
    ),
    Check(id="change", type="state_change", points=1, spec={"expected": []}),
    Check(id="rest", type="nothing_else", points=1, spec={"expected": []}),
]


def make_task(change: dict[str, Any], request: str = "How heavy is the loaf?") -> tuple[AgentTask, GoldRun]:
    call = Call(bind="loaf", tool="get_loaf", arguments={"loaf_id": Const(value=1)})
    task = AgentTask(
        id="task_1", environment_id="env_1", kind="graph", shape="walk_2", author="rules", language="en", request=request,
        answer_fields=[AnswerField(name="weights", type="list", item_type="number", description="grams")],
        expected_answer={"weights": [1.5]}, expected_change=change, requires_change=bool(change),
        program=Program(body=(call,), answer={"weights": Ref(name="loaf", path=("weight",))}), solution="",
        checks=CHECKS,
        gold_calls=2, unique_tools=1, seed=3,
    )  # fmt: skip
    steps = [
        GoldStep(index=n, tool="get_loaf", arguments={"loaf_id": n}, observation=seen, observation_sha256="a" * 64, read_only=n == 0)
        for n, seen in enumerate(("x" * 500, {"a": "b | c"}))
    ]  # fmt: skip
    return task, GoldRun(task_id="task_1", steps=steps, answer={}, state_id="s", state_diff=change)


def test_the_page_tells_all() -> None:
    page = task_page(*make_task({}), theme="bakery")
    assert "A graph task of `bakery` (`env_1`), drawn from `walk_2` by `rules`, seed 3: 2 calls of 1 tool" in page
    assert "> How heavy is the loaf?\n" in page
    assert "| `weights` | list of number | grams | \\[1.5\\] |" in page
    assert "| `keys` | 2.5 | the answer has exactly `weights` |" in page
    assert "| `weights` | 1 | `weights` is \\[1.5\\], within 0.01, in any order |" in page
    assert "| `change` | 1 | the change below is made |" in page and "| `rest` | 1 | nothing else is changed |" in page
    assert '| 1 | `get_loaf` | reads | {"loaf\\_id": 0} |' in page
    assert '| 2 | `get_loaf` | **writes** | {"loaf\\_id": 1} | {"a": "b \\| c"} |' in page
    assert "x" * 200 not in page
    assert "`factory verify task_1`" in page
    assert "## State change\n\nNone." in page


def test_the_page_tells_how_hard_and_how_sure_a_task_is() -> None:
    task, gold = make_task({})
    told = {"level": 3, "level_asked": 4, "language": "zh", "assurance": "self_consistent", "traits": ["recovery"]}
    page = task_page(task.model_copy(update={**told, "disturbances": {"get_loaf": 1}}), gold, theme="bakery")
    assert "| level | 3 of 5 (asked for: 4) |" in page and "| language | Chinese |" in page
    assert "| trust | a reader" in page and "| its gold run shows | `recovery` |" in page
    assert "| fails for a moment | `get_loaf` (1 time) |" in page


@pytest.mark.parametrize("request_text", ["<b>bold</b> ask", "line one\n\n# not a heading", "> quoted"])
def test_a_request_stays_a_quote(request_text: str) -> None:
    page = task_page(*make_task({}, request_text), theme="bakery")
    quote = page.split("## Request\n\n")[1].split("\n\n## Expected answer")[0]
    assert all(line.startswith(">") for line in quote.splitlines()) and "<b>" not in quote and "> #" not in quote


def test_a_state_change_is_counted_and_shown() -> None:
    change = {"orders": {"inserted": [{"id": 1}], "updated": [], "deleted": []}}
    page = task_page(*make_task(change), theme="bakery")
    assert "must change the state" in page and "| `orders` | 1 | 0 | 0 |" in page and '"id": 1' in page
