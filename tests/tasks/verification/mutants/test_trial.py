"""The trial: right verifiers kill every mutant, each way to be lenient is found out, and calls are really made."""

from __future__ import annotations

import pytest

from schemas.tasks import Check
from tasks.verification.mutants.trial import OPERATORS, held_out, try_mutants, try_variants
from tasks.world.restarts import Restarts
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.mutants.bakery import FIELDS, proven

WORKED_OUT = [
    name for name in OPERATORS if name not in {"step_left_out", "step_doubled", "argument_changed", "random_calls"}
]


@pytest.fixture
def sessions(records: ProvingGround) -> Restarts:
    """Sessions that no operator here opens."""
    return Restarts(records.world, records.bundle)


def without(name: str) -> list[Check]:
    return [check for check in proven().task.checks if check.id != name]


def lenient(name: str, **spec: object) -> list[Check]:
    return [c.model_copy(update={"spec": c.spec | spec}) if c.id == name else c for c in proven().task.checks]


def test_the_factorys_checks_kill_every_mutant(sessions: Restarts) -> None:
    tally = try_mutants(proven(), sessions, WORKED_OUT)
    assert tally.survived == [] and tally.killed >= 25


@pytest.mark.parametrize(
    ("checks", "operator"),
    [
        (without("state_change"), "half_done"),
        (without("nothing_else"), "collateral_delete"),
        (without("answer_keys"), "answer_fields"),
        (without("answer.left"), "answer_one_unit_off"),
        (lenient("answer.mean", tolerance=1.0), "answer_one_unit_off"),
        (lenient("answer.names", ordered=False), "answer_in_disorder"),
    ],
    ids=["no state check", "collateral allowed", "any fields", "a field unchecked", "wide tolerance", "any order"],
)
def test_a_lenient_verifier_lets_its_mutant_survive(sessions: Restarts, checks: list[Check], operator: str) -> None:
    survived = {mutant.operator for mutant in try_mutants(proven(FIELDS, checks), sessions, WORKED_OUT).survived}
    assert operator in survived


def test_a_third_of_the_operators_is_held_out_by_seed() -> None:
    drawn = {held_out(str(seed)) for seed in range(20)}
    assert all(len(names) == len(OPERATORS) // 3 for names in drawn) and len(drawn) > 10
    assert set.union(*map(set, drawn)) == set(OPERATORS)
    assert held_out("a") == held_out("a")


def test_other_words_for_the_gold_answer_pass(sessions: Restarts) -> None:
    subject = proven()
    subject.gold.steps.clear()
    tried = try_variants(subject, sessions)
    assert tried.strict == [] and tried.mutants >= 8


def test_an_equivalent_mutant_that_fails_is_told(sessions: Restarts) -> None:
    """The gold answer exchanged for itself is no mutant at all; a verifier that wants another one fails it."""
    checks = lenient("answer.fresh", expected=False)
    tally = try_mutants(proven(FIELDS, checks), sessions, ["answer_of_sibling", "answer_at_random"])
    guesses = try_mutants(proven([FIELDS[6]], None), sessions, ["answer_at_random"])
    assert tally.survived == [] and guesses.equivalent > 0 and guesses.strict == []
    wrong = proven([FIELDS[6]], [c for c in checks if c.id in ("answer_keys", "answer.fresh")][1:])
    assert try_mutants(wrong, sessions, ["answer_at_random"]).strict != []


def test_a_verifier_that_is_too_strict_fails_a_variant(sessions: Restarts) -> None:
    subject = proven(FIELDS, lenient("answer.at", type="text"))
    subject.gold.steps.clear()
    assert [variant.operator for variant in try_variants(subject, sessions).strict] == ["other_words"]
