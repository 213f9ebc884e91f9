"""Wrong changes: each leaves another state than the gold run, in rows that the task does not touch or in its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tasks.verification.mutants import changes
from tasks.verification.mutants.meaning import same_change
from tasks.verification.mutants.subject import Mutant, Proven
from tests.tasks.verification.mutants.bakery import CHANGE, CONTRACT, proven

Operator = Callable[[Proven], Iterator[Mutant]]
COLLATERAL = {
    "updated": changes.collateral_edit,
    "inserted": changes.collateral_insert,
    "deleted": changes.collateral_delete,
}


@pytest.mark.parametrize("kind", sorted(COLLATERAL))
def test_a_collateral_change_leaves_the_tasks_own_rows_alone(kind: str) -> None:
    mutants = list(COLLATERAL[kind](proven()))
    assert {mutant.what for mutant in mutants} == {f"one more row of {table} {kind}" for table in ("loaves", "sales")}
    for mutant in mutants:
        for table, change in CHANGE.items():
            for own in ("inserted", "updated", "deleted"):
                assert mutant.diff[table][own][: len(change[own])] == change[own]
        more = [
            row for table in ("loaves", "sales") for row in mutant.diff[table][kind] if row not in CHANGE[table][kind]
        ]
        assert len(more) == 1
        key = more[0]["key"] if kind == "updated" else more[0].get("sale_id") or more[0].get("loaf_id")
        assert key not in (1, "s1", "s3"), "the task's own rows"


@pytest.mark.parametrize(
    "make", [changes.half_done, changes.wrong_row, changes.wrong_value], ids=lambda make: make.__name__
)
def test_a_bent_change_is_another_change(make: Operator) -> None:
    mutants = list(make(proven()))
    assert mutants
    assert not any(same_change(mutant.diff, CHANGE, CONTRACT) for mutant in mutants)
    assert all(mutant.answer == proven().answer for mutant in mutants)


def test_every_part_is_left_out_once() -> None:
    told = sorted(mutant.what for mutant in changes.half_done(proven()))
    assert told == ["one row of loaves not updated", "one row of sales not deleted", "one row of sales not inserted"]


def test_what_no_verdict_looks_at_is_not_bent() -> None:
    assert not any("sold_at" in mutant.what or "sale_id" in mutant.what for mutant in changes.wrong_value(proven()))


def test_nothing_done_where_the_task_asks_for_an_answer_alone() -> None:
    assert [mutant.what for mutant in changes.nothing_done(proven(change={}))] == ["no answer and no change"]
    assert len(list(changes.nothing_done(proven()))) == 3


def test_the_gold_change_is_never_edited_in_place() -> None:
    subject = proven()
    before = repr(subject.diff)
    for make in (*COLLATERAL.values(), changes.half_done, changes.wrong_row, changes.wrong_value):
        list(make(subject))
    assert repr(subject.diff) == before
