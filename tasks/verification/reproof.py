"""Prove tasks again: their gold runs, and their verifiers against every mutant and every variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from schemas.environments import Environment
from schemas.tasks import AgentTask, GoldRun
from tasks.verification.mutants.evidence import Evidence, gather
from tasks.verification.mutants.subject import SIBLINGS, Proven
from tasks.verification.replay import reprove
from tasks.world.bundle import Bundle
from tasks.world.restarts import Restarts
from tasks.world.session import World


@dataclass(frozen=True)
class Reproof:
    """What proving one task again gave.

    `difference`: how its gold run differs, None when everything is equal; `evidence`: what its verifier did to mutants
    and variants.
    """

    task: AgentTask
    difference: str | None
    evidence: Evidence

    @property
    def faults(self) -> list[str]:
        """What is wrong with the task, a line each."""
        lines = [self.difference] if self.difference else []
        lines += [
            f"a wrong attempt passes: {one.what} ({one.operator})"
            for one in (*self.evidence.tally.survived, *self.evidence.unseen.survived)
        ]
        return lines + [f"a right attempt fails: {one.what} ({one.operator})" for one in self.evidence.strict]


def prove_again(
    world: World,
    bundle: Bundle,
    environment: Environment,
    frames: Mapping[str, pl.DataFrame],
    proofs: Sequence[tuple[AgentTask, GoldRun]],
    seed: str,
) -> Iterator[Reproof]:
    """Yield the proof of each task of one environment; `seed` says which operators are held out."""
    contract = environment.contract.model_dump()
    with Restarts(world, bundle) as sessions:
        for place, (task, gold) in enumerate(proofs):
            siblings = [*proofs[place + 1 :], *proofs[:place]][:SIBLINGS]
            proven = Proven(task, gold, contract, environment.profile, frames, siblings)
            yield Reproof(task, reprove(world, bundle, task, gold), gather(proven, sessions, seed))
