"""Executed mutants and variants of real tasks: made as told, in restarted sessions as in fresh ones, and judged right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schemas.settings import DraftingSettings
from schemas.tasks import AgentTask, GoldRun
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.mutants.calls import attempt, calls_of
from tasks.verification.mutants.subject import Proven
from tasks.verification.mutants.trial import OPERATORS, Judge
from tasks.verification.mutants.variants import VARIANTS
from tasks.verification.synthesis import synthesize
from tasks.world.diff import compare_worlds
from tasks.world.increments import Increments
from tasks.world.restarts import Restarts
from tests.tasks.proving_ground import ProvingGround

TASKS = 6
RUN = ("step_left_out", "step_doubled", "argument_changed", "random_calls")


@pytest.fixture(scope="module")
def subjects(records: ProvingGround) -> list[Proven]:
    """Some admitted tasks of the music store, each with the next as its sibling."""
    report = synthesize(
        RulesAuthor(), records.world, records.bundle, records.setting, DraftingSettings(), wanted=TASKS, seed=0
    )
    proofs: list[tuple[AgentTask, GoldRun]] = list(zip(report.tasks, report.gold_runs, strict=True))
    world = (records.bundle.contract, records.environment.profile, records.setting.frames)
    return [Proven(*proofs[at], *world, [proofs[at - 1]]) for at in range(len(proofs))]


@pytest.fixture(scope="module")
def sessions(records: ProvingGround) -> Iterator[Restarts]:
    with Restarts(records.world, records.bundle) as sessions:
        yield sessions


def test_the_gold_run_as_a_batch_is_the_gold_run(subjects: list[Proven], sessions: Restarts) -> None:
    for subject in subjects:
        observations, diff = attempt(subject, sessions, calls_of(subject.gold.steps))
        assert observations == [step.observation for step in subject.gold.steps]
        assert diff == subject.diff


@pytest.mark.parametrize("operator", RUN)
def test_a_run_leaves_what_it_leaves_in_a_fresh_session(
    subjects: list[Proven], sessions: Restarts, records: ProvingGround, operator: str
) -> None:
    """The session is restored, not opened anew, and its difference is incremental: neither may change a mutant."""
    made = 0
    for subject in subjects:
        restarted = list(OPERATORS[operator](subject, sessions))
        for place, mutant in enumerate(restarted):
            with Restarts(records.world, records.bundle) as fresh:
                again = list(OPERATORS[operator](subject, fresh))[place]
            assert again == mutant
            made += 1
            break
    assert made >= 2


def test_the_incremental_difference_of_every_mutant_is_the_full_one(
    subjects: list[Proven], sessions: Restarts, records: ProvingGround
) -> None:
    ignored = records.bundle.contract["log_tables"]
    increments, seen = Increments(records.bundle.path, ignored), 0
    for subject in subjects:
        for operator in RUN:
            for mutant in OPERATORS[operator](subject, sessions):
                folder = sessions.folder
                full = compare_worlds(records.bundle.path, folder, ignored)
                assert mutant.diff == full == increments.compare(folder)
                seen += 1
    assert seen >= 10


def test_every_way_of_being_right_is_tried_and_passes(subjects: list[Proven], sessions: Restarts) -> None:
    counts = dict.fromkeys(VARIANTS, 0)
    for subject in subjects:
        judge = Judge(subject)
        for name, make in VARIANTS.items():
            for variant in make(subject, sessions):
                assert variant.operator == name and judge.passes(variant), variant.what
                counts[name] += 1
    assert all(counts.values()), counts


def test_every_executed_mutant_is_wrong_or_the_gold_run_in_other_words(
    subjects: list[Proven], sessions: Restarts
) -> None:
    for subject in subjects:
        judge = Judge(subject)
        for operator in RUN:
            for mutant in OPERATORS[operator](subject, sessions):
                assert judge.passes(mutant) == judge.is_gold(mutant), (operator, mutant.what)
