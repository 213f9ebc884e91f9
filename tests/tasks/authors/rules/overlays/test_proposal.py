"""Overlays: simulated rows keep their own rules, and equal seeds give equal rows."""

import polars as pl
import pytest

from schemas.errors import UsageError
from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.choice import choose_overlay
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.mining.environments import clock_start, overlay_frames
from tasks.mining.tables import MinedTables
from tests.tasks.authors.rules.small_world import small_frames, small_profile
from tests.tasks.authors.rules.tool_worlds import ToolWorld

BOOKINGS = OverlayChoice(archetype="bookings", host="flights")
START = "2013-01-11T09:00:00"


def _of(worlds: list[ToolWorld], archetype: str) -> ToolWorld:
    return next(world for world in worlds if world.overlay.operations.archetype == archetype)


def test_equal_seeds_give_equal_overlays_and_other_seeds_others(
    mined_themes: dict[str, MinedTables], worlds: list[ToolWorld]
) -> None:
    for world in worlds:
        mined = mined_themes[world.environment.theme_name]
        operations = world.overlay.operations
        choice = OverlayChoice(archetype=operations.archetype, host=operations.host)
        start = world.environment.clock_start
        assert propose_overlay(mined.profile, mined.frames, choice, 0, start) == world.overlay
        assert propose_overlay(mined.profile, mined.frames, choice, 1, start).rows != world.overlay.rows


def test_rows_do_not_depend_on_the_order_of_mined_rows(
    mined_themes: dict[str, MinedTables], worlds: list[ToolWorld]
) -> None:
    for world in worlds:
        mined = mined_themes[world.environment.theme_name]
        reversed_frames = {name: frame.reverse() for name, frame in mined.frames.items()}
        operations = world.overlay.operations
        choice = OverlayChoice(archetype=operations.archetype, host=operations.host)
        start = world.environment.clock_start
        assert propose_overlay(mined.profile, reversed_frames, choice, 0, start) == world.overlay


def test_profiles_describe_the_rows(worlds: list[ToolWorld]) -> None:
    for world in worlds:
        start = clock_start(world.environment.profile)
        for table in world.overlay.tables:
            frame = overlay_frames(world.overlay)[table.name]
            assert table.kind == "operational" and table.rows == frame.height > 0
            assert frame.columns == [column.name for column in table.columns]
            assert frame[table.key].n_unique() == frame.height
            for column in table.columns:
                assert column.nullable or frame[column.name].null_count() == 0, column.name
                assert column.distinct == frame[column.name].drop_nulls().n_unique()
                if column.categories:
                    assert set(frame[column.name]) <= set(column.categories)
                if column.type == "datetime":
                    assert frame[column.name].max() < start == world.environment.clock_start
            for foreign in table.foreign_keys:
                known = set(world.frames[foreign.to_table][foreign.to_column])
                assert set(frame[foreign.column].drop_nulls()) <= known


def test_every_status_occurs_among_the_rows(worlds: list[ToolWorld]) -> None:
    for world in worlds:
        for table in world.overlay.tables:
            if any(column.name == "status" for column in table.columns):
                seen = world.frames[table.name]["status"].value_counts(sort=True)
                assert set(seen["status"]) == set(table.column("status").categories)
                assert seen["count"].min() >= 5


def test_bookings_fit_the_planes_seats_and_some_flights_are_nearly_full(worlds: list[ToolWorld]) -> None:
    frames = _of(worlds, "bookings").frames
    seats = frames["flights"].join(frames["planes"], on="tail_number").select("flight_id", "seat_count")
    counted = frames["seat_inventory"].join(seats, on="flight_id")
    assert counted.height > 1000 and (counted["capacity"] == counted["seat_count"]).all()
    assert frames["seat_inventory"].height == frames["flights"].height
    taken = frames["bookings"].filter(pl.col("status") != "cancelled").group_by("flight_id").agg(pl.col("seats").sum())
    room = taken.join(frames["seat_inventory"], on="flight_id").select(room=pl.col("capacity") - pl.col("seats"))[
        "room"
    ]
    assert room.min() >= 0 and (room <= 2).sum() >= 5 and (room > 20).sum() >= 20
    assert frames["bookings"]["party"].n_unique() == frames["bookings"].height


def test_orders_fit_the_shelves_and_cost_a_share_of_the_price(worlds: list[ToolWorld]) -> None:
    frames = _of(worlds, "purchase_orders").frames
    opened = frames["purchase_orders"].filter(pl.col("status").is_in(["draft", "approved"]))
    ordered = opened.group_by("album_id").agg(pl.col("quantity").sum())
    shelves = (
        frames["stock_levels"].join(ordered, on="album_id", how="left").with_columns(pl.col("quantity").fill_null(0))
    )
    assert (shelves["on_hand"] + shelves["quantity"] <= shelves["shelf_capacity"]).all()
    assert (shelves["on_hand"] <= shelves["reorder_point"]).sum() >= 10
    prices = frames["tracks"].group_by("album_id").agg((pl.col("track_price").sum() * 0.6).round(2).alias("cost"))
    compared = shelves.join(prices, on="album_id")
    assert compared.height > 100 and ((compared["unit_cost"] - compared["cost"]).abs() < 0.011).all()


def test_crews_hold_at_most_what_they_can_take(worlds: list[ToolWorld]) -> None:
    frames = _of(worlds, "service_tickets").frames
    assigned = frames["tickets"].filter(pl.col("status") == "assigned")
    held = assigned.group_by("crew_id").agg(pl.len().alias("held")).join(frames["crews"], on="crew_id")
    assert assigned["crew_id"].null_count() == 0
    assert (held["held"] <= held["max_open"]).all() and (held["held"] == held["max_open"]).any()
    assert frames["tickets"]["subject"].n_unique() == frames["tickets"].height


def test_the_rules_choose_what_the_data_affords(mined_themes: dict[str, MinedTables]) -> None:
    chosen = {name: choose_overlay(mined.profile) for name, mined in mined_themes.items()}
    assert chosen["new_york_flights"] == BOOKINGS
    assert chosen["music_store"].archetype == "purchase_orders"
    assert chosen["baseball"] == OverlayChoice(archetype="service_tickets", host="parks")
    assert chosen["films"].archetype == "review_requests"


def test_unknown_seats_are_the_known_ones_median() -> None:
    overlay = propose_overlay(small_profile(), small_frames(), BOOKINGS, 0, START)
    capacities = {row["flight_id"]: row["capacity"] for row in overlay.rows["seat_inventory"]}
    assert (capacities[1], capacities[2], capacities[3]) == (4, 150, 4)


def test_operations_that_do_not_exist_are_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="bookings, .*purchase_orders"):
        propose_overlay(small_profile(), small_frames(), OverlayChoice(archetype="piracy", host="flights"), 0, START)


def test_a_host_that_is_no_table_is_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="airlines, planes, flights"):
        propose_overlay(small_profile(), small_frames(), OverlayChoice(archetype="bookings", host="trains"), 0, START)
