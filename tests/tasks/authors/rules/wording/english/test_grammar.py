"""English grammar: participles, articles, number, and actions turned into clauses."""

from __future__ import annotations

import pytest

from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.actions import AsMany, clause


@pytest.mark.parametrize(
    ("verb", "said"),
    [("assign", "assigned"), ("close", "closed"), ("withdraw", "withdrawn"), ("carry", "carried"), ("bar", "barred")],
)
def test_participles(verb: str, said: str) -> None:
    assert grammar.participle(verb) == said


@pytest.mark.parametrize(
    ("words", "plural"),
    [
        ("seats still free", True),
        ("open sales orders", True),
        ("people needed", True),
        ("total of stars", False),
        ("free shelf space", False),
        ("monthly cost of the live subscriptions", False),
        ("status", False),
        ("a review request “Two mixed-up records”", False),
        ("the reports about the rating", True),
    ],
)
def test_number_is_that_of_the_head(words: str, plural: bool) -> None:
    assert grammar.is_plural(words) is plural


def test_articles_go_by_the_sound() -> None:
    said = [grammar.a(noun) for noun in ("altitude", "unit price", "hour", "overdraft limit", "place", "US state")]
    assert said == ["an altitude", "a unit price", "an hour", "an overdraft limit", "a place", "a US state"]


def test_one_of_many_is_singular() -> None:
    counted = [grammar.singular(words) for words in ("tickets in hand", "sales orders", "entries", "people")]
    assert counted == ["ticket in hand", "sales order", "entry", "person"]


@pytest.mark.parametrize(
    ("pattern", "subject", "predicate"),
    [
        ("assign {row} to {crew_id}", "{row}", "assigned to {crew_id}"),
        ("hand {row} over to {crew_id}", "{row}", "handed over to {crew_id}"),
        ("hold {seats} seats on {flight_id} for {party}", "{seats} seats", "held on {flight_id} for {party}"),
        ("report “{subject}” at {park_code}", "“{subject}”", "reported at {park_code}"),
        ("order {quantity} copies of {album_id}", "{quantity} copies of {album_id}", "ordered"),
        ("set the amount of {row} to {amount} dollars", "the amount of {row}", "set to {amount} dollars"),
        ("see to it that {row} is frozen", "{row}", "frozen"),
        ("book in the delivery for {row}", "the delivery for {row}", "booked in"),
        ("let {row} have {places} places", "{row}", "have {places} places"),
        ("let {row} rate again", "{row}", "be allowed to rate again"),
        (
            "take {amount} dollars out of {row} and add them to {to}",
            "{amount} dollars",
            "taken out of {row} and added to {to}",
        ),
    ],
)
def test_an_action_becomes_a_clause(pattern: str, subject: str, predicate: str) -> None:
    said = clause(pattern)
    assert (said.subject, said.predicate) == (subject, predicate)


def test_amounts_agree_with_what_they_count() -> None:
    held = clause("hold {seats} seats on {flight_id}")
    assert held.filled({"seats": "1", "flight_id": "it"}).subject == "1 seat"
    elsewhere = held.filled({"seats": AsMany("“Policy” states"), "flight_id": "it"})
    assert elsewhere.subject == "as many seats as “Policy” states"
