"""Additions: nouns, free names, and an order in which references point backwards."""

import polars as pl
import pytest

from tasks.authors.rules.rounds.additions import (
    Additions,
    apply_additions,
    free_names,
    mentioned_columns,
    plural_phrase,
    with_reference,
)
from tests.tasks.authors.rules.rounds.drafts import bundled, draft, table

CITIES = table("cities", "city", pl.DataFrame({"city": ["Bari", "Rome"]}), kind="reference")
VISITS = table("visits", "visit", pl.DataFrame({"visit_id": [1, 2], "city": ["Rome", "Bari"]}), opaque=True)


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("way of shipping", "ways of shipping"),
        ("country or territory", "countries or territories"),
        ("engine type", "engine types"),
        ("city", "cities"),
    ],
)
def test_plurals_of_phrases(singular: str, plural: str) -> None:
    assert plural_phrase(singular) == plural


def test_names_that_a_table_or_its_nouns_have_are_not_free() -> None:
    profiles = [CITIES.profile]
    assert free_names(profiles, [("city", "cities")]) is None
    assert free_names(profiles, [("city", "cities"), ("large city", "large cities")]) == (
        "large_cities",
        "large city",
        "large cities",
    )


def test_parents_come_first_and_a_cycle_is_a_bug() -> None:
    lower = with_reference(VISITS, "city", CITIES.profile)
    world = apply_additions(draft(VISITS), Additions((), (lower,), (CITIES,)))
    assert [each.name for each in world.profile.tables] == ["cities", "visits"]
    upper = with_reference(CITIES, "city", VISITS.profile)
    with pytest.raises(ValueError, match="cycle"):
        apply_additions(draft(VISITS), Additions((upper,), (lower,)))


def test_columns_of_operations_are_found() -> None:
    assert {"status", "seats", "capacity", "flight_id"} <= mentioned_columns(bundled("new_york_flights"))
