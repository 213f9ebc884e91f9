"""A model's own tasks: what is accepted runs, says all that it must, and its verifier judges as the checks do."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.records import Rejection
from schemas.tasks import TaskDraft
from tasks.authors.decompiler import read_program
from tasks.authors.llm.model import BudgetSpent, Unusable
from tasks.authors.llm.writer.programs import write_programs
from tasks.authors.llm.writer.proposals import ProposedField
from tests.tasks.authors.llm.scripted import ScriptedModel, call
from tests.tasks.authors.llm.writer.songs import READING, VERIFYING, proposed, proposed_change
from tests.tasks.proving_ground import ProvingGround


def written(
    records: ProvingGround, *script: Any, count: int = 1, turns: int = 6
) -> tuple[list[TaskDraft], ScriptedModel]:
    model = ScriptedModel("writer", script)
    return list(write_programs(model, records.setting, count, turns, 0)), model


def test_a_task_of_a_model_is_proposed_and_admitted(records: ProvingGround) -> None:
    (draft,), model = written(records, proposed())
    assert draft.program == read_program(READING) and (draft.author, draft.plan, draft.shape) == (
        "llm",
        None,
        "written",
    )
    assert draft.constants == [8]
    assert [(each.kind, each.outcome, each.name) for each in model.contributions] == [
        ("task", "kept", records.gate().task_id(draft))
    ]
    admitted = records.gate().prove(draft)
    assert not isinstance(admitted, Rejection), admitted.detail


def test_a_task_that_changes_records_is_proposed(records: ProvingGround) -> None:
    (draft,), _ = written(records, proposed_change())
    assert draft.constants == ["draft", 0, 4]
    admitted = records.gate().prove(draft)
    assert not isinstance(admitted, Rejection), admitted.detail
    assert admitted.task.requires_change


FAULTS: dict[str, Any] = {
    "unsupported_python": {"solution": "import os\n" + READING},
    "unknown_tool": {"solution": READING.replace("get_track", "get_song")},
    "other_fields": {"answer_fields": [ProposedField(name="bytes", type="integer", holds="bytes")]},
    "wrong_type": {"answer_fields": [ProposedField(name="bytes_in_all", type="text", holds="bytes")]},
    "program_fails": {"solution": READING.replace('track["file_size"]', 'track["bytes"]')},
    "call_refused": {"solution": READING.replace('row["track_id"]', "99999999")},
    "too_few_calls": {"solution": READING.replace("[:8]", "[:3]")},
    "unsaid_constant": {"request": proposed().request.replace("eight longest", "longest")},
    "leaks_answer": {},
    "verifier_disagrees": {"verifier": VERIFYING.replace("== {", "!= {")},
}


@pytest.mark.parametrize("gate", sorted(set(FAULTS) - {"leaks_answer"}))
def test_a_fault_goes_back_and_is_repaired_or_refused(records: ProvingGround, gate: str) -> None:
    wrong = proposed(**FAULTS[gate])
    drafts, model = written(records, wrong, proposed())
    assert len(drafts) == 1 and gate in model.seen[1][-1].content
    drafts, model = written(records, wrong, wrong, turns=2)
    assert drafts == [] and [(each.outcome, each.gate) for each in model.contributions] == [("refused", gate)]


DISAGREEING = {
    "accepts everything": ("def verify(answer, before, after):\n    return True\n", "accepts an empty answer"),
    "accepts another value": (
        "def verify(answer, before, after):\n    return set(answer) == {'copies_in_all'}\n",
        "accepts an answer with another copies_in_all",
    ),
    "does not look at the state": (
        "def verify(answer, before, after):\n"
        "    rows = sorted((r for r in before['purchase_orders'] if r['status'] == 'draft'), key=lambda r: r['created_at'])\n"
        "    return answer == {'copies_in_all': sum(r['quantity'] for r in rows[:4])}\n",
        "accepts the right answer with nothing changed",
    ),
    "refuses everything": ("def verify(answer, before, after):\n    return False\n", "refuses the right answer"),
    "fails": ("def verify(answer, before, after):\n    return before['songs']\n", "fails with KeyError"),
    "is not there": ("x = 1\n", "NameError"),
    "is not Python": ("def verify(:\n", "does not run"),
    "never ends": ("def verify(answer, before, after):\n    raise SystemExit\n", "does not run"),
}


@pytest.mark.parametrize("name", sorted(DISAGREEING))
def test_a_verifier_that_judges_otherwise_refuses_the_task(records: ProvingGround, name: str) -> None:
    verifier, why = DISAGREEING[name]
    drafts, model = written(records, proposed_change(verifier=verifier), turns=1)
    assert drafts == [] and model.contributions[0].gate == "verifier_disagrees"
    assert why in model.contributions[0].detail


def test_the_verifier_runs_in_the_sandbox(records: ProvingGround) -> None:
    reaching = "import socket\nsocket.create_connection(('127.0.0.1', 9))\n" + VERIFYING
    drafts, model = written(records, proposed(verifier=reaching), turns=1)
    assert drafts == [] and model.contributions[0].gate == "verifier_disagrees"
    assert "Permission" in model.contributions[0].detail or "not permitted" in model.contributions[0].detail


def test_tools_can_be_tried_before(records: ProvingGround) -> None:
    tried = call("try_tool", tool="top_tracks", arguments={"measure": "duration", "count": 1})
    drafts, model = written(records, tried, call("try_tool", tool="rm", arguments={}), proposed())
    assert len(drafts) == 1
    assert '"items"' in model.seen[1][-1].content and "failed" in model.seen[2][-1].content


def test_the_budget_ends_it_with_what_there_is(records: ProvingGround) -> None:
    drafts, model = written(records, proposed(), BudgetSpent("spent"), count=5)
    assert len(drafts) == 1 and len(model.contributions) == 1


def test_what_comes_to_nothing_is_reported(records: ProvingGround) -> None:
    tried = call("try_tool", tool="top_tracks", arguments={})
    drafts, model = written(records, Unusable("empty", "no content"), tried, tried, count=2, turns=2)
    assert drafts == []
    assert [(each.name, each.gate) for each in model.contributions] == [
        ("written 1", "unusable"),
        ("written 2", "out_of_turns"),
    ]


def test_each_task_starts_from_tables_of_its_own(records: ProvingGround) -> None:
    nothing = [Unusable("empty", "")] * 6
    _, model = written(records, *nothing, count=6)
    _, again = written(records, *nothing, count=6)
    tasks = [messages[1].content for messages in model.seen]
    assert tasks == [messages[1].content for messages in again.seen] and len(set(tasks)) > 2
    assert model.attempts == [0, 1, 2, 3, 4, 5]  # where the tables are the same, another sample is drawn
    assert ["in Chinese" in task for task in tasks] == [False, False, False, False, True, False]
