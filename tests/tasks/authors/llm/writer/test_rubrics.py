"""A rubric is written when the answer is known; each statement names what it is about."""

from __future__ import annotations

from tasks.authors.llm.writer.proposals import ProposedRubric, RubricItem
from tasks.authors.llm.writer.rubrics import LONGEST, MOST_STATEMENTS, write_rubric
from tests.tasks.authors.llm.scripted import ScriptedModel
from tests.tasks.verification.mutants.bakery import FIELDS, proven

SUBJECT = proven(FIELDS[:3])
KEYS = "bread, other_bread and left"


def rubric(*items: tuple[str, str]) -> ProposedRubric:
    return ProposedRubric(items=[RubricItem(key=key, statement=statement) for key, statement in items])


def gates(proposed: ProposedRubric) -> list[str]:
    found = write_rubric(ScriptedModel("writer", [proposed]), SUBJECT.task, SUBJECT.gold)
    assert len(found) == len(proposed.items)
    return [fault[0] if fault else "" for _, fault in found]


def test_a_statement_of_each_key_and_one_of_the_keys() -> None:
    all_keys = 'Only "bread", "other_bread" and "left" are there.'
    model = ScriptedModel("writer", [rubric(("left", 'What is "left"\n is 3.'), ("", all_keys))])
    found = write_rubric(model, SUBJECT.task, SUBJECT.gold)
    assert [(each.field, each.statement, fault) for each, fault in found] == [
        ("left", 'What is "left" is 3.', None),
        ("", all_keys, None),
    ]
    told = model.seen[0][-1].content
    assert SUBJECT.task.request in told and '"left": 3' in told and "left (whole number)" in told


def test_statements_of_nothing_that_is_asked_for_are_refused() -> None:
    twice = rubric(("left", '"left" is 3.'), ("left", '"left" is 3.'))
    assert gates(twice) == ["", "repeated"]
    assert gates(rubric(("right", '"right" is 3.'), ("left", "It is 3."))) == ["unknown_field", "unnamed"]
    assert gates(rubric(("", f"There are {KEYS}."))) == ["unnamed"]
    assert gates(rubric(("left", '"left" is 3.' + " " * LONGEST + "x" * LONGEST))) == ["too_long"]


def test_a_rubric_has_an_end() -> None:
    subject = proven()
    items = [(field.name, f'"{field.name}" is as it is.') for field in FIELDS]
    assert len(items) == MOST_STATEMENTS
    proposed = rubric(*items, ("", " ".join(f'"{field.name}"' for field in FIELDS)))
    found = write_rubric(ScriptedModel("writer", [proposed]), subject.task, subject.gold)
    assert [fault[0] if fault else "" for _, fault in found] == [""] * MOST_STATEMENTS + ["too_many"]
