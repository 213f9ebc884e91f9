"""Prove tasks again: their gold runs, their requests, and their verifiers against guesses, every mutant and every variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from schemas.environments import Environment
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.verification.alternatives import spellings
from tasks.verification.guesses import text_pool, verifier_fault
from tasks.verification.mutants.evidence import Evidence, gather
from tasks.verification.mutants.subject import SIBLINGS, Proven
from tasks.verification.refusals import Fault
from tasks.verification.replay import reprove
from tasks.verification.roundtrip import RoundTrip
from tasks.world.bundle import Bundle
from tasks.world.restarts import Restarts
from tasks.world.session import World


@dataclass(frozen=True)
class Reproof:
    """What proving one task again gave.

    `replay`: how its gold run differs, `reading`: what the round trip of its request lost (None for one that was admitted
    without), `guessing`: what its verifier lets pass without work; None when all is well.
    `evidence`: what its verifier did to mutants and variants.
    """

    task: AgentTask
    gold: GoldRun
    replay: Fault | None
    reading: Fault | None
    guessing: Fault | None
    evidence: Evidence

    @property
    def faults(self) -> list[Fault]:
        """What is wrong with the task, each with a reason of the gate's list."""
        found = [fault for fault in (self.replay, self.reading, self.guessing) if fault]
        found += [
            ("mutant_survives", f"{one.operator}: {one.what}")
            for one in (*self.evidence.tally.survived, *self.evidence.unseen.survived)
        ]
        return found + [("variant_fails", f"{one.operator}: {one.what}") for one in self.evidence.strict]


def prove_again(
    world: World,
    bundle: Bundle,
    environment: Environment,
    tools: Sequence[Tool],
    frames: Mapping[str, pl.DataFrame],
    proofs: Sequence[tuple[AgentTask, GoldRun]],
    seed: str,
) -> Iterator[Reproof]:
    """Yield the proof of each task of one environment; `seed` says which operators are held out."""
    trip = RoundTrip(tools, spellings(frames))
    contract, pool = environment.contract.model_dump(), text_pool(frames, environment.profile)
    with Restarts(world, bundle) as sessions:
        for place, (task, gold) in enumerate(proofs):
            siblings = [*proofs[place + 1 :], *proofs[:place]][:SIBLINGS]
            proven = Proven(task, gold, contract, environment.profile, frames, siblings)
            yield Reproof(
                task,
                gold,
                replay=reprove(world, bundle, task, gold),
                reading=trip.fault_of(task, sessions) if task.assurance else None,
                guessing=verifier_fault(task, gold, contract, pool),
                evidence=gather(proven, sessions, seed),
            )
