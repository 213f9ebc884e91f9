"""Evidence: which verifier is refused and why, and that what operators held out let through refuses nothing."""

from __future__ import annotations

import pytest

from schemas.tasks import Check
from tasks.verification.mutants import evidence
from tasks.verification.mutants.evidence import FEWEST_MUTANTS, Evidence, gather
from tasks.verification.mutants.trial import held_out
from tasks.world.restarts import Restarts
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.mutants.bakery import FIELDS, proven

BLAMED = "collateral_delete"
SEEDS = [str(number) for number in range(50)]
KEPT, HELD = (
    next(seed for seed in SEEDS if (BLAMED in held_out(seed)) == held and "answer_fields" not in held_out(seed))
    for held in (False, True)
)


@pytest.fixture
def sessions(records: ProvingGround) -> Restarts:
    """Sessions of another world than the task's: no call is made here."""
    return Restarts(records.world, records.bundle)


def tried(sessions: Restarts, seed: str, checks: list[Check] | None = None) -> Evidence:
    subject = proven(FIELDS, checks)
    subject.gold.steps.clear()
    return gather(subject, sessions, seed)


def checks(*without: str, **spec: object) -> list[Check]:
    kept = [check for check in proven().task.checks if check.id not in without]
    return [c.model_copy(update={"spec": c.spec | spec}) if c.id == "answer.at" else c for c in kept]


def test_a_sound_verifier_is_trusted_and_its_counts_add_up(sessions: Restarts) -> None:
    found = tried(sessions, KEPT)
    proof = found.proof()
    assert found.fault() is None and proof.survived == proof.heldout_survived == 0
    assert proof.mutants == proof.killed + proof.equivalent
    assert proof.heldout_mutants == proof.heldout_killed + proof.heldout_equivalent > 0
    assert proof.variants == proof.variants_passed > 0 and proof.cpu_s > 0


def test_a_mutant_that_survives_is_told_by_operator(sessions: Restarts) -> None:
    fault = tried(sessions, KEPT, checks("nothing_else")).fault()
    assert fault is not None and fault[0] == "mutant_survives" and fault[1].split(":")[0].startswith("collateral")


def test_what_a_held_out_operator_lets_through_is_counted_alone(
    sessions: Restarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "OPERATORS", [BLAMED])
    lenient = checks("nothing_else")
    assert tried(sessions, KEPT, lenient).proof().survived > 0
    found = tried(sessions, HELD, lenient)
    assert found.proof().heldout_survived > 0 and found.proof().survived == 0
    assert (found.fault() or ("",))[0] != "mutant_survives"


def test_a_variant_that_fails_refuses(sessions: Restarts) -> None:
    assert (tried(sessions, KEPT, checks(type="text")).fault() or ("",))[0] == "variant_fails"


def test_a_handful_of_mutants_is_not_enough(sessions: Restarts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "OPERATORS", ["nothing_done"])
    monkeypatch.setattr(evidence, "held_out", lambda seed: frozenset())
    assert tried(sessions, KEPT).fault() == ("too_few_mutants", f"3 of {FEWEST_MUTANTS}")
