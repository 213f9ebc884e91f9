"""The choice of an overlay: operations that a person would not laugh at, over the table that tells most."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.errors import UsageError
from schemas.profiles import WorldProfile
from tasks.authors.rules.overlays.choice import choose_overlay
from tests.tasks.authors.rules.odd_worlds import ODD_WORLDS, Odd, mined

ROWS = list(range(1, 41))


def _chosen(**tables: Odd) -> tuple[str, str]:
    chosen = choose_overlay(mined(tables).profile)
    return chosen.archetype, chosen.host


def _named(singular: str, **columns: list[object]) -> Odd:
    frame = pl.DataFrame({"id": ROWS, "name": [f"{singular} {n}" for n in ROWS], **columns})
    return Odd(frame, singular, f"{singular}s", label="name")


def _with_price(table: Odd, words: str) -> dict[str, Odd]:
    return {"things": Odd(table.frame, table.singular, table.plural, label="name", words={"figure": words})}


def test_places_get_service_tickets_and_people_with_addresses_do_not() -> None:
    street = [f"{n} Main Street" for n in ROWS]
    assert _chosen(libraries=_named("library")) == ("service_tickets", "libraries")
    assert _chosen(sites=_named("site", street=street)) == ("service_tickets", "sites")
    people = _named("customer", street=street, birth_date=[f"19{50 + n}-01-01" for n in ROWS])
    assert _chosen(customers=people) == ("review_requests", "customers")
    assert _chosen(movies=_named("movie")) == ("review_requests", "movies")


@pytest.mark.parametrize(
    ("words", "archetype"),
    [("price", "purchase_orders"), ("average ticket price", "review_requests"), ("budget", "review_requests")],
)
def test_only_what_is_sold_is_ordered(words: str, archetype: str) -> None:
    profile = mined(_with_price(_named("thing", figure=[float(n) for n in ROWS]), words)).profile
    column = profile.tables[0].column("figure")
    column.type, column.name = "money", words.replace(" ", "_")
    assert choose_overlay(profile).archetype == archetype


def test_a_review_is_about_the_table_that_tells_most() -> None:
    kinds = Odd(pl.DataFrame({"kind": ["a", "b"], "text": ["x", "y"]}), "kind", "kinds", label="text", opaque=False)
    records = pl.DataFrame(
        {"id": ROWS, "kind": ["a", "b"] * 20, "size": [n * 7 % 31 for n in ROWS], "note": ["n"] * 40}
    )
    events = Odd(records, "record", "records", references={"kind": "kinds"})
    links = Odd(pl.DataFrame({"link_id": ROWS, "id": ROWS}), "link", "links", references={"id": "records"})
    assert _chosen(kinds=kinds, records=events, links=links) == ("review_requests", "records")


def test_a_table_without_rows_is_no_host() -> None:
    assert _chosen(**ODD_WORLDS["empty"]()) == ("review_requests", "items")
    nothing = Odd(pl.DataFrame({"id": []}, schema={"id": pl.Int64}), "thing", "things")
    with pytest.raises(UsageError, match="no tables with rows"):
        choose_overlay(mined({"things": nothing}).profile)
    with pytest.raises(UsageError, match="no tables with rows"):
        choose_overlay(WorldProfile(tables=[]))


def test_what_is_ordered_is_what_has_the_price_not_who_supplies_it() -> None:
    suppliers = Odd(pl.DataFrame({"supplier": ROWS, "name": [f"S{n}" for n in ROWS]}), "supplier", "suppliers", "name")
    goods = pl.DataFrame(
        {"id": ROWS, "name": [f"G{n}" for n in ROWS], "supplier": ROWS, "price": [1.5 * n for n in ROWS]}
    )
    products = Odd(goods, "product", "products", "name", references={"supplier": "suppliers"})
    parts = Odd(pl.DataFrame({"part": ROWS, "id": ROWS}), "part", "parts", references={"id": "products"})
    profile = mined({"suppliers": suppliers, "products": products, "parts": parts}).profile
    profile.table("products").column("price").type = "money"
    chosen = choose_overlay(profile)
    assert (chosen.archetype, chosen.host) == ("purchase_orders", "products")
