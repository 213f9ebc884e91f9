"""Longer ways than needed are found out, by reads that say all that the request says; sound tasks keep their length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from schemas.answers import AnswerField
from schemas.programs import Aggregate, Call, Const, NewList, Program, Ref, Round, Statement
from schemas.tasks import AgentTask, Check, GoldRun
from tasks.authors.compiler import compile_program
from tasks.verification.checks import canonical_changes
from tasks.verification.shortcuts.search import shortest
from tasks.world.session import Session
from tests.tasks.authors.rules.drafts.handwritten import at, call, each, first, keep, total, when
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.runs import make_proof

LONG = 600_000
"""Milliseconds."""


def prove(ground: ProvingGround, body: tuple[Statement, ...], **answer: Any) -> tuple[AgentTask, GoldRun]:
    """Return a task of this program, with its gold run and checks of the answer and the state."""
    program = Program(body=body, answer=answer)
    with ground.world.open(ground.bundle, "made") as session:
        run, diff = session.run_program(compile_program(program)), session.diff()
    assert run.answer is not None, run.error
    steps = [(step["tool"], step["arguments"], step["observation"]) for step in run.trace]
    task, gold = make_proof("made", "…", steps, run.answer, program=program)
    kinds = {int: "integer", float: "number", str: "text", list: "list"}
    fields = [
        AnswerField.model_validate({"name": name, "type": kinds[type(value)], "description": "", "item_type": "text"})
        for name, value in run.answer.items()
    ]
    checks = [
        Check(
            id=field.name,
            type="answer_field",
            points=1,
            spec=field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
            | {"field": field.name, "expected": run.answer[field.name]},
        )
        for field in fields
    ]
    changes = canonical_changes(diff, ground.environment.contract.model_dump())
    checks.append(Check(id="state", type="state_change", points=1, spec={"expected": changes}))
    checks.append(Check(id="else", type="nothing_else", points=1, spec={"expected": changes}))
    return task.model_copy(update={"answer_fields": fields, "checks": checks}), gold


def length(ground: ProvingGround, *proof: Any, budget: int = 200) -> int:
    return shortest(
        *proof, tools=ground.tools, open_session=lambda seed: ground.world.open(ground.bundle, seed), budget=budget
    )


def looked_up(*inner: Statement, tool: str = "search_tracks", **arguments: Any) -> tuple[Statement, ...]:
    """Look each of the first tracks up that a read gives."""
    return (
        call("page", tool, **arguments),
        NewList(bind="kept"),
        each("row", "page.items", call("track", "get_track", track_id=at("row.track_id")), *inner),
    )


def test_a_total_replaces_a_loop_that_counts(records: ProvingGround) -> None:
    counting = when("track.genre_id", "==", 1, keep("kept", "track.track_id"))
    body = looked_up(counting, min_duration=LONG, max_duration=LONG + 60_000, limit=50)
    count = Aggregate(function="count", over=Ref(name="kept"))
    proof = prove(records, body, number=count)
    assert len(proof[1].steps) > 5
    assert length(records, *proof) == 1
    assert length(records, *proof, budget=0) == len(proof[1].steps)


def test_an_aggregate_replaces_a_loop_that_adds_up(records: ProvingGround) -> None:
    body = looked_up(keep("kept", "track.file_size"), min_duration=LONG, max_duration=LONG + 60_000, limit=50)
    proof = prove(records, body, bytes=total("kept"))
    assert length(records, *proof) == 1


def test_a_condition_that_no_tool_has_keeps_the_loop(records: ProvingGround) -> None:
    counting = when("track.genre_id", "!=", 1, keep("kept", "track.track_id"))
    body = looked_up(counting, min_duration=LONG, max_duration=LONG + 60_000, limit=50)
    proof = prove(records, body, number=Aggregate(function="count", over=Ref(name="kept")))
    assert length(records, *proof) == len(proof[1].steps)


def test_a_lookup_of_what_a_page_shows_is_not_needed(records: ProvingGround) -> None:
    body = (
        call("page", "top_tracks", measure="duration", count=6),
        *first("rows", "page.items", 5, "duration"),
        NewList(bind="kept"),
        each("row", "rows", call("track", "get_track", track_id=at("row.track_id")), keep("kept", "track.duration")),
    )
    mean = Round(value=Aggregate(function="mean", over=Ref(name="kept")), digits=2)
    assert length(records, *prove(records, body, mean=mean)) == 1


def test_a_lookup_of_more_than_a_page_shows_is_needed(records: ProvingGround) -> None:
    body = (
        call("page", "top_tracks", measure="duration", count=6),
        *first("rows", "page.items", 5, "duration"),
        NewList(bind="kept"),
        each("row", "rows", call("track", "get_track", track_id=at("row.track_id")), keep("kept", "track.file_size")),
    )
    assert length(records, *prove(records, body, bytes=total("kept"))) == 6


def test_a_read_after_a_lookup_counts_with_the_lookup(records: ProvingGround) -> None:
    body = (
        call("found", "search_artists", artist_name_contains="Iron Maiden"),
        call("page", "list_artist_albums", artist_id=at("found.items.0.artist_id"), limit=50),
        NewList(bind="kept"),
        each(
            "row", "page.items", call("album", "get_album", album_id=at("row.album_id")), keep("kept", "album.album_id")
        ),
    )
    proof = prove(records, body, number=Aggregate(function="count", over=Ref(name="kept")))
    assert len(proof[1].steps) > 10
    assert length(records, *proof) == 2


def test_writes_and_what_they_need_stay(records: ProvingGround) -> None:
    longest = (
        call("page", "top_tracks", measure="duration", count=4),
        *first("rows", "page.items", 3, "duration"),
        NewList(bind="kept"),
        each(
            "row",
            "rows",
            call("track", "get_track", track_id=at("row.track_id")),
            call("order", "create_purchase_order", album_id=at("track.album_id"), quantity=2),
            keep("kept", "track.duration"),
        ),
    )
    proof = prove(records, longest, length=Aggregate(function="max", over=Ref(name="kept")))
    assert length(records, *proof) == len(proof[1].steps) == 7


def test_what_does_not_pass_is_no_shortcut(records: ProvingGround) -> None:
    body = looked_up(keep("kept", "track.file_size"), min_duration=LONG, max_duration=LONG + 60_000, limit=50)
    task, gold = prove(records, body, bytes=total("kept"))
    wrong = task.checks[0].model_copy(update={"spec": task.checks[0].spec | {"expected": -1}})
    task = task.model_copy(update={"checks": [wrong]})
    assert length(records, task, gold) == len(gold.steps)


def test_no_more_reads_are_tried_than_the_budget_says(records: ProvingGround) -> None:
    body = looked_up(
        when("track.composer", "==", "nobody", keep("kept", "track.track_id")), keep("kept", "track.file_size"), limit=9
    )
    task, gold = prove(records, body, bytes=total("kept"), last=at("track.composer"))
    task = task.model_copy(
        update={"program": Program(body=(), answer={"bytes": Const(value=0), "last": Const(value="")})}
    )
    made: list[Call] = []

    @contextmanager
    def counted(seed: str) -> Iterator[Session]:
        with records.world.open(records.bundle, seed) as session:
            asked = session.call
            session.call = lambda name, arguments: made.append(name) or asked(name, arguments)  # type: ignore
            yield session

    shortest(task, gold, records.tools, counted, budget=7)
    assert len(made) == 7
