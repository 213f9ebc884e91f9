"""The writer's drafts come first, within their number; the floor's follow, and none twice."""

from __future__ import annotations

import pytest

from schemas.tasks import DraftKind
from tasks.authors.llm.model import BudgetSpent
from tasks.authors.llm.writer.agent import propose_tasks
from tests.tasks.authors.llm.scripted import ScriptedModel
from tests.tasks.authors.llm.writer.songs import FIRST, final, longest, proposed
from tests.tasks.proving_ground import ProvingGround

FLOOR = [longest(count) for count in (4, 5, 6)]


def authors(records: ProvingGround, kind: DraftKind, model: ScriptedModel, drafts: int) -> list[tuple[str, str]]:
    found = propose_tasks(model, kind, records.setting, iter(FLOOR), drafts, 6, 0)
    return [(draft.author, draft.shape) for draft in found]


def test_programs_come_first_then_rewordings_then_the_floor(records: ProvingGround) -> None:
    model = ScriptedModel("writer", [proposed(), FIRST, final()])
    found = authors(records, "programmatic", model, 2)
    assert found == [("llm", "written"), ("llm", "planted"), ("rules", "planted"), ("rules", "planted")]


@pytest.mark.parametrize("kind", ["graph", "document"])
def test_other_kinds_are_reworded_only(records: ProvingGround, kind: DraftKind) -> None:
    model = ScriptedModel("writer", [FIRST, final()])
    assert authors(records, kind, model, 1) == [("llm", "planted"), ("rules", "planted"), ("rules", "planted")]


def test_practice_tasks_are_the_floors(records: ProvingGround) -> None:
    assert authors(records, "practice", ScriptedModel("writer"), 3) == [("rules", "planted")] * 3


def test_a_spent_budget_leaves_the_floor(records: ProvingGround) -> None:
    model = ScriptedModel("writer", [BudgetSpent("spent"), BudgetSpent("spent")])
    assert authors(records, "programmatic", model, 4) == [("rules", "planted")] * 3
