"""Calibration items: balanced, seeded, and as true as the tasks' own checks say."""

from __future__ import annotations

import json

import pytest

from schemas.answers import AnswerField
from schemas.tasks import AgentTask, GoldRun
from tasks.authors.llm.judge.items import CalibrationItem, calibration_items
from tasks.verification.checks import same_value
from tests.tasks.verification.mutants.bakery import ANSWER, FIELDS, proven

UNORDERED = [field.model_copy(update={"ordered": False}) if field.name == "names" else field for field in FIELDS]
NAMED = {f'"{field.name}" ({field.description})': field for field in FIELDS}


def bakeries(*field_lists: list[AnswerField]) -> tuple[list[AgentTask], list[GoldRun]]:
    """Return a task with each of these lists of fields, and their gold runs."""
    subjects = [proven(fields) for fields in field_lists]
    tasks = [subject.task.model_copy(update={"id": f"task_{n}"}) for n, subject in enumerate(subjects)]
    golds = [
        subject.gold.model_copy(update={"task_id": task.id}) for subject, task in zip(subjects, tasks, strict=True)
    ]
    return tasks, golds


@pytest.fixture
def items() -> list[CalibrationItem]:
    return calibration_items(*bakeries(FIELDS, FIELDS[:3], UNORDERED), seed=0, n=40)


def test_half_of_them_hold(items: list[CalibrationItem]) -> None:
    assert len(items) == 40 and sum(item.truth for item in items) == 20
    assert len({item.id for item in items}) == 40


def test_equal_seeds_draw_equal_items(items: list[CalibrationItem]) -> None:
    tasks, golds = bakeries(FIELDS, FIELDS[:3], UNORDERED)
    assert calibration_items(tasks[::-1], golds[::-1], seed=0, n=40) == items
    assert calibration_items(tasks, golds, seed=1, n=40) != items


def test_what_holds_is_what_the_value_says(items: list[CalibrationItem]) -> None:
    """Worked out a second time from the texts that a judge reads."""
    values = [(item, field) for item in items for named, field in NAMED.items() if named in item.statement]
    assert len(values) > 30
    for item, field in values:
        answer = json.loads(item.evidence["answer"])
        ordered = field.ordered and "in any order" not in item.statement
        spec = field.model_dump(include={"type", "item_type", "tolerance"}) | {"ordered": ordered}
        right = field.name in answer and same_value(answer[field.name], ANSWER[field.name], spec)
        assert item.truth == right, item


def test_statements_of_every_field_and_of_the_fields_are_there(items: list[CalibrationItem]) -> None:
    assert {named for item in items for named in NAMED if named in item.statement} == set(NAMED)
    shapes = [item for item in items if item.statement.startswith("The answer has these fields")]
    assert {item.truth for item in shapes} == {True, False}


def test_right_answers_come_in_other_words_too(items: list[CalibrationItem]) -> None:
    wordings = {item.evidence["answer"] for item in items if item.truth}
    assert len(wordings) > 3, "the three gold answers and others"


def test_there_are_no_more_than_the_tasks_give() -> None:
    few = calibration_items(*bakeries(FIELDS[:1]), seed=0, n=40)
    assert 0 < len(few) < 40
    assert sum(item.truth for item in few) * 2 == len(few)
    tasks, _ = bakeries(FIELDS)
    assert calibration_items(tasks, [], seed=0, n=40) == []
