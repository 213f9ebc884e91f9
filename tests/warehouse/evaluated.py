"""Things of an evaluation to store: policies, attempts of which some pass, fail and err, a diagnosis, a round of evolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.arena import Evolution, Order, PolicyRecord, Rate, Rates, Seat
from schemas.diagnoses import Failure, Finding, Findings, TaskGuideline, WeakEnvironment
from schemas.environments import Environment
from schemas.proofs import Admission
from schemas.rollouts import KeptRollout, Rollout, RolloutStep
from schemas.rounds import Guideline
from schemas.tasks import AgentTask, CheckResult, Verdict
from warehouse.rows import (
    Stamp,
    save_claims,
    save_evolution,
    save_findings,
    save_policy,
    save_review,
    save_rollouts,
    save_seats,
    save_tasks,
)
from warehouse.store import Warehouse

POLICY = PolicyRecord(name="impaired", kind="scripted", parameters={"wrong_tool": 0.5})
CONTROL = PolicyRecord(name="noisy", kind="scripted", parameters={"floor": 0.15})
ROUND = Order(pool="arena", round=1)
OUTCOMES = {"p": "pass", "f": "fail", "e": "error"}


def attempts(task: AgentTask, outcomes: str, policy: PolicyRecord = POLICY, run_id: str = "run_1") -> list[KeptRollout]:
    """A policy's attempts at a task, a letter each: p(ass), f(ail), e(rror), or b(roken): its endpoint failed."""
    return [_attempt(task, number, letter, policy, run_id) for number, letter in enumerate(outcomes) if letter != "-"]


def _attempt(task: AgentTask, number: int, letter: str, policy: PolicyRecord, run_id: str) -> KeptRollout:
    outcome = OUTCOMES.get(letter, "fail")
    again = f"_{run_id}" if letter in "eb" else ""
    steps = [
        RolloutStep(kind="message", content="I look it up."),
        RolloutStep(
            kind="call", tool="search_loaves", arguments={"weight": 1.0}, observation={"items": [{"loaf_id": 7}]}
        ),
        RolloutStep(kind="call", tool="get_loaf", arguments={}, observation=None),
    ]
    rollout = Rollout(
        policy=policy.name,
        task_id=task.id,
        environment_id=task.environment_id,
        attempt=number,
        stop_reason="policy_failed" if letter == "b" else "answered",
        answer={"weight": 1.0, "notes": [None, "né"]},
        steps=steps,
        state_diff={} if outcome == "pass" else {"bookings": {"inserted": [], "updated": [], "deleted": [{"id": 1}]}},
        verdict=Verdict(
            outcome=outcome, results=[CheckResult(check_id="weight", passed=outcome == "pass")], detail="d"
        ),
        started_at=100.0,
        finished_at=101.5 + number,
    )
    return KeptRollout(f"rollout_{policy.name}_{task.id}_{number}{again}", run_id, policy.id, rollout)


def diagnosis(failed: Sequence[KeptRollout]) -> tuple[Findings, list[Failure], list[TaskGuideline]]:
    """What failed attempts in one environment say: all by a wrong tool."""
    rollouts = [one.rollout for one in failed]
    environment_id = rollouts[0].environment_id
    counted = {"failures": len(failed), "expected": 0.5, "p_value": 0.01, "named": True}
    failures = [
        Failure(
            rollout_id=one.id,
            task_id=one.rollout.task_id,
            environment_id=environment_id,
            cause="wrong_tool",
            step=1,
            gold_step=0,
            tool="get_loaf",
            evidence=f"get_loaf was called as search_loaves in attempt {one.rollout.attempt}",
        )
        for one in failed
    ]
    weak = WeakEnvironment(
        rank=1,
        environment_id=environment_id,
        theme_name="bakery",
        attempts=2 * len(failed),
        failures=len(failed),
        causes={"wrong_tool": len(failed)},
        finding=Finding(what=environment_id, **counted),
    )
    findings = Findings(
        policy_id=POLICY.id,
        control_id=CONTROL.id,
        attempts=2 * len(failed),
        failures=len(failed),
        causes=(Finding(what="wrong_tool", **counted),),
        environments=(weak,),
        tools=(Finding(what=f"{environment_id}/get_loaf", **counted),),
    )
    guideline = TaskGuideline(
        environment_id=environment_id,
        cause="wrong_tool",
        lacking="It takes one tool for another.",
        tools=("get_loaf", "search_loaves"),
        level=2,
        least=3,
        growth=Guideline(additions=("links",), reason="too few look-alikes"),
        rollout_ids=tuple(one.id for one in failed[:10]),
    )
    return findings, failures, [guideline, guideline.model_copy(update={"cause": "missing_lookup", "growth": None})]


def claims(failed: Sequence[KeptRollout]) -> list[dict[str, Any]]:
    """Two claims of a model about the environment of failed attempts."""
    about = {"environment_id": failed[0].rollout.environment_id, "rank": 1, "pass_rate": 0.5}
    evidence = {"rollout_ids": [failed[0].id], "counting_sql": "select rollout_id from attempts", "value": 1}
    return [{**about, **evidence, "statement": words} for words in ("It takes one tool for another.", "It gives up.")]


def evolution(round: int = 1) -> Evolution:
    """A round that was not trained."""
    rate = Rate(tasks=2, rate=0.5, low=0.1, high=0.9)
    rates = Rates(group="all", attempts=4, errors=1, pass_at_1=rate, pass_at_k={2: rate}, pass_hat_k={2: rate})
    return Evolution(
        round=round,
        before_id=POLICY.id,
        after_id=None,
        guidelines=2,
        grown=1,
        tasks=3,
        before=rates,
        after=None,
        outcome="not_trained",
        reason="no trainer",
    )


def fill_arena(
    warehouse: Warehouse, stamp: Stamp, environment: Environment, admitted: Sequence[Admission]
) -> list[KeptRollout]:
    """Store an arena round over tasks of an environment: half of the attempts pass, one errs; return the attempts."""
    save_seats(warehouse, [Seat(family=environment.theme_name, role="arena", level1="Finance & Markets")], stamp)
    save_tasks(warehouse, environment.id, admitted, [], [], stamp, ROUND)
    made = [one for admission in admitted for one in attempts(admission.task, "pfe")]
    for policy in (POLICY, CONTROL):
        save_policy(warehouse, policy, stamp)
    save_rollouts(warehouse, made, stamp)
    failed = [one for one in made if one.rollout.verdict.outcome == "fail"]
    save_findings(warehouse, *diagnosis(failed), stamp, 1)
    save_claims(warehouse, POLICY.id, 1, claims(failed), stamp)
    save_evolution(warehouse, evolution(), stamp)
    save_review(warehouse, admitted[0].task.id, "accepted", "I tried it", stamp)
    return made
