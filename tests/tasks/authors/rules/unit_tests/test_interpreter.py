"""The interpreter against answers worked out by hand: the order of checks, nulls, sums, and what effects leave."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from schemas.operations import (
    Action,
    Argument,
    Cell,
    Change,
    Combine,
    Figure,
    Find,
    Fixed,
    Given,
    Guard,
    Insert,
    Match,
    Now,
    Remove,
    Tally,
    View,
)
from schemas.profiles import ColumnProfile, ForeignKey, TableProfile, WorldProfile
from tasks.authors.rules.unit_tests.interpreter import Applied, Refusal, apply, look, moment_after
from tasks.authors.rules.unit_tests.state import State, Tables

NOW = "2024-02-28T09:00:00"
HALLS = [{"hall_id": 1, "room": 10, "fee": 0.1}, {"hall_id": 2, "room": None, "fee": 2.5}]
TALKS = [
    {"talk_id": 1, "hall_id": 1, "seats": 4, "fee": 0.1, "status": "open", "until": None},
    {"talk_id": 2, "hall_id": 1, "seats": 3, "fee": 0.2, "status": "open", "until": "2024-03-01"},
    {"talk_id": 3, "hall_id": 1, "seats": None, "fee": 0.7, "status": "closed", "until": None},
    {"talk_id": 7, "hall_id": None, "seats": 9, "fee": None, "status": "open", "until": None},
]
KINDS = {"hall_id": "integer", "room": "integer", "fee": "money", "talk_id": "integer", "seats": "integer"}


def state() -> State:
    frames = {"halls": pl.DataFrame(HALLS), "talks": pl.DataFrame(TALKS)}
    tables = [
        TableProfile(
            name=name, singular=name[:-1], plural=name, kind="operational", rows=1, key=f"{name[:-1]}_id",
            key_is_opaque=True,
            columns=[
                ColumnProfile(name=c, type=KINDS.get(c, "text"), role="measure", nullable=True, distinct=1, words=c)
                for c in frame.columns
            ],
            foreign_keys=[ForeignKey(column="hall_id", to_table="halls", to_column="hall_id", coverage=1)] * (name == "talks"),
        )
        for name, frame in frames.items()
    ]  # fmt: skip
    return State(Tables(frames, WorldProfile(tables=tables)))


TALK = Argument(name="talk_id", description="", type="integer", key_of="talks")
SEATS = Argument(name="seats", description="", type="integer", minimum=1, maximum=20)
TAKEN = Tally(
    table="talks",
    column="seats",
    where=(
        Match(column="hall_id", equals=Cell(row="hall", column="hall_id")),
        Match(column="status", one_of=("open",)),
    ),
    besides="talk",
)
FITS = Guard(
    code="hall_full",
    message="",
    value=Given(name="seats"),
    operator="<=",
    than=Combine(operator="-", left=Cell(row="hall", column="room"), right=TAKEN),
)
IS_OPEN = Guard(code="not_open", message="", value=Cell(row="talk", column="status"), one_of=("open",))


def action(**changes: Any) -> Action:
    """Return the action that gives a talk other seats, with changes."""
    usual: dict[str, Any] = {
        "name": "seat", "verb": "update", "table": "talks", "description": "", "returns": "talk", "requests": ("seat",),
        "arguments": (TALK, SEATS),
        "finds": (
            Find(bind="talk", table="talks", key=Given(name="talk_id")),
            Find(bind="hall", table="halls", key=Cell(row="talk", column="hall_id")),
        ),
        "guards": (IS_OPEN, FITS),
        "effects": (Change(row="talk", values={"seats": Given(name="seats")}),),
    }  # fmt: skip
    return Action(**(usual | changes))


def outcome(operation: Action, moment: str = NOW, **arguments: Any) -> Any:
    """Return the code of a refusal with its place, or the returned row."""
    done = apply(operation, arguments, state(), moment)
    return (done.code, done.place) if isinstance(done, Refusal) else done.row


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"talk_id": 99, "seats": 0}, ("invalid_argument", ("argument", "seats"))),
        ({"talk_id": 99, "seats": True}, ("invalid_argument", ("argument", "seats"))),
        ({"talk_id": 99}, ("invalid_argument", ("argument", "seats"))),
        ({"talk_id": 99, "seats": 20}, ("not_found", ("find", "talk"))),
        ({"talk_id": 7, "seats": 20}, ("not_found", ("find", "hall"))),
        ({"talk_id": 3, "seats": 20}, ("not_open", ("guard", 0))),
        ({"talk_id": 1, "seats": 8}, ("hall_full", ("guard", 1))),
        ({"talk_id": 1, "seats": 7}, TALKS[0] | {"seats": 7}),
    ],
)
def test_arguments_then_finds_then_guards_in_their_order(arguments: dict[str, Any], expected: Any) -> None:
    """Of hall 1's 10 seats talk 2 has 3: talk 1 may have 7, its own 4 not counted; closed talk 3 has none."""
    assert outcome(action(), **arguments) == expected


