"""Orders: rounds and pools draft tasks of their own, and none asks for what another one asked."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.arena import Order, Pool
from schemas.references import ToolsetReference
from schemas.settings import AuthorSettings, DraftingSettings, SolverSettings
from schemas.tasks import AgentTask, GoldRun, TaskDraft
from tasks.authors.rules.author import RulesAuthor
from tasks.synthesize import depends_on, draft_seed
from tasks.verification.freshness import chain_key, program_key
from tasks.verification.synthesis import SynthesisReport, synthesize
from tests.tasks.proving_ground import ProvingGround

ROUNDS = 10
PRACTICE = 2
FULL_IN = (1, 6, 10)
"""Rounds that ask for a full task beside the short ones, so that the test stays fast."""
Made = list[tuple[AgentTask, GoldRun]]


def make(ground: ProvingGround, order: Order, wanted: int, practice: int, earlier: Made) -> SynthesisReport:
    drafting = DraftingSettings(practice=practice)
    author, where = RulesAuthor(drafting), (ground.world, ground.bundle, ground.setting)
    return synthesize(author, *where, drafting, wanted=wanted, seed=draft_seed(order, 0), earlier=earlier)


@pytest.fixture(scope="module")
def batches(records: ProvingGround) -> dict[tuple[Pool, int], Made]:
    """Tasks of ten rounds, each for the arena and for training; every batch knows those before it."""
    found: dict[tuple[Pool, int], Made] = {}
    pools: tuple[Pool, ...] = ("arena", "training")
    for number in range(1, ROUNDS + 1):
        for pool in pools:
            earlier = [pair for batch in found.values() for pair in batch]
            report = make(records, Order(pool=pool, round=number), int(number in FULL_IN), PRACTICE, earlier)
            found[pool, number] = [(task, gold) for task, gold, _ in report.admitted]
    return found


def test_each_batch_comes_to_what_was_wanted(batches: dict[tuple[Pool, int], Made]) -> None:
    assert {key: len(batch) for key, batch in batches.items()} == {
        (pool, number): PRACTICE + (number in FULL_IN) for pool, number in batches
    }


def test_nothing_is_asked_twice_in_ten_rounds(batches: dict[tuple[Pool, int], Made]) -> None:
    tasks = [pair for batch in batches.values() for pair in batch]
    assert len({task.request.casefold() for task, _ in tasks}) == len(tasks)
    assert len({program_key(task.program) for task, _ in tasks}) == len(tasks)
    assert len({chain_key(gold) for _, gold in tasks}) == len(tasks)


def test_arena_and_training_are_disjoint(batches: dict[tuple[Pool, int], Made]) -> None:
    pools = {
        pool: {task.id for (own, _), batch in batches.items() if own == pool for task, _ in batch}
        for pool in ("arena", "training")
    }
    assert all(pools.values()) and not pools["arena"] & pools["training"]


def test_without_the_earlier_tasks_the_same_order_comes_to_the_same(records: ProvingGround) -> None:
    order = Order(pool="arena", round=3)
    first = make(records, order, 0, PRACTICE, [])
    again = make(records, order, 0, PRACTICE, [])
    repeated = make(records, order, 0, PRACTICE, [(task, gold) for task, gold, _ in first.admitted])
    assert [task.id for task in first.tasks] == [task.id for task in again.tasks]
    assert repeated.repeated >= len(first.tasks) and not {task.id for task in repeated.tasks} & {
        task.id for task in first.tasks
    }


def test_a_world_without_fresh_drafts_ends_with_fewer_tasks(
    records: ProvingGround, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = Order(pool="arena", round=4)
    made = make(records, order, 0, PRACTICE, [])

    def few(self: RulesAuthor, kind: str, *_: Any) -> Any:
        return iter([_draft(task) for task in made.tasks] if kind == "practice" else [])

    monkeypatch.setattr(RulesAuthor, "propose_tasks", few)
    report = make(records, order, 2, PRACTICE, [(task, gold) for task, gold, _ in made.admitted])
    assert (report.tasks, report.rejections, report.repeated) == ([], [], len(made.tasks))


def _draft(task: AgentTask) -> TaskDraft:
    return TaskDraft(
        kind=task.kind,
        shape=task.shape,
        request=task.request,
        answer_fields=task.answer_fields,
        program=task.program,
        plan=task.plan,
        level=task.level_asked,
        language=task.language,
    )


def test_the_first_training_order_keeps_the_runs_seed_and_others_have_their_own() -> None:
    orders = [Order(pool=pool, round=number) for pool in ("training", "arena", "holdout") for number in (0, 1, 2)]
    seeds = [draft_seed(order, 7) for order in orders]
    assert seeds[0] == 7 and len(set(seeds)) == len(seeds)
    assert seeds == [draft_seed(order, 7) for order in orders] != [draft_seed(order, 8) for order in orders]


def test_an_order_is_in_the_cache_key() -> None:
    toolset = ToolsetReference(
        theme_id="theme_1", name="music_store", environment_id="env_1", batch_id="b", toolset="t", kept=3, rejected=0
    )
    shared = {
        "toolset": toolset,
        "drafting": DraftingSettings(),
        "solver": SolverSettings(),
        "authors": AuthorSettings(),
        "wanted": 4,
        "seed": 0,
    }
    keys = [depends_on({**shared, "order": order}) for order in (Order(), Order(pool="arena", round=1), Order(round=1))]
    assert keys[0] != keys[1] != keys[2] != keys[0]
