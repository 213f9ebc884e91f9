"""Synthesis end to end on one world: what is admitted, what is refused, and that a seed fixes it all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from schemas.identity import content_id
from schemas.settings import DraftingSettings
from schemas.tasks import AgentTask, TaskDraft
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.lint import lint_leak, lint_request
from tasks.verification.synthesis import SynthesisReport, synthesize
from tests.tasks.proving_ground import ProvingGround

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "example.md"
PINNED = "tasks_9c16a697bc9ccc3e"


WANTED, PRACTICE = 8, 2


def make(ground: ProvingGround, seed: int = 0) -> SynthesisReport:
    drafting = DraftingSettings(practice=PRACTICE)
    author = RulesAuthor(drafting)
    return synthesize(author, ground.world, ground.bundle, ground.setting, drafting, wanted=WANTED, seed=seed)


@pytest.fixture(scope="module")
def report(records: ProvingGround) -> SynthesisReport:
    return make(records)


def test_wanted_tasks_of_both_kinds(report: SynthesisReport) -> None:
    full, practice = report.tasks[:WANTED], report.tasks[WANTED:]
    assert {task.kind for task in full} == {"graph", "programmatic"} and len(practice) == PRACTICE
    assert all(task.gold_calls >= 7 and task.unique_tools >= 2 and (task.level or 0) >= 1 for task in full)
    assert all(task.gold_calls <= 2 and task.level == task.level_asked == 0 for task in practice)
    assert any(task.requires_change for task in full) and not all(task.requires_change for task in full)
    assert [run.task_id for run in report.gold_runs] == [task.id for task in report.tasks]
    assert all(task.assurance == "self_consistent" and task.plan is not None for task in report.tasks)


def test_what_was_tried_on_each_verifier_is_counted(report: SynthesisReport) -> None:
    for task, _, proof in report.admitted:
        assert proof.mutants + proof.heldout_mutants >= 25, task.id
        assert proof.survived == 0 and proof.variants_passed == proof.variants > 0


def test_a_seed_fixes_every_byte_and_another_seed_changes_it(records: ProvingGround, report: SynthesisReport) -> None:
    again, other = make(records), make(records, seed=1)
    assert (again.tasks, again.gold_runs, again.rejections) == (report.tasks, report.gold_runs, report.rejections)
    assert not {task.id for task in other.tasks} & {task.id for task in report.tasks}


def test_the_same_bytes_on_every_python(report: SynthesisReport) -> None:
    """Pinned: 3.11 and 3.12 must agree. Changed on purpose? Raise SYNTHESIZE in schemas/versions.py and pin anew."""
    rows = [row.model_dump(mode="json") for row in (*report.tasks, *report.gold_runs, *report.rejections)]
    assert content_id("tasks", rows) == PINNED


def test_requests_say_nothing_they_must_not(records: ProvingGround, report: SynthesisReport) -> None:
    names = {tool.name for tool in records.tools}
    for task in report.tasks:
        announced = {field.name for field in task.answer_fields}
        assert not names & set(re.findall(r"\w+", task.request))
        assert all(f"“{name}”" in task.request for name in announced)


def test_checks_cover_the_answer_and_the_state(report: SynthesisReport) -> None:
    for task in report.tasks:
        types = [check.type for check in task.checks]
        assert types.count("answer_field") == len(task.answer_fields) and "nothing_else" in types
        assert ("state_change" in types) == task.requires_change
        assert sum(check.points for check in task.checks) == pytest.approx(100)


def test_every_refusal_has_a_reason(report: SynthesisReport) -> None:
    assert all(r.reason and r.stage == "synthesize" and r.payload["request"] for r in report.rejections)


def test_lint_sees_through_a_planted_name_and_leak(records: ProvingGround, report: SynthesisReport) -> None:
    task = report.tasks[0]
    draft = _draft(task)
    assert lint_request(draft, records.environment, records.tools) is None
    assert lint_leak(draft, task.expected_answer) is None
    named = draft.model_copy(update={"request": draft.request + " See album_id."})
    assert lint_request(named, records.environment, records.tools) == ("names_the_machinery", "album_id")
    leaked = draft.model_copy(update={"request": f"{draft.request} It is 48213."})
    assert lint_leak(leaked, {"sum": 48213}) == ("leaks_answer", "sum")
    assert lint_leak(leaked, {"names": ["Aerosmith", "48,213"]}) is None


def _draft(task: AgentTask) -> TaskDraft:

    return TaskDraft(
        kind=task.kind, shape=task.shape, request=task.request, answer_fields=task.answer_fields, program=task.program
    )


def test_the_example_page_shows_real_tasks_and_tools(records: ProvingGround, report: SynthesisReport) -> None:
    page = EXAMPLE.read_text(encoding="utf-8")
    tasks = {task.id: task for task in report.tasks}
    shown = set(re.findall(r"task_[0-9a-f]{16}", page))
    assert len(shown) == 2 and {tasks[name].kind for name in shown} == {"graph", "programmatic"}
    flat = " ".join(page.split())
    for name in shown:
        assert " ".join(tasks[name].request.split()) in flat
        assert json.dumps(tasks[name].expected_answer, ensure_ascii=False) in flat
    source = (records.bundle.path / "tools.py").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def solve" not in block]
    assert blocks and all(part.strip() in source for block in blocks for part in block.split("\n\n\n"))
