"""The gate's refusals: a closed list of reasons, and the exception that carries one out of a proof."""

from __future__ import annotations

from schemas.identity import content_id
from schemas.records import Rejection
from schemas.tasks import AgentTask, TaskDraft

Fault = tuple[str, str]
"""A reason of the list below, and where it was found."""
REASONS = {
    "answer_field_is_a_name": "an answer field is called like a tool, table or column",
    "names_the_machinery": "the request names a tool, table or column",
    "uses_unknown_id": "a call's constant is an id that no person knows",
    "leaks_answer": "the request contains a value of the answer",
    "unsaid_constant": "a value that the request must state, since nobody can find it out, is missing in it",
    "steps_not_goals": "the request gives orders step by step instead of a goal",
    "no_plan": "the draft doesn't say what its request wants, so no reader can be compared with it",
    "unreadable": "no plan can be read from the request's words",
    "reads_differently": "the plan read from the request's words is another one than the draft's",
    "solves_differently": "the plan that was read, worked out apart, gives another answer or state than the gold run",
    "ambiguous": "the request's words fit more than one row",
    "order_matters": "the request states no order of rows, and another one gives another answer or state",
    "rounding": "how halves are rounded decides the answer",
    "moment": "whether a thing is looked for before anything is done or afterwards decides the answer",
    "boundary": "whether a first or last date counts decides the answer or the state",
    "spelling": "the world has a text of the request in another spelling too, which gives another answer or state",
    "from_memory": "nothing but mined rows is read: who knows the subject may know the answer",
    "program_fails": "the program does not run to an answer",
    "tie": "more than one answer would be right",
    "call_refused": "a call of the gold run was refused by its tool",
    "too_few_calls": "fewer calls suffice than were asked for",
    "too_many_calls": "more calls than a gold run may have",
    "repeated_call": "the same read twice with the same outcome",
    "empty_answer": "a field of the answer is empty",
    "replay_differs": "a replay gave another observation, answer or state",
    "depends_on_clock": "an idle call beforehand changes the answer: a clock or minted id is in it",
    "unnecessary_call": "a call can be left out and the verdict stays",
    "gold_fails": "the verifier does not pass the gold run",
    "passes_nothing_done": "doing nothing passes",
    "passes_random_answer": "a random answer passes",
    "passes_empty_answer": "an empty answer passes",
    "mutant_survives": "a wrong attempt passes",
    "variant_fails": "a right attempt by another way fails",
    "too_few_mutants": "hardly any wrong attempts could be made",
    "duplicate": "a task that was admitted before is the same, or nearly",
    "known_by_heart": "a solver without tools knows the answer",
    "unvouched": "a model wrote the request, and no solver's runs confirm it",
}
"""Closed list of reasons: code → what it means."""


class Refused(Exception):
    """The gate's no."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


def refuse_if(fault: Fault | None) -> None:
    """Raise Refused for a fault; None is none."""
    if fault is not None:
        raise Refused(*fault)


def rejection_of(
    refused: TaskDraft | AgentTask, task_id: str, environment_id: str, reason: str, detail: str
) -> Rejection:
    """Return the record of a draft's or task's refusal."""
    return Rejection(
        id=content_id("rejection", task_id, reason),
        stage="synthesize",
        subject_kind="task",
        subject_id=task_id,
        environment_id=environment_id,
        reason=reason,
        detail=detail,
        payload={"kind": refused.kind, "shape": refused.shape, "request": refused.request},
        author=refused.author,
    )
