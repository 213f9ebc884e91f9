"""Re-prove an admitted task: its gold run again, on clean copies, and its verifier on the result."""

from __future__ import annotations

from schemas.tasks import AgentTask, GoldRun
from tasks.verification.admission import replay_difference
from tasks.verification.checks import evaluate
from tasks.world.bundle import Bundle
from tasks.world.session import World, state_identity


def reprove(world: World, bundle: Bundle, task: AgentTask, gold: GoldRun) -> str | None:
    """Return why a task no longer proves, or None when everything is equal.

    Two replays (the calls one by one as a policy makes them, and the solution program), each on
    a clean copy: equal observations, answer and final state; then the stored checks must pass.
    """
    trace = [step.model_dump(include={"tool", "arguments", "observation"}) for step in gold.steps]
    if difference := replay_difference(world, bundle, task.id, trace, gold.state_id, task.disturbances):
        return f"replay differs: {difference}"
    with world.open(bundle, task.id, task.disturbances) as session:
        run, diff = session.run_program(task.solution), session.diff()
    same_state = state_identity(bundle.world_sha256, diff) == gold.state_id
    if run.error is not None or run.answer != gold.answer or not same_state:
        return f"solution differs: {run.error or 'answer or final state'}"
    verdict = evaluate([check.model_dump() for check in task.checks], run.answer, diff, bundle.contract)
    return None if verdict["outcome"] == "pass" else f"verdict is {verdict['outcome']}: {verdict['detail']}"