@pytest.mark.parametrize(
    ("operator", "left", "right", "holds"),
    [
        ("==", None, None, True), ("==", None, 1, False), ("!=", None, 1, True), ("!=", None, None, False),
        ("<=", None, None, False), (">", 1, None, False), ("<", 1, 2, True), ("<", 2, 2, False), (">=", 2, 2, True),
    ],
)  # fmt: skip
def test_a_null_is_in_no_order_and_equals_only_itself(operator: Any, left: Any, right: Any, holds: bool) -> None:
    guard = Guard(code="no", message="", value=Fixed(value=left), operator=operator, than=Fixed(value=right))
    found = outcome(action(guards=(guard,)), talk_id=1, seats=1)
    assert found == (TALKS[0] | {"seats": 1} if holds else ("no", ("guard", 0)))


def figure(value: Any, key: int = 1) -> Any:
    view = View(
        name="v", table="halls", description="", figures=(Figure(name="f", value=value, description="", words=""),)
    )
    done = look(view, key, state(), NOW)
    return done.row["f"] if isinstance(done, Applied) else done.code


def tally(column: str | None, *where: Match) -> Tally:
    return Tally(table="talks", column=column, where=where)


HERE = Match(column="hall_id", equals=Cell(row="row", column="hall_id"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tally(None, HERE), 3),
        (tally("seats", HERE), 7),
        (tally("fee", HERE), 1.0),
        (tally("seats", Match(column="status", equals=Fixed(value="no such"))), 0),
        (tally(None, Match(column="hall_id", equals=Fixed(value=None))), 1),
        (tally(None, Match(column="until", one_of=("2024-03-01", None))), 4),
        (tally(None, Match(column="until", one_of=("2024-03-01",))), 1),
        (Combine(operator="*", left=Fixed(value=3), right=Fixed(value=0.333)), 1.0),
        (Combine(operator="+", left=Cell(row="row", column="room"), right=Fixed(value=1)), 11),
        (Now(days=2), "2024-03-01"),
        (Now(), NOW),
    ],
)
def test_tallies_sums_and_the_clock(value: Any, expected: Any) -> None:
    assert figure(value) == pytest.approx(expected) if isinstance(expected, float) else figure(value) == expected


def test_a_sum_with_nothing_is_nothing_and_an_unknown_row_is_not_found() -> None:
    assert figure(Combine(operator="-", left=Cell(row="row", column="room"), right=Fixed(value=1)), key=2) is None
    assert figure(Fixed(value=1), key=9) == "not_found"


def test_later_effects_see_what_earlier_ones_wrote_and_a_call_leaves_its_state_alone() -> None:
    doubled = Combine(operator="*", left=Cell(row="talk", column="seats"), right=Fixed(value=2))
    effects = (
        Change(row="talk", values={"seats": doubled, "fee": doubled}),
        Insert(
            bind="copy", table="talks", values={"seats": Cell(row="talk", column="seats"), "status": Fixed(value="new")}
        ),
        Change(row="copy", values={"fee": tally(None), "hall_id": Cell(row="copy", column="talk_id")}),
    )
    before = state()
    done = apply(action(effects=effects, returns="copy"), {"talk_id": 1, "seats": 1}, before, NOW)
    assert isinstance(done, Applied)
    assert done.row == {"talk_id": 8, "hall_id": 8, "seats": 8, "fee": 5, "status": "new", "until": None}
    assert done.state.row("talks", 1) == TALKS[0] | {"seats": 8, "fee": 8}
    assert done.state.counts() == {"talks": {"inserted": 1, "updated": 1, "deleted": 0}}
    assert before.row("talks", 8) is None and before.row("talks", 1) == TALKS[0]


