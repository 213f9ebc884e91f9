"""Plans are renamed as people say them, and lose the things that nothing uses."""

from __future__ import annotations

from schemas.plans import Entries, Pass, Plan, Thing
from tasks.verification.reading.naming import plain_field, rename
from tasks.verification.reading.pruning import drop_unused_things
from tests.tasks.verification.reading.plans import REFUSED, bound, count, look


def test_tables_fields_and_whole_numbers_are_renamed() -> None:
    source = Entries(
        document="Register", table="seat_inventory", column="flight_id", where=bound("Seats_Left", "at_most", 4.0)
    )
    plan = Plan(purpose="audit", passes=(Pass(source=source, branches=()),), asked=(count("n", 0),))
    renamed = rename(plan, {"seat_inventory": "seat_availabilities"}).passes[0].source
    assert renamed.model_dump(exclude_defaults=True) == {
        "document": "Register",
        "table": "seat_availabilities",
        "column": "flight_id",
        "where": {"column": "seats left", "comparator": "at_most", "value": {"value": 4}},
    }


def test_fields_have_no_case_and_no_underscores() -> None:
    assert plain_field("Retention_Period in months") == "retention period in months"


def test_unused_things_go_and_places_follow() -> None:
    unused = Thing(table="flights", name="Nowhere")
    chain = Thing(table="flights", of=(1, look("x", ("flight_id", "flights")).hops[0]))
    deed = REFUSED.deeds[0].act.model_copy(update={"arguments": {"booking_id": look("booking_id", thing=1)}})
    asked = REFUSED.asked[1].model_copy(update={"figure": look("distance", thing=2)})
    plan = Plan(
        purpose="audit",
        things=(unused, REFUSED.things[0], chain),
        deeds=(REFUSED.deeds[0].model_copy(update={"act": deed}),),
        asked=(asked,),
    )
    pruned = drop_unused_things(plan)
    assert [each.table for each in pruned.things] == ["bookings", "flights"]
    assert pruned.things[1].of[0] == 0  # type: ignore[union-attr, index]
    assert pruned.deeds[0].act.arguments["booking_id"].thing == 0  # type: ignore[union-attr]
    assert pruned.asked[0].figure.thing == 1  # type: ignore[union-attr]
