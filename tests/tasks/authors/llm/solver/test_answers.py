"""Answers: told with their types, kept as they are given, and held to agree by type."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.answers import AnswerField
from tasks.arena.closed_book import recall
from tasks.arena.consistency import weigh
from tasks.arena.policy import Briefing
from tasks.authors.llm.solver.agent import EndpointPolicy
from tasks.authors.llm.solver.proposals import answer_of, answer_type, form_of
from tests.tasks.authors.llm.solver.solving import Given, ScriptedSolver
from tests.tasks.verification.mutants.bakery import ANSWER, CONTRACT, FIELDS, proven

UNORDERED = [field.model_copy(update={"ordered": False}) if field.name == "names" else field for field in FIELDS]
IN_OTHER_WORDS: list[dict[str, Any]] = [
    {"left": "3"},
    {"mean": "2.505"},
    {"mean": 2.495, "left": 3.0},
    {"day": "2026-01-31T00:00:00", "at": "2026-01-31 23:59:00Z"},
    {"names": ["oat", "rye", "spelt"], "bread": " RYE "},
]
OTHER: list[dict[str, Any]] = [
    {"left": "4"},
    {"mean": 2.52},
    {"day": "2026-02-01"},
    {"names": ["oat", "rye", "rye"]},
    {"fresh": "yes"},
]


def announced(*fields: AnswerField) -> list[dict[str, Any]]:
    return Briefing.of(proven().task.model_copy(update={"answer_fields": list(fields)}), []).answer_fields


def test_right_answers_agree_by_type_and_not_by_text() -> None:
    task = proven(UNORDERED, change={}).task
    script = [Given(answer=ANSWER | change) for change in (*IN_OTHER_WORDS, *OTHER)]
    policy = EndpointPolicy(ScriptedSolver("solver", script), turns=1)
    rollouts = [recall(policy, task, CONTRACT, number) for number in range(len(script))]
    found = weigh(task, rollouts)
    assert [rollout.verdict.outcome for rollout in rollouts] == ["pass"] * len(IN_OTHER_WORDS) + ["fail"] * len(OTHER)
    assert (found.passed, found.agreeing) == (len(IN_OTHER_WORDS), len(IN_OTHER_WORDS))


def test_a_model_is_told_names_types_units_and_forms() -> None:
    weight = AnswerField(name="copy", type="number", description="what it weighs", unit="kilograms", tolerance=0.1)
    days = AnswerField(name="model_days", type="list", item_type="date", description="the days", ordered=False)
    schema = answer_type(announced(weight, days, FIELDS[0])).model_json_schema()
    assert schema["required"] == ["copy", "model_days", "bread"] and schema["additionalProperties"] is False
    told = schema["properties"]
    assert (told["copy"]["type"], told["bread"]["type"]) == ("number", "string")
    assert (told["model_days"]["type"], told["model_days"]["items"]) == ("array", {"type": "string"})
    assert "kilograms" in told["copy"]["description"] and "what it weighs" in told["copy"]["description"]
    assert "YYYY-MM-DD" in told["model_days"]["description"]
    assert form_of(announced(weight)[0]) == "number, in kilograms"


@pytest.mark.parametrize("given", [{}, {"left": 3, "right": 4}, {"field_0": 3}], ids=["missing", "more", "attribute"])
def test_names_are_held_to(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        answer_type(announced(FIELDS[2])).model_validate(given)


@pytest.mark.parametrize("value", ["3", 3, 3.5, True, None, ["3"], {"left": 3}], ids=repr)
def test_values_are_kept_as_they_are_given(value: Any) -> None:
    answer = answer_of(answer_type(announced(FIELDS[2])).model_validate({"left": value}))
    assert answer == {"left": value} and type(answer["left"]) is type(value)
