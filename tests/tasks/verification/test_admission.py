"""The gate refuses each kind of broken draft, with the right reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from schemas.answers import AnswerField, ValueType
from schemas.programs import (
    Aggregate,
    Arithmetic,
    Call,
    Const,
    Distinct,
    Expression,
    If,
    NewList,
    Program,
    Ref,
    Refused,
    Statement,
)
from schemas.records import Rejection
from schemas.tasks import GoldRun, TaskDraft
from tasks.verification import admission
from tasks.verification.mutants.evidence import FEWEST_MUTANTS
from tasks.verification.refusals import REASONS
from tasks.verification.replay import reprove
from tasks.verification.rubrics import build_checks
from tests.tasks.authors.rules.drafts.handwritten import at, call, each, first, keep, total
from tests.tasks.proving_ground import ProvingGround

ITEMS = at("page.items")


def draft(
    body: tuple[Statement, ...],
    request: str = "How large are the four longest songs together?",
    name: str = "bytes_in_all",
    kind: ValueType = "integer",
    value: Expression = Aggregate(function="sum", over=Ref(name="times")),
) -> TaskDraft:
    fields = [AnswerField(name=name, type=kind, description="bytes of the songs", tolerance=0.01)]
    return TaskDraft(
        kind="programmatic",
        shape="planted",
        request=request,
        answer_fields=fields,
        program=Program(body=body, answer={name: value}),
    )


def longest(*more: Statement, measure: str = "duration", count: int = 4, ties: bool = True) -> tuple[Statement, ...]:
    """A sound task: the four longest tracks, each looked up."""
    return (
        call("page", "top_tracks", measure=measure, count=count + 1),
        *first("rows", "page.items", count, measure)[0 if ties else 1 :],
        NewList(bind="times"),
        each("row", "rows", call("track", "get_track", track_id=at("row.track_id")), keep("times", "track.file_size")),
        *more,
    )


def shown_already() -> tuple[Statement, ...]:
    """The lookups are of what the ranking shows already."""
    page, *rest = longest()
    loop = each("row", "rows", call("track", "get_track", track_id=at("row.track_id")), keep("times", "track.duration"))
    return (page, *rest[:-1], loop)


def order(quantity: int) -> Call:
    """An order for the album of the last track."""
    return call("order", "create_purchase_order", album_id=at("track.album_id"), quantity=quantity)


SOUND = longest()


def test_the_sound_draft_passes_and_proves_again(records: ProvingGround) -> None:
    admitted = records.gate(5).prove(draft(SOUND))
    assert not isinstance(admitted, Rejection), admitted.detail
    task, gold, proof = admitted
    assert (task.gold_calls, task.requires_change, [c.type for c in task.checks]) == (
        5,
        False,
        ["answer_keys", "answer_field", "nothing_else"],
    )
    assert proof.mutants + proof.heldout_mutants >= FEWEST_MUTANTS and proof.survived == 0
    assert proof.variants == proof.variants_passed > 3 and proof.steps > 5 and proof.cpu_s > 0
    assert reprove(records.world, records.bundle, task, gold) is None


PLANTED: dict[str, Callable[[], TaskDraft]] = {
    "answer_field_is_a_name": lambda: draft(SOUND, name="duration"),
    "names_the_machinery": lambda: draft(SOUND, request="How large are the first of top_tracks?"),
    "uses_unknown_id": lambda: draft((*SOUND, call("album", "get_album", album_id=3))),
    "program_fails": lambda: draft(SOUND, value=at("times.99")),
    "tie": lambda: draft(longest(measure="track_price")),
    "call_refused": lambda: draft(longest(order(10_000))),
    "too_few_calls": lambda: draft(longest(count=2)),
    "too_many_calls for practice": lambda: draft(SOUND).model_copy(update={"level": 0}),
    "too_few_calls by a shortcut": lambda: draft(shown_already()),
    "too_many_calls": lambda: draft(
        (
            call("page", "search_tracks", limit=50),
            NewList(bind="times"),
            *[
                each(
                    "row",
                    "page.items",
                    call("track", "get_track", track_id=at("row.track_id")),
                    keep("times", "track.file_size"),
                ),
                call("more", "search_tracks", limit=50, offset=50),
                each(
                    "row",
                    "more.items",
                    call("track", "get_track", track_id=at("row.track_id")),
                    keep("times", "track.file_size"),
                ),
            ],
        )
    ),
    "repeated_call": lambda: draft(
        longest(call("again", "get_track", track_id=at("row.track_id")), keep("times", "again.file_size"))
    ),
    "empty_answer": lambda: draft(SOUND, kind="text", value=Const(value="")),
    "leaks_answer": lambda: draft(
        SOUND, request="Is the total of the four longest 16123456?", value=Const(value=16123456)
    ),
    "unsaid_constant": lambda: draft(SOUND).model_copy(update={"constants": [4, "Ingrid Haddad"]}),
    "unnecessary_call": lambda: draft(longest(call("idle", "search_albums", limit=1))),
    "depends_on_clock": lambda: draft(longest(order(1)), kind="datetime", value=at("order.created_at")),
    "passes_random_answer": lambda: draft(
        SOUND, value=Arithmetic(operator="-", left=total("times"), right=total("times"))
    ),
}


@pytest.mark.parametrize("reason", sorted(PLANTED))
def test_planted_faults_are_refused_with_the_right_reason(records: ProvingGround, reason: str) -> None:
    refused = records.gate(5).prove(PLANTED[reason]())
    assert isinstance(refused, Rejection)
    reason, _, _ = reason.partition(" ")
    assert refused.reason == reason, refused.detail
    assert reason in REASONS and refused.stage == "synthesize" and refused.environment_id == records.environment.id


def test_practice_needs_no_more_than_a_call_or_two(records: ProvingGround) -> None:
    body = (call("page", "top_tracks", measure="duration", count=2), Distinct(over=ITEMS, path="duration", count=1))
    looked_up = call("track", "get_track", track_id=at("page.items.0.track_id"))
    short = draft((*body, looked_up), value=at("track.file_size"))
    admitted = records.gate(5).prove(short.model_copy(update={"level": 0}))
    assert not isinstance(admitted, Rejection), admitted.detail
    assert (admitted.task.level, admitted.task.level_asked, admitted.task.gold_calls) == (0, 0, 2)
    refused = records.gate(5).prove(short)
    assert isinstance(refused, Rejection) and refused.reason == "too_few_calls"


def test_what_was_measured_is_stored(records: ProvingGround) -> None:
    admitted = records.gate(5).prove(draft(longest(order(3))).model_copy(update={"level": 1}))
    assert not isinstance(admitted, Rejection), admitted.detail
    task = admitted.task
    assert task.difficulty is not None and task.difficulty["calls"] == task.gold_calls == 6
    assert (task.level_asked, task.level, task.traits, task.assurance) == (1, 1, ["changes"], None)


def test_a_gate_admits_nothing_twice(records: ProvingGround) -> None:
    gate = records.gate(5)
    assert not isinstance(gate.prove(draft(SOUND)), Rejection)
    again = gate.prove(draft(SOUND, request="How large are the four longest of our songs together?"))
    assert isinstance(again, Rejection) and again.reason == "duplicate"


def test_a_walk_asks_nothing_again_that_no_write_changed(records: ProvingGround) -> None:
    """A loop may look again after each of its writes; a walk that does only asks the same thing twice."""
    again = call("again", "get_track", track_id=at("row.track_id"))
    body = (
        call("page", "top_tracks", measure="duration", count=5),
        *first("rows", "page.items", 4, "duration"),
        NewList(bind="times"),
        each(
            "row",
            "rows",
            call("track", "get_track", track_id=at("row.track_id")),
            order(1),
            again,
            keep("times", "again.file_size"),
        ),
    )
    loop = draft(body)
    walked = records.gate(5).prove(loop.model_copy(update={"kind": "graph"}))
    assert isinstance(walked, Rejection) and walked.reason == "repeated_call"
    looped = records.gate(5).prove(loop)
    assert not isinstance(looped, Rejection) or looped.reason != "repeated_call"


def test_a_constant_answer_is_refused_since_no_call_feeds_it(records: ProvingGround) -> None:
    refused = records.gate(5).prove(draft(SOUND, value=Const(value=4242)))
    assert isinstance(refused, Rejection) and refused.reason == "unnecessary_call"


def test_a_write_that_the_next_undoes_is_unnecessary(records: ProvingGround) -> None:
    """Approving an order that is then cancelled leaves the same state as cancelling it."""
    body = longest(
        call("drafts", "search_purchase_orders", status="draft", sort_by="created_at", limit=2),
        Distinct(over=at("drafts.items"), path="created_at", count=1),
        call("ok", "approve_purchase_order", order_id=at("drafts.items.0.order_id")),
        call("no", "cancel_purchase_order", order_id=at("drafts.items.0.order_id")),
    )
    refused = records.gate(5).prove(draft(body))
    assert isinstance(refused, Rejection)
    assert (refused.reason, refused.detail) == ("unnecessary_call", "6: approve_purchase_order")


def test_a_changed_gold_run_no_longer_proves(records: ProvingGround) -> None:
    body = longest(
        call("drafts", "search_purchase_orders", status="draft", sort_by="created_at", limit=2),
        Distinct(over=at("drafts.items"), path="created_at", count=1),
        call("ok", "approve_purchase_order", order_id=at("drafts.items.0.order_id")),
    )
    admitted = records.gate(5).prove(draft(body))
    assert not isinstance(admitted, Rejection), admitted.detail
    task, gold, _ = admitted
    assert task.requires_change and set(task.expected_change) == {"purchase_orders"}
    assert reprove(records.world, records.bundle, task, gold) is None

    def tampered(**change: object) -> GoldRun:
        return gold.model_copy(update=change)

    step = gold.steps[0].model_copy(update={"observation": {"items": []}})
    assert "observation of call 0" in str(
        reprove(records.world, records.bundle, task, tampered(steps=[step, *gold.steps[1:]]))
    )
    assert "final state" in str(reprove(records.world, records.bundle, task, tampered(state_id="0" * 64)))
    assert "solution: answer" in str(reprove(records.world, records.bundle, task, tampered(answer={"bytes_in_all": 1})))
    other = task.model_copy(
        update={"checks": [task.checks[1].model_copy(update={"spec": {**task.checks[1].spec, "expected": 1}})]}
    )
    assert reprove(records.world, records.bundle, other, gold) == ("gold_fails", "fail: failed: answer.bytes_in_all")


def test_task_ids_depend_on_content_alone(records: ProvingGround) -> None:
    gate = records.gate()
    assert gate.task_id(draft(SOUND)) == gate.task_id(draft(longest()))
    assert gate.task_id(draft(SOUND)) != gate.task_id(draft(longest(count=5)))
    assert gate.task_id(draft(SOUND)) != gate.task_id(draft(SOUND, request="Another wording."))
    assert total("times") == Aggregate(function="sum", over=Ref(name="times"))


def test_a_verifier_that_passes_a_mutant_is_refused(records: ProvingGround, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "build_checks", lambda *given: build_checks(*given)[:2])
    refused = records.gate(5).prove(draft(SOUND))
    assert isinstance(refused, Rejection) and refused.reason == "mutant_survives"
    assert refused.detail.startswith("collateral_") and "one more row of" in refused.detail


def test_a_verifier_that_fails_a_variant_is_refused(records: ProvingGround) -> None:
    """A contract that forgets the clock's columns asks for the second in which the gold run wrote."""
    gate = records.gate(5)
    forgetful = replace(gate.bundle, contract=gate.bundle.contract | {"clock_columns": {}})
    refused = replace(gate, bundle=forgetful).prove(draft(longest(order(3))))
    assert isinstance(refused, Rejection)
    assert (refused.reason, refused.detail) == ("variant_fails", "more_reads: each read twice")


