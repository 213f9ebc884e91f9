"""A second witness confirms what its runs agree on, refuses what it knows by heart, and leaves the rest as it was."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from schemas.errors import UsageError
from schemas.proofs import Admission
from schemas.settings import SolverSettings
from tasks.arena.policy import Briefing, Call, Say
from tasks.arena.witness import Witness, policy_at
from tasks.verification.synthesis import SynthesisReport
from tests.tasks.arena.test_consistency import Scripted, replaying
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.test_admission import draft, longest, order


@pytest.fixture(scope="module")
def writing(records: ProvingGround) -> Admission:
    admitted = records.gate(2).prove(draft(longest(order(3))))
    assert isinstance(admitted, Admission)
    return admitted


def heard(ground: ProvingGround, admission: Admission, policy: Scripted, **solver: Any) -> SynthesisReport:
    witness = Witness(policy, ground.world, ground.bundle, SolverSettings(**solver))
    return witness.hear(SynthesisReport([admission], []))


def test_runs_that_agree_confirm(records: ProvingGround, writing: Admission) -> None:
    report = heard(records, writing, Scripted(replaying(writing.gold)), closed_book_runs=0)
    assert [task.assurance for task in report.tasks] == ["confirmed"] and report.rejections == []
    once = heard(records, writing, Scripted(replaying(writing.gold)), closed_book_runs=0, runs=1)
    assert [task.assurance for task in once.tasks] == [writing.task.assurance]


def test_who_does_nothing_confirms_nothing_and_refuses_nothing(records: ProvingGround, writing: Admission) -> None:
    report = heard(records, writing, Scripted(lambda briefing, call, say: None))
    assert report == SynthesisReport([writing], [])


def test_what_is_known_by_heart_is_refused(records: ProvingGround, writing: Admission) -> None:
    """A read-only twin of the task, whose answer alone is judged, and a policy that knows it."""
    checks = [check for check in writing.task.checks if check.type.startswith("answer")]
    read = writing._replace(task=writing.task.model_copy(update={"checks": checks, "requires_change": False}))

    def know(briefing: Briefing, call: Call, say: Say) -> Any:
        return writing.gold.answer

    report = heard(records, read, Scripted(know))
    assert report.tasks == [] and [each.reason for each in report.rejections] == ["known_by_heart"]
    assert "100% of 3 attempts of scripted" in report.rejections[0].detail
    allowed = heard(records, read, Scripted(know), closed_book_rate=1.0)
    assert [task.id for task in allowed.tasks] == [read.task.id]


def test_a_policy_is_made_where_the_setting_points(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("my_policies")
    module.make = lambda: Scripted()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_policies", module)
    assert isinstance(policy_at("my_policies:make"), Scripted)
    for path in ("my_policies:other", "no_such_module:make", "my_policies", "my_policies:__doc__"):
        with pytest.raises(UsageError, match="FACTORY_SOLVER__POLICY") as error:
            policy_at(path)
        assert "\n" not in str(error.value)
