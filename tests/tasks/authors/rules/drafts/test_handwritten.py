"""Ten tasks by hand: each passes the gate, and no call of any can be left out."""

from __future__ import annotations

import pytest

from schemas.programs import Call
from schemas.records import Rejection
from schemas.tasks import TaskDraft
from tests.tasks.authors.rules.drafts.handwritten import handwritten_tasks
from tests.tasks.proving_ground import ProvingGround

DRAFTS = handwritten_tasks()


@pytest.mark.parametrize("draft", DRAFTS, ids=[draft.shape for draft in DRAFTS])
def test_every_call_is_necessary(flights: ProvingGround, draft: TaskDraft) -> None:
    admitted = flights.gate().prove(draft)
    assert not isinstance(admitted, Rejection), f"{admitted.reason}: {admitted.detail}"
    task, gold, _ = admitted
    assert task.gold_calls == len(gold.steps) >= 7


@pytest.mark.parametrize("draft", DRAFTS, ids=[draft.shape for draft in DRAFTS])
def test_a_lookup_that_nothing_uses_is_found(flights: ProvingGround, draft: TaskDraft) -> None:
    """The same tasks with an idle call put in front, which the hand trial taught to look for."""
    idle = Call(bind="idle", tool="search_bookings", arguments={})
    padded = draft.model_copy(
        update={"program": draft.program.model_copy(update={"body": (idle, *draft.program.body)})}
    )
    refused = flights.gate().prove(padded)
    assert isinstance(refused, Rejection)
    assert (refused.reason, refused.detail) == ("unnecessary_call", "0: search_bookings")
