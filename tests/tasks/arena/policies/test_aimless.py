"""The random policy acts within the rules and gets nowhere."""

from __future__ import annotations

from tasks.arena.attempts import attempt
from tasks.arena.policies.aimless import Aimless
from tests.tasks.arena.conftest import Proven
from tests.tasks.proving_ground import ProvingGround

TYPES = {"integer": int, "number": float, "text": str, "date": str, "datetime": str, "list": list}


def test_random_calls_are_mostly_valid_and_random_answers_wrong(records: ProvingGround, proven: Proven) -> None:
    aimless, calls, invalid = Aimless(), 0, 0
    for task, gold in proven:
        rollout = attempt(aimless.enter(task, gold, 0), task, records.world, records.bundle)
        assert rollout.verdict.outcome == "fail" and rollout.stop_reason == "answered"
        assert all(isinstance(rollout.answer[field.name], TYPES[field.type]) for field in task.answer_fields)
        observations = [step.observation for step in rollout.steps]
        calls += len(observations)
        invalid += sum("invalid_argument" in str(each) for each in observations)
    assert calls > 3 * len(proven) and invalid < calls / 4
    task, gold = proven[0]
    once, again = (attempt(aimless.enter(task, gold, 0), task, records.world, records.bundle) for _ in range(2))
    assert (once.answer, once.steps) == (again.answer, again.steps)
