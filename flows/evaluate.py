"""WHEN: evaluate a policy in a round of the arena. A rerun goes on at the attempt at which the last one ended.

Fresh tasks are drafted once a round, and every policy that is evaluated in it is given the same ones. The control, a
uniformly noisy policy, attempts those of the arena too: a diagnosis compares with it.

    open_round → synthesize(environment) → evaluate(environment), control(environment) → publish
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State
from prefect.task_runners import ThreadPoolTaskRunner

from flows.arena_pages import show_evaluation
from flows.progress import Stages, follow
from flows.runs import Failure, Outcome, close_failed_run, open_run
from flows.standings import Standing
from schemas.arena import Order, Pool
from schemas.references import EvaluationReference, TasksReference
from schemas.settings import Settings
from tasks.authorship import notes_on_models
from tasks.contenders import CONTROL, CONTROL_SEED, contender_of
from tasks.evaluate import OpenRound, evaluate_environment, open_round
from tasks.publish import publish
from tasks.synthesize import synthesize
from warehouse.published import Published


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation came to: counts of the policy's attempts in both pools, and the task runs that failed."""

    run_id: str
    round: int
    policy_id: str
    control_id: str | None
    attempts: int
    passed: int
    errors: int
    failures: list[Failure]
    message: str


def name_evaluation() -> str:
    """Name a flow run after who is evaluated, and where: 'evaluate endpoint, round 2'."""
    parameters = flow_run.get_parameters()
    number = parameters.get("round")
    where = f"round {number}" if number else "a new round" if parameters.get("fresh") else "the latest round"
    return f"evaluate {parameters.get('policy')}, {where}"


@flow(
    name="evaluate",
    flow_run_name=name_evaluation,
    task_runner=ThreadPoolTaskRunner(max_workers=Settings().workers),
    on_failure=[close_failed_run],
    on_crashed=[close_failed_run],
)
def evaluate(
    policy: str,
    round: int | None = None,
    fresh: bool = False,
    attempts: int | None = None,
    control: bool = True,
    seed: int | None = None,
) -> State[Evaluation]:
    """Evaluate a policy (`endpoint`, module:function, or a script) in round `round`, in a new one, or in the latest.

    `control`: let the control make its attempts too. Numbers left out come from the settings.
    """
    settings = Settings()
    seed = settings.seed if seed is None else seed
    attempts = settings.arena.attempts if attempts is None else attempts
    run_id = str(flow_run.get_id())
    mark: dict[str, Any] = {"run_id": run_id, "seed": seed}
    policy_id = contender_of(policy, settings, seed, run_id).record.id
    asked = {"policy": policy, "policy_id": policy_id, "round": round, "fresh": fresh}
    open_run("evaluate", {**asked, "attempts": attempts, "control": control}, **mark)

    opened = open_round(round, fresh, **mark)
    outcome = follow(run_id, submit_attempts(settings, opened, policy, attempts, control, mark), "evaluate")
    outcome.notes = notes_on_models(run_id)

    control_id = contender_of(CONTROL, settings, CONTROL_SEED).record.id if control else None
    evaluation = weigh(opened.number, policy, policy_id, control_id, outcome)
    verdict = "failed" if outcome.failures else "completed"
    # Nothing stands on it: a round of long ago must not make the environments of then the current ones.
    publish(standing=[], outcome=verdict, message=evaluation.message, **mark)
    standing = Standing(policy_id, policy, opened.number)
    show_evaluation(Published(settings.home), standing, evaluation.message)
    return (Failed if outcome.failures else Completed)(message=evaluation.message, data=evaluation)


def submit_attempts(
    settings: Settings, opened: OpenRound, policy: str, attempts: int, control: bool, mark: dict[str, Any]
) -> Stages:
    """Submit what is to be drafted and attempted in a round, each environment's attempts waiting for its tasks."""
    wanted = {"wanted": settings.arena.tasks_per_environment, "drafting": settings.drafting}
    draft = partial(synthesize.submit, **wanted, solver=settings.solver, authors=settings.authors, **mark)
    drafted = {
        one.found.name: draft(one.found, order=Order(pool=one.pool, round=opened.number))
        for one in opened.seats
        if not isinstance(one.found, TasksReference)
    }
    attempt = partial(evaluate_environment.submit, number=opened.number)
    stages: Stages = [("synthesize", drafted)]
    entrants: list[tuple[str, int, dict[str, Any], tuple[Pool, ...]]] = [(policy, attempts, mark, ("arena", "holdout"))]
    if control:
        entrants.append((CONTROL, settings.arena.control_attempts, {**mark, "seed": CONTROL_SEED}, ("arena",)))
    for name, times, stamp, pools in entrants:
        row = {
            one.found.name: attempt(
                drafted.get(one.found.name, one.found), one.pool, policy=name, attempts=times, **stamp
            )
            for one in opened.seats
            if one.pool in pools
        }
        stages.append(("evaluate", row))
    return stages


def weigh(number: int, policy: str, policy_id: str, control_id: str | None, outcome: Outcome) -> Evaluation:
    """Return what the policy's attempts of a run came to."""
    found = [one for one in outcome.standing if isinstance(one, EvaluationReference) and one.policy_id == policy_id]
    attempts, passed, errors = (sum(getattr(one, name) for one in found) for name in ("attempts", "passed", "failed"))
    told = f"round {number}: {policy} passes {passed} of {attempts - errors} attempts in {len(found)} environments"
    told += f", {errors} attempts have no verdict" if errors else ""
    message = "; ".join([told, *([outcome.message] if outcome.failures else outcome.notes)])
    return Evaluation(
        outcome.run_id, number, policy_id, control_id, attempts, passed, errors, outcome.failures, message
    )
