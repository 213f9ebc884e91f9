"""Evidence: what a task's verifier does to every mutant and every variant, and whether that is enough to trust it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from schemas.proofs import Proof
from tasks.verification.mutants.subject import Mutant, Proven
from tasks.verification.mutants.trial import OPERATORS, Tally, held_out, try_mutants, try_variants
from tasks.world.restarts import Restarts

FEWEST_MUTANTS = 25
"""Mutants below which a verifier counts as hardly tried; all operators together."""


@dataclass(frozen=True)
class Evidence:
    """One task's trial.

    `tally` and `unseen`: its mutants by the operators of admission, and by those held out; `variants`: right attempts;
    `cpu_s`: what all of that cost, of this process and of the sandbox's.
    """

    tally: Tally
    unseen: Tally
    variants: Tally
    cpu_s: float

    @property
    def strict(self) -> list[Mutant]:
        """The right attempts that the verifier fails."""
        return [*self.tally.strict, *self.unseen.strict, *self.variants.strict]

    def proof(self) -> Proof:
        """Return the counts, to be stored with the task."""
        return Proof(
            mutants=self.tally.mutants,
            killed=self.tally.killed,
            equivalent=self.tally.equivalent,
            survived=len(self.tally.survived),
            heldout_mutants=self.unseen.mutants,
            heldout_killed=self.unseen.killed,
            heldout_equivalent=self.unseen.equivalent,
            heldout_survived=len(self.unseen.survived),
            variants=self.variants.mutants,
            variants_passed=self.variants.mutants - len(self.variants.strict),
            steps=self.tally.steps + self.unseen.steps + self.variants.steps,
            cpu_s=round(self.cpu_s, 4),
        )

    def fault(self) -> tuple[str, str] | None:
        """Return why the verifier is not to be trusted, as a reason of admission and its detail; None when it is.

        What an operator that is held out lets through counts nowhere here: it is the estimate of what admission misses.
        """
        if self.tally.survived:
            return "mutant_survives", _told(self.tally.survived)
        if self.strict:
            return "variant_fails", _told(self.strict)
        made = self.tally.mutants + self.unseen.mutants
        return ("too_few_mutants", f"{made} of {FEWEST_MUTANTS}") if made < FEWEST_MUTANTS else None


def gather(proven: Proven, sessions: Restarts, seed: str) -> Evidence:
    """Try every mutant and every variant of a task; `seed` says which operators are held out."""
    began = time.process_time() + sessions.spent_s
    unseen = held_out(seed)
    tally = try_mutants(proven, sessions, [name for name in OPERATORS if name not in unseen])
    estimate = try_mutants(proven, sessions, sorted(unseen))
    variants = try_variants(proven, sessions)
    return Evidence(tally, estimate, variants, time.process_time() + sessions.spent_s - began)


def _told(attempts: list[Mutant]) -> str:
    return f"{attempts[0].operator}: {attempts[0].what}"
