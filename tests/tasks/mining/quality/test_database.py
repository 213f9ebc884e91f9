import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from schemas.operations import Operations
from schemas.quality import QualityResult
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tasks.mining.environments import clock_start
from tasks.mining.quality import database
from tasks.mining.quality.database import check_database, invariants
from tasks.mining.quality.gate import refusal
from tests.tasks.mining.quality.conftest import MakeWorld, SmallWorld

SCOPES = {"world", "table", "reference", "split", "capacity", "status", "clock"}
STATED = {"capacity", "status", "clock"}
"""Scopes of what operations say: a world has some of these."""

# (archetype, the file's second name, table, what is done to the database, rows that break it)
DOCTORED: list[tuple[str, str, str | None, str, int]] = [
    ("bookings", "rows_as_profiled", "sales", "DELETE FROM sales WHERE sale_id = 7", 1),
    ("bookings", "columns_as_profiled", "sales", "ALTER TABLE sales DROP COLUMN season", 1),
    ("bookings", "columns_as_profiled", "bookings", "DROP TABLE bookings", 1),
    ("bookings", "key_is_unique", "regions", "CREATE TABLE r AS SELECT * FROM regions; DROP TABLE regions;"
     "ALTER TABLE r RENAME TO regions; UPDATE regions SET region_code = 'R1' WHERE region_code = 'R2'", 1),
    ("bookings", "values_as_profiled", "sales", "UPDATE sales SET price = 'dear' WHERE sale_id < 4", 3),
    ("bookings", "no_dangling_reference", "sales", "UPDATE sales SET shop_id = 99 WHERE sale_id = 7", 1),
    ("bookings", "references_hold", None, "UPDATE sales SET shop_id = 99 WHERE sale_id IN (7, 8)", 2),
    ("bookings", "file_is_sound", None, "UPDATE sales SET paid_by = 'cheque' WHERE sale_id = 7", 1),
    ("bookings", "rows_are_referred_to", "regions", "UPDATE shops SET region_code = 'R1' WHERE region_code = 'R2'", 1),
    ("bookings", "seats_within_capacity", "seat_inventory", "UPDATE bookings SET seats = 101, status = 'held' WHERE booking_id = 1", 1),
    ("bookings", "every_host_has_an_inventory", "seat_inventory", "DELETE FROM seat_inventory WHERE shop_id < 3", 2),
    ("bookings", "party_has_a_name", "bookings", "UPDATE bookings SET party = '  ' WHERE booking_id = 1", 1),
    ("bookings", "booked_before_the_clock", "bookings", "UPDATE bookings SET booked_at = '2021-12-29T09:00:00' WHERE booking_id = 1", 1),
    ("bookings", "not_exceeded", "seat_inventory", "UPDATE bookings SET seats = 101, status = 'held' WHERE booking_id = 1", 1),
    ("bookings", "known_to_actions", "bookings", "UPDATE bookings SET status = 'waitlisted' WHERE booking_id < 3", 2),
    ("bookings", "before_the_clock", "bookings", "UPDATE bookings SET booked_at = '2021-12-29T09:00:00' WHERE booking_id = 1", 1),
    ("purchase_orders", "not_exceeded", "stock_levels", "UPDATE purchase_orders SET quantity = 61, status = 'draft' WHERE order_id = 1", 1),
    ("service_tickets", "not_exceeded", "crews", "UPDATE tickets SET status = 'assigned', crew_id = 1 WHERE ticket_id < 20", 1),
    ("service_tickets", "before_the_clock", "tickets", "UPDATE tickets SET opened_at = '2022-01-01T00:00:00' WHERE ticket_id = 1", 1),
    ("purchase_orders", "units_within_shelf", "stock_levels", "UPDATE purchase_orders SET quantity = 61, status = 'draft' WHERE order_id = 1", 1),
    ("purchase_orders", "every_host_has_a_stock_level", "stock_levels", "DELETE FROM stock_levels WHERE shop_id < 3", 2),
    ("purchase_orders", "order_fits_an_empty_shelf", "purchase_orders", "UPDATE purchase_orders SET quantity = 61 WHERE order_id = 1", 1),
    ("purchase_orders", "open_orders_at_shelf_cost", "purchase_orders", "UPDATE purchase_orders SET unit_cost = 0.01, status = 'draft' WHERE order_id = 1", 1),
    ("purchase_orders", "reorder_point_within_shelf", "stock_levels", "UPDATE stock_levels SET reorder_point = shelf_capacity + 1 WHERE shop_id = 1", 1),
    ("purchase_orders", "ordered_before_the_clock", "purchase_orders", "UPDATE purchase_orders SET created_at = '2022-01-01T00:00:00' WHERE order_id = 1", 1),
    ("service_tickets", "crews_within_limit", "crews", "UPDATE tickets SET status = 'assigned', crew_id = 1 WHERE ticket_id < 20", 1),
    ("service_tickets", "crew_fits_status", "tickets", "UPDATE tickets SET status = 'resolved', crew_id = NULL WHERE ticket_id = 1", 1),
    ("service_tickets", "crew_fits_status", "tickets", "UPDATE tickets SET status = 'open', crew_id = 1 WHERE ticket_id = 1", 1),
    ("service_tickets", "crews_are_told_apart", "crews", "UPDATE crews SET crew_name = 'Twins' WHERE crew_id < 3", 2),
    ("service_tickets", "subject_is_told", "tickets", "UPDATE tickets SET subject = ' ' WHERE ticket_id = 1", 1),
    ("service_tickets", "opened_before_the_clock", "tickets", "UPDATE tickets SET opened_at = '2022-01-01T00:00:00' WHERE ticket_id = 1", 1),
    ("review_requests", "reviewers_within_limit", "reviewers", "UPDATE review_requests SET status = 'assigned', reviewer_id = 1 WHERE request_id < 20", 1),
    ("review_requests", "reviewer_fits_status", "review_requests", "UPDATE review_requests SET status = 'done', reviewer_id = NULL WHERE request_id = 1", 1),
    ("review_requests", "reviewer_fits_status", "review_requests", "UPDATE review_requests SET status = 'requested', reviewer_id = 1 WHERE request_id = 1", 1),
    ("review_requests", "reviewers_are_told_apart", "reviewers", "UPDATE reviewers SET reviewer_name = 'Twin' WHERE reviewer_id < 3", 2),
    ("review_requests", "subject_is_told", "review_requests", "UPDATE review_requests SET subject = ' ' WHERE request_id = 1", 1),
    ("review_requests", "requested_before_the_clock", "review_requests", "UPDATE review_requests SET requested_at = '2022-01-01T00:00:00' WHERE request_id = 1", 1),
    ("accounts", "balance_is_the_sum_of_its_entries", "accounts", "UPDATE accounts SET balance = balance + 1 WHERE account_id = 1", 1),
    ("accounts", "one_of_a_kind_each", "accounts", "INSERT INTO accounts SELECT 9999, shop_id, account_kind, balance, overdraft_limit,"
     "'open', opened_at FROM accounts WHERE account_id = 1", 1),
    ("budgets", "committed_is_what_was_approved", "budgets", "UPDATE budgets SET committed = committed + 1 WHERE shop_id = 1", 1),
    ("budgets", "signed_within_the_limit", "spending_requests", "UPDATE spending_requests SET amount = 9000000 WHERE request_id = 1", 1),
    ("collections", "names_are_told_apart", "collections", "UPDATE collections SET collection_name = 'Twins' WHERE collection_id < 3", 2),
    ("collections", "nothing_twice_in_one", "collection_entries", "INSERT INTO collection_entries SELECT 9999, collection_id, shop_id,"
     "added_at FROM collection_entries WHERE entry_id = 1", 1),
    ("duties", "assigned_with_the_skill", "assignments", "INSERT INTO assignments SELECT 9999, duty_id, (SELECT staff_id FROM staff_members"
     " WHERE skill <> duties.skill LIMIT 1), 1, 'done', planned_at FROM duties WHERE duty_id = 1", 1),
    ("duties", "nobody_twice_on_one", "assignments", "INSERT INTO assignments VALUES (9998, 1, 1, 1, 'active', '2021-01-01T00:00:00'),"
     "(9999, 1, 1, 1, 'active', '2021-01-01T00:00:00')", 1),
    ("loans", "one_copy_each", "loans", "INSERT INTO loans VALUES (9998, 1, 1, 'out', '2021-12-30', 0, '2021-12-01T00:00:00'),"
     "(9999, 1, 1, 'out', '2021-12-30', 0, '2021-12-01T00:00:00')", 1),
    ("loans", "who_lost_something_is_suspended", "borrowers", "UPDATE borrowers SET status = 'active' WHERE borrower_id = 1;"
     "INSERT INTO loans VALUES (9999, 1, 1, 'lost', '2021-12-30', 0, '2021-12-01T00:00:00')", 1),
    ("measurements", "instruments_in_one_place_a_day", "measurements", "INSERT INTO measurements VALUES"
     "(9998, 1, 1, 1, '2030-01-01', 'planned', NULL, '2021-01-01T00:00:00'), (9999, 2, 1, 1, '2030-01-01', 'planned', NULL, '2021-01-01T00:00:00')", 1),
    ("measurements", "observers_know_the_instrument", "measurements", "INSERT INTO measurements SELECT 9999, 1, instrument_id, observer_id,"
     "'2030-01-01', 'planned', NULL, '2021-01-01T00:00:00' FROM instruments, observers WHERE kind <> trained_on LIMIT 1", 1),
    ("ratings", "one_rating_each", "ratings", "INSERT INTO ratings SELECT 9999, rater_id, shop_id, stars, comment, status, edits, rated_at"
     " FROM ratings WHERE rating_id = 1", 1),
    ("ratings", "score_is_what_counts", "scores", "UPDATE scores SET star_total = star_total + 1 WHERE shop_id = 1", 1),
    ("sales_orders", "open_orders_within_credit", "buyers", "UPDATE sales_orders SET status = 'open', total = 9999999 WHERE sales_order_id = 1", 1),
    ("sales_orders", "total_is_the_sum_of_its_lines", "sales_orders", "UPDATE sales_orders SET total = total + 1 WHERE sales_order_id = 1", 1),
    ("sessions", "level_was_reached", "enrolments", "INSERT INTO enrolments SELECT 9999, session_id, attendee_id, 'enrolled',"
     "'2021-01-01T00:00:00' FROM sessions, attendees WHERE attendees.level < sessions.level LIMIT 1", 1),
    ("subscriptions", "one_live_each", "subscriptions", "INSERT INTO subscriptions SELECT 9999, subscriber_id, shop_id, plan_id, monthly_price,"
     "'active', started_at FROM subscriptions WHERE subscription_id = 1", 1),
    ("subscriptions", "within_the_budget", "subscribers", "UPDATE subscribers SET monthly_budget = 0 WHERE subscriber_id = 2", 1),
]  # fmt: skip


