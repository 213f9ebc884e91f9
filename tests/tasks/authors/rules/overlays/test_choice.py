"""The choice of an overlay: operations that a person would not laugh at, over the table that tells most."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.errors import UsageError
from schemas.profiles import WorldProfile
from schemas.rounds import Guideline
from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.choice import LEAST_FIT, affordances, choose_next, choose_overlay
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tasks.mining.tables import MinedTables
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


# --- Round by round -----------------------------------------------------------------------


def _all_next(profile: WorldProfile, present: set[str]) -> list[OverlayChoice]:
    """Return what rounds would add, one after the other."""
    added: list[OverlayChoice] = []
    while (chosen := choose_next(profile, {*present, *(a.archetype for a in added)}, Guideline())) is not None:
        added.append(chosen)
    return added


@pytest.mark.parametrize("name", ["baseball", "films", "music_store", "new_york_flights"])
def test_any_sensible_world_affords_three_more_each_once_over_a_table_that_suits(
    name: str, mined_themes: dict[str, MinedTables]
) -> None:
    profile = mined_themes[name].profile
    first = choose_overlay(profile)
    added = _all_next(profile, {first.archetype})
    names = [choice.archetype for choice in added]
    assert len(names) >= 3 and len(set(names)) == len(names) and first.archetype not in names
    for choice in added:
        hosts = dict(ARCHETYPES[choice.archetype].hosts(profile))
        assert hosts[choice.host] >= LEAST_FIT
    assert {choice.archetype for choice in affordances(profile)} == {first.archetype, *names}


@pytest.mark.parametrize("world", ["survey", "daily", "numbers"])
def test_records_are_worked_on_listed_and_measured_but_never_sold_lent_or_rated(world: str) -> None:
    names = {choice.archetype for choice in _all_next(mined(ODD_WORLDS[world]()).profile, set())}
    assert len(names) >= 3
    assert not names & {"sales_orders", "loans", "ratings", "accounts", "subscriptions", "budgets"}


def test_nobody_lends_an_airport_nor_gives_a_film_an_account() -> None:
    airports, films = mined({"airports": _named("airport")}).profile, mined({"films": _named("film")}).profile
    assert ARCHETYPES["loans"].hosts(airports) == [] and ARCHETYPES["sales_orders"].hosts(airports) == []
    assert ARCHETYPES["accounts"].hosts(films) == [] and ARCHETYPES["loans"].hosts(films)[0][0] == "films"


def test_a_guideline_comes_first_and_a_barred_table_never(mined_themes: dict[str, MinedTables]) -> None:
    profile = mined_themes["music_store"].profile
    wanted = Guideline(archetypes=("budgets",), tables=("media_types",))
    chosen = choose_next(profile, set(), wanted)
    assert chosen == OverlayChoice(archetype="budgets", host="media_types")
    assert choose_next(profile, {"budgets"}, wanted) != chosen
    for choice in _all_next(profile, set()):
        barred = choose_next(profile, set(), Guideline(archetypes=(choice.archetype,)), barred={choice.host})
        assert barred is None or barred.host != choice.host
    assert choose_next(profile, set(ARCHETYPES), Guideline()) is None


def test_operational_tables_are_no_hosts_unless_they_were_mined() -> None:
    tables = mined({"tickets": _named("book"), "products": _named("book")})
    tables.profile.table("tickets").kind = "operational"
    assert {name for name, _ in ARCHETYPES["loans"].hosts(tables.profile)} == {"tickets", "products"}
    tables.profile.sampling.clear()
    assert {name for name, _ in ARCHETYPES["loans"].hosts(tables.profile)} == {"products"}