def test_a_call_that_fails_for_a_moment_is_part_of_the_gold_run(records: ProvingGround) -> None:
    gate = records.gate(5)
    admitted = gate.prove(draft(longest(order(3))), disturbances={"get_track": 1, "create_purchase_order": 1})
    assert not isinstance(admitted, Rejection), admitted.detail
    task, gold, proof = admitted
    codes = [step.observation["error"]["code"] for step in gold.steps if "error" in step.observation]
    assert codes == ["unavailable"] * 2 and task.disturbances == {"get_track": 1, "create_purchase_order": 1}
    assert proof.survived == 0 and proof.variants == proof.variants_passed
    assert reprove(records.world, records.bundle, task, gold) is None


def test_an_error_beforehand_does_not_take_the_place_of_one_for_a_moment(flights: ProvingGround) -> None:
    body = (
        call("page", "top_flights", measure="departure_delay", count=2),
        Distinct(over=ITEMS, path="departure_delay", count=1),
        call("flight", "get_flight", flight_id=at("page.items.0.flight_id")),
        call("made", "create_booking", flight_id=at("page.items.0.flight_id"), party="Ada", seats=1),
    )
    booking = draft(body, value=at("flight.distance"))
    admitted = flights.gate(2).prove(booking, disturbances={"create_booking": 1})
    assert not isinstance(admitted, Rejection), admitted.detail
    assert admitted.proof.variants == admitted.proof.variants_passed


def test_a_refusal_that_the_program_handles_is_admitted(records: ProvingGround) -> None:
    """An order far beyond what may be ordered is refused, and a smaller one follows."""
    tried = order(10_000).model_copy(update={"bind": "tried", "may_refuse": True})
    handled = If(condition=Refused(name="tried"), then=(order(3).model_copy(update={"may_refuse": True}),))
    admitted = records.gate(5).prove(draft(longest(tried, handled)))
    assert not isinstance(admitted, Rejection), admitted.detail
    assert sum("error" in step.observation for step in admitted[1].steps) == 1
    assert admitted[2].survived == 0