def ask(world: SmallWorld) -> list[QualityResult]:
    return check_database(world.database, world.profile, [world.overlay.operations], clock_start(world.profile))


def doctor(path: Path, script: str) -> None:
    """Run statements that the world's own constraints would refuse."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executescript(script)
        connection.commit()


@pytest.mark.parametrize(("archetype", "name", "table", "script", "unexpected"), DOCTORED)
def test_a_doctored_database_is_found(
    make_world: MakeWorld, archetype: str, name: str, table: str | None, script: str, unexpected: int
) -> None:
    world = make_world(archetype)
    doctor(world.database, script)
    failed = [r for r in ask(world) if r.expectation == name and r.table == table and not r.passed]
    assert [result.unexpected for result in failed] == [unexpected]
    assert failed[0].detail
    if failed[0].severity == "critical":
        assert refusal(failed) is not None


def test_every_invariant_was_broken_here() -> None:
    asked = {(archetype, name) for archetype, name, *_ in DOCTORED}
    for invariant in invariants():
        archetypes = [invariant.scope] if invariant.scope not in SCOPES else ["bookings"]
        assert {(archetype, invariant.name) for archetype in archetypes} <= asked


@pytest.mark.parametrize("archetype", sorted(ARCHETYPES))
def test_all_invariants_are_asked_of_a_sound_world(make_world: MakeWorld, archetype: str) -> None:
    results = ask(make_world(archetype))
    assert [result for result in results if not result.passed] == []
    expected = {i.name for i in invariants() if i.scope in SCOPES - STATED or i.scope == archetype}
    stated = {i.name for i in invariants() if i.scope in STATED}
    found = {result.expectation for result in results}
    assert expected | {"columns_as_profiled"} <= found <= expected | stated | {"columns_as_profiled"}
    assert found & stated, "operations state something of their rows"


def test_renamed_operational_tables_are_found(make_world: MakeWorld) -> None:
    world = make_world("service_tickets")
    doctor(world.database, "ALTER TABLE crews RENAME TO staff_crews")
    tables = [
        table.model_copy(update={"name": "staff_crews"})
        if table.name == "crews"
        else table.model_copy(
            update={
                "foreign_keys": [
                    f.model_copy(update={"to_table": "staff_crews"}) if f.to_table == "crews" else f
                    for f in table.foreign_keys
                ]
            }
        )
        for table in world.profile.tables
    ]
    profile = world.profile.model_copy(update={"tables": tables})
    text = world.overlay.operations.model_dump_json().replace('"table":"crews"', '"table":"staff_crews"')
    operations = Operations.model_validate_json(text.replace('"crews":"crews"', '"crews":"staff_crews"'))
    doctor(world.database, "UPDATE staff_crews SET crew_name = 'Twins' WHERE crew_id < 3")
    failed = [r for r in check_database(world.database, profile, [operations], clock_start(profile)) if not r.passed]
    assert [(r.table, r.expectation) for r in failed] == [("staff_crews", "crews_are_told_apart")]


def test_a_world_without_operations_is_asked_the_rest(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    results = check_database(world.database, world.profile, [], clock_start(world.profile))
    asked = {i.name for i in invariants() if i.scope in SCOPES - STATED}
    assert {result.expectation for result in results} == asked | {"columns_as_profiled"}


def test_a_value_of_another_type_names_its_column(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    doctor(world.database, "UPDATE sales SET price = 'dear' WHERE sale_id = 4")
    failed = [result for result in ask(world) if result.expectation == "values_as_profiled" and not result.passed]
    assert [(result.table, result.detail) for result in failed] == [("sales", "4: price: text")]


def test_the_database_is_only_read(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    before = world.database.read_bytes()
    world.database.chmod(0o400)
    ask(world)
    assert world.database.read_bytes() == before
    assert [path.name for path in world.database.parent.iterdir()] == [world.database.name]


def test_a_damaged_page_refuses_the_world(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    content = bytearray(world.database.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    world.database.write_bytes(bytes(content))
    assert refusal(ask(world)) is not None


def test_a_file_without_its_comments_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table.bare.sql").write_text("SELECT 1, 2 FROM {table}\n")
    monkeypatch.setattr(database, "FOLDER", tmp_path)
    invariants.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"table\.bare\.sql"):
            invariants()
    finally:
        monkeypatch.undo()
        invariants.cache_clear()


def test_an_invariant_that_does_not_fit_its_archetype_is_a_bug(make_world: MakeWorld) -> None:
    world = make_world("service_tickets")
    stated = world.overlay.operations
    misnamed = stated.model_copy(update={"archetype": "bookings", "tables": {"bookings": "tickets"}})
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        check_database(world.database, world.profile, [misnamed], clock_start(world.profile))
