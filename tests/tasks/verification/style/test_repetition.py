"""A sentence counts once a task, whatever names, numbers and keys stand in it."""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.tasks import AgentTask
from tasks.verification.style.repetition import Repetition, labels_of
from tests.tasks.pages.test_task import make_task

LABELS = {"Sato Painters", "Dahl Groundskeeping"}


def asking(request: str) -> AgentTask:
    return make_task({}, request)[0]


def test_names_numbers_and_keys_are_masked() -> None:
    repetition = Repetition()
    repetition.add(
        [
            asking("“weights” holds how many there were. Assign the 3 tickets of Sato Painters. Thanks."),
            asking("Assign the 12 tickets of Dahl Groundskeeping. We need it by Monday."),
            asking("Thanks. Thanks. What do we owe to Sato Painters?"),
            asking("What is left?"),
        ],
        LABELS,
    )
    assert repetition.share() == 0.5
    assert dict(repetition.most_common(2)) == {"assign the _ tickets of _.": 2, "thanks.": 2}


def test_no_task_repeats_nothing() -> None:
    assert Repetition().share() == 0


def test_labels_are_what_rows_are_called() -> None:
    name = ColumnProfile(name="name", type="text", role="label", nullable=True, distinct=2, words="name")
    crews = TableProfile(name="crews", singular="crew", plural="crews", kind="reference", rows=3, columns=[name], key="name",
                         key_is_opaque=False, foreign_keys=[], label="name")  # fmt: skip
    frames = {"crews": pl.DataFrame({"name": ["Sato Painters", None, "Dahl Groundskeeping"]})}
    assert labels_of(WorldProfile(tables=[crews], sampling=[]), frames) == LABELS