def test_a_removed_row_is_returned_as_it_was_and_the_next_key_is_one_more_than_the_largest() -> None:
    removal = action(effects=(Remove(row="talk"),), guards=(), arguments=(TALK,))
    gone = apply(removal, {"talk_id": 2}, state(), NOW)
    assert isinstance(gone, Applied) and gone.row == TALKS[1]
    assert gone.state.counts() == {"talks": {"inserted": 0, "updated": 0, "deleted": 1}}
    assert gone.state.next_key("talks") == 8
    last = apply(removal.model_copy(update={"finds": removal.finds[:1]}), {"talk_id": 7}, state(), NOW)
    assert isinstance(last, Applied) and last.state.next_key("talks") == 4
    assert apply(removal, {"talk_id": 2}, gone.state, NOW) == Refusal("not_found", ("find", "talk"), gone.reading)


def test_what_was_undone_is_no_change() -> None:
    there = apply(action(), {"talk_id": 1, "seats": 5}, state(), NOW)
    assert isinstance(there, Applied)
    back = apply(action(), {"talk_id": 1, "seats": 4}, there.state, NOW)
    assert isinstance(back, Applied) and back.state.difference() == {}


def test_what_mentions_an_argument_that_was_left_out_is_passed_over() -> None:
    optional = (TALK, SEATS.model_copy(update={"required": False}))
    hall = Argument(name="hall_id", description="", type="integer", key_of="halls", required=False)
    finds = (
        Find(bind="talk", table="talks", key=Given(name="talk_id")),
        Find(bind="hall", table="halls", key=Given(name="hall_id")),
    )
    values = {
        "seats": Given(name="seats"),
        "hall_id": Cell(row="hall", column="hall_id"),
        "status": Fixed(value="moved"),
    }
    move = action(arguments=(*optional, hall), finds=finds, effects=(Change(row="talk", values=values),))
    assert outcome(move, talk_id=2) == TALKS[1] | {"status": "moved"}
    assert outcome(move, talk_id=2, hall_id=9) == ("not_found", ("find", "hall"))
    assert outcome(move, talk_id=2, hall_id=1, seats=7) == ("hall_full", ("guard", 1))
    assert outcome(move, talk_id=2, hall_id=1, seats=6) == TALKS[1] | {"seats": 6, "status": "moved"}
    added = action(
        arguments=move.arguments, finds=finds, guards=(FITS,), returns="new", effects=(Insert(bind="new", table="talks", values=values),)
    )  # fmt: skip
    assert outcome(added, talk_id=2) == dict.fromkeys(TALKS[0]) | {"talk_id": 8, "status": "moved"}


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("text", ["a b", "é"], ["", "  ", "two\nlines", "x" * 6, 3]),
        ("date", ["2024-02-29"], ["2023-02-29", "2024-2-9", "2024-02-29T00:00:00"]),
        ("datetime", ["2024-02-29T10:00:00"], ["2024-02-29", "2024-02-29 10:00:00", "2024-02-30T10:00:00"]),
        ("money", [0, 2.5], [float("nan"), float("inf"), True, "1"]),
        ("boolean", [0, 1], [2, True]),
    ],
)
def test_an_argument_has_its_type_and_limits(kind: Any, right: list[Any], wrong: list[Any]) -> None:
    argument = Argument(name="given", description="", type=kind, longest=5 if kind == "text" else None)
    stated = action(arguments=(TALK, argument), guards=(), effects=(Change(row="talk", values={}),))
    assert [outcome(stated, talk_id=1, given=value) for value in right] == [TALKS[0]] * len(right)
    refused = ("invalid_argument", ("argument", "given"))
    assert [outcome(stated, talk_id=1, given=value) for value in wrong] == [refused] * len(wrong)


def test_calls_are_a_second_apart() -> None:
    assert moment_after(NOW, 0) == NOW and moment_after(NOW, 61) == "2024-02-28T09:01:01"
