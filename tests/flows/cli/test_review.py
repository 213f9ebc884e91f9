"""review: the most doubtful tasks first, a person's word counts, and a helpful no for what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli import app
from schemas.answers import AnswerField
from schemas.arena import Order
from schemas.errors import UsageError
from schemas.programs import Const, Program
from schemas.proofs import Admission, Proof
from schemas.tasks import AgentTask, GoldRun
from tests.warehouse.evaluated import attempts
from warehouse.rows import Stamp, load_pool, save_rollouts, save_tasks
from warehouse.store import Warehouse

STAMP = Stamp(run_id="run_1", code_version="1", seed=0, author="rules")
COUNTS = dict.fromkeys(Proof.model_fields, 0)


def admission(number: int) -> Admission:
    """A task of one environment, all of one level."""
    task = AgentTask(
        id=f"task_{number}",
        environment_id="environment_1",
        kind="graph",
        shape="one_step",
        author="rules",
        language="en",
        request=f"How heavy is loaf {number}?",
        answer_fields=[AnswerField(name="weight", type="number", description="grams", tolerance=0.01)],
        expected_answer={"weight": 1.0},
        expected_change={},
        requires_change=False,
        program=Program(body=(), answer={"weight": Const(value=1.0)}),
        solution="",
        checks=[],
        gold_calls=1,
        unique_tools=1,
        level=2,
        assurance="self_consistent",
        seed=number,
    )
    gold = GoldRun(task_id=task.id, steps=[], answer={"weight": 1.0}, state_id="s", state_diff={})
    return Admission(task, gold, Proof.model_validate(COUNTS))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three tasks: one passes, one passes half, one fails in all four attempts with equal answers."""
    warehouse = Warehouse(tmp_path)
    admitted = [admission(number) for number in (1, 2, 3)]
    save_tasks(warehouse, "environment_1", admitted, [], [], STAMP, Order(pool="arena", round=1))
    made = [
        one for item, came in zip(admitted, ("pppp", "pfpf", "ffff"), strict=True) for one in attempts(item.task, came)
    ]
    made[-1].rollout.answer = dict(reversed(made[-1].rollout.answer.items()))
    save_rollouts(warehouse, made, STAMP)
    warehouse.publish()
    return tmp_path


def run(home: Path, *arguments: str) -> Any:
    ended = CliRunner().invoke(app, ["review", *arguments, "--home", str(home)])
    if ended.exception and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended


def queue(home: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(home, "--json").output)
    return rows


def test_the_most_doubtful_task_comes_first_with_why(home: Path) -> None:
    first, second = queue(home)
    assert (first["task_id"], first["doubt"], first["same_wrong"], first["unpassed"]) == ("task_3", 1.0, 1.0, 0.75)
    assert "4 of 4 attempts give the same wrong answer" in first["why"] and "75 %" in first["why"]
    assert (second["task_id"], second["same_wrong"], second["unpassed"], second["doubt"]) == ("task_2", 0.5, 0.0, 0.5)
    assert "factory show task_3" in run(home, "--most", "1").output


def test_a_rejected_task_is_not_evaluated_on_and_the_latest_word_counts(home: Path) -> None:
    assert run(home, "task_3", "--reject", "--reason", "loaf 3 was sold").output == "task_3 is rejected.\n"
    warehouse = Warehouse(home)
    assert [row["task_id"] for row in queue(home)] == ["task_2"]
    assert [task.id for task, _ in load_pool(warehouse, ["arena"], 1)] == ["task_1", "task_2"]
    (rates,) = [row for row in warehouse.rows("evaluations")]
    assert (rates["tasks"], rates["attempts"], rates["pass_at_1"]) == (2, 8, 0.75)
    run(home, "task_3", "--accept")
    assert len(load_pool(warehouse, ["arena"], 1)) == 3
    assert [row["task_id"] for row in queue(home)] == ["task_2"], "it has been looked at"


def test_nothing_in_doubt_says_how_policies_try(tmp_path: Path) -> None:
    Warehouse(tmp_path).publish()
    assert "factory evaluate" in run(tmp_path).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--reject",), "say of which task"),
        (("task_3",), "look at it: factory show task_3"),
        (("task_3", "--accept", "--reject"), "Then say one"),
        (("task_none", "--reject"), "no task task_none in the warehouse. See which wait for a word: factory review"),
    ],
)
def test_a_mistake_is_told_with_the_next_command(home: Path, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(home, *arguments)
