"""A rollout's page sets the attempt beside the gold run and says what failed and why."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.diagnoses import Failure
from schemas.rollouts import KeptRollout, Rollout, RolloutStep
from schemas.tasks import CheckResult, Verdict
from tasks.pages.rollout import rollout_page
from tests.tasks.pages.test_task import make_task

RESULTS = [
    CheckResult(check_id="keys", passed=True),
    CheckResult(check_id="weights", passed=False, detail="weights is not the expected value"),
]
FAILURE = Failure(
    rollout_id="rollout_1",
    task_id="task_1",
    environment_id="env_1",
    cause="wrong_tool",
    step=1,
    gold_step=1,
    tool="get_loaf",
    evidence="get_bun was called where get_loaf was needed",
)


def called(tool: str, arguments: dict[str, Any], observation: Any) -> RolloutStep:
    return RolloutStep(kind="call", tool=tool, arguments=arguments, observation=observation)


STEPS = [
    RolloutStep(kind="message", content="First the loaf | then the <b>bun</b>."),
    called("get_loaf", {"loaf_id": 0}, "x" * 500),
    called("get_bun", {"bun_id": 1}, {"weight": 2}),
    RolloutStep(kind="message", content="That is all."),
]


def make_rollout(outcome: str = "fail", **more: Any) -> KeptRollout:
    values = {
        "policy": "noisy:0.15",
        "task_id": "task_1",
        "environment_id": "env_1",
        "attempt": 1,
        "stop_reason": "answered",
        "answer": {"weights": [2.5], "remark": "heavy"},
        "steps": STEPS,
        "state_diff": {},
        "verdict": Verdict(outcome=outcome, results=RESULTS if outcome == "fail" else [], detail="broken"),  # type: ignore[arg-type]
        "started_at": 10.0,
        "finished_at": 11.5,
        **more,
    }
    return KeptRollout("rollout_1", "run_1", "policy_1", Rollout.model_validate(values))


def test_the_page_tells_all() -> None:
    task, gold = make_task({})
    page = rollout_page(make_rollout(), task, gold, "bakery", FAILURE)
    assert "Attempt 2 of `noisy:0.15` (`policy_1`) at `task_1` of `bakery`: **fail**. After 2 calls and 1.5 s" in page
    assert "It failed by `wrong_tool` at call 2: get\\_bun was called" in page
    assert "> How heavy is the loaf?" in page
    assert "| `weights` | \\[2.5\\] | \\[1.5\\] |" in page and '| `remark` | "heavy" |   |' in page
    assert "## Checks that failed (1 of 2)" in page and "weights is not the expected value |" in page
    assert "|   | First the loaf \\| then the &lt;b&gt;bun&lt;/b&gt;. |" in page
    rows = [line for line in page.splitlines() if "`get_" in line]
    assert rows[0].startswith('| 1 | `get_loaf` {"loaf\\_id": 0} |') and rows[0].endswith("| 1 | the same | the same |")
    assert rows[1].startswith('| **2** | `get_bun` {"bun\\_id": 1} | {"weight": 2} | 2 | `get_loaf` {"loaf\\_id": 1} |')
    assert page.index("That is all.") > page.index("`get_bun`")
    assert "None, as expected." in page and "`factory show task_1`" in page


def test_a_change_that_was_not_asked_for_stands_beside_the_one_that_was() -> None:
    task, gold = make_task({"loaves": {"inserted": [], "updated": [], "deleted": [{"loaf_id": 1}]}})
    made = {"buns": {"inserted": [{"bun_id": 9}], "updated": [], "deleted": []}}
    page = rollout_page(make_rollout(state_diff=made), task, gold, "bakery", None)
    assert page.index("It changed:") < page.index("| `buns` | 1 | 0 | 0 |") < page.index("Expected was:")
    assert "| `loaves` | 0 | 0 | 1 |" in page and "`factory diagnose --policy noisy:0.15`" in page
    rightly = rollout_page(make_rollout("pass", state_diff=task.expected_change), task, gold, "bakery", None)
    assert "As expected:" in rightly and "Expected was" not in rightly and "factory diagnose" not in rightly


@pytest.mark.parametrize(
    ("rollout", "says"),
    [
        (make_rollout("error"), "Nobody could judge it: broken"),
        (make_rollout(answer=None, stop_reason="gave_up", steps=[]), "None was given."),
        (make_rollout(answer=["heavy"]), 'It is no object: \\["heavy"\\]'),
        (make_rollout(steps=STEPS[:1]), "After 0 calls"),
    ],
    ids=["error", "no answer", "no object", "no calls"],
)
def test_attempts_that_end_badly_have_a_page(rollout: KeptRollout, says: str) -> None:
    assert says in rollout_page(rollout, *make_task({}), "bakery", None)
