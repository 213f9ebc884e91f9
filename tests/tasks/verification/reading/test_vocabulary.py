"""Schemas alone tell tables, columns, words and filters."""

from __future__ import annotations

import pytest

from tasks.verification.reading.tools import public
from tasks.verification.reading.vocabulary import Vocabulary, describe, filters
from tests.tasks.proving_ground import ProvingGround


def test_tables_are_those_of_the_tools(flights: ProvingGround) -> None:
    words = Vocabulary([public(tool) for tool in flights.tools])
    wrong = {
        (tool.name, tool.intent["table"], words.table_of(tool.name))
        for tool in flights.tools
        if tool.operation in ("get", "search", "top", "aggregate") and words.table_of(tool.name) != tool.intent["table"]
    }
    assert {table for _, table, _ in wrong} <= {"seat_inventory"}  # no schema bears this name


def test_filters_are_those_of_the_tools(flights: ProvingGround) -> None:
    comparators = {"eq": "is", "min": "at_least", "max": "at_most"}
    for tool in flights.tools:
        stated = {
            parameter: (each["column"], comparators[each["comparator"]])
            for parameter, each in tool.intent.get("filters", {}).items()
            if each["comparator"] in comparators
        }
        if tool.operation in ("search", "top", "aggregate"):
            assert filters(public(tool)) == stated


def test_an_extension_shares_the_key_of_what_it_extends(flights: ProvingGround) -> None:
    words = Vocabulary([public(tool) for tool in flights.tools])
    (seats,) = words.extensions(words.tables["flights"])
    assert seats.key == "flight_id" and "available" in seats.columns


@pytest.mark.parametrize(
    ("text", "words", "unit"),
    [
        ("Distance in miles.", "distance", "miles"),
        ("Time in the air in minutes.", "time in the air", "minutes"),
        ("Place in the division.", "place in the division", None),
        ("Scheduled departure in local time, as YYYY-MM-DDTHH:MM:SS.", "scheduled departure", None),
        ("Still active, 1 for yes, 0 for no.", "still active", None),
    ],
)
def test_descriptions_split_into_words_and_unit(text: str, words: str, unit: str | None) -> None:
    assert describe(text) == (words, unit)
