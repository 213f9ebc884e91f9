"""An audit's figures are those of the proofs: faults, repetitions and benchmarks are counted, each task once."""

from __future__ import annotations

import pytest

from schemas.records import Rejection
from schemas.tasks import AgentTask, GoldRun
from tasks.verification.audit import Audit
from tasks.verification.contamination import benchmarks
from tasks.verification.reproof import Reproof, prove_again
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.planted import SETTLING, drafted, list_large, listing_large
from tests.tasks.verification.reading.plans import SETTLE
from tests.tasks.verification.runs import make_tool

NAMES = {
    "tasks", "replayed_equal", "failed", "mutants", "killed", "equivalent", "survived", "heldout_mutants",
    "heldout_survived", "variants", "variants_passed", "min_calls", "mean_calls", "max_calls", "duplicates",
    "contaminated", "most_common_sentence_share", "confirmed", "self_consistent", "mutant_steps", "cpu_s", "mutant_steps_per_cpu_s",
}  # fmt: skip


@pytest.fixture(scope="module")
def proofs(flights: ProvingGround) -> list[tuple[AgentTask, GoldRun]]:
    gate, found = flights.gate(4), []
    for plan, request in ((SETTLE, SETTLING), (list_large(ordered=False), listing_large("in any order"))):
        outcome = gate.admit(drafted(flights, plan, request), found)
        assert not isinstance(outcome, Rejection), outcome.detail
        found.append((outcome.task, outcome.gold))
    return found


def prove(ground: ProvingGround, proofs: list[tuple[AgentTask, GoldRun]]) -> list[Reproof]:
    return list(
        prove_again(ground.world, ground.bundle, ground.environment, ground.tools, ground.setting.frames, proofs, "0")
    )


def test_sound_tasks_have_sound_figures(flights: ProvingGround, proofs: list[tuple[AgentTask, GoldRun]]) -> None:
    audit = Audit()
    audit.add(flights.environment, flights.tools, flights.setting.frames, prove(flights, proofs))
    figures = audit.figures()
    assert figures.keys() == NAMES
    assert (figures["tasks"], figures["replayed_equal"], figures["failed"]) == (2, 2, 0)
    assert figures["mutants"] == figures["killed"] + figures["equivalent"] > 50 and figures["survived"] == 0
    assert figures["variants"] == figures["variants_passed"] > 10
    assert (figures["min_calls"], figures["mean_calls"], figures["max_calls"]) == (6, 7.5, 9)
    assert (figures["self_consistent"], figures["confirmed"]) == (2, 0)
    assert (figures["duplicates"], figures["contaminated"]) == (0, 0)
    assert figures["mutant_steps"] > 100 and figures["cpu_s"] > 0
    assert all(reproof.faults == [] for reproof in audit.found)


def test_what_is_wrong_is_counted(flights: ProvingGround, proofs: list[tuple[AgentTask, GoldRun]]) -> None:
    task, gold = proofs[0]
    again = task.model_copy(update={"id": "task_again", "assurance": "confirmed"}), gold
    lenient = [check for check in task.checks if check.type != "nothing_else"]
    broken = task.model_copy(update={"id": "task_broken", "checks": lenient, "request": benchmarks()[0].requests[0]})
    tampered = gold.model_copy(update={"task_id": "task_broken", "answer": gold.answer | {"cancelled": 99}})
    audit = Audit()
    audit.add(
        flights.environment,
        flights.tools,
        flights.setting.frames,
        prove(flights, [proofs[0], again, (broken, tampered)]),
    )
    figures = audit.figures()
    assert (figures["tasks"], figures["replayed_equal"], figures["failed"]) == (3, 2, 1)
    assert figures["survived"] + figures["heldout_survived"] > 0
    assert (figures["duplicates"], figures["contaminated"], figures["confirmed"]) == (1, 1, 1)
    reasons = {reason for reproof in audit.found for reason, _ in reproof.faults}
    assert {"replay_differs", "mutant_survives"} <= reasons


def test_all_tasks_of_a_benchmarks_world_are_contaminated(
    flights: ProvingGround, proofs: list[tuple[AgentTask, GoldRun]]
) -> None:
    audit = Audit()
    tools = [make_tool(name) for name in sorted(benchmarks()[0].tools)]
    audit.add(flights.environment, tools, flights.setting.frames, prove(flights, proofs))
    assert audit.figures()["contaminated"] == 2
