"""Tasks that policies try: proven ones of the smallest world."""

from __future__ import annotations

import pytest

from schemas.settings import DraftingSettings
from schemas.tasks import AgentTask, GoldRun
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.synthesis import synthesize
from tests.tasks.proving_ground import ProvingGround

Proven = list[tuple[AgentTask, GoldRun]]


@pytest.fixture(scope="session")
def proven(records: ProvingGround) -> Proven:
    """Tasks with their gold runs."""
    drafting = DraftingSettings(practice=1)
    author = RulesAuthor(drafting)
    report = synthesize(author, records.world, records.bundle, records.setting, drafting, wanted=8, seed=0)
    return list(zip(report.tasks, report.gold_runs, strict=True))
