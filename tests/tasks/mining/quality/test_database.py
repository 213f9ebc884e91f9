import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

from schemas.environments import Archetype
from schemas.quality import QualityResult
from tasks.mining.quality import database
from tasks.mining.quality.database import Operations, check_database, invariants
from tasks.mining.quality.gate import refusal
from tests.tasks.mining.quality.conftest import MakeWorld, SmallWorld

SCOPES = {"world", "table", "reference", "split"}

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
]  # fmt: skip


def ask(world: SmallWorld) -> list[QualityResult]:
    operations = Operations(world.overlay.archetype, world.overlay.parameters)
    return check_database(world.database, world.profile, operations)


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


@pytest.mark.parametrize("archetype", get_args(Archetype))
def test_all_invariants_are_asked_of_a_sound_world(make_world: MakeWorld, archetype: str) -> None:
    results = ask(make_world(archetype))
    assert [result for result in results if not result.passed] == []
    expected = {i.name for i in invariants() if i.scope in SCOPES or i.scope == archetype}
    assert {result.expectation for result in results} == expected | {"columns_as_profiled"}
    assert any(invariant.scope == archetype for invariant in invariants())


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
    operations = Operations("service_tickets", {**world.overlay.parameters, "tables": {"crews": "staff_crews"}})
    doctor(world.database, "UPDATE staff_crews SET crew_name = 'Twins' WHERE crew_id < 3")
    failed = [r for r in check_database(world.database, profile, operations) if not r.passed]
    assert [(r.table, r.expectation) for r in failed] == [("staff_crews", "crews_are_told_apart")]


def test_a_world_without_operations_is_asked_the_rest(make_world: MakeWorld) -> None:
    world = make_world("bookings")
    names = {result.expectation for result in check_database(world.database, world.profile, None)}
    assert names == {i.name for i in invariants() if i.scope in SCOPES} | {"columns_as_profiled"}


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
    misnamed = Operations("bookings", {**world.overlay.parameters, "tables": {"bookings": "tickets"}})
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        check_database(world.database, world.profile, misnamed)
