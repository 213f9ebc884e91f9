"""Prove tasks again: their gold runs, and their verifiers against every mutant and every variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from schemas.environments import Environment
from schemas.tasks import AgentTask, GoldRun
from tasks.verification.mutants.subject import Mutant, Proven
from tasks.verification.mutants.trial import OPERATORS, Tally, held_out, try_mutants, try_variants
from tasks.verification.replay import reprove
from tasks.world.bundle import Bundle
from tasks.world.restarts import Restarts
from tasks.world.session import World

SIBLINGS = 2
"""Other tasks of the environment whose answers and changes are tried on a task."""


@dataclass(frozen=True)
class Reproof:
    """What proving one task again gave.

    `difference`: how its gold run differs, None when everything is equal; `tally` and `unseen`: its mutants by the
    operators of admission, and by those held out; `variants`: right attempts that were tried; `strict`: those that failed.
    """

    task: AgentTask
    difference: str | None
    tally: Tally
    unseen: Tally
    variants: int
    strict: list[Mutant]

    @property
    def faults(self) -> list[str]:
        """What is wrong with the task, a line each."""
        lines = [self.difference] if self.difference else []
        lines += [
            f"a wrong attempt passes: {one.what} ({one.operator})"
            for one in (*self.tally.survived, *self.unseen.survived)
        ]
        return lines + [f"a right attempt fails: {one.what} ({one.operator})" for one in self.strict]


def prove_again(
    world: World,
    bundle: Bundle,
    environment: Environment,
    frames: Mapping[str, pl.DataFrame],
    proofs: Sequence[tuple[AgentTask, GoldRun]],
    seed: str,
) -> Iterator[Reproof]:
    """Yield the proof of each task of one environment; `seed` says which operators are held out."""
    unseen = held_out(seed)
    used = [name for name in OPERATORS if name not in unseen]
    contract = environment.contract.model_dump()
    with Restarts(world, bundle) as sessions:
        for place, (task, gold) in enumerate(proofs):
            siblings = [*proofs[place + 1 :], *proofs[:place]][:SIBLINGS]
            proven = Proven(task, gold, contract, environment.profile, frames, siblings)
            tried, strict = try_variants(proven, sessions)
            yield Reproof(
                task,
                reprove(world, bundle, task, gold),
                try_mutants(proven, sessions, used),
                try_mutants(proven, sessions, sorted(unseen)),
                tried,
                strict,
            )
