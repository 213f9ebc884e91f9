"""Unit tests of an overlay's tools: creations, transitions, updates, and views of what is left.

Capacity is probed from both sides: exactly what is left must go, one more must not, and what
another call gives back must count again. Every refusal must leave the state as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from schemas.tools import Expectation, TestCase, ToolCall, ToolTest
from tasks.authors.rules.overlays.names import table_names
from tasks.authors.rules.unit_tests.ledger import WORDING, Ledger, Row, rule_of
from tasks.authors.rules.unit_tests.subject import Subject, unknown_key

Changes = dict[str, dict[str, int]]


def overlay_tests(subject: Subject) -> list[ToolTest]:
    """Return the tests of one tool of the environment's archetype."""
    intent = subject.tool.intent
    ledger = Ledger(subject, rule_of(intent["archetype"], table_names(subject.environment)))
    if subject.tool.operation == "get":
        return _view_tests(subject, ledger)
    if subject.tool.operation == "create":
        if not ledger.rule.amount:
            return _plain_creation_tests(subject, ledger)
        return _creation_tests(subject, ledger) if ledger.telling(2) is not None else []
    tests = _status_refusals(subject, ledger)
    parameters = set(subject.tool.input_schema["properties"]) - {ledger.key}
    if not parameters:
        return _transition_tests(subject, ledger) + tests
    if ledger.rule.amount in parameters:
        return _amount_tests(subject, ledger) + tests
    if ledger.holder in parameters:
        return _move_tests(subject, ledger) + tests
    return _setting_tests(subject, ledger, parameters.pop()) + tests


def _changes(table: str, inserted: int = 0, updated: int = 0) -> Changes:
    return {table: {"inserted": inserted, "updated": updated, "deleted": 0}}


def _created(subject: Subject, row: Row, changes: Changes) -> Expectation:
    """Expect a new row, as the result and in the state."""
    place = f"{subject.table.name}.{row[subject.table.key]}"
    return Expectation(result=row, changes=changes, after={f"{place}.{column}": row[column] for column in row})


def _updated(subject: Subject, old: Row, new: Row, changes: Changes) -> Expectation:
    """Expect a whole changed row as the result, and what differs from before in the state."""
    place = f"{subject.table.name}.{old[subject.table.key]}"
    after = {f"{place}.{column}": value for column, value in new.items() if value != old[column]}
    return Expectation(result=new, changes=changes if after else {}, after=after)


# --- Creations ----------------------------------------------------------------------------


def _new_row(subject: Subject, ledger: Ledger, arguments: Row, key: int, calls: int = 0) -> Row:
    """Return the row that a creation must leave when `calls` were made before it, a second apart."""
    holder = ledger.holders.get(arguments.get(ledger.holder), {})
    row: Row = {column.name: arguments.get(column.name) for column in subject.table.columns}
    row |= {column: holder[column] for column in ledger.rule.inherited}
    now = datetime.fromisoformat(subject.environment.clock_start) + timedelta(seconds=calls)
    clocks = subject.environment.contract.clock_columns.get(subject.table.name, ())
    row |= dict.fromkeys(clocks, now.isoformat(timespec="seconds"))
    return row | {subject.table.key: key, "status": subject.tool.intent["to"]}


