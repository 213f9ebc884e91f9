"""Histories end with what rows are now, lie before the clock, and are written on by the actions."""

from pathlib import Path
from random import Random

import polars as pl
import pytest

from schemas.operations import Insert
from schemas.rounds import Guideline
from tasks.authors.rules.rounds.histories import add_history
from tasks.authors.rules.rounds.lifecycles import every_action, past_of
from tests.tasks.authors.rules.rounds.drafts import START, THEME, bundled, draft, loaded, table


@pytest.mark.parametrize(("name", "own"), [("baseball", "tickets"), ("new_york_flights", "bookings")])
def test_a_row_s_past_leads_to_its_status_before_the_clock_starts(name: str, own: str) -> None:
    world = bundled(name)
    events = past_of(world, world.profile.table(own))
    present = dict(world.frames[own].select(world.profile.table(own).key, "status").iter_rows())
    assert {event.key: event.status for event in events} == present
    assert all(event.moment <= world.clock_start for event in events)
    assert [event.moment for event in events] == sorted(event.moment for event in events)
    assert events == past_of(world, world.profile.table(own))


def test_every_change_of_a_status_is_written(tmp_path: Path) -> None:
    world = bundled("baseball")
    growth = add_history(world, THEME, Random(0), Guideline())
    assert growth is not None
    grown = growth.world
    history = grown.frames["ticket_status_changes"]
    last = dict(history.sort("status_change_id").select("ticket_id", "status").iter_rows())
    present = dict(grown.frames["tickets"].select("ticket_id", "status").iter_rows())
    assert last.items() <= present.items()
    contract = grown.contract
    assert contract.generated_keys["ticket_status_changes"] == "status_change_id"
    assert contract.clock_columns["ticket_status_changes"] == ["changed_at"]
    assert contract.references["ticket_status_changes"] == {"ticket_id": "tickets"}
    assert "ticket_status_changes" not in contract.log_tables
    for _, action in every_action(grown):
        writes = [e for e in action.effects if isinstance(e, Insert) and e.table == "ticket_status_changes"]
        assert len(writes) == (action.name != "set_ticket_priority")
    with pytest.raises(Exception, match="CHECK"):
        loaded(grown, tmp_path).execute("UPDATE ticket_status_changes SET status = 'lost'")


def test_prices_come_from_real_prices_and_end_with_the_present_one() -> None:
    frame = pl.DataFrame(
        {"dish": [f"Dish {i}" for i in range(40)], "price": [round(3 + i * 0.75, 2) for i in range(40)]}
    )
    dishes = table("dishes", "dish", frame, kind="reference")
    growth = add_history(draft(dishes), THEME, Random(1), Guideline())
    assert growth is not None
    changes = growth.world.frames["price_changes"]
    assert set(changes["price"]) <= set(frame["price"])
    last = changes.sort("valid_from").group_by("dish", maintain_order=True).last()
    assert dict(last.select("dish", "price").iter_rows()).items() <= dict(frame.iter_rows()).items()
    assert changes["valid_from"].max() < START[:10]
    assert changes.select("dish", "valid_from").is_unique().all()
    steps = changes.sort("dish", "valid_from").with_columns(before=pl.col("price").shift(1).over("dish"))
    assert steps.filter(pl.col("before") == pl.col("price")).is_empty()
    assert {column.origin for column in growth.world.profile.table("price_changes").columns} == {"simulated"}
    assert add_history(growth.world, THEME, Random(1), Guideline()) is None
