"""A second witness: a policy tries tasks that were admitted, with tools and without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from schemas.errors import UsageError
from schemas.proofs import Admission
from schemas.records import Rejection
from schemas.rollouts import Rollout
from schemas.settings import SolverSettings
from tasks.arena.closed_book import known_by_heart, recall
from tasks.arena.consistency import confirm
from tasks.arena.policy import Policy
from tasks.verification.refusals import rejection_of
from tasks.world.bundle import Bundle
from tasks.world.session import World

Watch = Callable[[Sequence[Rollout]], None]
"""Is told of the attempts at a task with tools."""


def policy_at(path: str, said: str = "FACTORY_SOLVER__POLICY") -> Policy:
    """Make the policy that a setting or an option names as module:function. Raises UsageError when there is none.

    `said`: where it was named.
    """
    module, _, name = path.partition(":")
    try:
        policy: Policy = getattr(import_module(module), name)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise UsageError(
            f"{said} {path} makes no policy ({error}). Give a module:function, as in my_policies:make"
        ) from error
    return policy


@dataclass(frozen=True)
class Witness:
    """A policy that tries the tasks of one environment."""

    policy: Policy
    world: World
    bundle: Bundle
    solver: SolverSettings
    watch: Watch = lambda rollouts: None

    def hear(self, admission: Admission) -> Admission | Rejection:
        """Return a task as confirmed when enough runs agree, its refusal when it is known by heart, else as it was."""
        task, solver = admission.task, self.solver
        contract = self.bundle.contract
        rate = known_by_heart(
            [recall(self.policy, task, contract, number) for number in range(solver.closed_book_runs)]
        )
        if rate is not None and rate > solver.closed_book_rate:
            detail = f"{rate:.0%} of {solver.closed_book_runs} attempts of {self.policy.name} without tools pass"
            return rejection_of(task, task.id, task.environment_id, "known_by_heart", detail)
        found, rollouts = confirm(self.policy, task, self.world, self.bundle, solver.runs, solver.agreeing)
        self.watch(rollouts)
        return (
            admission._replace(task=task.model_copy(update={"assurance": "confirmed"}))
            if found.confirmed
            else admission
        )
