"""WHEN: find what a policy can't do, build it, train on it, and ask again: R rounds. A rerun goes on in the round it was in.

Evaluating and diagnosing are flows of their own and run as subflows: each is a page in the UI with its own pages beside it.

    evaluate → diagnose → complexify(environment) → synthesize(environment, guidelines) → train → evaluate → end_round → publish
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State
from prefect.task_runners import ThreadPoolTaskRunner

from flows.arena_pages import show_evolution
from flows.diagnose import diagnose
from flows.evaluate import Evaluation, evaluate
from flows.progress import follow
from flows.runs import Failure, Outcome, close_failed_run, open_run
from schemas.arena import Evolution, Order
from schemas.references import ToolsetReference
from schemas.settings import Settings
from tasks.complexify import complexify
from tasks.evolve import Building, end_round, plan_building, round_to_evolve, train
from tasks.publish import publish
from tasks.synthesize import synthesize
from warehouse.published import Published
from warehouse.store import Warehouse


@dataclass
class Evolved:
    """The rounds of a run as they ended, the policy that stands, and the task runs that failed."""

    run_id: str
    policy: str
    rounds: list[Evolution] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def message(self) -> str:
        """One line for the flow's final state."""
        told = [
            f"round {one.round}: {one.tasks} tasks for {one.guidelines} guidelines, {one.outcome}"
            for one in self.rounds
        ]
        return (
            "; ".join([*told, *(f"{failure.what}: {failure.error}" for failure in self.failures)]) or "no round ended"
        )


def name_evolution() -> str:
    """Name a flow run after who evolves: 'evolve endpoint, 2 rounds'."""
    parameters = flow_run.get_parameters()
    number = parameters.get("rounds")
    return f"evolve {parameters.get('policy')}, {number} round{'s' if number != 1 else ''}"


@flow(
    name="evolve",
    flow_run_name=name_evolution,
    task_runner=ThreadPoolTaskRunner(max_workers=Settings().workers),
    on_failure=[close_failed_run],
    on_crashed=[close_failed_run],
)
def evolve(
    policy: str, rounds: int = 1, trainer: str | None = None, attempts: int | None = None, seed: int | None = None
) -> State[Evolved]:
    """Let a policy evolve for so many rounds. Without a `trainer` (module:function) a round ends with what it built.

    A trained policy that does worse beyond the interval of the one before is rolled back: the next round goes on with that.
    """
    settings = Settings()
    run_id = str(flow_run.get_id())
    mark: dict[str, Any] = {"run_id": run_id, "seed": settings.seed if seed is None else seed}
    open_run("evolve", {"policy": policy, "rounds": rounds, "trainer": trainer, "attempts": attempts}, **mark)
    evolved = Evolved(run_id, policy)
    for _ in range(rounds):
        evolve_once(settings, evolved, trainer, attempts, mark)
        if evolved.failures:
            break
    verdict = "failed" if evolved.failures else "completed"
    publish(standing=[], outcome=verdict, message=evolved.message, **mark)
    show_evolution(Published(settings.home), policy, evolved.rounds)
    return (Failed if evolved.failures else Completed)(message=evolved.message, data=evolved)


def evolve_once(
    settings: Settings, evolved: Evolved, trainer: str | None, attempts: int | None, mark: dict[str, Any]
) -> None:
    """Do one round and add it to what has evolved; a round in which a task run failed has no end and is gone on with later."""
    warehouse, seed = Warehouse(settings.home), mark["seed"]
    due = round_to_evolve(warehouse)
    asked = {"attempts": attempts, "seed": seed}
    found = result_of(evaluate(evolved.policy, round=due, fresh=due is None, **asked, return_state=True))
    if found.failures:
        evolved.failures += found.failures
        return
    guidelines = diagnose(evolved.policy, round=found.round, seed=seed).guidelines
    counts = build(settings, plan_building(warehouse, guidelines), found.round, evolved, mark)
    if evolved.failures:
        return
    trained = train(trainer, evolved.policy, found.round) if trainer else None
    after: Evaluation | None = None
    if trained is not None:
        after = result_of(evaluate(trained, round=found.round, control=False, **asked, return_state=True))
        evolved.failures += after.failures
    if evolved.failures:
        return
    ended = end_round(
        found.round, found.policy_id, after and after.policy_id, {"guidelines": len(guidelines), **counts}, **mark
    )
    evolved.rounds.append(ended)
    if trained is not None and ended.outcome == "kept":
        evolved.policy = trained


def result_of(state: State[Evaluation]) -> Evaluation:
    """Return what an evaluation came to, failed or not; what it raised is raised."""
    result: Any = state.result(raise_on_failure=False)
    if isinstance(result, BaseException):
        raise result
    evaluation: Evaluation = result
    return evaluation


def build(
    settings: Settings, buildings: list[Building], number: int, evolved: Evolved, mark: dict[str, Any]
) -> dict[str, int]:
    """Grow the databases that are too simple, draft tasks against the weaknesses, and return how many came of it.

    A version that grew gets the usual tasks too: those of its parent are no current ones any more.
    """
    rules = {"authors": settings.authors, **mark}
    grow = partial(complexify.submit, pass_rate=settings.tool_pass_rate, **rules)
    growing = {
        one.toolset.name: grow(one.toolset, number=one.toolset.version, guideline=one.growth)
        for one in buildings
        if one.growth is not None
    }
    grown = follow(evolved.run_id, [("complexify", growing)], "evolve-grow")
    versions = {one.name: one for one in grown.standing if isinstance(one, ToolsetReference)}

    draft = partial(synthesize.submit, drafting=settings.drafting, solver=settings.solver, **rules)
    aimed, usual = {}, {}
    for one in buildings:
        toolset = versions.get(one.toolset.name, one.toolset)
        order = Order(round=number, guidelines=one.guidelines)
        wanted = settings.arena.tasks_per_guideline * len(one.guidelines)
        aimed[toolset.name] = draft(toolset, wanted=wanted, order=order)
        if toolset.environment_id != one.toolset.environment_id:
            # After those that were aimed: of tasks drafted at once, neither sees what the other must not repeat.
            wanted = settings.tasks_per_environment
            usual[toolset.name] = draft(toolset, wanted=wanted, wait_for=[aimed[toolset.name]])
    drafted = follow(evolved.run_id, [("synthesize", aimed), ("synthesize", usual)], "evolve-draft")
    evolved.failures += [*grown.failures, *drafted.failures]
    stand(grown, drafted, mark)
    tasks = sum(future.result().accepted for future in aimed.values() if future.state.is_completed())
    return {"grown": len(usual), "tasks": tasks}


def stand(grown: Outcome, drafted: Outcome, mark: dict[str, Any]) -> None:
    """Make what was built the current version, so that the next evaluation and training find it."""
    standing = [*grown.standing, *drafted.standing]
    publish(standing=standing, outcome=None, message=f"{len(standing)} results of a round", **mark)
