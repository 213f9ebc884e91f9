"""A second witness confirms what its runs agree on, refuses what it knows by heart, and leaves the rest as it was."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from schemas.errors import UsageError
from schemas.proofs import Admission
from schemas.records import Rejection
from schemas.settings import DraftingSettings, SolverSettings
from schemas.tasks import DraftKind, TaskDraft
from tasks.arena.policy import Briefing, Call, Say
from tasks.arena.witness import Witness, policy_at
from tasks.authors.base import Setting
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.synthesis import Hear, SynthesisReport, synthesize, unheard
from tests.tasks.arena.test_consistency import Scripted, replaying
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.test_admission import draft, longest, order


@pytest.fixture(scope="module")
def writing(records: ProvingGround) -> Admission:
    admitted = records.gate(2).prove(draft(longest(order(3))))
    assert isinstance(admitted, Admission)
    return admitted


def heard(ground: ProvingGround, admission: Admission, policy: Scripted, **solver: Any) -> Admission | Rejection:
    return Witness(policy, ground.world, ground.bundle, SolverSettings(**solver)).hear(admission)


def test_runs_that_agree_confirm(records: ProvingGround, writing: Admission) -> None:
    found = heard(records, writing, Scripted(replaying(writing.gold)), closed_book_runs=0)
    assert isinstance(found, Admission) and found.task.assurance == "confirmed"
    assert found._replace(task=writing.task) == writing
    assert heard(records, writing, Scripted(replaying(writing.gold)), closed_book_runs=0, runs=1) == writing


def test_who_does_nothing_confirms_nothing_and_refuses_nothing(records: ProvingGround, writing: Admission) -> None:
    assert heard(records, writing, Scripted(lambda briefing, call, say: None)) == writing


def test_what_is_known_by_heart_is_refused(records: ProvingGround, writing: Admission) -> None:
    """A read-only twin of the task, whose answer alone is judged, and a policy that knows it."""
    checks = [check for check in writing.task.checks if check.type.startswith("answer")]
    read = writing._replace(task=writing.task.model_copy(update={"checks": checks, "requires_change": False}))

    def know(briefing: Briefing, call: Call, say: Say) -> Any:
        return writing.gold.answer

    refused = heard(records, read, Scripted(know))
    assert isinstance(refused, Rejection) and refused.reason == "known_by_heart"
    assert "100% of 3 attempts of scripted" in refused.detail
    allowed = heard(records, read, Scripted(know), closed_book_rate=1.0)
    assert isinstance(allowed, Admission) and allowed.task.id == read.task.id


def drafting(records: ProvingGround, hear: Hear) -> SynthesisReport:
    """Synthesis by an author whose one draft has no plan, as a model writes it."""

    class Writer(RulesAuthor):
        def propose_tasks(self, kind: DraftKind, setting: Setting, seed: int) -> Iterator[TaskDraft]:
            if kind == "graph":
                yield draft(longest(order(3))).model_copy(update={"author": "llm", "plan": None})

    settings = DraftingSettings(minimum_calls=2)
    setting = records.setting
    return synthesize(Writer(), records.world, records.bundle, setting, settings, wanted=2, seed=0, hear=hear)


def test_a_request_that_nobody_vouches_for_is_refused(records: ProvingGround) -> None:
    report = drafting(records, unheard)
    assert report.tasks == []
    assert [(each.reason, each.author) for each in report.rejections] == [("unvouched", "llm")]


def test_a_request_that_runs_confirm_is_admitted(records: ProvingGround, writing: Admission) -> None:
    solver = SolverSettings(closed_book_runs=0)
    (task,) = drafting(
        records, Witness(Scripted(replaying(writing.gold)), records.world, records.bundle, solver).hear
    ).tasks
    assert (task.assurance, task.author) == ("confirmed", "llm")


def test_a_policy_is_made_where_the_setting_points(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("my_policies")
    module.make = lambda: Scripted()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_policies", module)
    assert isinstance(policy_at("my_policies:make"), Scripted)
    for path in ("my_policies:other", "no_such_module:make", "my_policies", "my_policies:__doc__"):
        with pytest.raises(UsageError, match="FACTORY_SOLVER__POLICY") as error:
            policy_at(path)
        assert "\n" not in str(error.value)
