"""Wrong answers: every one differs from the gold one in what its name says, and the factory's checks fail it."""

from __future__ import annotations

import random

import pytest

from tasks.verification.mutants.answers import CHANGES, beside, changed_fields, of_the_row_beside, other_fields
from tests.tasks.verification.mutants.bakery import ANSWER, FIELDS, proven

EXPECTED = {
    "answer_one_unit_off": {"left", "mean", "day", "at", "fresh"},
    "answer_another_unit": {"left", "mean"},
    "answer_empty": {field.name for field in FIELDS},
    "answer_in_disorder": {"names"},
    "answer_too_few_or_many": {"names"},
}


@pytest.mark.parametrize("operator", sorted(CHANGES))
def test_one_field_alone_is_changed(operator: str) -> None:
    mutants = list(changed_fields(operator, proven()))
    changed = [{name for name in ANSWER if mutant.answer[name] != ANSWER[name]} for mutant in mutants]
    assert all(len(names) == 1 for names in changed)
    assert set.union(*changed) == EXPECTED[operator]
    assert all(mutant.diff == proven().diff for mutant in mutants)


def test_units_are_those_of_the_type() -> None:
    mutants = list(changed_fields("answer_one_unit_off", proven()))
    values = {
        name: {mutant.answer[name] for mutant in mutants} - {ANSWER[name]} for name in ("left", "mean", "day", "at")
    }
    assert values["left"] == {2, 4}
    assert all(abs(value - 2.5) > 0.01 for value in values["mean"]), "beyond the tolerance"
    assert values["day"] == {"2026-01-30", "2026-02-01"}
    assert values["at"] == {"2026-01-31T23:58:00", "2026-02-01T00:00:00"}


def test_the_row_beside_gives_its_value() -> None:
    texts = {mutant.answer["bread"] for mutant in of_the_row_beside(proven())} - {"rye"}
    assert texts == {"spelt"}


def test_fields_go_missing_are_added_and_exchanged() -> None:
    told = [mutant.what for mutant in other_fields(proven())]
    assert "left missing" in told and "one field too many" in told and "bread and other_bread exchanged" in told
    sizes = {len(mutant.answer) for mutant in other_fields(proven())}
    assert sizes == {len(FIELDS) - 1, len(FIELDS), len(FIELDS) + 1}


def test_equal_tasks_give_equal_mutants() -> None:
    for operator in CHANGES:
        assert list(changed_fields(operator, proven())) == list(changed_fields(operator, proven()))


@pytest.mark.parametrize("large", [2**63, -(2**70)])
def test_a_number_that_no_column_holds_has_no_row_beside(large: int) -> None:
    assert beside(proven(), 4, random.Random(0)) == 9
    assert beside(proven(), large, random.Random(0)) is None