def _creation_tests(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return tests of a creation that uses capacity up."""
    busy, other = ledger.telling(2), ledger.telling(2)
    some, code, key = max(1, ledger.free(busy) // 2), ledger.rule.code, ledger.next_key
    table, full = subject.table.name, ledger.free(busy)

    def made(
        name: str, case: TestCase, host: Any, amount: int, setup: Sequence[ToolCall] = (), updated: int = 0
    ) -> ToolTest:
        arguments = ledger.creation(host, amount)
        created = sum(call.tool == subject.tool.name for call in setup)
        row = _new_row(subject, ledger, arguments, key + created, len(setup))
        return subject.test(name, case, arguments, _created(subject, row, _changes(table, created + 1, updated)), setup)

    tests = [
        made("part of what is left", "works", busy, some),
        made("exactly what is left", "edge", busy, full),
        made("the next one gets the next key", "edge", other, 1, ledger.filling(other, 1)),
        subject.refusal("one more than is left", ledger.creation(busy, full + 1), code),
        subject.refusal(
            "nothing left after another",
            ledger.creation(other, 1),
            code,
            ledger.filling(other, ledger.free(other)),
            _changes(table, inserted=1),
        ),
        subject.refusal(
            "an unknown host", ledger.creation(unknown_key(subject.oracle, _host(subject)), 1), "not_found"
        ),
        subject.refusal("an amount of nothing", ledger.creation(busy, 0), "invalid_argument"),
    ]
    given = ledger.row_in(ledger.rule.alive, lambda row: row[ledger.holder] == busy)
    if given is not None:
        setup = [ToolCall(tool=ledger.rule.release, arguments={ledger.key: given[ledger.key]})]
        amount = full + ledger.amount(given)
        tests.append(made("what another gave back counts again", "edge", busy, amount, setup, updated=1))
        refused = ledger.creation(busy, amount + 1)
        tests.append(subject.refusal("more than another gave back", refused, code, setup, _changes(table, updated=1)))
    return tests


def _plain_creation_tests(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return tests of a creation that needs no capacity: any host will do."""
    table, host = subject.table.name, _host(subject)
    hosts = subject.oracle.frames[host.name][host.key].sort().to_list()
    host_key: str = subject.tool.intent["host_key"]
    properties = subject.tool.input_schema["properties"]

    def arguments(index: int) -> Row:
        drawn: Row = {host_key: subject.rng.choice(hosts)}
        for name, schema in properties.items():
            if name != host_key:
                drawn[name] = (
                    schema["enum"][index % len(schema["enum"])] if "enum" in schema else WORDING[name][index % 2]
                )
        return drawn

    first, second = arguments(0), arguments(1)
    once = [ToolCall(tool=subject.tool.name, arguments=first)]
    key, changes = ledger.next_key, _changes(table, inserted=1)
    row, next_row = _new_row(subject, ledger, first, key), _new_row(subject, ledger, second, key + 1, calls=1)
    coded = next((name for name, schema in properties.items() if "enum" in schema), None)
    tests = [
        subject.test("with all it needs", "works", first, _created(subject, row, changes)),
        subject.test(
            "the next one gets the next key",
            "edge",
            second,
            _created(subject, next_row, _changes(table, inserted=2)),
            once,
        ),
        subject.refusal("an unknown host", first | {host_key: unknown_key(subject.oracle, host)}, "not_found"),
    ]
    if coded:
        tests.append(subject.refusal(f"an unknown {coded}", first | {coded: "no-such-value"}, "invalid_argument"))
    return tests


def _host(subject: Subject) -> Any:
    return subject.environment.profile.table(subject.tool.intent["host"])


# --- Changes of a row ---------------------------------------------------------------------


def _other_arguments(subject: Subject, ledger: Ledger, row: Row) -> Row:
    """Return harmless values for what a change needs beside the row's key."""
    drawn: Row = {}
    for name, schema in subject.tool.input_schema["properties"].items():
        if name == ledger.rule.amount:
            drawn[name] = 1
        elif name == ledger.holder:
            drawn[name] = ledger.telling(ledger.amount(row), [row[ledger.holder]])
        elif name != ledger.key:
            drawn[name] = next(value for value in schema["enum"] if value != row[name])
    return drawn


def _status_refusals(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return a refusal for every status that the tool must not start from, and for an unknown row."""
    allowed = subject.tool.intent["from"]
    forbidden = sorted({row["status"] for row in ledger.rows} - set(allowed))
    tests = []
    for status in forbidden:
        row = ledger.row_in([status])
        assert row is not None
        arguments = {ledger.key: row[ledger.key]} | _other_arguments(subject, ledger, row)
        tests.append(subject.refusal(f"not when {status}", arguments, "invalid_transition"))
    anyone = ledger.row_in(allowed) or ledger.rows[0]
    arguments = {ledger.key: unknown_key(subject.oracle, subject.table)} | _other_arguments(subject, ledger, anyone)
    tests.append(subject.refusal("an unknown row", arguments, "not_found"))
    return tests


def _transition_tests(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return a test from every status that the tool may start from, and that it does not work twice."""
    tests, target, allowed = [], subject.tool.intent["to"], subject.tool.intent["from"]
    used: set[Any] = set()
    for index, status in enumerate(allowed * 2 if len(allowed) == 1 else allowed):
        row = ledger.row_in([status], lambda row: row[ledger.key] not in used)
        if row is None:
            continue
        used.add(row[ledger.key])
        changed = row | {"status": target} | _cleared(subject, ledger)
        expect = _updated(subject, row, changed, _changes(subject.table.name, updated=1))
        expect = _with_receipt(subject, ledger, row, expect)
        arguments = {ledger.key: row[ledger.key]}
        tests.append(subject.test(f"from {status}, case {index}", "works" if index == 0 else "edge", arguments, expect))
        again = [ToolCall(tool=subject.tool.name, arguments=arguments)]
        if target not in allowed and index < len(allowed):
            tests.append(
                subject.refusal(f"not twice from {status}", arguments, "invalid_transition", again, expect.changes)
            )
    return tests


def _cleared(subject: Subject, ledger: Ledger) -> Row:
    """Return what a transition empties: a row that waits again has no holder."""
    waits = ledger.rule.waiting is not None and subject.tool.intent["to"] == ledger.rule.waiting
    return {ledger.holder: None} if waits else {}


def _with_receipt(subject: Subject, ledger: Ledger, row: Row, expect: Expectation) -> Expectation:
    """Add what receiving an order does to the stock: its quantity is on hand."""
    if subject.tool.intent["action"] != "receive":
        return expect
    holder, table = row[ledger.holder], ledger.rule.holders
    stock = ledger.holders[holder]["on_hand"] + ledger.amount(row)
    return Expectation(
        result=expect.result,
        changes=(expect.changes or {}) | _changes(table, updated=1),
        after=expect.after | {f"{table}.{holder}.on_hand": stock},
    )


def _amount_tests(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return tests of changing a row's amount: less, exactly all that is left, one more, none."""
    amount, tests = str(ledger.rule.amount), []
    table, allowed = subject.table.name, subject.tool.intent["from"]

    for index, status in enumerate(allowed):
        row = ledger.telling_row(status) or ledger.row_in([status])
        if row is None:
            continue
        most = ledger.amount(row) + ledger.free(row[ledger.holder])
        less = max(1, ledger.amount(row) - 1) if index % 2 == 0 else most - 1 or 1
        amounts: list[tuple[str, TestCase, int]] = [
            ("another amount", "works", less),
            ("exactly all that is left", "edge", most),
        ]
        for name, case, value in amounts:
            arguments = {ledger.key: row[ledger.key], amount: value}
            expect = _updated(subject, row, row | {amount: value}, _changes(table, updated=1))
            tests.append(subject.test(f"{name} when {status}", case, arguments, expect))
        over = {ledger.key: row[ledger.key], amount: most + 1}
        tests.append(subject.refusal(f"one more than is left when {status}", over, ledger.rule.code))
        none = {ledger.key: row[ledger.key], amount: 0}
        tests += [subject.refusal("an amount of nothing", none, "invalid_argument")] if index == 0 else []
    return tests


def _move_tests(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return tests of giving a row to another holder: with room, with exactly enough, with one too little."""
    tests, table = [], subject.table.name
    for index, status in enumerate(subject.tool.intent["from"]):
        row = ledger.row_in([status])
        if row is None:
            continue
        key, size, own = row[ledger.key], ledger.amount(row), row[ledger.holder]
        target = ledger.telling(size, [own])
        free, moved = ledger.free(target), _moved(subject, ledger, row, target)
        arguments = {ledger.key: key, ledger.holder: target}
        expect = _updated(subject, row, moved, _changes(table, updated=1))
        tests.append(subject.test(f"to one with room when {status}", "works", arguments, expect))
        exact = ledger.filling(target, free - size, [key])
        expect = _updated(subject, row, moved, _filled(ledger, exact, moved=1))
        tests.append(subject.test(f"to one with just enough when {status}", "edge", arguments, expect, exact))
        tight = ledger.filling(target, free - size + 1, [key])
        refused = _filled(ledger, tight)
        tests.append(
            subject.refusal(f"to one with too little when {status}", arguments, ledger.rule.code, tight, refused)
        )
        if index == 0:
            unknown = unknown_key(subject.oracle, subject.environment.profile.table(ledger.rule.holders))
            tests.append(subject.refusal("to an unknown one", {ledger.key: key, ledger.holder: unknown}, "not_found"))
    return tests


def _moved(subject: Subject, ledger: Ledger, row: Row, target: Any) -> Row:
    return row | {ledger.holder: target} | ({"status": subject.tool.intent["to"]} if subject.tool.intent["to"] else {})


def _filled(ledger: Ledger, calls: Sequence[ToolCall], moved: int = 0) -> Changes:
    """Return the changes that filling calls and `moved` rows make together."""
    inserts = bool(ledger.rule.amount)
    changes = _changes(ledger.rule.table, len(calls) if inserts else 0, moved + (0 if inserts else len(calls)))
    return changes if any(changes[ledger.rule.table].values()) else {}


def _setting_tests(subject: Subject, ledger: Ledger, parameter: str) -> list[ToolTest]:
    """Return tests of setting a coded column: another value from every status, each value once, an unknown one."""
    values, tests = subject.tool.input_schema["properties"][parameter]["enum"], []
    allowed = subject.tool.intent["from"]
    for index, value in enumerate(values):
        status = allowed[index % len(allowed)]
        row = ledger.row_in([status], lambda row, value=value: row[parameter] != value)  # type: ignore[misc]
        if row is not None:
            expect = _updated(subject, row, row | {parameter: value}, _changes(subject.table.name, updated=1))
            arguments = {ledger.key: row[ledger.key], parameter: value}
            tests.append(subject.test(f"{value} when {status}", "works" if index < 2 else "edge", arguments, expect))
    wrong = {ledger.key: ledger.rows[0][ledger.key], parameter: "no-such-value"}
    return [*tests, subject.refusal(f"an unknown {parameter}", wrong, "invalid_argument")]


# --- Views --------------------------------------------------------------------------------


def _view_tests(subject: Subject, ledger: Ledger) -> list[ToolTest]:
    """Return tests of a holder's view: used and left, before and after calls that use and give back."""
    key = subject.table.key
    drawn = [ledger.telling(1), ledger.telling(1), min(ledger.holders, key=ledger.free)]
    holders = list(dict.fromkeys(holder for holder in drawn if holder is not None))
    idle = [holder for holder in ledger.holders if not ledger.held.get(holder)]
    holders += [subject.rng.choice(idle)] if idle else []
    tests = []
    for index, holder in enumerate(holders):
        expect = Expectation(result=_figures(ledger, holder), changes={})
        tests.append(subject.test(f"a holder, case {index}", "works" if index < 2 else "edge", {key: holder}, expect))
    busy = holders[0]
    filling = ledger.filling(busy, 1) if ledger.free(busy) else []
    expect = Expectation(result=_figures(ledger, busy, used=len(filling)), changes=_filled(ledger, filling))
    tests.append(subject.test("after one was used", "edge", {key: busy}, expect, filling))
    given = ledger.row_in(ledger.rule.alive, lambda row: row[ledger.holder] == busy)
    if given is not None:
        release = [ToolCall(tool=ledger.rule.release, arguments={ledger.key: given[ledger.key]})]
        expect = Expectation(
            result=_figures(ledger, busy, -ledger.amount(given)), changes=_changes(ledger.rule.table, updated=1)
        )
        tests.append(subject.test("after one was given back", "edge", {key: busy}, expect, release))
    tests.append(
        subject.refusal("an unknown key is not found", {key: unknown_key(subject.oracle, subject.table)}, "not_found")
    )
    return tests


def _figures(ledger: Ledger, holder: Any, used: int = 0) -> Row:
    """Return a holder's row with what is used and left, after `used` more."""
    names = ledger.rule.figures
    return ledger.holders[holder] | {names[0]: ledger.used(holder) + used, names[1]: ledger.free(holder) - used}
